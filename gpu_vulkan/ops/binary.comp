#version 450
// variants: f32 f16 f16_native bf16 f64 i32 u32 i64 i16 i8 u8 u16 bool c64 c128
// y = function(a, b)
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 2
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

#include "gpu_vulkan/kernels/elementwise/binary_functions.glsl"
layout(constant_id = 4) const uint function = ADD;

layout(set = 0, binding = 0) readonly buffer A { STORED a[]; };
layout(set = 0, binding = 0) readonly buffer PackedA { PACKED packed_a[]; };
layout(set = 0, binding = 1) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 1) readonly buffer PackedB { PACKED packed_b[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 2) writeonly buffer PackedY { PACKED packed_y[]; };

#if defined(VARIANT_bool)
bool apply(bool l, bool r) { return binary_bool(function, l, r); }
#elif defined(VARIANT_c64) || defined(VARIANT_c128)
#include "gpu_vulkan/kernels/elementwise/complex_functions.glsl"
COMPUTED apply(COMPUTED l, COMPUTED r) {
  if (function == DIVIDE) return complex_quotient(l, r);
  if (function == ADD) return l + r;
  if (function == SUBTRACT) return l - r;
  return complex_product(l, r);
}
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#include "gpu_vulkan/kernels/elementwise/binary_real.glsl"
COMPUTED apply(COMPUTED l, COMPUTED r) { return binary_real(function, l, r); }
#else
#include "gpu_vulkan/kernels/elementwise/binary_integer.glsl"
COMPUTED apply(COMPUTED l, COMPUTED r) { return binary_integer(function, l, r); }
#endif

PACKED operand_a(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(0) && n == PACK) return packed_a[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(a[is_dense(0) ? at * width + i : at]));
  return p;
}

PACKED operand_b(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(1) && n == PACK) return packed_b[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(b[is_dense(1) ? at * width + i : at]));
  return p;
}

void store_unit(uint q, uint n, PACKED r) {
  if (is_packed && n == PACK) {
    packed_y[q] = r;
    return;
  }
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) y[q * width + i] = store(unpack(r, i));
}

void main() {
  PACKED left[MOST_UNITS], right[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    uint at[OPERANDS];
    locate(q, at);
    left[u] = operand_a(at[0], n);
    right[u] = operand_b(at[1], n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    PACKED r;
    [[unroll]] for (uint i = 0; i < width; ++i) pack(r, i, apply(unpack(left[u], i), unpack(right[u], i)));
    store_unit(q, n, r);
  }
}
