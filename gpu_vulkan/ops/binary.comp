#version 450
// variants: f32 f16 bf16 f64 i32 u32 i64 i16 i8 u8 bool c64
// y = function(a, b); the numbers of the functions are those of ir::ops::BinaryFunction.
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 2
#include "elementwise.glsl"

const uint ADD = 0u, SUBTRACT = 1u, MULTIPLY = 2u, DIVIDE = 3u, MAXIMUM = 4u, MINIMUM = 5u, POWER = 6u, MOD = 7u,
           FMOD = 8u, ATAN2 = 9u, BIT_AND = 10u, BIT_OR = 11u, BIT_XOR = 12u, SHIFT_LEFT = 13u, SHIFT_RIGHT = 14u,
           LOGICAL_AND = 15u, LOGICAL_OR = 16u, LOGICAL_XOR = 17u;
layout(constant_id = 4) const uint function = ADD;

layout(set = 0, binding = 0) readonly buffer A { STORED a[]; };
layout(set = 0, binding = 0) readonly buffer PackedA { PACKED packed_a[]; };
layout(set = 0, binding = 1) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 1) readonly buffer PackedB { PACKED packed_b[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 2) writeonly buffer PackedY { PACKED packed_y[]; };

#if defined(VARIANT_bool)
bool apply(bool l, bool r) { return function == LOGICAL_AND ? l && r : function == LOGICAL_OR ? l || r : l != r; }
#elif defined(VARIANT_c64)
vec2 apply(vec2 l, vec2 r) {
  if (function == ADD) return l + r;
  if (function == SUBTRACT) return l - r;
  return vec2(l.x * r.x - l.y * r.y, l.x * r.y + l.y * r.x);
}
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#include "binary_real.glsl"
COMPUTED apply(COMPUTED l, COMPUTED r) { return binary_real(function, l, r); }
#else
#include "binary_integer.glsl"
COMPUTED apply(COMPUTED l, COMPUTED r) { return binary_integer(function, l, r); }
#endif

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
  PACKED r;
  for (uint i = 0; i < n; ++i) pack(r, i, apply(unpack(left, i), unpack(right, i)));
  if (is_packed && n == PACK) packed_y[q] = r;
  else for (uint i = 0; i < n; ++i) y[q * width + i] = store(unpack(r, i));
}
