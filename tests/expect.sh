#!/bin/sh
# usage: expect.sh passes|fails|is_refused FILE COMMAND...
#
# Runs the command, shows its output, and ends 0 when the exit status is the expected one and the output holds the
# message that FILE states, in a field "expect_error" or, where FILE is no JSON, in FILE.expect. 0 is expected, or 2 of
# a file that is refused; of one that fails or is refused as it says that it must, 0 and words that say so. 77 (nothing
# ran) is passed on.
set -u
case $1 in
  passes) want=0 ;;
  fails) want=0 ;;
  is_refused) want=2 ;;
  *) echo "expect.sh: cannot expect '$1'" >&2; exit 2 ;;
esac
expectation=$1 file=$2
shift 2

message=
if [ -f "$file.expect" ]; then
  message=$(cat "$file.expect")
elif [ -f "$file" ]; then
  # The file may be broken JSON on purpose: take the string as it stands.
  message=$(sed -n 's/.*"expect_error": *"\(\([^"\\]\|\\.\)*\)".*/\1/p' "$file" | head -n 1 | sed 's/\\\(["\\]\)/\1/g')
fi
if [ "$expectation" = is_refused ] && [ -z "$message" ]; then
  echo "expect.sh: $file does not state its message in \"expect_error\" or $file.expect" >&2
  exit 1
fi

output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$@" >"$output" 2>&1
status=$?
cat "$output"
if [ $status -eq 77 ] && [ "$expectation" != is_refused ]; then exit 77; fi
case $expectation in
  fails) words="failed, as the file says that it must" ;;
  *) words="refused, as the file says that it must be" ;;
esac
is_met=$(grep -cF -- "$words" "$output" || true)
if [ $expectation = fails ] && [ "$is_met" -eq 0 ]; then
  echo "expect.sh: the output does not say: $words"
  exit 1
fi
if [ $expectation = is_refused ] && [ "$is_met" -gt 0 ]; then want=0; fi
if [ $status -ne $want ]; then
  echo "expect.sh: exit status $status, wanted $want"
  exit 1
fi
if [ -n "$message" ] && ! grep -qF -- "$message" "$output"; then
  echo "expect.sh: the output does not say: $message"
  exit 1
fi
