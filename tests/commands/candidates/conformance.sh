# A suite by somebody else, beside the CPU executor.
numpy_candidate
suite=/usr/share/libonnx-testdata/data/node
if [ ! -e "$suite" ]; then
  echo "skipped: $suite is not there (libonnx-testdata)"
  exit 77
fi
plumb 0 conformance "$suite" --filter '^test_(relu|matmul_2d|sigmoid)$' --candidate "$numpy" --verbose --json out.json \
  --junit out.xml
says '^test_relu \(numpy\): passed$'
says '^test_sigmoid \(numpy\): unsupported: .*no unary sigmoid here$'
says '^op +cases .*numpy passed'
says '^all +3 +3 +2 +1'
holds out.json '"numpy"'
holds out.xml '<testsuite name="numpy" tests="3" failures="0" errors="0" skipped="1">'
plumb 1 conformance "$suite" --filter '^test_relu$' --candidate "$numpy" --least-candidate 2
says '^1 case passed on the numpy, but at least 2 are wanted$'
plumb 2 conformance "$suite" --filter '^test_relu$' --candidate cpu
warns 'the CPU executor is judged in any case'
# One that crashes fails its cases.
cat >liar.sh <<'END'
grep -q '"describe"' "$1/request.json" || exit 3
echo '{"schema": "plumb.exec/1", "candidate": {"name": "liar"}}' >"$1/response.json"
END
plumb 1 conformance "$suite" --filter '^test_(relu|matmul_2d)$' --candidate 'exec:sh liar.sh'
says '^test_matmul_2d \(exec\): failed: .*ended with exit status 3'
says '^test_relu \(exec\): failed: .*ended with exit status 3'
