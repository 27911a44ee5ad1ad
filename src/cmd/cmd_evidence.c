/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence - collect what a run would collect, without any load; or add to a bundle what only
 * root can read
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "identity.h"
#include "iotest/bundle.h"
#include "iotest/clock.h"
#include "iotest/collect.h"
#include "iotest/commands.h"
#include "iotest/log.h"
#include "iotest/probe.h"
#include "iotest/render.h"
#include "iotest/xalloc.h"
#include "redaction.h"
#include "results.h"
#include "test_args.h"

#define ARCHIVE ".tar.gz"
#define FOLDER "system_files/"

struct evidence_args {
	struct test_args test; /* first: its rows are used here */
	const char *add;
};

static const struct cli_option options[] = {
	OPTION_TARGET_OF("a directory that is of interest; may be given more than once"),
	{ .name = "add",
	  .type = CLI_TEXT,
	  .offset = offsetof(struct evidence_args, add),
	  .value = "BUNDLE",
	  .help = "make a second bundle with all that this one has, and with what the user who "
		  "made it could not read; on the same host, as root" },
	OPTIONS_OF_THE_OUTPUT(LISTED),
};

struct gathering {
	struct evidence_args args;
	struct evidence evidence;
	struct sysroot root;
	struct host host;
	struct results results;
	struct redactor *redactor; /* of --add */
};

static void gathering_done(struct gathering *g)
{
	redactor_free(g->redactor);
	results_done(&g->results);
	host_done(&g->host);
	sysroot_close(&g->root);
	evidence_done(&g->evidence);
	test_args_done(&g->args.test);
}

static int look(struct gathering *g, const struct strlist *targets, struct err *err)
{
	int rc = test_args_open_sysroot(NULL, &g->root, err);

	if (rc)
		return rc;
	g->root.evidence = &g->evidence;
	return probe_host_with_sas(&g->root, targets, g->args.test.sas_config, &g->host, err);
}

static void say_unread(int64_t unread)
{
	if (unread <= 0)
		return;
	log_line(LOG_LEVEL_NOTE, "%" PRId64 " items could not be read, see iotest.errors", unread);
	fprintf(stderr,
		"iotest: %" PRId64 " items could not be read by this user; root can add them "
		"with iotest evidence --add BUNDLE\n",
		unread);
}

/* --- without a bundle --- */

static int put_host(struct gathering *g, struct err *err)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	int rc = render_host_json(&g->host, &json, err);

	if (rc)
		return rc;
	render_host_text(&g->host, &text);
	rc = bundle_put(&g->results.bundle, "host.json", json.data, json.len, err);
	return rc ? rc : bundle_put(&g->results.bundle, "host.txt", text.data, text.len, err);
}

static void say_bundle(const struct bundle *b)
{
	fprintf(stderr, "iotest: bundle %s/%s" ARCHIVE ", %" PRId64 " KiB, sha256 %s\n",
		b->out_path, b->name, (b->archive_bytes + KIB - 1) / KIB, b->digest);
}

static int gather(struct gathering *g, struct err *err)
{
	int64_t unread;
	int rc;

	rc = look(g, &g->args.test.targets, err);
	if (!rc)
		rc = results_check(&g->args.test, err);
	if (rc)
		return rc;
	unread = collect(&g->root, &g->host, COLLECT_BEFORE);
	rc = results_open(&g->results, &g->args.test, &g->host, clock_wall_ns(), &g->evidence, err);
	if (rc)
		return rc;
	say_unread(unread);
	rc = put_host(g, err);
	if (!rc)
		rc = results_seal(&g->results, err);
	if (rc)
		return rc;
	if (!g->results.is_streamed)
		say_bundle(&g->results.bundle);
	return EXIT_STATUS_DONE;
}

/* --- to a bundle --- */

/* The directories that the bundle is about, as it names them. */
static void find_targets(const struct bundle_content *old, struct strlist *out)
{
	for (size_t i = 0; i < old->n_files; i++) {
		CLEANUP(xfree) char *path = NULL;

		if (strncmp(old->files[i].path, FOLDER "os/target.", strlen(FOLDER "os/target.")))
			continue;
		if (fact_text(old->files[i].data, "path", &path) == 0)
			strlist_add(out, path);
	}
}

static int check_host(const struct bundle_content *old, struct redactor *r, const char *own,
		      const char *path, struct err *err)
{
	const struct bundle_file *file = bundle_content_find(old, FOLDER "os/uname");
	CLEANUP(xfree) char *here = redactor_token(r, REDACTED_HOST, own);
	CLEANUP(xfree) char *name = NULL;

	if (!file || fact_text(file->data, "nodename", &name))
		return err_say(err, -EINVAL, "%s: does not tell which host it is of", path);
	if (strcmp(name, here) != 0) {
		err_say(err, -EINVAL, "%s: is of the host %s, and this is %s", path, name, here);
		err_advise(err, "what this host says would not explain that one");
		return -EINVAL;
	}
	return 0;
}

/* What the bundle does not have yet. */
static void choose_new(const struct bundle_content *old, const struct evidence *all,
		       struct evidence *out)
{
	for (size_t i = 0; i < all->n_items; i++) {
		const struct evidence_item *item = &all->items[i];
		CLEANUP(xfree) char *path = xasprintf(FOLDER "%s", item->path);

		if (item->kind == EVIDENCE_FILE && !bundle_content_find(old, path))
			evidence_add(out, item->path, item->kind, item->data, item->len,
				     item->error);
	}
}

