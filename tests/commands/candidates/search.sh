# Numbers that bring somebody else close to the limits.
numpy_candidate
plumb 0 search "$graphs/scores.json" --candidate "$numpy" --steps 2
says '^ratio [0-9.e-]+ at scores \(matmul\), from [a-z_]+ in step [0-9]'
plumb 0 dump "$graphs/scores.json" --from cpu -o dump.npz
plumb 2 search "$graphs/scores.json" --candidate 'file:dump.npz#cpu' --seed 1
warns 'has the numbers of one run, and a search asks for many'
