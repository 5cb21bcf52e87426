#!/bin/sh
# usage: covered.sh COMMANDS_FOLDER PLUMB
#
# Every command that `plumb --help` lists has a file of checks, and every such file a command.
set -u
folder=$1 plumb=$2
help=$("$plumb" --help) || { echo "plumb --help ends with an error"; exit 1; }
# "  name   what it does"; what goes on in a second line is indented by more.
listed=$(echo "$help" | sed -n '/^subcommands:/I,/^ *$/s/^  \([a-z][a-z_-]*\) .*/\1/p' | sort)
checked=$(find "$folder"/on_* -name '*.sh' -exec basename {} .sh \; | sort)
if [ -z "$listed" ]; then
  echo "plumb --help lists no commands that this script can find"
  exit 1
fi
status=0
for command in $listed; do
  echo "$checked" | grep -qx "$command" && continue
  echo "plumb $command has no checks: write $folder/on_host/$command.sh, or one in on_device"
  status=1
done
for command in $checked; do
  echo "$listed" | grep -qx "$command" && continue
  echo "$command.sh checks a command that plumb --help does not list"
  status=1
done
exit $status
