# How long graphs take: numbers of its own samples, limits, and an earlier report; no test looks at how long.
brief="--warmup 1ms --runs 20"
plumb 0 bench "$graphs/scores.json" "$graphs/dense.json" --on cpu $brief --samples --json times.json
says 'scores\.json on cpu: median [0-9.]* ms \([0-9.]* to [0-9.]*\), p95 [0-9.]* ms, [0-9.e+]* runs a second; 20 runs'
python3 "$source/tests/commands/bench_report.py" "$source/schema/plumb-bench-1.json" times.json >checked ||
  fail "times.json is not as its schema and samples say"
plumb 0 bench "$graphs/scores.json" --on cpu --warmup 1ms --budget 10ms --limit max=1h --limit median=1h
says 'median [0-9.e-]* ms is within the limit of 3\.6e\+06 ms'
plumb 1 bench "$graphs/scores.json" --on cpu $brief --limit p95=0.000001ms
says 'p95 [0-9.]* ms is above the limit of 1e-06 ms'
# Against an earlier report: the same, a thousand times as long, a thousandth, and another graph.
scaled() { python3 -c "import json, sys
report = json.load(open('times.json'))
for timed in report['timed']:
    for name in ('median', 'median_low', 'median_high'):
        timed['latency'][name] *= float(sys.argv[1])
json.dump(report, open('earlier.json', 'w'))" "$1"; }
scaled 1000
plumb 0 bench "$graphs/scores.json" --on cpu $brief --against earlier.json
says 'faster: '
scaled 0.001
plumb 1 bench "$graphs/scores.json" --on cpu $brief --against earlier.json
says 'slower: .* times the '
plumb 2 bench "$graphs/twice.json" --on cpu $brief --against earlier.json
warns 'has not .*twice\.json on cpu .*; it has .*scores\.json on cpu'
plumb 2 bench "$graphs/scores.json" --on cpu $brief --against "$graphs/scores.json"
warns 'is no report of .plumb bench --json'
plumb 2 bench "$graphs/scores.json" --on cpu --limit mediam=5ms
warns "got 'mediam=5ms'; did you mean median"
plumb 2 bench "$graphs/scores.json" --on cpu --limit median=5
warns '--limit median is a time with a unit'
plumb 2 bench "$graphs/scores.json" --on cpu --runs 0
plumb 2 bench "$graphs/scores.json" --on cpu --runs 3 --budget 1s
# On the device: its own share and the host's, and its nodes. A software device says nothing of a GPU.
plumb 0 bench "$graphs/dense.json" $brief --nodes --samples --json on_gpu.json
says 'dense\.json on gpu \(.*\): median '
says ' first run [0-9.]* ms, device [0-9.e-]* ms, upload [0-9.e-]* ms, submit '
python3 "$source/tests/commands/bench_report.py" "$source/schema/plumb-bench-1.json" on_gpu.json >checked ||
  fail "on_gpu.json is not as its schema and samples say"
holds on_gpu.json '"kernel": "[a-z]'
if grep -q '"is_software": true' on_gpu.json; then
  plumb 2 bench "$graphs/dense.json" $brief --limit max=1h
  warns 'is a software device, whose times say nothing of a GPU'
fi
plumb 0 bench "$graphs/dense.json" $brief --limit max=1h --allow-software
plumb 0 bench "$graphs/dense.json" --on both --warmup 1ms --runs 2
says 'dense\.json on cpu: '
says 'dense\.json on gpu '
