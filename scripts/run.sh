#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run - from a fresh checkout to a report in one command
#
#   scripts/run.sh [iotest options]
#
# Installs what is missing, builds the release, and runs iotest with the options. Without any it
# runs the whole job, small, on a temporary directory: about ten seconds.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/lib/install.sh
. "$top/scripts/lib/install.sh"
# shellcheck source=scripts/lib/build.sh
. "$top/scripts/lib/build.sh"

readonly MIB=$((1024 * 1024))

# The size per worker, in MiB, of a run that newcomers wait for: large enough that fast storage
# needs longer than half a second, at most 4 GiB in all, never more than an eighth of what is free.
sample_size_mib()
{
	local free_bytes total cores

	cores=$(nproc)
	free_bytes=$(df --output=avail -B1 "$1" | tail -n 1)
	total=$((free_bytes / 8 / MIB))
	total=$((total > 4096 ? 4096 : total))
	total=$((total / cores > 1024 ? 1024 : total / cores))
	echo $((total < 1 ? 1 : total))
}

# A directory on a disk if there is one: /tmp lies in memory on many systems.
sample_directory()
{
	local base

	for base in "${TMPDIR:-}" /var/tmp /tmp; do
		if [ -n "$base" ] && [ -w "$base" ]; then
			mktemp -d "$base/iotest-sample.XXXXXX"
			return
		fi
	done
	return 1
}

run_sample()
{
	local target status=0 options

	target=$(sample_directory)
	# shellcheck disable=SC2064 # its name now
	trap "rm -rf -- '$target'" EXIT
	options=(--size "$(sample_size_mib "$target")M" --time-limit 10s --no-history)
	[ -w . ] || options+=(-o "${TMPDIR:-/tmp}")
	# The shell goes on after iotest has ended, whatever it ended by.
	trap : INT TERM HUP
	"$1" run -t "$target" "${options[@]}" || status=$?
	exit "$status"
}

install_needs BUILD_NEEDS
build=$(build_directory release)
[ -x "$build/iotest" ] || echo "building iotest in $build" >&2
build_preset release "$build"

if [ $# -eq 0 ]; then
	run_sample "$build/iotest"
fi
exec "$build/iotest" "$@"
