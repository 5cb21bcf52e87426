plumb 0 plan "$graphs/dense.json"
says '^on .'
says "^fused: gemm 'y' has the work of product$"
says '^submit 0: 1 dispatches$'
says '^  up: x$'
says '^  down: y$'
says '^  y \(gemm\): gpu, .'
says '^    0 +matmul.*: x, w, b -> y$'
plumb 0 plan "$graphs/dense.json" --no-fuse
says '^submit 0: 2 dispatches$'
says_not '^fused: '
plumb 2 plan missing.json
warns_of missing.json
# A result is written over an operand that nobody else reads.
plumb 0 plan "$graphs/cache.json"
says '^  cache = put: buffer 0 at [0-9]+, 288 bytes$'
says '^  put \(tensor_scatter\): gpu, tensor_scatter\.w16 \[in place\]$'
says '^  over \(tensor_scatter\): gpu, tensor_scatter\.w16 \[in place\]$'
says "^  beside \(tensor_scatter\): gpu, tensor_scatter\.w16 \[copy: node 'both' reads 'over' later\]\$"
plumb 0 plan "$graphs/cache.json" --set in_place=false
says '^  put \(tensor_scatter\): gpu, tensor_scatter\.w16$'
says_not 'in place'
# What the device is given, as files: modules, their GLSL, also of kernels that are generated, and what that includes.
plumb 0 plan "$source/fixtures/graphs/encoder_in_primitives.json" --shaders shaders
says '^wrote the shaders of [1-9][0-9]* dispatches to shaders$'
dispatches=$(sed -n 's/^wrote the shaders of \([0-9]*\) .*/\1/p' stdout)
[ "$(find shaders -maxdepth 1 -name '*.spv' | wc -l)" -eq "$dispatches" ] ||
  fail "not every dispatch has a module"
for module in shaders/*.spv; do
  [ "$(od -An -tx4 -N4 "$module" | tr -d ' ')" = 07230203 ] || fail "$module is no SPIR-V"
  holds "${module%.spv}.comp" "^// dispatch [0-9]+ \(.*\) of node '"
  holds "${module%.spv}.comp" '^#version 450$'
done
glslang=${PLUMB_SDK:-/usr}/bin/glslangValidator
if [ -x "$glslang" ] && "$glslang" --version | grep -q '^Glslang Version: [0-9]*:1[5-9]'; then
  for text in shaders/*.comp; do
    "$glslang" -V --quiet --target-env vulkan1.3 -S comp -Ishaders "$text" -o again.spv || fail "$text does not compile"
  done
else
  echo "no glslang 15, which would compile them"
fi
plumb 2 plan "$graphs/dense.json" --shaders shaders
warns '^plumb: --shaders shaders: the folder is not empty; --force writes beside what it has$'
plumb 0 plan "$graphs/dense.json" --shaders shaders --force
says '^wrote the shaders of 1 dispatches to shaders$'
[ "$(find shaders -maxdepth 1 -name '*-*.spv' | wc -l)" -eq 1 ] || fail "shaders of another plan are left"
plumb 2 plan "$graphs/dense.json" --shaders "$graphs/dense.json"
warns 'dense\.json: is no folder$'
plumb 2 plan "$graphs/dense.json" --shaders /proc/none
warns '^plumb: --shaders /proc/none: '
