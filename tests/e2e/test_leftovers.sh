#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What a killed run left goes with the next start, or by hand; and nothing else does.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

HOST=$(uname -n | tr -c '[:alnum:].\n-' _ | cut -c 1-63)
BOOT=$(cut -c 1-8 /proc/sys/kernel/random/boot_id)
readonly HOST BOOT

# dead_pid: sets $pid to that of a process that is over
dead_pid()
{
	true &
	pid=$!
	wait "$pid"
}

# put_dir NAME: a directory as a killed run leaves it, with two files of 128 KiB; sets $left
put_dir()
{
	local i

	left=d/$1
	mkdir -m 0700 "$left"
	for i in 0 1; do
		put_file "$left/worker-$i"
	done
}

put_file()
{
	{
		echo "iotest test file of run 0123, worker 1 of 2: made by iotest to measure this file system, x"
		head -c 131072 /dev/zero
	} | head -c 131072 >"$1"
}

# put_leftover: of a dead process of this host
put_leftover()
{
	mkdir -p d
	dead_pid
	n_left=$((${n_left:-0} + 1))
	put_dir ".iotest-$HOST-$pid-$BOOT-$(printf '%016x' "$n_left")"
}

# small_run: which sweeps first
small_run()
{
	mkdir -p o
	rm -rf o/*
	iotest -q -t d -o o --size 1M --workers 1 --format json
	expect_status 0
}

# what_lies DIR: everything about it but the times of access
what_lies()
{
	find "$1" -printf '%P %y %i %n %s %m %U %T@ %l\n' | sort
	find "$1" -type f -exec cat {} + | cksum
}

the_next_run_removes_it_and_says_so()
{
	local name

	put_leftover
	name=${left#d/}
	small_run
	expect_text err "removed what a run that was killed had left: $name, 256 KiB$"
	expect_json out '[.findings[].id] | index("swept") != null'
	# shellcheck disable=SC2016
	expect_json out --arg n "$name" '.run.swept == $n and .run.swept_bytes == 262144'
	expect_json out '.run.sweep_failure == null and .run.others_left == null'
	expect_empty d
}

# The plan is made with the space that became free.
the_space_of_it_is_planned_with()
{
	local before

	mk_loop_fs ext4 64 d
	iotest plan -t d --size 1M --workers 1 --format json
	before=$(json out '.host.targets[0].free_bytes')
	put_leftover
	head -c 20M /dev/zero >>"$left/worker-0"
	sync -f d
	small_run
	# shellcheck disable=SC2016
	expect_json out --argjson n "$before" '.host.targets[0].free_bytes >= $n - 4194304'
	expect_empty d
}

clean_prints_what_it_removed_and_a_dry_run_removes_nothing()
{
	put_leftover
	iotest clean -t d --dry-run
	expect_status 0
	expect_text out "^would be removed: ${left#d/}, 256 KiB$"
	expect_text out "^$T/d: 1 would be removed, 256 KiB; 0 left alone, 0 failed$"
	[ -e "$left/worker-1" ] || fail "a dry run removed something"
	iotest clean -t d
	expect_status 0
	expect_text out "^removed: ${left#d/}, 256 KiB$"
	expect_text out "^$T/d: 1 removed, 256 KiB; 0 left alone, 0 failed$"
	expect_empty d
	iotest clean -t d
	expect_status 0
	expect_text out "^$T/d: 0 removed, 0 B; 0 left alone, 0 failed$"
}

clean_needs_a_directory_that_is_one()
{
	iotest clean
	expect_status 2
	expect_text err 'no target given'
	iotest clean -t /nonexistent
	expect_status 1
	expect_text err '/nonexistent'
}

# After a loss of power: what was written last may be zeros, or not there.
files_without_their_begin_go_too()
{
	put_leftover
	: >"$left/worker-0"
	head -c 65536 /dev/zero >"$left/worker-1"
	echo -n "iotest test f" >"$left/worker-2"
	iotest clean -t d
	expect_status 0
	expect_empty d
}

# expect_kept PATTERN...: a run, clean and its dry run name the reasons and change nothing. The exit
# status of clean is $clean_status: 1 if something is of a dead run of ours, 0 if all is left alone.
expect_kept()
{
	local before pattern

	before=$(what_lies d)
	iotest clean -t d --dry-run
	expect_reasons "$@"
	iotest clean -t d
	expect_status "${clean_status:-0}"
	expect_reasons "$@"
	small_run
	for pattern in "$@"; do
		# shellcheck disable=SC2016
		expect_json out --arg re "$pattern" \
			'[.findings[] | select(.id == "others-left" or .id == "sweep-failed").text] | any(test($re))'
	done
	# The first line is the target itself, in which the run made its files.
	if [ "$(what_lies d | sed 1d)" != "$(sed 1d <<<"$before")" ]; then
		diff <(what_lies d) - <<<"$before"
		fail "something was changed"
	fi
}

expect_reasons()
{
	local pattern

	for pattern in "$@"; do
		expect_text out "$pattern"
	done
}

a_live_run_is_left_alone()
{
	put_leftover
	exec 8<"$left"
	flock 8
	expect_kept "its run, pid $pid, or a call of it still goes on"
	exec 8<&-
}

a_live_process_of_that_pid_is_believed()
{
	mkdir d
	"$IOTEST" -t /dev/shm --no-bundle --start-at "$(date -d '+1 hour' +%H:%M:%S)" >/dev/null 2>&1 </dev/null &
	pid=$!
	put_dir ".iotest-$HOST-$pid-$BOOT-0123456789abcdef"
	iotest clean -t d
	expect_text out "left alone: .*: its run, pid $pid, may still go on"
	[ -e "$left/worker-0" ] || fail "removed"
	kill "$pid"
	wait "$pid" 2>/dev/null
	iotest clean -t d
	expect_empty d
}

another_program_with_that_pid_is_no_run()
{
	mkdir d
	put_dir ".iotest-$HOST-$$-$BOOT-0123456789abcdef"
	iotest clean -t d
	expect_status 0
	expect_empty d
}

another_host_is_left_alone()
{
	mkdir d
	put_dir ".iotest-other.example.com-77-$BOOT-0123456789abcdef"
	expect_kept 'it is of the host other.example.com'
}

# Of an earlier start of this host, but changed since: a host of the same name is no proof.
another_start_that_is_younger_is_left_alone()
{
	mkdir d
	put_dir ".iotest-$HOST-77-00000000-0123456789abcdef"
	expect_kept 'it has changed since this host was started'
}

another_start_that_is_older_goes()
{
	mkdir d
	put_dir ".iotest-$HOST-77-00000000-0123456789abcdef"
	touch -d '10 years ago' "$left"/* "$left"
	iotest clean -t d
	expect_status 0
	expect_empty d
}

names_that_are_not_quite_ours_are_left_alone()
{
	local name

	mkdir d
	dead_pid
	for name in ".iotest-$HOST-$pid-$BOOT-0123456789abcde" ".iotest-$HOST-$pid-$BOOT-0123456789abcdeg" \
		".iotest-$HOST-0$pid-$BOOT-0123456789abcdef" ".iotest-$HOST-$pid-$BOOT-0123456789abcdef.old" \
		".iotest-$HOST--$BOOT-0123456789abcdef" ".iotest-" .iotest-notes; do
		put_dir "$name"
	done
	expect_kept 'no run gives such a name'
	expect_equal "$(find d -mindepth 1 -maxdepth 1 | wc -l)" 7 "directories"
}

# Each makes of a leftover something that is not provably ours.
make_readable() { chmod 0755 "$left"; }
make_foreign() { chown 65533 "$left"; }
make_link() { mv "$left" elsewhere && ln -s "$T/elsewhere" "$left"; }
make_file() { rm -r "$left" && echo data >"$left"; }
make_mount() { mount -t tmpfs -o mode=0700 tmpfs "$left" && put_file "$left/worker-0"; }
add_data() { echo "my thesis" >"$left/worker-7"; }
add_other_file() { put_file "$left/notes"; }
add_directory() { mkdir "$left/worker-7"; }
add_symbolic_link() { echo data >victim && ln -s "$T/victim" "$left/worker-7"; }
add_hard_link() { put_file d/victim && ln d/victim "$left/worker-7"; }
add_pipe() { mkfifo "$left/worker-7"; }
add_device() { mknod "$left/worker-7" c 1 3; }
add_foreign_file() { put_file "$left/worker-7" && chown 65533 "$left/worker-7"; }
add_remnant() { put_file "$left/.nfs0000000000000001"; }

readonly DOUBTS='
make_readable     ; its mode is 0755 instead of 0700
make_foreign      ; it belongs to user 65533
make_link         ; it is no directory
make_file         ; it is no directory
make_mount        ; another file system is mounted there
add_data          ; worker-7 in it does not begin as a test file does
add_other_file    ; notes in it is no test file
add_directory     ; worker-7 in it is no regular file
add_symbolic_link ; worker-7 in it is no regular file
add_hard_link     ; worker-7 in it has another name elsewhere
add_pipe          ; worker-7 in it is no regular file
add_device        ; worker-7 in it is no regular file
add_foreign_file  ; worker-7 in it belongs to another user
add_remnant       ; \.nfs0000000000000001 in it is a file that was removed while a process had it open'

what_is_not_provably_ours_stays_as_it_is()
{
	local make reason clean_status=1
	local -a reasons=()

	need_root
	while IFS=';' read -r make reason; do
		[ -n "$make" ] || continue
		put_leftover
		${make// /} || fail "$make"
		reasons+=("${left#d/}: ${reason# }")
		# In the report there are brackets around it.
		reasons[-1]=${reasons[-1]/: /(: | [(])}
	done <<<"$DOUBTS"
	expect_kept "${reasons[@]}"
	# Each once, with its reason.
	expect_json out '[.run.sweep_failure, .run.others_left] | join(", ") | [scan("\\.iotest-")] | length == 14'
	[ -s elsewhere/worker-1 ] || fail "followed a link"
}

# The next start of another user does not touch it either.
another_user_leaves_it_alone()
{
	need_root
	put_leftover
	chmod 1777 d
	status=0
	setpriv --reuid 65533 --regid 65533 --clear-groups "$IOTEST" clean -t d >out 2>err </dev/null || status=$?
	expect_status 0
	expect_text out 'left alone: .*: it belongs to user 0'
	[ -e "$left/worker-1" ] || fail "removed"
}

run_tests the_next_run_removes_it_and_says_so the_space_of_it_is_planned_with \
	clean_prints_what_it_removed_and_a_dry_run_removes_nothing clean_needs_a_directory_that_is_one \
	files_without_their_begin_go_too a_live_run_is_left_alone a_live_process_of_that_pid_is_believed \
	another_program_with_that_pid_is_no_run another_host_is_left_alone \
	another_start_that_is_younger_is_left_alone another_start_that_is_older_goes \
	names_that_are_not_quite_ours_are_left_alone what_is_not_provably_ours_stays_as_it_is \
	another_user_leaves_it_alone
