plumb 0 reach "$graphs/dense.json"
says '^\{"file":".*dense.json","node":"y","op":"gemm",.*"module":"matmul'
says '"attributes":\{.*"specials":\[\[\]|"specials":\[\[\].*"attributes":\{'
says '^\{"modules":\["'
says '^\{"op":"softmax","defaults":\{"axis":-1\},"fields":\[\{"name":"axis","kind":"int"'
plumb 0 reach "$graphs/dense.json" --no-fuse
says '"op":"matmul",'
plumb 2 reach missing.json
warns_of missing.json
