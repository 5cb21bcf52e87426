// One step of a recurrence (ops.md 11): products of the states with R, and what the gates' sums are behind them. A
// workgroup has `units` units of `rows` sequences in one direction. Each of its invocations sums the products of one
// unit and one sequence for all gates, over one of `slices` parts of the states; the first slice adds the parts up and
// has the rest of the step to do.
// The includer defines GATES, how many gates it sums.
#ifndef PLUMB_STEP_GLSL
#define PLUMB_STEP_GLSL

#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/kernels/recurrent/activated.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint rows = 16;
layout(constant_id = 2) const uint slices = 1;
layout(constant_id = 3) const uint gate_function = SIGMOID;
layout(constant_id = 4) const uint cell_function = TANH;
layout(constant_id = 5) const uint hidden_function = TANH;

layout(set = 0, binding = 0) readonly buffer Inputs { COMPUTED of_inputs[]; };  // W·x: [D, T, B, gates·H]
layout(set = 0, binding = 1) readonly buffer R { STORED r[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED bias[]; };
layout(set = 0, binding = 3) readonly buffer Lengths { uint lengths[]; };
layout(set = 0, binding = 4) readonly buffer Multiplied { COMPUTED multiplied[]; };  // [D, B, H]
layout(push_constant) uniform Block {
  uint step, steps, batch, directions, width, gate_rows;  // H and gates·H of the op
  uint flags, clip_low, clip_high;
};
// What is no matter of speed is pushed, so that nodes that differ in it share a pipeline.
const uint FROM_END = 1u, HAS_BIAS = 4u, IS_CLIPPED = 8u, HAS_PEEPHOLE = 16u, INPUT_FORGET = 32u, CELL_STATES = 64u;
bool is_set(uint flag) { return (flags & flag) != 0u; }

const uint units = 8u, depth = 64u, pitch = depth / 4u + 1u;  // the odd vector keeps shared memory's banks apart
#ifdef VARIANT_f64
#define VECTOR dvec4
#else
#define VECTOR vec4
#endif
shared VECTOR state_tile[rows * pitch];
shared VECTOR weight_tile[GATES * units * pitch];
shared COMPUTED partial[GATES * units * rows * slices];

/// Where an invocation is: its unit and its sequence, whether they exist and are its to finish.
struct Place {
  uint direction, row, unit, state;  // `state` is the index in [D, B, H]
  bool is_mine;
};

/// κ: what functions are applied to.
COMPUTED clipped(COMPUTED z) {
  if (!is_set(IS_CLIPPED) || is_nan(z)) return z;
#ifdef VARIANT_f64
  const double most = packDouble2x32(uvec2(clip_low, clip_high));
#else
  const float most = uintBitsToFloat(clip_low);
#endif
  return clamp(z, -most, most);
}

void stage(uint direction, uint row, uint unit, uint first_gate, uint at_k) {
  const uint across = depth / 4u;
  for (uint i = gl_LocalInvocationID.x; i < rows * across; i += gl_WorkGroupSize.x) {
    const uint b = i / across, q = i % across, from = (direction * batch + row + b) * width;
    VECTOR four = VECTOR(0);
    [[unroll]] for (uint j = 0u; j < 4u; ++j) {
      const uint k = at_k + 4u * q + j;
      if (row + b < batch && k < width) four[j] = multiplied[from + k];
    }
    state_tile[b * pitch + q] = four;
  }
  for (uint i = gl_LocalInvocationID.x; i < GATES * units * across; i += gl_WorkGroupSize.x) {
    const uint line = i / across, q = i % across, g = line / units, u = line % units;
    const uint from = (direction * gate_rows + (first_gate + g) * width + unit + u) * width;
    VECTOR four = VECTOR(0);
    [[unroll]] for (uint j = 0u; j < 4u; ++j) {
      const uint k = at_k + 4u * q + j;
      if (unit + u < width && k < width) four[j] = load(r[from + k]);
    }
    weight_tile[line * pitch + q] = four;
  }
}

/// R·h of gates `first_gate` on, for the invocation that `place` says is to finish them.
Place multiply(uint first_gate, out COMPUTED sums[GATES]) {
  const uint unit_groups = (width + units - 1u) / units, row_groups = (batch + rows - 1u) / rows;
  const uint group = group_index(), first_unit = group % unit_groups * units;
  const uint first_row = group / unit_groups % row_groups * rows, direction = group / unit_groups / row_groups;
  const uint u = gl_LocalInvocationID.x % units, b = gl_LocalInvocationID.x / units % rows,
             slice = gl_LocalInvocationID.x / (units * rows);
  [[unroll]] for (uint g = 0u; g < GATES; ++g) sums[g] = COMPUTED(0);
  // What is beyond the last direction comes of rounding the number of workgroups up, and is alike for a whole one.
  const uint end = direction < directions ? width : 0u;
  for (uint at_k = 0u; at_k < end; at_k += depth) {
    stage(direction, first_row, first_unit, first_gate, at_k);
    barrier();
    for (uint q = slice; q < depth / 4u; q += slices) {
      const VECTOR h = state_tile[b * pitch + q];
      [[unroll]] for (uint g = 0u; g < GATES; ++g) {
        const VECTOR w = weight_tile[(g * units + u) * pitch + q];
        sums[g] += w.x * h.x;
        sums[g] += w.y * h.y;
        sums[g] += w.z * h.z;
        sums[g] += w.w * h.w;
      }
    }
    barrier();
  }
  if (slices > 1u) {
    [[unroll]] for (uint g = 0u; g < GATES; ++g) partial[gl_LocalInvocationID.x * GATES + g] = sums[g];
    barrier();
    if (slice == 0u)
      for (uint s = 1u; s < slices; ++s)
        [[unroll]] for (uint g = 0u; g < GATES; ++g)
          sums[g] += partial[(s * units * rows + b * units + u) * GATES + g];
  }
  const uint row = first_row + b, unit = first_unit + u;
  return Place(direction, row, unit, (direction * batch + row) * width + unit,
               direction < directions && slice == 0u && row < batch && unit < width);
}

/// Whether the sequence still runs, and where on the axis of steps it is; beyond its length, where a 0 goes.
bool is_running(Place place) { return step < lengths[place.row]; }
uint position(Place place) {
  const bool from_end = is_set(FROM_END << place.direction) && is_running(place);
  return from_end ? lengths[place.row] - 1u - step : step;
}
/// The element of an output [T, D, B, H].
uint element_at(Place place) {
  return ((position(place) * directions + place.direction) * batch + place.row) * width + place.unit;
}

/// Gate `gate` of W·x.
COMPUTED of_input(Place place, uint gate) {
  const uint line = (place.direction * steps + position(place)) * batch + place.row;
  return of_inputs[line * gate_rows + gate * width + place.unit];
}
/// Wb (part 0) or Rb (part 1) of a gate.
COMPUTED bias_of(Place place, uint gate, uint part) {
  if (!is_set(HAS_BIAS)) return COMPUTED(0);
  return load(bias[(place.direction * 2u + part) * gate_rows + gate * width + place.unit]);
}
/// All of the sum of a gate but R·h.
COMPUTED beside_states(Place place, uint gate) {
  return of_input(place, gate) + (bias_of(place, gate, 0u) + bias_of(place, gate, 1u));
}

#endif
