#version 450
// y = x w + scale (x a) b from the products x w and x a, which are in the type that is computed in. An invocation has
// `rows_each` elements of a column, so that it reads each element of b once.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint rows_each = 4;

layout(set = 0, binding = 0) readonly buffer Product { COMPUTED products[]; };
layout(set = 0, binding = 1) readonly buffer Inner { COMPUTED inner[]; };
layout(set = 0, binding = 2) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 3) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uint m, n, rank;
  uint scale[2];  // a real as words, the low one first
};

COMPUTED factor() {
#ifdef VARIANT_f64
  return packDouble2x32(uvec2(scale[0], scale[1]));
#else
  return uintBitsToFloat(scale[0]);
#endif
}

void main() {
  const uint at = invocation_index(), first = at / n * rows_each, column = at % n;
  if (first >= m) return;
  COMPUTED sums[rows_each];
  [[unroll]] for (uint i = 0; i < rows_each; ++i) sums[i] = COMPUTED(0);
  for (uint j = 0; j < rank; ++j) {
    const COMPUTED of_b = load(b[j * n + column]);
    [[unroll]] for (uint i = 0; i < rows_each; ++i) sums[i] += inner[min(first + i, m - 1u) * rank + j] * of_b;
  }
  [[unroll]] for (uint i = 0; i < rows_each; ++i) {
    const uint element = (first + i) * n + column;
    if (first + i < m) y[element] = store(products[element] + factor() * sums[i]);
  }
}
