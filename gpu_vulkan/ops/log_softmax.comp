#version 450
// Log-softmax of lines of any length.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#define LOGARITHM
#include "gpu_vulkan/kernels/rows/softmax.glsl"
