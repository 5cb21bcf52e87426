// The elements of one operand and of the result of a shader that takes dtypes by constants, four neighbours at once or
// one: x of dtype `from` at binding 0, y of dtype `to` at binding RESULT, which the includer defines. The variant is
// what 64-bit types the shader needs of the device.
#ifndef PLUMB_FOUR_ELEMENTS_GLSL
#define PLUMB_FOUR_ELEMENTS_GLSL

#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint from = 9;
layout(constant_id = 2) const uint to = 9;
layout(constant_id = 3) const uint from_bytes = 4;
layout(constant_id = 4) const uint to_bytes = 4;
#include "gpu_vulkan/glsl/convert.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(set = 0, binding = 0) readonly buffer X8 { uint8_t x8[]; };
layout(set = 0, binding = 0) readonly buffer X16 { uint16_t x16[]; };
layout(set = 0, binding = 0) readonly buffer X32 { uint x32[]; };
layout(set = 0, binding = 0) readonly buffer X64 { uvec2 x64[]; };
layout(set = 0, binding = 0) readonly buffer X128 { uvec4 x128[]; };
layout(set = 0, binding = RESULT) writeonly buffer Y8 { uint8_t y8[]; };
layout(set = 0, binding = RESULT) writeonly buffer Y16 { uint16_t y16[]; };
layout(set = 0, binding = RESULT) writeonly buffer Y32 { uint y32[]; };
layout(set = 0, binding = RESULT) writeonly buffer Y64 { uvec2 y64[]; };
layout(set = 0, binding = RESULT) writeonly buffer Y128 { uvec4 y128[]; };

/// Element i of a whole pack: words[0 to 3], of which `bytes` per element are used.
uvec2 element(uvec4 low, uvec4 high, uint bytes, uint i) {
  if (bytes == 1u) return uvec2(bitfieldExtract(low.x, int(i) * 8, 8), 0u);
  if (bytes == 2u) return uvec2(bitfieldExtract(low[i >> 1], int(i & 1u) * 16, 16), 0u);
  if (bytes == 4u) return uvec2(low[i], 0u);
  const uvec4 pair = i < 2u ? low : high;
  return (i & 1u) == 0u ? pair.xy : pair.zw;
}

void set_element(inout uvec4 low, inout uvec4 high, uint bytes, uint i, uvec2 bits) {
  if (bytes == 1u) low.x = bitfieldInsert(low.x, bits.x, int(i) * 8, 8);
  else if (bytes == 2u) low[i >> 1] = bitfieldInsert(low[i >> 1], bits.x, int(i & 1u) * 16, 16);
  else if (bytes == 4u) low[i] = bits.x;
  else {
    const uvec4 pair = i < 2u ? low : high, changed = (i & 1u) == 0u ? uvec4(bits, pair.zw) : uvec4(pair.xy, bits);
    if (i < 2u) low = changed;
    else high = changed;
  }
}

uvec2 load_one(uint i) {
  if (from_bytes == 1u) return uvec2(uint(x8[i]), 0u);
  if (from_bytes == 2u) return uvec2(uint(x16[i]), 0u);
  if (from_bytes == 4u) return uvec2(x32[i], 0u);
  return x64[i];
}

void load_whole(uint q, out uvec4 low, out uvec4 high) {
  low = high = uvec4(0u);
  if (from_bytes == 1u) low.x = x32[q];
  else if (from_bytes == 2u) low.xy = x64[q];
  else if (from_bytes == 4u) low = x128[q];
  else {
    low = x128[2u * q];
    high = x128[2u * q + 1u];
  }
}

void store_one(uint i, uvec2 bits) {
  if (to_bytes == 1u) y8[i] = uint8_t(bits.x);
  else if (to_bytes == 2u) y16[i] = uint16_t(bits.x);
  else if (to_bytes == 4u) y32[i] = bits.x;
  else y64[i] = bits;
}

void store_whole(uint q, uvec4 low, uvec4 high) {
  if (to_bytes == 1u) y32[q] = low.x;
  else if (to_bytes == 2u) y64[q] = low.xy;
  else if (to_bytes == 4u) y128[q] = low;
  else {
    y128[2u * q] = low;
    y128[2u * q + 1u] = high;
  }
}

#endif
