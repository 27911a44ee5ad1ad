#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# make_seeds - the inputs that the fuzzers begin with, from the fixtures and golden files
#
#	tests/fuzz/make_seeds.sh
#
# Writes tests/fuzz/seeds/TARGET/. Files that are there and are not made here stay: those are
# inputs that once found something, kept so that they are tried in every run.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
grow=../fixtures/grow.sh
report=../golden/report.json
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Larger ones make every step slow, and teach the mutator nothing.
readonly TREE_BYTES_MAX=9000

# seed TARGET NAME: what comes on the standard input
seed() {
	mkdir -p "seeds/$1"
	cat >"seeds/$1/$2"
}

# tree DIR TARGET...: a directory as the text that fuzz_tree.h reads
tree() {
	local dir=$1 file
	shift
	printf '%s\n' "$@"
	(cd "$dir" && find . -type f -o -type l | LC_ALL=C sort) | while read -r file; do
		if [ -L "$dir/$file" ]; then
			printf -- '--> %s %s\n' "${file#.}" "$(readlink "$dir/$file")"
		else
			printf -- '--- %s\n' "${file#.}"
			cat "$dir/$file"
		fi
	done
}

# from_tree TARGET FILE NAME: a file of a grown tree, if it has it, without most of a large one
from_tree() {
	[ ! -e "$scratch/$3/$2" ] || head -c 3000 "$scratch/$3/$2" | seed "$1" "$3"
}

