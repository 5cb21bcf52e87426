#version 450
// Log-softmax of rows that stay in registers.
// variants: f32 f16 f16_native bf16
#extension GL_GOOGLE_include_directive : require
#define LOGARITHM
#include "gpu_vulkan/kernels/rows/softmax_rows.glsl"
