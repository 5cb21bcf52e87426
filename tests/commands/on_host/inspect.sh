plumb 0 inspect "$graphs/dense.json" --verbose
says '^whole numbers and halves, '
says '^structural hash [0-9a-f]{16}$'
says '^input +x: f32\[2, 3\]$'
says '^params 2: 8 elements, '
says '^result y: f32\[2, 2\]$'
says '^all +2 '
says '^y: f32\[2, 2\] = binary\(product, b\)$'
plumb 0 inspect "$source/fixtures/onnx/encoder_in_primitives.onnx" --shape batch=2
says '^result y: f32\[2, 10, 32\]$'
says '^matmul +8 '
plumb 0 inspect "$source/fixtures/onnx/encoder_in_primitives.onnx"
says '^input  x: f32\[batch, 10, 32\]$'
says '^MatMul +8$'
says ' --shape batch=1$'
plumb 2 inspect "$source/fixtures/onnx/encoder_in_primitives.onnx" --shape batsh=2
warns_of "no input or open extent is called 'batsh', which --shape names; did you mean batch?"
# No --shape silently wins over another, of the same name or by the axes of an input; equal ones may be repeated.
plumb 2 inspect "$source/fixtures/onnx/encoder_in_primitives.onnx" --shape batch=2 --shape batch=3
warns_of '--shape batch=3 contradicts --shape batch=2'
plumb 2 inspect "$source/fixtures/onnx/encoder_in_primitives.onnx" --shape x=2,10,32 --shape batch=3
warns "axis 0 is 'batch', given with 2, but 3 by --shape batch=3"
plumb 0 inspect "$source/fixtures/onnx/encoder_in_primitives.onnx" --shape batch=2 --shape batch=2
# Capitals make no other kind of file.
cp "$source/fixtures/onnx/encoder_in_primitives.onnx" M.ONNX
plumb 0 inspect M.ONNX --shape batch=2
says '^result y: f32\[2, 10, 32\]$'
# Who writes a record holds its lock.
cp "$source/tests/parity/results/version_1.h5" busy.h5.part
exec 9<busy.h5.part
flock -x 9
plumb 2 inspect busy.h5.part
warns 'busy\.h5\.part: is being written by another process$'
exec 9<&-
# What inputs are settles extents, branches and shapes; who contradicts whom is said with the axis and both numbers.
rates=$source/fixtures/onnx/two_rates.onnx
plumb 0 inspect "$rates" --shape batch=2 --shape '*=4' --input sr=16000 --input 'shape=[4,-1]'
says '^result y: f32\[4, 2\]$'
plumb 0 inspect "$rates" --input 'x=[[1,2,3],[4,5,6]]' --input sr=8000 --input 'shape=[3, 2]'
says '^result y: f32\[3, 2\]$'
plumb 0 inspect "$rates" --input sr=8000
says ' --shape batch=1 --shape samples=1$'
plumb 2 inspect "$rates" --shape '*=4' --input sr=8000 --input 'shape=[4,-1]'
warns "the node of 'sum/else_branch/y' \(Add, opset 13\): "
plumb 2 inspect "$rates" --shape '*=4' --input 'shape=[4,-1]'
warns "else branch is not read, and may be taken; it depends on input 'sr': give its value, as in --input 'sr=1'"
plumb 77 inspect "$rates" --shape '*=4' --input sr=16000
warns "shape must be known .*; it depends on input 'shape': give its value"
plumb 2 inspect "$rates" --input 'x=[[1,2,3,4]]' --shape batch=2 --input 'shape=[4,-1]'
warns_of "input 'x': is f32[batch, samples]: axis 0 is 'batch', given with 1, but 2 by --shape batch=2"
plumb 2 inspect "$rates" --input rs=16000
warns_of "no input is called 'rs', which --input names; there is 'x', 'sr', 'shape', "
plumb 2 inspect "$rates" --input shap=16000
warns_of "no input is called 'shap', which --input names; did you mean shape?"
plumb 2 inspect "$rates" --input sr=16000.5
warns_of "--input sr=16000.5 is to be i64: values[0]: must be a whole number, got a real number"
plumb 2 inspect "$rates" --input 'x=[[1,2],[3]]'
warns_of "--input x=[[1,2],[3]]: has lists of 2 and of 1 beside each other"
for wrong in sr 'sr=' 'x=[1,[2]]' 'x=[1,2' 'x=[1,2]]' 'x=[,]' =1; do
  plumb 2 inspect "$rates" --input "$wrong"
  warns '^plumb: --input wants NAME=VALUE'
