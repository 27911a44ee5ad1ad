#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Quick, prove, repeated, mixed and simultaneous runs, and the ways of I/O: what is done, what is
# left, and how it is told.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# verdicts N: the text on stdout has so many pages.
verdicts()
{
	expect_equal "$(grep -c '^VERDICT' out)" "$1" "verdicts in the text"
}

repeats_are_all_recorded_and_one_page_is_shown()
{
	mkdir d o
	iotest -t d --size 4M --repeat 3 -o o
	expect_status 0
	verdicts 1
	expect_equal "$(grep -c '^run . of 3$' err)" 3 "runs told"
	expect_empty d
	bundle_in o
	unpack "$bundle" u
	expect_same out u/report.txt
	expect_json u/report.json '.targets | length == 3'
	expect_json u/report.json '[.targets[].run.id] | unique | length == 3'
	expect_json u/report.json '[.targets[].plan.method] | unique == ["full/2"]'
	expect_equal "$(find u/results -type f | sed 's|.*/results/||' | sort | grep -c '^run[123]/write\.1$')" 3
	iotest report "$bundle"
	expect_status 0
	verdicts 1
	cp out recorded
	iotest report u/report.json
	verdicts 1
	expect_same out recorded
	iotest report "$bundle" --rejudge
	verdicts 1
}

repeats_of_several_targets_have_places_of_their_own()
{
	mkdir a b o
	iotest -t a -t b --size 4M --repeat 2 -o o --format json
	expect_status 0
	expect_json out '[.targets[].plan.target_index] == [0, 0, 1, 1]'
	expect_empty a
	expect_empty b
	bundle_in o
	unpack "$bundle" u
	for place in target1/run1 target1/run2 target2/run1 target2/run2; do
		[ -s "u/results/$place/read.1" ] || fail "no results in $place"
	done
}

targets_together_overlap_in_time()
{
	mkdir a b o
	iotest -t a -t b --together --size 8M -o o --format json
	expect_status 0
	expect_json out '.targets | length == 2'
	expect_json out '[.targets[].plan | .together, (.method == "full/2+together")] | all'
	expect_json out '.targets[0].run.started_at_ns < .targets[1].run.ended_at_ns'
	expect_json out '.targets[1].run.started_at_ns < .targets[0].run.ended_at_ns'
	expect_json out '.targets[0].phases.write.started_at_ns == .targets[1].phases.write.started_at_ns'
	expect_empty a
	expect_empty b
	iotest -t a -t b --together --size 8M -o o
	expect_status 0
	verdicts 2
	expect_text err "write phase of $T/a: "
	expect_text err "write phase of $T/b: "
}

quick_stays_within_its_space()
{
	mkdir d o
	iotest -t d --quick --time-limit 5s -o o --format json
	expect_status 0
	expect_json out '.plan.method == "quick/1" and .plan.mode == "quick"'
	expect_json out '.plan.total_bytes <= .host.targets[0].free_bytes / 20'
	expect_json out '.plan.total_bytes <= 68719476736'
	expect_json out '.phases.write.bytes <= .plan.total_bytes'
	# All read as much as the one that wrote least: none is done early and leaves the rest alone.
	expect_json out '[.phases.read.workers, .phases.write.workers] | map(map(.bytes)) | transpose |
		all(.[0] <= .[1])'
	expect_json out '.phases.read.bytes == .phases.read.planned_bytes or .phases.read.status != "complete"'
	expect_empty d
}

prove_paces_what_it_writes()
{
	mkdir d o
	iotest -t d --prove 1 --time-limit 5s -o o --format json
	[[ $status == [034] ]] || fail "exit status $status"
	expect_json out '.plan.method == "prove/1" and .plan.requirement_given'
	expect_json out '.plan.io.pace_bytes_per_s * .plan.workers > .plan.cores * 1048576'
	expect_json out '.phases.write.bytes <= .plan.total_bytes'
	expect_empty d
}

a_mixed_run_reads_its_share()
{
	mkdir d o
	iotest -t d --size 10M --mixed 70 -o o --format json
	expect_status 0
	expect_json out '.plan.method == "full/2+mixed70"'
	expect_json out '.phases.mixed.bytes == .plan.total_bytes'
	expect_json out '([.phases.mixed.workers[].read_bytes] | add) == 7340032 * .plan.workers'
	expect_json out '.phases.read.status == "not-run"'
	expect_empty d
}

one_phase_is_judged_alone()
{
	mkdir d o
	iotest -t d --size 4M --phases write -o o --format json
	expect_status 0
	expect_json out '.phases.read.status == "not-run" and .phases.write.status == "complete"'
	iotest -t d --size 4M --phases read -o o --format json
	expect_status 0
	expect_json out '.phases.read.status == "complete" and (.plan.judges_write | not)'
}

every_sample_has_every_column()
{
	mkdir d o
	iotest -t d --size 4M -o o
	expect_status 0
	bundle_in o
	unpack "$bundle" u
	expect_equal "$(head -n 1 u/samples.tsv | cut -f 8-)" \
		"$(printf 'slowest_bytes\tfastest_bytes\tcpu_s\tdirty_bytes\tdevice_read_bytes\tdevice_written_bytes\tdevices')"
	[ "$(wc -l <u/samples.tsv)" -gt 2 ] || fail "no samples"
	expect_equal "$(awk -F '\t' 'NF != 14 { n++ } $0 ~ /\t\t|\t$/ { n++ } END { print n + 0 }' u/samples.tsv)" 0 \
		"lines with empty or missing columns"
	for key in call_p50_us call_p90_us call_p99_us call_p999_us call_max_us stopped_s; do
		grep -q "^$key	" u/results/write.1 || fail "write.1 has no $key"
	done
	grep -qx 'stamps	1024' u/results/read.1 || fail "read.1 has no stamps"
	grep -q '^stamps' u/results/write.1 && fail "nothing is checked while it is written"
	return 0
}

data_of_a_file_is_named_by_its_path()
{
	mkdir d o
	seq 100000 >numbers
	iotest plan -t d --size 4M --data ./numbers --format json
	expect_status 0
	expect_json out '.. | .data_file? | select(. != null) | endswith("/numbers")'
	iotest plan -t d --size 4M --data numbers --format json
	expect_json out '.. | .data_file? | select(. != null) | endswith("/numbers")'
	iotest -t d --size 4M --data numbers --integrity full -o o --format json
	expect_status 0
	expect_json out '.plan.method == "full/2+file"'
	expect_json out '[.phases.read.workers[].bad_stamps] | add == 0'
}

run_tests repeats_are_all_recorded_and_one_page_is_shown \
	repeats_of_several_targets_have_places_of_their_own targets_together_overlap_in_time \
	quick_stays_within_its_space prove_paces_what_it_writes a_mixed_run_reads_its_share \
	one_phase_is_judged_alone every_sample_has_every_column data_of_a_file_is_named_by_its_path
