# The results of who is not ours: a program that computes, and a file of what one saved.
numpy_candidate
plumb 0 run "$graphs/scores.json" --candidate "$numpy" -o ran.h5 --save-inputs inputs.npz
says '^p: f32\['
warns '^wrote ran\.h5$'
plumb 0 run "$graphs/scores.json" --candidate host=cpu
says '^p: f32\['
plumb 0 dump "$graphs/scores.json" --from cpu -o dump.npz
plumb 0 run "$graphs/scores.json" --candidate 'file:dump.npz#cpu' --load-inputs inputs.npz
says '^p: f32\['
plumb 2 run "$graphs/scores.json" --candidate 'file:dump.npz#cpu'
warns 'does not have all inputs: --load-inputs FILE, or the --seed'
plumb 2 run "$graphs/scores.json" --candidate cpu --on cpu
warns 'candidate excludes|excludes --on|--on excludes'
plumb 77 run "$graphs/twice.json" --candidate "$numpy" --dtype f16 --input y=1
warns 'no (f16|binary).* here'
