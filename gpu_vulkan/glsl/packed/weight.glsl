// One packed weight as f32, of any format (ops.md A). The includer declares the constants `format`, `block_bytes`,
// `scale_type`, that of real scales, and `has_zero_points`, and buffers of words: codes[], scales[] and zero_points[].
#ifndef PLUMB_PACKED_WEIGHT_GLSL
#define PLUMB_PACKED_WEIGHT_GLSL

#include "gpu_vulkan/glsl/packed/beside_scales.glsl"
#include "gpu_vulkan/glsl/packed/small_blocks.glsl"
#include "gpu_vulkan/glsl/packed/super_blocks.glsl"

const uint SCALES_F16 = 7u, SCALES_F32 = 9u, SCALES_F64 = 10u;  // as ir::DType; bf16 otherwise

/// Whether codes lie beside real scales, of which `group` numbers one.
bool has_real_scales() { return format >= INT8 && format <= FP8_E5M2; }

/// Number i of 16 or 32 bits as f32.
float narrow_scale(uint pair, uint word, uint i) {
  if (scale_type == SCALES_F32) return uintBitsToFloat(word);
  const uint bits = bitfieldExtract(pair, int(i & 1u) * 16, 16);
  return scale_type == SCALES_F16 ? float_from_f16(bits) : float_from_bf16(bits);
}
float scale_at(uint i) { return narrow_scale(scales[i >> 1], scales[scale_type == SCALES_F32 ? i : 0u], i); }
float zero_point_at(uint i) {
  return narrow_scale(zero_points[i >> 1], zero_points[scale_type == SCALES_F32 ? i : 0u], i);
}

precise float affine(float code, uint group) {
  return has_zero_points ? (code - zero_point_at(group)) * scale_at(group) : code * scale_at(group);
}

/// Weight i, counted through all rows, which have whole blocks.
float weight_at(uint i, uint group) {
  if (format <= MXFP4) return small_block(format, (i >> 5) * block_bytes, i & 31u);
  if (format <= IQ4_XS) return super_block(format, (i >> 8) * block_bytes, i & 255u);
  if (has_real_scales()) return affine(code_value(format, i), group);
  return mx_value(code_value(format, i), bitfieldExtract(scales[i >> 7], int(i >> 5 & 3u) * 8, 8));
}

#endif
