// Which workgroup and invocation this is, when the host folded a long row of
// workgroups into two dimensions (groups_for in lower.cpp).
#ifndef PLUMB_INDEX_GLSL
#define PLUMB_INDEX_GLSL

uint group_index() { return gl_WorkGroupID.x + gl_WorkGroupID.y * gl_NumWorkGroups.x; }

uint invocation_index() { return group_index() * gl_WorkGroupSize.x + gl_LocalInvocationID.x; }

#endif
