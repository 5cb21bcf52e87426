# Several candidates in one run: each judged as if alone, side by side, and with one another.
scores=$graphs/scores.json
plumb 0 verify "$scores" --candidate cpu --candidate other=cpu --json two.json --junit two.xml -o two.h5
says '^node +op +cpu +other$'
says '^scores +matmul +0\.[0-9]+ +0\.[0-9]+$'
says '^other: passed \| 2 nodes: 2 passed'
says '^p: cpu and other have the same bits$'
says '^2 cases, 4 nodes: 2 passed$'
holds two.json '"differing": 0'
holds two.json 'scores\.json candidate=other"'
holds two.xml 'testsuite name="[^"]*scores\.json candidate=other"'
plumb 0 inspect two.h5
says '^run 1: .*passed$'
plumb 0 judge two.h5
says '^run 1: scores\.json .*, candidate other=cpu, seed 1, 2 outputs: passed$'
plumb 0 verify "$scores" --candidate cpu --candidate other=cpu --between exact -q

# What each has wrong is its own, and the worst of them is the end of the run.
plumb 0 run "$scores" --on cpu --save-inputs inputs.npz
plumb 0 dump "$scores" --from cpu --seed 2 -o wrong.npz # of other inputs
plumb 1 verify "$scores" --candidate cpu --candidate 'dump=file:wrong.npz#cpu' --load-inputs inputs.npz \
  --json wrong.json -o wrong.h5
says '^dump:$'
says 'repro: plumb verify .* --candidate .?dump=file:wrong\.npz'
says_not 'repro: .* --candidate cpu'
says '^scores +matmul +0\.[0-9]+ +[0-9.e+]+ failed$'
says '^cpu: passed '
says '^dump: failed '
says '^p: cpu and dump differ in [0-9]+ of [0-9]+ elements, .*; cpu is closer to the truth'
holds wrong.json '"closer": "cpu"'
# The record has the pairs as well.
plumb 1 judge wrong.h5 --json judged.json
for file in wrong judged; do sed -n '/^  "pairs"/,$p' $file.json >$file.pairs; done
holds wrong.pairs '"value": "p"'
cmp wrong.pairs judged.pairs || fail "the record has other pairs than the report"
plumb 1 verify "$scores" --candidate 'dump=file:wrong.npz#cpu' --candidate cpu --load-inputs inputs.npz -q \
  --between exact
warns 'candidates differ in 1 of 1 results, under --between exact: dump and cpu in [0-9]+ elements of p'

# Seeds, and graphs that nobody can read.
plumb 0 verify "$scores" --candidate a=cpu --candidate b=cpu --seeds 3 -o seeds.h5
says '^b:$'
plumb 0 inspect seeds.h5
says '^3 of runs 1 to 5: .*candidate b=cpu, seeds 1 to 3: 3 passed$'
echo '{' >broken.json
plumb 2 verify broken.json "$scores" --candidate a=cpu --candidate b=cpu -o broken.h5
says '^3 cases, 4 nodes: 2 passed 1 error$'

# Refusals.
plumb 2 verify "$scores" --candidate cpu --candidate cpu
warns 'two are called cpu: give one another name, NAME=cpu'
plumb 2 verify "$scores" --candidate a=cpu --candidate b=cpu --candidate c=cpu --candidate d=cpu --candidate e=cpu \
  --candidate f=cpu --candidate g=cpu --candidate h=cpu --candidate i=cpu
warns '9 are named, and 8 can be judged in one run'
plumb 2 verify "$scores" --candidate cpu --between exact
warns 'compares several candidates, and one is named'
plumb 2 verify "$scores" --candidate cpu --candidate vulkan --each-kernel
warns 'each-kernel judges our device alone'
