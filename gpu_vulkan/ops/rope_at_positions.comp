#version 450
// Rotary position embedding by positions that are read from a buffer.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#define POSITIONS
#include "gpu_vulkan/glsl/rope.glsl"
