#!/bin/sh
# usage: embed_page.sh OUTPUT.cpp PAGE.css PAGE.js...: style and script, the latter of all files in this order, as C++
# (parity/report/html/page_files.hpp).
set -eu
output=$1 style=$2
shift 2
{
  echo "// Generated from page.css, page.js and page_graph.js. Do not edit."
  echo "#include \"parity/report/html/page_files.hpp\""
  echo "namespace plumb::parity::report::html {"
  printf 'const std::string_view page_script = R"page('
  cat "$@"
  echo ')page";'
  printf 'const std::string_view page_style = R"page('
  cat "$style"
  echo ')page";'
  echo "}  // namespace plumb::parity::report::html"
} >"$output.new"
mv "$output.new" "$output"
