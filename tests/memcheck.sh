#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# memcheck - the unit tests under valgrind: memory that was never written, leaks, wrong accesses
#
#	tests/memcheck.sh DIRECTORY [NAME...]     DIRECTORY: where the test programs were built
#
# What ASan cannot see is the use of memory that was never written. The tests run in one process
# each (CK_FORK=no), so that all that a test leaves behind is its program's.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
: "${FIXTURES:=$here/fixtures}"
export FIXTURES CK_FORK=no CK_EXCLUDE_TAGS=slow CK_VERBOSITY=minimal

# Left out, and why.
readonly LEFT_OUT='
	test_base_child          sends signals to itself, and forks
	test_base_child_closer   forks, and waits for what its children do
	test_history_regression  slow: a simulation
	test_history_store       forks writers, and kills them
	test_bundle_read         slow: archives with each of their bits changed
	test_history_regression  slow: a simulation of many thousand runs
	test_probe_core_list     slow: a shell makes a tree for each test
	test_probe_cores         slow, likewise
	test_render_json         slow: whole reports, thousands of times; the fuzzers read them, too
	test_run_content         forks workers
	test_run_execute         forks workers, and kills them
	test_run_file            forks workers
	test_run_modes           forks workers
	test_run_randomness      slow: statistics of millions of bytes
	test_run_order           slow, of millions of places in a file
	test_run_workspace       wants fewer descriptors than valgrind needs for itself'

is_left_out()
{
	grep -qE "^[[:space:]]+$1[[:space:]]" <<<"$LEFT_OUT"
}

# Without what is no test of ours any more, but lies in the directory still.
list_names()
{
	local file name

	for file in "$here"/unit/test_*.c; do
		name=$(basename "$file" .c)
		is_left_out "$name" || echo "$name"
	done
}

# check_one DIRECTORY NAME: silent if nothing was found
check_one()
{
	local log

	log=$(mktemp) || return 1
	if valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,indirect,possible \
		--show-leak-kinds=definite,indirect,possible --error-exitcode=99 \
		"$1/$2" >"$log" 2>&1 </dev/null; then
		rm -f "$log"
		return
	fi
	echo "FAIL $2"
	grep -v 'unhandled amd64-linux syscall\|^--' "$log" | head -n 60
	rm -f "$log"
	return 1
}

if [ $# -eq 0 ]; then
	sed -n '5,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
	exit 2
fi
command -v valgrind >/dev/null || {
	echo "no valgrind here"
	[ "${IOTEST_NO_SKIP:-}" = 1 ] && exit 1
	exit 77
}
directory=$1
shift
if [ $# -eq 1 ]; then
	check_one "$directory" "$1"
	exit
fi
[ $# -gt 0 ] || mapfile -t names < <(list_names)
[ $# -eq 0 ] || names=("$@")
printf '%s\n' "${names[@]}" | xargs -P "$(nproc)" -n 1 "$0" "$directory" || exit 1
echo "${#names[@]} programs, nothing found"
