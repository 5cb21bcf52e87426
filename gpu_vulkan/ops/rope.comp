#version 450
// Rotary position embedding by positions in order.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/rope.glsl"
