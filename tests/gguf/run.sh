#!/bin/sh
# usage: run.sh SOURCE SCRATCH PLUMB [PYTHON]
#
# Every template against a forward pass in f64 that knows nothing of plumb (forward.py): its logits are what plumb
# expects, within the roundings of f64, and those of a forward pass with one step wrong are not.
set -u
source=$1 scratch=$2 plumb=$3 python=${4:-python3}
"$python" -c 'import numpy' 2>/dev/null || { echo "no NumPy (Debian: python3-numpy)"; exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch" || exit 1
tokens=3,95,0,17,17,4,88

fail() {
  echo "run.sh: $*"
  exit 1
}

make() {
  name=$1
  shift
  "$python" "$source/scripts/make_gguf.py" "$name.gguf" "$@" || fail "cannot make $name.gguf"
}

# The logits of a model's forward pass must be those that plumb expects; with each of these steps wrong they must not.
judge() {
  model=$1
  shift
  "$python" "$source/tests/gguf/forward.py" "$model.gguf" "$tokens" "$model" "$@" || fail "no logits of $model"
  for fault in "" "$@"; do
    wanted=1
    [ -n "$fault" ] || wanted=0
    "$plumb" verify "$model.gguf" --tokens "$tokens" --candidate cpu --expected "$model$fault.npz" >out 2>&1
    status=$?
    [ "$status" -eq "$wanted" ] || { cat out; fail "$model, fault '$fault': exit status $status, wanted $wanted"; }
    [ -z "$fault" ] || grep -q "expected 'logits': failed" out || { cat out; fail "$model, '$fault': not at logits"; }
  done
}

# What plumb ends with 2 for, and why.
refuses() {
  why=$1
  shift
  status=0
  "$plumb" "$@" >out 2>&1 || status=$?
  [ "$status" -eq 2 ] || { cat out; fail "$*: exit status $status, wanted 2"; }
  grep -q "$why" out || { cat out; fail "$*: does not say '$why'"; }
}

# Experts that metadata alone have are not counted up.
make few --experts 3 --one-per-expert --types q8_0 --blocks 1
"$python" - <<'EOF' || fail "no file of many experts"
data = bytearray(open("few.gguf", "rb").read())
at = data.index(b"llama.expert_count") + len("llama.expert_count") + 4
data[at:at + 4] = (4).to_bytes(4, "little")
open("few.gguf", "wb").write(data)
EOF
refuses "'blk.0.ffn_gate.3.weight' .* is missing; experts behind it are not looked at" verify few.gguf

mixed=q8_0,q4_0,f16,q5_1,iq4_nl,mxfp4,bf16,q4_1,q5_0
make llama --rope-freqs
make llama_mixed --types $mixed --tied --yarn 4
make mixtral --experts 4 --types f32,q8_0 --blocks 1
make old --experts 3 --one-per-expert --types q8_0 --blocks 1
make split --parts 2 --tied
make qwen2 --architecture qwen2
make qwen3 --architecture qwen3 --types f16 --head-length 8
make qwen3moe --architecture qwen3moe --experts 5 --experts-used 3 --types $mixed --blocks 1
judge llama halves tiled_heads last_norm causality gate
judge llama_mixed
judge mixtral gate_sum
judge old
judge qwen2 halves
judge qwen3 head_norms
judge qwen3moe expert
"$python" "$source/tests/gguf/forward.py" split-00001-of-00002.gguf+split-00002-of-00002.gguf "$tokens" split
"$plumb" verify split-00001-of-00002.gguf --tokens "$tokens" --candidate cpu --expected split.npz >out 2>&1 ||
  { cat out; fail "a model in two parts"; }
mkdir folder
cp split-0000?-of-00002.gguf folder
"$plumb" verify folder --candidate cpu >out 2>&1 || { cat out; fail "a folder with a model in two parts"; }
refuses 'is part 2 of 2' verify split-00002-of-00002.gguf
# Tensors alone are shown; flags that are wrong are wrong here, too.
"$python" "$source/scripts/make_gguf.py" every.gguf --every-type || fail "cannot make every.gguf"
"$plumb" inspect every.gguf >out 2>&1 || { cat out; fail "tensors alone cannot be inspected"; }
grep -q '^no graph is made of it:' out || { cat out; fail "does not say that there is no graph"; }
refuses 'nosuchfile' inspect llama.gguf --tokens nosuchfile
refuses 'blocks 5:99 are not among' inspect llama.gguf --blocks 5:99
"$plumb" run llama_mixed.gguf --on cpu --tokens "$tokens" --logits all -o all.npz >out || fail "plumb run failed"
grep -q '^logits: f32\[1, 7, 96\]' out || { cat out; fail "not the logits of all tokens"; }
"$plumb" convert llama.gguf llama.json --prompt-tokens 5 >out || fail "plumb convert failed"
"$plumb" run llama.json --on cpu | grep '^logits' >of_json
"$plumb" run llama.gguf --prompt-tokens 5 --on cpu | grep '^logits' >of_gguf
mkdir elsewhere
refuses 'which is not below the folder of the graph' convert llama.gguf elsewhere/llama.json
cmp of_json of_gguf || fail "the graph file gives other logits than the model"

# What lies behind the prompt in a cache is not looked at.
cat >caches.py <<'EOF'
import sys, numpy
if sys.argv[1] == "nan":
    shape = (1, 2, 9, 16)
    found = {f"cache_{x}.{i}": numpy.full(shape, numpy.nan, "f4") for x in "kv" for i in (0, 1)}
else:
    found = {name.removesuffix(".next"): x for name, x in numpy.load(sys.argv[1]).items() if name.endswith(".next")}
numpy.savez(sys.argv[2], **found)
EOF
"$python" caches.py nan nan.npz || fail "no caches of NaN"
"$plumb" run llama.gguf --prompt-tokens 5 --on cpu --load-inputs nan.npz | grep '^logits' >of_nan
cmp of_gguf of_nan || fail "NaN behind the prompt is in the logits"
# A prompt of 6 tokens and then 3 more are one of 9.
all=$tokens,5,60
"$python" "$source/tests/gguf/forward.py" llama.gguf "$all" nine || fail "no logits of 9 tokens"
"$plumb" run llama.gguf --on cpu --tokens "${all%,*,*,*}" --context 9 -o first.npz >out || fail "no run of 6 tokens"
"$python" caches.py first.npz caches.npz || fail "no caches of 6 tokens"
"$plumb" verify llama.gguf --tokens "${all#*,*,*,*,*,*,}" --context 9 --input write_at=6 --load-inputs caches.npz \
  --candidate cpu --expected nine.npz --expected-precision f32 >out 2>&1 || { cat out; fail "6 and 3 tokens"; }
