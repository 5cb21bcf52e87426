# Faults in what somebody else computed.
numpy_candidate
plumb 0 power "$graphs/scores.json" --candidate "$numpy" --faults scaled --no-smallest
says '^scores +matmul +f32 '
says 'scores\.json: power 1\.000 \| ([0-9]+) of \1 required faults caught'
plumb 0 dump "$graphs/scores.json" --from cpu -o dump.npz
plumb 2 power "$graphs/scores.json" --candidate 'file:dump.npz#cpu' --seed 1
warns 'has the numbers of one run, and faults that keep a result ask for another'
plumb 2 power "$graphs/scores.json" --candidate "$numpy" --plan
warns 'plan breaks the GPU.s plan'
