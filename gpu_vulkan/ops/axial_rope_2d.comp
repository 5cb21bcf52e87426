#version 450
// Rotary embedding of the cells of a grid: an invocation turns one pair of neighbours. The table has the cosine and the
// sine of each pair of a half of a head, for the columns and then for the rows of the grid.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer Turns { COMPUTED turns[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uvec2 by_token, by_half, by_sequence, by_repeat, by_width;
  uint count;     // pairs of all tokens
  uint of_token;  // pairs of a token
  uint of_half;   // pairs of half a head
  uint sequence;
  uint width;  // columns of the grid, whose turns come in front of those of the rows
};

void main() {
  const uint at = invocation_index();
  if (at >= count) return;
  const uint line = divide(at, by_token), pair = at - line * of_token;
  const uint token = line - divide(line, by_sequence) * sequence, cell = divide(token, by_repeat);
  const uint half_head = divide(pair, by_half), i = pair - half_head * of_half, row = divide(cell, by_width);
  const uint place = half_head % 2u == 0u ? cell - row * width : width + row;
  const uint turn = 2u * (place * of_half + i);
  const COMPUTED a = load(x[2u * at]), b = load(x[2u * at + 1u]), c = turns[turn], s = turns[turn + 1u];
  y[2u * at] = store(a * c - b * s);
  y[2u * at + 1u] = store(a * s + b * c);
}
