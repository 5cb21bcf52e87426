# Backends that are not ours: what one saved, and programs that compute.
library=${PLUMB_ONNXRUNTIME:-}
unset PLUMB_ONNXRUNTIME  # which nothing of plumb's own reads
model=$source/fixtures/onnx/encoder_in_primitives.onnx
plumb 0 verify "$graphs/scores.json" --candidate cpu --json cpu.json
says '^.*scores\.json: passed \| 2 nodes: 2 passed'

# What the host computed, saved by name, has the bits and the verdicts of the host itself. Its limits are those of an
# unknown order of summation.
plumb 0 run "$graphs/scores.json" --on cpu --save-inputs inputs.npz
plumb 0 dump "$graphs/scores.json" --from cpu -o dump.h5
plumb 0 verify "$graphs/scores.json" --candidate 'file:dump.h5#cpu' --load-inputs inputs.npz --json file.json
says 'matmul.* foreign .* passed$'
number='"\(verdict\|out_hash\)": *\("[^"]*"\)'
for file in cpu file; do sed -n "s/.*$number.*/\1 \2/p" $file.json >$file.numbers; done
[ -s cpu.numbers ] || fail "the report has no numbers"
cmp cpu.numbers file.numbers || fail "a file of the host's values is judged other than the host"

# A dump is an input, which no output replaces.
cp dump.h5 kept.h5
plumb 2 verify "$graphs/scores.json" --candidate 'file:dump.h5#cpu' --load-inputs inputs.npz -o dump.h5 --force
cmp dump.h5 kept.h5 || fail "the dump was written over"

# Without the inner value, both nodes are judged as one.
plumb 0 dump "$graphs/scores.json" --from cpu --nodes '^p$' -o results.npz
plumb 0 verify "$graphs/scores.json" --candidate 'dump=file:results.npz#cpu' --load-inputs inputs.npz
says 'softmax.* passed \(2 nodes\)$'
says 'scores\.json: passed \| 2 nodes: 1 passed 1 skipped'

# A value that is stored in f16 fails, unless it is to be judged as stored.
cat >halve.py <<'END'
import struct, zipfile
with zipfile.ZipFile("dump.npz") as whole, zipfile.ZipFile("halves.npz", "w") as halves:
    for entry in whole.namelist():
        data = whole.read(entry)
        if entry.endswith("p.npy"):
            begin = 10 + struct.unpack("<H", data[8:10])[0]
            numbers = struct.unpack(f"<{(len(data) - begin) // 4}f", data[begin:])
            data = data[:begin].replace(b"<f4", b"<f2") + struct.pack(f"<{len(numbers)}e", *numbers)
        halves.writestr(entry, data)
END
plumb 0 dump "$graphs/scores.json" --from cpu -o dump.npz
python3 halve.py
halves() { # EXIT_CODE FLAG...
  code=$1
  shift
  plumb "$code" verify "$graphs/scores.json" --candidate 'file:halves.npz#cpu' --load-inputs inputs.npz "$@"
}
halves 1
warns "'p' is f16, the graph says f32"
halves 0 --storage observed
says 'judged as stored: 1 value in f16$'
halves 2 --storage observed --metamorphic
warns '--storage observed judges values as they are stored, which --metamorphic says nothing of'

# A model's values go by the names that its file has for them.
plumb 0 dump "$model" --shape batch=2 --from cpu -o model.npz
plumb 0 run "$model" --shape batch=2 --on cpu --save-inputs model_inputs.npz
plumb 0 verify "$model" --candidate 'file:model.npz#cpu' --load-inputs model_inputs.npz
says 'encoder_in_primitives\.onnx: passed'

