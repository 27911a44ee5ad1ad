/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_args - the options that run and plan have in common
 */
#ifndef IOTEST_CMD_TEST_ARGS_H
#define IOTEST_CMD_TEST_ARGS_H

#include <stdbool.h>

#include "iotest/cli.h"
#include "iotest/host.h"
#include "iotest/plan.h"
#include "iotest/redact.h"
#include "iotest/render.h"

struct test_args {
	struct strlist targets;
	struct plan_wishes wishes;
	int64_t instances; /* -i */
	int64_t block_kib; /* -s */
	char *data_path;   /* of --data FILE, absolute; owned */
	int format;
	const char *sysroot;
	const char *out_dir;
	const char *case_id;
	const char *start_at;
	bool dry_run;
	bool yes;
	bool quiet;
	bool keep_dir;
	bool no_bundle;
	const char *sas_config;
	int redact;	    /* enum redact_level */
	bool evidence_only; /* iotest evidence: nothing is measured */
	bool no_history;
	const char *history_file;
};
#define TEST_ARGS_NONE                                                       \
	{                                                                    \
		.wishes = PLAN_WISHES_NONE, .instances = -1, .block_kib = -1 \
	}

#define TEST_ARG(m) offsetof(struct test_args, m)
#define OPTION_TARGET_OF(text)                                                                  \
	{                                                                                       \
		.letter = 't', .name = "target", .type = CLI_LIST, .offset = TEST_ARG(targets), \
		.value = "DIR", .help = (text)                                                  \
	}
#define OPTION_TARGET                                                                          \
	OPTION_TARGET_OF("directory to test; given more than once, one is measured after the " \
			 "other")
#define OPTION_FORMAT(S)                                                                    \
	{                                                                                   \
		.name = "format", .type = CLI_CHOICE, .offset = offsetof(struct S, format), \
		.value = "FORMAT", .choices = format_choices,                               \
		.help = "of the output; default: text"                                      \
	}
#define OPTION_SYSROOT(S)                                                                       \
	{                                                                                       \
		.name = "sysroot", .type = CLI_TEXT, .offset = offsetof(struct S, sysroot),     \
		.value = "DIR",                                                                 \
		.help = "replay a recorded tree, such as system_files of a bundle, instead of " \
			"this host"                                                             \
	}

/* The rows that change the plan. */
#define OPTIONS_OF_THE_PLAN                                                                     \
	{ .name = "size",                                                                       \
	  .type = CLI_SIZE,                                                                     \
	  .offset = TEST_ARG(wishes.bytes_per_worker),                                          \
	  .value = "N",                                                                         \
	  .help = "bytes per worker; default: the memory, or a limit on it that is lower" },    \
		{ .name = "workers",                                                            \
		  .type = CLI_COUNT,                                                            \
		  .offset = TEST_ARG(wishes.workers),                                           \
		  .value = "N",                                                                 \
		  .help = "writers, later readers; default: one per physical core" },           \
		{ .name = "cores",                                                              \
		  .type = CLI_COUNT,                                                            \
		  .offset = TEST_ARG(wishes.cores),                                             \
		  .value = "N",                                                                 \
		  .help = "physical cores to divide the rates by; default: those found" },      \
		{ .name = "block-size",                                                         \
		  .type = CLI_SIZE,                                                             \
		  .offset = TEST_ARG(wishes.block_bytes),                                       \
		  .value = "N",                                                                 \
		  .help = "bytes of one call; default: 64K" },                                  \
		{ .letter = 'i',                                                                \
		  .type = CLI_COUNT,                                                            \
		  .offset = TEST_ARG(instances),                                                \
		  .value = "N",                                                                 \
		  .help = "the same as --workers, as in the SAS script iotest.sh" },            \
		{ .letter = 's',                                                                \
		  .type = CLI_COUNT,                                                            \
		  .offset = TEST_ARG(block_kib),                                                \
		  .value = "KIB",                                                               \
		  .size_hint = "size",                                                          \
		  .help = "the same as --block-size in KiB, as in iotest.sh" },                 \
		{ .letter = 'b',                                                                \
		  .type = CLI_COUNT,                                                            \
		  .offset = TEST_ARG(wishes.blocks_per_worker),                                 \
		  .value = "BLOCKS",                                                            \
		  .help = "blocks per worker in place of --size, as in iotest.sh" },            \
		{ .name = "time-limit",                                                         \
		  .type = CLI_DURATION,                                                         \
		  .offset = TEST_ARG(wishes.time_limit_ns),                                     \
		  .value = "TIME",                                                              \
		  .help = "end each run in an orderly way after this time, with what was "      \
			  "measured: 90s, 10m, 1h30m; writing gets half of it" },               \
	{                                                                                       \
		.name = "require", .type = CLI_TEXT, .offset = TEST_ARG(wishes.require),        \
		.value = "NAME|N",                                                              \
		.help = "hold the result against a published requirement or N MiB/s per core, " \
			"and let the exit status say it; iotest --help has the names; "         \
			"default: 100, and the exit status stays 0"                             \
	}

