#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# verify: what became of a bundle since it was sealed.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# Makes a bundle and unpacks it: $bundle, and its folder $folder.
make_bundle()
{
	mkdir -p d o x
	iotest -t d --size 1M -o o
	expect_status 0
	bundle_in o
	tar -xzf "$bundle" -C x || fail "tar"
	folder=x/$(ls x)
}

# Packs the folder again as "again.tar.gz".
pack()
{
	tar -czf again.tar.gz -C x "$(basename "$folder")" || fail "tar"
}

a_bundle_as_it_was_made_is_intact()
{
	make_bundle
	digest=$(sha256sum "$bundle" | cut -d' ' -f1)
	expect_text err "sha256 $digest"
	iotest verify "$bundle"
	expect_status 0
	expect_text out 'intact, [0-9]+ files match'
	expect_text out "$digest"
	expect_text out 'damage, not forgery'
	expect_text out "$(json "$folder/report.json" .run.id)"
	iotest verify "$folder"
	expect_status 0
	iotest verify "$bundle" --digest "${digest^^}"
	expect_status 0
}

every_change_is_named()
{
	make_bundle
	sed -i 's/MiB/MIB/' "$folder/report.txt"
	echo more >>"$folder/iotest.log"
	rm "$folder/samples.tsv"
	printf 'x' >"$folder/$(printf 'new\nline')"
	pack
	for what in "$folder" again.tar.gz; do
		iotest verify "$what"
		expect_status 4
		expect_text out 'DAMAGED, 4 of its files'
		expect_text out 'report\.txt was changed: its SHA-256'
		expect_text out 'iotest\.log was changed: its size'
		expect_text out 'samples\.tsv is missing'
		expect_text out 'new\\012line was added'
	done
}

another_digest_is_told()
{
	make_bundle
	iotest verify "$bundle" --digest "$(printf '%064d' 7)"
	expect_status 4
	expect_text out 'but not'
	# A forger makes all digests fit but this one.
	digest=$(sha256sum "$bundle" | cut -d' ' -f1)
	pack
	iotest verify again.tar.gz
	expect_status 0
	iotest verify again.tar.gz --digest "$digest"
	expect_status 4
	iotest verify "$folder" --digest "$digest"
	expect_status 4
	iotest verify "$bundle" --digest 123
	expect_status 2
}

a_truncated_bundle_is_damaged()
{
	make_bundle
	head -c 2000 "$bundle" >cut.tar.gz
	iotest verify cut.tar.gz
	expect_status 4
	expect_text err 'truncated or damaged'
	# One bit in the middle: its checksum tells.
	cp "$bundle" bit.tar.gz
	printf '\xff\x00\xff\x00' | dd of=bit.tar.gz bs=1 seek=3000 conv=notrunc status=none
	iotest verify bit.tar.gz
	expect_status 4
	sed -i '2s/^SHA256/SHA25/' "$folder/MANIFEST"
	sed -i '3s/= [0-9]*/= x/' "$folder/MANIFEST"
	iotest verify "$folder"
	expect_status 4
	expect_text err 'MANIFEST is damaged in line 3'
}

what_cannot_be_checked_is_an_error()
{
	mkdir empty
	iotest verify empty
	expect_status 1
	expect_text err 'not a bundle'
	iotest verify /nowhere
	expect_status 1
	iotest verify
	expect_status 2
	iotest verify a b
	expect_status 2
}

run_tests a_bundle_as_it_was_made_is_intact every_change_is_named another_digest_is_told \
	a_truncated_bundle_is_damaged what_cannot_be_checked_is_an_error
