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
plumb 2 conformance missing_suite
warns_of missing_suite
