#!/bin/sh
# planted.sh MUTATE SCRATCH: the check of mutations finds what is planted, and nothing where there is nothing; and what
# verify says of a mutation is read as what it means.
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

# read_as WANTED STATUS BY OUTPUT [REFUSAL]: what is made of a run that ends so and prints that.
read_as() {
  printf '%b' "$4" >"$scratch/output"
  printf '%s' "${5:-}" >"$scratch/refusal"
  came=$(work=$scratch bash -c 'source "$0"; what_came "$@"' "$(dirname "$0")/outcome.sh" "$2" "$3")
  [ "$came" = "$1" ] || { echo "planted.sh: wanted '$1' of '$4', got '$came'"; failed=1; }
}

doubt="warning: A's cooperative matrices failed their self-test and are not used: y by B"
passed='y matmul f16 1e-3 passed\n\n1 case, 1 node: 1 passed\n'
wrong='y matmul f16 1e-3 failed\n\n1 case, 1 node: 1 failed\n'
read_as '' 0 'by matmul' "$passed"
read_as "noticed: matmul 'y'" 1 'by matmul' "$wrong"
read_as "noticed: matmul 'y'" 1 'by *' "$wrong"
read_as "elsewhere: matmul 'y'" 1 'by conv' "$wrong"
read_as "noticed: matmul 'y'" 2 'by matmul' 'y matmul f16 1e-3 error\n\n1 case, 1 node: 1 error\n'
read_as 'noticed: exit 2: error: it is refused' 2 'by matmul' 'error: it is refused\n'
refused="f.json: failed: it is wrong: dispatch 2 (add.f32) of node 'c' (binary) reads 'a', over which 'b' of node"
refused="$refused 'b' (softmax) was written\n\n1 case, 0 nodes: 1 failed\n"
read_as "noticed: binary 'c'" 1 'by *' "$refused"
read_as "noticed: softmax 'b'" 1 'by softmax' "$refused"
read_as "elsewhere: binary 'c'" 1 'by matmul' "$refused"
refused='f.json: failed: it is refused\n\n1 case, 0 nodes: 1 failed\n'
read_as 'noticed: f.json: failed: it is refused' 1 'by matmul' "$refused"
read_as "noticed: matmul 'y'" 2 'by matmul' "error: lost: dispatch 0 (m) of node 'y' (matmul) was not seen to end\n"
read_as 'noticed: it does not end' 124 'by matmul' ''
read_as "noticed: $doubt" 0 'by matmul' "$doubt\n$passed"
read_as '' 0 'by matmul' "$doubt\n$passed" "$doubt"
doubt="$doubt; the first to need them is dispatch 0 (m.f16) of node 'y' (matmul)"
read_as "noticed: matmul 'y', by a self-test" 0 'by gemm matmul' "$doubt\n$passed"
read_as "noticed: $(echo "$doubt" | cut -c 1-160)" 0 'by conv' "$doubt\n$passed"
exit $failed
