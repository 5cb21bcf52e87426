#version 450
// Causal convolution: an invocation makes 4 neighbouring samples of a channel, whose taps move through registers, in
// chunks of 256 taps.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"
#ifdef VARIANT_f64
#include "gpu_vulkan/kernels/elementwise/activation_f64.glsl"
#else
#include "gpu_vulkan/kernels/elementwise/activation.glsl"
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool has_bias = false;
layout(constant_id = 2) const bool has_state = false;
layout(constant_id = 3) const bool is_silu = false;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer W { STORED w[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED bias[]; };
layout(set = 0, binding = 3) readonly buffer State { STORED state[]; };
layout(set = 0, binding = 4) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uvec2 by_units, by_channels;  // first, since a pair begins at a multiple of its size
  uint lines, units, channels, length_of_line, taps;
};

const uint each = 4;

/// Sample `at` of what the line sees: of the state, then of the chunk; 0 behind it, of which nothing is stored.
COMPUTED seen(uint line, uint at) {
  const uint before = taps - 1u;
  if (at >= before) return at - before < length_of_line ? load(x[line * length_of_line + at - before]) : COMPUTED(0);
  return has_state ? load(state[line * before + at]) : COMPUTED(0);
}

void main() {
  const uint unit = invocation_index();
  if (unit >= lines * units) return;
  const uint line = divide(unit, by_units), first = (unit - line * units) * each;
  const uint channel = line - divide(line, by_channels) * channels;
  COMPUTED met[each], chunk[each], sums[each];
  [[unroll]] for (uint i = 0; i < each; ++i) {
    met[i] = seen(line, first + i);
    chunk[i] = sums[i] = COMPUTED(0);
  }
  for (uint j = 0; j < taps; ++j) {
    const COMPUTED weight = load(w[channel * taps + j]);
    [[unroll]] for (uint i = 0; i < each; ++i) chunk[i] += weight * met[i];
    [[unroll]] for (uint i = 0; i + 1 < each; ++i) met[i] = met[i + 1];
    if (j + 1u < taps) met[each - 1] = seen(line, first + j + each);
    if (j % 256u == 255u) {
      [[unroll]] for (uint i = 0; i < each; ++i) sums[i] += chunk[i], chunk[i] = COMPUTED(0);
    }
  }
  [[unroll]] for (uint i = 0; i < each; ++i) {
    if (first + i >= length_of_line) break;
    COMPUTED sum = sums[i] + chunk[i];
    if (has_bias) sum += load(bias[channel]);
    y[line * length_of_line + first + i] = store(is_silu ? siluf(sum) : sum);
  }
}
