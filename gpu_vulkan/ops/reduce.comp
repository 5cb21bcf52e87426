#version 450
// variants: f32 f16 bf16 f64 i64 i32 u32 i16 i8 u8 bool
// `lanes` invocations fold one element of y over a slice of its terms; a long fold
// is done in slices by a first dispatch, and their partial results by a second.
#extension GL_GOOGLE_include_directive : require
#include "element.glsl"
#include "index.glsl"

const uint SUM = 0u, MEAN = 1u, PRODUCT = 2u, MAX = 3u, MIN = 4u, L1 = 5u, SUM_SQUARE = 6u, L2 = 7u, LOG_SUM = 8u,
           LOG_SUM_EXP = 9u;
layout(constant_id = 3) const uint function = SUM;
layout(constant_id = 4) const uint kept_axes = 1;
layout(constant_id = 5) const uint reduced_axes = 1;
layout(constant_id = 6) const bool of_partials = false;  // the second dispatch
layout(constant_id = 7) const bool to_partials = false;  // the first

layout(push_constant) uniform Block {
  uint outputs, terms, slices, slice_terms;
  float count;  // of the terms of an output, for the mean
  uvec4 kept_extents, kept_strides, reduced_extents, reduced_strides;  // innermost first
};

#if defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#include "reduce_float.glsl"
#else
#include "reduce_integer.glsl"
#endif
#include "lines.glsl"

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PartialsIn { HELD partials_in[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 1) writeonly buffer PartialsOut { HELD partials_out[]; };

uint offset(uint i, uint axes, uvec4 extents, uvec4 strides) {
  uint at = 0u;
  for (uint a = 0u; a + 1u < axes; ++a) {
    at += i % extents[a] * strides[a];
    i /= extents[a];
  }
  return at + i * strides[axes - 1u];
}

/// Folds terms [begin, end) of the output that starts at `first`, as `how` says.
HELD fold(uint first, uint begin, uint end, uint how, HELD peak) {
  HELD folded = neutral(how);
  for (uint k = begin + lane(); k < end; k += lanes) {
    const uint at = first + offset(k, reduced_axes, reduced_extents, reduced_strides);
    const HELD one = of_partials ? partial_term(partials_in[at], how, peak) : term(load(x[at]), how, peak);
    folded = combine(folded, one, how);
  }
  return combined(folded, how);
}

void main() {
  const uint group = group_index(), slice = group % slices, o = group / slices * lines_here() + place();
  const bool live = o < outputs;
  const uint begin = min(slice * slice_terms, terms), end = live ? min(begin + slice_terms, terms) : begin;
  const uint first = live ? offset(o, kept_axes, kept_extents, kept_strides) : 0u;
  HELD result;
#ifdef HAS_LOG_SUM_EXP
  if (function == LOG_SUM_EXP) {
    const HELD peak = fold(first, begin, end, MAX, neutral(MAX));
    result = with_peak(peak, fold(first, begin, end, LOG_SUM_EXP, peak));
  } else
#endif
    result = fold(first, begin, end, function, neutral(function));
  if (!live || lane() != 0u) return;
  if (to_partials) partials_out[o * slices + slice] = result;
  else y[o] = store(finish(result, count));
}
