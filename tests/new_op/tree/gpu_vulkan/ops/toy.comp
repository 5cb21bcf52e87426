#version 450
layout(local_size_x = 64) in;

layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Block { uint count; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count) y[i] = 2 * x[i];
}
