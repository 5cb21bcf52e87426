// Softmax of rows that stay in registers, or its logarithm where LOGARITHM is defined.
#include "gpu_vulkan/glsl/pack.glsl"

#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/math.glsl"

layout(push_constant) uniform Block { uint rows, row_units; };

const uint MAXIMUM = 0u, SUM = 1u;
#define HELD float
float combine(float a, float b, uint how) { return how == MAXIMUM ? maximum(a, b) : a + b; }
#include "gpu_vulkan/kernels/rows/rows.glsl"

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 1) writeonly buffer PackedY { PACKED packed_y[]; };

float v[units * width];

void read(uint first) {
  [[unroll]] for (uint u = 0u; u < units; ++u) {
    const bool there = has_unit(u, row_units);
    PACKED p;
    if (is_packed && there) p = packed_x[first + unit_of(u)];
    [[unroll]] for (uint i = 0u; i < width; ++i) {
      v[u * width + i] = -positive_infinity();
      if (there) v[u * width + i] = is_packed ? unpack(p, i) : load(x[first + unit_of(u)]);
    }
  }
}

/// The largest element, or NaN where there is one. max() may drop NaN: these are found by their bits.
float peak() {
  float largest = v[0];
  uint magnitude = 0u;
  [[unroll]] for (uint k = 0u; k < units * width; ++k) {
    largest = max(largest, v[k]);
    magnitude = max(magnitude, magnitude_of(v[k]));
  }
  return combined(magnitude > infinity_bits ? quiet_nan() : largest, MAXIMUM, 0u);
}

/// 2^64 e^x of a difference, which is not above 0; of one below -130 as of -130, which no sum notices, and
/// which no quotient by a sum shows: subnormal results are rounded once.
float raised_exp(float x) { return exp_shifted(max(x, -130.0), 64); }

void main() {
  const uint r = min(row(), rows - 1u), first = r * row_units;
  read(first);
  const float top = peak();
  float sums[4] = {0.0, 0.0, 0.0, 0.0};
  [[unroll]] for (uint k = 0u; k < units * width; ++k) {
    v[k] -= top;
    const float e = raised_exp(v[k]);
#ifndef LOGARITHM
    v[k] = e;
#endif
    sums[k % 4u] += e;
  }
  const float sum = combined((sums[0] + sums[1]) + (sums[2] + sums[3]), SUM, 1u);
  if (row() >= rows) return;
  const bool is_defined = magnitude_of(top) < infinity_bits;
#ifdef LOGARITHM
  const float log_sum = logf(sum * power_of_two(-64));
#else
  const float factor = quotient(1.0, sum);
#endif
  [[unroll]] for (uint u = 0u; u < units; ++u) {
    PACKED p;
    [[unroll]] for (uint i = 0u; i < width; ++i) {
#ifdef LOGARITHM
      const float value = v[u * width + i] - log_sum;
#else
      const float value = v[u * width + i] * factor;
#endif
      pack(p, i, is_defined ? value : quiet_nan());
    }
    if (!has_unit(u, row_units)) continue;
    if (is_packed) packed_y[first + unit_of(u)] = p;
    else y[first + unit_of(u)] = store(unpack(p, 0u));
  }
}
