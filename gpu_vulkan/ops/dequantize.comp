#version 450
// variants: w32 f64
// Packed codes as numbers: an invocation reads four neighbours of one row or more and stores them at once. Rows have
// whole blocks, so that blocks are counted through all of them. The variant is what 64-bit types it needs of the
// device; format and dtypes are constants.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#include "gpu_vulkan/glsl/convert.glsl"
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint format = 0;
layout(constant_id = 2) const uint to = 9;
layout(constant_id = 3) const uint scale_type = 9;  // that of real scales
layout(constant_id = 4) const bool has_zero_points = false;
layout(constant_id = 5) const uint block_bytes = 18;

layout(set = 0, binding = 0) readonly buffer Codes { uint codes[]; };
layout(set = 0, binding = 1) readonly buffer Scales { uint scales[]; };
layout(set = 0, binding = 2) readonly buffer ZeroPoints { uint zero_points[]; };
layout(set = 0, binding = 3) writeonly buffer Y16 { uint16_t y16[]; };
layout(set = 0, binding = 3) writeonly buffer Y32 { uint y32[]; };
layout(set = 0, binding = 3) writeonly buffer Y64 { uvec2 y64[]; };
layout(set = 0, binding = 3) writeonly buffer Y128 { uvec4 y128[]; };
layout(push_constant) uniform Block {
  uvec2 by_row, by_block;  // the latter: elements that share a scale
  uint count;              // elements of y
  uint row;                // elements of a row
  uint scales_of_row;
};

#include "gpu_vulkan/glsl/packed/weight.glsl"

#ifdef HAS_F64
precise double wide_affine(float code, uint group) {
  const double scale = packDouble2x32(uvec2(scales[2u * group], scales[2u * group + 1u]));
  if (!has_zero_points) return double(code) * scale;
  return (double(code) - packDouble2x32(uvec2(zero_points[2u * group], zero_points[2u * group + 1u]))) * scale;
}
#endif

/// The bits of element i in dtype `to`.
uvec2 element(uint i) {
  uint group = 0;
  if (has_real_scales()) {
    const uint at_row = divide(i, by_row);
    group = at_row * scales_of_row + divide(i - at_row * row, by_block);
  }
#ifdef HAS_F64
  if (has_real_scales() && scale_type == F64) return from_double(wide_affine(code_value(format, i), group), to);
#endif
  return from_float(weight_at(i, group), to);
}

void main() {
  const uint unit = invocation_index(), first = 4u * unit;
  if (first >= count) return;
  uvec2 bits[4];
  // Not unrolled here: the module would have all formats four times.
  for (uint e = 0; e < 4u; ++e) bits[e] = element(min(first + e, count - 1u));
  if (first + 4u <= count) {
    if (to == F64) {
      y128[2u * unit] = uvec4(bits[0], bits[1]);
      y128[2u * unit + 1u] = uvec4(bits[2], bits[3]);
    } else if (to == F32) {
      y128[unit] = uvec4(bits[0].x, bits[1].x, bits[2].x, bits[3].x);
    } else {
      y64[unit] = uvec2(bits[0].x | bits[1].x << 16, bits[2].x | bits[3].x << 16);
    }
    return;
  }
  for (uint e = 0; first + e < count; ++e) {
    if (to == F64) y64[first + e] = bits[e];
    else if (to == F32) y32[first + e] = bits[e].x;
    else y16[first + e] = uint16_t(bits[e].x);
  }
}
