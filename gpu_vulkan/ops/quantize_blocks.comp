#version 450
// variants: f32 f16 bf16 f64
// Packs 32 numbers an invocation into a block (ops.md A.6). Every operation is rounded to f32 by itself, divisions
// within 1.5 ulp.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
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
const uint Q4_0 = 0u, Q4_1 = 1u, Q5_0 = 2u, Q5_1 = 3u, Q8_0 = 4u;  // else mxfp4

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

/// The reciprocal of a scale; 0 of one that has none in the range of f32.
float inverse(float d) {
  const uint size = magnitude_of(d);
  return size >= 0x00800000u && size < infinity_bits ? divide(1.0, d) : 0.0;
}

void put_half(uint at, float d) {
  const uint bits = f16_from_float(d);
  y[at] = uint8_t(bits & 255u);
  y[at + 1u] = uint8_t(bits >> 8);
}

precise uint code_of(float r, float offset, uint most) {
  const float t = r + offset;
  return min(uint(max(t, 0.0)), most);
}

precise float product(float a, float b) { return a * b; }
precise float difference(float a, float b) { return a - b; }

/// Low nibbles are the first half of the codes; their fifth bits, of formats that have such, are apart.
void put_codes(uint q[32], uint nibbles, uint fifths) {
  [[unroll]] for (uint e = 0; e < 16u; ++e) y[nibbles + e] = uint8_t(q[e] & 15u | (q[e + 16u] & 15u) << 4);
  if (format != Q5_0 && format != Q5_1) return;
  [[unroll]] for (uint i = 0; i < 4u; ++i) {
    uint bits = 0u;
    [[unroll]] for (uint e = 0; e < 8u; ++e) bits |= q[8u * i + e] >> 4 << e;
    y[fifths + i] = uint8_t(bits);
  }
}

/// The index of twice the E2M1 value nearest to x 2^n, the lowest of equals. Numbers that are subnormal are 0 here, as
/// their share of the least scale is.
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

void main() {
  const uint block = invocation_index();
  if (block >= blocks) return;
  float numbers[32];
  float largest = 0.0, low, high;
  bool is_finite = true;
  [[unroll]] for (uint e = 0; e < 32u; ++e) {
    const float one = number(32u * block + e);
    numbers[e] = one;
    if (magnitude_of(one) >= infinity_bits) {
      is_finite = false;
      fault(node, 32u * block + e, uvec2(floatBitsToUint(one), 0u));
    }
    if (magnitude_of(one) > magnitude_of(largest)) largest = one;
    low = e == 0u || one < low ? one : low;
    high = e == 0u || one > high ? one : high;
  }
  if (!is_finite) return;
  const uint at = block * block_bytes;
  uint q[32];
  if (format == Q8_0) {
    const float d = divide(abs(largest), 127.0), id = inverse(d);
    put_half(at, d);
    [[unroll]] for (uint e = 0; e < 32u; ++e) {
      const float r = product(numbers[e], id);
      const float whole = floor(abs(r));
      const int size = int(whole) + (abs(r) - whole >= 0.5 ? 1 : 0);  // halves away from zero
      y[at + 2u + e] = uint8_t(uint(r < 0.0 ? -size : size) & 255u);
    }
  } else if (format == Q4_0 || format == Q5_0) {
    const uint most = format == Q4_0 ? 15u : 31u;
    const float half_range = format == Q4_0 ? 8.0 : 16.0;
    const float d = product(largest, -1.0 / half_range), id = inverse(d);
    put_half(at, d);
    [[unroll]] for (uint e = 0; e < 32u; ++e) q[e] = code_of(product(numbers[e], id), half_range + 0.5, most);
    put_codes(q, at + (format == Q4_0 ? 2u : 6u), at + 2u);
  } else if (format == Q4_1 || format == Q5_1) {
    const uint most = format == Q4_1 ? 15u : 31u;
    const float d = divide(difference(high, low), float(most)), id = inverse(d);
    put_half(at, d);
    put_half(at + 2u, low);
    [[unroll]] for (uint e = 0; e < 32u; ++e)
      q[e] = id == 0.0 ? 0u : code_of(product(difference(numbers[e], low), id), 0.5, most);
    put_codes(q, at + (format == Q4_1 ? 4u : 8u), at + 4u);
  } else {
    const uint magnitude = magnitude_of(largest);
    const int exponent = is_none(magnitude) ? 0 : clamp(int(magnitude >> 23) - 2, 0, 254);
    y[at] = uint8_t(exponent);
    [[unroll]] for (uint e = 0; e < 32u; ++e) q[e] = nearest_e2m1(numbers[e], 128 - exponent);
    put_codes(q, at + 1u, 0u);
  }
}
