#!/bin/sh
# usage: run.sh SOURCE SCRATCH PLUMB [PYTHON]
#
# Every template against a forward pass in f64 that knows nothing of plumb (forward.py): its logits, or an encoder's
# hidden states, are what plumb expects, within the roundings of f64, and those of a pass with one step wrong are not.
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
    [ -z "$fault" ] || grep -q "expected '\(logits\|hidden\)': failed" out ||
      { cat out; fail "$model, '$fault': not at the result"; }
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
make qwen3vl --architecture qwen3vl --blocks 1
judge qwen3vl halves head_norms tiled_heads last_norm causality
"$plumb" inspect qwen3vl.gguf 2>&1 | grep -q 'sections are 3, 2, 2 and 0.* leaves 1 of the 8 pairs' ||
  { "$plumb" inspect qwen3vl.gguf; fail "does not say which sections rotary pairs have"; }
# DeepSeek V2, V3, and files in which the matrices of keys and values are one.
latent="--architecture deepseek2 --head-length 48 --rotary-columns 16"
make v2 $latent --seed 10 --dense-blocks 1 --experts 8 --experts-used 3 --groups 2 --groups-used 1 --shared-experts 2 \
  --expert-scale 4 --yarn 40 --original-context 10 --log-multiplier 0.0707
make v3 $latent --q-rank 32 --experts 8 --experts-used 3 --groups 4 --groups-used 2 --sigmoid --expert-scale 2.5 \
  --types q8_0,f16 --blocks 1
make lite $latent --joint-kv --experts 4 --types q8_0 --blocks 1
make lite_f16 $latent --joint-kv --dense-blocks 1 --types f16 --blocks 1
judge v2 halves latent_norm score_scale magnitude group_score expert_scale
judge v3 q_norm groups routing_bias weighed_bias gate_sum shared
judge lite kv_order key_rotation heads
judge lite_f16
make phi3 --architecture phi3 --rope-factors --original-context 10 --attention-factor 1.2 --rotary-columns 12 --blocks 1
make phi3_short --architecture phi3 --rope-factors --original-context 11 --types q8_0,f16 --blocks 1
make gemma --architecture gemma --head-length 8 --blocks 1
make gemma2 --architecture gemma2 --head-length 8 --window 3
make gemma3 --architecture gemma3 --blocks 6 --width 32 --feed-forward 32 --head-length 8 --window 3 --linear 8 \
  --base 1e6
make gpt2 --architecture gpt2 --kv-heads 4 --blocks 1
make bert --architecture bert --kv-heads 4
make gpt-oss --architecture gpt-oss --experts 4 --window 3 --yarn 4 --types q8_0,f32 \
  --type-of ffn_gate=mxfp4,ffn_up=mxfp4,ffn_down=mxfp4
make qwen2moe --architecture qwen2moe --experts 4 --blocks 1
judge phi3 halves qkv_order gate_order factors attention_factor
judge phi3_short
judge gemma embedding_scale gate silu last_norm tiled_heads
judge gemma2 window parity softcap logit_cap post_norms
judge gemma3 window parity window_base head_norms post_norms
judge gpt2 positions erf bias norm_mean qkv_order
judge bert tanh type causality embedding_norm padded
"$plumb" verify bert.gguf --tokens "$tokens" --input lengths=5 --candidate cpu --expected bertpadded.npz >out 2>&1 ||
  { cat out; fail "an encoder with padding"; }
judge gpt-oss sinks window limit expert_bias gate_sum
judge qwen2moe gate_sum shared shared_gate expert halves
# Qwen 3.5 and Gemma 4: states, caches and vectors that blocks share, experts beside a dense feed-forward.
hybrid="--interval 2 --rotary-columns 8"
two="--architecture gemma4 --window 3 --rope-freqs"
make qwen35 --architecture qwen35 $hybrid --draft 1
make qwen35moe --architecture qwen35moe $hybrid --by-block --experts 4 --joint-gate-up --types q8_0,f16
make gemma4 $two --pattern ssfsf --blocks 5 --sharing 2 --per-layer 32 --types q8_0,f32
make gemma4moe $two --experts 4 --joint-gate-up --values-of-keys --tied
judge qwen35 output_gate tap repeated_heads delta time_step
judge qwen35moe repeated_heads decay gate_sum shared_gate unit_heads
judge gemma4 source window divisors per_layer_scale block_scale
judge gemma4moe value_norm router_norm router_scale expert_scale normed_keys
"$plumb" inspect qwen35.gguf >out 2>&1
for note in '1 of the blocks draft tokens' 'differs by a share of up to 5e-06/Σx²'; do
  grep -q "$note" out || { cat out; fail "does not say '$note'"; }
done
"$plumb" inspect gpt-oss.gguf 2>&1 | grep -q "ends of yarn's blend are whole" || fail "does not say how yarn blends"
refuses 'block 3 reads the caches of block 1, which is not among blocks 3:5' verify gemma4.gguf --blocks 3:5
refuses 'there are 65 positions, and position_embd has 64' verify gpt2.gguf --context 65
refuses 'is an encoder' verify bert.gguf --context 65
"$plumb" inspect bert.gguf 2>&1 | grep -q 'not pooled' || fail "does not say that nothing is pooled"
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
# Decoding: caches stay in place, and a pass over all tokens that were drawn gives the same logits.
with_caches="llama llama_mixed mixtral old qwen2 qwen3 qwen3moe qwen3vl v2 v3 lite phi3 phi3_short gemma gemma2 gemma3
  gpt2 gpt-oss qwen2moe qwen35 qwen35moe gemma4 gemma4moe"