done
plumb 0 run --on cpu "$graphs/dense.json" -o y.npz
plumb 0 inspect y.npz
says '^y: f32\[2, 2\], 5\.5 to 15\.5$'
plumb 2 inspect y.npz --check-schema
says "^y\.npz: "
plumb 2 inspect missing.h5
warns_of missing.h5
plumb 2 inspect missing.json
warns_of missing.json
# What a file holds decides, and each message names it.
cp "$graphs/dense.json" graph.h5
plumb 2 inspect graph.h5
warns_of 'graph.h5: is no HDF5 file, but holds a graph'
plumb 2 run --on cpu "$graphs/dense.json" --load-inputs graph.h5
warns_of 'graph.h5: is no HDF5 file, but holds a graph'
cp "$graphs/dense.json" nul.json
printf '\0\0' >>nul.json
plumb 2 inspect nul.json
warns_of 'nul.json: a byte that is 0, at '
# Tensors are told apart from what is none: extremes, and what is no number.
cat >special.json <<'END'
{
  "format": "plumb.graph/1",
  "inputs": {"x": {"type": "f32[4]", "values": [1, "inf", "nan", -2.5]}},
  "nodes": [{"label": "y", "op": "unary", "inputs": ["x"], "function": "negate"}],
  "results": ["y"]
}
END
plumb 0 run --on cpu special.json -o special.npz
plumb 0 inspect special.npz
says '^y: f32\[4\], -1 to 2\.5, 1 NaN, 1 infinity$'
# Words and numbers of flags, in any command.
plumb 2 verfy graph.json
warns_of "there is no command 'verfy'; did you mean verify?"
plumb 2 inspect nul.json --verbos
warns_of "plumb inspect has no option '--verbos'; did you mean --verbose?"
plumb 2 verify nul.json --mode atribute
warns "^--mode: wanted one of propagate, isolate, attribute, found 'atribute'; did you mean attribute\?$"
plumb 2 sweep nul.json --budget 0
warns "^--budget: wanted a number above 0, found '0'$"
plumb 2 verify nul.json --repeat 0
warns "^--repeat: wanted a whole number from 1 to 1000, found '0'$"
plumb 2 verify nul.json --rtol -1
warns "^--rtol: wanted a number that is not below 0, found '-1'$"
plumb 2 power nul.json --min-power 1.5
warns "^--min-power: wanted a number from 0 to 1, found '1\.5'$"
plumb 2 verify nul.json --threads -1
warns "^--threads: wanted a whole number from 0 to 4096, found '-1'$"
# What is not there is not blamed for its name.
plumb 2 inspect missing.h5.part
warns_of 'missing.h5.part: cannot be opened: No such file or directory'
# The values that another runtime is to dump: those that nodes compute, and no sources.
plumb 0 inspect "$graphs/dense.json" --values
says '^value +type +op +result$'
says '^product +f32\[2, 2\] +matmul$'
says '^y +f32\[2, 2\] +binary +yes$'
says_not '^[xwb] '
plumb 0 inspect "$graphs/dense.json" --values --json values.json
holds values.json '"schema": "plumb-values/1"'
python3 - values.json <<'END' || fail 'values.json is not the list of dense.json'
import json, sys
listed = json.load(open(sys.argv[1]))
assert list(listed) == ["schema", "inputs", "params", "values"], list(listed)
assert listed["inputs"] == [{"name": "x", "dtype": "f32", "shape": [2, 3]}], listed["inputs"]
assert [param["name"] for param in listed["params"]] == ["w", "b"], listed["params"]
value = {"dtype": "f32", "shape": [2, 2], "also": []}
assert listed["values"] == [{"name": "product", "op": "matmul", "result": False, **value},
                            {"name": "y", "op": "binary", "result": True, **value}], listed["values"]
END
plumb 0 inspect "$source/fixtures/onnx/encoder_in_primitives.onnx" --shape batch=2 --values --json -
says '^  "schema": "plumb-values/1",$'
plumb 2 inspect "$source/fixtures/onnx/encoder_in_primitives.onnx" --values
warns_of 'the model leaves extents open; give them, as in --shape batch=1'
plumb 2 inspect special.npz --values
warns_of 'special.npz: --values lists those of a graph (.json) or a model (.onnx, .gguf)'
plumb 2 inspect "$graphs/dense.json" --json values.json
warns '^--json requires --values$'
