#version 450
// variants: w4 w8 f32 f64
// z = a + ib, of words that are moved and not looked at, or, of reals, z = (a cos b, a sin b)
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 2
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

#if defined(VARIANT_f32)
#include "gpu_vulkan/glsl/trigonometry.glsl"
#elif defined(VARIANT_f64)
#include "gpu_vulkan/glsl/trigonometry_f64.glsl"
#endif

layout(set = 0, binding = 0) readonly buffer A { STORED a[]; };
layout(set = 0, binding = 0) readonly buffer PackedA { PACKED packed_a[]; };
layout(set = 0, binding = 1) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 1) readonly buffer PackedB { PACKED packed_b[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };  // parts

#if defined(VARIANT_f64)
precise void parts_of(double a, double b, out double re, out double im) {
  re = a * cosf(b);
  im = a * sinf(b);
}
#elif defined(VARIANT_f32)
/// a b for finite b that is not 0. A device that flushes what is below the smallest normal takes neither for 0.
precise float scaled_product(float a, float b) {
  if (is_zero(a) || is_nan(a)) return a * b;
  if (is_infinite(a)) return uintBitsToFloat(infinity_bits | (sign_of(a) ^ sign_of(b)));
  int exponent, other;
  const float m = significand(magnitude_of(a), exponent), n = significand(magnitude_of(b), other);
  const float size = scale(m * n, exponent + other);
  return sign_of(a) == sign_of(b) ? size : -size;
}

precise void parts_of(float a, float b, out float re, out float im) {
  re = a * cosf(b);
  const bool is_tiny = !is_zero(b) && magnitude_of(b) < 0x2B800000u;  // below 2^-40, where sin b is b
  im = is_tiny ? scaled_product(a, b) : a * sinf(b);
}
#else
void parts_of(COMPUTED a, COMPUTED b, out COMPUTED re, out COMPUTED im) {
  re = a;
  im = b;
}
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
    [[unroll]] for (uint i = 0; i < width; ++i) {
      COMPUTED re, im;
      parts_of(unpack(left[u], i), unpack(right[u], i), re, im);
      if (i < n) {
        y[2u * (q * width + i)] = store(re);
        y[2u * (q * width + i) + 1u] = store(im);
      }
    }
  }
}
