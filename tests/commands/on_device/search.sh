plumb 0 search "$graphs/scores.json" --steps 2 --keep found
says '^ratio [0-9.e-]+ at scores \(matmul\), from [a-z_]+ in step [0-9]: found/matmul-ratio-[0-9a-f]{8}\.json$'
says 'scores\.json: ratio [0-9.e-]+ in the fills, [0-9.e-]+ after 2 steps \([0-9]+ runs\) \| seed 1$'
holds "$(echo found/matmul-ratio-*.json)" '"must": "pass"|"nodes"'
cp stdout first
plumb 0 verify found
says '^[0-9]+ cases, [0-9]+ nodes: '
plumb 0 search "$graphs/scores.json" --steps 2 --keep found
diff first stdout || fail "the same steps found something else"
plumb 0 search "$graphs/scores.json" --for missed --budget 1s
says 'scores\.json: missed '
# What cannot be kept, read or meant is said before the work begins.
touch taken
plumb 2 search "$graphs/dense.json" --keep taken/below
warns_of taken/below
plumb 2 search "$graphs/dense.json" --budget soon
warns_of "got 'soon'"
plumb 2 search missing.json
warns_of missing.json
