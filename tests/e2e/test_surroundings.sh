#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The same run in odd surroundings: environment, language, umask, limits, mount options, pipes.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# run [COMMAND...]: a small run, begun by that command, which ends well and leaves a bundle
run()
{
	rm -rf o
	mkdir -p d o
	status=0
	"$@" "$IOTEST" -q -t d -o o --size 1M --workers 2 --format json >out 2>err </dev/null || status=$?
	expect_status 0
	expect_json out '.phases.write.bytes == 2097152 and .phases.read.bytes == 2097152'
	bundle_in o
	expect_empty d
}

an_empty_environment_is_enough()
{
	# A sanitizer is told by the environment where to complain.
	run env -i "ASAN_OPTIONS=${ASAN_OPTIONS:-}" "UBSAN_OPTIONS=${UBSAN_OPTIONS:-}"
	run env -u HOME
	run env HOME=/nonexistent TMPDIR=/nonexistent XDG_STATE_HOME=/nonexistent TERM=nonsense
}

the_language_changes_no_figure()
{
	local language

	for language in C POSIX C.UTF-8 de_DE.UTF-8 xx_YY.nonsense; do
		run env "LANG=$language" "LC_ALL=$language"
		"$IOTEST" report "$bundle" >page || [ $? -eq 3 ] || fail "$language: no report"
		expect_no_text page '[0-9],[0-9]{1,2} MiB'
	done
}

# Whoever can read the results can read the names of hosts and disks.
files_are_private_whatever_the_umask()
{
	local mask found

	for mask in 000 022 077; do
		rm -rf o
		mkdir -p d o
		(umask "$mask" && "$IOTEST" -q -t d -o o --size 1M --keep-dir >out 2>err </dev/null) ||
			fail "umask $mask"
		found=$(find o -mindepth 1 -type f ! -perm 600 -o -mindepth 1 -type d ! -perm 700)
		[ -z "$found" ] || fail "umask $mask: $found"
	done
}

a_file_system_without_programs_is_measured()
{
	mk_loop_fs ext4 64 d
	mount -o remount,noexec,nosuid,nodev d || fail "remount"
	run
}

# The soft limit is raised as far as the hard one allows.
few_open_files_are_raised()
{
	mkdir d o
	(ulimit -Sn 24 && iotest -q -t d -o o --size 1M --workers 40 --format json && echo "$status" >status)
	expect_equal "$(cat status)" 0
	expect_json out '.plan.workers == 40 and .phases.read.status == "complete"'
	expect_empty d
}

# Nobody reads the report; the bundle is there all the same.
a_pipe_that_is_closed_costs_no_bundle()
{
	mkdir d o
	"$IOTEST" -q -t d -o o --size 1M 2>err </dev/null | true
	bundle_in o
	"$IOTEST" report "$bundle" --format json >kept
	expect_json kept '.phases.read.status == "complete"'
	expect_empty d
}

# It goes on when somebody reads, however late.
a_pipe_that_is_full_is_waited_for()
{
	local pid

	mkdir d o
	mkfifo pipe
	exec 9<>pipe
	head -c 65536 /dev/zero >&9
	"$IOTEST" -q -t d -o o --size 1M >&9 2>err </dev/null 9>&- &
	pid=$!
	wait_for compgen -G 'o/iotest_*.tar.gz' >/dev/null
	expect_empty d
	{ cat <pipe | tr -d '\0' >out; } 9>&- &
	exec 9>&-
	wait "$pid" || fail "exit status $?"
	wait
	expect_text out '^VERDICT'
}

# Neither a shell nor another program: the C library's ways to start one are not even imported.
no_other_program_is_started()
{
	if is_sanitized; then
		echo "     a sanitizer brings such calls of its own: not looked at"
		return 0
	fi
	command -v nm >/dev/null || skip "no nm"
	nm -D --undefined-only "$IOTEST" >imported || fail "nm"
	expect_no_text imported ' (exec[a-z]*|fexecve|system|popen|posix_spawnp?)(@|$)'
	expect_text imported ' fork'
}

run_tests an_empty_environment_is_enough the_language_changes_no_figure \
	files_are_private_whatever_the_umask a_file_system_without_programs_is_measured \
	few_open_files_are_raised a_pipe_that_is_closed_costs_no_bundle \
	a_pipe_that_is_full_is_waited_for no_other_program_is_started