static int put_old(struct bundle *b, const struct bundle_content *old, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < old->n_files; i++)
		if (strcmp(old->files[i].path, "MANIFEST") != 0)
			rc = bundle_put(b, old->files[i].path, old->files[i].data,
					old->files[i].len, err);
	return rc;
}

static int put_added(struct bundle *b, const struct evidence *added, struct err *err)
{
	int fd = -1;
	int rc = bundle_make_dir(b, "system_files_added", &fd, err);

	if (rc)
		return rc;
	rc = evidence_write(added, fd);
	close(fd);
	return rc ? err_set(err, rc, "%s: the system files cannot be written", b->out_path) : 0;
}

/* "x/iotest_host_1.tar.gz" or "x/iotest_host_1/" -> "x" and "iotest_host_1" */
static void split_name(const char *path, char **where, char **stem)
{
	CLEANUP(xfree) char *copy = xstrdup(path);
	size_t len = strlen(copy);
	char *slash;

	while (len > 1 && copy[len - 1] == '/')
		copy[--len] = '\0';
	if (len > strlen(ARCHIVE) && !strcmp(copy + len - strlen(ARCHIVE), ARCHIVE))
		copy[len - strlen(ARCHIVE)] = '\0';
	slash = strrchr(copy, '/');
	*stem = xstrdup(slash ? slash + 1 : copy);
	if (slash)
		*slash = '\0';
	*where = xstrdup(!slash ? "." : *copy ? copy : "/");
}

/* What the first bundle does not tell, the second does not tell either. */
static int close_both(struct gathering *g, struct bundle *b, struct err *err)
{
	int rc = redaction_apply(g->redactor, g->args.test.redact, b, err);

	if (!rc)
		rc = bundle_seal(b, false, false, err);
	return rc ? rc : redaction_put_map(g->redactor, b, err);
}

static int write_both(struct gathering *g, const struct bundle_content *old,
		      const struct evidence *added, struct err *err)
{
	CLEANUP(bundle_done) struct bundle b = { .out_fd = -1, .dir_fd = -1 };
	CLEANUP(strlist_done) struct strlist abandoned = { 0 };
	CLEANUP(xfree) char *where = NULL;
	CLEANUP(xfree) char *stem = NULL;
	int rc;

	split_name(g->args.add, &where, &stem);
	if (g->args.test.out_dir)
		xstr_set(&where, g->args.test.out_dir);
	rc = bundle_open(&b, where, stem, &abandoned, err);
	if (rc)
		return rc;
	rc = put_old(&b, old, err);
	if (!rc)
		rc = put_added(&b, added, err);
	if (!rc)
		rc = close_both(g, &b, err);
	if (rc)
		return rc;
	printf("%zu files added\n", added->n_items);
	say_bundle(&b);
	return EXIT_STATUS_DONE;
}

/* A target that is not there any more, or under another name, is no reason to do nothing. */
static int look_again(struct gathering *g, const struct bundle_content *old, struct err *err)
{
	CLEANUP(strlist_done) struct strlist targets = { 0 };
	struct err ignored = { 0 };

	find_targets(old, &targets);
	if (look(g, &targets, &ignored) == 0)
		return 0;
	fprintf(stderr, "iotest: %s; the devices below are left out\n", ignored.sentence);
	sysroot_close(&g->root);
	strlist_done(&targets);
	return look(g, &targets, err);
}

static int add(struct gathering *g, struct err *err)
{
	CLEANUP(bundle_content_done) struct bundle_content old = { 0 };
	CLEANUP(evidence_done) struct evidence added = { 0 };
	int rc = bundle_read(g->args.add, &old, err);

	if (!rc)
		rc = look_again(g, &old, err);
	if (rc)
		return rc;
	g->args.test.redact = redaction_level_of(&old);
	g->redactor = redaction_begin(g->args.test.redact, &g->host);
	rc = check_host(&old, g->redactor, text_of(g->host.name), g->args.add, err);
	if (rc)
		return rc;
	say_unread(collect(&g->root, &g->host, COLLECT_BEFORE));
	choose_new(&old, &g->evidence, &added);
	return write_both(g, &old, &added, err);
}

static int evidence_main(int argc, char **argv, struct err *err)
{
	CLEANUP(gathering_done)
	struct gathering g = {
		.results = { .log_fd = -1, .samples_fd = -1 },
		.args.test = TEST_ARGS_NONE,
		.root = { .dirfd = -1 },
	};
	int rc = cli_parse(&cmd_evidence, argc, argv, &g.args, NULL, err);

	if (!rc)
		rc = identity_check_case(g.args.test.case_id, err);
	if (rc)
		return rc;
	g.args.test.evidence_only = true;
	if (g.args.add && g.args.test.targets.n_items > 0)
		return err_usage(err, "--add takes the directories from the bundle; give no -t");
	if (g.args.add)
		return add(&g, err);
	if (g.args.test.targets.n_items == 0) {
		err_usage(err, "no directory given");
		err_advise(err, "name the one in question: iotest evidence -t /saswork");
		return -EINVAL;
	}
	return gather(&g, err);
}

const struct command cmd_evidence = {
	.name = "evidence",
	.synopsis = "-t DIR | --add BUNDLE [options]",
	.summary = "collect the facts that support asks for, without any load",
	.details = "What is collected is listed in EVIDENCE.md. It is bounded in time and size, "
		   "and touches\nno file system but that of DIR.",
	.options = options,
	.n_options = ARRAY_LEN(options),
	.main = evidence_main,
};
