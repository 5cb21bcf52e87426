#!/bin/sh
# verdict.sh OUTCOMES FIXTURE PLUMB...: verifies one graph of fixtures/verdict and holds what is said of it to its lines
# in OUTCOMES, which say what verdict.md A requires of it:
#
#   NAME         EXIT CASE NODE=VERDICT...    of verify
#   strict NAME  EXIT CASE                    of verify --strict
#   flushing NAME  EXIT CASE NODE=VERDICT...  of verify on a device that gives 0 for subnormals, where PLUMB_FLUSHES is
#                                             set, in place of the first
#   fusing NAME  EXIT CASE NODE=VERDICT...    of verify on a device that multiplies and adds with one rounding, where
#                                             PLUMB_FUSES is set: what overflows on the way is another sum there
#
# An underscore in a VERDICT stands for a blank.
set -eu
outcomes=$1 fixture=$2
shift 2
name=$(basename "$fixture" .json)
policy=${fixture%.json}.toml
if [ -f "$policy" ]; then set -- "$@" verify -v --policy "$policy" "$fixture"; else set -- "$@" verify -v "$fixture"; fi

output=$(mktemp)
trap 'rm -f "$output"' EXIT
failed=0
wrong() {
  echo "verdict.sh: $*"
  failed=1
}

# judge "EXIT CASE NODE=VERDICT..." COMMAND...
judge() {
  wanted=$1 status=0
  shift
  "$@" >"$output" 2>&1 || status=$?
  cat "$output"
  want=${wanted%% *} rest=${wanted#* }
  if [ "$status" -eq 77 ] && [ "$want" -ne 77 ]; then exit 77; fi
  [ "$status" -eq "$want" ] || wrong "exit status $status, wanted $want"
  grep -qF -- "$fixture: ${rest%% *} |" "$output" || wrong "the case is not '${rest%% *}'"
  for node in $rest; do
    case $node in *=*) ;; *) continue ;; esac
    verdict=$(echo "${node#*=}" | sed 's/_/ /g; s/out of range/out_of_range/; s/[()]/\\&/g')
    grep -Eq "^${node%%=*} .*  $verdict\$" "$output" || wrong "'${node%%=*}' is not '${node#*=}'"
  done
}

usual=$(sed -n "s/^$name  *//p" "$outcomes") strict=$(sed -n "s/^strict $name  *//p" "$outcomes")
flushing=$(sed -n "s/^flushing $name  *//p" "$outcomes")
fusing=$(sed -n "s/^fusing $name  *//p" "$outcomes")
if [ -n "${PLUMB_FUSES:-}" ] && [ -n "$fusing" ]; then usual=$fusing; fi
if [ -n "${PLUMB_FLUSHES:-}" ] && [ -n "$flushing" ]; then usual=$flushing; fi
if [ -z "$usual" ]; then wrong "$outcomes has no line for $name"; else judge "$usual" "$@"; fi
if [ -n "$strict" ]; then judge "$strict" "$@" --strict; fi
exit $failed
