#version 450
// The gated delta rule, step after step. `lanes` invocations hold a column of a head's state, `each` of its rows
// each in registers. What the state knows of a key has to be agreed upon at every step, by way of shared memory;
// the answers to queries meet there after some steps, where one invocation an element adds them up in a chain.
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

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint lanes = 1;
layout(constant_id = 2) const uint each = 1;
layout(constant_id = 3) const bool has_decay = false;
layout(constant_id = 4) const bool decays_rows = false;
layout(constant_id = 5) const bool has_beta = false;
layout(constant_id = 6) const bool begins = false;  // with a state that is given, else 0

layout(set = 0, binding = 0) readonly buffer Q { STORED q[]; };
layout(set = 0, binding = 1) readonly buffer K { STORED k[]; };
layout(set = 0, binding = 2) readonly buffer V { STORED v[]; };
layout(set = 0, binding = 3) readonly buffer Decay { STORED decay[]; };
layout(set = 0, binding = 4) readonly buffer Beta { STORED beta[]; };
layout(set = 0, binding = 5) readonly buffer First { COMPUTED first[]; };
layout(set = 0, binding = 6) writeonly buffer O { STORED o[]; };
layout(set = 0, binding = 7) writeonly buffer Last { COMPUTED last[]; };
layout(set = 0, binding = 8) writeonly buffer Way { COMPUTED way[]; };  // states on the way
layout(push_constant) uniform Block {
  uvec2 scale_bits;  // an f32 has the first alone
  uint parts, heads, steps, every, dk, dv, column_blocks, query_blocks, all_queries, queries, queries_here;
};

#ifdef VARIANT_f64
#define SCALE packDouble2x32(scale_bits)
#else
#define SCALE uintBitsToFloat(scale_bits.x)
#endif

const uint slots = 16u;  // answers that are kept until they are added up
shared COMPUTED held[slots * gl_WorkGroupSize.x];
shared COMPUTED agreed[2u * gl_WorkGroupSize.x];
// Neighbours have neighbouring columns, which lie beside each other in a state.
const uint columns_here = gl_WorkGroupSize.x / lanes;

/// The sum of what all lanes of a column have; what one call leaves may still be read during the next.
COMPUTED sum_of_lanes(COMPUTED mine, uint turn) {
  if (lanes == 1u) return mine;
  const uint thread = gl_LocalInvocationID.x, first = turn * gl_WorkGroupSize.x;
  agreed[first + thread] = mine;
  barrier();
  const uint from = first + thread % columns_here;
  COMPUTED sum = agreed[from];
  [[unroll]] for (uint l = 1u; l < lanes; ++l) sum += agreed[from + l * columns_here];
  return sum;
}

// The operands of a step, with its first query alone.
COMPUTED keys[each], asks[each], decays[each], value, rate;

/// Reads what step `step` of all batches has, before the step in front of it is computed: memory answers late.
void read_ahead(uint step, uint head, uint lane, uint column, uint first_query) {
  const uint of_head = step * heads + head;
  value = load(v[of_head * dv + column]);
  if (has_beta) rate = load(beta[of_head]);
  const COMPUTED decay_of_head = has_decay && !decays_rows ? load(decay[of_head]) : COMPUTED(0);
  [[unroll]] for (uint e = 0u; e < each; ++e) decays[e] = decay_of_head;
  if (dk == 0u) return;
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint i = min(lane + e * lanes, dk - 1u);
    keys[e] = load(k[of_head * dk + i]);
    if (all_queries > 0u) asks[e] = load(q[(step * all_queries + first_query) * dk + i]);
    if (decays_rows) decays[e] = load(decay[of_head * dk + i]);
  }
}

/// Adds up what lanes have of `count` steps from `step` on, for so many queries a step, and writes it.
void answer(uint step, uint count, uint asked, uint of_queries, uint first_column) {
  for (uint i = gl_LocalInvocationID.x; i < count * asked * columns_here; i += gl_WorkGroupSize.x) {
    const uint slot = i / columns_here, place = i % columns_here, column = first_column + place;
    if (column >= dv) continue;
    const uint at = slot * gl_WorkGroupSize.x + place;
    COMPUTED sum = held[at];
    for (uint l = 1u; l < lanes; ++l) sum += held[at + l * columns_here];
    const uint of_query = (step + slot / asked) * all_queries + of_queries + slot % asked;
    o[of_query * dv + column] = store(SCALE * sum);
  }
}

void main() {
  const uint thread = gl_LocalInvocationID.x, lane = thread / columns_here;
  const uint blocks = column_blocks * query_blocks, part = group_index() / blocks;  // a head of a batch
  if (part >= parts) return;  // all of a workgroup
  const uint block = group_index() % blocks, query_block = block / column_blocks;
  const uint first_column = block % column_blocks * columns_here, any_column = first_column + thread % columns_here;
  const uint column = min(any_column, dv - 1u), batch = part / heads, head = part % heads;
  const bool gives_states = any_column < dv && query_block == 0u;
  const uint first_query = query_block * queries_here, asked = min(queries_here, queries - first_query);
  const uint of_queries = head * queries + first_query, tile = slots / queries_here;
  COMPUTED s[each];
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint i = lane + e * lanes;
    s[e] = begins && i < dk ? first[(part * dk + i) * dv + column] : COMPUTED(0);
  }
  if (steps > 0u) read_ahead(batch * steps, head, lane, column, of_queries);
  for (uint from = 0u; from < steps; from += tile) {
    const uint count = min(tile, steps - from);
    for (uint n = 0u; n < count; ++n) {
      const uint step = batch * steps + from + n, done = from + n + 1u;
      COMPUTED key[each], ask[each], known = COMPUTED(0), change = value;
      const COMPUTED factor = has_decay && !decays_rows ? expf(decays[0]) : COMPUTED(1), share = rate;
      [[unroll]] for (uint e = 0u; e < each; ++e) {
        key[e] = keys[e];
        ask[e] = asks[e];
        if (lane + e * lanes >= dk) continue;
        if (has_decay) s[e] *= decays_rows ? expf(decays[e]) : factor;
        if (has_beta) known += s[e] * key[e];
      }
      if (done < steps) read_ahead(step + 1u, head, lane, column, of_queries);
      if (has_beta) change = share * (change - sum_of_lanes(known, (from + n) % 2u));
      [[unroll]] for (uint e = 0u; e < each; ++e) {
        const uint i = lane + e * lanes;
        if (i >= dk) continue;
        s[e] += key[e] * change;
        if (every > 0u && gives_states && done % every == 0u)
          way[(((done / every - 1u) * parts + part) * dk + i) * dv + column] = s[e];
      }
      for (uint g = 0u; g < asked; ++g) {
        const uint of_query = (step * all_queries + of_queries + g) * dk;
        COMPUTED sum = COMPUTED(0);
        [[unroll]] for (uint e = 0u; e < each; ++e) {
          const uint i = lane + e * lanes;
          if (i < dk) sum += s[e] * (g == 0u ? ask[e] : load(q[of_query + i]));
        }
        held[(n * asked + g) * gl_WorkGroupSize.x + thread] = sum;
      }
    }
    barrier();
    answer(batch * steps + from, count, asked, of_queries, first_column);
    barrier();
  }
  if (!gives_states) return;
  [[unroll]] for (uint e = 0u; e < each; ++e) {
    const uint i = lane + e * lanes;
    if (i < dk) last[(part * dk + i) * dv + column] = s[e];
  }
}
