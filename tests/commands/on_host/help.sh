plumb 0 help
says '^  verify +run graphs on the reference'
says '^  verdict_rules +[A-Z]'
says_not '^  design '
plumb 0 help verify
cp stdout of_help
plumb 0 verify --help
cmp stdout of_help || fail "plumb help verify is not plumb verify --help"
plumb 0 help policy lint
says '^Usage: plumb policy lint '
# A command that is called as a page is has both, and a file means the page alone.
plumb 0 help drift
says '^Usage: plumb drift '
says '^=====+$'
plumb 0 help docs/drift.md
says_not '^Usage: '
plumb 0 help accuracy
# Pages have neither marks nor lines that are too wide, but for code.
for page in agents ci glossary results; do
  plumb 0 help $page
  says_not '\*\*|\]\(|^\||^#|^name: plumbline'
  if grep -vE '^    |`' stdout | grep -E '^.{81}'; then fail "a line of $page is too wide"; fi
done
plumb 2 help verifi
warns_of "there is no command and no page 'verifi'; did you mean verify?"
plumb 2 help verdict_rule
warns_of "did you mean verdict_rules?"
plumb 2 help policy lnit
warns_of "did you mean lint?"
plumb 2 help --man verifi
warns_of "did you mean verify?"
# Long text goes through the pager of a terminal, and one that there is not is done without.
# shellcheck disable=SC2086  # a path of a build
python3 -B - "$source" $launched <<'END_OF_PYTHON' || fail "the pager is not as it should be"
import sys
sys.path.insert(0, sys.argv[1] + "/tests/commands")
from pseudo_terminal import run_on_terminal
for pager, wanted in (("sed s/^/paged:/", "paged:"), ("no-such-pager", "Usage: plumb fit"), ("true", "")):
    text, status = run_on_terminal([*sys.argv[2:], "help", "fit"], 80, {"PAGER": pager})
    assert status == 0 and wanted in text, (pager, status, text[:200])
assert "Usage" not in text, text
# No line of help is wider than the terminal; ../screen.py looks at that of every command.
for command in ([], ["policy", "lint"], ["help"], ["completion"]):
    text, status = run_on_terminal([*sys.argv[2:], *command, "--help"], 80)
    wide = [line for line in text.splitlines() if len(line) > 80]
    assert status == 0 and len(text) > 100 and not wide, (command, status, wide)
END_OF_PYTHON
# Each manual has each flag, and mandoc reads it.
lint=$(command -v mandoc) || echo "skipped: no mandoc, which reads manuals (Debian: mandoc)"
$launched __complete 1 -- plumb | cut -f 1 >names
[ "$(wc -l <names)" -gt 20 ] || fail "no commands"
for name in "" $(cat names); do
  # shellcheck disable=SC2086  # the program itself has no name
  $launched help --man $name >page.1 || fail "no manual of '$name'"
  # shellcheck disable=SC2086
  $launched $name --help | grep -oE '^  (-[a-zA-Z],)?(--[a-z0-9-]+,?)+' | grep -oE -- '--[a-z0-9-]+' >flags
  sed 's/\\-/-/g' page.1 >plain
  while read -r flag; do
    grep -qF -- "\\fB$flag\\fR" plain || fail "the manual of '$name' lacks $flag"
  done <flags
  [ -z "$lint" ] || "$lint" -Tlint -W error page.1 || fail "mandoc objects to the manual of '$name'"
done
