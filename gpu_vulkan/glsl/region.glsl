// The frame of a kernel that computes several elementwise ops, of which gpu_vulkan/region/source.cpp writes
// the rest. An element is held as the bits that its dtype has in memory, so that what is moved stays as it
// is and what is computed is rounded after every step, as it would be between kernels of their own.
//
// Units, loops and places of operands are those of elementwise.glsl, with as many operands as push constants
// have room for. A unit is 8 elements, or one. The generated code defines INPUTS and includes this first.
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/round16.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint axes = 1;
layout(constant_id = 2) const bool is_packed = false;  // a unit is 8 elements
layout(constant_id = 3) const uint dense = 0;          // bit k: input k is dense along the last axis
const uint outer = axes - 1u, width = is_packed ? 8u : 1u;
// The number of elements; a multiplier for each axis but the first, of its extent in units; their shifts; for each
// input, the steps of all axes but the last.
layout(push_constant) uniform Block { uint words[32]; };

bool is_dense(uint k) { return (dense >> k & 1u) != 0u; }

uint elements_in(uint q) {
  const uint first = q * width, count = words[0];
  return first < count ? min(width, count - first) : 0u;
}

void locate(uint q, out uint at[INPUTS]) {
  for (uint k = 0; k < INPUTS; ++k) at[k] = is_dense(k) ? q : 0u;
  for (uint a = outer; a > 0u; --a) {
    q = divide(q, words[a], words[outer + a]);
    for (uint k = 0; k < INPUTS; ++k) at[k] += q * words[(2u + k) * outer + a];
  }
}

/// 8 elements, each as its bits.
struct Unit {
  uvec4 low, high;
};

Unit stretched(uint x) { return Unit(uvec4(x), uvec4(x)); }
uvec4 low_bytes(uint x) { return uvec4(x, x >> 8, x >> 16, x >> 24) & 0xFFu; }
Unit from_bytes(uvec2 p) { return Unit(low_bytes(p.x), low_bytes(p.y)); }
Unit from_halves(uvec4 p) {
  return Unit(uvec4(p.x & 0xFFFFu, p.x >> 16, p.y & 0xFFFFu, p.y >> 16),
              uvec4(p.z & 0xFFFFu, p.z >> 16, p.w & 0xFFFFu, p.w >> 16));
}
uint joined_bytes(uvec4 x) { return x.x | x.y << 8 | x.z << 16 | x.w << 24; }
uvec2 to_bytes(Unit x) { return uvec2(joined_bytes(x.low), joined_bytes(x.high)); }
uvec4 to_halves(Unit x) {
  return uvec4(x.low.x | x.low.y << 16, x.low.z | x.low.w << 16, x.high.x | x.high.y << 16, x.high.z | x.high.w << 16);
}

// f16 is rounded by integers here, whatever the device's conversions do: NVIDIA's compiler takes a number that one
// rounds and another converts back for the number itself, and the next step would go on with what was not rounded.
float f32_of(uint bits) { return uintBitsToFloat(bits); }
float f16_of(uint bits) { return float_from_f16(bits); }
float bf16_of(uint bits) { return float_from_bf16(bits); }
int i32_of(uint bits) { return int(bits); }
bool bool_of(uint bits) { return bits != 0u; }

uint f32_bits(float x) { return floatBitsToUint(x); }
uint f16_bits(float x) { return f16_from_float(x); }
uint bf16_bits(float x) { return bf16_from_float(x); }
uint i32_bits(int x) { return uint(x); }
uint bool_bits(bool x) { return x ? 1u : 0u; }
