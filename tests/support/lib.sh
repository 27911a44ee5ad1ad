# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# lib - what the end-to-end tests share: file systems, memory limits, assertions, clean-up
#
# A test file sources this, defines functions whose names are facts, and ends with
#
#	run_tests fact_one fact_two
#
# so that its exit status is 0, 1, or 77 if all were skipped.
#
# Each function runs in a shell of its own with an empty directory $T as its place; whatever it
# mounted or made through this library is gone afterwards, on every way out. `fail TEXT` ends it,
# `skip REASON` too. $IOTEST is the binary, given by ctest.
#
# shellcheck disable=SC2034 # variables for the tests
set -uo pipefail

: "${IOTEST:?the path of the iotest binary}"
[ -x "$IOTEST" ] || {
	echo "$IOTEST is no program"
	exit 1
}
: "${SOURCE_DIR:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
readonly KIB=1024 MIB=$((1024 * 1024)) GIB=$((1024 * 1024 * 1024))
readonly BLOCK=$((64 * 1024))
readonly BASE_PREFIX=/var/tmp/iotest-e2e

# ------------------------------------------------------------------ the outermost shell

# Mounts of a private mount namespace go with its last process, even after SIGKILL. Where there
# is no such thing (not root, some chroots) the traps alone have to do.
enter_private_mounts()
{
	local wrap=(unshare --mount --propagation private)

	if [ -z "${E2E_PRIVATE:-}" ] && [ "$(id -u)" -eq 0 ] && "${wrap[@]}" true 2>/dev/null; then
		E2E_PRIVATE=1 exec "${wrap[@]}" bash "$0" "$@"
	fi
	[ -z "${E2E_PRIVATE:-}" ] || { hide_host_lock; hide_history; }
	unset E2E_PRIVATE
}

# One iotest of root runs at a time on a host; those of this test do not meet others, since they
# find another directory of locks. There is no other way to one: nothing can be told where it is.
hide_host_lock()
{
	[ -d /run/iotest ] || mkdir -m 0700 /run/iotest || return
	mount -t tmpfs -o mode=0700,size=1M tmpfs /run/iotest
}

# Neither do their runs belong into the history of this host.
hide_history()
{
	[ -d /var/lib/iotest ] || mkdir -m 0700 /var/lib/iotest || return
	mount -t tmpfs -o mode=0700,size=16M tmpfs /var/lib/iotest
}

# What a killed test left behind: directories whose owner, named in them, is dead.
sweep_dead()
{
	local dir pid

	for dir in "$BASE_PREFIX".*; do
		pid=$(cat "$dir/.pid" 2>/dev/null) || continue
		kill -0 "$pid" 2>/dev/null || remove_place "$dir"
	done
}

# remove_place DIR: unmounts all below it, detaches its loop devices, removes its cgroups and it.
remove_place()
{
	local dir=$1 line

	# A frozen file system cannot be unmounted, a throttled one takes its time.
	if [ -e "$dir/.frozen" ]; then
		while read -r line; do
			fsfreeze --unfreeze "$line" 2>/dev/null
		done <"$dir/.frozen"
	fi
	if [ -e "$dir/.throttles" ]; then
		while read -r line; do
			echo "${line#* } 0" >"${line%% *}"
		done <"$dir/.throttles"
	fi

	# The deepest first; the names in /proc/mounts have their blanks escaped.
	awk -v d="$dir/" 'index($2, d) == 1 { print $2 }' /proc/self/mounts | sort -r |
		while read -r line; do
			printf '%b\0' "${line//\\/\\0}"
		done | xargs -0 -r -n 1 umount -l --
	if command -v losetup >/dev/null; then
		losetup -l -n -O NAME,BACK-FILE 2>/dev/null | awk -v d="$dir/" 'index($2, d) == 1 { print $1 }' |
			while read -r line; do
				losetup -d "$line" 2>/dev/null
			done
	fi
	if [ -e "$dir/.cgroups" ]; then
		while read -r line; do
			remove_cgroup "$line"
		done <"$dir/.cgroups"
	fi
	rm -rf --one-file-system "${dir:?}"
}

remove_cgroup()
{
	local group=$1 pid i

	[ -d "$group" ] || return 0
	while read -r pid; do
		kill -KILL "$pid" 2>/dev/null
	done <"$group/cgroup.procs"
	for ((i = 0; i < 50; i++)); do
		rmdir "$group" 2>/dev/null && return 0
		sleep 0.1
	done
	return 1
}

