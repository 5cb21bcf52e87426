#!/bin/sh
# usage: planted.sh SOURCE_FOLDER SCRATCH_FOLDER: a test that is skipped without a reason must be found, and no other.
set -eu
source=$1
rm -rf "$2"
mkdir -p "$2"
cd "$2"
cat >report.xml <<'XML'
<testsuite>
  <testcase name="a" status="run"/><testcase name="b" status="notrun"/><testcase name="c" status="fail"/>
</testsuite>
XML

# says STATUS PATTERN LIST: how expected_skips.py ends with a list of these lines, and what it says.
says() {
  status=0
  printf '%s\n' "$3" >list
  text=$("$source/scripts/expected_skips.py" "${report:-report.xml}" list 2>&1) || status=$?
  if [ "$status" -ne "$1" ] || ! printf '%s\n' "$text" | grep -q "$2"; then
    echo "expected_skips.py with '$3' ended with $status, not $1, or does not say '$2': $text" >&2
    exit 1
  fi
}
says 0 '^$' 'b: no device has it'
says 1 '^b was skipped, and no line of list says why' '# nothing'
says 1 '^a ran, and needs no line' "$(printf 'b: no device has it\na: neither')"
says 1 '^c ran, and needs no line' "$(printf 'b: no device has it\nc: neither')"
says 2 'cannot be compared' 'b without a reason'
report=missing.xml
says 2 'missing.xml and list cannot be compared' 'b: no device has it'
