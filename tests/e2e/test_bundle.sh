#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The bundle: its name, never over another, what damages it shows, and after a failed run.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

small_run()
{
	mkdir -p d o
	iotest -t d --size 1M -o o "$@"
}

bundles_in()
{
	find "$1" -maxdepth 1 -name 'iotest_*.tar.gz' | wc -l
}

runs_in_the_same_second_make_two_bundles()
{
	local uid

	need_root
	mkdir -m 0777 d o
	# Each user has one run at a time.
	for uid in 0 $((1000000 + $$ * 16)) $((1000001 + $$ * 16)); do
		setpriv --reuid "$uid" --regid "$uid" --clear-groups "$IOTEST" -t d --size 1M -o o >"$uid.out" \
			2>"$uid.err" </dev/null &
	done
	wait
	expect_equal "$(bundles_in o)" 3 "number of bundles"
	expect_equal "$(find o -name '*.partial')" "" "partial folders"
	for bundle in o/*.tar.gz; do
		iotest report "$bundle"
		expect_status 0
	done
}

the_name_has_host_and_utc_time()
{
	local before

	before=$(date -u +%Y%m%d-%H%M%S)
	small_run
	expect_status 0
	bundle_in o
	[[ ${bundle##*/} =~ ^iotest_[A-Za-z0-9._-]+_([0-9]{8}-[0-9]{6})\.tar\.gz$ ]] ||
		fail "name: ${bundle##*/}"
	[[ ! ${BASH_REMATCH[1]} < $before ]] || fail "${BASH_REMATCH[1]} is before $before"
}

the_case_goes_into_name_and_report()
{
	small_run --case SR-4711
	expect_status 0
	bundle_in o
	[[ $bundle == *SR-4711* ]] || fail "name: $bundle"
	expect_text out 'SR-4711'
	small_run --case '../../evil'
	expect_equal "$(find . -path ./o -prune -o -name '*evil*' -print)" ""
}

it_goes_into_the_current_directory_by_default()
{
	mkdir d here
	cd here || return
	iotest -t ../d --size 1M
	expect_status 0
	bundle_in .
}

keep_dir_leaves_the_folder_and_no_bundle_no_archive()
{
	local folder

	small_run --keep-dir
	expect_status 0
	bundle_in o
	folder=${bundle%.tar.gz}
	[ -f "$folder/report.json" ] || fail "no folder $folder"
	expect_equal "$(stat -c %a "$folder")" 700
	mv out first
	iotest report "$folder"
	expect_status 0
	expect_same first out
	rm -rf o
	small_run --no-bundle
	expect_status 0
	expect_equal "$(ls -A o)" "" "what --no-bundle leaves"
}

a_damaged_bundle_is_refused()
{
	small_run
	expect_status 0
	bundle_in o
	head -c 2000 "$bundle" >truncated.tar.gz
	expect_bad truncated.tar.gz
	unpack "$bundle" b
	repack b/ good.tar.gz
	iotest report good.tar.gz
	expect_status 0
	sed -i 's/"bytes_per_worker": *[0-9]*/"bytes_per_worker": 7/' b/report.json
	repack b/ changed.tar.gz
	expect_bad changed.tar.gz
	expect_text err 'report.json'
	unpack "$bundle" b
	echo more >b/additional
	repack b/ additional.tar.gz
	expect_bad additional.tar.gz
	expect_text err 'additional'
	rm b/additional b/samples.tsv
	repack b/ missing.tar.gz
	expect_bad missing.tar.gz
	expect_text err 'samples.tsv'
	expect_bad b
}

# repack DIR NAME: an archive with DIR as its top folder, under the name that it had.
repack()
{
	local top

	top=$(basename "$bundle" .tar.gz)
	tar -czf "$2" --transform "s|^\./*|$top/|" -C "$1" .
}

expect_bad()
{
	iotest report "$1"
	expect_status 1 "$1"
	expect_text err "$1"
	[ ! -s out ] || fail "a report was printed from $1"
}

