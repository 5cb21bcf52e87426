// Which workgroup and invocation this is, when the host folded a long row of
// workgroups into two dimensions (groups_for in lower.cpp).
#ifndef PLUMB_INDEX_GLSL
#define PLUMB_INDEX_GLSL

// Declared here because gl_WorkGroupSize counts as 1 in code that stands before its
// declaration. A shader may declare more: y, or the same again.
layout(local_size_x_id = 0) in;

uint group_index() { return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x; }

uint invocation_index() { return group_index() * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

#endif