/* How it is measured: these change the plan, too. */
#define OPTIONS_OF_THE_MODE                                                                    \
	{ .name = "quick",                                                                     \
	  .type = CLI_FLAG,                                                                    \
	  .offset = TEST_ARG(wishes.quick),                                                    \
	  .help = "an answer within a minute (or --time-limit), with at most 5 % of the "      \
		  "free space and 64 GiB" },                                                   \
		{ .name = "prove",                                                             \
		  .type = CLI_TEXT,                                                            \
		  .offset = TEST_ARG(wishes.prove),                                            \
		  .value = "NAME|N",                                                           \
		  .help = "only show that a requirement, as for --require, is met: the "       \
			  "workers are no faster than that (the pace), within the time "       \
			  "and space of --quick" },                                            \
		{ .name = "repeat",                                                            \
		  .type = CLI_COUNT,                                                           \
		  .offset = TEST_ARG(wishes.repeat),                                           \
		  .value = "N",                                                                \
		  .help = "so many runs, one after the other; the median is judged" },         \
		{ .name = "phases",                                                            \
		  .type = CLI_TEXT,                                                            \
		  .offset = TEST_ARG(wishes.phases),                                           \
		  .value = "LIST",                                                             \
		  .help = "what is measured: write, read, or write,read (the default)" },      \
		{ .name = "mixed",                                                             \
		  .type = CLI_COUNT,                                                           \
		  .offset = TEST_ARG(wishes.mixed_read_percent),                               \
		  .value = "PCT",                                                              \
		  .help = "read and write at the same time, on different files; PCT % of "     \
			  "the bytes are reads" },                                             \
		{ .name = "together",                                                          \
		  .type = CLI_FLAG,                                                            \
		  .offset = TEST_ARG(wishes.together),                                         \
		  .help = "measure all targets at the same time" },                            \
		{ .name = "direct",                                                            \
		  .type = CLI_FLAG,                                                            \
		  .offset = TEST_ARG(wishes.direct),                                           \
		  .help = "past the page cache, with O_DIRECT" },                              \
		{ .name = "pin",                                                               \
		  .type = CLI_FLAG,                                                            \
		  .offset = TEST_ARG(wishes.pin),                                              \
		  .help = "bind each worker to one physical core" },                           \
		{ .name = "control",                                                           \
		  .type = CLI_FLAG,                                                            \
		  .offset = TEST_ARG(wishes.control),                                          \
		  .help = "after each phase 20 s of large O_DIRECT transfers, which tell "     \
			  "whether the page cache is the limit; default: only after a "        \
			  "phase below the requirement" },                                     \
		{ .name = "data",                                                              \
		  .type = CLI_TEXT,                                                            \
		  .offset = TEST_ARG(wishes.data),                                             \
		  .value = "DATA",                                                             \
		  .help = "what is written: unique (the default), zeros, "                     \
			  "compressible=PCT, or the content of a file, repeated" },            \
		{ .name = "max-dirty",                                                         \
		  .type = CLI_SIZE,                                                            \
		  .offset = TEST_ARG(wishes.max_dirty_bytes),                                  \
		  .value = "N",                                                                \
		  .help = "all writers together have at most so many bytes in memory that "    \
			  "wait to be written" },                                              \
		{ .name = "gentle",                                                            \
		  .type = CLI_FLAG,                                                            \
		  .offset = TEST_ARG(wishes.gentle),                                           \
		  .help = "lowest priority; every 10 s all pause, and wait for others that "   \
			  "the storage holds up" },                                            \
		{ .name = "keep-free",                                                         \
		  .type = CLI_SIZE,                                                            \
		  .offset = TEST_ARG(wishes.keep_free_bytes),                                  \
		  .value = "N",                                                                \
		  .help = "stop when others leave fewer bytes free than that; default: half "  \
			  "of the reserve, which is 10 % of the file system" },                \
		{ .name = "max-rate",                                                          \
		  .type = CLI_COUNT,                                                           \
		  .offset = TEST_ARG(wishes.max_rate_mib_per_s),                               \
		  .value = "N",                                                                \
		  .help = "all workers together move at most N MiB/s" },                       \
	{                                                                                      \
		.name = "integrity", .type = CLI_CHOICE, .offset = TEST_ARG(wishes.integrity), \
		.value = "HOW", .choices = integrity_choices,                                  \
		.help = "what the readers compare: a stamp in every 4 KiB, or every byte"      \
	}

