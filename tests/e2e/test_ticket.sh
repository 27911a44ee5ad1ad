#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# ticket: its words name the evidence, and its commands do what they say.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# make_ticket DIR [run options]: runs, and leaves the ticket in "ticket".
make_ticket()
{
	local dir=$1
	shift

	mkdir -p "$dir" o
	rm -f o/*.tar.gz
	iotest -t "$dir" -o o "$@"
	[ "$status" = 0 ] || [ "$status" = 4 ] || fail "the run ended with $status"
	bundle_in o
	iotest ticket "$bundle"
	expect_status 0
	cp out ticket
	json=$(tar -xzOf "$bundle" --wildcards '*/report.json') || fail "tar"
}

# The commands below a title, without its note.
part()
{
	awk -v t="$1" '$0 == t { on = 1; next } on && /^$/ { exit } on && !/^[#] | the real time$/' ticket
}

the_words_name_verdict_and_evidence()
{
	make_ticket d --size 1M --case A-17
	expect_text ticket 'Verdict [A-Z]+: '
	expect_text ticket 'case A-17'
	expect_text ticket "$(jq -r .run.id <<<"$json")"
	expect_text ticket "$(sha256sum "$bundle" | cut -d' ' -f1)"
	expect_text ticket "${bundle##*/}"
}

# plan_again: of the command in the ticket, the plan; all that decides what is done.
readonly DECIDES='.method, .mode, .workers, .cores, .bytes_per_worker, .block_bytes, .judges_write,
	.judges_read, .mixed_read_percent, .time_limit_ns, .repeat, .requirement_mib_per_s,
	.requirement_name, .requirement_given, .control, .io'

measuring_again_is_the_same_plan()
{
	local options again

	for options in "--size 1M" "--quick --time-limit 5s --size 64M" "--prove 1.5 --time-limit 5500ms" \
		"--size 2M --workers 3 --cores 7 --block-size 8K --require 0.5" \
		"--size 1M --require sas-minimum --phases write --pin" \
		"--size 1M --mixed 40 --data compressible=30" "--size 1M --data zeros --repeat 2" \
		"--size 1M --integrity full --phases read" "--size 1M --data ./f"; do
		echo content >f
		# shellcheck disable=SC2086
		make_ticket d $options
		again=$(part 'MEASURE AGAIN')
		[[ $again == 'iotest run -t '* ]] || fail "again: $again"
		eval "\"\$IOTEST\" plan ${again#iotest run} --format json" >plan.json || fail "$again"
		jq -c "if .plans then .plans[0] else .plan end | [$DECIDES]" plan.json >plan.got
		jq -c "(if .targets then .targets[0] else . end).plan | [$DECIDES]" <<<"$json" >plan.want
		expect_same plan.want plan.got
	done
}

names_are_quoted_for_the_shell()
{
	local name again

	# shellcheck disable=SC2016 # a name, not a command
	for name in "it's a dir" $'new\nline \033[1m' 'a:b' '$(touch evil)' '-x'; do
		make_ticket "$T/$name" --size 1M
		again=$(part 'MEASURE AGAIN')
		! grep -q $'\033' ticket || fail "the terminal obeys"
		eval "\"\$IOTEST\" plan ${again#iotest run} --format json" >plan.json || fail "$again"
		jq -j "(if .plans then .plans[0] else .plan end).target" plan.json >got
		printf '%s' "$T/$name" >want
		expect_same want got
		part 'CHECK WITH DD' >dd.sh
		bash dd.sh >dd.out 2>&1 || fail "$(cat dd.out)"
		expect_empty "$T/$name"
	done
	[ ! -e evil ] || fail "a name was run"
}

dd_moves_the_same_bytes()
{
	make_ticket d --size 3M --workers 3 --block-size 128K
	part 'CHECK WITH DD' >dd.sh
	# What is left before it goes.
	sed -i 's/^for .* rm -f .*/stat -c %s d\/iotest-dd.* >sizes; &/' dd.sh
	bash dd.sh >dd.out 2>&1 || fail "$(cat dd.out)"
	expect_equal "$(tr '\n' ' ' <sizes)" "3145728 3145728 3145728 " "sizes"
	expect_equal "$(grep -c '^24+0 records out' dd.out)" 6 "files written and read"
	expect_empty d
}

fio_moves_the_same_bytes()
{
	command -v fio >/dev/null || skip "no fio here"
	make_ticket 'd:1' --size 3M --workers 3 --block-size 128K
	part 'CHECK WITH FIO' >fio.sh
	bash fio.sh >fio.out 2>&1 || fail "$(cat fio.out)"
	expect_text fio.out 'WRITE:.*io=9216KiB'
	expect_text fio.out 'READ:.*io=9216KiB'
	expect_empty 'd:1'
}

a_report_alone_has_no_digest()
{
	make_ticket d --size 1M
	echo "$json" >report.json
	iotest ticket report.json
	expect_status 0
	! grep -q sha256 out || fail "a digest of nothing"
	iotest ticket
	expect_status 2
	iotest ticket report.json --format json
	expect_status 2
}

run_tests the_words_name_verdict_and_evidence measuring_again_is_the_same_plan \
	names_are_quoted_for_the_shell dd_moves_the_same_bytes fio_moves_the_same_bytes \
	a_report_alone_has_no_digest
