#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Bad input: the exit status, and one clear sentence on stderr that names the object.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# expect_refusal STATUS PATTERN ARGUMENT...: nothing on stdout, the pattern on stderr, in the
# sentence at its end together with the advice.
expect_refusal()
{
	local want=$1 pattern=$2
	shift 2

	iotest "$@"
	echo "     iotest $*" >last
	if [ "$status" -ne "$want" ] || [ -s out ] || ! grep -Eq -e "$pattern" <<<"$(message)"; then
		cat last
		show
		fail "wanted exit status $want and '$pattern', got $status"
	fi
	no_control_characters err
}

message()
{
	grep '^iotest: ' err | tail -n 2 | tr '\n' ' '
}

unknown_words_and_options_name_the_nearest()
{
	mkdir d
	expect_refusal 2 '"?rnu"?.*run' rnu
	expect_refusal 2 'reprot.*report' reprot x
	expect_refusal 2 'zzzzzzzz' zzzzzzzz
	expect_refusal 2 'xyzzy' -t d --xyzzy
	expect_refusal 2 '--siez.*--size' -t d --siez 1M
	expect_refusal 2 '-Z' -t d -Z
	expect_refusal 2 'extra' run -t d extra
	expect_refusal 2 '--format.*|xml' plan -t d --format xml
}

an_option_without_its_value_is_refused()
{
	expect_refusal 2 '-t' run -t
	expect_refusal 2 '--size' run -t . --size
	expect_refusal 2 '--yes' run -t . --yes=maybe
	expect_refusal 2 '--size' run -t . --size 1M --size 2M
	expect_refusal 2 'report' report
}

sizes_that_are_none_are_refused()
{
	local size

	mkdir d
	for size in '12 QB' 12QB 0 -5 99999999999999G '' ' ' 1e3 0x10 1.5 K 1MM '1 G' ٣; do
		expect_refusal 2 '--size' -t d "--size=$size"
	done
	for size in '12 QB' 0 -5 99999999999999G; do
		expect_refusal 2 'block-size' -t d "--block-size=$size"
	done
	expect_refusal 2 '--workers' -t d --workers=0
	expect_refusal 2 '--workers' -t d --workers=-1
	expect_refusal 2 '--workers' -t d --workers=two
	expect_refusal 2 '--cores' -t d --cores=0
	expect_refusal 2 '--time-limit' -t d --time-limit=0
	expect_refusal 2 '--time-limit' -t d --time-limit=soon
	expect_refusal 2 '-i' -t d -i 0
	expect_refusal 2 '-b' -t d -b x
	expect_refusal 2 'require' -t d --require nonsense --size 1M
	expect_refusal 2 'require' -t d --require=-3 --size 1M
	expect_empty d
}

a_product_that_overflows_is_planned_within_the_space()
{
	mkdir d o
	iotest plan -t d --size 7E --workers 1000 --format json
	expect_status 0
	expect_json out '.. | .shrunk? | select(. == true)'
	expect_json out '.. | .free_after_bytes? | select(. != null) | . > 0'
	expect_refusal 2 '--yes' -t d --size 7E --workers 1000 -o o
	expect_empty d
}

a_size_given_to_the_block_size_suggests_size()
{
	mkdir d
	expect_refusal 2 '--size' -t d -s 10G
	expect_empty d
}

contradicting_options_are_refused()
{
	mkdir d
	expect_refusal 2 '--size.*-b|-b.*--size' -t d --size 1M -b 16
	expect_refusal 2 '--block-size.*-s|-s.*--block-size' -t d --block-size 64K -s 64
	expect_refusal 2 '--workers.*-i|-i.*--workers' -t d --workers 2 -i 2
	expect_refusal 2 '--quick.*--prove' -t d --quick --prove 100
	expect_refusal 2 '--prove.*--require' -t d --prove 100 --require 100
	expect_refusal 2 '--mixed.*--phases' -t d --mixed 70 --phases read
	expect_refusal 2 '--control.*--prove' -t d --control --prove 100
	expect_refusal 2 '--control.*--mixed' -t d --control --mixed 70
	expect_refusal 2 '--integrity full.*--phases write' -t d --integrity full --phases write
	expect_refusal 2 '--together.*-t' -t d --together
	expect_refusal 2 '--quick.*--time-limit' -t d --quick --time-limit 4s
	expect_refusal 2 '--prove.*--time-limit' -t d --prove 100 --time-limit 4s
	expect_refusal 2 '1000 B.*512 B' -t d --direct --block-size 1000
	expect_empty d
}

values_of_the_modes_are_checked()
{
	mkdir d
	: >empty
	expect_refusal 2 '--repeat.*100' -t d --repeat 101
	expect_refusal 2 '--repeat' -t d --repeat 0
	expect_refusal 2 '--mixed.*99' -t d --mixed 100
	expect_refusal 2 '--mixed' -t d --mixed 0
	expect_refusal 2 "--phases: 'delete'" -t d --phases delete
	expect_refusal 2 '--phases.*twice' -t d --phases read,read
	expect_refusal 2 '--prove.*fast.*known: ' -t d --prove fast
	expect_refusal 2 '--prove' -t d --prove 1000000000000000000000
	expect_refusal 2 '--data.*unique, zeros' -t d --data random
	expect_refusal 2 '--data.*99' -t d --data compressible=100
	expect_refusal 2 '--data.*99' -t d --data compressible=
	expect_refusal 1 '--data ./missing' -t d --data ./missing
	expect_refusal 1 '--data ./d.*not a regular file' -t d --data ./d
	expect_refusal 1 '--data empty.*empty' -t d --data empty
	expect_refusal 2 '--integrity.*stamps, full' -t d --integrity some
	expect_empty d
}

