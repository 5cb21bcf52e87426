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
plumb 2 inspect "$source/fixtures/onnx/encoder_in_primitives.onnx"
warns_of '--shape batch=1'
plumb 0 run --on cpu "$graphs/dense.json" -o y.npz
plumb 0 inspect y.npz
says '^y: f32\[2, 2\]$'
plumb 2 inspect y.npz --check-schema
says "^y\.npz: "
plumb 2 inspect missing.h5
warns_of missing.h5
