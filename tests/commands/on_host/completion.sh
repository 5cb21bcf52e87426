# completes WANTED WORDS...: the last word may be this one, among others ("" - none), the program being left out.
completes() {
  wanted=$1
  shift
  for answer in 1 2 3 4 5 6 7 8 9 10; do  # on a busy machine a graph may be read too late: one answer in time is enough
    $launched __complete $# -- plumb "$@" >found || fail "answer $answer of __complete $* ends with an error"
    cut -f 1 found >words
    if [ -z "$wanted" ]; then [ ! -s found ] || fail "something completes: $*"; return; fi
    if grep -qxF -- "$wanted" words; then return; fi
  done
  fail "'$wanted' does not complete: $*"
}
only() { [ "$(tr '\n' ' ' <words)" = "$1 " ] || fail "wanted $1, found $(cat words)"; }

graph=$graphs/scores.json
completes verify ver
only verify
completes lint policy ""
completes --mode verify "$graph" --mo
only --mode
completes isolate verify "$graph" --mode ""
only "propagate isolate attribute"
completes --mode=isolate verify --mode=is
completes --mode=isolate verify --mode = is  # as bash splits it
completes gpu bench --on ""
completes gpu run --on ""
completes never,always sweep --choose never,al
completes softmax ops soft
completes matmul,softmax verify --op matmul,soft
completes scores verify "$graph" --filter ""
only "scores p"
completes ^scores verify "'$graph'" --filter ^s
completes scores flake "$graph" --node s
completes op:softmax verify --tag op : soft
completes "not dtype:f16" verify --tag "not dtype:f1"
completes scaled@ verify --plant scal
completes crash@ verify --plant cra
completes scaled@scores verify "$graph" --plant scaled@sc
completes scaled power --faults scal
completes tile= verify --set til
completes fallback=allow verify --set fallback=al
completes cpu verify --device ""
completes verdict_rules help verd
completes baseline help base
completes fish completion ""
# The shell offers files, where nothing is said.
completes "" verify fix
completes "" verify "$graph" -o ""
completes "" verify -- --mo
completes "" no_such_command ""
plumb 2 __complete verify
warns_of "INDEX -- WORDS"
# Graphs that cannot be read, or not soon, complete nothing, and nobody waits for them.
echo '{"nodes": [' >broken.json
mkfifo pipe.json
truncate -s 400M large.json
for bad in broken.json pipe.json large.json missing.json .; do
  completes "" verify $bad --filter ""
done
for bad in pipe.json large.json; do
  # shellcheck disable=SC2086  # a path of a build
  python3 -B - "$bad" $launched <<'END_OF_PYTHON' || fail "$bad takes too long"
import subprocess, sys, time

def seconds(*words):
    begin = time.monotonic()
    subprocess.run([*sys.argv[2:], "__complete", str(len(words)), "--", "plumb", *words], check=True)
    return time.monotonic() - begin

# Other tests run beside this one: one quick answer of ten is enough.
start = min(seconds("verify", sys.argv[1], "--mo") for _ in range(3))
assert any(seconds("verify", sys.argv[1], "--filter", "") < start + 0.2 for _ in range(10))
END_OF_PYTHON
done

# Shells parse their scripts, and complete by them.
PATH=$(dirname "$launched"):$PATH
for shell in bash zsh fish; do
  plumb 0 completion $shell
  says ' __complete '
  cp stdout script.$shell
  if ! command -v $shell >/dev/null; then
    echo "skipped: no $shell, which parses its script (Debian: $shell)"
    continue
  fi
  $shell -n script.$shell || fail "$shell does not parse its script"
done
if command -v bash >/dev/null; then
  cat >ask.bash <<'END_OF_BASH'
source script.bash
COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
COMP_LINE=$1 COMP_POINT=${#1}
_plumb "${COMP_WORDS[0]}" 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
END_OF_BASH
  ask_bash() {
    for answer in 1 2 3 4 5 6 7 8 9 10; do
      bash ask.bash "$@" >words
      if grep -qx "$wanted" words; then return; fi
    done
    fail "bash does not complete, asked $answer times: $1"
  }
  wanted=verify
  ask_bash "plumb ver" plumb ver
  wanted=isolate
  ask_bash "plumb verify --mode=is" plumb verify --mode = is
  wanted=scores
  ask_bash "plumb verify $graph --filter " plumb verify "$graph" --filter ""
fi
if command -v fish >/dev/null; then
  ask_fish() { HOME=$PWD fish --no-config -c "source script.fish; complete -C '$1'" | cut -f 1 >words; }
  ask_fish "plumb ver"
  only verify
  ask_fish "plumb verify $graph --filter "
  grep -qx scores words || fail "fish: --filter"
fi
plumb 2 completion fihs
warns "wanted one of bash, zsh, fish, found 'fihs'; did you mean fish\?"
