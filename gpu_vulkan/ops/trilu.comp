#version 450
// variants: w1 w2 w4 w8 w16
// Each invocation makes one element: that of x on its side of the diagonal, else 0.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/word.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const bool upper = true;

layout(set = 0, binding = 0) readonly buffer X { WORD x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { WORD y[]; };
layout(push_constant) uniform Block {
  uint count, rows, columns;
  int diagonal;
  uvec2 by_rows, by_columns;
};

void main() {
  const uint at = invocation_index();
  if (at >= count) return;
  const uint line = divide(at, by_columns), row = line - divide(line, by_rows) * rows;
  const int beyond = int(at - line * columns) - int(row) - diagonal;
  HELD element = HELD(0u);
  if (upper ? beyond >= 0 : beyond <= 0) element = HELD(x[at]);
  y[at] = WORD(element);
}
