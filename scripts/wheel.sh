#!/usr/bin/env bash
# Makes the wheel of Python's package and tries it in a new environment, both without an index (CI_LANES=wheel .ci/run).
# It takes NumPy and pytest from the system. Prints the wheel's path last.
set -euo pipefail
exec </dev/null
usage() { echo "usage: scripts/wheel.sh [FOLDER]    the wheel goes there; build/wheel unless said"; }
case ${1:-} in -h | --help) usage; exit 0 ;; esac
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=${1:-build/wheel}
python=${PYTHON:-/usr/bin/python3}
wants() { echo "wheel.sh: wants $1" >&2; exit 2; }
for program in patchelf cmake ninja; do
  command -v "$program" >/dev/null || wants "the packages patchelf cmake ninja-build"
done
"$python" -c 'import numpy, pytest, venv' || wants "the packages python3-numpy python3-pytest python3-venv"
mkdir -p "$folder"
export PLUMBLINE_WHEEL_BUILD=${PLUMBLINE_WHEEL_BUILD:-$PWD/build/wheel_build}
"$python" -m pip wheel --no-index --no-deps --no-build-isolation --wheel-dir "$folder" ./python
wheel=$(ls -t "$folder"/plumbline-*.whl | head -n 1)
[ "$(stat -c %s "$wheel")" -le $((48 << 20)) ] || { echo "wheel.sh: $wheel has more than 48 MiB" >&2; exit 1; }

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m venv --system-site-packages "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --no-index --no-deps "$wheel"
# Away from the checkout, so that nothing of it is found.
cp tests/python/package_test.py tests/python/pytest_test.py "$scratch/"
mkdir -p "$scratch/source/docs/measurements" "$scratch/source/fixtures/networks"
cp -r fixtures/networks/convnet "$scratch/source/fixtures/networks/"
cp docs/python.md "$scratch/source/docs/"
cp docs/measurements/h200_profile.toml "$scratch/source/docs/measurements/"
cd "$scratch"
package=$("$scratch/venv/bin/python" -c 'import plumbline; print(plumbline.__path__[0])')
library=$package/_lib/libplumbline.so.1
if ldd "$library" | grep -i -e fftw -e vulkan -e 'not found'; then
  echo "wheel.sh: the wheel links what it must not" >&2
  exit 1
fi
[ "$("$scratch/venv/bin/python" -c 'import plumbline; print(plumbline.licence())')" = MIT ]
"$scratch/venv/bin/python" package_test.py source "$library"
"$scratch/venv/bin/python" pytest_test.py source "$library"
cd - >/dev/null
echo "$wheel"
