#!/bin/sh
# usage: embed_docs.sh OUTPUT.cpp DOCS_FOLDER
#
# Writes the pages of docs/ that users read as C++, for parity/cli/helping/pages.hpp, in the order in which
# docs/README.md names them. Its row "add an op" is for who works on plumbline, and two pages are what `plumb ops`
# writes.
set -eu
output=$1 docs=$2
names=$(awk -F'|' '/^\|/ {
    if ($2 ~ /\*\*/) row = $2
    if (row == "" || row ~ /add an op/) next
    rest = $0
    while (match(rest, /\]\([a-z_0-9]+\.md\)/)) {
      name = substr(rest, RSTART + 2, RLENGTH - 6)
      rest = substr(rest, RSTART + RLENGTH)
      if (name != "op_reference" && name != "accuracy" && !seen[name]++) print name
    }
  }' "$docs/README.md")
[ -n "$names" ] || { echo "embed_docs.sh: $docs/README.md names no pages" >&2; exit 1; }
{
  echo "// Generated from docs/ by embed_docs.sh. Do not edit."
  echo "#include \"parity/cli/helping/pages.hpp\""
  echo "namespace plumb::parity::cli {"
  echo "namespace {"
  echo "constexpr Page pages_of_docs[] = {"
  for name in $names; do
    printf '    {"%s", R"page_of_docs(' "$name"
    cat "$docs/$name.md"
    echo ')page_of_docs"},'
  done
  echo "};"
  echo "}  // namespace"
  echo "std::span<const Page> embedded_pages() { return pages_of_docs; }"
  echo "}  // namespace plumb::parity::cli"
} >"$output.new"
mv "$output.new" "$output"
