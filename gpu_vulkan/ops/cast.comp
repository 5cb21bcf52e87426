#version 450
// variants: w32 i64 f64 i64_f64
// y = x in another dtype, several units of four elements an invocation, all read before any is stored.
// One shader for all pairs: the variant
// is what 64-bit types it needs of the device, `from` and `to` are constants.
#extension GL_GOOGLE_include_directive : require
#define RESULT 1
#include "gpu_vulkan/kernels/elementwise/four_elements.glsl"

layout(constant_id = 5) const uint units = 1;  // at most 2
layout(push_constant) uniform Block { uint count; };

/// A whole unit in dtype `to`. Not a loop: at an index that is not constant, elements would go through memory.
void convert_whole(uvec4 low, uvec4 high, out uvec4 y_low, out uvec4 y_high) {
  y_low = y_high = uvec4(0u);
  set_element(y_low, y_high, to_bytes, 0u, convert(element(low, high, from_bytes, 0u), from, to));
  set_element(y_low, y_high, to_bytes, 1u, convert(element(low, high, from_bytes, 1u), from, to));
  set_element(y_low, y_high, to_bytes, 2u, convert(element(low, high, from_bytes, 2u), from, to));
  set_element(y_low, y_high, to_bytes, 3u, convert(element(low, high, from_bytes, 3u), from, to));
}

void main() {
  const uint threads = gl_WorkGroupSize.x, whole = count / 4u;
  const uint first = group_index() * units * threads + gl_LocalInvocationID.x;
  uvec4 low[2], high[2];
  [[unroll]] for (uint u = 0; u < units; ++u)
    if (first + u * threads < whole) load_whole(first + u * threads, low[u], high[u]);
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = first + u * threads;
    if (q < whole) {
      uvec4 y_low, y_high;
      convert_whole(low[u], high[u], y_low, y_high);
      store_whole(q, y_low, y_high);
    } else if (q == whole) {  // the last elements, fewer than 4
      for (uint i = 4u * q; i < count; ++i) store_one(i, convert(load_one(i), from, to));
    }
  }
}
