#!/bin/sh
# usage: memory.sh SOURCE SCRATCH PLUMB [PYTHON]
#
# verify within a budget of memory that has values wait in a file says what it says without one, of a model that passes
# and of one with a fault in one block of a weight; a budget that cannot work is refused with one that can.
set -u
source=$1 scratch=$2 plumb=$3 python=${4:-python3}
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1

fail() {
  echo "memory.sh: $*"
  exit 1
}

ends_with() {
  wanted=$1
  shift
  status=0
  "$plumb" verify model.gguf --prompt-tokens 512 --candidate cpu "$@" >out 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || { cat out; fail "$*: exit status $status, wanted $wanted"; }
}

"$python" "$source/scripts/make_gguf.py" model.gguf --types q4_k --width 256 --feed-forward 256 --head-length 64 \
  --vocabulary 256 --blocks 1 --context 520 || fail "no model"
ends_with 0 --json free.json
! grep -q '^memory: ' out || { cat out; fail "says how much memory it had, unasked"; }
ends_with 2 --memory 20MiB
least=$(sed -n 's/.*(--memory): at least \([0-9]*\) MiB are needed.*/\1/p' out)
[ -n "$least" ] || { cat out; fail "does not say how much is needed"; }
ends_with 0 --memory "${least}M" --scratch . --json held.json
line=$(grep '^memory: peak ' out) || { cat out; fail "does not say how much memory it had"; }
echo "$line"
! echo "$line" | grep -q ', 0 MiB in scratch' || fail "nothing had to wait"
peak=$(echo "$line" | sed -n 's/^memory: peak \([0-9]*\) MiB of.*/\1/p')
[ "$peak" -le "$least" ] || fail "more than was allowed"

# One block of a weight has its neighbour's scale, in the prompt and in a step.
fault="--decode 1 --plant neighbour_scale@blk.0.ffn_up --filter ffn_up|ffn_gate|logits"
ends_with 1 $fault --json free_fault.json
ends_with 1 $fault --memory "$((least + 64))M" --json held_fault.json
grep -Eq '^blk.0.ffn_up .* failed$' out || { cat out; fail "the fault is not found at its node"; }

cat >equal.py <<'EOF'
import json, sys

def numbers(file):
    times = ("wall_seconds", "reference_ns", "device_ns", "uuid")
    def kept(x):
        if isinstance(x, dict):
            return {key: kept(value) for key, value in x.items() if key not in times}
        return [kept(one) for one in x] if isinstance(x, list) else x
    return kept(json.load(open(file))["cases"])

free, held = numbers(sys.argv[1]), numbers(sys.argv[2])
failed = [(case["step"], node["node"]) for case in held for node in case["nodes"] if node["verdict"] == "failed"]
assert any(node["out_hash"] for case in free for node in case["nodes"])
assert free == held, "a budget changes what is said"
wanted = [(0, "blk.0.ffn_up"), (1, "blk.0.ffn_up")] if len(sys.argv) > 3 else []
assert failed == wanted, failed
EOF
"$python" equal.py free.json held.json || fail "within a budget it passes in another way"
"$python" equal.py free_fault.json held_fault.json fault || fail "within a budget it fails in another way"

refuses() {
  why=$1
  shift
  ends_with 2 "$@"
  grep -q -- "$why" out || { cat out; fail "$*: does not say '$why'"; }
}
refuses "--memory is a size above 0 such as 6G, 6GiB or 512M, got '6X'" --memory 6X
refuses "--scratch nowhere is no folder" --memory 6G --scratch nowhere
refuses "--scratch is for what has no room in --memory" --scratch .

# A dump within a budget has the bits of one without; its values wait for each other in a file.
dumps() {
  wanted=$1
  shift
  status=0
  "$plumb" dump model.gguf --prompt-tokens 512 --from cpu --truth --force "$@" >out 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || { cat out; fail "dump $*: exit status $status, wanted $wanted"; }
}
dumps 0 -o free.npz
dumps 2 -o held.npz --memory 20MiB
[ ! -e held.npz ] || fail "a dump that was refused is there"
least=$(sed -n 's/.*(--memory): at least \([0-9]*\) MiB are needed.*/\1/p' out)
[ -n "$least" ] || { cat out; fail "does not say how much a dump needs"; }
for kind in npz h5; do
  dumps 0 -o "held.$kind" --memory "${least}M" --scratch .
  line=$(grep '^memory: peak ' out) || { cat out; fail "does not say how much memory a dump had"; }
  echo "$line"
  ! echo "$line" | grep -q ', 0 MiB in scratch' || fail "nothing of a dump had to wait"
  [ "$(echo "$line" | sed -n 's/^memory: peak \([0-9]*\) MiB of.*/\1/p')" -le "$least" ] || fail "a dump had more"
  "$plumb" compare free.npz "held.$kind" --rtol 0 --atol 0 >out 2>&1 || { cat out; fail "a dump has other bits"; }
done
