#version 450
// Layer norm of lines of any length, modulated by 1 + scale.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#define CENTERED
#define FACTOR(scale) (REAL(1) + (scale))
#include "gpu_vulkan/kernels/norms/normalize.glsl"
