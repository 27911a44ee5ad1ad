#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The whole default run, without any size option, on each kind of file system. A memory limit
# keeps cores x memory small; it is no multiple of the block size, so that rounding shows.
# shellcheck disable=SC2016 # $n is jq's
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

readonly LIMIT=$((200 * MIB + 20 * KIB))
readonly FS_MIB=2048

# What a run of LIMIT on DIR needs to hold, on any file system.
default_run()
{
	local before

	need_root
	mkdir -p bundles
	before=$(free_kib "$1")
	status=0
	in_memcg "$LIMIT" "$IOTEST" -t "$1" -o bundles "${@:2}" >out 2>err </dev/null || status=$?
	[ "$status" -ne 77 ] || exit 77
	expect_status 0
	mv out first.out
	mv err first.err
	bundle_in bundles
	unpack "$bundle" b
	expect_empty "$1"
	expect_space_back "$1" "$before"
	expect_report b/report.json
	expect_bundle
	expect_output
}

free_kib()
{
	sync -f "$1"
	df --output=avail -k "$1" | tail -n 1
}

# Some file systems free in the background, and keep a little for themselves.
expect_space_back()
{
	local i

	for ((i = 0; i < 100; i++)); do
		[ "$(free_kib "$1")" -lt $(($2 - 16 * KIB)) ] || return 0
		sleep 0.1
	done
	fail "$(free_kib "$1") KiB free instead of $2"
}

cores_here()
{
	lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l
}

expect_report()
{
	expect_json "$1" '.schema == "iotest.report/1"'
	expect_json "$1" --argjson n "$(cores_here)" '.host.physical_cores == $n'
	expect_json "$1" '.plan.workers == .host.physical_cores'
	expect_json "$1" --argjson n "$LIMIT" '.host.memory_limit_bytes == $n'
	expect_json "$1" '.plan.block_bytes == 65536'
	expect_json "$1" '.plan.bytes_per_worker % .plan.block_bytes == 0'
	expect_json "$1" '.plan.total_bytes == .plan.bytes_per_worker * .plan.workers'
	expect_json "$1" '.verdict.result | IN("pass", "below", "inconclusive", "invalid")'
	expect_json "$1" '.verdict.requirement_mib_per_s == 100'
	expect_json "$1" '[.findings[] | .id, .severity, .text] | all(type == "string" and . != "")'
	expect_phase "$1" write
	expect_phase "$1" read
}

expect_phase()
{
	local phase=".phases.$2"

	expect_json "$1" "$phase.bytes == .plan.total_bytes"
	expect_json "$1" "($phase.workers | length) == .plan.workers"
	expect_json "$1" "([$phase.workers[].bytes] | add) == $phase.bytes"
	expect_json "$1" "[$phase.workers[] | .error == 0 and .exit_status == 0] | all"
	expect_json "$1" "[$phase.workers[] | .start_ns <= .last_io_ns and .last_io_ns <= .end_ns] | all"
	expect_json "$1" "$phase.elapsed_ns == ([$phase.workers[].end_ns] | max) - ([$phase.workers[].start_ns] | min)"
	expect_json "$1" "$phase.aggregate_mib_per_s * $phase.elapsed_ns / 1e9 * 1048576 / $phase.bytes |
		. > 0.999 and . < 1.001"
	expect_json "$1" "$phase.mib_per_s_per_core * .plan.cores / $phase.aggregate_mib_per_s |
		. > 0.999 and . < 1.001"
}

expect_bundle()
{
	local file

	expect_equal "$(stat -c %a "$bundle")" 600 "mode of the bundle"
	expect_equal "$(tar -tzf "$bundle" | cut -d/ -f1 | sort -u)" "$(basename "$bundle" .tar.gz)" \
		"one top folder"
	for file in report.txt report.json iotest.log results/write.1 results/read.1 samples.tsv \
		MANIFEST system_files/topology.xml system_files/proc/cpuinfo system_files/proc/meminfo \
		system_files/proc/self/mountinfo; do
		[ -s "b/$file" ] || fail "the bundle has no $file"
	done
	expect_manifest
	iotest report "$bundle"
	expect_status 0
	expect_same out b/report.txt
	iotest report "$bundle" --rejudge
	expect_status 0
	expect_text out '^VERDICT'
}

# MANIFEST has the digest and the size of every other file, and nothing else.
expect_manifest()
{
	(
		cd b || exit
		find . -type f -not -name MANIFEST -printf '# SIZE (%P) = %s\n'
		find . -type f -not -name MANIFEST -printf '%P\0' | xargs -0 sha256sum --tag
	) | sort >want.manifest
	tail -n +2 b/MANIFEST | sort >manifest
	expect_same want.manifest manifest
}

# What the run itself printed: the report and nothing else.
expect_output()
{
	expect_same first.out b/report.txt
	no_control_characters first.err
	expect_text first.out '^VERDICT'
	expect_text first.out '^  iterations: +[0-9]+$'
	expect_text first.out '^  read throughput rate: +([0-9.]+ megabytes/second per physical core|n/a)'
	expect_text first.out '^  write throughput rate: +([0-9.]+ megabytes/second per physical core|n/a)'
	expect_text first.out '0 bytes left'
}

by_limit()
{
	expect_json b/report.json '.plan.sized_by == "memory-limit" and .plan.shrunk == false'
	expect_json b/report.json --argjson n $((LIMIT / BLOCK * BLOCK)) '.plan.bytes_per_worker == $n'
	expect_json b/report.json --arg t "$1" '.host.targets[0].fs_type == $t'
}

default_run_on_ext4()
{
	mk_loop_fs ext4 $FS_MIB m
	default_run m
	by_limit ext4
}

default_run_on_xfs()
{
	mk_loop_fs xfs $FS_MIB m
	default_run m
	by_limit xfs
}

default_run_on_btrfs()
{
	mk_loop_fs btrfs $FS_MIB m
	default_run m
	by_limit btrfs
}

default_run_on_overlayfs()
{
	mk_loop_fs ext4 $FS_MIB base
	mk_overlay m base
	default_run m
	by_limit overlay
	expect_json b/report.json '.host.targets[0].backing_fs_type == "ext4"'
	expect_json b/report.json '.host.targets[0].devices[0].kind == "loop"'
}

# Files live in memory there: they must be small enough that nobody is killed for memory.
default_run_on_tmpfs()
{
	mk_tmpfs m 4096
	default_run m --yes
	expect_json b/report.json --argjson n "$LIMIT" '.plan.total_bytes < $n'
	expect_json b/report.json '.host.targets[0].kind == "memory"'
	expect_json b/report.json '.verdict.result != "pass"'
}

run_tests default_run_on_ext4 default_run_on_xfs default_run_on_btrfs default_run_on_overlayfs \
	default_run_on_tmpfs
