#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# sasiotest: the lines that programs read, on real file systems; what it refuses; what it never
# overwrites.
# shellcheck disable=SC2016 # $n is jq's
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# sas ARGUMENT...: by the name of the link.
sas()
{
	[ -e "$T/sasiotest" ] || ln -s "$(realpath "$IOTEST")" "$T/sasiotest"
	status=0
	"$T/sasiotest" "$@" >out 2>err </dev/null || status=$?
}

# must_sas ARGUMENT...: and it must succeed.
must_sas()
{
	sas "$@"
	[ "$status" -eq 0 ] && return
	show
	fail "exit status $status: sasiotest $*"
}

# refused STATUS PATTERN ARGUMENT...: nothing on stdout, the sentence on stderr.
refused()
{
	local want=$1 pattern=$2
	shift 2

	sas "$@"
	if [ "$status" -ne "$want" ] || [ -s out ] || ! grep -Eq -e "$pattern" err; then
		show
		fail "wanted exit status $want and '$pattern', got $status: sasiotest $*"
	fi
	no_control_characters err
}

# expect_lines WORD BYTES to|from FILE PAGE: just the three, one test.
expect_lines()
{
	local rate=Read

	[ "$3" = from ] || rate=Write
	expect_equal "$(wc -l <out)" 3 "lines"
	expect_equal "$(sed -n 1p out)" "SAS I/O Test Utility: v1.0"
	expect_equal "$(sed -n 2p out)" "$1 $2 bytes $3 file: $4 with a $5 pagesize."
	grep -Eqx "$rate Throughput: [0-9]+\.[0-9]{6} MB/Sec\." <(sed -n 3p out) || fail "$(cat out)"
}

# ------------------------------------------------------------------ what the note shows

the_examples_of_the_note_run_as_written()
{
	must_sas "$T/testfile1.dat" -w -filesize 129M -pagesize 128K
	expect_lines "Sequentially writing" 135266304 to "$T/testfile1.dat" 131072
	expect_text err '^iotest: with fsync: [0-9]+\.[0-9]{6} MB/Sec\.$'
	expect_no_text err 'warning: -'
	expect_equal "$(stat -c %s testfile1.dat)" 135266304
	must_sas "$T/testfile1.dat" -r -filesize 50M -pagesize 128K
	expect_lines "Sequentially reading" 52428800 from "$T/testfile1.dat" 131072
	must_sas "$T/testfile1.dat" -r -filesize 129M –pagesize 128K
	expect_lines "Sequentially reading" 135266304 from "$T/testfile1.dat" 131072
	must_sas testfile1.dat -R -RAN -FileSize=1M
	expect_lines "Randomly reading" 1048576 from testfile1.dat 8192
}

the_command_word_does_the_same_as_the_link()
{
	iotest sasiotest f -w -filesize 64K -pagesize 8K
	expect_status 0
	expect_lines "Sequentially writing" 65536 to f 8192
	iotest sasiotest --help
	expect_status 0
	expect_text out 'usage: iotest sasiotest FILE'
	sas --help
	expect_status 0
	expect_text out '^  -numpages N '
	sas --version
	expect_text out '^iotest [0-9]'
}

the_installation_has_the_link()
{
	local build

	build=$(dirname "$IOTEST")
	[ -e "$build/cmake_install.cmake" ] || skip "not in a build directory of CMake"
	cmake --install "$build" --prefix "$T/i" >log 2>&1 || fail "$(cat log)"
	expect_equal "$(readlink i/bin/sasiotest)" iotest
	[ -e i/share/man/man1/sasiotest.1 ] || fail "no manual page"
	i/bin/sasiotest f -w -filesize 64K >out 2>err || fail "$(cat err)"
	expect_text out '^Sequentially writing 65536 bytes'
}

defaults_are_told_beside_the_lines()
{
	must_sas f -w
	expect_lines "Sequentially writing" 1048576 to f 8192
	expect_text err '-filesize is not given: 1M'
	expect_text err '-pagesize is not given: 8K'
	must_sas f
	expect_lines "Sequentially reading" 1048576 from f 8192
	expect_text err 'neither -w nor -r'
}

# field NAME: what a program of the field finds; all of them in one line.
field()
{
	case $1 in
	bytes) sed -nE 's/.*ing ([0-9]+) bytes.*/\1/p' out ;;
	page) sed -nE 's/.*a ([0-9]+) pagesize.*/\1/p' out ;;
	rate) sed -nE 's/.*Throughput: ([0-9.]+) MB.*/\1/p' out ;;
	esac | paste -sd' '
}

