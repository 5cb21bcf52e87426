#!/bin/sh
# usage: run.sh BUILD_FOLDER SCRATCH_FOLDER CXX
#
# Installs the build into a new prefix, then builds and runs a consumer against it,
# found once by CMake's find_package and once by pkg-config.
set -eu
build=$1 scratch=$2 cxx=$3
source=$(cd "$(dirname "$0")" && pwd)
prefix=$scratch/prefix
rm -rf "$scratch"
mkdir -p "$scratch"

cmake --install "$build" --prefix "$prefix" >"$scratch/install.log"
for manual in plumb plumb-verify; do test -s "$prefix/share/man/man1/$manual.1"; done

cmake -S "$source" -B "$scratch/cmake" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" "-DCMAKE_CXX_COMPILER=$cxx" >/dev/null
cmake --build "$scratch/cmake"
expect_output() {
  "$1" | tee "$scratch/output"
  grep -q '^cpu 0.549834$' "$scratch/output"  # the first row is softmax(0.4, 0.2), and 1 / (1 + exp(-0.2)) is 0.549834
  # And a verdict, where there is a device.
  grep -q -e '^y: passed, off by at most .* of its limit$' -e '^no gpu here: ' "$scratch/output"
}
expect_output "$scratch/cmake/consumer"
# Programs that ask for the environment's options are looked into as they are.
(cd "$scratch" && PLUMB_DUMP='^seen$' PLUMB_DUMP_STATS=1 cmake/decoder >/dev/null)
grep -q '"cpu/seen": {' "$scratch/plumb_dump.json"
(cd "$scratch" && PLUMB_DUMP='seen|^cache$:steps.h5' PLUMB_DUMP_RUNS=2 cmake/decoder >/dev/null)
h5dump -d /cpu/cache -d /cpu/seen "$scratch/steps.h5" >/dev/null
"$scratch/cmake/own_kernel" | tee "$scratch/judged"
grep -q '^off by 0: passed, ' "$scratch/judged"
grep -q '^off by 0.001: failed, ' "$scratch/judged"

"$scratch/cmake/decoder" | tee "$scratch/tokens"
moved='24 bytes up and 200 down a token'
grep -q "^cpu:.*, $moved\$" "$scratch/tokens"
grep -q -e "^gpu:.*, $moved\$" -e '^no gpu here: ' "$scratch/tokens"

model=$source/../../fixtures/onnx/light_squeezenet.onnx
expect_squeezenet() { "$1" "$model" | grep -q '^onnx softmaxout_1 f32\[1, 1000, 1, 1\]$'; }
expect_squeezenet "$scratch/cmake/onnx_consumer"

network=$source/../../fixtures/networks/convnet/model.onnx
"$scratch/cmake/all_consumer" "$network" | tee "$scratch/judged"
grep -q '^off by 0: passed passed 0$' "$scratch/judged"
grep -q '^off by 0.0001: failed failed 1$' "$scratch/judged"
grep -q '^model: passed$' "$scratch/judged"

python3 -B "$source/small_voice.py" "$scratch/small_voice"
heard='^10 chunks, 6 of them speech; state: swap; 2304 bytes up and 4 down a chunk$'
for executor in cpu vulkan; do
  "$scratch/cmake/voice" "$scratch/small_voice/model.onnx" "$scratch/small_voice/samples.safetensors" $executor |
    tee "$scratch/heard"
  if [ $executor = vulkan ] && grep -q '^not here: ' "$scratch/heard"; then continue; fi
  grep -q "$heard" "$scratch/heard"
  grep -q '^through the host: equal bits$' "$scratch/heard"
done

pkg_config_path=$(dirname "$(find "$prefix" -name plumbline.pc)")
export PKG_CONFIG_PATH="$pkg_config_path"
# shellcheck disable=SC2046  # several flags
"$cxx" $(pkg-config --cflags plumbline) -c "$source/../../docs/example/library.cpp" -o "$scratch/library.o"
# shellcheck disable=SC2046
"$cxx" "$scratch/library.o" -o "$scratch/consumer" $(pkg-config --libs plumbline)
expect_output "$scratch/consumer"

# One that links the Vulkan loader has both.
if echo 'int main() {}' | "$cxx" -x c++ - -o "$scratch/empty" -l:libvulkan.so.1; then
  # shellcheck disable=SC2046
  "$cxx" -std=c++20 "$source/with_loader.cpp" "$scratch/library.o" -o "$scratch/with_loader" \
    $(pkg-config --libs plumbline) -l:libvulkan.so.1
  readelf -d "$scratch/with_loader" | grep -q 'NEEDED.*libvulkan'
  expect_output "$scratch/with_loader"
  grep -q '^its own loader: 1\.[0-9]*$' "$scratch/output"
else
  echo "no libvulkan.so.1 that a program could link"
fi

# shellcheck disable=SC2046
"$cxx" $(pkg-config --cflags plumbline-onnx) -std=c++20 "$source/onnx.cpp" -o "$scratch/onnx_consumer" \
  $(pkg-config --libs plumbline-onnx)
expect_squeezenet "$scratch/onnx_consumer"

# C, by CMake and by pkg-config; Python, by what is installed beside it.
expect_c() {
  "$@" | tee "$scratch/judged"
  grep -q '^check: passed$' "$scratch/judged"
  grep -q '^verify: failed$' "$scratch/judged"
}
cmake -S "$source/c" -B "$scratch/cmake_c" -G Ninja "-DCMAKE_PREFIX_PATH=$prefix" >/dev/null
cmake --build "$scratch/cmake_c"
expect_c "$scratch/cmake_c/c_consumer"
# shellcheck disable=SC2046
cc -std=c99 $(pkg-config --cflags plumbline-c) "$source/../../docs/example/library.c" -o "$scratch/c_consumer" \
  $(pkg-config --libs plumbline-c) -lm
library=$(dirname "$(find "$prefix" -name libplumbline.so.1)")
expect_c env LD_LIBRARY_PATH="$library" "$scratch/c_consumer"
package=$prefix/libexec/plumbline/python
licence='import plumbline; print(plumbline.licence())'
env -u PLUMBLINE_LIBRARY PYTHONPATH="$package" python3 -c "$licence" | grep -q -e '^MIT$' -e '^GPL-2.0-or-later$'
