#version 450
// variants: w1 w2 w4 w8
// Merges neighbouring runs of a line, two into one. Each invocation makes `each` entries
// of the result: it finds by bisection how many of those before came from either run
// ("merge path": Green, McColl and Bader 2012), so that none waits for another.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/sort/sorted.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 3) const uint each = 8;

/// How many of the first `taken` entries of the result come from the run at a.
uint from_first(uint a, uint a_held, uint b, uint b_held, uint taken) {
  uint low = taken > b_held ? taken - b_held : 0u, high = min(taken, a_held);
  while (low < high) {
    const uint middle = (low + high) / 2u;
    if (precedes(entries_in[a + middle], entries_in[b + taken - 1u - middle])) low = middle + 1u;
    else high = middle;
  }
  return low;
}

void main() {
  const uint stride_in = min(span, kept), stride_out = min(2u * span, kept);
  const uint many = (runs + 1u) / 2u, parts = (stride_out + each - 1u) / each;
  const uint number = invocation_index(), part = number % parts, run = number / parts % many;
  const uint line = number / parts / many;
  if (line >= lines) return;
  const uint a = (line * runs + 2u * run) * stride_in, a_held = held_by(2u * run);
  const uint b = a + stride_in, b_held = held_by(2u * run + 1u);
  const uint begin = part * each, end = min(begin + each, min(a_held + b_held, kept));
  if (begin >= end) return;
  uint i = from_first(a, a_held, b, b_held, begin), j = begin - i;
  for (uint k = begin; k < end; ++k) {
    const bool first = j >= b_held || (i < a_held && precedes(entries_in[a + i], entries_in[b + j]));
    emit(line, run, many, stride_out, k, entries_in[first ? a + i : b + j]);
    if (first) ++i;
    else ++j;
  }
}