/* Where the bundle goes, and what it may tell. */
#define OPTIONS_OF_THE_OUTPUT(listed)                                                            \
	{ .letter = 'o',                                                                         \
	  .name = "output",                                                                      \
	  .type = CLI_TEXT,                                                                      \
	  .offset = TEST_ARG(out_dir),                                                           \
	  .value = "DIR",                                                                        \
	  .help = listed("where the bundle goes; default: the current directory; - is standard " \
			 "output, and the report goes to standard error") },                     \
		{ .name = "case",                                                                \
		  .type = CLI_TEXT,                                                              \
		  .offset = TEST_ARG(case_id),                                                   \
		  .value = "ID",                                                                 \
		  .help = listed("ticket number, for the report and the name of the bundle") },  \
		{ .name = "sas-config",                                                          \
		  .type = CLI_TEXT,                                                              \
		  .offset = TEST_ARG(sas_config),                                                \
		  .value = "FILE",                                                               \
		  .help = listed("configuration of SAS, to say what WORK and UTILLOC share; "    \
				 "default: sasv9.cfg in the usual places") },                    \
		{ .name = "redact",                                                              \
		  .type = CLI_CHOICE,                                                            \
		  .offset = TEST_ARG(redact),                                                    \
		  .value = "LEVEL",                                                              \
		  .choices = redact_choices,                                                     \
		  .help = listed("what the bundle does not tell: support (the default) takes "   \
				 "out serial numbers, MAC addresses, user names and "            \
				 "secrets, public also host names, addresses, servers, "         \
				 "WWNs and UUIDs, none nothing") },                              \
	{                                                                                        \
		.name = "keep-dir", .type = CLI_FLAG, .offset = TEST_ARG(keep_dir),              \
		.help = listed("leave the folder that the bundle is made of")                    \
	}

#define OPTION_HISTORY_FILE(S)                                                   \
	{                                                                        \
		.name = "history-file", .type = CLI_TEXT,                        \
		.offset = offsetof(struct S, history_file), .value = "FILE",     \
		.help = "the history; default: that of this user, see iotest(1)" \
	}

/* Where a run is remembered. */
#define OPTIONS_OF_THE_HISTORY                            \
	{ .name = "no-history",                           \
	  .type = CLI_FLAG,                               \
	  .offset = TEST_ARG(no_history),                 \
	  .help = "do not add this run to the history" }, \
		OPTION_HISTORY_FILE(test_args)

/* The rows of a run that do not change its plan. listed(TEXT) is TEXT for --help, or NULL. */
#define OPTIONS_OF_THE_RUN(listed)                                                                 \
	{ .name = "yes",                                                                           \
	  .type = CLI_FLAG,                                                                        \
	  .offset = TEST_ARG(yes),                                                                 \
	  .help = listed("agree to a run that is long or fills the file system to its reserve") }, \
		OPTIONS_OF_THE_OUTPUT(listed),                                                     \
		{ .name = "start-at",                                                              \
		  .type = CLI_TEXT,                                                                \
		  .offset = TEST_ARG(start_at),                                                    \
		  .value = "HH:MM:SS",                                                             \
		  .help = listed("wait until this local time, so that several hosts begin "        \
				 "together") },                                                    \
		{ .letter = 'q',                                                                   \
		  .name = "quiet",                                                                 \
		  .type = CLI_FLAG,                                                                \
		  .offset = TEST_ARG(quiet),                                                       \
		  .help = listed("no plan and no progress on standard error") },                   \
	{                                                                                          \
		.name = "no-bundle", .type = CLI_FLAG, .offset = TEST_ARG(no_bundle),              \
		.help = listed("write no archive")                                                 \
	}
#define LISTED(text) text
#define NOT_LISTED(text) NULL

extern const char test_args_details[];
extern const char *const redact_choices[REDACT_COUNT + 1];
extern const char *const integrity_choices[INTEGRITY_COUNT + 1];

/* Parses, checks what contradicts, and settles the twin options. Release with test_args_done. */
MUST_CHECK int test_args_parse(const struct command *command, int argc, char **argv,
			       struct test_args *args, struct err *err);
void test_args_done(struct test_args *args);

/* One plan per target, in a zeroed array of host->n_targets; release with test_plans_done. */
struct test_plans {
	struct plan *items;
	size_t n_items;
};
MUST_CHECK int test_plans_build(const struct host *host, const struct test_args *args,
				struct test_plans *out, struct err *err);
void test_plans_done(struct test_plans *plans);

/* The live host for NULL, else a recorded tree, or the folder of a bundle that holds one. */
MUST_CHECK int test_args_open_sysroot(const char *path, struct sysroot *out, struct err *err);

/* Prints the plan page of every target on stdout, in the wanted format. */
MUST_CHECK int test_args_show_plan(const struct test_args *args, struct err *err);

#endif
