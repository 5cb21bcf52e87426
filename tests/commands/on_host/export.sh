# Nodes with what they get and give: a graph file that verify accepts, and a test that conformance does.
plumb 0 export "$graphs/scores.json" --nodes '^p$' -o one
says '^wrote 1 node and 1 expected result to one$'
holds one/scores.json '"file": "scores\.npz"'
holds one/scores.json "1 node of .*scores\.json that match '.p.', on what the CPU executor gave them"
plumb 0 verify one/scores.json --candidate cpu
plumb 2 export "$graphs/scores.json" -o one
warns '^plumb: -o one: the folder is not empty; --force writes beside what it has$'
plumb 0 export "$graphs/scores.json" -o two --expected cpu
says '^wrote 2 nodes and 1 expected result to two$'
plumb 0 verify two/scores.json --candidate cpu --expected two/expected.npz
says "^ *expected 'p': passed"
# The CPU executor needs no driver.
(
  VK_DRIVER_FILES=/no/driver VK_ICD_FILENAMES=/no/driver
  export VK_DRIVER_FILES VK_ICD_FILENAMES
  plumb 0 export "$graphs/scores.json" --nodes '^p$' -o alone
  plumb 77 export "$graphs/scores.json" --expected device -o device
)
[ -e alone/scores.json ] || fail 'nothing was exported without a driver'
# A wrong expectation is none that verify accepts.
python3 - <<'PY'
import json
graph = json.load(open("one/scores.json"))
graph["results"]["p"] = {"values": [0.5] * 384}
json.dump(graph, open("one/wrong.json", "w"))
PY
plumb 1 verify one/wrong.json --candidate cpu
mkdir -p suite/scores/test_data_set_0 && echo >suite/scores/test_data_set_0/input_7.pb
plumb 0 export "$graphs/scores.json" --as onnx -o suite --force
[ -f suite/scores/model.onnx ] && [ -f suite/scores/test_data_set_0/output_0.pb ] || fail "the suite is not whole"
plumb 0 compare suite/scores/test_data_set_0/output_0.pb suite/scores/test_data_set_0
says '^1 tensor: 1 within \(1 equal in every bit\)'
plumb 0 verify suite/scores/model.onnx --data suite/scores/test_data_set_0 --candidate cpu
says "^ *expected 'p': passed"
if python3 -c 'import onnx' 2>/dev/null; then
  python3 -c 'import onnx; onnx.checker.check_model("suite/scores/model.onnx")' || fail "the checker refuses the model"
fi
plumb 2 export "$graphs/scores.json" --nodes nobody -o nothing
warns "^plumb: no node matches --nodes 'nobody'$"
[ ! -e nothing ] || fail "a folder is left of what was not written"
# What ONNX has no operator for is listed, and nothing is written.
cp "$(ls "$source"/fixtures/ops/umap_knn/*.json | head -1)" knn.json
plumb 77 export knn.json --as onnx -o lacks
warns "no ONNX operator for '"
[ ! -e lacks ] || fail "a folder is left of what cannot be written"
# Floats of integers that f64 does not hold are rounded once, as both executors do.
casts=$source/fixtures/ops/cast/integers_beyond_a_tie.json
for expected in truth cpu; do plumb 0 export "$casts" --as onnx --expected "$expected" -o "casts_$expected"; done
data=integers_beyond_a_tie/test_data_set_0
plumb 0 compare "casts_truth/$data" "casts_cpu/$data"
says '^15 tensors: 15 within \(15 equal in every bit\)'
plumb 0 verify casts_truth/integers_beyond_a_tie/model.onnx --data "casts_truth/$data" --candidate cpu
