# Which cases there are, and shares of them that several starts of the program run.
mkdir -p models
cp "$graphs/scores.json" "$graphs/dense.json" models
cat >list.toml <<'END'
schema = "plumb-cases/1"
[[case]]
model = "models/dense.json"
dtype = "f16"
seeds = 2
tags = ["small", "nightly"]
END

# --list runs nothing, and says of every case what it is.
plumb 0 verify models list.toml --list
says '^models/dense.json +[0-9]+ +1 '
says '^models/scores.json '
says '^models/dense.json dtype=f16 +small,nightly +[0-9]+ +2 '
says '^3 cases$'
plumb 0 verify models list.toml --list --shard 1/2 --json list.json
holds list.json '"schema": "plumb.list/1"'
[ "$(grep -c '"shard": 1' list.json)" -gt 0 ] || fail 'nothing is in the first share'
[ "$(grep -c '"shard": 2' list.json)" -gt 0 ] || fail 'nothing is in the second share'
plumb 2 verify models --list -o list.h5
warns '--list runs nothing'
echo '{' >models/broken.json
plumb 2 verify models --list
says '^3 cases$'
rm models/broken.json

# --case chooses by ids.
plumb 0 verify models list.toml --case 'dense.json$' --list
says '^1 case$'
plumb 0 verify models list.toml --case 'dtype=f16' --list
says '^models/dense.json dtype=f16'
plumb 2 verify models --case nothing
warns "no case matches --case 'nothing'; the first is 'models/dense.json'"

# --tag chooses by tags of lists and graphs, and by those that every case has.
sed '1s/^{/{"tags": ["attention", "small-enough"],/' "$graphs/scores.json" >models/scores.json
chooses() {
  plumb 0 verify models list.toml --list --tag "$1" --json chosen.json
  found=$(sed -n 's/.*"id": "models\/\([^"]*\)".*/\1/p' chosen.json | tr '\n' ';')
  [ "$found" = "$2" ] || fail "--tag '$1' chooses '$found', wanted '$2'"
}
chooses nightly 'dense.json dtype=f16;'
chooses attention 'scores.json;'
says '^models/scores.json +attention,small-enough '
holds chosen.json '"op:softmax"'
chooses 'not (nightly or attention)' 'dense.json;'
chooses 'nightly or op:softmax and small' 'scores.json;dense.json dtype=f16;'
chooses 'dtype:f16' 'dense.json dtype=f16;'
chooses 'dir:models and fill:graph and not onnx' 'dense.json;scores.json;dense.json dtype=f16;'
plumb 2 verify models --tag 'attention and )'
warns "^plumb: --tag: wanted a tag, 'not' or '\(', found '\)'\$"
warns '^  attention and \)$'
warns '^ {16}\^$'
plumb 2 verify models --tag op:sofmax
warns "--tag: there is no tag 'op:sofmax'; did you mean op:softmax"
plumb 2 verify models --tag large
warns "^plumb: --tag 'large' chooses no case"
cp "$graphs/scores.json" models/scores.json

# --skip and --op choose nodes, and a word that chooses none was misspelt.
plumb 0 verify models/scores.json --op 'soft*' -v
says '^p '
says '^scores .* skipped$'
plumb 0 verify models --skip 'scores|product' -v
says '^p '
says '^y '
says '^scores .* skipped$'
says '^product .* skipped$'
plumb 2 verify models --op 'softmax,con*'
warns "no node is of an op that --op names 'con[*]'"
plumb 2 verify models --skip nothing
warns "no node matches --skip 'nothing'"
plumb 2 verify models --op softmax --skip '^p$'
warns '--filter, --skip and --op leave no node together'

