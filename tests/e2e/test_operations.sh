#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What runs without anybody watching, and what helps those who come later: history, explain,
# completion, units.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

readonly PACKAGING=$SOURCE_DIR/scripts/packaging

# A history of 40 runs a day apart, the last ones at half the rate and with another scheduler.
make_history()
{
	mkdir d
	iotest -q -t d --no-bundle --size 1M --history-file h.db
	expect_status 0
	sqlite3 h.db "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 39)
		INSERT INTO runs (id, started_at_ns, command, host, target, method, plan, verdict,
			write_mib_per_s, read_mib_per_s, settings)
		SELECT 'r' || n, (1700000000 + n * 86400) * 1000000000, 'run', 'alpha', '/saswork',
			'full/2', '2 workers', 'pass', CASE WHEN n < 34 THEN 200 + n % 5 ELSE 100 END, 300,
			CASE WHEN n < 34 THEN 'device.sda.scheduler=none' ELSE
				'device.sda.scheduler=bfq' END FROM i"
}

a_history_is_a_table_with_a_sparkline_and_a_trend()
{
	make_history
	TZ=UTC iotest history -t /saswork --history-file h.db
	expect_status 0
	expect_text out '^/saswork on alpha, full/2, 2 workers$'
	expect_text out '^2023-11-14 22:13  run      pass  +200\.0 +300\.0 +-$'
	expect_text out '^  write  [*#]+______  100\.0 to 204\.0 MiB/s per core$'
	expect_text out '^  trend  regression of write: 100\.0 .*device.sda.scheduler none -> bfq$'
	expect_no_text out "$T"
	iotest history --history-file h.db
	expect_text out "^$T/d on "
	expect_text out '^  trend  not known: the last run has no rate'
}

a_history_can_be_read_by_programs()
{
	make_history
	iotest history --history-file h.db --format json
	expect_json out '.schema == "iotest.history/1" and (.history | length) == 41'
	expect_json out '.history[0].write_mib_per_s == 200 and .history[0].bundle == null'
	iotest history --history-file h.db --format csv
	sed 's/\r$//' out >h.csv
	sqlite3 :memory: ".import --csv h.csv t" "SELECT count(*), sum(write_mib_per_s IS '100') FROM t" >counted
	expect_equal "$(cat counted)" '41|6'
	iotest history --history-file h.db --since 1d --format json
	expect_json out '.history | length == 1'
	iotest history --history-file h.db --since 2023-12-01 --format json
	expect_json out '.history | length > 20 and length < 30'
	iotest history --history-file h.db --since soon
	expect_status 2
	iotest history --history-file none.db
	expect_status 1
}

status_answers_at_once_from_a_long_history()
{
	make_history
	sqlite3 h.db "WITH RECURSIVE i(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM i WHERE n < 20000)
		INSERT INTO runs (id, started_at_ns, command, host, target, line, exit_status)
		SELECT 'c' || n, $(date +%s)000000000 - n * 1000000, 'check', '$(uname -n)', '$T/d',
			'IOTEST OK - c' || n, 0 FROM i"
	iotest status -t d --history-file h.db
	expect_status 0
	expect_equal "$(cat out)" 'IOTEST OK - c0'
	# It opens neither the directory nor what hwloc looks for.
	command -v strace >/dev/null || return 0
	is_sanitized && return 0
	strace -f -o trace "$IOTEST" status -t d --history-file h.db >out 2>err || fail "status $?"
	expect_no_text trace '/sys/devices|/proc/cpuinfo|mountinfo'
}

each_finding_is_explained()
{
	iotest explain
	expect_status 0
	cut -d' ' -f1 out >ids
	[ "$(wc -l <ids)" -gt 60 ] || fail "only $(wc -l <ids) findings"
	mapfile -t ids <ids
	iotest explain "${ids[@]}"
	expect_status 0
	expect_no_text out 'null'
	for part in meaning cause 'to do'; do
		expect_equal "$(grep -c "^  $part *[a-zA-Z0-9-]" out)" "${#ids[@]}" "rows of $part"
	done
	expect_equal "$(awk 'length > 80' out)" ''
	iotest explain no-such-thing
	expect_status 2
	iotest explain clif
	expect_text err 'did you mean cliff'
}

