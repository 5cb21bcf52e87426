model=$source/fixtures/onnx/encoder_in_primitives.onnx
plumb 0 convert "$model" encoder.json --shape batch=2
says '^wrote [1-9][0-9]* tensors to encoder\.npz$'
says '^wrote 57 nodes to encoder\.json$'
holds encoder.json '"format": "plumb\.graph/1"'
holds encoder.json '"x": \{"type": "f32\[2, 10, 32\]"'
holds encoder.json '"file": "encoder\.npz"'
# What was written is the model: it gives the same digits.
plumb 0 run --on cpu "$model" --shape batch=2 --seed 3
mv stdout of_model
plumb 0 run --on cpu encoder.json --seed 3
cmp stdout of_model || fail "the graph file gives other results than the model"
# Nothing of another kind is replaced: neither the model nor, by its weights, a record of runs.
cp "$model" copy.onnx
plumb 2 convert copy.onnx copy.onnx --shape batch=2
warns_of copy.onnx
cmp copy.onnx "$model" || fail "the model was written over"
cp "$source/tests/parity/results/version_1.h5" runs.h5
plumb 2 convert "$model" other.json --weights runs.h5 --shape batch=2
warns_of 'runs.h5: is a results file and is not replaced by tensors'
cmp runs.h5 "$source/tests/parity/results/version_1.h5" || fail "the results file was written over"
plumb 2 convert missing.onnx out.json
warns_of missing.onnx
[ ! -e out.json ] || fail "out.json was written"
