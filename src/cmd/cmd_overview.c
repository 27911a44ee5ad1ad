/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overview - what iotest --help and iotest --version print
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iotest/bundle.h"
#include "iotest/commands.h"
#include "iotest/history.h"
#include "iotest/planner.h"
#include "iotest/probe.h"
#include "iotest/render.h"
#include "iotest/wrap.h"
#include "iotest/xalloc.h"

void cmd_print_version(void)
{
	CLEANUP(buf_done) struct buf libraries = { 0 };

	probe_add_libraries(&libraries);
	buf_add_text(&libraries, ", ");
	bundle_add_libraries(&libraries);
	buf_add_text(&libraries, ", ");
	render_add_libraries(&libraries);
	buf_add_text(&libraries, ", ");
	history_add_libraries(&libraries);
	printf("iotest %s\n", IOTEST_VERSION);
	printf("build:     %s\n", IOTEST_BUILD_TYPE);
	printf("compiler:  %s\n", IOTEST_COMPILER);
	printf("libraries: %s\n", buf_text(&libraries));
}

static void print_requirements(void)
{
	size_t n;
	const struct requirement *r = requirements(&n);

	printf("\nRequirements for --require and --prove, MiB/s per physical core:\n");
	for (size_t i = 0; i < n; i++) {
		printf("  %-21s %4.0f  %s", r[i].name, r[i].mib_per_s, r[i].source);
		if (r[i].year)
			printf(", %d", r[i].year);
		putchar('\n');
	}
}

void cmd_print_overview(void)
{
	size_t n;
	const struct command *const *commands = commands_all(&n);

	printf("usage: iotest [run] -t DIR [options]\n");
	for (size_t i = 1; i < n; i++)
		printf("       iotest %s%s%s\n", commands[i]->name,
		       *commands[i]->synopsis ? " " : "", commands[i]->synopsis);
	printf("       iotest --help | --version\n");
	printf("\nTells whether a file system is fast enough for SAS and similar work: one\n"
	       "sequential stream per physical core, through the page cache.\n\n");
	for (size_t i = 0; i < n; i++)
		printf("  %-10s %s\n", commands[i]->name, commands[i]->summary);
	printf("\n\"iotest COMMAND --help\" lists the options of a command. Sizes are binary\n"
	       "everywhere, as in the SAS tools: 1K is 1024 bytes.\n");
	print_requirements();
	printf("\nExit status: 0 done, 1 failed, 2 usage, 3 below the rate of --require\n"
	       "or --prove, 4 measured but not to be used, 5 another run is going on.\n");
}

/* In a file, and for other programs, a message stays one line. */
static void add_message(struct buf *lines, const char *text)
{
	CLEANUP(buf_done) struct buf visible = { 0 };

	buf_add_visible(&visible, text);
	buf_add_text(lines, "iotest: ");
	if (isatty(STDERR_FILENO))
		wrap_add(lines, strlen("iotest: "), strlen("iotest: "), buf_text(&visible),
			 visible.len);
	else
		buf_printf(lines, "%s\n", buf_text(&visible));
}

void cmd_print_note(const char *text)
{
	CLEANUP(buf_done) struct buf lines = { 0 };

	add_message(&lines, text);
	fputs(buf_text(&lines), stderr);
}

void cmd_print_error(const struct err *err)
{
	CLEANUP(buf_done) struct buf lines = { 0 };

	add_message(&lines, err->sentence);
	if (err->advice[0])
		add_message(&lines, err->advice);
	fputs(buf_text(&lines), stderr);
}

int cmd_refuse_word(const char *word, struct err *err)
{
	size_t n;
	const struct command *const *commands = commands_all(&n);
	CLEANUP(xfree) const char **names = xcalloc(n, sizeof(*names));
	const char *nearest;

	for (size_t i = 0; i < n; i++)
		names[i] = commands[i]->name;
	nearest = cli_nearest(word, names, n);
	err_usage(err, "'%s' is not a command", word);
	if (!strcmp(word, "help") || !strcmp(word, "version"))
		err_advise(err, "did you mean --%s?", word);
	else if (nearest)
		err_advise(err, "did you mean '%s'?", nearest);
	else if (strchr(word, '/') || !access(word, F_OK))
		err_advise(err, "to test a directory: iotest -t %s", word);
	else
		err_advise(err, "iotest --help lists the commands");
	return -EINVAL;
}