# completions WORD...: what bash would offer for the last one
completions()
{
	# shellcheck disable=SC2016
	bash --norc -c '. ./iotest.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _iotest
		printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort | tr '\n' ' '
}

bash_completes_commands_options_and_values()
{
	local command

	"$IOTEST" completion bash >iotest.bash || fail "status $?"
	mkdir -p 'work a' work-b
	touch work-file
	expect_equal "$(completions iotest che)" 'check '
	expect_equal "$(completions iotest check --key)" ' '
	expect_equal "$(completions iotest check --kee)" '--keep-bundles '
	expect_equal "$(completions iotest check -t wor)" 'work a work-b '
	expect_equal "$(completions iotest -t wor)" 'work a work-b '
	expect_equal "$(completions iotest check --target = wor)" 'work a work-b '
	expect_equal "$(completions iotest history --format '')" 'csv json text '
	expect_equal "$(completions iotest history --format = c)" 'csv '
	expect_equal "$(completions iotest run --history-file work-f)" 'work-file '
	expect_equal "$(completions iotest run --size '')" ' '
	expect_equal "$(completions iotest explain clo)" 'clock-stepped '
	# All of it: as many options as the help of each command has.
	"$IOTEST" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | head -n 20 >commands
	while read -r command; do
		"$IOTEST" "$command" --help 2>/dev/null | grep -oE '^  (-.|  )(, | )*--[a-z-]+' |
			grep -oE -- '--[a-z-]+' | sort -u >wanted
		completions iotest "$command" -- | tr ' ' '\n' | grep -E '^--' | sort -u >offered
		[ -z "$(comm -23 wanted offered)" ] || fail "$command: $(comm -23 wanted offered)"
	done < <(grep -E '^(run|probe|plan|report|check|status|history)$' commands)
	iotest completion fish
	expect_status 2
}

units_and_rules_are_what_their_programs_accept()
{
	local unit

	command -v systemd-analyze >/dev/null || skip "no systemd-analyze here"
	for unit in service timer; do
		sed "s|/usr/local/bin/iotest|$IOTEST|" "$PACKAGING/iotest-check@.$unit" \
			>"iotest-check@var-tmp.$unit"
		systemd-analyze verify --man=no "./iotest-check@var-tmp.$unit" >said 2>&1 ||
			fail "$unit: $(cat said)"
		[ ! -s said ] || fail "$unit: $(cat said)"
	done
	expect_no_text "$PACKAGING/iotest-check@.service" '^\[Install\]'
	! command -v promtool >/dev/null ||
		promtool check rules "$PACKAGING/node_exporter/iotest.rules.yml" >said 2>&1 || fail "$(cat said)"
}

# Each line of the examples that calls iotest has options that it knows.
examples_have_options_that_exist()
{
	local command option

	grep -rhoE 'iotest (check|status) [^"$]*' "$PACKAGING" | grep -e ' -' >examples
	[ "$(wc -l <examples)" -ge 6 ] || fail "$(cat examples)"
	while read -r command option; do
		iotest "$command" --help
		grep -qE -e "(^| )$option( |,|\$)" out || fail "iotest $command has no $option"
	done < <(sed -E 's/^iotest //' examples | while read -r command rest; do
		grep -oE -e '(^| )--?[a-z-]+' <<<"$rest" | while read -r option; do
			echo "$command $option"
		done
	done)
}

run_tests \
	a_history_is_a_table_with_a_sparkline_and_a_trend \
	a_history_can_be_read_by_programs \
	status_answers_at_once_from_a_long_history \
	each_finding_is_explained \
	bash_completes_commands_options_and_values \
	units_and_rules_are_what_their_programs_accept \
	examples_have_options_that_exist
