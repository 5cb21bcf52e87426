#version 450
// Filters of 16-bit elements in the order in which conv_halo.comp reads them: groups, blocks of channels, taps,
// filters, the channels of a block, with zeros behind the last channel. An invocation takes all taps of 8 channels of a
// filter, which it reads by 16-byte loads where VEC4_LOADS says that channels are a multiple of 8.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/round16.glsl"

layout(constant_id = 1) const uint block = 16;
layout(constant_id = 2) const uint TAPS = 9;
layout(constant_id = 3) const bool VEC4_LOADS = false;

layout(set = 0, binding = 0) readonly buffer W { uint16_t w[]; };
layout(set = 0, binding = 0) readonly buffer WVec4 { uvec4 w_vec4[]; };
layout(set = 0, binding = 1) writeonly buffer Y { uvec4 y[]; };
layout(push_constant) uniform Block { uint count, channels, filters; };  // count of invocations

const uint pieces = block / 8u;
uvec4 words[VEC4_LOADS ? TAPS : 1u];

void main() {
  const uint number = invocation_index();
  if (number >= count) return;
  const uint piece = number % pieces, f = number / pieces % filters, part = number / (pieces * filters);
  const uint blocks = (channels + block - 1u) / block, channel = part % blocks * block + piece * 8u;
  const uint from = ((part / blocks * filters + f) * channels + channel) * TAPS;
  const uint to = (part * TAPS * filters + f) * pieces + piece;
  if (VEC4_LOADS) {
    [[unroll]] for (uint i = 0; i < TAPS; ++i) words[i] = channel < channels ? w_vec4[from / 8u + i] : uvec4(0u);
    [[unroll]] for (uint tap = 0; tap < TAPS; ++tap) {
      uint e[8];
      [[unroll]] for (uint j = 0; j < 8u; ++j) {
        const uint at = j * TAPS + tap;
        e[j] = words[at / 8u][at % 8u / 2u] >> at % 2u * 16u & 0xFFFFu;
      }
      y[to + tap * filters * pieces] = joined_halves(e);
    }
  } else {
    for (uint tap = 0; tap < TAPS; ++tap) {
      uint e[8];
      [[unroll]] for (uint j = 0; j < 8u; ++j) e[j] = channel + j < channels ? uint(w[from + j * TAPS + tap]) : 0u;
      y[to + tap * filters * pieces] = joined_halves(e);
    }
  }
}
