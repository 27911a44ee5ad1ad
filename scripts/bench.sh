#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench - how iotest compares with dd and fio, in alternating pairs; what its own work costs
#
#   scripts/bench.sh DIR [PAIRS [SIZE [PART...]]]
#
# DIR is a directory on the storage to use, PAIRS is 5 unless given, SIZE the bytes per worker
# (default 4G). All parts, unless some are named:
#
#   disk     dd (zeros), fio (refilled buffers) and iotest on DIR: rates, CPU seconds per GiB
#   memory   the same on a file system in memory: what the tools themselves can do
#   calls    user-space instructions of a 64 KiB block, by callgrind
#   quick    iotest --quick beside a full run of full size, both on DIR
#   start    iotest probe and plan: milliseconds
#
# iotest writes its unique data, "zeros" is iotest --data zeros; fio refills its buffers, "fio0"
# writes zeros. All tools do the same, as far as they can: as many processes as iotest plans, 64 KiB blocks, fsync
# in the time, files dropped from the page cache before reading. Who goes first changes with every
# round, and memory is touched before the first one. CPU time is user and system time of all
# processes of the tool, as the kernel counts it for their parent; the kernel's own write-back
# threads are in nobody's. Nothing here is a test: speeds belong to the machine and its day.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/lib/install.sh
. "$top/scripts/lib/install.sh"
# shellcheck source=scripts/lib/build.sh
. "$top/scripts/lib/build.sh"

