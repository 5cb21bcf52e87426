#!/usr/bin/env bash
# Sets up, configures and builds one preset into build/<preset>.
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/build.sh PRESET [arguments of cmake --build, such as --target plumb]

PRESET is release, debug, asan, tsan, clang, fuzz or bundle. Programs end up in build/PRESET/bin.
environment:
  PLUMB_WERROR=ON     warnings are errors, as they are in CI (kept by the build folder until OFF)
  PLUMB_LINES=OFF     sanitizers report functions without lines, and are compiled in an eighth less (kept as well)
  PLUMB_CACHE=FOLDER  where compiled shaders, and what drivers compiled for tests, are kept (default: build/cache)
USAGE
}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
  "") usage >&2; exit 2 ;;
esac
preset=$1
shift

cd -P "$(dirname "${BASH_SOURCE[0]}")/.."  # by one name, whatever link led here: another is another build
scripts/setup.sh

# Ubuntu 22.04 calls its g++ 11 g++; the code wants 12.
if [ -z "${CXX:-}" ] && [ "$(g++ -dumpversion | cut -d. -f1)" -lt 12 ] && command -v g++-12 >/dev/null; then
  export CXX=g++-12 CC=gcc-12
fi
mkdir -p build
options=()
if [ -n "${PLUMB_WERROR:-}" ]; then options+=("-DPLUMB_WERROR=$PLUMB_WERROR"); fi
if [ -n "${PLUMB_LINES:-}" ]; then options+=("-DPLUMB_LINES=$PLUMB_LINES"); fi
if [ -n "${PLUMB_CACHE:-}" ]; then options+=("-DPLUMB_CACHE=$PLUMB_CACHE"); fi
cmake --preset "$preset" "${options[@]}" >"build/$preset.log" 2>&1 || { cat "build/$preset.log" >&2; exit 2; }
cmake --build --preset "$preset" "$@"
