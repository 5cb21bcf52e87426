#!/bin/sh
# usage: on_device.sh SOURCE SCRATCH PYTHON [LAUNCHER...] PLUMB
#
# Every node of language models with packed weights passes on a device, in the prompt's run and in a step behind it,
# whose caches are in place, and states of linear attention swapped; latent vectors are as long as DeepSeek's.
set -eu
source=$1 scratch=$2 python=$3
shift 3
mkdir -p "$scratch"
"$python" "$source/scripts/make_gguf.py" "$scratch/model.gguf" --types q8_0 --blocks 1
"$python" "$source/scripts/make_gguf.py" "$scratch/latent.gguf" --architecture deepseek2 --types q8_0 --blocks 1 \
  --heads 2 --head-length 96 --rotary-columns 64 --kv-rank 512 --experts 8 --groups 4 --groups-used 2 --sigmoid
"$python" "$source/scripts/make_gguf.py" "$scratch/hybrid.gguf" --architecture qwen35moe --types q8_0 --interval 2 \
  --rotary-columns 8 --experts 4
"$python" "$source/scripts/make_gguf.py" "$scratch/shared.gguf" --architecture gemma4 --types q8_0 --pattern sfs \
  --blocks 3 --sharing 1 --per-layer 32 --window 3 --rope-freqs
for model in model latent hybrid shared; do
  status=0
  "$@" verify "$scratch/$model.gguf" --prompt-tokens 7 --decode 1 >"$scratch/out" || status=$?
  [ "$status" -eq 0 ] || { cat "$scratch/out"; exit "$status"; }
  "$@" plan "$scratch/$model.gguf" --decode 1 | grep -q 'tensor_scatter.*\[in place\]' ||
    { echo "a step of $model copies its caches"; exit 1; }
  grep -Eq 'own memory, too: (([0-9]) of \2 caches? in place|2 of 4 caches in place; 2 by swap)' "$scratch/out" ||
    { cat "$scratch/out"; exit 1; }
done
