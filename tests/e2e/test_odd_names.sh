#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A target may have any name that a directory can have.
# shellcheck disable=SC2016 # $n is jq's
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

readonly NAMES=(
	'with blanks  two'
	$'new\nline'
	'back\slash'
	'back\040slash'
	'Größe-データ'
	"quote' and \"double\""
	$'tab\tand\x01control\x1b[31m'
	'%s%n%d'
	'-t'
	'$(touch pwned);`id`'
	$'not\xffutf8'
)

run_in()
{
	rm -rf o b
	mkdir o
	iotest -t "$1" --size 1M -o o
	expect_status 0 "target '$1'"
	no_control_characters out
	no_control_characters err
	expect_empty "$1"
	bundle_in o
	unpack "$bundle" b
	expect_same out b/report.txt
	iotest report "$bundle"
	expect_status 0
	expect_same out b/report.txt
}

any_directory_name_works()
{
	local name

	for name in "${NAMES[@]}"; do
		mkdir "./$name"
		run_in "./$name"
		if iconv -f UTF-8 -t UTF-8 <<<"$name" >/dev/null 2>&1; then
			expect_json b/report.json --arg n "$T/$name" '.plan.target == $n'
		fi
		jq -e . b/report.json >/dev/null || fail "report.json of '$name' is no JSON"
	done
	[ ! -e pwned ] || fail "a name was run as a command"
}

any_mount_point_name_works()
{
	local name i=0

	need_root
	for name in 'with blank' $'new\nline' 'back\slash' $'tab\there' 'a\040b'; do
		mk_tmpfs "./$name" 32
		run_in "./$name"
		expect_json b/report.json --arg n "$T/$name" '.host.targets[0].mount_point == $n'
		umount "./$name"
		i=$((i + 1))
	done
	expect_equal "$i" 5
}

a_loop_mount_with_an_odd_name_is_followed_to_its_device()
{
	mk_loop_fs ext4 64 $'./data on\nloop'
	run_in $'./data on\nloop'
	expect_json b/report.json '[.host.targets[0].devices[].kind] | index("loop") != null'
}

a_very_long_path_works_or_is_refused_in_one_sentence()
{
	local part i path=$T

	part=$(printf 'x%.0s' {1..200})
	for ((i = 0; i < 15; i++)); do
		path=$path/$part
	done
	mkdir -p "$path"
	mkdir o
	iotest -t "$path" --size 1M -o o
	expect_status 0
	expect_empty "$path"
}

run_tests any_directory_name_works any_mount_point_name_works \
	a_loop_mount_with_an_odd_name_is_followed_to_its_device \
	a_very_long_path_works_or_is_refused_in_one_sentence
