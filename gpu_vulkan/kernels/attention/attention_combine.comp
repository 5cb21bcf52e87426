#version 450
// variants: f32 f16 bf16
// Puts together what attention_slices.comp found of the slices of the keys, in their order. A workgroup makes the
// result of one query.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/math.glsl"

const uint MAXIMUM = 0u, SUM = 1u;
#define HELD float
float combine(float a, float b, uint how) { return how == MAXIMUM ? maximum(a, b) : a + b; }
#define PACK 1u
#include "gpu_vulkan/kernels/rows/rows.glsl"  // all lanes are of one row

layout(constant_id = 6) const uint most_slices = 1;

layout(set = 0, binding = 0) readonly buffer Products { float products[]; };
layout(set = 0, binding = 1) readonly buffer Statistics { vec2 statistics[]; };
layout(set = 0, binding = 2) writeonly buffer Results { STORED y[]; };
layout(push_constant) uniform Block {
  uint queries;  // of all heads of the batch
  uint Hq, Sq, Dv, y_head, y_row, slices;
};

const uint least_bits = 0xFF7FFFFFu, minus_infinity_bits = 0xFF800000u;
shared float factors[most_slices];

layout(constant_id = 7) const uint columns = 1;  // elements of y that are made at a time, a power of two
const uint parts = lanes / columns;  // of the slices, side by side
const uint at_once = 8u;             // slices that are read before the first is added
shared float totals[lanes];

/// Element d of the products of some slices, weighed by their factors.
float weighed(uint first, uint d, uint begin, uint end) {
  float total = 0.0;
  for (uint s = begin; s < end; s += at_once) {
    float found[at_once];
    [[unroll]] for (uint u = 0u; u < at_once; ++u) found[u] = products[(first + min(s + u, end - 1u)) * Dv + d];
    [[unroll]] for (uint u = 0u; u < at_once; ++u)
      if (s + u < end) total = fma(factors[s + u], found[u], total);
  }
  return total;
}

void main() {
  const uint query = group_index();
  if (query >= queries) return;
  const uint first = query * slices;
  float peak = uintBitsToFloat(minus_infinity_bits), mine = 0.0;
  for (uint s = invocation(); s < slices; s += lanes) peak = maximum(peak, statistics[first + s].x);
  peak = combined(peak, MAXIMUM, 0u);
  const uint bits = floatBitsToUint(peak);
  const float top = bits == minus_infinity_bits ? 0.0 : peak;
  for (uint s = invocation(); s < slices; s += lanes) {
    const vec2 found = statistics[first + s];
    factors[s] = expf(found.x - top);
    mine += factors[s] * found.y;
  }
  const float sum = combined(mine, SUM, 1u);
  const uint batch = query / Sq / Hq, head = query / Sq % Hq, i = query % Sq;
  const uint each = (slices + parts - 1u) / parts, begin = min(invocation() / columns * each, slices);
  for (uint column = 0u; column < Dv; column += columns) {
    const uint d = column + invocation() % columns;
    barrier();  // the totals before were read
    totals[invocation()] = d < Dv ? weighed(first, d, begin, min(begin + each, slices)) : 0.0;
    barrier();
    if (invocation() < columns && d < Dv) {
      float total = totals[invocation()];
      for (uint p = 1u; p < parts; ++p) total += totals[p * columns + invocation()];
      float value = divide(total, sum);
      if (bits == minus_infinity_bits) value = 0.0;      // no key is allowed
      else if (bits == least_bits) value = quiet_nan();  // all that are score -inf
      y[batch * Hq * Sq * Dv + head * y_head + i * y_row + d] = store(value);
    }
  }
}
