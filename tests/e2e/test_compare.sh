#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# compare: two bundles side by side.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# run_into NAME [run options]: a bundle NAME.tar.gz.
run_into()
{
	local name=$1
	shift

	mkdir -p d "o-$name"
	iotest -t d -o "o-$name" "$@"
	[ "$status" = 0 ] || [ "$status" = 4 ] || fail "the run ended with $status"
	mv "o-$name"/*.tar.gz "$name.tar.gz" || fail "no bundle"
}

# edit NAME FILTER: NAME.json from the golden report.
edit()
{
	jq "$2" "$SOURCE_DIR/tests/golden/report.json" >"$1.json" || fail "jq"
}

two_runs_are_put_side_by_side()
{
	run_into a --size 1M
	run_into b --size 1M --workers 3
	iotest compare a.tar.gz b.tar.gz
	expect_status 0
	expect_text out 'A  a\.tar\.gz: .*/d on '
	expect_text out 'workers: A [0-9]+ [|] B 3'
	iotest compare a.tar.gz a.tar.gz
	expect_status 0
	for noun in RESULT PLAN TARGET HOST; do
		expect_text out "^$noun  the same"
	done
}

unlike_methods_are_refused_with_the_reason()
{
	run_into a --size 1M
	run_into b --size 1M --data zeros
	iotest compare a.tar.gz b.tar.gz
	expect_status 4
	expect_text err 'unlike methods are not comparable: .*io\.data unique and zeros'
	expect_equal "$(cat out)" ""
}

# Three runs around 100, and around what is given.
repeated()
{
	edit "$1" ".plan.repeat = 3 | .repeats = [range(3) | { id: \"\(.)\", write_mib_per_s_per_core: $2 }]
		| .phases.write += { judged_by: \"median\", n_runs: 3, judged_mib_per_s_per_core: $2,
		median_mib_per_s_per_core: $2, lowest_mib_per_s_per_core: ($2 - 1),
		highest_mib_per_s_per_core: ($2 + 1) }"
}

a_fall_below_the_spread_of_the_runs_has_a_status_of_its_own()
{
	repeated a 100
	repeated b 90
	repeated c 99
	iotest compare a.json b.json
	expect_status 3
	expect_text out 'write +100\.0 +90\.00 +-10\.0 %  LOWER'
	iotest compare b.json a.json
	expect_status 0
	expect_text out 'HIGHER'
	iotest compare a.json c.json
	expect_status 0
	expect_text out 'within the spread'
}

a_fall_of_one_run_is_shown_but_not_proved()
{
	edit a .
	edit b '.phases.write.judged_mib_per_s_per_core = 5'
	iotest compare a.json b.json
	expect_status 0
	expect_text out 'LOWER'
	expect_text out 'repeat 3 on both'
}

several_targets_meet_by_their_names()
{
	mkdir d e
	iotest -t d -t e --size 1M --format json -o .
	cp out two.json
	rm ./*.tar.gz
	iotest -t e --size 1M --format json -o .
	cp out one.json
	iotest compare two.json one.json
	expect_status 0
	expect_equal "$(grep -c '^COMPARED' out)" 1 "pairs"
	expect_text out "A  two\.json: .*/e on "
	edit x '.plan.target = "/elsewhere"'
	iotest compare two.json x.json
	expect_status 1
	expect_text err 'no target in common'
}

it_takes_two()
{
	edit a .
	iotest compare a.json
	expect_status 2
	iotest compare a.json a.json a.json
	expect_status 2
	iotest compare a.json /nowhere
	expect_status 1
}

run_tests two_runs_are_put_side_by_side unlike_methods_are_refused_with_the_reason \
	a_fall_below_the_spread_of_the_runs_has_a_status_of_its_own \
	a_fall_of_one_run_is_shown_but_not_proved several_targets_meet_by_their_names it_takes_two
