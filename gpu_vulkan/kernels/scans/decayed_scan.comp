#version 450
// Rows of states that decay by factors that are given (ir::kernels::DecayedScan). `lanes` invocations hold a row,
// `each` states of it each in registers, and walk along the steps of a chunk; what they read of their states in
// `tile` steps meets in shared memory, where one invocation an element adds it up in a chain. Data of `at_once` steps
// are read before any of these is computed, as memory answers late.
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

const uint tile = 16u, at_once = 4u;
// One place more for each row keeps shared memory's banks apart where rows are added up.
const uint pitch = gl_WorkGroupSize.x + (lanes > 1u ? gl_WorkGroupSize.x / lanes : 0u);
shared COMPUTED held[tile * pitch];

uint place_of(uint k, uint thread) { return k * pitch + thread + (lanes > 1u ? thread / lanes : 0u); }

// The data of at_once steps: dt, x, b, c.
COMPUTED by[at_once], given[at_once], taken[at_once * each], asked[at_once * each];

/// The row of an invocation.
struct Row {
  uint row, batch, in_batch, head, group;
  bool is_mine;
};

Row row_of(uint any_row) {
  const uint row = min(any_row, all_rows - 1u), in_batch = row % rows_of_batch, head = in_batch / rows;
  return Row(row, row / rows_of_batch, in_batch, head, head / heads_of_group, any_row < all_rows);
}

/// Reads the data of `at_once` steps from `from` on; beyond `last` they are those of the last once more.
void read_steps(Row of, uint lane, uint from, uint last) {
  [[unroll]] for (uint j = 0u; j < at_once; ++j) {
    const uint step = of.batch * steps + min(from + j, last), of_group = (step * groups + of.group) * size;
    by[j] = load(dt[step * heads + of.head]);
    given[j] = load(x[step * rows_of_batch + of.in_batch]);
    [[unroll]] for (uint e = 0u; e < each; ++e) {
      const uint at = of_group + min(lane + e * lanes, size - 1u);
      taken[j * each + e] = load(b[at]);
      if (stage == WHOLE) asked[j * each + e] = load(c[at]);
    }
  }
}

/// Adds up what lanes have of `count` steps from `from` on.
void answer(uint from, uint count, uint first_row) {
  const uint rows_here = gl_WorkGroupSize.x / lanes;
  for (uint i = gl_LocalInvocationID.x; i < count * rows_here; i += gl_WorkGroupSize.x) {
    const uint k = i / rows_here, place = i % rows_here, of = first_row + place;
    if (of >= all_rows) continue;
    const uint first = place_of(k, place * lanes);
    COMPUTED sum = held[first];
    for (uint l = 1u; l < lanes; ++l) sum += held[first + l];
    const uint at = (of / rows_of_batch * steps + from + k) * rows_of_batch + of % rows_of_batch;
    if (has_skip) sum += load(d[of % rows_of_batch / rows]) * load(x[at]);
    y[at] = store(sum);
  }
}

void main() {
  const uint thread = gl_LocalInvocationID.x, lane = thread % lanes, chunk = group_index() / blocks;
  const uint first_row = group_index() % blocks * (gl_WorkGroupSize.x / lanes);
  if (chunk >= chunks) return;  // all of a workgroup
  const Row of = row_of(first_row + thread / lanes);
  const uint begin = chunk * chunk_steps, end = min(begin + chunk_steps, steps);
  COMPUTED h[each], product[each], rate[each];
  const COMPUTED rate_of_head = load(a[differs_by_state ? 0u : of.head]);
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint s = lane + e * lanes;
    h[e] = begins && stage == WHOLE && s < size ? begun[(chunk * all_rows + of.row) * size + s] : COMPUTED(0);
    product[e] = COMPUTED(1);
    rate[e] = differs_by_state ? load(a[of.head * size + min(s, size - 1u)]) : rate_of_head;
  }
  for (uint from = begin; from < end; from += tile) {
    const uint count = min(tile, end - from);
    for (uint first = 0u; first < count; first += at_once) {
      read_steps(of, lane, from + first, end - 1u);
      [[unroll]] for (uint j = 0u; j < at_once; ++j) {
        const uint k = first + j, done = from + k + 1u;
        if (k >= count) continue;
        const COMPUTED added = by[j] * given[j], factor = differs_by_state ? COMPUTED(0) : expf(by[j] * rate_of_head);
        COMPUTED sum = COMPUTED(0);
        [[unroll]] for (uint e = 0u; e < each; ++e) {
          const uint s = lane + e * lanes;
          if (s >= size) continue;
          const COMPUTED kept = differs_by_state ? expf(by[j] * rate[e]) : factor;
          h[e] = kept * h[e] + added * taken[j * each + e];
          if (stage == FIRST)
            product[e] *= kept;
          else
            sum += asked[j * each + e] * h[e];
          if (stage == WHOLE && every > 0u && of.is_mine && done % every == 0u)
            way[((done / every - 1u) * all_rows + of.row) * size + s] = h[e];
        }
        if (stage == WHOLE) held[place_of(k, thread)] = sum;
      }
    }
    if (stage == FIRST) continue;
    barrier();
    answer(from, count, first_row);
    barrier();
  }
  if (!of.is_mine || (stage == WHOLE && chunk + 1u < chunks)) return;
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint s = lane + e * lanes;
    if (s >= size) continue;
    const uint at = (stage == FIRST ? chunk * all_rows + of.row : of.row) * size + s;
    ends[at] = h[e];
    if (stage == FIRST) way[at] = product[e];
  }
}
