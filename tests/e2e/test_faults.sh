#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The fault matrix: whatever goes wrong below, beside or within a run, it ends with the right exit
# status and a sentence that names the fault, without a rate that pretends, with its evidence kept,
# and with nothing left in the target.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# ------------------------------------------------------------------ what every row expects

# A sentence of the report on standard output.
expect_finding()
{
	# shellcheck disable=SC2016
	expect_json out --arg re "$1" '[.verdict.text, .findings[].text] | any(test($re))'
}

# The bundle can be read and says the same; it sets $bundle.
expect_evidence()
{
	bundle_in o
	"$IOTEST" report "$bundle" --format json >kept 2>kept.err || [ $? -ge 3 ] ||
		fail "the bundle cannot be read: $(cat kept.err)"
}

# Nothing measured: no report, one sentence, no rate in the evidence.
expect_nothing_measured()
{
	expect_status 1
	expect_text err "$1"
	[ ! -s out ] || fail "a report of nothing"
	expect_evidence
	# shellcheck disable=SC2016
	expect_json kept --arg re "$1" '.run.failure | test($re)'
	expect_json kept '[.phases[] | select(.usable == true)] == []'
}

expect_unusable()
{
	expect_status 4
	expect_json out '.verdict.result == "invalid" and .verdict.mib_per_s_per_core == null'
	expect_json out '[.phases[] | select(.usable == true)] == []'
	expect_finding "$1"
	expect_evidence
	"$IOTEST" report "$bundle" >page 2>/dev/null
	expect_no_text page 'throughput rate: +[0-9]'
}

# The fault was overcome: all bytes moved, and none was other than written.
expect_overcome()
{
	expect_status 0
	expect_json out '.verdict.result != "invalid"'
	expect_json out '[.phases.write, .phases.read] | all(.status == "complete")'
	expect_json out '[.phases.read.workers[].bad_stamps] | add == 0'
	expect_evidence
}

# expect_end EXIT SENTENCE
expect_end()
{
	case $1 in
	0) expect_overcome ;;
	1) expect_nothing_measured "$2" ;;
	4) expect_unusable "$2" ;;
	esac
}

# What could not be removed is said, with its place.
expect_told_leftover()
{
	[ "$status" -eq 1 ] || expect_finding 'of test files was left in .*/d/\.iotest-'
	[ "$status" -ne 1 ] || expect_text err 'test files may be left in .*/d/\.iotest-'
}

# What a dead or hanging mount kept goes with the next start, once it answers again.
expect_swept()
{
	rm -rf o
	mkdir o
	serve b d
	iotest -q -t d -o o --size 1M --workers 1
	unserve d
	expect_empty b
}

# ------------------------------------------------------------------ rows on faultfs

