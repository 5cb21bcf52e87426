plumb 0 ops
says '^matmul +[0-9]+ +yes +yes +'
says '^[0-9]+ ops: [0-9]+ on ref_cpu, [0-9]+ on gpu_vulkan; '
plumb 0 ops softmax
says '^## softmax '
says '^\* attribute `axis`: int = -1'
says_not '^## matmul '
plumb 0 ops --json
says '^    "op": "matmul",$'
plumb 2 ops no_such_op
warns_of no_such_op
plumb 2 ops matmull
warns_of "there is no op 'matmull'; did you mean matmul?"
plumb 0 --version -v
says "^fftw: "
says "^tbb: "
