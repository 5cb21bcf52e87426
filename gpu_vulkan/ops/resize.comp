#version 450
// Resize by weighted taps: an invocation makes one element of y from the taps along each dimension, by sums along the
// last that is resampled, weighted along the others.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#define PUSHED uint value[2];  // bits of an output whose source lies outside
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/resampled.glsl"

layout(constant_id = 2) const uint resampled = 1;  // dimensions, of which up to 8

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
// For each dimension: where the taps of each output begin and the last ones end, their elements, their weights.
layout(set = 0, binding = 1) readonly buffer Table { uint table[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };

#ifdef VARIANT_f64
COMPUTED number(uint low, uint high) { return packDouble2x32(uvec2(low, high)); }
COMPUTED weight(uint at, uint t) { return number(table[at + 2u * t], table[at + 2u * t + 1u]); }
#else
COMPUTED number(uint low, uint high) { return uintBitsToFloat(low); }
COMPUTED weight(uint at, uint t) { return uintBitsToFloat(table[at + t]); }
#endif

struct Taps {
  uint begin, end, elements_at, weights_at, stride;
};

void main() {
  const uint element = invocation_index();
  if (element >= elements) return;
  Taps along[8];  // the last dimension first
  uint at[8];
  uint rest = element, base = 0u, stride = 1u, found = 0u;
  bool outside = false;
  for (uint k = 0u; k < dimensions; ++k) {
    const uint d = 7u - k, extent = out_extent[d], i = rest % extent, first = taps_at[d];
    rest /= extent;
    if (first == unchanged) {
      base += i * stride;
    } else {
      const uint elements_at = first + extent + 1u;
      along[found] = Taps(table[first + i], table[first + i + 1u], elements_at, elements_at + table[first + extent],
                          stride);
      at[found] = along[found].begin;
      outside = outside || along[found].begin == along[found].end;
      ++found;
    }
    stride *= in_extent[d];
  }
  COMPUTED sum = outside ? number(value[0], value[1]) : COMPUTED(0);
  for (bool more = !outside; more;) {
    COMPUTED product = COMPUTED(1), line = COMPUTED(0);
    uint from = base;
    for (uint k = 1u; k < resampled; ++k) {
      product *= weight(along[k].weights_at, at[k]);
      from += table[along[k].elements_at + at[k]] * along[k].stride;
    }
    for (uint t = along[0].begin; t < along[0].end; ++t)
      line += weight(along[0].weights_at, t) * load(x[from + table[along[0].elements_at + t] * along[0].stride]);
    sum += product * line;
    more = false;
    for (uint k = 1u; k < resampled && !more; ++k) {
      more = ++at[k] < along[k].end;
      if (!more) at[k] = along[k].begin;
    }
  }
  y[element] = store(sum);
}
