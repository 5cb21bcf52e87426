#!/bin/sh
# usage: on_device.sh SOURCE SCRATCH PYTHON [LAUNCHER...] PLUMB
#
# Every node of language models with packed weights passes on a device, in the prompt's run and in a step behind it,
# whose caches are in place; latent vectors are as long as DeepSeek's.
set -eu
source=$1 scratch=$2 python=$3
shift 3
mkdir -p "$scratch"
"$python" "$source/scripts/make_gguf.py" "$scratch/model.gguf" --types q8_0 --blocks 1
"$python" "$source/scripts/make_gguf.py" "$scratch/latent.gguf" --architecture deepseek2 --types q8_0 --blocks 1 \
  --heads 2 --head-length 96 --rotary-columns 64 --kv-rank 512 --experts 8 --groups 4 --groups-used 2 --sigmoid
for model in model latent; do
  status=0
  "$@" verify "$scratch/$model.gguf" --prompt-tokens 7 --decode 1 >"$scratch/out" || status=$?
  [ "$status" -eq 0 ] || { cat "$scratch/out"; exit "$status"; }
  "$@" plan "$scratch/$model.gguf" --decode 1 | grep -q 'tensor_scatter.*\[in place\]' ||
    { echo "a step of $model copies its caches"; exit 1; }
  grep -Eq 'own memory, too: ([0-9]) of \1 caches? in place' "$scratch/out" || { cat "$scratch/out"; exit 1; }
done
