// normalize.glsl of rows that stay in registers.
#include "gpu_vulkan/glsl/pack.glsl"

#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/index.glsl"

#define HELD vec2
vec2 combine(vec2 a, vec2 b, uint how) { return a + b; }
#include "gpu_vulkan/kernels/rows/rows.glsl"

// How scale and bias are read: not at all, in units like x, one element for a unit, or by element.
// As Walk in gpu_vulkan/kernels/norms/normalize.cpp.
const uint ABSENT = 0u, BY_UNIT = 1u, STRETCHED = 2u, BY_ELEMENT = 3u;
layout(constant_id = 6) const uint inner_axes = 1;                      // axes of scale and bias within a row, and
layout(constant_id = 7) const uint outer_axes = 0;                      // across rows: the axes after those
layout(constant_id = 8) const uint scale_walk = ABSENT;
layout(constant_id = 9) const uint bias_walk = ABSENT;
layout(constant_id = 10) const bool statistics = false;
layout(constant_id = 11) const bool has_residual = false;

layout(push_constant) uniform Block {
  uint rows, row_length;
  float epsilon, inverse_length;
  uint extents[8], scale_strides[8], bias_strides[8];  // innermost first
};
#include "gpu_vulkan/kernels/rows/line_scales.glsl"

#ifndef FACTOR
#define FACTOR(scale) (scale)
#endif

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) readonly buffer Scale { STORED scales[]; };
layout(set = 0, binding = 1) readonly buffer PackedScale { PACKED packed_scales[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED biases[]; };
layout(set = 0, binding = 2) readonly buffer PackedBias { PACKED packed_biases[]; };
#ifdef STATISTICS
layout(set = 0, binding = 3) readonly buffer Residual { STORED residuals[]; };
layout(set = 0, binding = 3) readonly buffer PackedResidual { PACKED packed_residuals[]; };
layout(set = 0, binding = 4) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 4) writeonly buffer PackedY { PACKED packed_y[]; };
layout(set = 0, binding = 5) writeonly buffer Mean { float means[]; };
layout(set = 0, binding = 6) writeonly buffer InvStd { float inv_stds[]; };
#else
layout(set = 0, binding = 3) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 3) writeonly buffer PackedY { PACKED packed_y[]; };
#endif

float v[units * width];

#ifdef STATISTICS
void add_residual(uint first, uint row_units) {
  [[unroll]] for (uint u = 0u; u < units; ++u) {
    if (!has_unit(u, row_units)) continue;
    PACKED p;
    if (is_packed) p = packed_residuals[first + unit_of(u)];
    [[unroll]] for (uint i = 0u; i < width; ++i)
      v[u * width + i] += is_packed ? unpack(p, i) : load(residuals[first + unit_of(u)]);
  }
}
#endif

void read(uint first, uint row_units) {
  [[unroll]] for (uint u = 0u; u < units; ++u) {
    const bool there = has_unit(u, row_units);
    PACKED p;
    if (is_packed && there) p = packed_x[first + unit_of(u)];
    [[unroll]] for (uint i = 0u; i < width; ++i) {
      v[u * width + i] = 0.0;
      if (there) v[u * width + i] = is_packed ? unpack(p, i) : load(x[first + unit_of(u)]);
    }
  }
#ifdef STATISTICS
  if (has_residual) add_residual(first, row_units);
#endif
}

/// v less mean and rest, and Σ of its squares. What rounding makes of the mean is of no account: the mean of what is
/// left makes up for it. So no sum here is carried in two numbers.
float center(uint row_units, out float mean, out float rest) {
  mean = rest = 0.0;
#ifdef CENTERED
  float sum = 0.0;
  [[unroll]] for (uint u = 0u; u < units; ++u) {
    float part = v[u * width];
    [[unroll]] for (uint i = 1u; i < width; ++i) part += v[u * width + i];
    sum += part;
  }
  mean = combined(vec2(sum, 0.0), 0u, 0u).x * inverse_length;
#endif
  vec2 sums = vec2(0.0);  // sums of the differences and of their squares
  [[unroll]] for (uint u = 0u; u < units; ++u) {
    if (!has_unit(u, row_units)) continue;
    vec2 part = vec2(0.0);
    [[unroll]] for (uint i = 0u; i < width; ++i) {
      const float d = v[u * width + i] - mean;
      v[u * width + i] = d;
      part += vec2(d, d * d);
    }
    sums += part;
  }
  sums = combined(sums, 0u, 1u);
#ifdef CENTERED
  if (magnitude_of(mean) < infinity_bits) rest = sums.x * inverse_length;
#endif
  // Σ d² less the part that comes from the mean of d.
  return maximum(sums.y - float(row_length) * rest * rest, 0.0);
}

/// The scale, or bias, of element i of unit k of a row.
float scale_of(PACKED p, uint k, uint i, uvec2 at, uvec2 outer) {
  if (scale_walk == BY_UNIT) return unpack(p, i);
  return load(scales[scale_walk == STRETCHED ? at.x : outer.x + offsets(k * width + i, 0u, inner_axes).x]);
}
float bias_of(PACKED p, uint k, uint i, uvec2 at, uvec2 outer) {
  if (bias_walk == BY_UNIT) return unpack(p, i);
  return load(biases[bias_walk == STRETCHED ? at.y : outer.y + offsets(k * width + i, 0u, inner_axes).y]);
}

void write(uint first, uint row_units, uvec2 outer, float rest, float inv_std) {
  [[unroll]] for (uint u = 0u; u < units; ++u) {
    if (!has_unit(u, row_units)) continue;
    const uint k = unit_of(u);
    uvec2 at = uvec2(0u);
    if (scale_walk == STRETCHED || bias_walk == STRETCHED) at = outer + offsets(k * width, 0u, inner_axes);
    PACKED p, scale, bias;
    if (scale_walk == BY_UNIT) scale = packed_scales[k];
    if (bias_walk == BY_UNIT) bias = packed_biases[k];
    [[unroll]] for (uint i = 0u; i < width; ++i) {
      float value = (v[u * width + i] - rest) * inv_std;
      if (scale_walk != ABSENT) value *= FACTOR(scale_of(scale, k, i, at, outer));
      if (bias_walk != ABSENT) value += bias_of(bias, k, i, at, outer);
      pack(p, i, value);
    }
    if (is_packed) packed_y[first + k] = p;
    else y[first + k] = store(unpack(p, 0u));
  }
}

void main() {
  const uint row_units = row_length / width, r = min(row(), rows - 1u), first = r * row_units;
  read(first, row_units);
  float mean, rest;
  const float squares = center(row_units, mean, rest), variance = squares * inverse_length;
  if (row() >= rows) return;
#ifdef EPSILON_OUTSIDE
  const float inv_std = divide(1.0, square_root(variance) + epsilon);
#else
  const float inv_std = inverse_square_root(variance + epsilon);
#endif
#ifdef STATISTICS
  if (statistics && lane() == 0u) {
    means[r] = mean + rest;
    inv_stds[r] = inv_std;
  }
#endif
  write(first, row_units, offsets(r, inner_axes, outer_axes), rest, inv_std);
}
