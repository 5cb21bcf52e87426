#!/usr/bin/env bash
# Shows that ONNX Runtime is judged as docs/foreign_backends.md says, on real networks.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/onnxruntime.sh [networks|ops|faults] [OPTION]...

networks   runs plumb verify --candidate onnxruntime:LIB, in f32, on fixtures/onnx, fixtures/networks and the trained
           networks of public npm packages, and prints a row for each. Ends with 1 unless each node is judged or says
           why not, the plain run has equal bits, what fails is what docs/measurements/onnxruntime.md lists and nothing
           else, and that takes at most three times what --candidate cpu takes: all networks together. Says how many
           take more by themselves
ops        runs it on all of fixtures/ops; ends with 1 unless what fails or ends in an error is what that page lists
faults     multiplies one value of the text recogniser by 1 + 2^-10 within ONNX Runtime's run, at 50 places, one a run;
           ends with 1 unless the first guilty node, or its group, is the one with the fault each time
  --only TEXT    networks, or files of ops, whose name has this in it
  --runs N       how often a network is timed; the fastest counts (3)
  --untimed      does not compare times
  --places N     how many faults (50)
  --seed N       draws their places (1)
  --keep FOLDER  keeps the reports as JSON there
ONNX Runtime and the networks come from npm to build/trained_models; nothing of theirs is run when they are fetched.
environment:
  PLUMB      the program (default: build/release/bin/plumb)
exit code: 0 all holds; 1 something does not; 2 usage, or a network could not be run; 77 ONNX Runtime, or the
  program, is not to be had
USAGE
}

what=networks
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  networks | ops | faults) what=$1; shift ;;
esac
tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$tree/build/trained_models
program=onnxruntime
export PLUMB=${PLUMB:-$tree/build/release/bin/plumb}
[ -x "$PLUMB" ] || { echo "onnxruntime: skipped, there is no $PLUMB"; exit 77; }

. "$tree/scripts/npm_networks.sh"
fetch_runtime
fetch_networks 3>"$work/networks.txt"
list=$work/onnxruntime.txt # NAME, MODEL and the flags that its inputs come by, with tabs between
: >"$list"
for model in "$tree"/fixtures/networks/*/model.onnx; do
  printf '%s\t%s\t--data\ttest_data_set_0\n' "$(basename "$(dirname "$model")")" "$model" >>"$list"
done
with_inputs() { # NAME MODEL
  local folder=$work/runs/$1
  mkdir -p "$folder"
  [ -e "$folder/in.npz" ] || node "$tree/scripts/trained_models.cjs" "$work/node_modules" "$2" "$folder" \
    >"$folder/runtime.log" 2>&1 || { echo "onnxruntime: $1: $(tail -n 1 "$folder/runtime.log")" >&2; exit 2; }
  printf '%s\t%s\t--load-inputs\t%s\n' "$1" "$2" "$folder/in.npz" >>"$list"
}
for model in "$tree"/fixtures/onnx/*.onnx; do with_inputs "$(basename "$model" .onnx)" "$model"; done
while read -r model; do
  package=$(package_of "$model")
  with_inputs "${package//\//+}+$(basename "$model" .onnx)" "$work/unpacked/$model"
done <"$work/networks.txt"
exec python3 "$tree/scripts/onnxruntime_verdicts.py" "$what" "$work" "$@"
