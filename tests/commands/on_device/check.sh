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
