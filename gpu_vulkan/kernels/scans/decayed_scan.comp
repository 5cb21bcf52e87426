#version 450
// Rows of states that decay by factors that are given (ir::kernels::DecayedScan). `lanes` invocations hold a row,
// `each` states of it each in registers, and walk along the steps of a chunk; what they read of their states in
// `tile` steps meets in shared memory, where one invocation an element adds it up in a chain.
//
// Where rows are few and steps many, chunks are walked side by side: first each from a state of 0, of which the product
// of its factors and its last state are kept (stage FIRST); with these decayed_states.comp makes the states that chunks
// begin with, and then each is walked from the one that is its own (stage WHOLE).
// variants: f32 f16 bf16 f64
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/math_f64.glsl"
#else
#include "gpu_vulkan/glsl/math.glsl"
#endif

const uint WHOLE = 0u, FIRST = 1u;
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint lanes = 1;
layout(constant_id = 2) const uint each = 1;
layout(constant_id = 3) const uint stage = WHOLE;
layout(constant_id = 4) const bool differs_by_state = false;
layout(constant_id = 5) const bool has_skip = false;
layout(constant_id = 6) const bool begins = false;  // with states that are given, else 0

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer Dt { STORED dt[]; };
layout(set = 0, binding = 2) readonly buffer A { STORED a[]; };
layout(set = 0, binding = 3) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 4) readonly buffer C { STORED c[]; };
layout(set = 0, binding = 5) readonly buffer D { STORED d[]; };
layout(set = 0, binding = 6) readonly buffer Begun { COMPUTED begun[]; };  // by chunk, then as states
layout(set = 0, binding = 7) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 8) writeonly buffer Ends { COMPUTED ends[]; };  // the last state; of FIRST, those of chunks
layout(set = 0, binding = 9) writeonly buffer Way { COMPUTED way[]; };    // on the way; of FIRST, products of factors
layout(push_constant) uniform Block {
  uint all_rows, rows_of_batch, rows, heads, heads_of_group, groups, size, steps, every, chunk_steps, chunks, blocks;
};

const uint tile = 16u;
shared COMPUTED held[tile * gl_WorkGroupSize.x];

void main() {
  const uint rows_here = gl_WorkGroupSize.x / lanes, thread = gl_LocalInvocationID.x;
  const uint lane = thread % lanes, chunk = group_index() / blocks, first_row = group_index() % blocks * rows_here;
  if (chunk >= chunks) return;  // all of a workgroup
  const uint any_row = first_row + thread / lanes, row = min(any_row, all_rows - 1u);
  const bool is_mine = any_row < all_rows;
  const uint batch = row / rows_of_batch, in_batch = row % rows_of_batch, head = in_batch / rows;
  const uint group = head / heads_of_group, begin = chunk * chunk_steps, end = min(begin + chunk_steps, steps);
  COMPUTED h[each], product[each];
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint s = lane + e * lanes;
    h[e] = begins && stage == WHOLE && s < size ? begun[(chunk * all_rows + row) * size + s] : COMPUTED(0);
    product[e] = COMPUTED(1);
  }
  for (uint from = begin; from < end; from += tile) {
    const uint count = min(tile, end - from);
    for (uint k = 0u; k < count; ++k) {
      const uint step = batch * steps + from + k, of_group = (step * groups + group) * size;
      const COMPUTED by = load(dt[step * heads + head]), added = by * load(x[step * rows_of_batch + in_batch]);
      const COMPUTED factor = differs_by_state ? COMPUTED(0) : expf(by * load(a[head]));
      COMPUTED sum = COMPUTED(0);
      [[unroll]] for (uint e = 0u; e < each; ++e) {
        const uint s = lane + e * lanes;
        if (s >= size) continue;
        const COMPUTED kept = differs_by_state ? expf(by * load(a[head * size + s])) : factor;
        h[e] = kept * h[e] + added * load(b[of_group + s]);
        if (stage == FIRST)
          product[e] *= kept;
        else
          sum += load(c[of_group + s]) * h[e];
        const uint done = from + k + 1u;
        if (stage == WHOLE && every > 0u && is_mine && done % every == 0u)
          way[((done / every - 1u) * all_rows + row) * size + s] = h[e];
      }
      held[k * gl_WorkGroupSize.x + thread] = sum;
    }
    if (stage == FIRST) continue;
    barrier();
    for (uint i = thread; i < count * rows_here; i += gl_WorkGroupSize.x) {
      const uint k = i / rows_here, place = i % rows_here, of = first_row + place;
      if (of >= all_rows) continue;
      COMPUTED sum = held[k * gl_WorkGroupSize.x + place * lanes];
      for (uint l = 1u; l < lanes; ++l) sum += held[k * gl_WorkGroupSize.x + place * lanes + l];
      const uint at = (of / rows_of_batch * steps + from + k) * rows_of_batch + of % rows_of_batch;
      if (has_skip) sum += load(d[of % rows_of_batch / rows]) * load(x[at]);
      y[at] = store(sum);
    }
    barrier();
  }
  if (!is_mine || (stage == WHOLE && chunk + 1u < chunks)) return;
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint s = lane + e * lanes;
    if (s >= size) continue;
    const uint at = (stage == FIRST ? chunk * all_rows + row : row) * size + s;
    ends[at] = h[e];
    if (stage == FIRST) way[at] = product[e];
  }
}
