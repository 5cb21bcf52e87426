#!/bin/sh
# usage: run.sh PLUMB SCRATCH_FOLDER PYTHON
#
# The cheats that ship: none may pass, and each is refused for its reason. They need NumPy.
set -eu
plumb=$1 scratch=$2 python=$3
"$python" -c 'import numpy' 2>/dev/null || { echo "no NumPy (Debian: python3-numpy)"; exit 77; }
rm -rf "$scratch"
mkdir -p "$scratch/bin" "$scratch/tmp"
ln -s "$(command -v "$python")" "$scratch/bin/python3"
# The cheats keep files from one call to the next.
TMPDIR=$scratch/tmp PATH=$scratch/bin:$PATH "$plumb" attack --json "$scratch/endings.json"
# At least so many, in ten families.
[ "$(grep -c '"control": false' "$scratch/endings.json")" -ge 40 ]
[ "$(grep '"family"' "$scratch/endings.json" | sort -u | wc -l)" -ge 11 ]
