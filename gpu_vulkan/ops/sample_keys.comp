#version 450
// variants: f32 f16 bf16 f64
// Logits over the temperature as keys, by whose bits tokens are ranked (ops.md B.4).
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"
#ifdef VARIANT_f64
#define PAIR dvec2
#define VARIANT_w8 1
#else
#define PAIR vec2
#define VARIANT_w4 1
#endif
#include "gpu_vulkan/kernels/sort/ordered.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Logits { STORED logits[]; };
layout(set = 0, binding = 1) writeonly buffer Keys { KEY keys[]; };
#define FAULTS_BINDING 2
#include "gpu_vulkan/glsl/faults.glsl"
layout(push_constant) uniform Block {
  uvec2 factor;  // the bits of the temperature's significand, in [1, 2)
  int exponent;  // that of the temperature
  uint elements, node;
};

#ifdef VARIANT_f64
COMPUTED number(uvec2 bits) { return packDouble2x32(bits); }
KEY key_of(COMPUTED z) { return key_of(unpackDouble2x32(z), FLOAT); }
#else
COMPUTED number(uvec2 bits) { return uintBitsToFloat(bits.x); }
KEY key_of(COMPUTED z) { return key_of(floatBitsToUint(z), FLOAT); }
#endif

/// a / b within 0.51 ulp, both in [1, 2): the rest of a division is exact, fused or not.
precise COMPUTED nearest_quotient(COMPUTED a, COMPUTED b) {
  const COMPUTED q = a / b;
  const PAIR product = product_of(q, b);
  return q + ((a - product.x) - product.y) / b;
}

COMPUTED over_temperature(COMPUTED logit) {
  if (is_zero(logit) || is_nan(logit) || is_infinite(logit)) return logit;
  int own;
  const COMPUTED m = significand_of(logit, own);
  return with_sign(scale(nearest_quotient(m, number(factor)), own - exponent), logit);
}

void main() {
  const uint i = invocation_index();
  if (i >= elements) return;
  const COMPUTED logit = load(logits[i]);
  if (is_nan(logit)) fault(node, i, uvec2(0u));
  keys[i] = key_of(over_temperature(logit));
}
