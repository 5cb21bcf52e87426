#version 450
// variants: f32 f16 bf16
// y = x / (bias + factor·Σ x²)^beta, the sum over neighbouring channels; one invocation an element.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/power.glsl"
#include "gpu_vulkan/glsl/sum.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uint count, channels, inner, before, after;
  float factor, bias, beta;
};

void main() {
  const uint i = invocation_index();
  if (i >= count) return;
  const uint c = i / inner % channels, first = i - c * inner;
  const uint begin = c - min(c, before), end = c + min(after, channels - 1u - c) + 1u;
  vec2 squares = vec2(0.0);
  for (uint k = begin; k < end; ++k) {
    const float value = load(x[first + k * inner]);
    squares = plus(squares, value * value);
  }
  y[i] = store(divide(load(x[i]), powf(bias + factor * total(squares), beta)));
}
