#version 450
// variants: f32 f16 bf16 f64 i32 u32 i64 i16 i8 u8 bool c64
// y = a function b. Floats are compared as integers that have their order, so that no
// device forgets a NaN or takes a subnormal for 0.
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 2
#include "elementwise.glsl"
#extension GL_EXT_shader_explicit_arithmetic_types_float64 : enable

#include "arithmetic.glsl"

const uint EQUAL = 0u, NOT_EQUAL = 1u, LESS = 2u, LESS_EQUAL = 3u, GREATER = 4u;  // as ir::ops::Comparison
layout(constant_id = 4) const uint function = EQUAL;

layout(set = 0, binding = 0) readonly buffer A { STORED a[]; };
layout(set = 0, binding = 0) readonly buffer PackedA { PACKED packed_a[]; };
layout(set = 0, binding = 1) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 1) readonly buffer PackedB { PACKED packed_b[]; };
layout(set = 0, binding = 2) writeonly buffer Y { uint8_t y[]; };
layout(set = 0, binding = 2) writeonly buffer PackedY { uint packed_y[]; };

#if defined(VARIANT_f64)
int64_t key(double x) {
  const int64_t magnitude = int64_t(packUint2x32(magnitude_of(x)));
  return sign_of(x) == 0u ? magnitude : -magnitude;
}
bool is_unordered(double x) { return is_nan(x); }
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16)
int key(float x) { return sign_of(x) == 0u ? int(magnitude_of(x)) : -int(magnitude_of(x)); }
bool is_unordered(float x) { return is_nan(x); }
#elif defined(VARIANT_c64)
int part_key(float x) { return sign_of(x) == 0u ? int(magnitude_of(x)) : -int(magnitude_of(x)); }
ivec2 key(vec2 x) { return ivec2(part_key(x.x), part_key(x.y)); }
bool is_unordered(vec2 x) { return is_nan(x.x) || is_nan(x.y); }
#else
#define key(x) (x)
bool is_unordered(COMPUTED x) { return false; }
#endif

bool apply(COMPUTED l, COMPUTED r) {
  if (is_unordered(l) || is_unordered(r)) return function == NOT_EQUAL;
  if (function == EQUAL) return key(l) == key(r);
  if (function == NOT_EQUAL) return key(l) != key(r);
#if !defined(VARIANT_bool) && !defined(VARIANT_c64)
  if (function == LESS) return key(l) < key(r);
  if (function == LESS_EQUAL) return key(l) <= key(r);
  if (function == GREATER) return key(l) > key(r);
  return key(l) >= key(r);
#endif
  return false;
}

PACKED operand_a(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(0) && n == PACK) return packed_a[at];
  for (uint i = 0; i < n; ++i) pack(p, i, load(a[is_dense(0) ? at * width + i : at]));
  return p;
}

PACKED operand_b(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(1) && n == PACK) return packed_b[at];
  for (uint i = 0; i < n; ++i) pack(p, i, load(b[is_dense(1) ? at * width + i : at]));
  return p;
}

void main() {
  const uint q = invocation_index(), n = elements_in(q);
  if (n == 0u) return;
  uint at[OPERANDS];
  locate(q, at);
  const PACKED left = operand_a(at[0], n), right = operand_b(at[1], n);
  uint bytes = 0u;
  for (uint i = 0; i < n; ++i) bytes |= apply(unpack(left, i), unpack(right, i)) ? 1u << 8u * i : 0u;
  if (is_packed && n == 4u) packed_y[q] = bytes;
  else for (uint i = 0; i < n; ++i) y[q * width + i] = uint8_t(bytes >> 8u * i & 1u);
}
