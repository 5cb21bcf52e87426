plumb 0 plan "$graphs/dense.json"
says '^on .'
says "^fused: gemm 'y' has the work of product$"
says '^submit 0: 1 dispatches$'
says '^  up: x$'
says '^  down: y$'
says '^  y \(gemm\): gpu, .'
says '^    0 +matmul.*: x, w, b -> y$'
plumb 0 plan "$graphs/dense.json" --no-fuse
says '^submit 0: 2 dispatches$'
says_not '^fused: '
plumb 2 plan missing.json
warns_of missing.json
