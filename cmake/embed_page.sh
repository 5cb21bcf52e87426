#!/bin/sh
# usage: embed_page.sh OUTPUT.cpp PAGE.js PAGE.css: script and style as C++ (parity/report/html/page_files.hpp).
set -eu
output=$1
{
  echo "// Generated from page.js and page.css. Do not edit."
  echo "#include \"parity/report/html/page_files.hpp\""
  echo "namespace plumb::parity::report::html {"
  printf 'const std::string_view page_script = R"page('
  cat "$2"
  echo ')page";'
  printf 'const std::string_view page_style = R"page('
  cat "$3"
  echo ')page";'
  echo "}  // namespace plumb::parity::report::html"
} >"$output.new"
mv "$output.new" "$output"
