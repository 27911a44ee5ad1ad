/* SPDX-License-Identifier: Apache-2.0 */
/*
 * target_cli - command lines: a word a line, for the tables of all commands and for the words of
 * sasiotest
 *
 * Those that are accepted are planned for a host of 4 cores. Files that --data names are looked
 * for, and never opened.
 */
#include "cmd/sas_args.h"
#include "cmd/test_args.h"
#include "fuzz.h"
#include "iotest/commands.h"
#include "iotest/planner.h"
#include "iotest/render.h"
#include "sample_nouns.h"

#define WORDS_MAX 64

/* Splits text in place. */
static int split_words(char *text, char *name, char *argv[WORDS_MAX + 2])
{
	int argc = 0;

	argv[argc++] = name;
	while (argc <= WORDS_MAX && *text) {
		char *end = strchrnul(text, '\n');
		bool is_last = !*end;

		*end = '\0';
		argv[argc++] = text;
		text = end + !is_last;
	}
	argv[argc] = NULL;
	return argc;
}

/* What is refused has its sentence. */
static void check_refusal(int rc, const struct err *err)
{
	FUZZ_REQUIRE(rc < 0 && err->rc == rc && err->sentence[0]);
}

static void plan_it(const struct plan_wishes *wishes)
{
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(plan_done) struct plan plan = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };
	struct err err = { 0 };
	int rc;

	host_init(&host);
	sample_fill_host(&host);
	rc = plan_build(&host, 0, wishes, &plan, &err);
	if (rc) {
		check_refusal(rc, &err);
		return;
	}
	FUZZ_REQUIRE(plan.workers >= 1 && plan.bytes_per_worker >= 1 && plan.total_bytes >= 1);
	render_plan_text(&host, &plan, &page);
	FUZZ_REQUIRE(render_plans_json(&host, &plan, 1, &page, &err) == 0);
}

static void parse_test(const struct command *command, int argc, char **argv)
{
	CLEANUP(test_args_done) struct test_args args = TEST_ARGS_NONE;
	struct err err = { 0 };
	int rc = test_args_parse(command, argc, argv, &args, &err);

	if (rc)
		check_refusal(rc, &err);
	else
		plan_it(&args.wishes);
}

static void plan_file(const struct sas_args *args)
{
	CLEANUP(host_done) struct host host = { 0 };
	CLEANUP(plan_done) struct plan plan = { 0 };
	const struct file_wishes wishes = {
		.given = args->file,
		.name = "f",
		.writes = args->writes,
		.random = args->random,
		.bytes = args->file_bytes,
		.file_bytes = 3 * MIB,
		.page_bytes = args->page_bytes,
		.pages = args->n_pages,
		.instances = args->n_instances,
		.direct = args->unbuffered,
	};
	struct err err = { 0 };
	int rc;

	host_init(&host);
	sample_fill_host(&host);
	rc = plan_build_file(&host, &wishes, &plan, &err);
	if (rc) {
		check_refusal(rc, &err);
		return;
	}
	FUZZ_REQUIRE(plan.workers >= 1 && plan.bytes_per_worker >= 1 && plan.total_bytes >= 1);
	FUZZ_REQUIRE(plan.blocks_per_worker >= 1 && plan.io.block_bytes >= 512);
	FUZZ_REQUIRE(plan.io.pages_per_transfer >= 1 && plan.io.pages_per_transfer <= 1024);
}

static void parse_sas(int argc, char **argv)
{
	CLEANUP(sas_args_done) struct sas_args args = { 0 };
	struct err err = { 0 };
	int rc = sas_args_parse(argc, argv, &args, &err);

	if (rc)
		check_refusal(rc, &err);
	else
		plan_file(&args);
}

/* What the other tables fill lies in their files: the list of targets, if there is one, comes
 * first. */
struct other_args {
	struct strlist targets;
	int64_t rest[64];
};

static void parse_other(const struct command *command, int argc, char **argv)
{
	CLEANUP(xfree) struct other_args *args = xcalloc(1, sizeof(*args));
	CLEANUP(cli_words_done) struct cli_words words = { 0 };
	struct err err = { 0 };
	int rc = cli_parse(command, argc, argv, args, &words, &err);

	if (rc)
		check_refusal(rc, &err);
	if (command == &cmd_probe || command == &cmd_clean)
		strlist_done(&args->targets);
}

/* A word that is no command. */
static void refuse_word(const char *word)
{
	struct err err = { 0 };

	check_refusal(cmd_refuse_word(word, &err), &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct command *const others[] = { &cmd_probe,  &cmd_report, &cmd_clean,
							&cmd_verify, &cmd_ticket, &cmd_compare };
	CLEANUP(xfree) char *text = fuzz_text(data, size);
	char *argv[WORDS_MAX + 2];
	char name[] = "iotest";
	int argc = split_words(text, name, argv);

	cli_wants_help(argc, argv);
	parse_test(&cmd_run, argc, argv);
	parse_test(&cmd_plan, argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		parse_other(others[i], argc, argv);
	parse_sas(argc, argv);
	if (argc > 1)
		refuse_word(argv[1]);
	return 0;
}