what_is_no_bundle_is_refused()
{
	mkdir foreign empty
	echo hello >foreign/file
	tar -czf foreign.tar.gz foreign
	head -c 100000 /dev/urandom >noise.tar.gz
	: >nothing.tar.gz
	echo '{"schema": "other/1"}' >other.json
	echo '{' >broken.json
	for bad in foreign.tar.gz noise.tar.gz nothing.tar.gz foreign empty other.json broken.json missing; do
		expect_bad "$bad"
	done
}

# Names in an archive that lead out of it, links and devices: read or refused, never followed.
a_hostile_archive_writes_nothing()
{
	mkdir -p x/top
	ln -s /etc/passwd x/top/report.json
	tar -czf link.tar.gz -C x top
	expect_bad link.tar.gz
	echo evil >x/evil
	tar -czPf up.tar.gz --transform 's|.*|../../evil-from-archive|' x/evil
	expect_bad up.tar.gz
	if [ -e ../../evil-from-archive ] || [ -e /evil-from-archive ]; then
		fail "written outside"
	fi
}

a_report_reads_json_alone()
{
	small_run
	expect_status 0
	bundle_in o
	unpack "$bundle" b
	iotest report b/report.json
	expect_status 0
	expect_same b/report.txt out
	iotest report b/report.json --format json
	expect_status 0
	expect_same b/report.json out
	iotest report "$bundle" --rejudge --format json
	expect_status 0
	expect_json out '.verdict.result | length > 0'
}

# The writers reach a limit of the file size: nothing complete was measured, and it is kept.
a_failed_run_keeps_its_bundle_marked_invalid()
{
	mkdir d o
	status=0
	# The plan does not see it coming: the limit is set from outside, once the worker runs.
	(
		"$IOTEST" -t d --size 2G --workers 1 -o o >out 2>err </dev/null &
		pid=$!
		wait_for pgrep -P "$pid" >pids
		for worker in $(pgrep -P "$pid"); do
			prlimit --pid "$worker" --fsize=1048576
		done
		wait "$pid"
	) || status=$?
	[ "$status" -eq 4 ] || [ "$status" -eq 1 ] || expect_status 4
	expect_empty d
	bundle_in o
	unpack "$bundle" b
	expect_json b/report.json '.verdict.result == "invalid"'
	expect_json b/report.json '.phases.write.workers[0].error == 27'
	expect_json b/report.json '.findings | length > 0'
	expect_text b/report.txt 'write throughput rate: +n/a'
	iotest report "$bundle"
	[ "$status" -ne 1 ] || expect_status 0
	expect_same b/report.txt out
}

a_known_limit_of_the_file_size_is_refused_by_the_plan()
{
	mkdir d o
	status=0
	(
		ulimit -f 1024
		"$IOTEST" -t d --size 16M -o o >out 2>err </dev/null
	) || status=$?
	expect_status 1
	expect_text err 'limit'
	expect_empty d
}

# A killed run leaves its folder; the next start names it.
an_abandoned_folder_is_named_by_the_next_run()
{
	local pid folder

	mkdir d o
	"$IOTEST" -t d --size 2G -o o >out 2>err </dev/null &
	pid=$!
	wait_for test -n "$(echo o/*.partial)"
	wait_for compgen -G 'o/*.partial/iotest.log' >/dev/null
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null
	folder=$(basename o/*.partial)
	[ -d "o/$folder" ] || fail "no folder is left"
	# The workers die with their parent, but each takes the time to give its file back.
	wait_for flock --nonblock "o/$folder" true
	small_run
	expect_status 0
	expect_text err "$folder"
	[ -d "o/$folder" ] || fail "the evidence was removed"
	expect_empty d
}

run_tests runs_in_the_same_second_make_two_bundles the_name_has_host_and_utc_time \
	the_case_goes_into_name_and_report it_goes_into_the_current_directory_by_default \
	keep_dir_leaves_the_folder_and_no_bundle_no_archive a_damaged_bundle_is_refused \
	what_is_no_bundle_is_refused a_hostile_archive_writes_nothing a_report_reads_json_alone \
	a_failed_run_keeps_its_bundle_marked_invalid a_known_limit_of_the_file_size_is_refused_by_the_plan \
	an_abandoned_folder_is_named_by_the_next_run
