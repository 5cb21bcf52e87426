#version 450
// variants: f32 f16 f16_native bf16 f64 i32 u32 i64 i16 i8 u8 u16 bool c64 c128
// y = function(x)
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 1
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/kernels/elementwise/unary_functions.glsl"

layout(constant_id = 4) const uint function = ABS;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 1) writeonly buffer PackedY { PACKED packed_y[]; };

#if defined(VARIANT_bool)
bool apply(bool v) { return !v; }
#elif defined(VARIANT_c64) || defined(VARIANT_c128)
#include "gpu_vulkan/kernels/elementwise/complex_functions.glsl"
COMPUTED apply(COMPUTED v) {
  switch (function) {
    case NEGATE: return opposite(v);
    case SQUARE: return complex_product(v, v);
    case RECIPROCAL: return complex_quotient(COMPUTED(1, 0), v);
    case SQRT: return complex_root(v);
    case EXP: return complex_exp(v);
    case LOG: return complex_log(v);
    default: return conjugate(v);
  }
}
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#include "gpu_vulkan/kernels/elementwise/unary_real.glsl"
COMPUTED apply(COMPUTED v) {
#ifdef VARIANT_f16
  if (function == GELU) return real_gelu_f16(v);
#endif
  return unary_real(function, v);
}
#else
#include "gpu_vulkan/kernels/elementwise/unary_integer.glsl"
COMPUTED apply(COMPUTED v) { return unary_integer(function, v); }
#endif

PACKED operand_x(uint q, uint n) {
  PACKED p;
  if (is_packed && n == PACK) return packed_x[q];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(x[q * width + i]));
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
  PACKED v[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    v[u] = operand_x(q, n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    PACKED r;
    [[unroll]] for (uint i = 0; i < width; ++i) pack(r, i, apply(unpack(v[u], i)));
    store_unit(q, n, r);
  }
}
