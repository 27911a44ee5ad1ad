#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test - everything that must hold, in one command
#
#   scripts/test.sh [ctest options]      for instance: scripts/test.sh -R e2e/test_usage
#
# Installs what is missing, builds the presets "test" (the release code) and "sanitize", runs
# scripts/check.sh and the tests of both, and all fuzzers for a moment. The last line counts them
# all. With options, only the tests that they choose are run, without check.sh and fuzzers.
set -uo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/lib/install.sh
. "$top/scripts/lib/install.sh"
# shellcheck source=scripts/lib/build.sh
. "$top/scripts/lib/build.sh"

# Of all fuzzers together: enough to try every input that once found something.
readonly FUZZ_SECONDS=20

passed=0
failed=0
skipped=0

count()
{
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
}

# Tests that need root are promised where root runs them for CI: there a skip is a failure.
forbid_skips()
{
	if [ "$(id -u)" -eq 0 ] && [ "${CI:-}" = true ]; then
		export IOTEST_NO_SKIP=1
	fi
}

# The last line of check.sh is "N passed, N failed".
run_checks()
{
	local log=$1/check.out

	printf '\n== checks\n'
	"$top/scripts/check.sh" "$1" 2>&1 | tee "$log"
	count_line "$(tail -n 1 "$log")"
}

count_line()
{
	if [[ $1 =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
		count "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" 0
	else
		echo "no totals: $1"
		count 0 1 0
	fi
}

# run_ctest PRESET DIRECTORY [ctest options]
run_ctest()
{
	local preset=$1 build=$2 log=$2/ctest.out lost skips
	shift 2

	printf '\n== tests of the preset %s\n' "$preset"
	ctest --test-dir "$build" -j "$(nproc)" --output-on-failure --no-tests=error "$@" </dev/null 2>&1 | tee "$log"
	skips=$(grep -c '\*\*\*Skipped' "$log")
	lost=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$log")
	if [[ $lost =~ ^([0-9]+)\ ([0-9]+)$ ]]; then
		count $((BASH_REMATCH[2] - BASH_REMATCH[1] - skips)) "${BASH_REMATCH[1]}" "$skips"
	else
		echo "ctest of the preset $preset gave no totals"
		count 0 1 0
	fi
}

# test_preset PRESET [ctest options]
test_preset()
{
	local preset=$1 build
	shift

	build=$(build_directory "$preset")
	echo "building the preset $preset in $build"
	if ! build_preset "$preset" "$build"; then
		count 0 1 0
		return
	fi
	if [ "$preset" = test ] && [ $# -eq 0 ]; then
		run_checks "$build"
	fi
	run_ctest "$preset" "$build" "$@"
}

# All fuzzers are one test.
run_fuzzers()
{
	printf '\n== fuzzers\n'
	if "$top/scripts/fuzz.sh" --in-all "$FUZZ_SECONDS"; then
		count 1 0 0
	else
		count 0 1 0
	fi
}

case ${1:-} in
-h | --help)
	sed -n '5,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
	exit 0
	;;
esac
forbid_skips
needs=(BUILD_NEEDS TEST_NEEDS)
[ $# -gt 0 ] || needs+=(CLANG_NEEDS)
install_needs "${needs[@]}"
test_preset test "$@"
test_preset sanitize "$@"
[ $# -gt 0 ] || run_fuzzers

echo
printf '%d passed, %d failed' "$passed" "$failed"
[ "$skipped" -eq 0 ] || printf ', %d skipped' "$skipped"
echo
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
