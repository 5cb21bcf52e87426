// One step of a recurrence: products of the states with R. A workgroup has `units` units of row_groups · rows_each
// sequences in one direction. The states of its sequences lie in shared memory, `depth` elements of each at a time; R
// is read straight into registers, as one invocation alone needs a number of it for all `rows_each` of its sequences.
//
//   invocation = slice · (units · row_groups · 8) + unit · (row_groups · 8) + row group · 8 + lane
//
// sums one unit's gates over every (slices · 8)-th quad of the states, so that eight neighbours read 128 bytes of a
// line of R. Their sums meet in shared memory, where one invocation for each unit and sequence adds them up in a chain
// and has the rest of the step to do.
// The includer defines GATES, how many gates it sums.
#ifndef PLUMB_STEP_GLSL
#define PLUMB_STEP_GLSL

#include "gpu_vulkan/kernels/recurrent/sequences.glsl"

layout(constant_id = 4) const uint rows_each = 8;  // 1 or a multiple of 4
layout(constant_id = 5) const uint row_groups = 2;
layout(constant_id = 6) const uint depth = 64;  // a multiple of 4
layout(constant_id = 7) const uint at_once = 2;  // quads of R that are on their way
layout(constant_id = 8) const bool is_even = false;  // H is a multiple of 4

layout(set = 0, binding = 4) readonly buffer Multiplied { COMPUTED multiplied[]; };  // [D, B, H]
layout(set = 0, binding = 4) readonly buffer MultipliedQuads { VECTOR multiplied_quads[]; };

const uint units = 8u, lanes = 8u, rows = rows_each * row_groups, quads = depth / 4u;
const uint slices = gl_WorkGroupSize.x / (units * row_groups * lanes), parts = slices * lanes;
const uint pitch = parts + 1u;  // odd, to keep shared memory's banks apart
shared VECTOR state_tile[rows * quads];
shared COMPUTED partial[units * rows * pitch];
VECTOR ahead[GATES * at_once];
COMPUTED sums_of[GATES * rows_each];  // by gate and sequence, of the invocation's quads

uint first_unit() { return group_index() % ((width + units - 1u) / units) * units; }
uint group_of_rows() { return group_index() / ((width + units - 1u) / units); }

/// The unit and the sequence that the invocation finishes.
Place place() {
  const uint row_blocks = (batch + rows - 1u) / rows, local = gl_LocalInvocationID.x;
  const uint direction = group_of_rows() / row_blocks;
  const uint row = group_of_rows() % row_blocks * rows + local / units, unit = first_unit() + local % units;
  return Place(direction, row, unit, (direction * batch + row) * width + unit,
               direction < directions && local < units * rows && row < batch && unit < width);
}

/// Elements `k` to k + 3 of a sequence's line of Multiplied, 0 beyond its last. Any numbers will do in quads and rows
/// that do not exist: no result depends on them.
VECTOR quad_of(uint direction, uint row, uint k) {
  const uint line = (direction * batch + min(row, batch - 1u)) * width;
  if (is_even) return multiplied_quads[(line + min(k, width - 4u)) / 4u];
  VECTOR four = VECTOR(0);
  [[unroll]] for (uint j = 0u; j < 4u; ++j)
    if (k + j < width) four[j] = multiplied[line + k + j];
  return four;
}

/// Reads quad `q` of the lines of R, if there is one, long before it is multiplied.
void read_ahead(uint j, uint first_line, uint at_k, uint q, uint count) {
  if (q < count)
    [[unroll]] for (uint g = 0u; g < GATES; ++g)
      ahead[j * GATES + g] = weights_of_line(first_line + g * width, at_k + 4u * q, is_even);
}

/// Adds what a quad of R comes to with those of the invocation's sequences.
void add_quad(uint of_rows, uint q, VECTOR w[GATES]) {
  [[unroll]] for (uint b = 0u; b < rows_each; ++b) {
    const VECTOR h = state_tile[(of_rows + b) * quads + q];
    [[unroll]] for (uint g = 0u; g < GATES; ++g) {
      COMPUTED sum = sums_of[g * rows_each + b];
      sum += w[g].x * h.x;
      sum += w[g].y * h.y;
      sum += w[g].z * h.z;
      sum += w[g].w * h.w;
      sums_of[g * rows_each + b] = sum;
    }
  }
}

/// R·h of the invocation's unit, sequences and quads.
void sum_quads(uint first_gate) {
  const uint local = gl_LocalInvocationID.x, row_blocks = (batch + rows - 1u) / rows;
  const uint direction = group_of_rows() / row_blocks, first_row = group_of_rows() % row_blocks * rows;
  const uint lane = local % lanes, of_rows = local / lanes % row_groups * rows_each;
  const uint unit = first_unit() + local / (lanes * row_groups) % units, part = local / (lanes * row_groups * units);
  const uint first_line = direction * gate_rows + first_gate * width + unit;
  [[unroll]] for (uint i = 0u; i < GATES * rows_each; ++i) sums_of[i] = COMPUTED(0);
  // A workgroup beyond the last direction comes of rounding their number up; all of it skips the loop.
  const uint end = direction < directions ? width : 0u, first = part * lanes + lane;
  for (uint at_k = 0u; at_k < end; at_k += depth) {
    const uint count = unit < width ? min(quads, (width - at_k + 3u) / 4u) : 0u;
    [[unroll]] for (uint j = 0u; j < at_once; ++j) read_ahead(j, first_line, at_k, first + j * parts, count);
    if (at_k > 0u) barrier();
    [[unroll]] for (uint from = 0u; from < rows * quads; from += gl_WorkGroupSize.x) {
      const uint i = from + local;
      if (i < rows * quads) state_tile[i] = quad_of(direction, first_row + i / quads, at_k + i % quads * 4u);
    }
    barrier();
    for (uint from = first; from < count; from += at_once * parts)
      [[unroll]] for (uint j = 0u; j < at_once; ++j) {
        const uint q = from + j * parts;
        VECTOR w[GATES];
        [[unroll]] for (uint g = 0u; g < GATES; ++g) w[g] = ahead[j * GATES + g];
        read_ahead(j, first_line, at_k, q + at_once * parts, count);
        if (q < count) add_quad(of_rows, q, w);
      }
  }
}

/// R·h of gates `first_gate` on, for the invocation that `place` says is to finish them.
void multiply(uint first_gate, out COMPUTED sums[GATES]) {
  sum_quads(first_gate);
  const uint local = gl_LocalInvocationID.x, lane = local % lanes, part = local / (lanes * row_groups * units);
  const uint of_rows = local / lanes % row_groups * rows_each, u = local / (lanes * row_groups) % units;
  [[unroll]] for (uint g = 0u; g < GATES; ++g) {
    if (g > 0u) barrier();
    [[unroll]] for (uint b = 0u; b < rows_each; ++b)
      partial[((of_rows + b) * units + u) * pitch + part * lanes + lane] = sums_of[g * rows_each + b];
    barrier();
    sums[g] = COMPUTED(0);
    if (local < units * rows)
      [[unroll]] for (uint p = 0u; p < parts; ++p) sums[g] += partial[local * pitch + p];
  }
}

#endif
