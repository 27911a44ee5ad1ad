#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What leaves the host: tokens in place of names, and a bundle that says as much as before.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

readonly WHO=jdoe4711

# On a file system of its own below somebody's home, so that the names are in many files.
run_in_a_home()
{
	mkdir -p "home/$WHO/d" o
	iotest -t "$T/home/$WHO/d" --size 1M -o o "$@"
	expect_status 0
	bundle_in o
	unpack "$bundle" b
}

# expect_nowhere WORD
expect_nowhere()
{
	local found

	found=$(grep -rliF -e "$1" b; find b -name "*$1*")
	[ -z "$found" ] || fail "$1 stands in $found"
}

a_mac()
{
	cat /sys/class/net/e*/address 2>/dev/null | head -n 1
}

for_support_users_and_parts_of_machines_are_tokens()
{
	local mac map

	run_in_a_home
	expect_nowhere "$WHO"
	expect_text b/redaction.txt '^level	support$'
	expect_text b/redaction.txt '^replaced	.*user 1'
	expect_text b/report.json '"/[^"]*/home/user-[0-9a-f]{8}/d"'
	mac=$(a_mac)
	[ -z "$mac" ] || expect_nowhere "$mac"
	# The host may be told.
	# shellcheck disable=SC2016
	expect_json b/report.json --arg h "$(uname -n)" '.host.name == $h'
	# A person sees the names as they are.
	expect_text out "$WHO"
	# What the tokens stand for is beside the bundle, for its owner alone.
	map=(o/*.map)
	[ -f "${map[0]}" ] || fail "no map"
	expect_equal "$(stat -c %a "${map[0]}")" 600
	expect_text "${map[0]}" "^user-[0-9a-f]{8}	user	$WHO$"
	expect_equal "$(find b -name '*.map')" ""
}

for_the_public_hosts_are_tokens_even_in_the_name()
{
	mkdir d o
	as_host prodnode77 "$IOTEST" -t d --size 1M -o o --redact public >out 2>err ||
		fail "ended with $?"
	bundle_in o
	unpack "$bundle" b
	[[ ${bundle##*/} == iotest_host-* ]] || fail "name: $bundle"
	expect_nowhere prodnode77
	expect_text b/redaction.txt 'host 1'
}

none_tells_all()
{
	run_in_a_home --redact none
	expect_text b/report.json "/home/$WHO/d"
	expect_text b/redaction.txt '^level	none$'
	expect_equal "$(find o -name '*.map')" ""
}

# Levels differ in names only.
redacted_trees_replay_to_the_same_plan()
{
	local level path

	mk_loop_fs xfs 512 "home/$WHO"
	mkdir "home/$WHO/d"
	for level in support public none; do
		rm -rf b o
		mkdir o
		iotest evidence -t "$T/home/$WHO/d" -o o --redact "$level"
		expect_status 0
		bundle_in o
		unpack "$bundle" b
		path=$(json b/host.json '.host.targets[0].path')
		iotest probe --sysroot b/system_files -t "$path" --format json
		expect_status 0
		# As it is given: the first one may have been relative.
		jq -S '.host | del(.targets[].given)' b/host.json >recorded.host
		jq -S '.host | del(.targets[].given)' out >replayed.host
		expect_same recorded.host replayed.host
		iotest plan --sysroot b/system_files -t "$path" --size 1M --format json
		expect_status 0
		jq -S '.plan // .plans[0] | del(.target) | del(.. | .text?, .value?)' out >"$level.plan"
	done
	expect_json none.plan '.workers > 0'
	expect_same support.plan none.plan
	expect_same public.plan none.plan
}

# Broken by underscores and dashes, so that it is not the value: it is found all the same.
what_cannot_be_taken_out_is_withheld_and_listed()
{
	local name=wh0_d0e_4711

	mkdir -p "home/$name/d" "x-${name//_/-}-x" o
	iotest -t "home/$name/d" -t "x-${name//_/-}-x" --size 1M -o o
	expect_status 0
	bundle_in o
	unpack "$bundle" b
	expect_text b/redaction.txt '^withheld	user	report.txt$'
	[ ! -e b/report.txt ] || fail "it is there"
	[ -s b/MANIFEST ] || fail "no bundle"
	expect_nowhere "$name"
	expect_nowhere "${name//_/-}"
	expect_text err 'report.txt is not in the bundle'
}

root_adds_nothing_that_was_taken_out()
{
	need_root
	command -v setpriv >/dev/null || skip "no setpriv"
	[ -r /dev/kmsg ] || skip "no kernel log here"
	mkdir -p "home/$WHO/d" o
	chown 65534 "home/$WHO/d" o
	status=0
	setpriv --reuid=65534 --clear-groups "$IOTEST" evidence -t "$T/home/$WHO/d" -o o \
		--redact public >out 2>err || status=$?
	expect_status 0
	bundle_in o
	echo "<4>nvme with $(a_mac)" >/dev/kmsg
	iotest evidence --add "$bundle"
	expect_status 0
	unpack "${bundle%.tar.gz}_2.tar.gz" b
	expect_text b/redaction.txt '^level	public$'
	expect_text b/system_files_added/os/kernel_log 'nvme with'
	[ -z "$(a_mac)" ] || expect_nowhere "$(a_mac)"
}

run_tests for_support_users_and_parts_of_machines_are_tokens \
	for_the_public_hosts_are_tokens_even_in_the_name none_tells_all \
	redacted_trees_replay_to_the_same_plan what_cannot_be_taken_out_is_withheld_and_listed \
	root_adds_nothing_that_was_taken_out
