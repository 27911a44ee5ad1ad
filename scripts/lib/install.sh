# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# install - find out what is missing on this machine, and install just that
#
# Sourced by run.sh, test.sh and fuzz.sh. A need is a row of a table: how to see that it is there,
# and the package that brings it on Debian and Ubuntu, on the RHEL family, and on SLES and openSUSE.
# "-" means that this family has no package for it, and does without.
#
#   tool:NAME   a command on the PATH
#   pc:NAME     a pkg-config module
#   file:PATH   a file
#   fuzzer:CC   a compiler that can make fuzzers: libFuzzer, and the C++ library that it needs

# shellcheck disable=SC2034 # read by name, in install_needs
readonly BUILD_NEEDS='
	tool:gcc                  gcc            gcc                 gcc
	file:/usr/include/stdio.h libc6-dev      glibc-devel         glibc-devel
	tool:cmake                cmake          cmake               cmake
	tool:make                 make           make                make
	tool:pkg-config           pkg-config     pkgconf-pkg-config  pkg-config
	pc:hwloc                  libhwloc-dev   hwloc-devel         hwloc-devel
	pc:libarchive             libarchive-dev libarchive-devel    libarchive-devel
	pc:jansson                libjansson-dev jansson-devel       libjansson-devel
	pc:mount                  libmount-dev   libmount-devel      libmount-devel
	pc:sqlite3                libsqlite3-dev sqlite-devel        sqlite3-devel'

# Good to have: failing to install these is no failure, and nothing is started for them alone.
# shellcheck disable=SC2034
readonly OPTIONAL_NEEDS='
	pc:libcpuid               libcpuid-dev   libcpuid-devel      libcpuid-devel'

# shellcheck disable=SC2034
readonly TEST_NEEDS='
	pc:check                  check          check-devel         check-devel
	tool:jq                   jq             jq                  jq
	tool:clang-format         clang-format   clang-tools-extra   clang-tools
	tool:cppcheck             cppcheck       cppcheck            cppcheck
	tool:shellcheck           shellcheck     ShellCheck          ShellCheck
	tool:objdump              binutils       binutils            binutils
	tool:mkfs.ext4            e2fsprogs      e2fsprogs           e2fsprogs
	tool:mkfs.xfs             xfsprogs       xfsprogs            xfsprogs
	tool:mkfs.btrfs           btrfs-progs    -                   btrfsprogs
	pc:fuse3                  libfuse3-dev   fuse3-devel         fuse3-devel
	tool:fusermount3          fuse3          fuse3               fuse3
	tool:losetup              mount          util-linux          util-linux
	tool:mount                mount          util-linux          util-linux
	tool:setpriv              util-linux     util-linux          util-linux
	tool:script               bsdutils       util-linux          util-linux
	tool:pgrep                procps         procps-ng           procps
	tool:gzip                 gzip           gzip                gzip
	tool:tar                  tar            tar                 tar
	tool:sqlite3              sqlite3        sqlite              sqlite3
	tool:promtool             prometheus     -                   -
	tool:zstd                 zstd           zstd                zstd
	tool:valgrind             valgrind       valgrind            valgrind
	tool:fio                  fio            fio                 fio
	tool:chromium             chromium       -                   chromium
	file:/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf fonts-dejavu-core - -'

# In this order: in older distributions clang brings all that the second one looks for.
# shellcheck disable=SC2034
readonly CLANG_NEEDS='
	tool:clang                clang            clang               clang'

# shellcheck disable=SC2034
readonly FUZZER_NEEDS='
	fuzzer:clang              libclang-rt-dev  compiler-rt         clang
	fuzzer:clang              -                gcc-c++             gcc-c++'

# shellcheck disable=SC2034
readonly BENCH_NEEDS='
	tool:fio                  fio            fio                 fio'

install_die()
{
	printf '%s: %s\n' "${0##*/}" "$1" >&2
	exit 1
}

install_has()
{
	case $1 in
	tool:*) command -v "${1#tool:}" >/dev/null 2>&1 ;;
	pc:*) command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "${1#pc:}" ;;
	file:*) [ -e "${1#file:}" ] ;;
	fuzzer:*) install_makes_fuzzers "${1#fuzzer:}" ;;
	esac
}

