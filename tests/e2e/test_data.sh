#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What the test files hold: nothing that an array could store in less room than it has, and
# nothing that cannot be made again from the run's id.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

: "${CONTENT_DUMP:?the path of content_dump}"
: "${COUNT_TWINS:?the path of count_twins}"

readonly UNIQUE=0 ZEROS=1
readonly RUN_A=00112233445566778899aabbccddeeff RUN_B=00112233445566778899aabbccddeefe

# dump DATA RUN WORKER MIB: of two workers.
dump()
{
	"$CONTENT_DUMP" "$1" "$2" "$3" 2 "$4" || fail "content_dump failed"
}

no_512_bytes_occur_twice_across_workers_and_runs()
{
	local pieces twins

	read -r pieces twins < <(
		{
			dump $UNIQUE $RUN_A 1 16
			dump $UNIQUE $RUN_A 2 16
			dump $UNIQUE $RUN_B 1 16
			dump $UNIQUE $RUN_B 2 16
		} | "$COUNT_TWINS"
	)
	expect_equal "$pieces" $((4 * 16 * MIB / 512)) "pieces"
	expect_equal "$twins" 0 "pieces that occur twice"
}

# The tool that finds no twins must be able to find some.
zeros_are_twins_but_for_their_stamps()
{
	local pieces twins

	read -r pieces twins < <(dump $ZEROS $RUN_A 1 1 | "$COUNT_TWINS")
	expect_equal "$pieces" 2048
	# One piece in eight has a stamp; of the others all but one are twins.
	expect_equal "$twins" $((2048 * 7 / 8 - 1))
}

# zstd_permyriad FILE: its size over the compressed size, in hundredths of a percent.
zstd_permyriad()
{
	local packed

	packed=$(zstd -q -19 --long=27 -c "$1" | wc -c)
	echo $(($(stat -c %s "$1") * 10000 / packed))
}

data_does_not_compress()
{
	local mib ratio

	command -v zstd >/dev/null || skip "no zstd here"
	mib=${IOTEST_ZSTD_MIB:-24}
	dump $UNIQUE $RUN_A 1 "$mib" >file
	ratio=$(zstd_permyriad file)
	echo "     zstd -19 --long=27 of $mib MiB: $ratio / 10000"
	[ "$ratio" -le 10100 ] || fail "a ratio of $ratio / 10000"
	dump $ZEROS $RUN_A 1 1 >file
	[ "$(zstd_permyriad file)" -gt 100000 ] || fail "zeros do not compress"
}

# ------------------------------------------------------------------ the files of a real run

# test_file_of PID: the descriptor through which a process holds a file in the target.
test_file_of()
{
	local fd

	for fd in "/proc/$1/fd/"*; do
		[ -f "$fd" ] || continue
		case $(readlink "$fd") in
		"$T/d/"*) echo "$fd" && return ;;
		esac
	done
	return 1
}

# has_written PID BYTES
has_written()
{
	local file

	file=$(test_file_of "$1") && [ "$(stat -L -c %s "$file")" -ge "$2" ]
}

# held_run ARGUMENT...: a run whose first worker stands still when it wrote at least 16 MiB. It
# sets $pid, $worker and $file.
held_run()
{
	mkdir d o
	"$IOTEST" -t "$T/d" -o "$T/o" --yes --workers 1 --size 4G "$@" >out 2>err </dev/null &
	pid=$!
	wait_for pgrep -P "$pid" >worker
	worker=$(tail -n 1 worker)
	wait_for has_written "$worker" $((17 * MIB))
	kill -STOP "$worker"
	file=$(test_file_of "$worker")
}

end_held_run()
{
	kill -TERM "$pid"
	kill -CONT "$worker"
	wait "$pid"
	expect_empty d
}

# expect_made_again DATA: the file's first 16 MiB are what its own first line says.
expect_made_again()
{
	local run

	head -c 512 "$file" | head -n 1 | tr -d '\0' >line
	expect_text line '^iotest test file of run [0-9a-f]{32}, worker 1 of 1: '
	run=$(sed -E 's/^iotest test file of run ([0-9a-f]{32}),.*/\1/' line)
	"$CONTENT_DUMP" "$1" "$run" 1 1 16 >wanted
	head -c $((16 * MIB)) "$file" >found
	cmp wanted found || fail "the file has other data"
	end_held_run
	bundle_in o
	unpack "$bundle" b
	expect_equal "$(json b/report.json .run.id)" "$run" "run id"
}

a_file_says_which_run_wrote_it_and_can_be_made_again()
{
	held_run
	expect_made_again $UNIQUE
}

files_of_zeros_have_stamps_as_well()
{
	held_run --data zeros
	expect_made_again $ZEROS
}

run_tests no_512_bytes_occur_twice_across_workers_and_runs zeros_are_twins_but_for_their_stamps \
	data_does_not_compress a_file_says_which_run_wrote_it_and_can_be_made_again \
	files_of_zeros_have_stamps_as_well
