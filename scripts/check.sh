#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check - the rules that a script can hold: format, lint, layers, symbols, documents
#
#   scripts/check.sh [BUILD [CHECK...]]
#
# BUILD is a directory in which the preset "test" was built (default: build/test). With names,
# only these checks are run. A check is a function check_NAME that prints what is wrong, and
# nothing if all is well. The last line is "N passed, N failed".
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
build=${1:-build/test}
[ $# -eq 0 ] || shift
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# In this order. Each name has its function below.
readonly CHECKS='
format width shell cppcheck licence headers
layers private_headers system_headers foreign_types
exits stdout stderr globals symbols
options words findings links'

# ------------------------------------------------------------------ helpers

c_files()
{
	find src tests -name '*.c' | sort
}

h_files()
{
	find include src tests -name '*.h' | sort
}

shell_files()
{
	find scripts tests .ci -type f | while read -r file; do
		case $file in
		*.sh) echo "$file" ;;
		*) head -n 1 "$file" | grep -aq '^#!.*sh$' && echo "$file" ;;
		esac
	done
}

# All that is compiled, without the tests.
own_files()
{
	find src include -name '*.[ch]' | sort
}

# A C file without comments. Most checks want it, so it is made once.
bare()
{
	local made=$scratch/${1//\//%}

	[ -e "$made" ] || gcc -fpreprocessed -dD -E -P "$1" >"$made" 2>/dev/null
	cat "$made"
}

# The code of a C file alone: without comments and strings.
code_of()
{
	bare "$1" | sed -E -e "s/'(\\\\.|[^'\\\\])'/' '/g" -e 's/"(\\.|[^"\\])*"/""/g'
}

# includes FILE: what is included, with its quotes or brackets; as it is written if it has none.
includes()
{
	bare "$1" | sed -nE 's/^[[:space:]]*(#|%:)[[:space:]]*(include|include_next|import)\>[[:space:]]*//p' |
		sed -E 's/^("[^"]*"|<[^>]*>).*/\1/'
}

# code_uses PATTERN ALLOWED: names our files that use it, but for those that match ALLOWED.
code_uses()
{
	local pattern=$1 allowed=$2 file

	own_files | while read -r file; do
		[[ $file =~ ^($allowed)$ ]] && continue
		code_of "$file" | grep -E "(^|[^_[:alnum:]])($pattern)" | sed "s|^[[:space:]]*|$file: |"
	done
}

# ------------------------------------------------------------------ text and lint

check_format()
{
	local files

	mapfile -t files < <(c_files; h_files)
	clang-format --dry-run -Werror "${files[@]}" 2>&1 | grep -E 'error:' |
		cut -d: -f1 | uniq -c | awk '{ print $2 ": clang-format would change " $1 " places" }'
}

# clang-format does not break comments and long words.
check_width()
{
	local file

	{ c_files; h_files; } | while read -r file; do
		expand -t 8 "$file" | awk -v file="$file" '
			length > 100 { print file ":" NR ": " length " columns" }'
	done
}

check_shell()
{
	local files

	mapfile -t files < <(shell_files)
	shellcheck -x "${files[@]}"
}

check_cppcheck()
{
	cppcheck -q -j "$(nproc)" --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppressions-list=scripts/cppcheck.suppress -D_GNU_SOURCE -DHAVE_LIBCPUID \
		'-DIOTEST_VERSION="0"' '-DIOTEST_BUILD_TYPE="x"' -I include \
		--template='{file}:{line}: {id}: {message}' src 2>&1
}

check_licence()
{
	local file

	{ c_files; h_files; shell_files; } | while read -r file; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0\( \*/\)\?$' || echo "$file"
	done
}

check_headers()
{
	local file

	find include src -name '*.h' | while read -r file; do
		gcc -fsyntax-only -x c -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -Iinclude -Isrc \
			"$file" 2>&1 </dev/null
	done
}

# ------------------------------------------------------------------ layers

# main -> cmd -> stages -> nouns -> base -> libc; docs/ARCHITECTURE.md draws it.
readonly BASE='buf|child|clock|compiler|cpulist|environment|err|evidence|fd|histogram|hostlock|log|process|series|signals|siphash|sysroot|units|wordlist|wrap|xalloc'
readonly NOUNS='comparison|host|plan|run|report|schema'
readonly STAGES='probe|collect|redact|planner|runner|sweep|io_ops|analyze|render|bundle|history|regression'

# A row: files, and the headers of include/iotest/ that they may see. The first row that fits is
# the room of a file. A public header is put into its room by its name in the lists above.
readonly ROOMS="
src/main\.c                                             $BASE|$NOUNS|cli|commands
(src/cmd/.*|include/iotest/commands\.h)                 $BASE|$NOUNS|cli|commands|$STAGES
(src/probe/.*|include/iotest/probe\.h)                  $BASE|$NOUNS|probe
(src/collect/.*|include/iotest/collect\.h)              $BASE|$NOUNS|collect
(src/redact/.*|include/iotest/redact\.h)                $BASE|$NOUNS|redact
(src/plan/.*|include/iotest/planner\.h)                 $BASE|$NOUNS|planner
(src/run/.*|include/iotest/(runner|sweep|io_ops)\.h)    $BASE|$NOUNS|runner|sweep|io_ops
(src/analyze/.*|include/iotest/analyze\.h)              $BASE|$NOUNS|analyze
(src/render/.*|include/iotest/render\.h)                $BASE|$NOUNS|render
(src/bundle/.*|include/iotest/bundle\.h)                $BASE|$NOUNS|bundle
(src/history/.*|include/iotest/(history|regression)\.h) $BASE|$NOUNS|history|regression
(src/model/.*|include/iotest/($NOUNS)\.h)               $BASE|$NOUNS
(src/base/(cli(_[a-z]+)?|nearest)\.[ch]|include/iotest/cli\.h) $BASE|cli
(src/base/.*|include/iotest/($BASE)\.h)                 $BASE"

# room_of FILE: the headers that it may see; fails if it has no row.
room_of()
{
	local files allowed

	while read -r files allowed; do
		[[ -n $files && $1 =~ ^$files$ ]] && echo "$allowed" && return
	done <<<"$ROOMS"
	return 1
}

check_layers()
{
	local file allowed name

	own_files | while read -r file; do
		allowed=$(room_of "$file") || { echo "$file is in no room"; continue; }
		includes "$file" | grep -F iotest/ | while read -r name; do
			[[ $name =~ ^\"iotest/($allowed)\.h\"$ ]] || echo "$file includes $name"
		done
	done
}

# A private header is included by its neighbours only, as "name.h"; a public one by all, as
# "iotest/name.h". Nothing else stands between quotes.
check_private_headers()
{
	local file name

	find include src -type f ! -name '*.[ch]'
	own_files | while read -r file; do
		includes "$file" | grep -v '^<' | while read -r name; do
			[[ $name =~ ^\"iotest/[a-z_0-9]+\.h\"$ ]] && continue
			[[ $file == src/* && $name =~ ^\"([a-z_0-9]+\.h)\"$ &&
				-e ${file%/*}/${BASH_REMATCH[1]} ]] || echo "$file includes $name"
		done
	done
}

# What stands between brackets: scripts/headers.allow has a row for each, and for libraries the
# one file that may know them.
check_system_headers()
{
	local file name

	own_files | while read -r file; do
		includes "$file" | sed -nE "s|^<(.*)>$|$file \1|p"
	done | awk '
		FNR == NR {
			sub(/#.*/, "")
			if (NF) {
				listed[$1] = 1
				only[$1] = NF > 1
				for (i = 2; i <= NF; i++)
					may[$1, $i] = 1
			}
			next
		}
		{ used[$2] = 1 }
		!($2 in listed) { print $1 " includes <" $2 ">, which is not in scripts/headers.allow" }
		only[$2] && !(($2, $1) in may) { print $1 " includes <" $2 ">" }
		END {
			for (name in listed)
				if (!(name in used))
					print "<" name "> is in scripts/headers.allow, but nothing includes it"
		}' scripts/headers.allow -
}

# The structs that libc defines and our headers may name.
readonly LIBC_STRUCTS='dirent|iovec|stat|statvfs|timespec|timeval|tm'

# Neither does a library enter a header by a declaration of its types: every struct that our
# headers name is one of ours.
check_foreign_types()
{
	local own file name

	own=$(own_files | while read -r file; do bare "$file"; done |
		sed -nE 's/^[[:space:]]*(typedef[[:space:]]+)?(struct|union)[[:space:]]+([a-z_0-9]+)[[:space:]]*\{.*/\3/p')
	find include src -name '*.h' | sort | while read -r file; do
		code_of "$file" | grep -oE '\<(struct|union)[[:space:]]+[a-z_0-9]+' | sort -u |
			while read -r _ name; do
				grep -qxF "$name" <<<"$own" || [[ $name =~ ^($LIBC_STRUCTS)$ ]] ||
					echo "$file names struct $name, which is not ours"
			done
	done
}

# ------------------------------------------------------------------ what code may do

check_exits()
{
	code_uses '((quick_|thrd_|pthread_)?exit|abort|assert|v?errx?|error(_at_line)?) *\(' \
		'src/(main|base/xalloc)\.c'
	code_uses '(_exit|_Exit) *\(|(SYS|__NR)_exit' 'src/(run/worker|base/child)\.c'
}

check_stdout()
{
	code_uses 'v?printf *\(|v?dprintf *\(|puts *\(|putchar(_unlocked)? *\(|stdout|STDOUT_FILENO' \
		'src/(main\.c|cmd/.*|base/cli(_[a-z]+)?\.c)'
	code_uses 'p?writev? *\( *1 *,|fdopen *\( *1 *,' ''
}

# environment.c only sees to it that the descriptor is open.
check_stderr()
{
	code_uses 'stderr|STDERR_FILENO|p?writev? *\( *2 *,|fdopen *\( *2 *,' \
		'src/(main\.c|cmd/.*|base/(environment|log|xalloc)\.c)'
	code_uses '(perror|psignal|psiginfo|v?warnx?) *\(' ''
}

# The only mutable data, as "object name".
readonly GLOBALS='log.c.o log_fd
log.c.o is_quiet
signals.c.o pending
signals.c.o count'

# Data is mutable in each section that is loaded and not read-only, but for the constant tables
# with pointers in .data.rel.ro.
check_globals()
{
	local main=$build/CMakeFiles/iotest.dir/src/main.c.o core=$build/libiotest_core.a file

	for file in "$core" "$main"; do
		[ -e "$file" ] || { echo "$file is not built"; return; }
	done
	objdump -ht "$core" "$main" 2>/dev/null | awk '
		/file format/ {
			object = $1
			sub(/:$/, "", object)
			sub(/.*\//, "", object)
			split("", mutable)
		}
		/^ *[0-9]+ [^ ]+ +[0-9a-f]+ / { section = $2 }
		/^ +.*ALLOC/ && !/READONLY/ && section !~ /^\.(data\.rel\.ro|(init|fini)_array)/ {
			mutable[section] = 1
		}
		/\t/ {
			split($0, half, "\t")
			section = half[1]
			sub(/.* /, "", section)
			name = half[2]
			sub(/.* /, "", name)
			if ((section in mutable || section == "*COM*") && name != section && name !~ /^[$.]/)
				print object " " name
		}' | grep -vxF "$GLOBALS"
}

# What the binary takes from its libraries must be as old as the oldest systems we build for.
# A new name is looked up in its library's history, then added to the list by hand.
check_symbols()
{
	[ -x "$build/iotest" ] || { echo "$build/iotest is not built"; return; }
	nm -D --undefined-only "$build/iotest" | awk '{ print $NF }' |
		sed -E 's/@.*//; s/^__isoc23_/__isoc99_/; s/^__(.*)_chk$/\1/' | sort -u |
		grep -vxF -f <(sed -E 's/[[:space:]]*#.*//; /^$/d' scripts/symbols.allow) |
		sed 's/$/ is not in scripts\/symbols.allow/'
}

# ------------------------------------------------------------------ documents

long_options()
{
	grep -oE '(^|[^-[:alnum:]])--[a-z][a-z-]+' | sed -E 's/^[^-]*//' | sort -u
}

# mdoc(7) writes "--size" as "Fl -size".
check_options()
{
	local command

	[ -x "$build/iotest" ] || { echo "$build/iotest is not built"; return; }
	[ -e docs/iotest.1 ] || { echo "docs/iotest.1 is missing"; return; }
	comm -3 \
		<({ "$build/iotest" --help
		sed -n 's/^const struct command cmd_\(.*\) = {$/\1/p' src/cmd/cmd_*.c | while read -r command; do
			"$build/iotest" "$command" --help
		done; } 2>&1 | long_options) \
		<(sed 's/\\-/-/g; s/Fl -/--/g' docs/iotest.1 | long_options) |
		sed -E 's/^\t(.*)/\1 is in docs\/iotest.1 but not in --help/; t; s/$/ is in --help but not in docs\/iotest.1/'
}

# sasiotest has words with one dash: the first ones of its help page and of its manual page.
check_words()
{
	[ -x "$build/iotest" ] || { echo "$build/iotest is not built"; return; }
	[ -e docs/sasiotest.1 ] || { echo "docs/sasiotest.1 is missing"; return; }
	comm -3 \
		<("$build/iotest" sasiotest --help | sed -nE 's/^  (-[a-z]+).*/\1/p' | sort) \
		<(sed -nE 's/^\.It Fl ([a-z]+).*/-\1/p' docs/sasiotest.1 | sort) |
		sed -E 's/^\t(.*)/\1 is in docs\/sasiotest.1 but not in --help/; t; s/$/ is in --help but not in docs\/sasiotest.1/'
}

# The ids are the first words of the rows of the findings table.
check_findings()
{
	local id

	[ -e docs/REPORT.md ] || { echo "docs/REPORT.md is missing"; return; }
	sed -nE 's/^[[:space:]]*\{ *"([a-z0-9]+(-[a-z0-9]+)*)", *SEVERITY_.*/\1/p' src/analyze/*.c | sort -u |
		while read -r id; do
			grep -qF "\`$id\`" docs/REPORT.md || echo "docs/REPORT.md does not explain $id"
		done
}

check_links()
{
	local file link

	find . -name '*.md' -not -path './build*' -not -path './.git/*' | while read -r file; do
		grep -oE '\]\([^)]+\)' "$file" | sed -E 's/^\]\(//; s/\)$//; s/[ #].*//' | while read -r link; do
			case $link in
			'' | *://* | mailto:*) ;;
			*) [ -e "${file%/*}/$link" ] || echo "$file: $link does not exist" ;;
			esac
		done
	done
}

# ------------------------------------------------------------------ run them

passed=0
failed=0
[ $# -gt 0 ] || eval "set -- $(tr '\n' ' ' <<<"$CHECKS")"
for name in "$@"; do
	problems=$("check_$name" 2>&1)
	if [ -z "$problems" ]; then
		echo "ok   $name"
		passed=$((passed + 1))
	else
		echo "FAIL $name"
		head -n 40 <<<"$problems" | sed 's/^/     /'
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
