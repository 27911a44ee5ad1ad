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

# In this order. Each name has its function below.
readonly CHECKS='
format shell cppcheck licence headers
layers base_layer model_layer private_headers foreign_libraries
exits stdout globals symbols
options findings links'

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

# The code of a C file alone: without comments and strings.
code_of()
{
	gcc -fpreprocessed -dD -E -P "$1" 2>/dev/null | sed 's/"[^"]*"/""/g'
}

# includes FILE: the names between quotes or brackets.
includes()
{
	sed -nE 's/^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"].*/\1/p' "$1"
}

# code_uses PATTERN ALLOWED FILE...: names the files that use it, but for those that match ALLOWED.
code_uses()
{
	local pattern=$1 allowed=$2 file
	shift 2

	for file in "$@"; do
		[[ $file =~ $allowed ]] && continue
		code_of "$file" | grep -E "(^|[^_[:alnum:]])($pattern)" | sed "s|^[[:space:]]*|$file: |"
	done
}

# only_includes ALLOWED FILE...: ALLOWED matches the iotest/ headers that these files may see.
only_includes()
{
	local allowed=$1 file name
	shift

	for file in "$@"; do
		while read -r name; do
			[[ $name != iotest/* || $name =~ ^iotest/($allowed)\.h$ ]] ||
				echo "$file includes $name"
		done < <(includes "$file")
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
readonly BASE='buf|child|cli|compiler|cpulist|environment|err|evidence|log|signals|sysroot|units|xalloc'
readonly NOUNS='host|plan|run|report|schema'
readonly STAGES='probe=probe plan=planner run=runner|io_ops analyze=analyze render=render bundle=bundle'

check_layers()
{
	local stage files

	for stage in $STAGES; do
		mapfile -t files < <(find "src/${stage%%=*}" -name '*.[ch]')
		only_includes "$BASE|$NOUNS|${stage#*=}" "${files[@]}"
	done
}

check_base_layer()
{
	local files

	mapfile -t files < <(find src/base -name '*.[ch]'; eval "ls include/iotest/{${BASE//|/,}}.h")
	only_includes "$BASE" "${files[@]}"
}

check_model_layer()
{
	local files

	mapfile -t files < <(find src/model -name '*.[ch]'; eval "ls include/iotest/{${NOUNS//|/,}}.h")
	only_includes "$BASE|$NOUNS" "${files[@]}"
}

# A private header is included by its neighbours only, as "name.h" or "folder/name.h".
check_private_headers()
{
	local file folder name

	find src -name '*.[ch]' | while read -r file; do
		folder=${file%/*}
		sed -nE 's/^#include "([^"]+)".*/\1/p' "$file" | while read -r name; do
			[[ $name == iotest/* || -e $folder/${name#"${folder#src/}/"} ]] ||
				echo "$file includes $name"
		done
	done
}

# One foreign library, one file. A row: the headers, and the files that may include them.
readonly FOREIGN='
hwloc          src/probe/probe_topology\.c
libcpuid       src/probe/probe_cpu\.c
libmount       src/probe/probe_mount\.c
archive        src/bundle/[a-z_]+\.c
jansson        src/render/render_json_(read|write)\.c'

check_foreign_libraries()
{
	local library allowed file users

	while read -r library allowed; do
		[ -n "$library" ] || continue
		mapfile -t users < <(grep -lrE "^#include [<\"]($library/|(.*/)?$library(_entry)?\.h)" src include)
		for file in "${users[@]}"; do
			[[ $file =~ ^$allowed$ ]] || echo "$file includes $library"
		done
		[ "$library" = jansson ] || [ ${#users[@]} -le 1 ] || echo "$library in several files: ${users[*]}"
	done <<<"$FOREIGN"
}

# ------------------------------------------------------------------ what code may do

check_exits()
{
	local files

	mapfile -t files < <(find src -name '*.c')
	code_uses 'exit *\(|abort *\(' '^src/(main|base/xalloc)\.c$' "${files[@]}"
	code_uses '_exit *\(|_Exit *\(' '^src/(run/worker|base/child)\.c$' "${files[@]}"
}

check_stdout()
{
	local files

	mapfile -t files < <(find src -name '*.c')
	code_uses 'v?printf *\(|puts *\(|putchar *\(|stdout|STDOUT_FILENO' \
		'^src/(main\.c|render/|cmd/|base/cli\.c)' "${files[@]}"
}

# Mutable data lies in .data, .bss and their kin; constant tables with pointers in .data.rel.ro.
check_globals()
{
	[ -e "$build/libiotest_core.a" ] || { echo "$build/libiotest_core.a is not built"; return; }
	objdump -t "$build/libiotest_core.a" 2>/dev/null | awk '
		/file format/ { object = $1; sub(/:$/, "", object) }
		object ~ /^(log|signals)\.c\.o$/ { next }
		/ O (\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && !/ O \.data\.rel\.ro/ {
			print object ": " $NF
		}'
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
		<({ "$build/iotest" --help; for command in run probe plan report; do
			"$build/iotest" "$command" --help
		done; } 2>&1 | long_options) \
		<(sed 's/\\-/-/g; s/Fl -/--/g' docs/iotest.1 | long_options) |
		sed -E 's/^\t(.*)/\1 is in docs\/iotest.1 but not in --help/; t; s/$/ is in --help but not in docs\/iotest.1/'
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
