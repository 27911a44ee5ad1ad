#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# fuzz - feed the parsers of outside text with more and more odd input
#
#   scripts/fuzz.sh SECONDS [TARGET...]      each target for so long; default: all of them
#   scripts/fuzz.sh --in-all SECONDS         all of them together, from their seeds alone
#   scripts/fuzz.sh --list                   the targets
#
# Installs what is missing, builds the preset "fuzz" (clang, libFuzzer, ASan, UBSan) and runs one
# target after the other. What a run learns is kept in the build directory, and the next one goes
# on from there. An input that found something lies in the directory that is named at the end:
# "build/fuzz/tests/fuzz/fuzz_TARGET FILE" shows it again. Exit status 1 if there was one.
set -uo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/lib/install.sh
. "$top/scripts/lib/install.sh"
# shellcheck source=scripts/lib/build.sh
. "$top/scripts/lib/build.sh"

# A single input may not take longer, nor a target more memory.
readonly INPUT_SECONDS_MAX=20
readonly MEMORY_MIB_MAX=2048

usage()
{
	sed -n '5,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
	exit "$1"
}

list_targets()
{
	find "$top/tests/fuzz" -name 'target_*.c' -printf '%f\n' | sed 's/^target_//;s/\.c$//' | sort
}

# Trees of files are made in memory where there is room, and are gone with this script.
make_scratch()
{
	local place=${TMPDIR:-/tmp}

	[ ! -w /dev/shm ] || place=/dev/shm
	scratch=$(mktemp -d "$place/iotest-fuzz-run.XXXXXX") || exit 1
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# show_findings TARGET LOG: enough to find the cause where the machine is gone afterwards
show_findings()
{
	local file

	grep -E -A 25 -m 1 'ERROR:|runtime error:|broken promise' "$2" | cut -c 1-200
	for file in "$findings/$1"-*; do
		[ -s "$file" ] || continue
		echo "${file##*/}, base64 of its first bytes:"
		head -c 2000 "$file" | base64
	done
}

# run_target TARGET SECONDS: returns 0 if nothing was found
run_target()
{
	local target=$1 seconds=$2 log=$findings/$1.log corpus=$scratch/corpus status executions

	if [ "$in_all" = no ]; then
		corpus=$build/corpus/$target
	fi
	mkdir -p "$corpus" "$scratch/tmp"
	TMPDIR=$scratch/tmp ASAN_OPTIONS=detect_stack_use_after_return=0 \
		UBSAN_OPTIONS=print_stacktrace=1 nice -n 19 \
		"$build/tests/fuzz/fuzz_$target" -max_total_time="$seconds" \
		-timeout="$INPUT_SECONDS_MAX" -rss_limit_mb="$MEMORY_MIB_MAX" -print_final_stats=1 \
		-artifact_prefix="$findings/$target-" \
		"$corpus" "$top/tests/fuzz/seeds/$target" >"$log" 2>&1 </dev/null
	status=$?
	executions=$(sed -nE 's/^stat::number_of_executed_units: *([0-9]+)$/\1/p' "$log")
	total=$((total + ${executions:-0}))
	rm -rf "${scratch:?}/corpus"
	if [ "$status" -eq 0 ] && [ "${executions:-0}" -gt 0 ]; then
		printf '%-12s %12d executions in %4d s   nothing found\n' "$target" "$executions" "$seconds"
		rm -f "$log"
		return 0
	fi
	printf '%-12s %12s executions            found: %s\n' "$target" "${executions:-?}" \
		"$(grep -m 1 -E 'ERROR:|runtime error:|broken promise' "$log" || tail -n 1 "$log")"
	show_findings "$target" "$log"
	return 1
}

in_all=no
case ${1:-} in
-h | --help) usage 0 ;;
--list)
	list_targets
	exit 0
	;;
--in-all)
	in_all=yes
	shift
	;;
esac
[[ ${1:-} =~ ^[1-9][0-9]{0,6}$ ]] || usage 2 >&2
seconds=$1
shift
mapfile -t known < <(list_targets)
targets=("$@")
[ $# -gt 0 ] || targets=("${known[@]}")
for target in "${targets[@]}"; do
	printf '%s\n' "${known[@]}" | grep -qxF -- "$target" || install_die "$target: no such target"
done

install_needs BUILD_NEEDS CLANG_NEEDS
install_needs FUZZER_NEEDS
build=$(build_directory fuzz)
build_preset fuzz "$build" || exit 1
findings=$build/findings/$(date +%Y%m%d-%H%M%S)
mkdir -p "$findings"
make_scratch

total=0
failed=0
n=0
for target in "${targets[@]}"; do
	share=$seconds
	if [ "$in_all" = yes ]; then
		share=$((seconds / ${#targets[@]} + (n < seconds % ${#targets[@]})))
		[ "$share" -gt 0 ] || share=1
	fi
	n=$((n + 1))
	run_target "$target" "$share" || failed=$((failed + 1))
done

echo "$total executions"
if [ "$failed" -gt 0 ]; then
	echo "what was found lies in $findings"
	exit 1
fi
rm -rf "${findings:?}"
