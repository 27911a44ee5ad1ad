/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_render_monitor - the line of a plugin and the metrics, for whatever a path may hold
 */
#include "suite.h"

#include <string.h>

#include "iotest/buf.h"
#include "iotest/render.h"

#define UNKNOWN_RATES .write_mib_per_s = -1, .read_mib_per_s = -1
#define UNKNOWN_NUMBERS                                                                   \
	.warn_mib_per_s = -1, .crit_mib_per_s = -1, .ended_at_ns = -1, .duration_ns = -1, \
	.written_bytes = -1

static const struct {
	struct monitor monitor;
	const char *line;
} lines[] = {
	{ { .state = MONITOR_OK,
	    .target = "/saswork",
	    .text = "fast enough",
	    .write_mib_per_s = 623.24,
	    .read_mib_per_s = 1026,
	    .warn_mib_per_s = 100,
	    .crit_mib_per_s = 62.5 },
	  "IOTEST OK - /saswork: fast enough | write_mib_per_s_per_core=623.2;100:;62.5:;0 "
	  "read_mib_per_s_per_core=1026.0;100:;62.5:;0" },
	{ { .state = MONITOR_WARNING,
	    .text = "slow",
	    .write_mib_per_s = 3,
	    .read_mib_per_s = -1,
	    .warn_mib_per_s = 10,
	    .crit_mib_per_s = -1 },
	  "IOTEST WARNING - slow | write_mib_per_s_per_core=3.0;10:;;0" },
	{ { .state = MONITOR_CRITICAL, .target = "/a", .text = "hung", UNKNOWN_RATES },
	  "IOTEST CRITICAL - /a: hung" },
	{ { .state = 17, .target = "", .text = "", UNKNOWN_RATES }, "IOTEST UNKNOWN - " },
	/* Nothing ends the line or begins the data but this program. */
	{ { .state = MONITOR_UNKNOWN,
	    .target = "/a|b=1;2\nOK\033[2J",
	    .text = "x | y\r\n",
	    UNKNOWN_RATES },
	  "IOTEST UNKNOWN - /a/b=1;2\\012OK\\033[2J: x / y\\015\\012" },
};

START_TEST(the_line_has_a_state_a_sentence_and_data)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		CLEANUP(buf_done) struct buf line = { 0 };

		render_monitor_line(&lines[i].monitor, &line);
		ck_assert_str_eq(buf_text(&line), lines[i].line);
	}
}
END_TEST

static const struct monitor full = {
	.state = MONITOR_CRITICAL,
	.target = "/a \"b\"\\c",
	.text = "slow",
	.write_mib_per_s = 1,
	.read_mib_per_s = -1,
	.warn_mib_per_s = 2,
	.crit_mib_per_s = 0.5,
	.trend = 2,
	.ended_at_ns = 1700000000500000000,
	.duration_ns = 1500000000,
	.written_bytes = 4096,
};

START_TEST(metrics_are_in_base_units_and_their_labels_are_escaped)
{
	static const char *const wanted[] = {
		"# TYPE iotest_check_state gauge\n"
		"iotest_check_state{target=\"/a \\\"b\\\"\\\\c\"} 2\n",
		"iotest_check_regression{target=\"/a \\\"b\\\"\\\\c\"} 2\n",
		"iotest_check_timestamp_seconds{target=\"/a \\\"b\\\"\\\\c\"} 1700000000.5\n",
		"iotest_check_duration_seconds{target=\"/a \\\"b\\\"\\\\c\"} 1.5\n",
		"iotest_check_written_bytes{target=\"/a \\\"b\\\"\\\\c\"} 4096\n",
		"{target=\"/a \\\"b\\\"\\\\c\",phase=\"write\"} 1048576\n",
		"{target=\"/a \\\"b\\\"\\\\c\",level=\"warning\"} 2097152\n",
		"{target=\"/a \\\"b\\\"\\\\c\",level=\"critical\"} 524288\n",
	};
	CLEANUP(buf_done) struct buf text = { 0 };

	render_monitor_prometheus(&full, &text);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		ck_assert_msg(strstr(buf_text(&text), wanted[i]) != NULL, "%s in\n%s", wanted[i],
			      buf_text(&text));
	ck_assert_ptr_null(strstr(buf_text(&text), "phase=\"read\""));
}
END_TEST

START_TEST(what_is_not_known_is_no_metric)
{
	const struct monitor none = {
		.state = MONITOR_UNKNOWN, .target = "/a", .text = "", UNKNOWN_RATES, UNKNOWN_NUMBERS
	};
	CLEANUP(buf_done) struct buf text = { 0 };

	render_monitor_prometheus(&none, &text);
	ck_assert_ptr_nonnull(strstr(buf_text(&text), "iotest_check_state{target=\"/a\"} 3\n"));
	ck_assert_ptr_null(strstr(buf_text(&text), "bytes"));
	ck_assert_ptr_null(strstr(buf_text(&text), "seconds"));
	ck_assert_ptr_null(strstr(buf_text(&text), "-1"));
}
END_TEST

SUITE_MAIN("monitor", the_line_has_a_state_a_sentence_and_data,
	   metrics_are_in_base_units_and_their_labels_are_escaped, what_is_not_known_is_no_metric)
