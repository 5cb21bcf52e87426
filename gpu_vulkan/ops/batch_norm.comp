#version 450
// variants: f32 f16 bf16 f64
// y = (x - mean)·(scale / √(variance + epsilon)) + bias, the last four by channel.
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 2
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"
#include "gpu_vulkan/glsl/arithmetic.glsl"

layout(constant_id = 4) const uint epsilon_low = 0;  // its bits; f32 has no more
layout(constant_id = 5) const uint epsilon_high = 0;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) readonly buffer Scale { STORED scales[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED biases[]; };
layout(set = 0, binding = 3) readonly buffer Mean { STORED means[]; };
layout(set = 0, binding = 4) readonly buffer Variance { STORED variances[]; };
layout(set = 0, binding = 5) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 5) writeonly buffer PackedY { PACKED packed_y[]; };

PACKED operand_x(uint at, uint n) {
  PACKED p;
  if (is_packed && is_dense(0) && n == PACK) return packed_x[at];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(x[is_dense(0) ? at * width + i : at]));
  return p;
}

COMPUTED factor_of(uint c) {
#ifdef VARIANT_f64
  const COMPUTED epsilon = packDouble2x32(uvec2(epsilon_low, epsilon_high));
#else
  const COMPUTED epsilon = uintBitsToFloat(epsilon_low);
#endif
  return load(scales[c]) * inverse_square_root(load(variances[c]) + epsilon);
}

void store_unit(uint q, uint n, PACKED r) {
  if (is_packed && n == PACK) {
    packed_y[q] = r;
    return;
  }
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) y[q * width + i] = store(unpack(r, i));
}

/// The unit of values, of which the first is of channel `first`.
PACKED normalized(PACKED values, uint first, uint n) {
  COMPUTED factor = factor_of(first), mean = load(means[first]), bias = load(biases[first]);
  PACKED r;
  [[unroll]] for (uint i = 0; i < width; ++i) {
    if (i >= n) break;
    if (is_dense(1) && i > 0u) {  // the next channel
      factor = factor_of(first + i);
      mean = load(means[first + i]);
      bias = load(biases[first + i]);
    }
    pack(r, i, (unpack(values, i) - mean) * factor + bias);
  }
  return r;
}

void main() {
  uint at[MOST_UNITS][OPERANDS];
  PACKED values[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    locate(q, at[u]);
    values[u] = operand_x(at[u][0], n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    if (n == 0u) return;
    store_unit(q, n, normalized(values[u], is_dense(1) ? at[u][1] * width : at[u][1], n));
  }
}