host_seeds() {
	local name text
	for name in $(bash "$grow" --list); do
		case $name in
		cpuinfo-large | many-cpus | mounts-many | mounts-long | nothing) continue ;;
		esac
		mkdir "$scratch/$name"
		bash "$grow" "$name" "$scratch/$name"
		from_tree cpuinfo proc/cpuinfo "$name"
		from_tree meminfo proc/meminfo "$name"
		from_tree mountinfo proc/self/mountinfo "$name"
		text=$(tree "$scratch/$name" /saswork /data; printf .)
		[ ${#text} -gt $TREE_BYTES_MAX ] || printf %s "${text%.}" | seed host "$name"
	done
	mkdir -p "$scratch/facts/os"
	printf 'given=/saswork\npath=/saswork\nmode=16384\ndevice=8:1\nmount_id=30\nfrsize=4096\n%s\n' \
		$'blocks=1000000\nbfree=900000\nbavail=800000\nfiles=65536\nfavail=60000\nmagic=1481003842' \
		>"$scratch/facts/os/target.1"
	printf 'cores=2\npackages=1\ncore=0,2\ncore=1,3\n' >"$scratch/facts/child"
	printf '2\tproc/meminfo\tNo such file or directory\n27\tproc/cpuinfo\tFile too large\n' \
		>"$scratch/facts/iotest.errors"
	printf '<topology/>\n' >"$scratch/facts/topology.xml"
	tree "$scratch/facts" /saswork | seed host facts
}

# one NAME TEXT...: each as a seed of its own
lines_seeds() {
	local target=$1 n=0 text
	shift
	for text in "$@"; do
		n=$((n + 1))
		printf %b "$text" | seed "$target" "$n"
	done
}

text_seeds() {
	lines_seeds units 0 64K 1.5GiB 7.5E 9223372036854775807 1h30m 500ms 1.5h 90 95.5 -1 4096 \
		8E 0.1K 1.50000000000000000000001G
	lines_seeds cpulist 0-3,8 00ff,0000000f 0 '0-95\n' ffffffff 65535 0-65535 '1,,2' 3-1 '0x1'
	lines_seeds cli '-t\n/saswork' '--target=/saswork\n--size\n4G\n--workers=4' \
		'-t\n/a\n-t\n/b\n--together\n--quick' '-t/saswork\n-s64\n-b1024\n-i4' \
		'-t\n/saswork\n--prove=100\n--time-limit\n10m\n--require=sas9' \
		'-t\n/saswork\n--data=compressible=50\n--direct\n--pin\n--repeat=3' \
		'-t\n/saswork\n--mixed=70\n--integrity\nfull\n--control' \
		'-t\n/saswork\n--phases=write,read\n--format=json\n--cores=8' \
		'--\nword\n--size' '--szie=1\n-qk' 'report\nx.tar.gz\n--rejudge' '64\nK' '--help' \
		'/saswork/f\n-w\n-filesize\n129G\n-pagesize=128K\n-force\n-writethru' \
		'f\n-R\n-sgio\n-numpages\n16\n-ran\n-instances=5\n-unbuffered\n-cached'
	lines_seeds texts '13\tsys/x\tPermission denied\n27\tproc/cpuinfo\tFile too large\n' \
		'key=12\nother=-1\n' 'key=text\n' '/a//./b/../c' 'rw,cpu,cpuacct' '\x1b[31mred\x1b[0m' \
		'k\xc3\xa4se \xff \xc2\x85' '-5\tx\n99999\ty\n2\t\t\n'
	lines_seeds counters \
		'cpu  1000 20 300 40000 50 6 70 8 9 10\ncpu0 1 2 3 4\n' \
		'Dirty:               120 kB\nWriteback:            16 kB\n' \
		'nr_periods 10\nnr_throttled 2\nthrottled_usec 5000\n' \
		'nr_periods 10\nthrottled_time 123456789\n' \
		'low 0\nhigh 12\nmax 3\noom 0\n' \
		'  100 5 8000 20 200 6 16000 40 1 60 70 0 0 0 0 9 9\n' \
		'rchar: 1\nread_bytes: 4096\nwrite_bytes: 8192\n' \
		'cache 1\ndirty 2\ntotal_dirty 4096\ntotal_writeback 8192\n' \
		'anon 5\nfile_dirty 4096\nfile_writeback 0\n' \
		'some avg10=0.00 total=5\nfull avg10=1.50 avg60=0.00 avg300=0.00 total=123456\n' \
		'low 0\nhigh 0\nmax 5\noom 1\noom_kill 1\n'
	lines_seeds plants .iotest-node-1.example-4711-0123abcd-0123456789abcdef \
		.iotest--1-unknown--ffffffffffffffff worker-0 worker-12 worker-007 23:59:59 07:00:00 \
		'pid=12\nprocess_start=345\nsince_ns=1\nphase=write\nphase_since_ns=2\ntargets=/a\n' \
		'pid=-1\nphase=\x1b[31m\ntargets=/k\xc3\xa4se \xff\n'
	seed counters nfs <<'EOF'
device rootfs mounted on / with fstype rootfs
device server:/x mounted on /mnt/a\040b with fstype nfs4 statvers=1.1
	opts:	rw,vers=4.2
	bytes:	1 2 3 4 500 600 7 8
no device mounted on /mnt with fstype nfs statvers=1.1
	bytes:	1 2 3 4 700 800 7 8
EOF
}

# A small report: two workers, points and rounds of each list are enough.
small_report() {
	jq -c "$1 | walk(if type == \"array\" then .[0:2] else . end)" "$2"
}

report_seeds() {
	small_report . $report | seed report golden
	small_report . ../fixtures/reports/report-of-method-1.json | seed report method-1
	small_report '{schema, host: {targets: [{}]}, plan, run, phases: {write: .phases.write}} |
		.plan.repeat = 2 | {schema, targets: [., .]}' $report | seed report twice
	printf '{"schema":"%s"}' "$(jq -r .schema $report)" | seed report least
	small_report '.plan.mode = "quick" | .phases.write.status = "stuck" |
		.phases.write.still_ns = 30000000000 | .plan.until_steady = true' $report |
		seed report stuck
	small_report 'walk(if type == "string" and (test("[ /]") and (startswith("iotest.report") | not)) then . + "<x onload=\"y\">&\u0027" else . end)' \
		$report | seed report markup
	small_report '.run.failure = "no space" | .plan.control = "always" | .plan.io.data = "file"' \
		$report | seed report failed
	jq -c '.phases |= with_entries(.value |= (del(.call_times) | .workers |= .[0:2]))' $report |
		seed report series
	small_report '{schema, run: (.run | {id, started_at_ns}), host: {targets: [{}]}, plan,
		phases}' $report | seed report without-host
}

