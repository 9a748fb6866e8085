#!/usr/bin/env bash
# clang_tidy.sh STAMP SOURCE FLAG...: checks SOURCE, compiled with FLAGs, and makes the file STAMP when nothing is found.
set -uo pipefail

stamp=$1
source=$2
shift 2
# A run ends with a count of warnings in system headers, which nobody can act on.
found=$(clang-tidy-14 --quiet "$source" -- "$@" 2>&1)
code=$?
found=$(grep -v -E '^[0-9]+ warnings?( and [0-9]+ errors?)? generated\.$' <<<"$found")
[[ -z $found ]] || printf '%s\n' "$found" >&2
((code == 0)) && : >"$stamp"
exit "$code"