programs_of_the_field_find_their_figures()
{
	must_sas f -w -filesize 1M -pagesize 64K -unbuffered
	expect_equal "$(field bytes)" 1048576
	expect_equal "$(field page)" 65536
	grep -Eqx '[0-9]+\.[0-9]{6}' <<<"$(field rate)" || fail "$(cat out)"
	must_sas f -r
	grep -Eqx '[0-9]+\.[0-9]{6}' <<<"$(field rate)" || fail "$(cat out)"
}

five_instances_measure_together()
{
	local pid pids=()

	must_sas f -w -filesize 1M -pagesize 128K -instances 5
	expect_equal "$(field bytes)" "1048576 1048576 1048576 1048576 1048576"
	expect_equal "$(field rate | wc -w)" 5
	expect_text out '^Total of 5 instances: 5242880 bytes, [0-9]+\.[0-9]{6} MB/Sec\.$'
	expect_text out 'to file: f\.5 with'
	[ ! -e f ] || fail "the file without a number was made"
	must_sas f -r -filesize 1M -pagesize 128K -instances 5 -format json
	expect_json out '[.phases.read.workers[].stamps] == [256, 256, 256, 256, 256]'

	# Started apart they do not wait for each other.
	for i in 1 2 3; do
		"$IOTEST" sasiotest "g$i" -w -filesize 1M -pagesize 128K >"run$i" 2>&1 &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || fail "one of three failed: $(cat run?)"
	done
	expect_text run3 '^Write Throughput'
}

the_report_is_that_of_every_run()
{
	must_sas f -w -filesize 2M -pagesize 64K --format json
	expect_json out '.schema == "iotest.report/1" and .plan.mode == "file" and .exit_status == 0'
	expect_json out '.phases.write.status == "complete" and .phases.write.bytes == 2097152'
	expect_json out '.phases.write | .before_fsync_mib_per_s >= .aggregate_mib_per_s'
	expect_json out '.phases.write.call_p50_ns > 0 and .phases.read.status == "not-run"'
	expect_json out '.run.invocation == "iotest sasiotest f -w -filesize 2M -pagesize 64K --format json"'
	cp out report.json
	iotest report --rejudge report.json
	expect_status 0
	expect_text out 'file run of f'
	expect_text out 'f stays in '
}

# ------------------------------------------------------------------ file systems

# write_read_random DIR
write_read_random()
{
	must_sas "$1/f" -w -filesize 3M -pagesize 64K
	must_sas "$1/f" -r -filesize 3M -pagesize 64K -format json
	expect_json out '.phases.read.workers[0] | .bytes == 3145728 and .stamps == 768 and .bad_stamps == 0'
	must_sas "$1/f" -ran -pagesize 8K -format json
	expect_json out '.phases.read.workers[0] | .bytes == 3145728 and .stamps == 768 and .bad_stamps == 0'
	must_sas "$1/f" -w -sgio -numpages 16 -pagesize 8K -filesize 3M -writethru
	must_sas "$1/f" -r -sgio -numpages 8 -pagesize 16K -filesize 3M -format json
	expect_json out '.phases.read.workers[0] | .ops == 24 and .stamps == 768 and .bad_stamps == 0'
}

# direct_both_ways DIR: what went past the page cache is not in it.
direct_both_ways()
{
	must_sas "$1/f" -w -filesize 3M -pagesize 64K -unbuffered -format json
	expect_json out '.phases.write.resident_bytes == 0 and .run.direct_alignment_bytes > 0'
	must_sas "$1/f" -r -filesize 3M -pagesize 64K -unbuffered -sgio -numpages 4 -format json
	expect_json out '.phases.read | .resident_after_bytes == 0 and .workers[0].stamps == 768'
	expect_no_text err 'page cache'
}

on_ext4()
{
	mk_loop_fs ext4 64 d
	write_read_random d
	direct_both_ways d
}

on_xfs()
{
	mk_loop_fs xfs 320 d
	write_read_random d
	direct_both_ways d
}

