#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The evidence: what explains a result is in the bundle, whatever hangs, and it stays small.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# of d, unpacked in b
evidence()
{
	mkdir -p d o
	iotest evidence -t d -o o
	expect_status 0
	bundle_in o
	unpack "$bundle" b
}

a_run_leaves_what_was_before_and_after()
{
	mkdir d o
	iotest -t d --size 1M -o o
	expect_status 0
	bundle_in o
	unpack "$bundle" b
	for file in proc/vmstat proc/interrupts proc/diskstats; do
		[ -s "b/system_files/$file" ] || fail "no $file of before"
		[ -s "b/system_files_after/$file" ] || fail "no $file of after"
	done
	expect_json b/report.json '.run.counters_watched > 0'
	[ "$(stat -c %s "$bundle")" -lt $MIB ] || fail "$(stat -c %s "$bundle") bytes"
}

evidence_writes_nothing_into_the_directory()
{
	mkdir d
	find d -printf '%p %C@\n' >before
	evidence
	find d -printf '%p %C@\n' >after
	expect_same before after
	expect_text b/host.txt "$T/d"
	expect_json b/host.json '.host.targets | length == 1'
	[ ! -e b/samples.tsv ] || fail "samples without a run"
}

the_geometry_of_xfs_is_told()
{
	mk_loop_fs xfs 512 d
	evidence
	expect_text b/system_files/os/geometry '^block_bytes=4096$'
	expect_text b/system_files/os/geometry '^data_blocks=131072$'
	expect_text b/system_files/os/geometry '^log_is_internal=1$'
}

# A FUSE file system without an answer lies over a directory of the table.
a_file_that_hangs_costs_its_own_entry()
{
	local began

	need_root
	[ -d /etc/tuned ] || mkdir /etc/tuned 2>/dev/null || skip "cannot make /etc/tuned"
	mkdir backing
	echo throughput-performance >backing/active_profile
	serve backing /etc/tuned read:hang
	began=$SECONDS
	evidence
	unserve /etc/tuned
	rmdir /etc/tuned 2>/dev/null
	[ $((SECONDS - began)) -lt 30 ] || fail "took $((SECONDS - began)) s"
	expect_text b/system_files/iotest.errors '^110	etc/tuned/active_profile	'
	[ -s b/system_files/proc/vmstat ] || fail "the rest is missing"
	[ -s b/system_files/proc/net/snmp ] || fail "what comes later is missing"
}

what_a_user_could_not_read_is_added_by_root()
{
	local first

	need_root
	command -v setpriv >/dev/null || skip "no setpriv"
	[ -r /dev/kmsg ] || skip "no kernel log here"
	mkdir d o
	chown 65534 d o
	chmod 0755 .
	status=0
	setpriv --reuid=65534 --clear-groups "$IOTEST" evidence -t d -o o >out 2>err || status=$?
	expect_status 0
	expect_text err 'iotest evidence --add'
	bundle_in o
	first=$bundle
	unpack "$first" b
	expect_text b/system_files/iotest.errors '^(1|13)	os/kernel_log	'
	iotest evidence --add "$first"
	expect_status 0
	unpack "${first%.tar.gz}_2.tar.gz" c
	[ -s c/system_files_added/os/kernel_log ] || fail "no kernel log was added"
	[ ! -e c/system_files_added/proc/vmstat ] || fail "what was there was added again"
	expect_same b/system_files/proc/vmstat c/system_files/proc/vmstat
	iotest evidence --add "$first" -t d
	expect_status 2
}

the_bundle_of_another_host_is_refused()
{
	mkdir d o
	as_host other "$IOTEST" evidence -t d -o o 2>err || fail "ended with $?"
	bundle_in o
	iotest evidence --add "$bundle"
	expect_status 1
	expect_text err 'host other'
}

# The run too, and others' mounts are never touched.
a_dead_mount_elsewhere_does_no_harm()
{
	mkdir d o
	serve backing dead attr:hang
	iotest -t d --size 1M -o o
	unserve dead
	expect_status 0
	bundle_in o
	unpack "$bundle" b
	expect_no_text b/system_files/iotest.errors '^110	'
}

the_places_of_sas_are_told_and_its_secrets_are_not()
{
	mkdir d o util
	printf -- '-METAPASS "hunter2secret"\n-WORK %s\n-UTILLOC ("%s")\n-MEMSIZE 2G\n' \
		"$T/d" "$T/util" >sasv9_local.cfg
	printf -- '-BUFSIZE 64k\n-config %s/sasv9_local.cfg\n' "$T" >sasv9.cfg
	iotest -t d --size 1M -o o --sas-config sasv9.cfg
	expect_status 0
	expect_text out 'WORK and UTILLOC share the file system'
	bundle_in o
	unpack "$bundle" b
	expect_json b/report.json '.host.sas.memsize == "2G" and .host.sas.bufsize == "64k"'
	expect_json b/report.json '[.host.sas.shares[].second] == ["UTILLOC", "target", "target"]'
	! grep -rq hunter2secret b || fail "a secret is in the bundle"
	iotest evidence -t d -o o --sas-config missing.cfg
	expect_status 0
	rm -rf b "$bundle"
	bundle_in o
	unpack "$bundle" b
	expect_text b/host.txt 'missing.cfg'
}

has_begun()
{
	grep -q . o/*.partial/samples.tsv 2>/dev/null
}

what_the_kernel_says_during_a_run_is_a_finding()
{
	need_root
	[ -w /dev/kmsg ] || skip "no kernel log here"
	mkdir d o
	echo "<3>sdz: I/O error before the run" >/dev/kmsg
	(
		wait_for has_begun
		echo "<3>sdz: I/O error, a test" >/dev/kmsg
		echo "<6>sdz: attached" >/dev/kmsg
	) &
	iotest -t d --size 64M -o o --repeat 3 --format json
	wait
	expect_json out '[.. | objects | select(.id? == "kernel-messages") | .text] |
		any(contains("sdz: I/O error, a test"))'
	expect_json out '[.. | .kernel_messages? // empty | .[].text] | all(contains("before") | not)'
}

run_tests the_places_of_sas_are_told_and_its_secrets_are_not \
	what_the_kernel_says_during_a_run_is_a_finding a_run_leaves_what_was_before_and_after evidence_writes_nothing_into_the_directory \
	the_geometry_of_xfs_is_told a_file_that_hangs_costs_its_own_entry \
	what_a_user_could_not_read_is_added_by_root the_bundle_of_another_host_is_refused \
	a_dead_mount_elsewhere_does_no_harm