for model in $with_caches; do
  "$plumb" run $model.gguf --on cpu --tokens "$tokens" --decode 4 --force -o $model.npz >out 2>&1 ||
    { cat out; fail "$model does not decode"; }
  case $model in
    qwen35*) caches='2 of 4 caches in place; 2 by swap' ;;
    *) caches='([0-9]+) of \1 caches? in place' ;;
  esac
  grep -Eq "^$caches; a step moved 4 bytes up and 388 down\$" out ||
    { cat out; fail "$model: a cache is not in place"; }
done
"$python" "$source/tests/gguf/decoded.py" "$tokens" $with_caches || fail "decoding"
"$plumb" run llama.gguf --on cpu --tokens "$tokens" --decode 4 --temperature 0.8 --top-k 1 >of_one
"$plumb" run llama.gguf --on cpu --tokens "$tokens" --decode 4 | sed 's/moved 4/moved 8/' | cmp - of_one ||
  fail "the likeliest token alone is not what temperature 0 takes"
# Each step is judged, and what is appended to a cache as it must not be fails there, with the step.
"$plumb" verify gpt-oss.gguf --tokens "$tokens" --decode 3 --temperature 0.9 --top-k 20 --top-p 0.9 --candidate cpu \
  --metamorphic --filter 'cache|attended|logits|tokens' --json steps.json >out 2>&1 ||
  { cat out; fail "a step does not pass"; }
grep -q '^4 cases.* 4 passed' out || { cat out; fail "not a case for the prompt and each step"; }
grep -q '"relation": *"decoding"' steps.json || fail "the steps are not held to one run"
for model in qwen35moe gemma4; do
  "$plumb" verify $model.gguf --tokens "$tokens" --decode 2 --candidate cpu --metamorphic \
    --filter 'next|attended|scanned|logits' --json steps.json >out 2>&1 ||
    { cat out; fail "$model: a step does not pass"; }
  grep -q '"relation": *"decoding"' steps.json || fail "steps of $model are not held to one run"
done
for fault in stale shifted wrapped; do
  "$plumb" verify llama.gguf --tokens "$tokens" --decode 2 --candidate cpu --plant ${fault}_rows@cache_k.1.next \
    >out 2>&1
  [ $? -eq 1 ] || { cat out; fail "$fault rows pass"; }
  grep -Eq '^cache_k.1.next .* failed$' out || { cat out; fail "$fault rows are not found at the cache"; }
done
"$plumb" verify qwen3moe.gguf --tokens "$tokens" --decode 2 --candidate cpu -o steps.h5 >out 2>&1 || fail "no record"
"$plumb" report steps.h5 --json steps.json >out 2>&1 || fail "the record cannot be read"
grep -q '"step": 2' steps.json || fail "step 2 is not recorded"
refuses 'does not go with --seeds' verify llama.gguf --decode 2 --seeds 2 --candidate cpu
refuses 'and --decode asks for steps' verify llama.gguf --tokens "$tokens" --decode 2 --candidate file:llama.npz

refuses 'must have room for the prompt of 5 and 6 behind it' run llama.gguf --on cpu --prompt-tokens 5 --decode 6 \
  --context 10
refuses 'decodes nothing' run bert.gguf --on cpu --decode 2

# Prompts of several lengths in one batch, the shorter ones padded, are each what it is alone, and so is a step of each.
cat >rows.py <<'EOF'
import sys, numpy
found = numpy.load(sys.argv[1])["logits"]
numpy.savez(sys.argv[4], logits=found[int(sys.argv[2])][None, int(sys.argv[3])][:, None])
EOF
alone() {
  "$plumb" verify $model.gguf --tokens "$1" --context 9 --candidate cpu --expected row.npz --expected-precision f32 \
    --filter logits >out 2>&1 || { cat out; fail "$model: tokens $1 in a batch are not what they are alone"; }
}
for model in llama v3 gemma4 qwen35; do
  "$plumb" run $model.gguf --on cpu --batch 2 --tokens "3,95,0,17,8,60,7,1,1,1" --context 9 --logits all -o batch.npz \
    --force >out || fail "no run of a batch of $model"
  "$python" rows.py batch.npz 1 1 row.npz
  alone 60,7
  case $model in qwen35*) continue ;; esac  # padding is in its states
  "$python" caches.py batch.npz caches.npz
  "$plumb" run $model.gguf --on cpu --batch 2 --tokens "11,12" --context 9 --load-inputs caches.npz \
    --input 'write_at=[5,2]' -o batch.npz --force >out || fail "no step of a batch of $model"
  "$python" rows.py batch.npz 0 0 row.npz
  alone 3,95,0,17,8,11
  "$python" rows.py batch.npz 1 0 row.npz
  alone 60,7,12
done

# A prompt of 6 tokens and then 3 more are one of 9.
all=$tokens,5,60
for model in llama v2 qwen35 gemma4; do
  "$python" "$source/tests/gguf/forward.py" $model.gguf "$all" nine || fail "no logits of 9 tokens"
  "$plumb" run $model.gguf --on cpu --tokens "${all%,*,*,*}" --context 9 -o first.npz >out || fail "no run of 6 tokens"
  "$python" caches.py first.npz caches.npz || fail "no caches of 6 tokens"
  "$plumb" verify $model.gguf --tokens "${all#*,*,*,*,*,*,}" --context 9 --input write_at=6 --load-inputs caches.npz \
    --candidate cpu --expected nine.npz --expected-precision f32 >out 2>&1 ||
    { cat out; fail "$model: 6 tokens, 3 more"; }
done