# Tried, because each distribution keeps these libraries in another place.
install_makes_fuzzers()
{
	local flags=-fsanitize=fuzzer,address,undefined

	command -v "$1" >/dev/null 2>&1 &&
		echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return !d && n; }' |
		"$1" "$flags" -x c -o /dev/null - >/dev/null 2>&1
}

# The package manager, and the column of the tables that it reads.
install_manager()
{
	local column=2 name

	for name in apt-get dnf yum zypper; do
		if command -v "$name" >/dev/null 2>&1; then
			case $name in
			dnf | yum) column=3 ;;
			zypper) column=4 ;;
			esac
			echo "$name $column"
			return
		fi
	done
	echo "none 1"
}

# install_missing COLUMN TABLE...: "need package" for each row that has a package for this family
# and is not there.
install_missing()
{
	local column=$1 table probe package line
	shift

	for table in "$@"; do
		while read -r line; do
			[ -n "$line" ] || continue
			probe=${line%%[[:space:]]*}
			package=$(awk -v c="$column" '{ print $c }' <<<"$line")
			[ "$package" = - ] || install_has "$probe" || echo "$probe $package"
		done <<<"${!table}"
	done
}

# The two columns of what install_missing says, each word once.
install_probes()
{
	install_missing "$@" | cut -d' ' -f1 | tr '\n' ' '
}

install_packages()
{
	install_missing "$@" | cut -d' ' -f2 | sort -u | tr '\n' ' '
}

install_command()
{
	case $1 in
	apt-get) echo "apt-get install -y --no-install-recommends" ;;
	zypper) echo "zypper --non-interactive install --no-recommends" ;;
	*) echo "$1 install -y" ;;
	esac
}

install_advice()
{
	case $1 in
	dnf | yum)
		echo "some -devel packages lie in the CodeReady Builder repository (also called CRB or"
		echo "PowerTools); enable it and try again:"
		echo "  RHEL:       subscription-manager repos --enable \\"
		echo "              codeready-builder-for-rhel-\$(rpm -E %rhel)-\$(arch)-rpms"
		echo "  Alma/Rocky: dnf config-manager --set-enabled crb   (version 8: powertools)"
		;;
	zypper)
		echo "some packages lie in the modules Development Tools, HPC or Package Hub;"
		echo "'SUSEConnect --list-extensions' prints the commands that enable them"
		;;
	apt-get)
		echo "if the package lists are old, 'apt-get update' renews them"
		;;
	esac
}

# install_run LOG MANAGER PACKAGE...
install_run()
{
	local log=$1 manager=$2 command
	shift 2

	read -ra command <<<"$(install_command "$manager")"
	DEBIAN_FRONTEND=noninteractive "${command[@]}" "$@" >>"$log" 2>&1 </dev/null
}

# install_needs TABLE...: returns with everything there, or ends the script with a sentence that
# says what to do. Quiet when all goes well.
install_needs()
{
	local manager column log left
	local -a packages optional

	read -r manager column <<<"$(install_manager)"
	[ -n "$(install_probes "$column" "$@")" ] || return 0
	[ "$manager" != none ] ||
		install_die "missing: $(install_probes "$column" "$@"); no apt-get, dnf, yum or zypper here"

	read -ra packages <<<"$(install_packages "$column" "$@")"
	read -ra optional <<<"$(install_packages "$column" OPTIONAL_NEEDS)"
	if [ "$(id -u)" -ne 0 ]; then
		install_die "some packages are missing; as root, run:
  $(install_command "$manager") ${packages[*]}"
	fi

	echo "installing ${packages[*]}" >&2
	log=$(mktemp "${TMPDIR:-/tmp}/iotest-install.XXXXXX")
	if [ "$manager" = apt-get ]; then
		# Old lists may still do: whether this mattered shows in the next step.
		apt-get update >"$log" 2>&1 </dev/null || true
	fi
	install_run "$log" "$manager" "${packages[@]}" || true
	if [ ${#optional[@]} -gt 0 ]; then
		install_run /dev/null "$manager" "${optional[@]}" || true
	fi

	hash -r
	left=$(install_probes "$column" "$@")
	if [ -n "$left" ]; then
		tail -n 30 "$log" >&2
		echo "the whole output of $manager: $log" >&2
		install_advice "$manager" >&2
		install_die "could not install all that is needed; still missing: ${left% }"
	fi
	rm -f "$log"
}
