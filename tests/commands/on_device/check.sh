# The host's own results pass on every shape of a quick sweep.
plumb 0 check --op softmax --attr axis=-1 --candidate cpu
says '^f32\[[0-9, ]+\] +graph +error [0-9.e+-]+ +ratio [0-9.e+-]+ +passed$'
says '^11 of 12 checks passed, 1 skipped$'
# Nothing is compared where there is nothing.
says '^f32\[[0-9, ]*\] .* skipped: no node was compared; y: empty$'
# So do the device's, in several dtypes and on several fills.
plumb 0 check --op matmul --in 'f32[17, 33]' --in 'f32[33, 9]' --fill graph,exact
says '^f32\[17, 33\] f32\[33, 9\] +exact +error '
says '^2 checks passed$'
plumb 0 check --op gather --in 'f32[5, 7]' --in 'i32[3]' --seeds 3 --json gather.json -q
says '^3 checks passed$'
holds gather.json 'gather f32\[5, 7\] i32\[3\]'
# A letter can be held to multiples.
plumb 0 check --op unary --attr function=relu --multiple last=64 --candidate cpu
says '^f32\[[0-9, ]*(64|128|192|256|320|384|448|512|576)\] '
says_not '^f32\[[0-9, ]*[13579]\] '
# What does not exist is said, with what is nearest to it.
plumb 2 check --op sofmax
warns 'did you mean softmax\?'
plumb 2 check --op softmax --attr axs=1
warns 'softmax has no attribute .axs.; did you mean axis\?'
plumb 2 check --op unary --attr function=rellu
warns 'did you mean relu\?'
plumb 2 check --op unary
warns 'unary needs --attr function='
plumb 2 check --op matmul --multiple Q=4
warns "matmul has no extent 'Q'.*; it has .*M, K, N"
plumb 2 check --op matmul --in 'f32[3, 4]' --in 'f32[5, 6]'
warns 'inner extents must be equal'
plumb 2 check --op rfft --dtype f16
warns 'rfft has no operand of dtype f16'
plumb 2 check --op softmax --sweep full --budget soon
warns_of "got 'soon'"
# A definition of FlashInfer-Bench is a graph of its workloads: the device's results pass, and each has a trace.
flashinfer=$source/docs/example/flashinfer
plumb 0 check --def "$flashinfer/definitions/fused_add_rmsnorm_h48.json" \
  --workloads "$flashinfer/workloads/fused_add_rmsnorm_h48.jsonl" --solution ours --trace traces.jsonl
says '^batch_size=5 w0 +given +error .* passed$'
says '^1 check passed$'
holds traces.jsonl '"solution": "ours", "evaluation": .*"status": "PASSED".*"max_absolute_error": '
# Three workloads are drawn where there are none; one can be chosen.
plumb 0 check --def "$flashinfer/definitions/gqa_paged_decode_h4_kv2_d16_ps4.json"
says '^3 checks passed$'
plumb 0 check --def "$flashinfer/definitions/gemm_n24_k40.json" --workload drawn-3
says '^M=3 drawn-3 +drawn +error .* passed$'
plumb 2 check --def "$flashinfer/definitions/gemm_n24_k40.json" --workload no
warns_of 'no workload has a uuid that begins so'
plumb 77 check --def "$flashinfer/definitions/moe_e4.json"
warns_of "op_type 'moe' is not built in"
plumb 2 check --def "$flashinfer/definitions/gemm_n24_k40.json" --dtype f16
warns_of 'a definition has its dtypes'
plumb 2 check --def "$flashinfer/definitions/gemm_n24_k40.json" --op gemm
warns '--op excludes --def'
plumb 2 check
warns_of '--op is required, or --def'
