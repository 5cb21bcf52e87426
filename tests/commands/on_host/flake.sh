# Whether a graph always gives the same bits: no more runs than it takes to know.
plumb 0 flake "$graphs/scores.json" --candidate cpu --json stable.json
says 'scores\.json: stable: 508 of 508 runs gave the bits of the first, with a probability of 0\.99276 to 1\.00000'
holds stable.json '"finding": "stable"'
plumb 1 flake "$graphs/scores.json" --candidate cpu --plant flicker=0.1@scores --node scores
says 'scores\.json scores: flaky: '
# What is altered is not computed again, so that other nodes stay as they are.
plumb 0 flake "$graphs/scores.json" --candidate cpu --plant flicker=0.1@scores --node p
plumb 4 flake "$graphs/scores.json" --candidate cpu --max-runs 100 --json -
warns ': undecided: 99 of 99 runs '
plumb 2 flake "$graphs/scores.json" --candidate cpu --p0 0.9 --p1 0.9
warns 'wanted 0 < p1 < p0 < 1, found p1 = 0\.9 and p0 = 0\.9'
plumb 2 flake "$graphs/scores.json" --candidate cpu --node score
warns "there is no node 'score'; did you mean scores"
