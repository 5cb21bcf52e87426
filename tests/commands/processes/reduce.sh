# On a device: what is left has at most two nodes and a tenth of the elements, and fails the same way by itself.
plumb 0 reduce "$source/fixtures/graphs/conv_norm_relu.json" --plant scaled@norm2 --budget 30s -o found
says "conv_norm_relu\.json: [a-z]+ at 'norm2' \(batch_norm\) in 3 of 3 runs$"
says '^found: confirmed in 3 of 3 runs: '
holds found/report.md '^\| original \| 5 \| 9652 \| '
awk -F'|' '/^\| repro.json / {found = 1; exit !($3 <= 2 && $4 <= 965)} END {if (!found) exit 1}' found/report.md ||
  fail "too much is left"
PLUMB=$launched
export PLUMB
sed 's/"${PLUMB:-plumb}"/$PLUMB/' found/repro.sh >launched.sh  # with the launcher, which is a word of its own
cp found/repro.json .
status=0
sh launched.sh >repro.txt || status=$?
[ "$status" -eq 1 ] || fail "repro.sh ended with $status, wanted 1"
grep -q '^first guilty: norm2 (batch_norm): ' repro.txt || fail "repro.sh does not fail in the same node"
