#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Start and end of a run are told to the system log, the end with the digest of the bundle.
# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

# A log of our own at /dev/log, which is seen in the private mount namespace only.
start_sink()
{
	[ "$(id -u)" -eq 0 ] || skip "only root can put a log of its own in place of /dev/log"
	[ -x "${SYSLOG_SINK:-}" ] || fail "SYSLOG_SINK is not set"
	mkfifo hold
	mkdir dev
	mount -t tmpfs none dev || skip "no mounts here"
	"$SYSLOG_SINK" "$T/dev/log" <hold >messages &
	sink=$!
	exec {hold_fd}>hold
	for _ in $(seq 100); do
		grep -q listening messages && break
		sleep 0.05
	done
	if [ ! -e /dev/log ]; then
		touch /dev/log
		trap 'rm -f /dev/log' EXIT
	fi
	mount --bind dev/log /dev/log || skip "/dev/log cannot be replaced here"
}

stop_sink()
{
	sleep 0.2
	exec {hold_fd}>&-
	wait "$sink"
	umount /dev/log
	umount dev
}

a_run_is_told_to_the_system_log_with_its_digest()
{
	local digest

	start_sink
	mkdir d o
	iotest -q -t d --size 4M -o o
	stop_sink
	expect_status 0
	bundle_in o
	digest=$(sha256sum "$bundle" | cut -d' ' -f1)
	expect_text messages "iotest\[[0-9]*\]: run [0-9a-f]* started on .*/d: "
	expect_text messages "ended on .*/d: .*bundle iotest_.*\.tar\.gz sha256 $digest"
	expect_equal "$(grep -c started messages)" 1 "start messages"
	expect_equal "$(grep -c 'ended on' messages)" 1 "end messages"
}

run_tests a_run_is_told_to_the_system_log_with_its_digest