on_tmpfs()
{
	mk_tmpfs d 64
	write_read_random d
	must_sas d/f -r -filesize 3M -pagesize 64K
	expect_text err 'the target lies in memory'
	sas d/f -w -filesize 3M -pagesize 64K -unbuffered
	# Not every kernel takes O_DIRECT there.
	[ "$status" -eq 1 ] || expect_text err 'in the page cache after O_DIRECT writing'
}

a_read_only_file_system_can_be_read()
{
	mk_loop_fs ext4 32 d
	must_sas d/f -w -filesize 1M -pagesize 64K
	mount -o remount,ro d
	must_sas d/f -r -filesize 1M -pagesize 64K
	refused 1 'mounted read-only' d/f -w
}

reads_come_from_the_storage_unless_cached_is_said()
{
	mk_loop_fs ext4 64 d
	must_sas d/f -w -filesize 8M -pagesize 64K
	must_sas d/f -r -filesize 8M -pagesize 64K -format json
	expect_json out '.phases.read.resident_bytes == 0'
	must_sas d/f -r -filesize 8M -pagesize 64K -cached -format json
	expect_json out '.phases.read.resident_bytes > 4194304 and .plan.io.drop_cache == false'
	expect_text err 'memory, not from the storage'
}

# 64 bits: holes cost nothing.
five_gib_and_more()
{
	truncate -s 5G f
	must_sas f -r -filesize 5G -pagesize 4M -unbuffered
	expect_lines "Sequentially reading" 5368709120 from f 4194304
	must_sas f -ran -filesize 1M -pagesize 64K
	expect_lines "Randomly reading" 1048576 from f 65536
	expect_equal "$(stat -c %s f)" 5368709120
}

# ------------------------------------------------------------------ what is refused

what_is_wrong_is_named()
{
	refused 2 'no file is named'
	refused 2 '-w: the file name must be the first word' -w f
	refused 2 "'12QB' is not a size" f -w -filesize 12QB
	refused 2 'no such option' f -w --xyzzy
	refused 2 '-sgio needs -numpages' f -w -sgio
	refused 2 'multiple of 8K' f -w -sgio -numpages 2 -pagesize 12K
	refused 2 'give one of them' f -w -r
	refused 1 'there is no such file' f -r
	refused 1 'does not exist' nowhere/f -w
	refused 1 'is a directory' . -w
	refused 1 'is a directory' "$T/" -r
	refused 1 'is a view of the kernel' /proc/f -w
	refused 1 'O_DIRECT needs multiples of' f -w -unbuffered -filesize 1000000 -pagesize 1000
	expect_empty_but_the_link
}

expect_empty_but_the_link()
{
	expect_equal "$(find . -maxdepth 1 -type f -not -name out -not -name err -not -name '.*')" ""
}

only_regular_files_are_touched()
{
	mkfifo pipe
	refused 1 'is a named pipe' pipe -w -force
	refused 1 'is a named pipe' pipe -r
	refused 1 'is a character device' /dev/null -w -force
	if [ -b /dev/loop0 ]; then
		refused 1 'is a block device' /dev/loop0 -w -force
		refused 1 'is a block device' /dev/loop0 -r
	fi
}

links_that_anybody_could_have_put_there_are_not_followed()
{
	echo precious >precious
	mkdir -m 1777 all
	ln -s ../precious all/f
	ln -s .. all/up
	refused 1 'all/f: is a symbolic link in a directory that anybody' all/f -w -force
	refused 1 'all/f: is a symbolic link' all/f -r
	refused 1 'all/up: is a symbolic link' all/up/precious -r
	expect_equal "$(cat precious)" precious
	must_sas own -w -filesize 64K
	ln -s own link
	must_sas link -w -filesize 128K
	expect_equal "$(stat -c %s own)" 131072
	ln -s nowhere dangling
	refused 1 'cannot be followed' dangling -w
	[ ! -e nowhere ] || fail "a file was made through a link"
	ln -s ../precious f.2
	refused 1 'f.2: is a symbolic link' f -w -instances 2 -force
}

a_mistyped_name_destroys_nothing()
{
	head -c 100000 /dev/urandom >data
	cp data copy
	refused 1 'exists, and is not a test file of iotest' data -w -filesize 64K
	expect_same data copy
	must_sas f -w -filesize 1M -pagesize 64K
	must_sas f -w -filesize 64K -pagesize 64K
	expect_equal "$(stat -c %s f)" 65536
	echo more >>f
	refused 1 'not a test file' f -w
	must_sas data -w -filesize 64K -force
	expect_equal "$(stat -c %s data)" 65536
	# A file of a table, with a line of ours at its begin.
	{ head -c 400 f; cat copy; } >mixed
	refused 1 'not a test file' mixed -w
}

