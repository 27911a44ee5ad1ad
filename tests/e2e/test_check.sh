#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The health check: its line, its four states, what it leaves, and what it makes of slow storage.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

readonly HISTORY=(--history-file history.db)

# A disk of its own, whose rate is known because it is throttled: 16 MiB/s, of one worker.
slow_disk()
{
	mk_loop_fs ext4 400 d
	throttle_fs d write $((16 * MIB))
}

# check ARGUMENT...: what takes 0.6 s on that disk
check()
{
	iotest check -t d -o o "${HISTORY[@]}" --workers 1 --cores 1 --size 10M --phases write "$@"
}

# expect_line PATTERN: one line on standard output, nothing on standard error
expect_line()
{
	[ ! -s err ] || fail "on standard error: $(cat err)"
	expect_equal "$(wc -l <out)" 1 "lines"
	expect_text out "$1"
}

ask()
{
	sqlite3 history.db "$1"
}

# CHECKS=30 is a month of them.
checks_of_cron_leave_ten_bundles_one_history_and_no_mail()
{
	local i n=${CHECKS:-12}

	slow_disk
	mkdir o
	touch o/iotest_other_check_20200101-000000.tar.gz "o/iotest_$(uname -n)_check_20200101-000000.tar.gz"
	for ((i = 0; i < n; i++)); do
		env -i HOME=/root LOGNAME=root PATH=/usr/bin:/bin SHELL=/bin/sh \
			sh -c "'$IOTEST' check -q -t d -o o --history-file history.db --workers 1 --cores 1 --size 10M \
			--phases write --require 4 --baseline-min 97" >>mail 2>&1 </dev/null ||
			fail "check $i: status $?, $(cat mail)"
	done
	[ ! -s mail ] || fail "mail: $(cat mail)"
	# The files of others stay, also those that are only named like ours.
	expect_equal "$(find o -name '*.tar.gz' -size +0 | wc -l)" 10 "bundles"
	expect_equal "$(find o -name '*.map' | wc -l)" 10 "maps of bundles"
	expect_equal "$(find o -type f -size 0 | wc -l)" 2 "files of others"
	expect_equal "$(ask 'SELECT count(*) FROM runs WHERE exit_status = 0')" "$n" "rows"
	expect_equal "$(ask 'SELECT count(DISTINCT plan || method) FROM runs')" 1 "plans"
	expect_equal "$(ls history.db*)" history.db
	expect_empty d
	iotest status -t d "${HISTORY[@]}"
	expect_status 0
	expect_line "^IOTEST OK - $T/d: fast enough"
	iotest status -q -t d "${HISTORY[@]}"
	expect_status 0
	[ ! -s out ] || fail "-q said something"
}

# Three years of runs in one history: at 100 MiB/s, and the last ones as slow as the disk is now,
# since a day before, with the scheduler of then.
invent_history()
{
	local now_s

	now_s=$(date +%s)
	ask "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 33)
		INSERT INTO runs (id, started_at_ns, command, host, target, method, plan, verdict,
			write_mib_per_s, settings)
		SELECT 'invented' || n, ($now_s - (40 - n) * 43200) * 1000000000, 'check', host, target,
			method, plan, 'pass', CASE WHEN n < 30 THEN 100 + n % 3 ELSE write_mib_per_s END,
			CASE WHEN n < 30 THEN replace(settings, 'target.fs_type=ext4',
				'target.fs_type=' || 'ext3') ELSE settings END
		FROM i, (SELECT * FROM runs ORDER BY started_at_ns LIMIT 1)"
}

slow_storage_is_critical_and_then_a_regression_that_names_what_changed()
{
	slow_disk
	mkdir o
	check
	expect_status 2
	expect_line "^IOTEST CRITICAL - $T/d: slower than the requirement: write 1[0-9]\.[0-9] MiB/s per core, below"
	expect_line '\| write_mib_per_s_per_core=1[0-9]\.[0-9];100:;100:;0$'
	check --warn 100 --crit 4:
	expect_status 1
	expect_line '^IOTEST WARNING - .*;100:;4:;0$'
	check --warn 20
	expect_status 1
	expect_line ';20:;;0$'

	# Still learning, then slower than what was usual.
	check --require 4
	expect_status 0
	expect_line 'learning, 4 of 23 runs'
	invent_history
	check --require 4 --textfile "$T/metrics.prom"
	expect_status 1
	expect_line 'IOTEST WARNING - .*: fast enough .*; regression of write: 1[0-9]\.[0-9] MiB/s per core in the last 3 runs, 101\.0 '
	expect_line 'changed on the host: target.fs_type ext3 -> ext4 \|'
	expect_text metrics.prom '^iotest_check_regression\{target="[^"]*"\} 2$'
	cp out line
	iotest status -t d "${HISTORY[@]}"
	expect_status 1
	expect_same line out
}

