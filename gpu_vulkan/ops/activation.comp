#version 450
// variants: f32 f16 bf16 f64
// y = function(x; alpha, beta)
#extension GL_GOOGLE_include_directive : require
#define OPERANDS 1
#include "gpu_vulkan/kernels/elementwise/elementwise.glsl"

const uint LEAKY_RELU = 0u, ELU = 1u, SELU = 2u, CELU = 3u, SWISH = 4u, HARD_SIGMOID = 5u, THRESHOLDED_RELU = 6u,
           SHRINK = 7u;  // as ir::ops::ActivationFunction
layout(constant_id = 4) const uint function = LEAKY_RELU;
layout(constant_id = 5) const uint alpha_low = 0;
layout(constant_id = 6) const uint alpha_high = 0;
layout(constant_id = 7) const uint beta_low = 0;
layout(constant_id = 8) const uint beta_high = 0;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 0) readonly buffer PackedX { PACKED packed_x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 1) writeonly buffer PackedY { PACKED packed_y[]; };

#ifdef VARIANT_f64
#include "gpu_vulkan/kernels/elementwise/parametrised_f64.glsl"

double apply(double v) {
  const double alpha = packDouble2x32(uvec2(alpha_low, alpha_high)), beta = packDouble2x32(uvec2(beta_low, beta_high));
  if (is_nan(v)) return v;
  switch (function) {
    case LEAKY_RELU: return sign_of(v) == 0u ? v : scaled(v, alpha);
    case ELU: return sign_of(v) == 0u ? v : eluf(v, alpha);
    case SELU: return sign_of(v) == 0u ? scaled(v, beta) : seluf(v, alpha, beta);
    case CELU: return sign_of(v) == 0u ? v : celuf(v, alpha);
    case SWISH: return swishf(v, alpha);
    case HARD_SIGMOID: {
      const double s = fma(alpha, v, beta);
      return is_nan(s) ? s : clamp(s, 0.0lf, 1.0lf);
    }
    case THRESHOLDED_RELU: return v > alpha ? v : 0.0lf;
    case SHRINK: return v < -alpha ? v + beta : v > alpha ? v - beta : 0.0lf;
    default: return scaled_tanhf(v, alpha, beta);
  }
}
#else
#include "gpu_vulkan/glsl/fused.glsl"
#include "gpu_vulkan/kernels/elementwise/parametrised.glsl"

float apply(float v) {
  const float alpha = uintBitsToFloat(alpha_low), beta = uintBitsToFloat(beta_low);
  if (is_nan(v)) return v;
  switch (function) {
    case LEAKY_RELU: return is_negative(v) ? scaled(v, alpha) : v;
    case ELU: return is_positive(v) ? v : eluf(v, alpha);
    case SELU: return is_positive(v) ? scaled(v, beta) : seluf(v, alpha, beta);
    case CELU: return is_positive(v) ? v : celuf(v, alpha);
    case SWISH: return swishf(v, alpha);
    case HARD_SIGMOID: return unit_clamp(fused(alpha, v, beta, false));
    case THRESHOLDED_RELU: return order_of(v) > order_of(alpha) ? v : 0.0;
    case SHRINK: return shrunk(v, alpha, beta);
    default: return scaled_tanhf(v, alpha, beta);
  }
}
#endif

PACKED operand_x(uint q, uint n) {
  PACKED p;
  if (is_packed && n == PACK) return packed_x[q];
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) pack(p, i, load(x[q * width + i]));
  return p;
}

void store_unit(uint q, uint n, PACKED r) {
  if (is_packed && n == PACK) {
    packed_y[q] = r;
    return;
  }
  [[unroll]] for (uint i = 0; i < width; ++i)
    if (i < n) y[q * width + i] = store(unpack(r, i));
}

void main() {
  PACKED v[MOST_UNITS];
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    v[u] = operand_x(q, n);
  }
  [[unroll]] for (uint u = 0; u < units; ++u) {
    const uint q = unit(u), n = elements_in(q);
    PACKED r;
    [[unroll]] for (uint i = 0; i < width; ++i) pack(r, i, apply(unpack(v[u], i)));
    store_unit(q, n, r);
  }
}