# Digests of zeros: that is what the fuzzers compare with. See fuzz_digest.c.
manifest() {
	local name=$1 file size
	printf '# iotest bundle %s\n' "$name"
	(cd "$name" && find . -type f ! -name MANIFEST | LC_ALL=C sort) | while read -r file; do
		size=$(stat -c %s "$name/$file")
		printf 'SHA256 (%s) = %064d\n# SIZE (%s) = %d\n' "${file#./}" 0 "${file#./}" "$size"
	done
}

bundle_seeds() {
	local name=iotest_h here=$PWD
	local -a plain=(--owner=0 --group=0 --mtime=@0 --sort=name)
	cd "$scratch"
	mkdir -p $name/system_files/proc
	printf '{"schema":"%s"}' "$(jq -r .schema "$here/$report")" >$name/report.json
	echo 'MemTotal: 1 kB' >$name/system_files/proc/meminfo
	: >$name/iotest.log
	manifest $name >$name/MANIFEST
	tar "${plain[@]}" --format=ustar -cf plain.tar $name
	tar "${plain[@]}" --format=pax \
		--pax-option=delete=atime,delete=ctime -cf pax.tar $name
	tar "${plain[@]}" --format=gnu -cf gnu.tar $name
	ln -s report.json $name/link
	tar "${plain[@]}" --format=ustar -cf link.tar $name
	rm $name/link
	gzip -n -c plain.tar >gz.tar.gz
	head -c 200 gz.tar.gz >cut.tar.gz
	echo "not a bundle" | gzip -n -c >no.gz
	cd "$here"
	for file in plain.tar pax.tar gnu.tar link.tar gz.tar.gz cut.tar.gz no.gz; do
		seed archive "${file%%.*}" <"$scratch/$file"
	done
	tree "$scratch/$name" | seed folder whole
	tree "$scratch/$name" | sed 's/SIZE (report.json) = ./&1/' | seed folder changed
	tree "$scratch/$name" | sed '/SIZE (iotest.log)/d' | seed folder without-size
	tree "$scratch/$name" | sed 's/^SHA256 (iotest.log)/\\SHA256 (iotest\\n.log)/' |
		seed folder escaped
}

# Numbers as bytes: the first one chooses what is done with the rest.
series_seeds() {
	python3 - <<'EOF'
import struct
def put(name, data):
    open("seeds/series/" + name, "wb").write(data)
s = lambda *n: struct.pack("<%dq" % len(n), *n)
put("samples", b"\0\x20" + b"".join(s(250000000, 1 << 26) for _ in range(32)) +
    s(0, 8000000000, 60000000000) + b"\x20")
put("cliff", b"\1\x14" + struct.pack("<20d", *([200.0] * 8 + [50.0] * 12)))
put("steady", b"\1\x06" + struct.pack("<6d", *[100.0, 101, 99, 100, 100, 102]))
put("histogram", b"\2\x04" + struct.pack("<d", 0.99) +
    b"".join(s(n) + b"\x05" for n in (100, 5000, 1 << 30, 1 << 50)))
put("judged", b"\3\0\0\x3c" +
    b"".join(s(i << 30, i << 30, i << 20, 4, 0, i << 30, 1 << 24) for i in range(1, 61)))
put("read", b"\3\1\1\x14" + b"".join(s(i << 31, i << 32, i << 22, 4, i << 32, 0, -1)
    for i in range(1, 21)) + b"\1" + s(1 << 40, 0, 1 << 36, 1 << 36, 1 << 30, 1 << 40, 0))
EOF
}

mkdir -p seeds/series
host_seeds
text_seeds
report_seeds
bundle_seeds
series_seeds
