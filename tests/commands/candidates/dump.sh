# The values of who is not ours, by its name.
numpy_candidate
plumb 0 dump "$graphs/scores.json" --candidate "$numpy" -o both.h5 --truth
says '^wrote 6 tensors to both\.h5$'
plumb 0 run "$graphs/scores.json" --on cpu --save-inputs inputs.npz
plumb 0 verify "$graphs/scores.json" --candidate 'file:both.h5#numpy' --load-inputs inputs.npz
plumb 0 dump "$graphs/scores.json" --candidate "$numpy" --from candidate --nodes '^p$' -o one.npz
says '^wrote 1 tensor to one\.npz$'
plumb 2 dump "$graphs/scores.json" --candidate "$numpy" --from gpu
warns 'from gpu is about our device, and --candidate names numpy=exec:.*: --from candidate$'
plumb 2 dump "$graphs/scores.json" --candidate "$numpy" --from cpu
warns 'from cpu leaves out whom --candidate names'
plumb 0 dump "$graphs/scores.json" --candidate cpu -o cpu.h5
says '^wrote 2 tensors to cpu\.h5$'
