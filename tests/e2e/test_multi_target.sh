#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Several targets are measured one after the other, into one report and one bundle.
# shellcheck disable=SC2016 # $n is jq's
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

targets_come_one_after_the_other_into_one_bundle()
{
	mkdir a b o
	iotest -t a -t b --size 4M -o o --redact none --format json
	expect_status 0
	expect_json out '.targets | length == 2'
	expect_json out --arg n "$T/a" '.targets[0].plan.target == $n'
	expect_json out --arg n "$T/b" '.targets[1].plan.target == $n'
	expect_json out '.targets[0].run.ended_at_ns <= .targets[1].run.started_at_ns'
	expect_json out '[.targets[].phases[].bytes] | all(. == 4194304 * 2 or . > 0)'
	expect_json out '[.targets[] | .phases.write.bytes == .plan.total_bytes] | all'
	expect_empty a
	expect_empty b
	bundle_in o
	unpack "$bundle" u
	expect_same out u/report.json
	[ "$(find u/results -name 'write.1' | wc -l)" -ge 1 ] || fail "no results"
	iotest report "$bundle"
	expect_status 0
	expect_equal "$(grep -c '^VERDICT' out)" 2 "verdicts in the text"
}

one_bad_target_is_found_before_any_is_measured()
{
	mkdir a o
	iotest -t a -t missing --size 4M -o o
	expect_status 1
	expect_text err missing
	expect_empty a
}

plan_and_probe_take_several_targets()
{
	mkdir a b
	iotest plan -t a -t b --size 4M --format json
	expect_status 0
	expect_json out '.. | .target? | select(. != null) | length > 0'
	iotest probe -t a -t b --format json
	expect_status 0
	expect_json out '.host.targets | length == 2'
}

run_tests targets_come_one_after_the_other_into_one_bundle \
	one_bad_target_is_found_before_any_is_measured plan_and_probe_take_several_targets
