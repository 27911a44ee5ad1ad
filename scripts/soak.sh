#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# soak - kills at random times, far more of them than a test may take time for
#
#   scripts/soak.sh [KILLS]
#
# As root, 200 kills by default, about three minutes: two thirds on a file system where test files
# keep their names, one third on ext4. SEED=N repeats an earlier run; the first line names it.
set -uo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
# shellcheck source=scripts/lib/install.sh
. "$top/scripts/lib/install.sh"
# shellcheck source=scripts/lib/build.sh
. "$top/scripts/lib/build.sh"

case ${1:-200} in
*[!0-9]*)
	sed -n '5,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
	exit 2
	;;
esac
install_needs BUILD_NEEDS TEST_NEEDS
build=$(build_directory test)
build_preset test "$build" || exit 1
KILLS=${1:-200} IOTEST=$build/iotest exec bash "$top/tests/e2e/test_kills.sh"
