#version 450
// variants: f32 f16 bf16 f64
// y = x / (bias + factor·Σ x²)^beta, the sum over neighbouring channels; one invocation an element.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/power_f64.glsl"
#define REAL double
#define PAIR dvec2
double real_of(uvec2 bits) { return packDouble2x32(bits); }
#else
#include "gpu_vulkan/glsl/power.glsl"
float real_of(uvec2 bits) { return uintBitsToFloat(bits.x); }
#endif
#include "gpu_vulkan/glsl/sum.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uvec2 factor, bias, beta;  // their bits, first, since a pair begins at a multiple of its size
  uint count, channels, inner, before, after;
};

void main() {
  const uint i = invocation_index();
  if (i >= count) return;
  const uint c = i / inner % channels, first = i - c * inner;
  const uint begin = c - min(c, before), end = c + min(after, channels - 1u - c) + 1u;
  PAIR squares = PAIR(0.0);
  for (uint k = begin; k < end; ++k) {
    const REAL value = load(x[first + k * inner]);
    squares = plus(squares, value * value);
  }
  const REAL base = real_of(bias) + real_of(factor) * total(squares);
  y[i] = store(divide(load(x[i]), powf(base, real_of(beta))));
}
