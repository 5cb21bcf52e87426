#version 450
// variants: f32 f16 bf16 f64
// Packs 32 numbers an invocation into a block (ops.md A.6). Every operation is rounded to f32 by itself, divisions
// within 1.5 ulp.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_8bit_storage : require
#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/convert.glsl"
#endif
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint format = 4;
layout(constant_id = 2) const uint block_bytes = 34;
const uint Q4_0 = 0u, Q4_1 = 1u, Q5_0 = 2u, Q5_1 = 3u, Q8_0 = 4u, MXFP4 = 6u;
const bool has_ends = format == Q4_1 || format == Q5_1, has_five = format == Q5_0 || format == Q5_1;
const uint most = has_five ? 31u : 15u;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) writeonly buffer Y { uint8_t y[]; };
#define FAULTS_BINDING 2
#include "gpu_vulkan/glsl/faults.glsl"
layout(push_constant) uniform Block {
  uint blocks, node;
};

float number(uint i) {
#ifdef VARIANT_f64
  return uintBitsToFloat(nearest_float_bits(x[i]));
#else
  return load(x[i]);
#endif
}

/// Numbers of a block whose largest is below 2^-64 are counted in units of 2^-64: subnormal ones, which a device may
/// read as 0, can be up to half a scale.
const int raised = 64;

float in_units(float number) {
  const uint size = magnitude_of(number);
  if (is_none(size)) return number;
  int exponent;
  const float m = significand(size, exponent);
  return with_sign(scale(m, exponent + raised), number);
}

float number(uint i, bool is_small) { return is_small ? in_units(number(i)) : number(i); }

/// The reciprocal of a scale, in those units; 0 of one that has none in the range of f32.
float inverse(float d, bool is_small) {
  const uint size = magnitude_of(d), least = is_small ? 0x00800000u + (uint(raised) << 23) : 0x00800000u;
  return size >= least && size < infinity_bits ? divide(1.0, d) : 0.0;
}

void put_half(uint at, float d) {
  const uint bits = f16_from_float(d);
  y[at] = uint8_t(bits & 255u);
  y[at + 1u] = uint8_t(bits >> 8);
}

precise uint code_of(float r, float offset, uint greatest) {
  const float t = r + offset;
  return min(uint(max(t, 0.0)), greatest);
}

precise float product(float a, float b) { return a * b; }
precise float difference(float a, float b) { return a - b; }

/// The index of twice the E2M1 value nearest to x 2^n, the lowest of equals. Subnormal numbers count: beside the least
/// scale they may be 2 and more.
uint nearest_e2m1(float number, int n) {
  const uint bits = magnitude_of(number);
  int exponent = 0;
  float r = 0.0;
  if (!is_none(bits)) {
    const float m = significand(bits, exponent);
    r = exponent + n < -20 ? 0.0 : scale(m, exponent + n);
  }
  // Halfway between two neighbours the lower one is nearest.
  const uint found = (r > 0.5 ? 1u : 0u) + (r > 1.5 ? 1u : 0u) + (r > 2.5 ? 1u : 0u) + (r > 3.5 ? 1u : 0u) +
                     (r > 5.0 ? 1u : 0u) + (r > 7.0 ? 1u : 0u) + (r > 10.0 ? 1u : 0u);
  return found > 0u && sign_of(number) != 0u ? found + 8u : found;
}

/// A block's scale by its format, and what its codes are counted from.
struct Scale {
  float inverse, low;
  int exponent;
};

/// Writes the factors of a block whose largest element and ends these are. Those of small numbers are 0 in f16.
Scale put_scale(uint at, float largest, float low, float high, bool is_small) {
  Scale scale = Scale(0.0, low, 0);
  if (format == MXFP4) {
    const uint magnitude = magnitude_of(largest);
    scale.exponent = is_none(magnitude) ? 0 : clamp(int(magnitude >> 23) - 2, 0, 254);
    y[at] = uint8_t(scale.exponent);
    return scale;
  }
  float d;
  if (has_ends) d = divide(difference(high, low), float(most));
  else if (format == Q8_0) d = divide(abs(largest), 127.0);
  else d = product(largest, format == Q4_0 ? -0.125 : -0.0625);
  scale.inverse = inverse(d, is_small);
  put_half(at, is_small ? 0.0 : d);
  if (has_ends) put_half(at + 2u, is_small ? 0.0 : low);
  return scale;
}

/// The code of a number; of q8_0 in two's complement.
uint code(float number, Scale by) {
  if (format == MXFP4) return nearest_e2m1(number, 128 - by.exponent);
  if (has_ends) return by.inverse == 0.0 ? 0u : code_of(product(difference(number, by.low), by.inverse), 0.5, most);
  const float r = product(number, by.inverse);
  if (format != Q8_0) return code_of(r, format == Q4_0 ? 8.5 : 16.5, most);
  const float whole = floor(abs(r));
  const int size = int(whole) + (abs(r) - whole >= 0.5 ? 1 : 0);  // halves away from zero
  return uint(r < 0.0 ? -size : size) & 255u;
}

void main() {
  const uint block = invocation_index(), first = 32u * block;
  if (block >= blocks) return;
  float largest = 0.0;
  for (uint e = 0; e < 32u; ++e) {
    const float one = number(first + e);
    if (magnitude_of(one) >= infinity_bits) {
      fault(node, first + e, uvec2(floatBitsToUint(one), 0u));
      return;
    }
    if (magnitude_of(one) > magnitude_of(largest)) largest = one;
  }
  const bool is_small = format != MXFP4 && magnitude_of(largest) < 0x1F800000u;  // 2^-64
  if (is_small) largest = in_units(largest);
  float low = number(first, is_small), high = low;
  for (uint e = 1; has_ends && e < 32u; ++e) {
    const float one = number(first + e, is_small);
    low = one < low ? one : low;
    high = one > high ? one : high;
  }
  const uint at = block * block_bytes;
  const Scale scale = put_scale(at, largest, low, high, is_small);
  if (format == Q8_0) {
    for (uint e = 0; e < 32u; ++e) y[at + 2u + e] = uint8_t(code(number(first + e, is_small), scale));
    return;
  }
  // Low nibbles are the first half of the codes; their fifth bits, of formats that have such, are apart.
  const uint fifths_at = at + (has_ends ? 4u : 2u);
  const uint nibbles = format == MXFP4 ? at + 1u : fifths_at + (has_five ? 4u : 0u);
  uint fifths = 0u;
  for (uint e = 0; e < 16u; ++e) {
    const uint a = code(number(first + e, is_small), scale), b = code(number(first + 16u + e, is_small), scale);
    y[nibbles + e] = uint8_t(a & 15u | (b & 15u) << 4);
    fifths |= a >> 4 << e | b >> 4 << 16u + e;
  }
  if (has_five)
    for (uint i = 0; i < 4u; ++i) y[fifths_at + i] = uint8_t(fifths >> 8u * i & 255u);
}
