#version 450
// Mean and variance norm of rows that stay in registers.
// variants: f32 f16 f16_native bf16
#extension GL_GOOGLE_include_directive : require
#define CENTERED
#define EPSILON_OUTSIDE
#include "gpu_vulkan/kernels/norms/normalize_rows.glsl"
