#version 450
// variants: f32 f16 bf16 f64
// y = function(gate) value, with limits of both, a factor and a shift where silu has them
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 2
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

#ifdef VARIANT_f64
#include "gpu_vulkan/kernels/elementwise/parametrised_f64.glsl"
#else
#include "gpu_vulkan/glsl/fused.glsl"
#include "gpu_vulkan/kernels/elementwise/activation.glsl"
#include "gpu_vulkan/kernels/elementwise/parametrised.glsl"
#endif
#include "gpu_vulkan/kernels/elementwise/unary_functions.glsl"

layout(constant_id = 4) const uint function = SILU;
layout(constant_id = 5) const bool is_plain = true;  // alpha is 1, the limit infinite, and offset 0
layout(constant_id = 6) const uint alpha_low = 0;
layout(constant_id = 7) const uint alpha_high = 0;
layout(constant_id = 8) const uint limit_low = 0;
layout(constant_id = 9) const uint limit_high = 0;
layout(constant_id = 10) const uint offset_low = 0;
layout(constant_id = 11) const uint offset_high = 0;

layout(set = 0, binding = 0) readonly buffer Gate { STORED gate[]; };
layout(set = 0, binding = 0) readonly buffer PackedGate { PACKED packed_gate[]; };
layout(set = 0, binding = 1) readonly buffer Value { STORED value[]; };
layout(set = 0, binding = 1) readonly buffer PackedValue { PACKED packed_value[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 2) writeonly buffer PackedY { PACKED packed_y[]; };

#ifdef VARIANT_f64
double real(uint low, uint high) { return packDouble2x32(uvec2(low, high)); }
double not_a_number() { return double_nan(); }
#else
float real(uint low, uint high) { return uintBitsToFloat(low); }
float not_a_number() { return quiet_nan(); }
#endif

/// The gate, within its limit.
COMPUTED limited(COMPUTED g) { return is_plain ? g : minimum(g, real(limit_low, limit_high)); }

/// Silu by a factor in the sigmoid. A compiler may take 0 times infinity for 0, where it knows the 0.
COMPUTED opened_by_factor(COMPUTED g) {
  const COMPUTED alpha = real(alpha_low, alpha_high);
  return is_zero(alpha) && is_infinite(g) ? not_a_number() : swishf(g, alpha);
}

COMPUTED opened(COMPUTED g) {
  if (!is_plain) return opened_by_factor(g);
  switch (function) {
    case SILU: return siluf(g);
    case GELU: return geluf(g);
    case GELU_TANH: return gelu_tanhf(g);
    case SIGMOID: return sigmoidf(g);
    default: return is_nan(g) || sign_of(g) == 0u ? g : COMPUTED(0);
  }
}

/// The value, with its limits and its shift.
precise COMPUTED shaped(COMPUTED v) {
  if (is_plain) return v;
  const COMPUTED limit = real(limit_low, limit_high), kept = minimum(maximum(v, -limit), limit);
  const COMPUTED offset = real(offset_low, offset_high);
  return is_zero(offset) ? kept : kept + offset;  // a device may take a subnormal number for 0 in a sum
}

/// Whether a sigmoid in a factor f of gate g is no number of the type, or one that a device may take for 0, although it
/// is none: beside an infinite value that counts.
bool is_lost(COMPUTED g, COMPUTED f) {
  if (function != SILU && function != SIGMOID) return false;
  const COMPUTED t = is_plain ? g : real(alpha_low, alpha_high) * g;
  return (is_zero(f) || is_subnormal(f)) && !is_zero(g) && t > COMPUTED(-745);
}
COMPUTED infinite_product(COMPUTED g, COMPUTED v) { return function == SILU && sign_of(g) != 0u ? -v : v; }

#ifdef VARIANT_f16
// A factor that is subnormal in f32 makes a 0 of f16.
precise float apply(float unlimited, float v) {
  const float g = limited(unlimited), f = opened(g), by = shaped(v);
  return is_infinite(by) && is_lost(g, f) ? infinite_product(g, by) : f * by;
}
#else
/// x 2^-n, n < 0 where x is subnormal: a device may read such a number as 0, which a large factor makes a normal one.
COMPUTED raised(COMPUTED x, out int n) {
  n = 0;
  if (!is_subnormal(x)) return x;
  const COMPUTED m = significand_of(x, n);
  ++n;
  return with_sign(COMPUTED(0.5) * m, x);
}

precise COMPUTED apply(COMPUTED unlimited, COMPUTED v) {
  int of_g, of_v;
  const COMPUTED g = limited(unlimited), opened_gate = opened(g), shaped_value = shaped(v);
  if (is_infinite(shaped_value) && is_lost(g, opened_gate)) return infinite_product(g, shaped_value);
  const COMPUTED f = raised(opened_gate, of_g), by = raised(shaped_value, of_v);
  return scale(f * by, of_g + of_v);
}
#endif

PACKED operand_gate(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(0) && n == PACK) return packed_gate[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(gate[is_dense(0) ? at * width + i : at]));
  return p;
}

PACKED operand_value(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(1) && n == PACK) return packed_value[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(value[is_dense(1) ? at * width + i : at]));
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
  PACKED gates[MOST_UNITS], values[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    uint at[OPERANDS];
    locate(q, at);
    gates[u] = operand_gate(at[0], n);
    values[u] = operand_value(at[1], n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    PACKED r;
    [[unroll]] for (uint i = 0; i < width; ++i) pack(r, i, apply(unpack(gates[u], i), unpack(values[u], i)));
    store_unit(q, n, r);
  }
}
