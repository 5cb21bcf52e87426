#version 450
// variants: f32 f16 bf16 f64
// y = a b + c with one rounding; to odd where what is stored rounds once more
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 3
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"

#include "gpu_vulkan/glsl/fused.glsl"
#ifdef IS_NARROW
const bool to_odd = true;
#else
const bool to_odd = false;
#endif

layout(set = 0, binding = 0) readonly buffer A { STORED a[]; };
layout(set = 0, binding = 1) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 2) readonly buffer C { STORED c[]; };
layout(set = 0, binding = 3) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 3) writeonly buffer PackedY { PACKED packed_y[]; };

uint element(uint operand, uint at, uint i) { return is_dense(operand) ? at * width + i : at; }

void store_unit(uint q, uint n, PACKED r) {
  if (is_packed && n == PACK) {
    packed_y[q] = r;
    return;
  }
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) y[q * width + i] = store(unpack(r, i));
}

void main() {
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    uint at[OPERANDS];
    locate(q, at);
    PACKED r;
    for (uint i = 0; i < n; ++i)
      pack(r, i, fused(load(a[element(0u, at[0], i)]), load(b[element(1u, at[1], i)]), load(c[element(2u, at[2], i)]),
                       to_odd));
    store_unit(q, n, r);
  }
}
