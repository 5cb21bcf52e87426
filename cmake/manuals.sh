#!/bin/sh
# usage: manuals.sh PLUMB FOLDER: the manuals of the program and of its commands, as plumb writes them.
set -eu
plumb=$1 folder=$2
mkdir -p "$folder"
rm -f "$folder"/*.1
"$plumb" help --man >"$folder/plumb.1"
"$plumb" __complete 1 -- plumb | cut -f 1 | while read -r command; do
  "$plumb" help --man "$command" >"$folder/plumb-$command.1"
done
