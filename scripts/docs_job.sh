#!/usr/bin/env bash
# Runs the job for GitHub Actions that docs/ci.md shows, its `run:` lines one after the other, as such a runner would.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/docs_job.sh

In a workspace of its own, with a copy of this tree as plumbline/, which is built there, and a list of ten models, ONNX
and JSON, each with its own inputs and the results that PyTorch, or a hand, gave for them. For a machine that has
nothing: scripts/fresh_debian.sh 13 scripts/docs_job.sh
USAGE
}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  "") ;;
  *) usage >&2; exit 2 ;;
esac

tree=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
job=$(awk '/^jobs: *# GitHub/ { inside = 1 } /^```/ { inside = 0 } inside && sub(/^ *- run: /, "")' "$tree/docs/ci.md")
[ "$(grep -c . <<<"$job")" -ge 2 ] || { echo "docs_job: docs/ci.md has no job for GitHub" >&2; exit 2; }

workspace=$(mktemp -d)
trap 'rm -rf "$workspace"' EXIT
mkdir "$workspace/models" "$workspace/plumbline"
tar --create --directory "$tree" --exclude ./build --exclude ./.git . | tar --extract --directory "$workspace/plumbline"
cp -r "$tree"/fixtures/networks/*/ "$workspace/models"
cp "$tree/fixtures/ops/instance_norm/by_hand.json" "$tree/fixtures/ops/mamba2/from_a_state.json" "$workspace/models"
cd "$workspace"
{
  echo 'schema = "plumb-cases/1"'
  for network in models/*/; do
    printf '[[case]]\nmodel = "%smodel.onnx"\ndata = "%stest_data_set_0"\n' "$network" "$network"
  done
  printf '[[case]]\nmodel = "%s"\n' models/*.json
} >models.toml
models=$(grep -c '^\[\[case' models.toml)
export GITHUB_WORKSPACE=$workspace GITHUB_STEP_SUMMARY=$workspace/summary.md
while IFS= read -r line; do
  printf '$ %s\n' "$line"
  bash -euc "$line"
done <<<"$job"
cat summary.md
grep -qF 'nothing failed' summary.md
# One run, one results file and one JUnit file have them all.
refuse() { echo "docs_job: not $1" >&2; exit 1; }
[ "$models" = 10 ] || refuse "ten models, but $models"
runs=$(plumbline/build/release/bin/plumb inspect results.h5 | grep -c '^run [0-9]*: ')
[ "$runs" = "$models" ] || refuse "$models runs in results.h5, but $runs"
[ "$(grep -c '<testsuite ' plumb.xml)" = "$models" ] || refuse "$models suites in plumb.xml"