a_target_is_needed()
{
	expect_refusal 2 '-t' run
	expect_refusal 2 '-t' plan
	expect_refusal 2 '-t' run --size 1M
}

a_target_that_is_no_directory_is_refused()
{
	touch file
	mkfifo fifo
	ln -s nowhere dangling
	expect_refusal 1 'missing' -t missing --size 1M
	expect_refusal 1 'file' -t file --size 1M
	expect_refusal 1 'fifo' -t fifo --size 1M
	expect_refusal 1 'dangling|nowhere' -t dangling --size 1M
	expect_refusal 1 '/dev/null' -t /dev/null --size 1M
	expect_refusal 2 '-t' -t '' --size 1M
	expect_refusal 1 'missing' plan -t missing
	expect_refusal 1 'missing' probe -t missing
}

a_block_device_is_refused_and_never_written()
{
	local loop

	need_root
	truncate -s 8M image
	loop=$(losetup --find --show image) || skip "cannot attach a loop device"
	expect_refusal 1 "$loop.*block device" -t "$loop" --size 1M
	losetup -d "$loop"
	cmp -n $((8 * MIB)) image /dev/zero || fail "the device was written"
}

a_read_only_file_system_is_refused()
{
	mk_tmpfs m 16
	mount -o remount,ro "$T/m"
	expect_refusal 1 "$T/m.*read-only" -t m --size 1M
	iotest plan -t m --size 1M
	[ "$status" -lt 3 ] || fail "plan of a read-only target ended with $status"
}

an_unwritable_directory_is_refused()
{
	need_root
	mkdir -m 0755 d
	mkdir -m 0777 o
	cp "$IOTEST" iotest-copy
	chmod 0755 iotest-copy
	status=0
	setpriv --reuid 65534 --regid 65534 --clear-groups "$T/iotest-copy" -t "$T/d" --size 1M -o "$T/o" \
		>out 2>err </dev/null || status=$?
	expect_status 1
	expect_text err "$T/d"
	expect_text err '[Pp]ermission|writ'
	[ ! -s out ] || fail "stdout is not empty"
}

an_unusable_output_directory_is_refused_before_the_test()
{
	mkdir d
	touch file
	expect_refusal 1 'missing' -t d --size 1M -o missing
	expect_refusal 1 'file' -t d --size 1M -o file
	expect_empty d
}

closed_descriptors_do_no_harm()
{
	mkdir d o
	status=0
	"$IOTEST" -t d --size 1M -o o >out 2>err <&- || status=$?
	expect_status 0
	status=0
	"$IOTEST" -t d --size 1M -o o >out 2>&- </dev/null || status=$?
	expect_status 0
	status=0
	"$IOTEST" -t d --size 1M -o o >&- 2>err </dev/null || status=$?
	expect_status 1
	status=0
	"$IOTEST" -t d --size 1M -o o <&- >&- 2>&- || status=$?
	expect_status 1
	expect_empty d
}

help_and_version_are_there_for_every_command()
{
	local command

	for command in '' run probe plan report clean ps verify ticket compare history \
		explain completion; do
		# shellcheck disable=SC2086 # empty is no word
		iotest $command --help
		expect_status 0
		[ -s out ] || fail "no help"
		[ ! -s err ] || fail "help on stderr"
		[ "$(wc -L <out)" -le 80 ] || fail "the help of '$command' is wider than 80 columns"
	done
	"$IOTEST" run --help | grep -qi binary || fail "--help does not say that sizes are binary"
	iotest --version
	expect_status 0
	expect_text out '^iotest [0-9]+\.[0-9]+'
	expect_text out 'hwloc'
	expect_text out 'libarchive'
	expect_text out 'jansson'
	"$IOTEST" --help >/dev/full 2>err && fail "a write error on stdout went unnoticed"
	return 0
}

hostile_environment_is_ignored()
{
	mkdir d
	iotest plan -t d --format json
	expect_status 0
	mv out plain
	HWLOC_SYNTHETIC='pack:2 core:16 pu:2' HWLOC_FSROOT=/nonexistent \
		iotest plan -t d --format json
	expect_status 0
	expect_equal "$(json out .host.physical_cores_hwloc)" "$(json plain .host.physical_cores_hwloc)"
	expect_equal "$(json out .host.physical_cores)" "$(json plain .host.physical_cores)"
}

run_tests unknown_words_and_options_name_the_nearest an_option_without_its_value_is_refused \
	sizes_that_are_none_are_refused a_product_that_overflows_is_planned_within_the_space a_size_given_to_the_block_size_suggests_size \
	contradicting_options_are_refused values_of_the_modes_are_checked a_target_is_needed a_target_that_is_no_directory_is_refused \
	a_block_device_is_refused_and_never_written a_read_only_file_system_is_refused \
	an_unwritable_directory_is_refused an_unusable_output_directory_is_refused_before_the_test \
	closed_descriptors_do_no_harm help_and_version_are_there_for_every_command \
	hostile_environment_is_ignored
