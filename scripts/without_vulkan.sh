#!/usr/bin/env bash
# Builds without Vulkan in build/without_vulkan and tests that. As a machine without any Vulkan package shows more, a
# fresh root can run it: scripts/fresh_debian.sh 12 scripts/without_vulkan.sh
set -euo pipefail
exec </dev/null

usage() {
  cat <<USAGE
usage: scripts/without_vulkan.sh [arguments of ctest]

Tests that ask for a device skip, or are left out where they would fail without one.
Results as JUnit XML: build/without_vulkan/tests.xml.
USAGE
}
case ${1:-} in
  -h | --help) usage; exit 0 ;;
esac

cd -P "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh --no-vulkan
build=build/without_vulkan
# Where the packages are installed all the same they are not looked for.
hidden=()
for package in Vulkan glslang SPIRV-Tools; do hidden+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
mkdir -p build
cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DPLUMB_VULKAN=OFF \
  -DPLUMB_SDK=/nonexistent "${hidden[@]}" >"$build.log" 2>&1 || { cat "$build.log" >&2; exit 2; }
cmake --build "$build"

plumb=$build/bin/plumb graph=fixtures/graphs/bert_tiny.json
# expect STATUS COMMAND...
expect() {
  local status=0
  "${@:2}" || status=$?
  [ "$status" = "$1" ] || { echo "without_vulkan: '${*:2}' ended with $status, wanted $1" >&2; exit 1; }
}
expect 77 "$plumb" verify "$graph"
expect 4 "$plumb" verify --require-verified "$graph"
expect 0 "$plumb" verify --candidate cpu "$graph"
expect 0 "$plumb" run "$graph" --on cpu -o "$build/results.npz"
if readelf -d "$plumb" | grep -q vulkan; then
  echo "without_vulkan: $plumb links Vulkan" >&2
  exit 1
fi
# These want results of a device, or look at the sources of shaders.
devices='reports|library\.ops|verdict\.c02_.*|invalid\.(gather_index|lstm_length|rope_position|tensor_scatter)_.*'
devices+='|invalid\.(quantize_blocks_of_an_infinity|sample_of_masked_tokens_alone|sample_of_nan)|house\.op_budget'
devices+='|commands\.(completion|conformance|gates\.devices|gates\.verify|lists\.verify|processes\.fuzz)'
ctest --test-dir "$build" -E "^($devices)\$" --output-on-failure --parallel "$(nproc)" --no-tests=error \
  --output-junit "$PWD/$build/tests.xml" "$@"
