#!/bin/sh
# usage: on_device.sh SOURCE SCRATCH PYTHON [LAUNCHER...] PLUMB
#
# Every node of a language model with packed weights passes on a device.
set -eu
source=$1 scratch=$2 python=$3
shift 3
mkdir -p "$scratch"
"$python" "$source/scripts/make_gguf.py" "$scratch/model.gguf" --types q8_0 --blocks 1
"$@" verify "$scratch/model.gguf" --prompt-tokens 7
