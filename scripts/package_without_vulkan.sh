#!/usr/bin/env bash
# Takes the usual package to a Debian 12 that has no Vulkan package: programs build against its CPU executor there, and
# its own program runs (CI_LANES=package_without_vulkan .ci/run).
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/package_without_vulkan.sh [BUILD_FOLDER]

Installs BUILD_FOLDER (default: build/release) into a folder, makes a fresh root, and goes on there. As root; takes some
5 minutes and 2 GB, and wants debootstrap and a machine that runs Debian 12 itself.
USAGE
}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# expect STATUS TEXT COMMAND...: it ends with STATUS, and prints TEXT.
expect() {
  local status=0
  "${@:3}" >"$scratch/printed" 2>&1 || status=$?
  cat "$scratch/printed"
  [ "$status" = "$1" ] || { echo "package_without_vulkan: '${*:3}' ended with $status, wanted $1" >&2; exit 1; }
  grep -q -e "$2" "$scratch/printed" || { echo "package_without_vulkan: '${*:3}' does not say '$2'" >&2; exit 1; }
}

inside() {
  local prefix=$PWD/build/brought graph=fixtures/graphs/bert_tiny.json plumb=$PWD/build/brought/bin/plumb
  apt-get -qq update
  # What the program runs on, then what programs that link the libraries are built with.
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
    libfmt9 libmd0 libre2-9 zlib1g libpng16-16 libhdf5-103-1 libonnx1 libprotobuf32 libtbb12 \
    libfftw3-single3 libfftw3-double3 \
    g++ cmake ninja-build libfmt-dev libmd-dev libre2-dev zlib1g-dev libhdf5-dev libtbb-dev libfftw3-dev >/dev/null
  if dpkg-query -W -f '${db:Status-Status} ${Package}\n' | grep '^installed .*\(vulkan\|glslang\|spirv\|mesa\)' ||
    ldconfig -p | grep vulkan; then
    echo "package_without_vulkan: this machine has Vulkan" >&2
    exit 1
  fi
  expect 77 'no Vulkan loader: ' "$plumb" verify "$graph"
  expect 4 'no Vulkan loader: ' "$plumb" verify --require-verified "$graph"
  expect 0 passed "$plumb" verify --candidate cpu "$graph"
  expect 0 '' "$plumb" run "$graph" --on cpu -o "$scratch/results.npz"

  cmake -S tests/install/cpu -B "$scratch/consumers" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix"
  cmake --build "$scratch/consumers"
  expect 0 '^cpu 0.549834$' "$scratch/consumers/softmax"
  expect 0 '^off by 0.001: failed, ' "$scratch/consumers/own_kernel"
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  --inside) inside; exit ;;  # in the fresh root
  -*) usage >&2; exit 2 ;;
esac
build=${1:-build/release}
[ -x "$build/bin/plumb" ] || { echo "package_without_vulkan: $build has no bin/plumb" >&2; exit 2; }
cmake --install "$build" --prefix "$scratch/package" >/dev/null
PLUMB_DEBIAN_BRINGS=$scratch/package scripts/fresh_debian.sh 12 scripts/package_without_vulkan.sh --inside
