// The functions of gates, cells and hidden states (ops.md 11), by the number of ir::kernels::RecurrentActivation, in
// the compute type of a variant.
#ifndef PLUMB_ACTIVATED_GLSL
#define PLUMB_ACTIVATED_GLSL

#include "gpu_vulkan/glsl/element.glsl"
#ifdef VARIANT_f64
#include "gpu_vulkan/kernels/elementwise/activation_f64.glsl"
#else
#include "gpu_vulkan/kernels/elementwise/activation.glsl"
#endif

const uint SIGMOID = 0u, TANH = 1u, RELU = 2u, HARD_SIGMOID = 3u, SOFTSIGN = 4u, SOFTPLUS = 5u;

precise COMPUTED hard_sigmoid(COMPUTED z) {
  const COMPUTED y = COMPUTED(0.2lf) * z + COMPUTED(0.5);
  return is_nan(y) ? y : clamp(y, COMPUTED(0), COMPUTED(1));
}

COMPUTED activated(uint function, COMPUTED z) {
  switch (function) {
    case SIGMOID: return sigmoidf(z);
    case TANH: return tanhf(z);
    case RELU: return is_nan(z) || sign_of(z) == 0u ? z : COMPUTED(0);
    case HARD_SIGMOID: return hard_sigmoid(z);
    case SOFTSIGN: return softsignf(z);
    case SOFTPLUS: return softplusf(z);
    default: return z;
  }
}

#endif