# NAME ; WORDS OF FAULTFS ; EXIT ; SENTENCE ; OPTIONS ; swept, if the next start has to clean up
#
# A run has two workers of 2 MiB each, so 32 blocks of 64 KiB a worker and phase.
readonly FAULTS='
eio_on_the_first_write    ; write:EIO                 ; 1 ; cannot write at byte 0: Input/output error
eio_on_a_middle_write     ; write:EIO@10              ; 4 ; write failed at offset [0-9]+: Input/output error
eio_on_one_write_alone    ; write:EIO@10x1            ; 4 ; write failed .*Input/output error
eio_on_the_last_write     ; write:EIO@64              ; 4 ; write failed .*Input/output error
eio_on_the_first_read     ; read:EIO                  ; 4 ; read failed at offset 0: Input/output error
eio_on_a_middle_read      ; read:EIO@5                ; 4 ; read failed at offset [1-9][0-9]*: Input/output error
eio_on_fsync_alone        ; fsync:EIO                 ; 4 ; fsync failed at offset 2097152: Input/output error
eio_on_one_fsync_alone    ; fsync:EIO@2x1             ; 4 ; fsync failed .*Input/output error
eio_of_write_back         ; write_back write:EIO@2    ; 4 ; fsync failed .*Input/output error
enospc_on_the_first_write ; write:ENOSPC              ; 1 ; cannot write at byte 0: No space left on device
enospc_on_a_middle_write  ; write:ENOSPC@20           ; 4 ; write failed .*No space left on device
enospc_of_write_back      ; write_back write:ENOSPC@2 ; 4 ; fsync failed .*No space left on device
edquot_on_the_first_write ; write:EDQUOT              ; 1 ; cannot write at byte 0: Disk quota exceeded
edquot_on_a_middle_write  ; write:EDQUOT@20           ; 4 ; write failed .*Disk quota exceeded
erofs_on_the_first_write  ; write:EROFS               ; 1 ; cannot write at byte 0: Read-only file system
erofs_on_a_middle_write   ; write:EROFS@20            ; 4 ; write failed .*Read-only file system
estale_on_a_middle_write  ; write:ESTALE@20           ; 4 ; write failed .*Stale file handle
estale_on_a_middle_read   ; read:ESTALE@3             ; 4 ; read failed .*Stale file handle
efbig_on_a_middle_write   ; write:EFBIG@20            ; 4 ; write failed .*File too large
short_writes              ; write:short               ; 0
short_writes_unbuffered   ; direct_io write:short     ; 0
short_reads_unbuffered    ; direct_io read:short      ; 0
a_write_of_nothing        ; direct_io write:none@5    ; 4 ; write failed .*no byte was taken
a_read_of_nothing         ; direct_io read:none@3     ; 4 ; read failed .*the file ended
a_file_cut_by_the_server  ; read:short@2x1            ; 4 ; read failed .*the file ended
eintr_storm_on_write      ; write:EINTR@5x500         ; 0
eintr_storm_on_read       ; read:EINTR@2x500          ; 0
eintr_storm_on_fsync      ; fsync:EINTR@1x100         ; 0
o_direct_refused          ; direct:EINVAL             ; 1 ; refuses O_DIRECT ; --direct
o_direct_refused_by_write ; direct_io write:EINVAL    ; 1 ; refuses O_DIRECT ; --direct
no_directory_allowed      ; mkdir:EACCES              ; 1 ; cannot create the test files: Permission denied
no_file_allowed           ; create:EPERM              ; 1 ; cannot create the test files: Operation not permitted
eio_on_the_second_file    ; create:EIO@2              ; 1 ; cannot create the test files: Input/output error
enospc_on_a_file          ; create:ENOSPC@2           ; 1 ; cannot create the test files: No space left
unlink_refused_for_a_time ; unlink:EIO@1x3            ; 0
rmdir_refused_for_a_time  ; rmdir:EIO@1x3             ; 0
rename_refused            ; rename:EIO                ; 0
readdir_refused           ; readdir:EIO               ; 0
reopening_refused         ; open:EIO                  ; 0
dead_in_the_first_write   ; write:die                 ; 1 ; not connected|connection abort|Input/output error ; ; swept
dead_in_a_middle_write    ; write:die@10              ; 4 ; write failed .*(not connected|connection abort|Input/output error) ; ; swept
dead_in_a_read            ; read:die@3                ; 4 ; read failed .*(not connected|connection abort|Input/output error) ; ; swept
dead_in_fsync             ; fsync:die                 ; 4 ; failed .*(not connected|connection abort|Input/output error) ; ; swept'

