#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# test_trees - probe and plan on every recorded tree, byte for byte
#
# UPDATE_GOLDEN=1 writes the expected pages anew; read the difference before it is committed.
set -u
here=$SOURCE_DIR/tests/golden/trees
grow=$SOURCE_DIR/tests/fixtures/grow.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# The directory that a tree is asked about, where it has mounts.
target_of() {
	case $1 in
	server*) echo /saswork ;;
	mounts-stacked) echo /mnt/data ;;
	device-*) echo /data ;;
	absurd-sizes) echo /s3 ;;
	*) echo /saswork ;;
	esac
}

compare() { # NAME PAGE
	local want=$here/$1
	if [[ ${UPDATE_GOLDEN:-} == 1 ]]; then
		mkdir -p "$here"
		cp "$2" "$want"
	elif ! diff -u "$want" "$2"; then
		echo "FAIL $1"
		failed=1
		return
	fi
	echo "ok   $1"
}

for tree in $(bash "$grow" --list); do
	bash "$grow" "$tree" "$work/$tree"
	target=$(target_of "$tree")
	{
		"$IOTEST" probe --sysroot "$work/$tree" -t "$target"
		echo "exit status $?"
		echo
		"$IOTEST" plan --sysroot "$work/$tree" -t "$target"
		echo "exit status $?"
		if [[ $tree == server ]]; then
			echo
			"$IOTEST" plan --sysroot "$work/$tree" -t "$target" --quick
			echo "exit status $?"
			"$IOTEST" plan --sysroot "$work/$tree" -t "$target" --prove aws-heavy --pin \
				--repeat 3
			echo "exit status $?"
		fi
	} >"$work/page" 2>&1
	compare "$tree.txt" "$work/page"
	rm -rf "${work:?}/$tree"
done
exit "$failed"