storage_that_hangs_is_critical()
{
	mk_loop_fs ext4 400 d
	freeze d
	iotest check -q -t d --no-bundle "${HISTORY[@]}"
	thaw d
	expect_status 2
	iotest status -t d "${HISTORY[@]}"
	expect_status 2
	expect_line "^IOTEST CRITICAL - $T/d: the storage hung"
}

the_metrics_are_what_promtool_accepts()
{
	mkdir d
	command -v promtool >/dev/null || skip "no promtool here"
	iotest check -t d --no-bundle --no-history --workers 1 --size 1M --format prometheus
	promtool check metrics <out || fail "promtool refuses the metrics"
	expect_text out '^# TYPE iotest_check_state gauge$'
	iotest check -t d --no-bundle --no-history --workers 1 --size 1M --textfile t.prom
	expect_equal "$(stat -c %a t.prom)" 644
	expect_equal "$(find . -maxdepth 1 -name 't.prom*')" ./t.prom
	expect_line '^IOTEST '
}

# expect_unknown PATTERN ARGUMENT...
expect_unknown()
{
	local pattern=$1
	shift

	iotest "$@"
	expect_status 3 "$*"
	expect_line "^IOTEST UNKNOWN - .*$pattern"
}

what_cannot_be_told_is_unknown()
{
	mkdir d
	expect_unknown 'no target given; name' check "${HISTORY[@]}"
	expect_unknown 'one target' check -t d -t d
	expect_unknown 'no such option' check -t d --quick
	expect_unknown "'fast' is not a rate" check -t d --warn fast
	expect_unknown 'the lower of the two' check -t d --warn 10 --crit 20
	expect_unknown 'no more than 97 runs' check -t d --baseline-min 98
	expect_unknown 'above that' check -t d --prove 50 --warn 60
	expect_unknown 'e/f: does not exist' check -t e/f "${HISTORY[@]}" -q
	expect_unknown 'e/f: does not exist' status -t e/f "${HISTORY[@]}"
	expect_unknown 'too short' check -t d --no-bundle --size 1M "${HISTORY[@]}"
	expect_unknown 'never checked' status -t / "${HISTORY[@]}"
	expect_unknown 'cannot open the history' status -t d --history-file "$T/none/h.db"
	ask "UPDATE runs SET started_at_ns = started_at_ns - 3600 * 1000000000"
	iotest status -t d "${HISTORY[@]}"
	expect_status 3
	expect_text out 'too short'
	expect_unknown 'last check was (1 h|60).* ago; it said: IOTEST UNKNOWN' \
		status -t d --max-age 59m "${HISTORY[@]}"
	for command in check status; do
		for page in --help --version; do
			iotest "$command" "$page"
			expect_status 3 "$command $page"
			[ -s out ] || fail "$command $page said nothing"
		done
	done
}

a_history_that_is_no_history_is_a_warning()
{
	mkdir d h
	iotest -q -t d --no-bundle --size 1M --history-file h
	expect_status 0
	expect_text err '^iotest: history: .*h: '
	echo rubbish rubbish rubbish >rubbish.db
	iotest -q -t d --no-bundle --size 1M --history-file rubbish.db
	expect_status 0
	expect_text err 'rubbish.db was damaged and begun anew'
	expect_equal "$(sqlite3 rubbish.db 'SELECT command FROM runs')" run
	iotest -q -t d --no-bundle --size 1M --history-file none.db --no-history
	expect_status 0
	[ ! -e none.db ] || fail "--no-history made one"
}

run_tests \
	checks_of_cron_leave_ten_bundles_one_history_and_no_mail \
	slow_storage_is_critical_and_then_a_regression_that_names_what_changed \
	storage_that_hangs_is_critical \
	the_metrics_are_what_promtool_accepts \
	what_cannot_be_told_is_unknown \
	a_history_that_is_no_history_is_a_warning
