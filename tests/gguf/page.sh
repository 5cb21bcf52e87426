#!/bin/sh
# usage: page.sh SOURCE SCRATCH PYTHON [LAUNCHER...] PLUMB
#
# Every command of docs/llm.md ends well, in order, on a small model, and prints what the page says of it.
set -eu
source=$1 scratch=$2 python=$3
shift 3
rm -rf "$scratch"
mkdir -p "$scratch"
cd "$scratch"
"$python" "$source/scripts/make_gguf.py" model.gguf --types q8_0 --blocks 1

awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$source/docs/llm.md" |
  sed 's/^plumb sweep /&--runs 1 /' >commands.txt
[ "$(grep -c '^plumb ' commands.txt)" -eq 13 ] || { echo "page.sh: the page has not thirteen commands"; exit 1; }

launched=$*  # paths of a build: without spaces
while read -r command rest; do
  echo "\$ $command $rest"
  status=0
  eval "$launched $rest" >>all.txt 2>&1 </dev/null || status=$?
  [ "$status" -eq 0 ] || { tail -40 all.txt; echo "page.sh: ended with $status"; exit "$status"; }
done <commands.txt
for line in '^blk.0.attn_q .* passed$' '^tokens.next: i32\[1, 5\]' '^2 of 2 caches in place; a step moved' ' top-1 ' \
  '^buffer 0: [0-9]* bytes, resident$' '^tokens.next +sample .* passed$'; do
  grep -Eq "$line" all.txt || { cat all.txt; echo "page.sh: no line is $line"; exit 1; }
done
grep -q f16acc32 plan.toml || { cat plan.toml; echo "page.sh: the plan is empty"; exit 1; }
