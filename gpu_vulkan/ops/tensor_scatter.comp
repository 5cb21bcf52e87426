#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation moves one word of an update to its row of the cache. Where that is the cache itself
// and no copy of it, nothing is written if any index is out of range, or a node before had one.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint index_words = 1;  // 0: every update starts at row 0
layout(constant_id = 2) const bool is_circular = false;
layout(constant_id = 3) const bool is_in_place = false;

layout(set = 0, binding = 0) readonly buffer Update { WORD update[]; };
layout(set = 0, binding = 1) readonly buffer WriteIndices { uint indices[]; };
layout(set = 0, binding = 2) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block {
  uvec2 by_words, by_updated, by_groups;  // first, since a pair begins at a multiple of its size
  uint count, node, words, updated, rows, batch;
};
#define FAULTS_BINDING 3
#include "gpu_vulkan/glsl/faults.glsl"
#include "gpu_vulkan/glsl/wide_index.glsl"

/// An index of 64 bits modulo the rows of the cache, never negative: bit by bit, for rows are fewer than 2^31.
uint modulo_rows(uvec2 index) {
  const bool is_negative = (index.y & 0x80000000u) != 0u;
  if (is_negative) index = uvec2(~index.x + 1u, ~index.y + (index.x == 0u ? 1u : 0u));
  uint rest = 0u;
  for (uint bit = 64u; bit-- > 0u;) {
    rest = rest * 2u + (((bit < 32u ? index.x >> bit : index.y >> (bit - 32u))) & 1u);
    if (rest >= rows) rest -= rows;
  }
  return is_negative && rest != 0u ? rows - rest : rest;
}

bool is_outside(uvec2 index) { return index.y != 0u || index.x > rows - updated; }

shared uint is_refused;

/// Whether the cache may be written over, by all invocations of a workgroup.
bool may_write_over() {
  const uint local = gl_LocalInvocationID.x;
  bool refuses = local == 0u && faults[0] != 0u;
  if (index_words != 0u && !is_circular) {
    for (uint b = local; b < batch; b += gl_WorkGroupSize.x) {
      const uvec2 index = wide_index(b, max(index_words, 1u));
      if (!is_outside(index)) continue;
      fault(node, b, index);
      refuses = true;
    }
  }
  if (local == 0u) is_refused = 0u;
  barrier();
  if (refuses) is_refused = 1u;
  barrier();
  return is_refused == 0u;
}

void main() {
  const uint i = invocation_index();
  // Asked for while the indices are on their way, so that a step waits for memory once.
  const HELD word = HELD(update[min(i, count - 1u)]);
  if (is_in_place && !may_write_over()) return;
  if (i >= count) return;
  const uint row = divide(i, by_words), group = divide(row, by_updated), t = row - group * updated;
  uint first = 0u;
  if (index_words != 0u) {
    const uint b = divide(group, by_groups);
    const uvec2 index = wide_index(b, max(index_words, 1u));
    if (is_circular) {
      first = modulo_rows(index);
    } else if (is_outside(index)) {
      fault(node, b, index);
      return;
    } else {
      first = index.x;
    }
  }
  uint to = first + t;
  if (to >= rows) to -= rows;
  y[(group * rows + to) * words + i - row * words] = WORD(word);
}
