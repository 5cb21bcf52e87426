#version 450
// variants: f32 f16 bf16 f64 i64 i32 u32 i16 i8 u8 u16 bool
// `lanes` invocations fold one element of y over a slice of its terms; a long fold
// is done in slices by a first dispatch, and their partial results by a second. Where terms are
// neighbours, or elements of y are, PACK of them are read at once.
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/pack.glsl"

#include "gpu_vulkan/glsl/index.glsl"

const uint SUM = 0u, MEAN = 1u, PRODUCT = 2u, MAX = 3u, MIN = 4u, L1 = 5u, SUM_SQUARE = 6u, L2 = 7u, LOG_SUM = 8u,
           LOG_SUM_EXP = 9u;
layout(constant_id = 3) const uint function = SUM;
layout(constant_id = 4) const uint kept_axes = 1;
layout(constant_id = 5) const uint reduced_axes = 1;
layout(constant_id = 6) const bool of_partials = false;  // the second dispatch
layout(constant_id = 7) const bool to_partials = false;  // the first
const uint NOTHING = 0u, TERMS = 1u, OUTPUTS = 2u;       // as Packed in gpu_vulkan/kernels/rows/reduction.cpp
layout(constant_id = 8) const uint packed = NOTHING;     // neighbours in a pack

layout(push_constant) uniform Block {
  uint outputs, terms, slices, slice_terms;
  uint count;  // terms per output, for the mean
  uvec4 kept_extents, kept_strides, reduced_extents, reduced_strides;  // innermost first
};

#if defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#include "gpu_vulkan/kernels/rows/reduce_float.glsl"
#else
#include "gpu_vulkan/kernels/rows/reduce_integer.glsl"
#endif
#include "gpu_vulkan/kernels/rows/lines.glsl"

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 0) readonly buffer PartialsIn { HELD partials_in[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 1) writeonly buffer PartialsOut { HELD partials_out[]; };

const uint terms_in_pack = packed == TERMS ? PACK : 1u;
const uint outputs_in_pack = packed == OUTPUTS ? PACK : 1u;  // neighbouring elements of y that an invocation makes
const uint batch = 4u;                                       // loads under way at once

uint offset(uint i, uint axes, uvec4 extents, uvec4 strides) {
  uint at = 0u;
  for (uint a = 0u; a + 1u < axes; ++a) {
    at += i % extents[a] * strides[a];
    i /= extents[a];
  }
  return at + i * strides[axes - 1u];
}

/// Folds terms [begin, end) of the outputs that start at `first`, as `how` says.
void fold(uint first, uint begin, uint end, uint how, HELD peak[outputs_in_pack], out HELD folded[outputs_in_pack]) {
  [[unroll]] for (uint o = 0u; o < outputs_in_pack; ++o) folded[o] = neutral(how);
  const uint stride = lanes * terms_in_pack;  // stride of the terms that an invocation reads
  // Drivers unroll these; asked to, spirv-opt would, and forget what is `precise` in its copies.
  for (uint start = begin + lane() * terms_in_pack; start < end; start += batch * stride) {
    PACKED packs[batch];
    HELD single[batch];
    for (uint b = 0u; b < batch; ++b) {
      const uint k = start + b * stride;
      if (k >= end) continue;
      const uint at = first + offset(k, reduced_axes, reduced_extents, reduced_strides);
      if (packed != NOTHING) packs[b] = packed_x[at / PACK];
      else if (of_partials) single[b] = partial_term(partials_in[at], how, peak[0]);
      else single[b] = term(load(x[at]), how, peak[0]);
    }
    for (uint b = 0u; b < batch; ++b) {
      if (start + b * stride >= end) continue;
      if (packed == NOTHING) {
        folded[0] = combine(folded[0], single[b], how);
        continue;
      }
      for (uint i = 0u; i < PACK; ++i) {
        const uint o = packed == OUTPUTS ? i : 0u;
        folded[o] = combine(folded[o], term(unpack(packs[b], i), how, peak[o]), how);
      }
    }
  }
  [[unroll]] for (uint o = 0u; o < outputs_in_pack; ++o) folded[o] = combined(folded[o], how);
}

#ifdef HAS_FUNCTIONS
shared uint is_anywhere;

/// Whether this is so in any invocation of the workgroup. Every invocation must come here.
bool anywhere(bool here) {
  barrier();
  if (gl_LocalInvocationID.x == 0u) is_anywhere = 0u;
  barrier();
  if (here) atomicOr(is_anywhere, 1u);
  barrier();
  return is_anywhere != 0u;
}

/// The norms of terms [begin, end). Where squares leave the range, the largest magnitude gives the unit of a second
/// sum: ordinary lines are read once.
void fold_norms(uint first, uint begin, uint end, HELD none[outputs_in_pack], out HELD norms[outputs_in_pack]) {
  HELD sums[outputs_in_pack];
  fold(first, begin, end, L2, none, sums);
  bool leaves = false;
  [[unroll]] for (uint o = 0u; o < outputs_in_pack; ++o) {
    norms[o] = root_of(sums[o]);
    leaves = leaves || !is_in_range(total(sums[o]));
  }
  if (!anywhere(leaves && begin < end)) return;
  HELD peaks[outputs_in_pack], units[outputs_in_pack], scaled[outputs_in_pack];
  fold(first, begin, end, LARGEST, none, peaks);
  [[unroll]] for (uint o = 0u; o < outputs_in_pack; ++o)
    units[o] = HELD(unit_of(-exponent_of(peaks[o].x)), 0.0);
  fold(first, begin, end, SCALED_SQUARE, units, scaled);
  [[unroll]] for (uint o = 0u; o < outputs_in_pack; ++o)
    if (!is_in_range(total(sums[o]))) norms[o] = root_of(scaled[o]) * unit_of(exponent_of(peaks[o].x));
}
#endif

void main() {
  const uint group = group_index(), slice = group % slices;
  const uint first_output = (group / slices * lines_here() + place()) * outputs_in_pack;
  const bool live = first_output < outputs;
  const uint begin = min(slice * slice_terms, terms), end = live ? min(begin + slice_terms, terms) : begin;
  const uint first = live ? offset(first_output, kept_axes, kept_extents, kept_strides) : 0u;
  HELD none[outputs_in_pack], results[outputs_in_pack];
  [[unroll]] for (uint o = 0u; o < outputs_in_pack; ++o) none[o] = neutral(function);
#ifdef HAS_FUNCTIONS
  if (function == LOG_SUM_EXP) {
    HELD peaks[outputs_in_pack];
    fold(first, begin, end, MAX, none, peaks);
    fold(first, begin, end, LOG_SUM_EXP, peaks, results);
    [[unroll]] for (uint o = 0u; o < outputs_in_pack; ++o) results[o] = with_peak(peaks[o], results[o]);
  } else if (function == L2) {
    fold_norms(first, begin, end, none, results);
  } else
#endif
    fold(first, begin, end, function, none, results);
  if (!live || lane() != 0u) return;
  [[unroll]] for (uint o = 0u; o < outputs_in_pack; ++o) {
    if (to_partials) partials_out[(first_output + o) * slices + slice] = results[o];
    else y[first_output + o] = store(finish(results[o], count));
  }
}
