# What changed between two files, and whether it is worse; also as git bisect run asks it.
# Another kernel is one that h5py writes into a record: no executor of the host has two.
python=$(for one in python3 /usr/bin/python3; do "$one" -c 'import h5py' 2>/dev/null && echo "$one" && break; done)
[ -n "$python" ] || fail 'no h5py (Debian: python3-h5py)'
cat >made.py <<'PY'
"""made.py FROM TO FACTOR KERNEL [NODE]: a results file whose products have other bits, and errors larger by FACTOR."""
import shutil, sys
import h5py
import numpy as np

source, to, factor, kernel = sys.argv[1:5]
shutil.copy(source, to)
with h5py.File(to, "r+") as file:
    names = file["names"]
    names.resize(len(names) + 1, 0)
    names[-1] = kernel
    nodes = {}
    for run in file["runs"][:]:
        for row in file["graph/" + names[run["graph_id"]].decode() + "/nodes"][:]:
            nodes[run["run"], row["node"]] = names[row["name_id"]].decode()
    rows = file["results/nodes"][:]
    random = np.random.default_rng(1)
    for row in rows:
        if nodes[row["run"], row["node"]] == "scores":
            row["out_hash"] += 1
            row["kernel_id"] = len(names) - 1
            for column in ("rms", "max_abs"):
                row[column] *= float(factor) * (1 + 0.01 * random.standard_normal())
    file["results/nodes"][:] = rows
PY
made() { "$python" made.py "$@" || fail "h5py cannot write $2"; }
plumb 0 verify "$graphs/scores.json" --candidate cpu --seeds 8 -q -o base.h5
plumb 0 verify "$graphs/scores.json" --candidate cpu --seeds 8 -q -o again.h5
plumb 0 drift base.h5 again.h5
says '^1 case, 2 outputs, 8 common seeds: 0 changed, 0 worse, 0 better$'
plumb 0 drift base.h5 base.h5

# Twice the error by another kernel.
made again.h5 now.h5 2 other_kernel
plumb 1 drift base.h5 now.h5 --json now.json --junit now.xml --markdown now.md
says '^scores +(rms|max_abs) (1\.9|2|2\.0)[0-9]* times .*, p = 0\.0078 .*8/8 .*kernel: .*-> other_kernel .*worse$'
says '^1 case, 2 outputs, 8 common seeds: 1 changed, 1 worse, 0 better$'
holds now.json '"cause": "kernel"'
holds now.json '"statistic": "rms"'
holds now.xml '<testsuite name=".*scores.json candidate=cpu" tests="1" failures="1"'
holds now.md '^\| .*scores\\.json candidate\\=cpu scores \| matmul \| f32 '
plumb 1 drift base.h5 now.h5 --accept tile,sums
plumb 0 drift base.h5 now.h5 --accept tile,kernel
says 'worse, accepted$'
plumb 0 drift now.h5 base.h5
says 'better$'
plumb 2 drift base.h5 now.h5 --accept kernle
warns_of "found 'kernle'; did you mean kernel?"
cat >drift.toml <<'TOML'
schema = "plumb-policy/1"
[drift]
min_effect = {log2 = 1.5}
accept = ["options"]
TOML
plumb 0 drift base.h5 now.h5 --policy drift.toml
plumb 77 drift base.h5 now.h5 --false-alarm 0.001
says '^1 case, .* 1 with too few seeds to tell$'
plumb 2 drift base.h5 now.h5 --policy now.md
GITHUB_WORKSPACE=$PWD GITHUB_STEP_SUMMARY=$PWD/summary.md
export GITHUB_WORKSPACE GITHUB_STEP_SUMMARY
plumb 1 drift base.h5 now.h5 --github
says '^::error .*title=matmul drift%3A scores::worse: (rms|max_abs)'
holds summary.md '^### plumb: 1 test failed$'

# What cannot be compared.
plumb 0 verify "$graphs/dense.json" --candidate cpu -q -o dense.h5
plumb 2 drift base.h5 dense.h5
warns_of "base has no run; nearest are '"
plumb 2 drift "$source/tests/parity/results/version_1.h5" base.h5
warns_of 'is of version 1'
plumb 2 drift base.h5 missing.h5
warns_of missing.h5
cp base.h5 cut.h5.part
plumb 2 drift base.h5 cut.h5.part
warns_of 'cut.h5.part: is of a run that was cut off'
plumb 2 drift base.h5 now.h5 --device 'NVIDIA*'
warns_of "has no run on a device called 'NVIDIA*'"
plumb 2 drift base.h5 now.h5 --json base.h5 --force
plumb 2 drift base.h5 now.h5 true
plumb 2 drift base.h5 now.h5 --markdown - --json -

# One of 8 commits is worse and one cannot be built: the first is found, the second skipped.
mkdir tree
cp made.py again.h5 tree
git() { command git -C tree -c user.name=t -c user.email=t@localhost -c init.defaultBranch=main "$@"; }
git init -q
for n in 1 2 3 4 5 6 7 8; do
  factor=1
  [ "$n" -lt 6 ] || factor=2
  echo "$python made.py again.h5 now.h5 $factor other_kernel # $n" >tree/build
  [ "$n" -ne 4 ] || echo 'echo no compiler; exit 2' >tree/build  # where git looks first
  git add build made.py
  git commit -q -m "change $n" --date "2026-01-0$n 00:00"
done
(cd tree && command git bisect start HEAD HEAD~7 >../started) || fail "git bisect does not start"
# shellcheck disable=SC2086
(cd tree && command git bisect run $launched drift ../base.h5 now.h5 --git-bisect -- sh build) >bisected 2>&1
cat bisected
grep -q 'no compiler' bisected || fail "git bisect did not meet the commit that cannot be built"
if grep -q "first bad commit could be any of" bisected; then fail "git bisect was left with a choice"; fi
grep -A9 "is the first bad commit" bisected | grep -q "change 6" || fail "git bisect found another commit"
cp base.h5 old.h5
plumb 125 drift base.h5 old.h5 --git-bisect -- true
warns "^plumb: old.h5: was not written by 'true', which ended with 0$"
