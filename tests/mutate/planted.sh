#!/bin/sh
# planted.sh MUTATE SCRATCH: the check of mutations finds what is planted, and nothing where there is nothing.
set -eu
mutate=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch"
failed=0

# expect STATUS MESSAGE TEXT: the check of a file of that text ends so, and says so.
expect() {
  printf '%b' "$3" >"$scratch/family.txt"
  status=0
  output=$(bash "$mutate" --check "$scratch" 2>&1) || status=$?
  case $output in *"$2"*) ;; *) status="$status, which says: $output" ;; esac
  [ "$status" = "$1" ] || { echo "planted.sh: wanted $1 and '$2', got $status"; failed=1; }
}

head='run fixtures/ops/matmul\n@ one\nin LICENSE\n'
expect 0 '1 mutations, 0 of them' "$head- MIT License\n+ No License\nby *\n"
expect 1 "does not have 'no such text'" "$head- no such text\n+ x\nby *\n"
expect 1 'more than once' "$head- the\n+ a\nby *\n"
expect 1 'nothing changes' "$head- MIT License\n+ MIT License\nby *\n"
expect 1 'a line is missing' "$head- MIT License\n+ No License\n"
expect 1 'there is no ir/nowhere.cpp' 'run x\n@ one\nin ir/nowhere.cpp\n- a\n+ b\nby *\n'
expect 1 '0 mutations' '# none\n'
exit $failed
