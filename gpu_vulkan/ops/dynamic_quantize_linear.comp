#version 450
// The scale and the zero point of the range that all stretches have together, by one workgroup.
// variants: f32 f64
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_8bit_storage : require
#include "gpu_vulkan/glsl/convert.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Ends { COMPUTED ends[]; };
layout(set = 0, binding = 1) writeonly buffer Scale { COMPUTED scale_of_all[]; };
layout(set = 0, binding = 2) writeonly buffer Zero { uint8_t zero_point[]; };
layout(set = 0, binding = 3) writeonly buffer WideZero { int wide_zero_point[]; };
layout(push_constant) uniform Block { uint stretches; };

#include "gpu_vulkan/kernels/rows/ends.glsl"

/// RNE(quotient) within [0, 255], 0 of a NaN: a float that is cut, its last bit standing for all that are lost, decides
/// as a double does.
int code_of(COMPUTED quotient) {
#ifdef HAS_F64
  const float decides = uintBitsToFloat(sticky_float_bits(quotient));
#else
  const float decides = quotient;
#endif
  return is_nan(decides) ? 0 : int(clamp(roundEven(decides), 0.0, 255.0));
}

void write_scale(COMPUTED low, COMPUTED high) {
  precise const COMPUTED width = high - low;
  const COMPUTED scale = is_zero(width) ? COMPUTED(1) : divide(width, COMPUTED(255));
  const int zero = is_nan(scale) || is_infinite(scale) ? 0 : code_of(divide(-low, scale));
  scale_of_all[0] = scale;
  zero_point[0] = uint8_t(zero);
  wide_zero_point[0] = zero;
}

void main() {
  const uint local = gl_LocalInvocationID.x;
  COMPUTED low = COMPUTED(0), high = COMPUTED(0);
  for (uint i = local; i < stretches; i += gl_WorkGroupSize.x) {
    low = minimum(low, ends[2u * i]);
    high = maximum(high, ends[2u * i + 1u]);
  }
  join_ends(low, high);
  if (local == 0u) write_scale(lowest[0], highest[0]);
}
