#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# bench - how iotest compares with dd, in alternating pairs; what its own work costs
#
#   scripts/bench.sh DIR [PAIRS [SIZE]]
#
# DIR is a directory on the storage to use, PAIRS is 5 unless given, SIZE the bytes per worker (by
# default what iotest plans: the memory). dd does what iotest does, as far as it can: as many
# processes, 64 KiB blocks, fsync in its time, files dropped from the page cache before reading; but
# zeros. Prints every figure, then the median and the range. Nothing here is a test: speeds belong
# to the machine and its day.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/lib/install.sh
. "$top/scripts/lib/install.sh"
# shellcheck source=scripts/lib/build.sh
. "$top/scripts/lib/build.sh"

target=${1:?usage: scripts/bench.sh DIR [PAIRS [SIZE]]}
pairs=${2:-5}
size=${3:-}
install_needs BUILD_NEEDS TEST_NEEDS
build=$(build_directory release)
build_preset release "$build"
iotest=$build/iotest
work=$(mktemp -d)
trap 'rm -rf -- "$work" "$target"/bench-dd.*' EXIT

options=(-q --yes -t "$target" -o "$work" --no-bundle --format json)
[ -z "$size" ] || options+=(--size "$size")
plan=$("$iotest" plan -t "$target" ${size:+--size "$size"} --format json)
workers=$(jq .plan.workers <<<"$plan")
blocks=$(jq .plan.blocks_per_worker <<<"$plan")
bytes=$(jq .plan.total_bytes <<<"$plan")

# seconds COMMAND...: wall-clock seconds until all of its children are done
seconds()
{
	local start end

	start=$(date +%s.%N)
	"$@"
	end=$(date +%s.%N)
	awk -v a="$start" -v b="$end" 'BEGIN { printf "%.3f", b - a }'
}

rate()
{
	awk -v b="$bytes" -v s="$1" 'BEGIN { printf "%.0f", b / 1048576 / s }'
}

dd_all()
{
	local i
	local -a pids=()

	for ((i = 1; i <= workers; i++)); do
		if [ "$1" = write ]; then
			dd if=/dev/zero of="$target/bench-dd.$i" bs=64k count="$blocks" conv=fsync 2>/dev/null &
		else
			dd if="$target/bench-dd.$i" of=/dev/null bs=64k 2>/dev/null &
		fi
		pids+=($!)
	done
	wait "${pids[@]}"
}

dd_drop()
{
	local i

	sync -f "$target"
	for ((i = 1; i <= workers; i++)); do
		dd if="$target/bench-dd.$i" iflag=nocache count=0 2>/dev/null
	done
}

run_dd()
{
	local write_s read_s

	write_s=$(seconds dd_all write)
	dd_drop
	read_s=$(seconds dd_all read)
	rm -f -- "$target"/bench-dd.*
	echo "$(rate "$write_s") $(rate "$read_s")"
}

run_iotest()
{
	"$iotest" "${options[@]}" |
		jq -r '[.phases.write, .phases.read] | map(.aggregate_mib_per_s // -1 | round) | join(" ")'
}

# summary NAME COLUMN: median and range of one column of the figures
summary()
{
	awk -v c="$2" '{ print $c }' "$work/figures" | sort -g | awk -v name="$1" '
		{ v[NR] = $1 }
		END { m = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
		      printf "%-22s median %8.2f  range %.2f to %.2f\n", name, m, v[1], v[NR] }'
}

echo "pair  dd write, read  iotest write, read (MiB/s, all workers)"
for ((pair = 1; pair <= pairs; pair++)); do
	# Who goes first changes, so that a drift of the machine favours nobody.
	if ((pair % 2)); then
		a=$(run_dd)
		b=$(run_iotest)
	else
		b=$(run_iotest)
		a=$(run_dd)
	fi
	read -r dw dr <<<"$a"
	read -r iw ir <<<"$b"
	echo "$dw $dr $iw $ir" |
		awk '{ print $0, $3 / $1, $4 / $2 }' >>"$work/figures"
	echo "$pair     $dw $dr  $iw $ir"
done
summary "dd write" 1
summary "dd read" 2
summary "iotest write" 3
summary "iotest read" 4
summary "write, iotest / dd" 5
summary "read, iotest / dd" 6

for command in probe plan; do
	: >"$work/figures"
	for ((i = 0; i < 20; i++)); do
		seconds "$iotest" "$command" -t "$target" --format json >"$work/out"
		tail -n 1 "$work/out" | sed 's/.*}//' | awk '{ print $1 * 1000 }' >>"$work/figures"
	done
	summary "iotest $command (ms)" 1
done
