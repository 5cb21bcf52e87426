// The unroller copies the body of this loop without NoContraction: tests/shaders/precise.py must say so.
#version 460
#extension GL_EXT_control_flow_attributes : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Numbers { vec4 numbers[]; };

void main() {
  vec4 v = numbers[gl_GlobalInvocationID.x];
  [[unroll]] for (int k = 0; k < 4; ++k) {
    precise float product = v[k] * v[k] + 1.5;
    v[k] = product;
  }
  numbers[gl_GlobalInvocationID.x] = v;
}
