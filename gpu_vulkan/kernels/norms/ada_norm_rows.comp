#version 450
// Layer norm of rows that stay in registers, modulated by 1 + scale.
// variants: f32 f16 f16_native bf16
#extension GL_GOOGLE_include_directive : require
#define CENTERED
#define FACTOR(scale) (1.0 + (scale))
#include "gpu_vulkan/kernels/norms/normalize_rows.glsl"
