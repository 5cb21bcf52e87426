#!/bin/sh
# usage: planted.sh SOURCE_FOLDER BUILD_FOLDER: the budget of an op must be able to fail, and only where it is exceeded.
set -eu
source=$1 build=$2

# says STATUS PATTERN ARGUMENTS...: how op_budget.py ends, and what it says.
says() {
  wanted=$1 pattern=$2 status=0
  shift 2
  text=$("$source/scripts/op_budget.py" "$build" "$@" 2>&1) || status=$?
  if [ "$status" -ne "$wanted" ] || ! printf '%s\n' "$text" | grep -q "$pattern"; then
    echo "op_budget.py $* ended with $status, not $wanted, or does not say '$pattern':" >&2
    printf '%s\n' "$text" >&2
    exit 1
  fi
}
says 1 '^OVER trilu ' --compile 0.01 --test 1000 trilu
says 0 '^ok   trilu ' --compile 1000 --test 1000 trilu
says 2 'there is no op no_such_op' no_such_op
