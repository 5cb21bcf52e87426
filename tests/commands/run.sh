#!/bin/sh
# usage: run.sh CHECKS.sh SCRATCH_FOLDER SOURCE PLUMB [LAUNCHER...]
#
# Runs what CHECKS.sh, named after a command of plumb, expects of that command, in an empty folder. Words of such files:
#
#   plumb STATUS ARGUMENTS...  runs it; the exit status must be STATUS
#   says PATTERN               a line of what the last plumb wrote to stdout matches (grep -E)
#   says_not PATTERN           no line of it does
#   warns PATTERN              a line of what it wrote to stderr matches
#   warns_of FILE              it wrote nothing to stdout, and to stderr one line that names FILE
#   holds FILE PATTERN         a line of the file matches
#   tensor FILE NAME VALUES    the tensor of an HDF5 file has these values ("1, 2.5")
#   digest_of FILE [=values]   writes the digest of a results file to stdout: of all, or of what was computed
#   numpy_candidate            $numpy is a candidate that NumPy computes; without NumPy nothing of this can run
#
# Everything is shown, and the first expectation that is not met ends it with 1. Where plumb ends with 77, since
# nothing can run here, that is passed on. A file of checks that never has its command end well, or never looks at
# what it wrote, proves nothing and fails.
set -u
checks=$1 scratch=$2 source=$3
shift 3
launched=$*  # paths of a build: without spaces
command=$(basename "$checks" .sh)
# shellcheck disable=SC2034  # for the checks
graphs=$source/tests/commands/graphs
ended_well=no looked=no

fail() {
  echo "run.sh: $*"
  exit 1
}

plumb() {
  wanted=$1
  shift
  echo "\$ plumb $*"
  ran=$1
  # shellcheck disable=SC2086
  $launched "$@" >stdout 2>stderr </dev/null
  status=$?
  cat stdout
  sed 's/^/stderr: /' stderr
  if [ "$status" -eq 77 ] && [ "$wanted" -ne 77 ]; then exit 77; fi
  [ "$status" -eq "$wanted" ] || fail "exit status $status, wanted $wanted"
  if [ "$status" -eq 0 ] && [ "$ran" = "$command" ]; then ended_well=yes; fi
}

# A look at what another command wrote says nothing of this one.
look() { if [ "$ran" = "$command" ]; then looked=yes; fi; }

says() {
  look
  grep -qE -- "$1" stdout || fail "no line of stdout matches: $1"
}

digest_of() {
  plumb 0 inspect "$1" "--digest${2:-}" >/dev/null
  cat stdout
}

numpy_candidate() {
  python=$(for one in python3 /usr/bin/python3; do "$one" -c 'import numpy' 2>/dev/null && echo "$one" && break; done)
  # shellcheck disable=SC2034  # for the checks
  numpy="numpy=exec:$python $source/docs/example/numpy_candidate.py"
  if [ -z "$python" ]; then
    echo "no NumPy (Debian: python3-numpy)"
    exit 77
  fi
}

says_not() { if grep -E -- "$1" stdout; then fail "a line of stdout matches: $1"; fi; }

warns() { grep -qE -- "$1" stderr || fail "no line of stderr matches: $1"; }

warns_of() {
  if [ -s stdout ]; then fail "stdout is not empty"; fi
  grep -qF -- "$1" stderr || fail "stderr does not name $1"
  [ "$(wc -l <stderr)" -eq 1 ] || fail "stderr is not one line"
}

holds() {
  look
  [ -f "$1" ] || fail "there is no file $1"
  grep -qE -- "$2" "$1" || fail "no line of $1 matches: $2"
}

tensor() {
  look
  [ -f "$1" ] || fail "there is no file $1"
  found=$(h5dump -y -w 0 -d "$2" "$1" | sed -n '/DATA {/,/}/p' | grep -v '[{}]' | tr -d '\n' | tr -s ' ' | sed 's/^ //')
  [ "$found" = "$3" ] || fail "$2 of $1 is '$found', wanted '$3'"
}

rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
# shellcheck source=/dev/null
. "$checks"
[ "$ended_well" = yes ] || fail "$checks never has plumb $command end with 0"
[ "$looked" = yes ] || fail "$checks never looks at what plumb $command wrote"