# run_one NAME: in a subshell; the exit status is the verdict.
run_one()
{
	NAME=$1
	T=$(mktemp -d "$BASE_PREFIX.XXXXXX") || return 1
	(
		echo "$BASHPID" >"$T/.pid"
		chmod 0755 "$T"
		trap 'status=$?; leave; exit $status' EXIT
		trap 'exit 130' INT TERM HUP
		sanitizer_setup
		export XDG_STATE_HOME=$T/.state
		cd "$T" || exit 1
		"$1"
		sanitizer_check
	)
}

leave()
{
	local job

	trap "" INT TERM HUP
	cd / || return
	for job in $(jobs -p); do
		kill -TERM "$job" 2>/dev/null && wait "$job" 2>/dev/null
	done
	remove_place "$T"
}

run_tests()
{
	local name status failed=0 skipped=0 passed=0

	exec 3>&1
	for name in "$@"; do
		run_one "$name"
		status=$?
		case $status in
		0)
			echo "ok   $name"
			passed=$((passed + 1))
			;;
		77)
			skipped=$((skipped + 1))
			[ -z "${IOTEST_NO_SKIP:-}" ] || failed=$((failed + 1))
			;;
		*)
			echo "FAIL $name"
			failed=$((failed + 1))
			;;
		esac
	done
	[ "$failed" -eq 0 ] || return 1
	[ "$passed" -gt 0 ] || return 77
}

# ------------------------------------------------------------------ sanitizers

is_sanitized()
{
	grep -qa __asan_init "$IOTEST"
}

# Each process of a sanitized binary writes its complaint into a file, so that none is lost,
# whatever becomes of its exit status and its stderr.
sanitizer_setup()
{
	mkdir -m 1777 "$T/.sanitizer"
	export ASAN_OPTIONS="exitcode=99:log_path=$T/.sanitizer/asan:detect_stack_use_after_return=0"
	export UBSAN_OPTIONS="exitcode=99:print_stacktrace=1:log_path=$T/.sanitizer/ubsan"
}

sanitizer_check()
{
	local status=$?

	if [ -n "$(ls -A "$T/.sanitizer")" ]; then
		cat "$T/.sanitizer/"*
		fail "a sanitizer complained"
	fi
	return "$status"
}

# ------------------------------------------------------------------ outcomes

fail()
{
	echo "     ${FUNCNAME[*]:1:3}: $*"
	exit 1
}

skip()
{
	# Where its own output goes may be a file of the test.
	echo "skip $NAME: $*" >&3
	exit 77
}

