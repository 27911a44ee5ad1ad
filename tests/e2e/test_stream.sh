#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# -o -: the archive on standard output, as out of a pod.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

the_archive_goes_to_standard_output_and_the_report_to_standard_error()
{
	mkdir d tmp
	export TMPDIR=$T/tmp
	"$IOTEST" -t d --size 1M -o - 2>said.err </dev/null | cat >b.tar.gz
	expect_equal "${PIPESTATUS[0]}" 0 "exit status"
	iotest verify b.tar.gz
	expect_status 0
	tar -xzOf b.tar.gz --wildcards '*/report.txt' >report.txt || fail "tar"
	expect_text report.txt '^BUNDLE +iotest_[^ ]*\.tar\.gz$'
	# The same page, between the plan and nothing else.
	grep -qF "$(sed -n 3p report.txt)" said.err || fail "no report on standard error"
	mkdir again
	"$IOTEST" -q -t d --size 1M -o - 2>said.err >b.tar.gz </dev/null || fail "$?"
	grep -v '^iotest: ' said.err >page
	tar -xzOf b.tar.gz --wildcards '*/report.txt' >report.txt
	expect_same report.txt page
	expect_empty tmp
	expect_empty d
}

quiet_json_and_several_targets_work_as_well()
{
	mkdir d e
	"$IOTEST" -q -t d -t e --size 1M -o - --format json 2>said.err >b.tar.gz </dev/null || fail "$?"
	iotest report b.tar.gz
	expect_status 0
	grep -v '^iotest: ' said.err | jq -e '.targets | length == 2' >/dev/null || fail "no JSON"
}

the_digest_is_that_of_what_arrived()
{
	mkdir d
	"$IOTEST" -t d --size 1M -o - 2>said.err >b.tar.gz </dev/null || fail "$?"
	expect_text said.err "on standard output, [0-9]+ KiB, sha256 $(sha256sum b.tar.gz | cut -d' ' -f1)"
}

a_reader_that_goes_away_loses_nothing()
{
	mkdir d tmp
	export TMPDIR=$T/tmp
	"$IOTEST" -t d --size 1M -o - 2>said.err </dev/null >/dev/full
	expect_equal "$?" 4 "exit status"
	expect_text said.err 'cannot be written to standard output: No space left'
	expect_text said.err 'the results stay in '
	[ -f "$(echo tmp/*.partial/report.html)" ] || fail "no results"
	expect_empty d
}

it_contradicts_what_leaves_no_archive()
{
	mkdir d
	iotest -t d --size 1M -o - --no-bundle
	expect_status 2
	iotest -t d --size 1M -o - --keep-dir
	expect_status 2
	expect_empty d
}

a_terminal_is_spared()
{
	mkdir d
	script -qec "'$IOTEST' -t d --size 1M -o -" typescript </dev/null >said
	expect_equal "$?" 2 "exit status"
	expect_text said 'standard output is a terminal'
	expect_empty d
}

run_tests the_archive_goes_to_standard_output_and_the_report_to_standard_error \
	quiet_json_and_several_targets_work_as_well the_digest_is_that_of_what_arrived \
	a_reader_that_goes_away_loses_nothing it_contradicts_what_leaves_no_archive a_terminal_is_spared
