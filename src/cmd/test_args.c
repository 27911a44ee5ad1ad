/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_args - the options that run and plan have in common
 */
#include "test_args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iotest/planner.h"
#include "iotest/probe.h"
#include "iotest/units.h"
#include "iotest/xalloc.h"

const char test_args_details[] =
	"Sizes are binary everywhere, as in the SAS tools: 1K, 1KB and 1KiB are 1024\n"
	"bytes. Rates are MiB/s; MB/s (10^6) is printed beside them.";

const char *const redact_choices[REDACT_COUNT + 1] = {
	[REDACT_SUPPORT] = "support",
	[REDACT_PUBLIC] = "public",
	[REDACT_NONE] = "none",
};

const char *const integrity_choices[INTEGRITY_COUNT + 1] = {
	[INTEGRITY_STAMPS] = "stamps",
	[INTEGRITY_FULL] = "full",
};

/* Two words for one thing: both is a contradiction even when they agree. */
static int take_twin(int64_t *into, int64_t twin, const char *one, const char *other,
		     struct err *err)
{
	if (twin < 0)
		return 0;
	if (*into >= 0)
		return err_usage(err, "%s and %s both set the same; give one of them", one, other);
	*into = twin;
	return 0;
}

/* With a slash it is a file; a file without one may not have the name of a kind of data. */
static bool is_file(const char *data)
{
	struct stat st;

	if (strchr(data, '/'))
		return true;
	return strcmp(data, "unique") && strcmp(data, "zeros") &&
	       strncmp(data, "compressible=", strlen("compressible=")) && !stat(data, &st) &&
	       S_ISREG(st.st_mode);
}

/* The file is named as what it is, and what is wrong with it is said before anything is done. */
static int settle_data(struct test_args *args, struct err *err)
{
	const char *data = args->wishes.data;
	struct stat st;

	if (!data || !is_file(data))
		return 0;
	args->data_path = realpath(data, NULL);
	if (!args->data_path || stat(args->data_path, &st) || access(args->data_path, R_OK))
		return err_set(err, -errno, "--data %s: cannot be read", data);
	if (!S_ISREG(st.st_mode))
		return err_say(err, -EINVAL, "--data %s: not a regular file", data);
	if (st.st_size == 0)
		return err_say(err, -EINVAL, "--data %s: the file is empty", data);
	args->wishes.data = args->data_path;
	return 0;
}

static int settle(const struct command *command, struct test_args *args, struct err *err)
{
	int64_t block_bytes = -1;
	int rc;

	if (args->block_kib >= 0 && units_mul(args->block_kib, KIB, &block_bytes))
		return err_usage(err, "-s: %lld KiB is too large", (long long)args->block_kib);
	rc = take_twin(&args->wishes.block_bytes, block_bytes, "--block-size", "-s", err);
	if (!rc)
		rc = take_twin(&args->wishes.workers, args->instances, "--workers", "-i", err);
	if (rc)
		return rc;
	if (args->wishes.bytes_per_worker >= 0 && args->wishes.blocks_per_worker >= 0)
		return err_usage(err, "--size and -b both set the file size; give one of them");
	if (args->targets.n_items == 0) {
		err_usage(err, "no target given");
		err_advise(err, "name the directory: iotest %s -t /saswork", command->name);
		return -EINVAL;
	}
	rc = settle_data(args, err);
	return rc ? rc : plan_check_wishes(&args->wishes, args->targets.n_items, err);
}

int test_args_parse(const struct command *command, int argc, char **argv, struct test_args *args,
		    struct err *err)
{
	int rc = cli_parse(command, argc, argv, args, NULL, err);

	return rc ? rc : settle(command, args, err);
}

void test_args_done(struct test_args *args)
{
	strlist_done(&args->targets);
	xfree(&args->data_path);
}

/* A directory that would be measured against itself; NULL if there is none. */
static const char *given_twice(const struct host *host)
{
	for (size_t i = 0; i < host->n_targets; i++)
		for (size_t k = 0; k < i; k++)
			if (strcmp(text_of(host->targets[i].path),
				   text_of(host->targets[k].path)) == 0)
				return text_of(host->targets[i].path);
	return NULL;
}

int test_plans_build(const struct host *host, const struct test_args *args, struct test_plans *out,
		     struct err *err)
{
	CLEANUP(test_plans_done) struct test_plans plans = { 0 };
	const char *twice = given_twice(host);

	if (twice)
		return err_usage(err, "%s is given twice", twice);
	plans.items = xcalloc(host->n_targets, sizeof(*plans.items));
	for (plans.n_items = 0; plans.n_items < host->n_targets; plans.n_items++) {
		int rc = plan_build(host, plans.n_items, &args->wishes, &plans.items[plans.n_items],
				    err);

		if (rc)
			return rc;
	}
	*out = plans;
	plans = (struct test_plans){ 0 };
	return 0;
}

void test_plans_done(struct test_plans *plans)
{
	for (size_t i = 0; i < plans->n_items; i++)
		plan_done(&plans->items[i]);
	free(plans->items);
	*plans = (struct test_plans){ 0 };
}

int test_args_open_sysroot(const char *path, struct sysroot *out, struct err *err)
{
	CLEANUP(xfree) char *inside = path ? xasprintf("%s/system_files", path) : NULL;

	return sysroot_open(out, inside && !access(inside, F_OK) ? inside : path, err);
}

int test_args_show_plan(const struct test_args *args, struct err *err)
{
	CLEANUP(sysroot_close) struct sysroot root = { .dirfd = -1 };
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(test_plans_done) struct test_plans plans = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	int rc;

	rc = test_args_open_sysroot(args->sysroot, &root, err);
	if (rc)
		return rc;
	rc = probe_host(&root, &args->targets, &host, err);
	if (rc)
		return rc;
	rc = test_plans_build(&host, args, &plans, err);
	if (rc)
		return rc;
	if (args->format == FORMAT_JSON) {
		rc = render_plans_json(&host, plans.items, plans.n_items, &page, err);
		if (rc)
			return rc;
	} else {
		for (size_t i = 0; i < plans.n_items; i++)
			render_plan_text(&host, &plans.items[i], &page);
	}
	fputs(buf_text(&page), stdout);
	return EXIT_STATUS_DONE;
}
