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
# A result is written over an operand that nobody else reads.
plumb 0 plan "$graphs/cache.json"
says '^  cache = put: buffer 0 at [0-9]+, 288 bytes$'
says '^  put \(tensor_scatter\): gpu, tensor_scatter\.w16 \[in place\]$'
says '^  over \(tensor_scatter\): gpu, tensor_scatter\.w16 \[in place\]$'
says "^  beside \(tensor_scatter\): gpu, tensor_scatter\.w16 \[copy: node 'both' reads 'over' later\]\$"
plumb 0 plan "$graphs/cache.json" --set in_place=false
says '^  put \(tensor_scatter\): gpu, tensor_scatter\.w16$'
says_not 'in place'
