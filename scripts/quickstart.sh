#!/usr/bin/env bash
# From a fresh checkout to a verdict for every node of a BERT and an EEG encoder.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/quickstart.sh [RESULTS.h5]

Sets up, builds the program and verifies fixtures/graphs/bert_tiny.json and
fixtures/graphs/eeg_encoder.json; results go to plumb_results.h5 unless named.
USAGE
}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac
results=$(realpath -m "${1:-plumb_results.h5}")

cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/build.sh release --target plumb
plumb=build/release/bin/plumb

status=0
"$plumb" verify fixtures/graphs/bert_tiny.json fixtures/graphs/eeg_encoder.json -o "$results" || status=$?
case $status in
  0) echo "Every node agrees within its bound." ;;
  1) echo "Some nodes disagree; each has a line above that runs just that again." ;;
  77) echo "Nothing could run on a GPU; the reason is above. '$plumb devices' says which devices there are." ;;
esac
if [ -e "$results" ]; then
  cat <<NEXT

Results: $results
Next:
  $plumb inspect $results                  # the same table, from the file
  $plumb devices                           # which Vulkan devices there are, and why one was refused
  $plumb verify YOUR_MODEL.onnx -o out.h5  # your own model, or a graph as README.md writes them
  $plumb ops                               # what can be in it
NEXT
fi
exit $status