# Refusals name what is wrong.
plumb 2 verify "$graphs/scores.json" --candidate 'fil:dump.h5'
warns "did you mean file"
plumb 2 verify "$graphs/scores.json" --candidate 'file:nothing.npz'
warns 'nothing\.npz: cannot be opened'
plumb 2 verify "$graphs/scores.json" --candidate 'file:results.npz#cpu'
warns 'does not have all inputs: --load-inputs FILE, or the --seed'
plumb 2 verify "$graphs/scores.json" --candidate 'file:dump.h5#gpu' --load-inputs inputs.npz
warns "no tensor has a name below 'gpu'"
cp inputs.npz others.npz
plumb 2 verify "$graphs/scores.json" --candidate 'file:others.npz'
warns 'none of its 1 tensors? is a value'
plumb 2 verify "$graphs/scores.json" --candidate 'exec:false'
warns 'exec:false|false'

# A program that takes ONNX models alone gets one that is written of what runs, whatever the user named.
reader="exec:python3 $source/tests/commands/candidates/onnx_reader.py ${launched##* }"
plumb 0 verify "$graphs/scores.json" --candidate "$reader" --json reader.json
says 'matmul.* foreign .* passed$'
sed -n "s/.*$number.*/\1 \2/p" reader.json >reader.numbers
cmp cpu.numbers reader.numbers || fail "a model of the graph is judged other than the graph"
plumb 0 verify "$model" --shape batch=2 --dtype f16 --candidate "$reader"
says 'encoder_in_primitives\.onnx: passed'
cat >unwritten.json <<'GRAPH'
{"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[4]"}}, "results": ["y"], "nodes": [
  {"label": "h", "op": "unary", "inputs": ["x"], "function": "trunc"},
  {"label": "y", "op": "unary", "inputs": ["h"], "function": "exp"}]}
GRAPH
plumb 77 verify unwritten.json --candidate "$reader"
warns "^'h' \(unary\): no ONNX operator: it is trunc"
plumb 0 verify unwritten.json --mode isolate --candidate "$reader"
says 'unsupported'
says '1 passed 1 unsupported'

# A library of ONNX Runtime, where there is one, judges single ops and graphs as well.
if [ -n "$library" ]; then
  plumb 0 verify "$graphs/scores.json" --candidate "onnxruntime:$library"
  says 'scores\.json: passed \| 2 nodes: 2 passed'
fi

# A candidate may say how it adds. In each run a sample is added again: an account that holds gives its limits, one that
# does not is refuted, and one that nothing tests is not believed; either has the limits of an unknown order.
cat >product.json <<'END'
{"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[8, 96]"}, "w": {"type": "f32[96, 8]"}},
 "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]}], "results": ["y"]}
END
adding="exec:python3 $source/tests/commands/candidates/adding.py"
limit() { sed -n 's/.*"max_ratio": *\([0-9.e+-]*\).*/\1/p' "$1" | head -n 1; }
plumb 0 verify product.json --candidate "$adding nothing" --json nothing.json --strict
says '^no profile of the candidate: limits are for sums in any order and for f16 products by any unit; --profile auto'
plumb 0 verify product.json --candidate "$adding truth" --json truth.json --strict
says_not 'how it adds'
holds truth.json '"equal": *[1-9]'
holds truth.json '"join": *"chain"'
for false in f16 chunks fused; do
  plumb 0 verify product.json --candidate "$adding $false" --json $false.json
  says "not as published: [0-9]+ of [0-9]+ sampled sums of 'y' have other bits"
  [ "$(limit $false.json)" = "$(limit nothing.json)" ] || fail "$false: a false account changes the limits"
  plumb 4 verify product.json --candidate "$adding $false" --strict
done
for untested in compensated unit; do
  plumb 0 verify product.json --candidate "$adding $untested" --json $untested.json --strict
  says "the candidate says of 1 node \('y'\) how it adds, which no replay here can test"
  [ "$(limit $untested.json)" = "$(limit nothing.json)" ] || fail "$untested: an untested account changes the limits"
done
plumb 1 verify product.json --candidate "$adding f16 sums-in-f16"
plumb 3 verify product.json --candidate "$adding vast"
warns 'the levels of a sum have at most 1048576 items together'
