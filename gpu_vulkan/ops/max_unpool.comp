#version 450
// Max unpooling, in three dispatches: no element of y has a winner, then every element of x bids for its place with its
// own number, of which the largest stays, then y takes its winners or 0.
// variants: w2 w4 w8
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

const uint CLEAR = 0u, BID = 1u, TAKE = 2u;
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint stage = CLEAR;

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) readonly buffer Indices { uint indices[]; };
layout(set = 0, binding = 2) writeonly buffer Y { WORD y[]; };
layout(set = 0, binding = 3) buffer Winners { uint winners[]; };  // 1 + the number of an element of x
#define FAULTS_BINDING 4
#include "gpu_vulkan/glsl/faults.glsl"
#include "gpu_vulkan/glsl/wide_index.glsl"

layout(push_constant) uniform Block {
  uint count;                      // elements that this stage goes through
  uint positions;                  // that indices may have
  uint from_extent[3], extent[3];  // spatial extents that indices refer to, and of y
  uint node;
};

uint place_of(uint position) {
  uint at = 0u, stride = 1u;
  for (uint k = 0u; k < 3u; ++k) {
    const uint a = 2u - k;
    at += position % from_extent[a] * stride;
    position /= from_extent[a];
    stride *= extent[a];
  }
  return at + position * stride;
}

void main() {
  const uint i = invocation_index();
  if (i >= count) return;
  if (stage == CLEAR) {
    winners[i] = 0u;
  } else if (stage == BID) {
    const uvec2 index = wide_index(i, 2u);
    const bool from_start = index.y == 0u && index.x < positions;
    const bool from_end = index.y == 0xFFFFFFFFu && index.x >= 0u - positions && positions != 0u;
    if (!from_start && !from_end) fault(node, i, index);
    else atomicMax(winners[place_of(from_start ? index.x : index.x + positions)], i + 1u);
  } else {
    const uint winner = winners[i];
    y[i] = winner == 0u ? WORD(HELD(0u)) : x[winner - 1u];
  }
}
