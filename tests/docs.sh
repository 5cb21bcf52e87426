#!/bin/sh
# usage: docs.sh ops PLUMB SOURCE | docs.sh accuracy PLUMB SOURCE | docs.sh example SOURCE
#
# Documents that repeat what the sources say must say the same.
set -eu
case $1 in
  ops)  # docs/op_reference.md is what the headers of ir/ops say
    "$2" ops --markdown | diff -u "$3/docs/op_reference.md" - || {
      echo "docs/op_reference.md is out of date: plumb ops --markdown >docs/op_reference.md"
      exit 1
    } ;;
  accuracy)  # docs/accuracy.md is what parity/bounds/function_limits.hpp says
    "$2" ops --accuracy | diff -u "$3/docs/accuracy.md" - || {
      echo "docs/accuracy.md is out of date: plumb ops --accuracy >docs/accuracy.md"
      exit 1
    } ;;
  example)  # the README shows docs/example/library.cpp, every line of it
    awk '/^```cpp$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$2/README.md" |
      diff -u "$2/docs/example/library.cpp" - || {
      echo "the program in README.md is not docs/example/library.cpp"
      exit 1
    } ;;
  *) exit 2 ;;
esac