# Shares: together they are all cases, none of them twice, and a share of nothing is no failure.
plumb 0 verify models list.toml -o times.h5
for times in '' '--times times.h5'; do
  for share in 1 2 3 4; do
    # shellcheck disable=SC2086
    plumb 0 verify models list.toml --shard "$share/4" $times --require-verified --json "$share.json" -o "$share.h5" \
      --force
    says "^share $share/4: [01] of 3 cases\$"
  done
  for id in dense.json 'dense.json dtype=f16' 'dense.json dtype=f16 seed=2 param_seed=1' scores.json; do
    [ "$(cat 1.json 2.json 3.json 4.json | grep -c "\"id\": \"models/$id\"")" = 1 ] || fail "$id is not in one share"
  done
done
says '^share 4/4: 0 of 3 cases$'
plumb 0 inspect 2.h5 --check-schema
plumb 0 verify models list.toml --list --times times.h5
says_not ' \? +-$'
plumb 2 verify models --times times.h5
warns '--times says how long cases take, for --shard, --list and --budget'
for bad in 0/4 5/4 4 x 1/2/3 1/70000; do
  plumb 2 verify models --shard "$bad"
  warns "wanted I/N with I from 1 to N, or env, found '$bad'"
done

# Time for some: first those that have not been run, or did not pass.
plumb 0 verify models --case dense -o dense.h5
plumb 0 verify models --times dense.h5 --budget 1h -v
sed -n 's/^models\/\([a-z]*\).json: passed .*/\1/p' stdout >order
[ "$(cat order)" = "$(printf 'scores\ndense')" ] || fail "a case that was not run is not the first: $(cat order)"
plumb 77 verify models --budget 0.0001s -o none.h5 --json none.json
warns '^skipped: --budget 0.0001s had no time for 2 cases$'
says '^models/dense\.json: skipped: budget$'
holds none.json '"verdict": "skipped"'
plumb 4 verify models --budget 0.0001s --require-verified
plumb 4 verify models --candidate cpu --budget 0.0001s --jobs 1 --require-verified --json skipped.json
says '^models/dense\.json: skipped: budget$'
holds skipped.json '"id": "models/dense\.json candidate=cpu"'
plumb 2 verify models --budget 5
warns "--budget is a time with a unit such as 60s, 5m or 1h, got '5'"
plumb 2 verify models --budget 5m --list
warns '--list runs nothing: there are no cases for --jobs and --budget'

# Systems that start several say which share it is; Bazel's is obeyed without a flag.
plumb 2 verify models --shard env
warns 'no variables of Bazel, GitLab, CircleCI, Buildkite or a Slurm array are set'
export CI_NODE_INDEX=2 CI_NODE_TOTAL=2
plumb 0 verify models --shard env
says '^share 2/2: 1 of 2 cases$'
export CIRCLE_NODE_INDEX=0 CIRCLE_NODE_TOTAL=2
plumb 2 verify models --shard env
warns "GitLab's variables say 2/2, CircleCI's 1/2"
plumb 0 verify models --shard 1/1
says '^share 1/1: 2 of 2 cases$'
unset CI_NODE_INDEX CI_NODE_TOTAL CIRCLE_NODE_INDEX CIRCLE_NODE_TOTAL
export SLURM_ARRAY_TASK_ID=15 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_STEP=5 SLURM_ARRAY_TASK_COUNT=4
plumb 0 verify models --shard env
says '^share 3/4: 0 of 2 cases$'
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_STEP SLURM_ARRAY_TASK_COUNT
export TEST_TOTAL_SHARDS=2 TEST_SHARD_INDEX=0 TEST_SHARD_STATUS_FILE=status
plumb 0 verify models
says '^share 1/2: 1 of 2 cases$'
[ -e status ] || fail 'TEST_SHARD_STATUS_FILE was not touched'
export TEST_SHARD_INDEX=2
plumb 2 verify models
warns 'TEST_SHARD_INDEX=2 with TEST_TOTAL_SHARDS=2 is share 3 of 2'
export TEST_TOTAL_SHARDS=some
plumb 2 verify models --list
warns "the environment's TEST_TOTAL_SHARDS is no whole number: 'some'"
plumb 0 verify models --list --shard 1/1
unset TEST_TOTAL_SHARDS TEST_SHARD_INDEX TEST_SHARD_STATUS_FILE
