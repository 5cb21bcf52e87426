#version 450
// Softmax of rows that stay in registers.
// variants: f32 f16 f16_native bf16
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/kernels/rows/softmax_rows.glsl"
