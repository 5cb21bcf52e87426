# shellcheck shell=bash disable=SC2154  # the includer assigns work
# What a run of verify says of a mutation, by its exit status and what it printed, which lies in $work/output. What the
# unchanged program warns of is in $work/refusal.

# The nodes that did not pass in the output, as "op 'label'"; behind them those that what went wrong is said of, where a
# graph or a plan is refused, or a device does not answer: "node 'label' (op)".
nodes_noticing() {
  awk '/^[0-9]+ cases?, / { next }
    $NF == "failed" || $NF == "nondeterministic" || $NF == "error" { if ($2 != "") print $2 " \047" $1 "\047" }' \
    "$work/output"
  sed -nE '/^error: |: (failed|error): /p' "$work/output" | grep -oE "node '[^']*' \([a-z0-9_]+\)" |
    sed -E "s/^node ('.*') \((.*)\)$/\2 \1/" || true
}

# The warning of a kernel whose self-test fails: another runs in its place, and all nodes pass.
refusal() { grep -m 1 'failed their self-test' "$work/output" | cut -c 1-160 | tr '|' ' ' || true; }

# The node that it names, which needs the kernel: "op 'label'".
node_refused() {
  grep -m 1 'failed their self-test' "$work/output" | sed -nE "s/.* node ('[^']*') \(([a-z0-9_]+)\)$/\2 \1/p"
}

# The line of the output that says what is wrong, where no node is.
complaint() {
  grep -m 1 -E '^error: |: error|: failed: |^plain run: ' "$work/output" | cut -c 1-160 | tr '|' ' ' ||
    tail -n 1 "$work/output" | cut -c 1-160 | tr '|' ' '
}

# The ops of which one has to notice; any, where that is what is said or where nobody has to.
ops_of() {
  case $1 in
    'by *') echo any ;;
    by*) echo "${1#by }" ;;
    *) echo any ;;
  esac
}

# what_came STATUS BY: what a run of verify says of a mutation; nothing, if it passes and warns of nothing.
what_came() {
  local status=$1 by=$2 nodes op
  case $status in
    0 | 77)
      # What the unchanged program says, too, is no news.
      if [ -z "$(refusal)" ] || [ -s "$work/refusal" ]; then return; fi
      nodes=$(node_refused)
      for op in $(ops_of "$by"); do
        if [ -z "$nodes" ] || [ "$op" != any ] && [ "$op" != "${nodes%% *}" ]; then continue; fi
        echo "noticed: $nodes, by a self-test"
        return
      done
      echo "noticed: $(refusal)"
      return
      ;;
    124) echo "noticed: it does not end"; return ;;
  esac
  nodes=$(nodes_noticing)
  for op in $(ops_of "$by"); do
    if [ -z "$nodes" ]; then
      if [ "$status" -ne 1 ]; then echo "noticed: exit $status: $(complaint)"; else echo "noticed: $(complaint)"; fi
      return
    fi
    if [ "$op" = any ]; then echo "noticed: $(head -n 1 <<<"$nodes")"; return; fi
    if grep -q "^$op " <<<"$nodes"; then echo "noticed: $(grep -m 1 "^$op " <<<"$nodes")"; return; fi
  done
  echo "elsewhere: $(head -n 1 <<<"$nodes")"
}