a_shorter_file_is_read_to_its_end()
{
	must_sas f -w -filesize 1000000 -pagesize 64K
	must_sas f -r -filesize 2M -pagesize 64K
	expect_lines "Sequentially reading" 1000000 from f 65536
	expect_text err 'f: 1000000 bytes are there to be read, not the 2097152 of -filesize'
}

what_does_not_fit_is_not_begun()
{
	mk_loop_fs ext4 32 d
	refused 1 'GiB are to be written, and .* above the reserve' d/f -w -filesize 129G
	[ ! -e d/f ] || fail "a file was made"
}

damage_is_an_error_without_a_rate()
{
	must_sas f -w -filesize 1M -pagesize 64K
	printf x | dd of=f bs=1 seek=$((40 * 4096 + 490)) conv=notrunc 2>/dev/null
	refused 1 'f: 1 piece of 4 KiB read back was not as written' f -r -filesize 1M
	sas f -r -filesize 1M -format json
	expect_status 1
	expect_json out '.exit_status == 1 and .phases.read.usable == false'
}

a_signal_ends_it_without_a_rate()
{
	sas f -w -filesize 64K
	"$IOTEST" sasiotest g -w -filesize 2G -pagesize 4K -writethru >out 2>err &
	wait_for test -s g
	kill -INT $!
	status=0
	wait $! || status=$?
	expect_status 130
	[ ! -s out ] || fail "a rate of half a test"
	expect_text err 'g: the run was stopped by signal 2'
	must_sas g -w -filesize 64K
}

# ------------------------------------------------------------------ faults

a_file_system_that_refuses_o_direct_says_so()
{
	serve b d direct:EINVAL
	refused 1 'this file system refuses O_DIRECT' d/f -w -filesize 64K -unbuffered
	expect_empty b
	must_sas d/f -w -filesize 64K
	refused 1 'this file system refuses O_DIRECT' d/f -w -filesize 64K -unbuffered
	expect_equal "$(stat -c %s b/f)" 65536
	refused 1 'this file system refuses O_DIRECT' d/f -r -filesize 64K -unbuffered
}

# fault WORDS PATTERN ARGUMENT...
fault()
{
	local words=$1 pattern=$2
	shift 2

	# shellcheck disable=SC2086
	serve b d $words
	refused 1 "$pattern" "$@"
	expect_no_text err 'Throughput|with fsync'
	umount -l "$T/d"
}

faults_end_in_a_sentence_and_no_rate()
{
	fault "direct_io write:ENOSPC" 'd/f: cannot write at byte 0: No space left' d/f -w -filesize 1M
	expect_empty b
	fault "direct_io write:ENOSPC@5" 'd/f: write worker 1: write failed at offset [0-9]+: No space' \
		d/f -w -filesize 1M -pagesize 64K
	expect_text err 'what was written stays'
	[ -s b/f ] || fail "what was written is gone"
	fault "fsync:EIO" 'fsync failed at offset 1048576: Input/output error' d/f -w -filesize 1M
	mkdir -p b
	sas b/f -w -filesize 1M
	fault "direct_io read:EIO@30" 'read failed at offset [0-9]+: Input/output error' \
		d/f -r -filesize 1M -pagesize 8K -cached
}

run_tests the_examples_of_the_note_run_as_written the_command_word_does_the_same_as_the_link \
	the_installation_has_the_link defaults_are_told_beside_the_lines programs_of_the_field_find_their_figures \
	five_instances_measure_together the_report_is_that_of_every_run \
	on_ext4 on_xfs on_tmpfs a_read_only_file_system_can_be_read \
	reads_come_from_the_storage_unless_cached_is_said five_gib_and_more \
	what_is_wrong_is_named only_regular_files_are_touched \
	links_that_anybody_could_have_put_there_are_not_followed a_mistyped_name_destroys_nothing \
	a_shorter_file_is_read_to_its_end what_does_not_fit_is_not_begun \
	damage_is_an_error_without_a_rate a_signal_ends_it_without_a_rate \
	a_file_system_that_refuses_o_direct_says_so faults_end_in_a_sentence_and_no_rate
