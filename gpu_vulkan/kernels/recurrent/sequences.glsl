// Code common to all kernels of a recurrence (ops.md 11): operands, the place of a state's element along the steps,
// and the terms added to the products with R. The includer declares its specialization constants from 4 on.
#ifndef PLUMB_SEQUENCES_GLSL
#define PLUMB_SEQUENCES_GLSL

#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/pack.glsl"
#include "gpu_vulkan/kernels/recurrent/activated.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint gate_function = SIGMOID;
layout(constant_id = 2) const uint cell_function = TANH;
layout(constant_id = 3) const uint hidden_function = TANH;

#ifdef VARIANT_f64
#define VECTOR dvec4
#else
#define VECTOR vec4
#endif

layout(set = 0, binding = 0) readonly buffer Inputs { COMPUTED of_inputs[]; };  // W·x: [D, T, B, gates·H]
layout(set = 0, binding = 1) readonly buffer R { STORED r[]; };
layout(set = 0, binding = 1) readonly buffer RPacked { PACKED r_packed[]; };
layout(set = 0, binding = 2) readonly buffer Bias { STORED bias[]; };
layout(set = 0, binding = 3) readonly buffer Lengths { uint lengths[]; };
layout(push_constant) uniform Block {
  uint step, steps, batch, directions, width, gate_rows;  // H and gates·H of the op
  uint flags, clip_low, clip_high;
};
// Settings that do not affect the speed are pushed, so that nodes that differ in them share a pipeline.
const uint FROM_END = 1u, HAS_BIAS = 4u, IS_CLIPPED = 8u, HAS_PEEPHOLE = 16u, INPUT_FORGET = 32u, CELL_STATES = 64u,
           LINEAR_BEFORE_RESET = 128u;
bool is_set(uint flag) { return (flags & flag) != 0u; }

/// κ: the argument of a function, clamped to ±clip; NaN stays.
COMPUTED clipped(COMPUTED z) {
  if (!is_set(IS_CLIPPED) || is_nan(z)) return z;
#ifdef VARIANT_f64
  const double most = packDouble2x32(uvec2(clip_low, clip_high));
#else
  const float most = uintBitsToFloat(clip_low);
#endif
  return clamp(z, -most, most);
}

/// Four neighbours of R's elements of which the first is a multiple of four.
VECTOR weights_packed(uint at) {
#ifdef VARIANT_f64
  return dvec4(r_packed[at / 2u], r_packed[at / 2u + 1u]);
#elif defined(NATIVE_F16)
  const uvec2 p = r_packed[at / 4u];
  return vec4(unpackHalf2x16(p.x), unpackHalf2x16(p.y));
#else
  const PACKED p = r_packed[at / 4u];
  return vec4(unpack(p, 0u), unpack(p, 1u), unpack(p, 2u), unpack(p, 3u));
#endif
}

/// Elements `k` to k + 3 of a line of R, of which the first is one of it, and 0 beyond its end; `is_even`: lines are
/// multiples of four elements.
VECTOR weights_of_line(uint line, uint k, bool is_even) {
  if (is_even) return weights_packed(line * width + k);
  VECTOR four = VECTOR(0);
  [[unroll]] for (uint j = 0u; j < 4u; ++j)
    if (k + j < width) four[j] = load(r[line * width + k + j]);
  return four;
}

/// Where an invocation is: its unit and its sequence, whether they exist and are its to finish.
struct Place {
  uint direction, row, unit, state;  // `state` is the index in [D, B, H]
  bool is_mine;
};

/// Whether the sequence still runs at step `s`, and where on the axis of steps it is; beyond its length, where a 0
/// goes.
bool is_running(Place place, uint s) { return s < lengths[place.row]; }
uint position(Place place, uint s) {
  const bool from_end = is_set(FROM_END << place.direction) && is_running(place, s);
  return from_end ? lengths[place.row] - 1u - s : s;
}
/// The element of an output [T, D, B, H].
uint element_at(Place place, uint s) {
  return ((position(place, s) * directions + place.direction) * batch + place.row) * width + place.unit;
}

/// Gate `gate` of W·x.
COMPUTED of_input(Place place, uint s, uint gate) {
  const uint line = (place.direction * steps + position(place, s)) * batch + place.row;
  return of_inputs[line * gate_rows + gate * width + place.unit];
}
/// Wb (part 0) or Rb (part 1) of a gate.
COMPUTED bias_of(Place place, uint gate, uint part) {
  if (!is_set(HAS_BIAS)) return COMPUTED(0);
  return load(bias[(place.direction * 2u + part) * gate_rows + gate * width + place.unit]);
}
/// All of the sum of a gate but R·h.
COMPUTED beside_states(Place place, uint s, uint gate) {
  return of_input(place, s, gate) + (bias_of(place, gate, 0u) + bias_of(place, gate, 1u));
}

#endif
