// Rows of neighbouring elements that are read once, stay in registers, and are written once. `lanes`
// invocations, a power of two, hold a row: neighbouring lanes hold neighbouring units, of PACK elements
// or of one, `units` of them each. They agree by shuffles in a subgroup, and across
// subgroups through shared memory, in an order that depends on the shape and the size of subgroups only.
// The includer defines HELD, what an invocation brings to the agreement, and
//   HELD combine(HELD a, HELD b, uint how)
// which must not mind the order of a and b; or AGREES_OTHERWISE.
//
// Loops whose bounds are specialization constants ask to be unrolled. Others must not: spirv-opt would do it,
// and forget what is `precise` in the copies.
#ifndef PLUMB_ROWS_GLSL
#define PLUMB_ROWS_GLSL

#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_basic : require
#ifndef AGREES_OTHERWISE
#extension GL_KHR_shader_subgroup_shuffle : require
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint lanes = 1;
layout(constant_id = 2) const uint units = 1;
layout(constant_id = 3) const bool is_packed = false;  // a unit is PACK elements
layout(constant_id = 4) const bool is_full = false;    // rows are lanes·units units long, not shorter
layout(constant_id = 5) const uint subgroup_size = 1;

const uint width = is_packed ? PACK : 1u;

// Not gl_LocalInvocationID: which of them share a subgroup is the device's own affair.
uint invocation() { return gl_SubgroupID * subgroup_size + gl_SubgroupInvocationID; }
uint lane() { return invocation() % lanes; }
uint row() { return group_index() * (gl_WorkGroupSize.x / lanes) + invocation() / lanes; }

/// Which unit of its row unit u of a lane is, and whether the row has it.
uint unit_of(uint u) { return u * lanes + lane(); }
bool has_unit(uint u, uint row_units) { return is_full || unit_of(u) < row_units; }

#ifndef AGREES_OTHERWISE
shared HELD agreed[2][gl_WorkGroupSize.x / subgroup_size];

// Lanes of a row that share a subgroup, its subgroups, how many of these meet by shuffles at once, and how often.
const uint lanes_together = lanes < subgroup_size ? lanes : subgroup_size;
const uint row_subgroups = lanes / lanes_together;
const uint met_by_shuffles = row_subgroups < subgroup_size ? row_subgroups : subgroup_size;
const uint rounds = row_subgroups / met_by_shuffles;

/// `mine` combined over `count` neighbours in a subgroup, a power of two; neighbours meet first.
HELD combined_in_subgroup(HELD mine, uint count, uint how) {
  [[unroll]] for (uint apart = 1u; apart < count; apart *= 2u)
    mine = combine(mine, subgroupShuffleXor(mine, apart), how);
  return mine;
}

/// `mine` combined over all lanes of this row; every invocation must come here. `turn` is 0 and 1 in turns:
/// the numbers of one call in shared memory may still be read while the next call writes.
HELD combined(HELD mine, uint how, uint turn) {
  mine = combined_in_subgroup(mine, lanes_together, how);
  if (row_subgroups == 1u) return mine;
  const uint first = invocation() / lanes * row_subgroups;
  if (gl_SubgroupInvocationID == 0u) agreed[turn][gl_SubgroupID] = mine;
  barrier();
  HELD met[rounds];
  [[unroll]] for (uint k = 0u; k < rounds; ++k)
    met[k] = combined_in_subgroup(
        agreed[turn][first + k * met_by_shuffles + gl_SubgroupInvocationID % met_by_shuffles], met_by_shuffles, how);
  [[unroll]] for (uint apart = 1u; apart < rounds; apart *= 2u)
    [[unroll]] for (uint k = 0u; k < rounds; k += 2u * apart) met[k] = combine(met[k], met[k + apart], how);
  return met[0];
}
#endif

#endif
