# A results file knows how many cases were planned and whether the run ended: what was cut off is never green.
GITHUB_WORKSPACE=$PWD GITHUB_STEP_SUMMARY=$PWD/summary.md
export GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
last_line() { tail -n 1 stderr | grep -qE -- "$1" || fail "the last line of stderr does not match: $1"; }
plumb 0 verify "$graphs/scores.json" --seeds 3 -q -o today.h5
plumb 0 judge today.h5 --strict --require-verified
[ ! -s stderr ] || fail "something is said of a run that ended"
# shellcheck disable=SC2086
$launched verify "$graphs/scores.json" --seeds 1000000 -v -o cut.h5 >said 2>killed &
writer=$!
waited=0
until grep -q '| seed 25 |' said; do
  sleep 0.05
  waited=$((waited + 1))
  [ $waited -lt 2000 ] || fail "waited in vain for 25 seeds"
done
kill -KILL $writer
wait $writer
# It is an error under --strict.
for demands in '' '--require-verified' '--strict'; do
  wanted=4
  [ "$demands" != --strict ] || wanted=2
  # shellcheck disable=SC2086
  plumb $wanted judge cut.h5.part $demands --github --junit cut.xml --json cut.json
  last_line "^cut off: [0-9]+ of 1000000 cases; exit code $wanted$"
  says '^::error title=cut_off%3A \(run\)::cut off: [0-9]+ of 1000000 cases$'
  holds cut.xml '<(failure|error) type="cut_off" message="cut off: [0-9]+ of 1000000 cases"'
  holds cut.json "^  \"exit\": $wanted,$"
  holds summary.md '^### plumb: cut off\\: [0-9]+ of 1000000 cases$'
  rm summary.md
done
holds cut.xml '<error type="cut_off" '
plumb 0 inspect cut.h5.part
grep -qE '^cut off: [0-9]+ of 1000000 cases$' stdout || fail "inspect does not say that it was cut off"
plumb 0 inspect cut.h5.part --check-schema
plumb 4 fit cut.h5.part -o fitted.toml
last_line '^fitted to fewer runs than there were to be; exit code 4$'
warns '^cut\.h5\.part: cut off: [0-9]+ of 1000000 cases$'
[ -s fitted.toml ] || fail "nothing was fitted"
# Each line of several files names its own; what was cut off is named, too.
plumb 0 judge today.h5 today.h5
found=$(grep -c '^today\.h5: runs 0 to 2: .*, seeds 1 to 3, 2 outputs each: passed$' stdout)
[ "$found" -eq 2 ] || fail "not a line a file"
plumb 4 judge today.h5 cut.h5.part --junit both.xml
says '^today\.h5: runs 0 to 2: '
says '^cut\.h5\.part: runs 0 to [0-9]+: '
last_line '^cut\.h5\.part: cut off: [0-9]+ of 1000000 cases; exit code 4$'
# A file's name becomes no markup.
cp cut.h5.part '<b>.h5.part'
plumb 4 judge today.h5 '<b>.h5.part' --html both.html --markdown both.md
holds both.html '<title>plumb: &lt;b&gt;\.h5\.part: cut off: '
holds both.md '^### plumb: \\<b\\>\\\.h5\\\.part\\: cut off\\: '
holds both.xml '<property name="results" value="today\.h5"/>'
# A run that stopped where it was told to did end, and so did one of a file that cannot be read.
plumb 1 verify "$graphs/scores.json" "$graphs/dense.json" --policy "$graphs/strict.toml" --fail-fast -q -o fast.h5
plumb 1 judge fast.h5
if grep 'cut off' stderr; then fail "a run that was to stop is said to have been cut off"; fi
# A case with nothing to compare is none to stop at.
none=$source/fixtures/ops/tile/no_times.json
plumb 1 verify "$none" "$graphs/scores.json" --policy "$graphs/strict.toml" --fail-fast
says '^2 cases, '
plumb 2 verify missing.json --seeds 5 -q -o missing.h5
plumb 2 judge missing.h5
if grep 'cut off' stderr; then fail "a graph that cannot be read is said to have been cut off"; fi
# Files of earlier versions do not know.
plumb 0 judge "$source/tests/parity/results/version_1.h5"
[ ! -s stderr ] || fail "something is said of a file of version 1"
# A rule that has expired, by the policy of the file and by another.
cat >expired.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "known_defect"
match = { node = "scores" }
require = { max_abs = 0 }
expires = 2026-01-01
reason = "a driver"
END
plumb 0 judge today.h5 --policy expired.toml
warns '^rule known_defect expired on 2026-01-01, matches nothing$'
plumb 4 judge today.h5 --policy expired.toml --strict
last_line '^--strict: rule known_defect expired on 2026-01-01, matches nothing; exit code 4$'
plumb 0 verify "$graphs/scores.json" -q --policy expired.toml --junit verify.xml -o expired.h5
plumb 0 judge expired.h5 --junit judge.xml
warns '^rule known_defect expired on 2026-01-01, matches nothing$'
cmp verify.xml judge.xml || fail "judge writes other JUnit XML than verify"
plumb 0 judge expired.h5 --policy expired.toml --junit judge.xml
cmp verify.xml judge.xml || fail "judge writes other JUnit XML than verify by the same policy"
# What was not verified for lack of a driver is so in the file, too.
(
  VK_DRIVER_FILES=/no/driver VK_ICD_FILENAMES=/no/driver
  export VK_DRIVER_FILES VK_ICD_FILENAMES
  plumb 4 verify "$graphs/scores.json" -q --require-verified --junit verify.xml --github -o none.h5
  sed -n '/^::plumb-/,$p' stdout | sed 1d >verify.txt
  mv summary.md verify.md
  plumb 4 judge none.h5 --require-verified --junit judge.xml --github
  sed -n '/^::plumb-/,$p' stdout | sed 1d >judge.txt
  for report in xml txt; do cmp verify.$report judge.$report || fail "judge writes another $report than verify"; done
  cmp verify.md summary.md || fail "judge writes another summary than verify"
  plumb 77 judge none.h5 --strict --junit judge.xml
  holds judge.xml '<testsuite [^>]*failures="0" errors="0" skipped="1"'
) || exit
