# A node that is called so must become neither markup nor a script nor a command.
cat >hostile.json <<'END'
{
  "format": "plumb.graph/1",
  "why": "names are what somebody else wrote",
  "inputs": {"x": {"type": "f32[8, 64]"}},
  "nodes": [
    {"label": "a</script>\"'&::error::%0A]]>", "op": "softmax", "inputs": ["x"]}
  ],
  "results": ["a</script>\"'&::error::%0A]]>"]
}
END
cat >strict.toml <<'END'
schema = "plumb-policy/1"

[[rule]]
id = "nothing_may_be_off"
match = { op = "softmax" }
require = { max_abs = 0.0 }
END
plumb 1 verify "$graphs/scores.json" hostile.json --candidate cpu --seeds 2 --policy "$PWD/strict.toml" \
  --markdown verify.md --html verify.html --json verify.json -o out.h5
# From the file comes what verify wrote, byte for byte.
plumb 1 report out.h5 --markdown report.md --html report.html --json report.json --junit report.xml
says '^4 runs: 4 failed; 0 changed$'
cmp verify.md report.md || fail "report writes other Markdown than verify"
python3 "$source/tests/commands/page.py" report.html verify.json verify.html || fail "the page is not as it must be"
python3 "$source/tests/commands/same.py" verify.json report.json "$source/docs/results.md" || fail "JSON differs"
python3 "$source/tests/commands/junit.py" report.xml report.json || fail "JUnit XML and JSON differ"
plumb 1 judge out.h5 --markdown - --html judge.html
cmp stdout report.md || fail "judge writes other Markdown than report"
cmp judge.html report.html || fail "judge writes another page than report"
plumb 0 report out.h5 --exit-zero --markdown -
says '^### plumb: 4 tests failed$'
says '^\| hostile\\\.json a\\<\\/script\\>'
says_not '<script|^::'
says '^    plumb verify .*hostile\.json .*--policy '
[ "$(wc -c <stdout)" -le 61440 ] || fail "the summary does not fit a comment"
plumb 1 report out.h5 --github
says '^::error .*title=softmax failed'
plumb 2 report out.h5 --markdown - --html -
warns_of "only one of --json, --junit, --markdown and --html can be written to stdout"
plumb 2 report out.h5 --html out.h5 --force
warns_of out.h5
plumb 2 report missing.h5 --html page.html
warns_of missing.h5
if [ -e page.html ]; then fail "there is a page of nothing"; fi
plumb 0 verify "$graphs/scores.json" --candidate cpu -q -o good.h5
plumb 0 report good.h5 --require-verified --markdown -
says '^### plumb: nothing failed$'
plumb 0 report good.h5 --strict --force --html good.html
holds good.html '<title>plumb: nothing failed</title>'
# Files for other viewers, and an archive that is read again.
plumb 1 report out.h5 --model-explorer overlay --trace trace.json --zip out.zip --json report.json
python3 "$source/tests/commands/viewers.py" report.json overlay trace.json out.zip || fail "a viewer's file is wrong"
plumb 1 report out.zip --markdown again.md --html again.html
cmp again.md report.md || fail "an archive gives other Markdown than its results file"
cmp again.html report.html || fail "an archive gives another page than its results file"
plumb 2 report out.h5 --model-explorer -
warns_of "--model-explorer writes several files"
python3 - <<'END'
import zipfile
for name, members in (("none.zip", ["report.html"]), ("out_of_it.zip", ["../out.h5"])):
    with zipfile.ZipFile(name, "w") as archive:
        for member in members:
            archive.writestr(member, b"x")
with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    archive.writestr("out.h5", b"x" * 1000)
data = open("bomb.zip", "rb").read()
at = data.index(b"PK\x01\x02") + 24
open("bomb.zip", "wb").write(data[:at] + (1 << 31).to_bytes(4, "little") + data[at + 4:])
END
for archive in none out_of_it bomb; do
  plumb 2 report $archive.zip
  warns_of $archive.zip
done
warns 'cannot have 2147483648 bytes in '
# A share of no cases is a file of no runs.
plumb 0 verify "$graphs/scores.json" --candidate cpu --shard 2/2 -q -o empty.h5
plumb 77 report empty.h5 --html none.html
holds none.html '<title>plumb: nothing was judged</title>'
plumb 0 report empty.h5 --exit-zero
# What a program is told of what did not pass: the limit, by its parts, and what to run next.
agents() {
  # shellcheck disable=SC2086
  python3 "$source/tests/commands/agents.py" "$source/schema/plumb-report-1.json" "$1" $launched >taken ||
    fail "$1 tells programs something that is not so"
  cat taken
}
plumb 0 verify "$source/fixtures/must_fail/wrong_in_the_middle.json" \
  "$source/fixtures/must_fail/ones_times_ones_with_15_terms_missing.json" "$graphs/scores.json" \
  --candidate cpu --json told.json -o told.h5 --metamorphic
agents told.json
if grep '^0 limits\|, 0 steps' taken; then fail "no limit of a sum, or no step, was looked at"; fi
plumb 0 report told.h5 --json told_again.json
agents told_again.json
agents verify.json
