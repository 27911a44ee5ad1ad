# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# build - configure and build one preset, quietly unless it fails
#
# Sourced by run.sh and test.sh, which set $top to the top of the checkout.

# build_directory PRESET: below the checkout if that can be written, else in the user's cache.
build_directory()
{
	local cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/iotest/build-$1

	# shellcheck disable=SC2154 # top: see above
	if mkdir -p "$top/build/$1" 2>/dev/null && [ -w "$top/build/$1" ]; then
		echo "$top/build/$1"
	elif mkdir -p "$cache" 2>/dev/null && [ -w "$cache" ]; then
		echo "$cache"
	else
		build_private_directory "$1"
	fi
}

# The same one each time, so that it is built once; never one that somebody else has made.
build_private_directory()
{
	local dir

	dir=${TMPDIR:-/tmp}/iotest-build-$(id -u)

	if { mkdir -m 700 "$dir" 2>/dev/null || [ -O "$dir" ]; } && [ ! -L "$dir" ]; then
		mkdir -p "$dir/$1"
		echo "$dir/$1"
	else
		mktemp -d "${TMPDIR:-/tmp}/iotest-build.XXXXXX"
	fi
}

# A checkout that was moved or copied brings a build directory that points elsewhere.
build_forget_moved()
{
	local cache=$1/CMakeCache.txt

	if [ -e "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$top" "$cache"; then
		rm -rf "${1:?}"
		mkdir -p "$1"
	fi
}

# build_preset PRESET DIRECTORY
build_preset()
{
	local log=$2/build.log

	build_forget_moved "$2"
	exec {build_lock}>"$2/.lock"
	flock "$build_lock"
	if ! (cd "$top" && cmake --preset "$1" -B "$2" && cmake --build "$2" -j "$(nproc)") \
		>"$log" 2>&1 </dev/null; then
		grep -E -A 8 -e 'error|Error|warning:' "$log" | head -n 60 >&2
		echo "the build of the preset '$1' failed; everything it said: $log" >&2
		return 1
	fi
	exec {build_lock}>&-
}
