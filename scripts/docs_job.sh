#!/usr/bin/env bash
# Runs the job for GitHub Actions that docs/ci.md shows, its `run:` lines one after the other, as such a runner would.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/docs_job.sh

In a workspace of its own, with a copy of this tree as plumbline/, which is built there, and a list of models that tests
have. For a machine that has nothing: scripts/debian13.sh scripts/docs_job.sh
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
cp "$tree"/tests/commands/graphs/{scores,dense}.json "$tree"/fixtures/onnx/encoder_in_primitives.onnx \
  "$workspace/models"
cat >"$workspace/models.toml" <<'END'
schema = "plumb-cases/1"
[[case]]
model = "models/scores.json"
[[case]]
model = "models/dense.json"
seeds = 3
[[case]]
model = "models/encoder_in_primitives.onnx"
shape = "batch=2"
END
cd "$workspace"
export GITHUB_WORKSPACE=$workspace GITHUB_STEP_SUMMARY=$workspace/summary.md
while IFS= read -r line; do
  printf '$ %s\n' "$line"
  bash -euc "$line"
done <<<"$job"
cat summary.md
grep -qF 'nothing failed' summary.md
plumbline/build/release/bin/plumb inspect results.h5 >/dev/null
