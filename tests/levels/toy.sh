#!/bin/sh
# usage: toy.sh SOURCE_FOLDER SCRATCH_FOLDER [CMAKE_ARGUMENTS...]
#
# Builds tests/levels/toy and checks that kernels for several levels stay apart, run, and are chosen as they should be.
# What the processor here lacks cannot run here, which it says.
set -u
source=$1 scratch=$2
shift 2
if [ "$(uname -m)" != x86_64 ]; then
  echo "there are levels of x86-64 only"
  exit 77
fi
rm -rf "$scratch"
mkdir -p "$scratch"
fail() {
  echo "toy.sh: $*" >&2
  exit 1
}

cmake -S "$source/tests/levels/toy" -B "$scratch" -G Ninja "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
ninja -C "$scratch" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
sh "$source/tests/levels/check.sh" "$scratch/toy_program" || fail "instructions are where they must not be"

# says LEVEL STATUS PATTERN
says() {
  PLUMB_CPU_LEVEL=$1 "$scratch/toy_program" >"$scratch/out" 2>&1
  status=$?
  cat "$scratch/out"
  [ $status -eq "$2" ] || fail "PLUMB_CPU_LEVEL=$1 ended with $status, not $2"
  grep -qE "$3" "$scratch/out" || fail "PLUMB_CPU_LEVEL=$1 does not say: $3"
}
highest=
for level in v2 v3 v4; do
  case $level in v2) flag=sse4_2 ;; v3) flag=avx2 ;; v4) flag=avx512vl ;; esac
  if grep -qw "$flag" /proc/cpuinfo; then
    says $level 0 "^$level 4950$"
    grep -q '^odd$' "$scratch/out" || fail "$level: what a kernel throws is not caught"
    highest=$level
  else
    echo "$level cannot run here: this processor has no $flag"
    says $level 2 "^PLUMB_CPU_LEVEL is '$level', but this processor has no instructions above $highest$"
  fi
done
says "" 0 "^$highest 4950$"
says v5 2 "^PLUMB_CPU_LEVEL is 'v5', but the levels of this program are v2, v3, v4$"

# The checks notice what they are for.
if sh "$source/tests/levels/check.sh" "$scratch/plain_program" >"$scratch/out" 2>&1; then
  fail "AVX-512 in code that all processors run went unnoticed"
fi
grep -q 'outside of its level, in .text' "$scratch/out" || fail "check.sh failed for another reason"
if ninja -C "$scratch" early_level >"$scratch/out" 2>&1; then fail "a static initialiser went unnoticed"; fi
grep -q 'have static initialisers' "$scratch/out" || fail "join_level.sh failed otherwise: $(cat "$scratch/out")"
