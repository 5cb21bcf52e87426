// The buffers of a matrix product, and what becomes of a sum: after
// gemm_element.glsl and gemm.glsl.
#ifndef PLUMB_GEMM_OPERANDS_GLSL
#define PLUMB_GEMM_OPERANDS_GLSL

layout(set = 0, binding = 0) readonly buffer A { STORED a[]; };
layout(set = 0, binding = 1) readonly buffer B { STORED b[]; };
layout(set = 0, binding = 2) readonly buffer C { STORED c[]; };
layout(set = 0, binding = 3) writeonly buffer Y { RESULT y[]; };

COMPUTED finished(COMPUTED sum, uint row, uint column) {
#if defined(VARIANT_f64)
  if ((flags & SCALED) != 0u) sum *= packDouble2x32(uvec2(alpha[0], alpha[1]));
  if ((flags & HAS_C) != 0u) sum += packDouble2x32(uvec2(beta[0], beta[1])) * load(c[position_in_c(row, column)]);
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16)
  if ((flags & SCALED) != 0u) sum *= uintBitsToFloat(alpha[0]);
  if ((flags & HAS_C) != 0u) sum += uintBitsToFloat(beta[0]) * load(c[position_in_c(row, column)]);
#endif
  return sum;
}

#endif
