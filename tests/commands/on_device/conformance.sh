suite=/usr/share/libonnx-testdata/data/node
if [ ! -e "$suite" ]; then
  echo "skipped: $suite is not there (libonnx-testdata)"
  exit 77
fi
plumb 0 conformance "$suite" --filter '^test_(relu|matmul_2d)$' --verbose --junit out.xml --json out.json
says '^test_relu \(cpu\): passed$'
says '^test_relu \(gpu\): passed$'
says '^all +2 +2 +2'
holds out.xml '<testsuite name="gpu" tests="2" failures="0" errors="0" skipped="0">'
holds out.json '"case": "test_matmul_2d"'
plumb 1 conformance "$suite" --filter '^test_relu$' --least-gpu 2 --junit few.xml
holds few.xml '<failure type="too_few" message="1 case passed on the gpu, but at least 2 are wanted"'
says '^1 case passed on the gpu, but at least 2 are wanted$'
# Some of the cases, and which they are.
plumb 0 conformance "$suite" --case '^test_(relu|matmul_2d|abs)$' --skip abs --list
says '^test_matmul_2d  dtype:f32  fill:graph  onnx  op:matmul  small$'
says '^2 cases$'
for share in 1 2 3; do
  plumb 0 conformance "$suite" --filter '^test_(relu|matmul_2d)$' --shard "$share/3" --list
  says "^share $share/3: [01] of 2 cases\$"
  grep -o '^test_[^ ]*' stdout >>shares
done
[ "$(sort shares | tr '\n' ' ')" = 'test_matmul_2d test_relu ' ] || fail 'shares are not all cases, each once'
plumb 0 conformance "$suite" --filter '^test_relu$' --shard 2/2
says '^share 2/2: 0 of 1 cases$'
plumb 0 conformance "$suite" --case '^test_(relu|matmul_2d|abs)$' --tag 'op:matmul or not dtype:f32' --list
says '^1 case$'
plumb 2 conformance "$suite" --tag 'op:matmul and'
warns "--tag: wanted a tag, 'not' or '\(', found the end"
warns '^  op:matmul and$'
warns '^ {15}\^$'
plumb 2 conformance "$suite" --tag nightly --list
warns "--tag: no case has the tag 'nightly'"
plumb 2 conformance "$suite" --skip nothing
warns "no case matches --skip 'nothing'"
plumb 2 conformance "$suite" --filter '^test_relu$' --shard 1/2 --least-cpu 1
warns '--least-cpu and --least-gpu are about all cases'
plumb 2 conformance "$suite" --list --json list.json
warns '--list runs nothing'
plumb 2 conformance missing_suite
warns_of missing_suite
