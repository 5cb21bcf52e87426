# The CPU executor. A device takes minutes where its driver compiles the kernels, and has tests of its own.
cat >product.json <<'END'
{"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[6, 600]"}, "w": {"type": "f32[600, 5]"}},
 "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]}], "results": ["y"]}
END
plumb 0 probe --on cpu --for product.json -o cpu.toml
warns '^product\.json: the order of summation was found of 1 of 1 products$'
holds cpu.toml '^operands = \["f32\[6, 600\]", "f32\[600, 5\]"\]$'
holds cpu.toml '^sums = .*count[^0-9]*256'
warns '^wrote cpu\.toml: profile [0-9a-f]{12} of .*, [1-9][0-9]* units that multiply, [1-9][0-9]* functions, in '
holds cpu.toml '^schema = "plumb-profile/3"$'
holds cpu.toml '^driver = "ref_cpu"$'
holds cpu.toml '^\[\[product\]\]$'
holds cpu.toml '^accumulator_bits = 24$'
# A profile is made once, kept, and made anew for whoever is another.
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
plumb 0 verify product.json --candidate cpu --profile auto
warns '^--profile auto: probed .*, kept as .*/cache/plumbline/profiles/[0-9a-f]{16}\.toml$'
says '^profile: [0-9a-f]{12} of .*/cache/plumbline/profiles/'
plumb 0 verify product.json --candidate cpu --profile auto
says '^profile: [0-9a-f]{12} of .*/cache/plumbline/profiles/'
grep probed stderr && fail "it was probed again"
[ "$(find cache -name '*.toml' | wc -l)" = 1 ] || fail "two profiles of one candidate are kept"
grep -q '^schema = "plumb-profile/3"$' cache/plumbline/profiles/*.toml || fail "no profile is kept"
plumb 2 verify product.json --candidate cpu --candidate b=cpu --profile auto
warns 'is the profile of one candidate, and 2 are judged'
echo 'def run(x0): pass' >one.py
plumb 2 verify product.json --candidate py:one.py::run --profile auto
warns 'one function cannot be probed'
plumb 2 probe --on cpu -o no_such_folder/cpu.toml
warns_of no_such_folder/cpu.toml
# Text of another kind stays: a policy, say, where a profile is written.
printf 'schema = "plumb-policy/1"\n' >policy.toml
plumb 2 probe --on cpu -o policy.toml
warns_of 'policy.toml: is text of another kind and is not replaced'
holds policy.toml '^schema = "plumb-policy/1"$'

plumb 2 probe --on cpu --shape batch=2
warns '--shape requires --for'

# A backend that is not ours is asked for everything in three requests, and found to be what it is.
echo 'def run(x0): pass' >cpu.py
for flag in '--candidate file:cpu.npz' '--candidate py:cpu.py::run'; do
  # shellcheck disable=SC2086
  plumb 2 probe $flag
  warns 'cannot be probed'
done
plumb 2 probe --on cpu --candidate cpu
warns 'excludes'
python=/usr/bin/python3 built=$(dirname "${launched##* }")/../lib/libplumbline.so.1
[ -x $python ] || python=python3
PYTHONPATH=$source/python PLUMBLINE_LIBRARY=$built
export PYTHONPATH PLUMBLINE_LIBRARY
if $python -c 'import numpy, plumbline; plumbline.Cpu()'; then
  asked="exec:$python $source/tests/commands/candidates/cpu.py"
  plumb 0 probe --candidate "$asked 1000" --keep-exchange kept --candidate-timeout 600 --for product.json -o asked.toml
  holds asked.toml '^unit = "either"$'
  [ "$(find kept -name response.json | wc -l)" -le 6 ] || fail "it takes more than 6 launches"
  # It does not say how it adds, which the CPU executor does.
  for file in cpu asked; do
    sed -n '/^\[\[product\]\]/,$p' $file.toml | grep -Ev '^(unit|kernel) = ' >$file.found
    [ -s $file.found ] || fail "$file.toml says nothing"
  done
  diff cpu.found asked.found || fail "the probe of a candidate finds something else"
  # What was found is held to what is computed.
  plumb 0 verify product.json --candidate "$asked 1" --profile asked.toml --json by_profile.json --strict
  grep -q '"equal": *[1-9]' by_profile.json || fail "no sum is replayed in the order that was found"
else
  echo "run.sh: without NumPy and libplumbline, no candidate is probed"
fi
