#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the loop of a worker costs without the making of data: user-space instructions, which are
# the same on every day. The promise is less than 1000 of them for a block of 64 KiB.
# shellcheck disable=SC2016 # $n is jq's
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

readonly SMALL_MIB=16 LARGE_MIB=48
readonly BLOCKS=$(((LARGE_MIB - SMALL_MIB) * MIB / BLOCK))

# count SIZE_MIB DIR: runs it; one file in DIR for each of its processes.
count()
{
	mkdir "$2"
	valgrind --quiet --tool=callgrind --trace-children=yes "--callgrind-out-file=$2/%p" \
		"--log-file=$2.log" "$IOTEST" -q -t d --size "$1M" --workers 1 --data zeros \
		--no-bundle --format json >out 2>err </dev/null || fail "status $?: $(cat err "$2.log")"
	expect_json out --argjson n $(($1 * MIB)) '[.phases.write.bytes, .phases.read.bytes] | all(. == $n)'
}

# instructions DIR FUNCTION: of the one process that called it
instructions()
{
	local -a found

	mapfile -t found < <(grep -lE "^c?fn=.*\\) $2\$" "$1"/*)
	[ ${#found[@]} -eq 1 ] || fail "${#found[@]} processes called $2"
	awk '/^(totals|summary):/ { print $2; exit }' "${found[0]}"
}

# per_block FUNCTION: by the difference of two sizes, so that what is done once falls out
per_block()
{
	local small large

	small=$(instructions small "$1") || exit 1
	large=$(instructions large "$1") || exit 1
	echo $(((large - small) / BLOCKS))
}

the_loop_costs_less_than_1000_instructions_a_block()
{
	local write read

	if is_sanitized; then
		echo "     instructions of a sanitized binary say nothing: not counted"
		return 0
	fi
	command -v valgrind >/dev/null || skip "no valgrind here"
	mk_tmpfs d 256
	count $SMALL_MIB small
	count $LARGE_MIB large
	write=$(per_block move_out) || fail "no writer: $write"
	read=$(per_block move_in) || fail "no reader: $read"
	echo "     instructions for a block of 64 KiB: write $write, read $read"
	# A loop without a call would not be one: the counting has to be right, too.
	expect_more 100 "$write" "$read"
	[ "$write" -lt 1000 ] || fail "$write instructions for a block written"
	[ "$read" -lt 1000 ] || fail "$read instructions for a block read"
}

# expect_more N NUMBER...
expect_more()
{
	local least=$1 number
	shift

	for number in "$@"; do
		[ "$number" -gt "$least" ] || fail "$number is not more than $least"
	done
}

run_tests the_loop_costs_less_than_1000_instructions_a_block
