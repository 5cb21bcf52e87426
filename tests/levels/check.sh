#!/bin/sh
# usage: check.sh PROGRAM [OBJDUMP]
#
# Looks at every instruction of a program with kernels for v2, v3 and v4 (cmake/levels.cmake). Kernels for v3 and v4 are
# in sections of those names: in all other code, which every processor runs, nothing may need more than v2, and in v3's
# nothing more than v3. Each of the two must make use of what it is for.
set -u
program=$1 objdump=${2:-objdump}
"$objdump" -d --no-show-raw-insn -w "$program" | awk '
  /^Disassembly of section/ { section = $4; sub(/:$/, "", section); next }
  /^[0-9a-f]+ </ { symbol = $2; next }
  /^ *[0-9a-f]+:\t/ {
    instruction = $0
    sub(/^ *[0-9a-f]+:\t/, "", instruction)
    sub(/ *[#<].*/, "", instruction)
    needs = 2
    if (instruction ~ /%zmm|%k[0-7]|%[xy]mm(1[6-9]|2[0-9]|3[01])/) needs = 4
    else if (instruction ~ /%ymm|^v[a-z]/ && instruction !~ /^ver[rw] /) needs = 3
    else if (instruction ~ /^(andn|bextr|bls[ir]|blsmsk|bzhi|mulx|pdep|pext)[lq]? /) needs = 3
    else if (instruction ~ /^(rorx|sarx|shlx|shrx|lzcnt|movbe)[lq]? /) needs = 3
    may = section == "plumb_v4" ? 4 : section == "plumb_v3" ? 3 : 2
    if (needs == may) used[may] = 1
    if (needs > may && bad++ < 10)
      print "check.sh: v" needs " outside of its level, in " section " " symbol " " instruction
    seen++
  }
  END {
    for (level = 3; level <= 4; ++level)
      if (!used[level]) { print "check.sh: no kernel makes use of v" level; bad++ }
    print seen + 0 " instructions, " bad + 0 " complaints"
    exit bad > 0 || seen == 0
  }'
