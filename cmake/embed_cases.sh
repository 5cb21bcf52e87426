#!/bin/sh
# usage: embed_cases.sh OUTPUT.cpp FIXTURES_FOLDER
#
# Writes a small case for every op as C++, for parity/cli/selfchecking/embedded_cases.hpp: of each folder of
# fixtures/ops the file with the fewest nodes, and of these with the smallest operands, that are made by a fill rather
# than written down and have 64 elements together, where there is such a one. None that must fail, is empty, has no node
# of the op, or reads another file.
set -eu
output=$1 fixtures=$2
chosen=$(LC_ALL=C awk '
  function elements_in(line,   count, product, extents, n, i) {
    count = 0
    while (match(line, /"type": "[a-z0-9]+\[[^"]*\]"/)) {
      extents = substr(line, RSTART, RLENGTH)
      line = substr(line, RSTART + RLENGTH)
      sub(/.*\[/, "", extents)
      n = split(extents, each, ",")
      product = 1
      for (i = 1; i <= n; ++i) if (each[i] + 0 > 0) product *= each[i] + 0
      count += product
    }
    return count
  }
  function end_file(   rank) {
    if (name == "" || !has_op || is_unfit) return
    rank = (has_values ? 1e12 : 0) + (elements < 64 ? 1e11 : 0) + 1e7 * nodes + elements
    if (!(op in best) || rank < best[op]) { best[op] = rank; file[op] = name }
  }
  FNR == 1 {
    end_file()
    name = FILENAME; elements = nodes = has_op = has_values = is_unfit = 0
    n = split(FILENAME, parts, "/"); op = parts[n - 1]
  }
  { elements += elements_in($0); nodes += gsub(/"op": /, "&") }
  index($0, "\"op\": \"" op "\"") { has_op = 1 }
  /"values"/ { has_values = 1 }
  /"must"|"file"|"npz"|"type": "[a-z0-9]+\[([0-9]+, )*0[],]/ { is_unfit = 1 }
  END { end_file(); for (one in file) print file[one] }
' "$fixtures"/*/*.json | LC_ALL=C sort)
for folder in "$fixtures"/*/; do
  op=$(basename "$folder")
  echo "$chosen" | grep -q "/$op/[^/]*$" || { echo "embed_cases.sh: $folder has no case that fits" >&2; exit 1; }
done
{
  echo "// Generated from fixtures/ops by embed_cases.sh. Do not edit."
  echo "#include \"parity/cli/selfchecking/embedded_cases.hpp\""
  echo "namespace plumb::parity::cli {"
  echo "namespace {"
  echo "constexpr studies::selfcheck::SmallCase cases_of_ops[] = {"
  for file in $chosen; do
    printf '    {"%s", R"case_of_op(' "$(basename "$(dirname "$file")")"
    cat "$file"
    echo ')case_of_op"},'
  done
  echo "};"
  echo "}  // namespace"
  echo "std::span<const studies::selfcheck::SmallCase> embedded_cases() { return cases_of_ops; }"
  echo "}  // namespace plumb::parity::cli"
} >"$output.new"
mv "$output.new" "$output"