directory=$(realpath "${1:?usage: scripts/bench.sh DIR [PAIRS [SIZE [PART...]]]}")
pairs=${2:-5}
size=${3:-4G}
shift $(($# < 3 ? $# : 3))
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(disk memory calls quick start sasiotest)

install_needs BUILD_NEEDS TEST_NEEDS BENCH_NEEDS
build=$(build_directory release)
build_preset release "$build"
iotest=$build/iotest
work=$(mktemp -d)
target=$(mktemp -d "$directory/iotest-bench.XXXXXX")
readonly GIB=$((1024 * 1024 * 1024))

clean_up()
{
	trap '' INT TERM
	rm -rf -- "$target"
	if mountpoint -q "$work/memory"; then
		umount -l "$work/memory"
	fi
	rm -rf -- "$work"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

workers=$("$iotest" plan -t "$target" --size 64K --format json | jq .plan.workers)

# ------------------------------------------------------------------ measuring

# measure COMMAND...: sets seconds and cpu (seconds, user + system of all that it waits for)
measure()
{
	local begin end

	begin=$(date +%s.%N)
	TIMEFORMAT='%U %S'
	{ time "$@" >"$work/out" 2>"$work/err"; } 2>"$work/cpu"
	end=$(date +%s.%N)
	seconds=$(awk -v a="$begin" -v b="$end" 'BEGIN { print b - a }')
	cpu=$(awk '{ print $1 + $2 }' "$work/cpu")
}

# note NAME VALUE: one figure of this round
note()
{
	echo "$2" >>"$work/$1"
}

# note_phase NAME BYTES: rate and CPU cost of what was measured last
note_phase()
{
	note "$1-rate" "$(awk -v b="$2" -v s="$seconds" 'BEGIN { print b / 1048576 / s }')"
	note "$1-cpu" "$(awk -v b="$2" -v c="$cpu" -v g="$GIB" 'BEGIN { print c * g / b }')"
}

# summary NAME FORMAT: median, lowest and highest
summary()
{
	sort -g "$work/$1" | awk -v f="$2" '
		{ v[NR] = $1 }
		END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		      printf f " (" f " to " f ")", m, v[1], v[NR] }'
}

# ratio A B: median and range of A / B, round by round
ratio()
{
	paste "$work/$1" "$work/$2" | awk '{ print $1 / $2 }' >"$work/ratio"
	summary ratio %.2f
}

# ------------------------------------------------------------------ the tools

dd_write()
{
	local i
	local -a pids=()

	for ((i = 1; i <= workers; i++)); do
		dd if=/dev/zero of="$place/bench-dd.$i" bs=64k count="$blocks" conv=fsync &
		pids+=($!)
	done
	wait "${pids[@]}"
}

dd_read()
{
	local i
	local -a pids=()

	for ((i = 1; i <= workers; i++)); do
		dd if="$place/bench-dd.$i" of=/dev/null bs=64k &
		pids+=($!)
	done
	wait "${pids[@]}"
}

dd_drop()
{
	local i

	sync -f "$place"
	for ((i = 1; i <= workers; i++)); do
		dd if="$place/bench-dd.$i" iflag=nocache count=0 2>/dev/null
	done
}

run_dd()
{
	measure dd_write
	note_phase "$1-dd-write" "$total"
	dd_drop
	measure dd_read
	note_phase "$1-dd-read" "$total"
	rm -f -- "$place"/bench-dd.*
}

# fio_phase write|read OPTION: its own clock, since it lays out and invalidates outside of the time
fio_phase()
{
	fio --name=bench --filename_format="$place/bench-fio.\$jobnum" --rw="$1" --bs=64k \
		--size="$bytes" --numjobs="$workers" --ioengine=psync --invalidate=1 --end_fsync=1 \
		"$2" --group_reporting --output-format=json --output="$work/fio.json"
}

# note_fio PART NAME write|read
note_fio()
{
	seconds=$(jq ".jobs[0].$3.runtime / 1000" "$work/fio.json")
	note_phase "$1-$2-$3" "$total"
}

# run_fio PART NAME OPTION
run_fio()
{
	measure fio_phase write "$3"
	note_fio "$1" "$2" write
	sync -f "$place"
	measure fio_phase read "$3"
	note_fio "$1" "$2" read
	rm -f -- "$place"/bench-fio.*
}

# run_iotest PART NAME [options]: rates of its report; CPU time of its workers in each phase
run_iotest()
{
	local part=$1 name=$2 phase
	shift 2

	"$iotest" -q --yes -t "$place" --no-bundle --no-history --format json "$@" >"$work/report"
	for phase in write read; do
		seconds=$(jq ".phases.$phase | .elapsed_ns / 1e9" "$work/report")
		cpu=$(jq "[.phases.$phase.workers[] | .user_ns + .system_ns] | add / 1e9" "$work/report")
		note_phase "$part-$name-$phase" "$(jq ".phases.$phase.bytes" "$work/report")"
	done
}

# ------------------------------------------------------------------ the parts

# Memory that a virtual machine has given back is slow to touch again: let that be nobody's time.
warm_up()
{
	blocks=$((bytes / 65536))
	dd_write 2>/dev/null
	dd_read 2>/dev/null
	rm -f -- "$place"/bench-dd.*
}

# In turn, and another one first in each round.
round()
{
	local part=$1 number=$2 i
	local -a order=("run_dd $part" "run_fio $part fio --refill_buffers=1"
		"run_iotest $part iotest --size $bytes" "run_fio $part fio0 --zero_buffers=1"
		"run_iotest $part zeros --size $bytes --data zeros")

	for ((i = 0; i < ${#order[@]}; i++)); do
		# shellcheck disable=SC2086 # words on purpose
		${order[$(((i + number) % ${#order[@]}))]}
	done
}

show_tools()
{
	local part=$1 phase tool

	for phase in write read; do
		echo "$phase, MiB/s of all workers; CPU s/GiB: median (lowest to highest)"
		for tool in dd fio fio0 iotest zeros; do
			printf '  %-7s %s; %s\n' "$tool" "$(summary "$part-$tool-$phase-rate" %.0f)" \
				"$(summary "$part-$tool-$phase-cpu" %.3f)"
		done
		for tool in dd fio; do
			printf '  iotest / %-4s rate %s; CPU %s\n' "$tool" \
				"$(ratio "$part-iotest-$phase-rate" "$part-$tool-$phase-rate")" \
				"$(ratio "$part-iotest-$phase-cpu" "$part-$tool-$phase-cpu")"
		done
		printf '  zeros  / fio0 rate %s; CPU %s\n' \
			"$(ratio "$part-zeros-$phase-rate" "$part-fio0-$phase-rate")" \
			"$(ratio "$part-zeros-$phase-cpu" "$part-fio0-$phase-cpu")"
	done
}

compare()
{
	local part=$1 i

	bytes=$(numfmt --from=iec "$2")
	blocks=$((bytes / 65536))
	total=$((bytes * workers))
	echo "== $part: $workers workers x $2 on $(findmnt -no FSTYPE -T "$place"), $pairs rounds"
	warm_up
	for ((i = 0; i < pairs; i++)); do
		round "$part" "$i"
	done
	show_tools "$part"
}

part_disk()
{
	place=$target
	compare disk "$size"
}

part_memory()
{
	place=$work/memory
	mkdir -p "$place"
	mount -t tmpfs -o size=4G tmpfs "$place"
	compare memory 1G
	umount "$place"
}

# count_calls SIZE DATA: one file for each process
count_calls()
{
	rm -rf "$work/calls-$1"
	mkdir "$work/calls-$1"
	valgrind --quiet --tool=callgrind --trace-children=yes \
		--callgrind-out-file="$work/calls-$1/%p" "$iotest" -q -t "$place" --workers 1 \
		--size "$1" --no-bundle --no-history --data "$2" >/dev/null 2>&1
}

# instructions SIZE FUNCTION: of the process that called it
instructions()
{
	local file

	file=$(grep -lE "^c?fn=.*\\) $2\$" "$work/calls-$1"/* | head -n 1)
	awk '/^(totals|summary):/ { print $2; exit }' "$file"
}

part_calls()
{
	local kind way

	place=$work/memory
	mkdir -p "$place"
	mount -t tmpfs -o size=256M tmpfs "$place"
	echo "== calls: user-space instructions of a 64 KiB block, by the difference of 16M and 48M"
	for kind in zeros unique; do
		count_calls 16M "$kind"
		count_calls 48M "$kind"
		for way in move_out move_in; do
			printf '  data %-7s %-8s %d\n' "$kind" "$way" \
				$((($(instructions 48M "$way") - $(instructions 16M "$way")) / 512))
		done
	done
	umount "$place"
}

part_quick()
{
	local i

	place=$target
	echo "== quick: beside a full run, $pairs rounds"
	bytes=$(numfmt --from=iec "$size")
	blocks=$((bytes / 65536))
	warm_up
	for ((i = 0; i < pairs; i++)); do
		if ((i % 2)); then
			run_iotest quick full
			run_iotest quick quick --quick
		else
			run_iotest quick quick --quick
			run_iotest quick full
		fi
	done
	for phase in write read; do
		printf '  %-5s full %s, quick %s MiB/s; quick / full %s\n' "$phase" \
			"$(summary "quick-full-$phase-rate" %.0f)" \
			"$(summary "quick-quick-$phase-rate" %.0f)" \
			"$(ratio "quick-quick-$phase-rate" "quick-full-$phase-rate")"
	done
}

part_start()
{
	local command i

	echo "== start: milliseconds of 20 calls"
	for command in probe plan; do
		for ((i = 0; i < 20; i++)); do
			measure "$iotest" "$command" -t "$target" --format json
			note "start-$command" "$(awk -v s="$seconds" 'BEGIN { print s * 1000 }')"
		done
		printf '  iotest %-5s %s\n' "$command" "$(summary "start-$command" %.1f)"
	done
}

# One file, one process: dd, and sasiotest with all that it does besides (it looks at the host, and
# counts the pages of the file in the page cache); "its worker" is what moves the bytes.
sas_file_of()
{
	echo "$place/bench-$1.1"
}

# Pages that a hypervisor took back would cost whoever reads next: touched by somebody else before.
warm_memory()
{
	dd if=/dev/zero of=/dev/null bs=1900M count=1 2>/dev/null
}

# sas_dd write|read PAGE_KIB
sas_dd()
{
	local file

	file=$(sas_file_of dd)
	if [ "$1" = write ]; then
		measure dd if=/dev/zero of="$file" bs="$2k" count=$((total / 1024 / $2)) conv=fsync
	else
		measure dd if="$file" of=/dev/null bs="$2k"
	fi
	note_phase "sas-$2-dd-$1" "$total"
}

sas_own()
{
	measure "$iotest" sasiotest "$(sas_file_of sas)" "-${1:0:1}" -filesize "$total" \
		-pagesize "$2K" -format json
	seconds=$(jq ".phases.$1 | .elapsed_ns / 1e9" "$work/out")
	note_phase "sas-$2-own-$1" "$total"
	cpu=$(jq "[.phases.$1.workers[] | .user_ns + .system_ns] | add / 1e9" "$work/out")
	note_phase "sas-$2-worker-$1" "$total"
}

# sas_pair NUMBER PAGE_KIB: another one first each time
sas_pair()
{
	local phase i
	local -a order=(sas_dd sas_own)

	for phase in write read; do
		for ((i = 0; i < 2; i++)); do
			warm_memory
			${order[$(((i + $1) % 2))]} "$phase" "$2"
		done
		sync -f "$place"
		dd if="$(sas_file_of dd)" iflag=nocache count=0 2>/dev/null
	done
	rm -f -- "$place"/bench-dd.* "$place"/bench-sas.*
}

show_sas()
{
	local phase

	for phase in write read; do
		printf '  %-3s %-5s dd %s, sasiotest %s CPU s/GiB; / dd %s, its worker / dd %s; rate / dd %s\n' \
			"$1K" "$phase" "$(summary "sas-$1-dd-$phase-cpu" %.3f)" \
			"$(summary "sas-$1-own-$phase-cpu" %.3f)" \
			"$(ratio "sas-$1-own-$phase-cpu" "sas-$1-dd-$phase-cpu")" \
			"$(ratio "sas-$1-worker-$phase-cpu" "sas-$1-dd-$phase-cpu")" \
			"$(ratio "sas-$1-own-$phase-rate" "sas-$1-dd-$phase-rate")"
	done
}

part_sasiotest()
{
	local kib i

	total=$(numfmt --from=iec "$size")
	for place in "$target" "$work/memory"; do
		if [ "$place" = "$work/memory" ]; then
			mkdir -p "$place"
			mount -t tmpfs -o size=6G tmpfs "$place"
			total=$((total > GIB ? GIB : total))
		fi
		echo "== sasiotest: $((total / 1048576)) MiB on $(findmnt -no FSTYPE -T "$place"), $pairs pairs"
		rm -f "$work"/sas-*
		for kib in 8 64; do
			for ((i = 0; i < pairs; i++)); do
				sas_pair "$i" "$kib"
			done
			show_sas "$kib"
		done
	done
	umount "$place"
}

for part in "${parts[@]}"; do
	"part_$part"
done