need_root()
{
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# ------------------------------------------------------------------ file systems

# mk_loop_fs TYPE SIZE_MIB DIR [direct|buffered]: a fresh file system, mounted on DIR.
mk_loop_fs()
{
	local type=$1 size_mib=$2 dir=$3 mode=${4:-direct} image loop
	local -A force=([ext4]=-F [xfs]=-f [btrfs]=-f)

	need_root
	[ -e /dev/loop-control ] || skip "no loop devices here"
	grep -qw "$type" /proc/filesystems || modprobe "$type" 2>/dev/null ||
		skip "the kernel has no $type"
	image=$(mktemp "$T/.image.XXXXXX")
	truncate -s "${size_mib}M" "$image"
	"mkfs.$type" -q "${force[$type]}" "$image" >/dev/null 2>"$T/.mkfs" ||
		fail "mkfs.$type: $(cat "$T/.mkfs")"
	loop=$(losetup --find --show "$image") || skip "cannot attach a loop device"
	if [ "$mode" = direct ]; then
		# Not every file system below can do that; then the loop device stays buffered.
		losetup --direct-io=on "$loop" 2>/dev/null || true
	fi
	mkdir -p "$dir"
	mount -t "$type" "$loop" "$dir" || fail "cannot mount $loop"
	# Detached by the kernel as soon as it is unmounted.
	losetup -d "$loop"
}

# mk_overlay DIR [BASE]: an overlay whose upper directory lies in BASE, or else in $T.
mk_overlay()
{
	local dir=$1 parts

	need_root
	parts=$(mktemp -d "$(realpath "${2:-$T}")/.overlay.XXXXXX")
	mkdir -p "$parts/lower" "$parts/upper" "$parts/work" "$dir"
	mount -t overlay overlay "$dir" \
		-o "lowerdir=$parts/lower,upperdir=$parts/upper,workdir=$parts/work" 2>/dev/null ||
		skip "cannot mount an overlay on $(stat -f -c %T "$parts")"
}

# mk_tmpfs DIR SIZE_MIB
mk_tmpfs()
{
	need_root
	mkdir -p "$1"
	mount -t tmpfs -o "size=${2}M" tmpfs "$1" || fail "cannot mount a tmpfs"
}

# A name in the directory of the test, or an absolute one.
place_of()
{
	case $1 in
	/*) echo "$1" ;;
	*) echo "$T/$1" ;;
	esac
}

# serve BACKING DIR WORD...: shows one directory as the other, by a FUSE file system with the faults
# that are asked for (faultfs.c); sets $daemon. It ends with this shell, even if it is stopped. DIR
# may lie outside of the test's directory; then it is absolute.
serve()
{
	local i faultfs at

	faultfs=$(dirname "$IOTEST")/tests/faultfs
	need_root
	[ -x "$faultfs" ] || skip "built without libfuse3"
	[ -e /dev/fuse ] || skip "no /dev/fuse"
	mkdir -p "$1" "$2"
	at=$(place_of "$2")
	"$faultfs" "$T/$1" "$at" "${@:3}" 2>/dev/null &
	daemon=$!
	# Nobody waits for one that is stopped.
	disown "$daemon"
	for ((i = 0; i < 200; i++)); do
		grep -q " $at fuse.faultfs " /proc/self/mounts && return
		sleep 0.02
	done
	skip "cannot mount a FUSE file system here"
}

unserve()
{
	kill -KILL "$daemon" 2>/dev/null
	umount -l "$(place_of "$1")"
}

# as_host NAME COMMAND...: in a UTS namespace of its own; its exit status
as_host()
{
	# shellcheck disable=SC2016
	local set='echo "$1" >/proc/sys/kernel/hostname || exit; shift; exec "$@"'

	need_root
	unshare --uts bash -c "$set" _ "$1" true 2>/dev/null || skip "no other host name here"
	unshare --uts bash -c "$set" _ "$@"
}

# ------------------------------------------------------------------ memory limits

# Where no control groups are mounted, as in a chroot, the kernel may have them all the same.
memcg_mount()
{
	grep -q ' - cgroup2\{0,1\} ' /proc/self/mountinfo && return
	mkdir -p "$T/.cgroup"
	mount -t cgroup -o memory cgroup "$T/.cgroup" 2>/dev/null
}

# The directory in which a memory cgroup can be made, and the file that sets its limit.
memcg_place()
{
	local dir

	memcg_mount
	dir=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/self/mounts)
	if [ -n "$dir" ]; then
		echo "$dir memory.limit_in_bytes"
		return
	fi
	dir=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
	if [ -n "$dir" ] && grep -qw memory "$dir/cgroup.subtree_control" 2>/dev/null; then
		echo "$dir memory.max"
	fi
}

# in_memcg LIMIT_BYTES COMMAND...: runs it in a memory cgroup of its own; its exit status.
in_memcg()
{
	local limit=$1 dir file group status
	shift

	need_root
	read -r dir file <<<"$(memcg_place)"
	[ -n "$dir" ] || skip "no memory cgroup can be made here"
	group=$(mktemp -d "$dir/iotest-e2e.XXXXXX" 2>/dev/null) || skip "no memory cgroup can be made here"
	echo "$group" >>"$T/.cgroups"
	echo "$limit" >"$group/$file" || fail "cannot set a memory limit"
	# shellcheck disable=SC2016
	bash -c 'echo $$ >"$1/cgroup.procs" || exit 98; shift; exec "$@"' in_memcg "$group" "$@"
	status=$?
	remove_cgroup "$group"
	return "$status"
}

# ------------------------------------------------------------------ other limits

# limit_group CONTROLLER: a control group of version 1 of its own, which ends with the test; sets
# $group. Version 2 would need its controllers.
limit_group()
{
	local place

	need_root
	place=$(awk -v c="$1" '$3 == "cgroup" && $4 ~ "(^|,)" c "(,|$)" { print $2; exit }' /proc/self/mounts)
	if [ -z "$place" ]; then
		place=$T/.cgroup-$1
		mkdir -p "$place"
		mount -t cgroup -o "$1" cgroup "$place" 2>/dev/null || skip "no $1 cgroup here"
	fi
	group=$(mktemp -d "$place/iotest-e2e.XXXXXX") || skip "no $1 cgroup can be made here"
	echo "$group" >>"$T/.cgroups"
}

# throttle GROUP read|write BYTES_PER_S: of the disk below this directory; again to change it
throttle()
{
	local device

	device=$(stat -c '%Hd:%Ld' .)
	[ -e "/sys/dev/block/$device" ] || skip "no disk below this directory"
	echo "$device $3" >"$1/blkio.throttle.$2_bps_device" || skip "this disk cannot be throttled"
}

# in_group GROUP COMMAND...
in_group()
{
	# shellcheck disable=SC2016
	bash -c 'echo $$ >"$1/cgroup.procs" || exit 98; shift; exec "$@"' in_group "$@"
}

# in_throttled_group "read|write BYTES_PER_S" COMMAND...: its exit status
in_throttled_group()
{
	local status group

	limit_group blkio
	# shellcheck disable=SC2086
	throttle "$group" $1
	shift
	in_group "$group" "$@"
	status=$?
	remove_cgroup "$group"
	return "$status"
}

# throttle_fs DIR read|write PER_S [bps|iops]: of the loop device below DIR, for everybody, and so for
# write-back, too, which no group is charged for; again to change it. It ends with the test.
throttle_fs()
{
	local root device file

	need_root
	limit_group blkio
	root=$(dirname "$group")
	file=$root/blkio.throttle.$2_${4:-bps}_device
	# That of a btrfs is none of a disk.
	device=$(stat -c '%Hr:%Lr' "$(findmnt -no SOURCE "$1")")
	[[ $device == 7:* ]] || fail "$1 lies on no loop device"
	echo "$file $device" >>"$T/.throttles"
	echo "$device $3" >"$file" || skip "this device cannot be throttled"
}

# freeze DIR: whoever writes there hangs in the kernel, and cannot be killed, until thaw DIR.
freeze()
{
	realpath "$1" >>"$T/.frozen"
	fsfreeze --freeze "$1" || skip "cannot freeze $(stat -f -c %T "$1")"
}

thaw()
{
	fsfreeze --unfreeze "$1" || fail "cannot thaw $1"
}

# ------------------------------------------------------------------ assertions

# iotest ARGUMENT...: the binary with its output in files out and err, its exit status in $status.
iotest()
{
	status=0
	"$IOTEST" "$@" >out 2>err </dev/null || status=$?
}

show()
{
	sed 's/^/       out| /' out 2>/dev/null | head -n 60
	sed 's/^/       err| /' err 2>/dev/null | head -n 20
}

expect_status()
{
	[ "$status" -eq "$1" ] && return
	show
	fail "exit status $status instead of $1${2:+: $2}"
}

# expect_text FILE PATTERN: an extended regular expression, in any line.
expect_text()
{
	grep -Eq -e "$2" "$1" && return
	sed 's/^/       | /' "$1" | head -n 40
	fail "$1 has no '$2'"
}

expect_no_text()
{
	grep -Eq -e "$2" "$1" || return 0
	grep -En -e "$2" "$1" | head -n 5
	fail "$1 has '$2'"
}

expect_same()
{
	diff -u "$1" "$2" | head -n 40
	cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

expect_equal()
{
	[ "$1" = "$2" ] || fail "'$1' instead of '$2'${3:+: $3}"
}

# expect_json FILE FILTER: jq's answer must be true.
expect_json()
{
	local file=$1
	shift

	jq -e "$@" "$file" >/dev/null 2>"$T/.jq" && return
	cat "$T/.jq"
	fail "$file: not true: ${*: -1}"
}

json()
{
	jq -r "$2" "$1"
}

# What lies in the target, apart from what mkfs made.
expect_empty()
{
	local found

	found=$(find "$1" -mindepth 1 -not -name lost+found -print -quit)
	[ -z "$found" ] || fail "left in the target: $found"
}

# No process of the binary with the word in its command line is alive after a second.
expect_no_process()
{
	local i

	for ((i = 0; i < 20; i++)); do
		pgrep -f -- "$1" >/dev/null || return 0
		sleep 0.1
	done
	pgrep -af -- "$1"
	fail "processes are left"
}

no_control_characters()
{
	if LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]' "$1" | cat -v; then
		fail "control characters in $1"
	fi
}

# Waits up to 20 s for a command to succeed.
wait_for()
{
	local i

	for ((i = 0; i < 200; i++)); do
		"$@" && return
		sleep 0.1
	done
	fail "waited in vain for: $*"
}

# bundle_in DIR: sets $bundle to the one that lies there.
bundle_in()
{
	local found=("$1"/iotest_*.tar.gz)

	bundle=${found[0]}
	[ -f "$bundle" ] || fail "no bundle in $1"
	[ ${#found[@]} -eq 1 ] || fail "several bundles in $1: ${found[*]}"
}

# unpack BUNDLE DIR: its content without the top folder.
unpack()
{
	mkdir -p "$2"
	tar -xzf "$1" -C "$2" --strip-components=1 || fail "cannot unpack $1"
}

enter_private_mounts "$@"
sweep_dead