# trimmed TEXT: without blanks at both ends
trimmed()
{
	local text=$1

	text=${text#"${text%%[! ]*}"}
	echo "${text%"${text##*[! ]}"}"
}

# faulty_row ROW
faulty_row()
{
	local words expected sentence options left

	IFS=';' read -r _ words expected sentence options left <<<"$1;;;"
	mkdir o
	# shellcheck disable=SC2046,SC2086
	serve b d $words
	# shellcheck disable=SC2086
	iotest -q -t "$T/d" -o o --size 2M --workers 2 --format json $options
	expect_end "$(trimmed "$expected")" "$(trimmed "$sentence")"
	expect_no_process "-t $T/d"
	unserve d
	if [ "$(trimmed "${left%%;*}")" = swept ]; then
		expect_told_leftover
		expect_swept
	else
		expect_empty b
	fi
}

# Each row is a fact of its own: a function of its name. It sets $faulty.
define_rows()
{
	local row name

	faulty=()
	while read -r row; do
		[ -n "$row" ] || continue
		name=$(trimmed "${row%%;*}")
		eval "$name() { faulty_row '$row'; }"
		faulty+=("$name")
	done <<<"$FAULTS"
}

# A mount that is dead or does not answer before anything was done: no bundle is begun either.
a_dead_mount_is_named_at_once()
{
	mkdir o
	serve b d
	kill -KILL "$daemon"
	iotest -q -t d -o o --size 1M
	expect_status 1
	expect_text err 'is not connected'
	expect_empty o
	umount -l "$T/d"
	expect_empty b
}

an_io_error_of_the_directory_is_named_at_once()
{
	mkdir o
	serve b d attr:EIO
	iotest -q -t d -o o --size 1M
	expect_status 1
	expect_text err 'I/O error'
	expect_empty o
	unserve d
	expect_empty b
}

# Names that cannot be removed at all are told, with their place.
names_that_cannot_be_removed_are_told()
{
	mkdir o
	serve b d unlink:EPERM
	iotest -q -t d -o o --size 2M --workers 2 --format json
	expect_finding '4 MiB of test files was left in .*/d/\.iotest-'
	expect_json out '.run.left_bytes == 4194304'
	unserve d
	expect_swept
}

# ------------------------------------------------------------------ what hangs

# A hanging row begins in the background, since all of them wait most of the time, as a user of its
# own, since one user has one run at a time; and no other test of this machine has such users.
readonly HANG_USERS=$((1000000 + $$ * 16))

# hang_begin NUMBER WORD...
hang_begin()
{
	local dir=$T/h$1 uid=$((HANG_USERS + $1))

	mkdir -m 0755 "$dir"
	mkdir -p "$dir/b" "$dir/d" "$dir/o"
	chown "$uid" "$dir" "$dir/b" "$dir/o"
	serve "h$1/b" "h$1/d" "${@:2}"
	daemons+=("$daemon")
	(
		cd "$dir" || exit 1
		# The environment of root is not for the user.
		exec env -i "ASAN_OPTIONS=${ASAN_OPTIONS:-}" "UBSAN_OPTIONS=${UBSAN_OPTIONS:-}" \
			setpriv --reuid "$uid" --regid "$uid" --clear-groups "$IOTEST" -q -t "$dir/d" \
			-o "$dir/o" --size 2M --workers 2 --format json --quick --time-limit 5 >out 2>err \
			</dev/null
	) &
	runs+=($!)
}

# hang_check NUMBER EXIT SENTENCE: with "probe" instead of an exit status nothing was begun.
hang_check()
{
	cd "$T/h$1" || exit 1
	status=${statuses[$1]}
	if [ "$2" = probe ]; then
		expect_status 1
		expect_text err "$3"
		expect_empty o
	else
		expect_end "$2" "$3"
	fi
	cd "$T" || exit 1
}

# The mount dies, and with it all that hung. The next start cleans up.
hang_sweep()
{
	expect_no_process "-t $T/h$1/d"
	[ -n "$(ls -A "h$1/b")" ] || return 0
	serve "h$1/b" "h$1/d"
	(
		cd "h$1" || exit 1
		rm -rf o/*
		setpriv --reuid $((HANG_USERS + $1)) --regid $((HANG_USERS + $1)) --clear-groups \
			"$IOTEST" -q -t d -o o --size 1M --workers 1 >out 2>err </dev/null
	)
	unserve "h$1/d"
	expect_empty "h$1/b"
}

readonly HANGS='
write:stop@10          ; 4     ; storage (hung|did not answer)
write:hang@10          ; 4     ; storage (hung|did not answer)
read:stop@5            ; 4     ; storage (hung|did not answer)
read:hang@5            ; 4     ; storage (hung|did not answer)
fsync:stop             ; 4     ; storage (hung|did not answer)
fsync:stop@3           ; 4     ; storage hangs: an fsync
write:EINTR@5          ; 4     ; storage (hung|did not answer)
unlink:stop            ; 0     ;
attr:stop              ; probe ; does not answer'

what_does_not_answer_ends_by_its_deadline()
{
	local i words expected sentence
	local -a rows=() runs=() daemons=() statuses=() failed=()

	mapfile -t rows < <(grep . <<<"$HANGS")
	for i in "${!rows[@]}"; do
		IFS=';' read -r words _ <<<"${rows[i]}"
		# shellcheck disable=SC2086
		hang_begin "$i" $words
	done
	for i in "${!rows[@]}"; do
		statuses[i]=0
		wait "${runs[i]}" || statuses[i]=$?
	done
	# Nothing below may wait for a mount that hangs.
	for i in "${!rows[@]}"; do
		daemon=${daemons[i]}
		unserve "h$i/d"
	done
	for i in "${!rows[@]}"; do
		IFS=';' read -r words expected sentence <<<"${rows[i]}"
		(hang_check "$i" "$(trimmed "$expected")" "$(trimmed "$sentence")" && hang_sweep "$i") ||
			failed+=("$(trimmed "$words")")
	done
	[ ${#failed[@]} -eq 0 ] || fail "${failed[*]}"
}

# ------------------------------------------------------------------ real file systems

in_phase()
{
	grep -q "^$1 phase: [0-9]" err 2>/dev/null
}

# begin_paced [COMMAND...]: a run, begun by that command, which writes 5 MiB/s a core for 2 s and
# then reads, if $phases says so; sets $pid
begin_paced()
{
	mkdir -p o
	"$@" "$IOTEST" -t d -o o --workers 2 --format json --prove 5 --time-limit 5 \
		--phases "${phases:-write,read}" >out 2>err </dev/null &
	pid=$!
	wait_for in_phase write
	sleep 0.3
}

end_run()
{
	status=0
	wait "$pid" || status=$?
}

# A standard error that is full holds a run between its plan and its first file.
# begin_held OPTION...: sets $pid
begin_held()
{
	mkdir -p o
	mkfifo held
	exec 9<>held
	head -c 65536 /dev/zero >&9
	"$IOTEST" -t d -o o --format json --yes "$@" >out 2>&9 </dev/null 9>&- &
	pid=$!
	wait_for grep -q pipe_write "/proc/$pid/wchan"
}

let_held_go()
{
	# Who reads must not be a writer itself, or it would never see the end.
	{ cat <held | tr -d '\0' >err; } 9>&- &
	exec 9>&-
	end_run
	wait
}

# fill DIR LEAVE_KIB: by somebody else
fill()
{
	local kib

	dd if=/dev/zero of="$1/other" bs=1M 2>/dev/null
	dd if=/dev/zero of="$1/other2" bs=4K 2>/dev/null
	[ "$2" -eq 0 ] && sync -f "$1" && return
	kib=$(($(stat -c %s "$1/other") / 1024 - $2))
	truncate -s "${kib}K" "$1/other"
	sync -f "$1"
}

# filled TYPE SIZE_MIB LEAVE_KIB EXIT [OPTION...]
filled()
{
	mk_loop_fs "$1" "$2" d
	begin_held --size 8M --workers 2 "${@:5}"
	fill d "$3"
	let_held_go
	expect_end "$4" 'No space left on device|others filled it: only [0-9.]+ [KM]?i?B are free'
	rm -f d/other d/other2
	expect_empty d
}

ext4_filled_by_others_before_the_first_write()
{
	filled ext4 64 0 1
}

ext4_filled_by_others_before_a_middle_write()
{
	filled ext4 64 4096 4 --keep-free 1
}

xfs_filled_by_others_before_the_first_write()
{
	filled xfs 320 0 1
}

btrfs_filled_by_others_before_a_middle_write()
{
	filled btrfs 160 4096 4 --keep-free 1
}

# limited_by_qgroup LIMIT EXIT
limited_by_qgroup()
{
	mk_loop_fs btrfs 300 v
	btrfs subvolume create v/s >/dev/null || fail "no subvolume"
	btrfs quota enable v 2>/dev/null || skip "no quota groups in this btrfs"
	btrfs qgroup limit "$1" v/s || fail "no limit"
	mkdir o
	iotest -q -t v/s -o o --size 16M --workers 1 --format json
	expect_end "$2" 'Disk quota exceeded'
	expect_empty v/s
}

a_btrfs_quota_that_ends_in_the_middle()
{
	limited_by_qgroup 6M 4
}

a_btrfs_quota_that_is_used_up()
{
	limited_by_qgroup 16K 1
}

# mount -o remount,ro is refused while files are open for writing, but a file system that finds an
# error in itself goes read-only in the middle.
an_ext4_that_goes_read_only_in_the_middle()
{
	local name

	mk_loop_fs ext4 1024 d
	mount -o remount,errors=remount-ro d || fail "remount"
	name=$(basename "$(findmnt -no SOURCE d)")
	[ -w "/sys/fs/ext4/$name/trigger_fs_error" ] || skip "no way to an error of ext4 here"
	begin_paced
	echo test >"/sys/fs/ext4/$name/trigger_fs_error"
	end_run
	expect_unusable 'failed .*(Read-only file system|Input/output error)'
	expect_empty d
}

a_disk_that_goes_away_in_the_middle()
{
	command -v xfs_io >/dev/null || skip "no xfs_io"
	mk_loop_fs xfs 1024 d
	begin_paced
	xfs_io -x -c shutdown d || fail "shutdown"
	end_run
	expect_unusable 'failed .*Input/output error'
}

# What lies below goes on to take the data; the mount point is the place of another file system.
a_lazy_unmount_in_the_middle()
{
	local loop image

	mk_loop_fs ext4 1024 d
	loop=$(findmnt -no SOURCE d)
	image=$(losetup -nO BACK-FILE "$loop")
	begin_paced
	umount -l d
	end_run
	# Whether the pace was held is a matter of how busy this machine is.
	expect_json out '.verdict.result != "invalid"'
	expect_json out '.phases.write.status == "complete" and .phases.read.status == "complete"'
	expect_json out '[.phases.read.workers[].bad_stamps] | add == 0'
	expect_empty d
	wait_for test ! -e "/sys/block/$(basename "$loop")/loop/backing_file"
	mount -o loop "$image" d || fail "mount"
	expect_empty d
}

# ------------------------------------------------------------------ limits

a_low_limit_on_file_sizes()
{
	mkdir d o
	(ulimit -f 1024 && iotest -q -t d -o o --size 4M --workers 2 --format json && echo "$status" >status)
	status=$(cat status)
	[ "$status" -eq 1 ] || expect_unusable 'File too large'
	[ "$status" -ne 1 ] || expect_text err 'file size|File too large'
	expect_empty d
}

a_low_limit_on_open_files()
{
	mkdir d o
	(ulimit -n 48 && iotest -q -t d -o o --size 1M --workers 40 --format json && echo "$status" >status)
	status=$(cat status)
	expect_nothing_measured '40 workers need [0-9]+ open files, but the limit is 48'
	expect_empty d
}

# The limit holds for all processes of a user: one of its own.
a_low_limit_on_processes()
{
	need_root
	mkdir d o
	chown 61999 d o .
	status=0
	(
		ulimit -u 2
		exec setpriv --reuid 61999 --regid 61999 --clear-groups "$IOTEST" -q -t d -o o --size 1M \
			--workers 8 --format json >out 2>err </dev/null
	) || status=$?
	expect_nothing_measured 'cannot start worker process|limit on processes'
	expect_empty d
}

# Workers offer themselves to the kernel first, so that their parent lives to tell.
a_memory_cgroup_that_is_too_small()
{
	need_root
	if is_sanitized; then
		echo "     a sanitizer needs more memory than the limit: not looked at"
		return 0
	fi
	mkdir d o
	status=0
	in_memcg $((16 * MIB)) "$IOTEST" -q -t d -o o --size 64M --workers 4 --block-size 8M --format json >out \
		2>err </dev/null || status=$?
	[ "$status" -ne 77 ] || exit 77
	expect_nothing_measured 'killed by signal 9.*, because memory ran out'
	expect_json kept '.phases.write.oom_kills > 0'
	expect_empty d
}

# Somebody else in the same control group takes the memory.
a_memory_cgroup_that_others_fill_in_the_middle()
{
	local group

	need_root
	if is_sanitized; then
		echo "     a sanitizer needs more memory than the limit: not looked at"
		return 0
	fi
	mk_loop_fs ext4 1024 d
	limit_group memory
	echo $((48 * MIB)) >"$group/memory.limit_in_bytes" || fail "cannot set a memory limit"
	begin_paced in_group "$group"
	# shellcheck disable=SC2016
	bash -c 'echo $$ >"$1/cgroup.procs" && exec tail </dev/zero' fill "$group" >/dev/null 2>&1
	end_run
	expect_unusable 'was ended by signal 9 \(Killed\): memory ran out in its control group \(.*memory.limit_in_bytes\)'
	expect_json kept '.phases.write.oom_kills > 0'
	expect_empty d
}

# ------------------------------------------------------------------ workers and files

a_worker()
{
	pgrep -P "$pid" | tail -n 1
}

a_worker_that_is_stopped_for_a_while()
{
	local worker phases=write

	mk_loop_fs ext4 1024 d
	begin_paced
	worker=$(a_worker)
	kill -STOP "$worker"
	sleep 0.7
	kill -CONT "$worker"
	end_run
	expect_status 4
	expect_finding 'write worker . was stopped by a signal for'
	expect_json out '[.phases.write.workers[].stopped_ns] | max > 5e8'
	expect_json out '.verdict.result == "inconclusive" and .phases.write.usable == false'
	expect_evidence
	expect_empty d
}

a_worker_that_is_killed()
{
	mkdir d
	begin_paced
	kill -KILL "$(a_worker)"
	end_run
	expect_unusable 'write worker . was ended by signal 9 \(Killed\): memory did not run out, somebody|; meanwhile the kernel killed'
	expect_empty d
}

all_workers_killed()
{
	local -a workers

	mkdir d
	begin_paced
	mapfile -t workers < <(pgrep -P "$pid")
	kill -KILL "${workers[@]}"
	end_run
	expect_unusable 'was ended by signal 9 \(Killed\)'
	expect_empty d
}

# cut PHASE: the test files lose their content under the run
cut()
{
	mk_loop_fs ext4 1024 d
	begin_paced
	wait_for in_phase "$1"
	sleep 0.3
	find "/proc/$pid/fd" -lname "$T/d/*" -exec truncate -s 0 {} + || fail "nothing to cut"
	end_run
}

a_file_truncated_under_its_writer()
{
	cut write
	expect_unusable 'read back .*not as written|the file ended'
	expect_empty d
}

a_file_truncated_under_its_reader()
{
	cut read
	expect_unusable 'read failed .*the file ended'
	expect_empty d
}

# ------------------------------------------------------------------ results

an_output_directory_without_space()
{
	mkdir d
	mk_tmpfs o 1
	dd if=/dev/zero of=o/other bs=4K 2>/dev/null
	iotest -q -t d -o o --size 2M --workers 2 --format json
	expect_status 1
	expect_text err 'No space left on device'
	rm o/other
	expect_empty o
	expect_empty d
}

# The report still goes to standard output, but nobody may think that there is a bundle.
an_output_directory_that_is_filled_in_the_middle()
{
	local phases=write

	mkdir d
	mk_tmpfs o 8
	begin_paced
	dd if=/dev/zero of=o/other bs=4K 2>/dev/null
	end_run
	expect_status 4
	expect_text err 'No space left on device'
	expect_json out '.bundle == "" or .bundle == null'
	expect_json out '.phases.write.status == "complete"'
	expect_empty d
}

define_rows
run_tests "${faulty[@]}" a_dead_mount_is_named_at_once an_io_error_of_the_directory_is_named_at_once \
	names_that_cannot_be_removed_are_told what_does_not_answer_ends_by_its_deadline \
	ext4_filled_by_others_before_the_first_write ext4_filled_by_others_before_a_middle_write \
	xfs_filled_by_others_before_the_first_write btrfs_filled_by_others_before_a_middle_write \
	a_btrfs_quota_that_ends_in_the_middle a_btrfs_quota_that_is_used_up \
	an_ext4_that_goes_read_only_in_the_middle a_disk_that_goes_away_in_the_middle \
	a_lazy_unmount_in_the_middle a_low_limit_on_file_sizes a_low_limit_on_open_files \
	a_low_limit_on_processes a_memory_cgroup_that_is_too_small \
	a_memory_cgroup_that_others_fill_in_the_middle a_worker_that_is_stopped_for_a_while \
	a_worker_that_is_killed all_workers_killed a_file_truncated_under_its_writer \
	a_file_truncated_under_its_reader an_output_directory_without_space \
	an_output_directory_that_is_filled_in_the_middle
