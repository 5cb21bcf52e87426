#version 450
// Random numbers: an invocation makes four, of one block of Philox 4x32-10 (ops.md B.1, ops.md B.3).
// variants: f32 f16 bf16 f64 i32 u32 i64 i16 i8 u8 u16 bool
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/pack.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/philox.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

#if defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#define IS_REAL 1
#include "gpu_vulkan/glsl/trigonometry.glsl"
#endif

// Numbers of ir::ops::RandomDistribution.
const uint BITS = 0u, UNIFORM = 1u, UNIFORM_INT = 2u, NORMAL = 3u, BERNOULLI = 4u;

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint distribution = UNIFORM;
layout(set = 0, binding = 0) readonly buffer Offset { uint offset; };
layout(set = 0, binding = 1) writeonly buffer Y { STORED y[]; };
layout(set = 0, binding = 1) writeonly buffer PackedY { PACKED packed_y[]; };
layout(push_constant) uniform Block {
  uint count;
  uint stream;
  uvec2 seed;
  uvec2 low;    // the bits of an f32, f64 or integer: the least number, or the mean
  uvec2 width;  // the interval's, or the standard deviation; of coins a threshold, and whether all are 1
  uvec2 most;   // the largest uniform number
};

bool is_one(uint word) { return width.y != 0u || word < width.x; }

#ifdef IS_REAL
#ifdef VARIANT_f64
COMPUTED real_of(uvec2 bits) { return packDouble2x32(bits); }
#else
COMPUTED real_of(uvec2 bits) { return uintBitsToFloat(bits.x); }
#endif

/// As many bits of a word as the dtype has, but f64 those of f32: exact, and below 1.
COMPUTED fraction_of(uint word) {
#if defined(VARIANT_f16)
  return float(word >> 21) * 4.8828125e-4;
#elif defined(VARIANT_bf16)
  return float(word >> 24) * 3.90625e-3;
#else
  return COMPUTED(word >> 8) * COMPUTED(5.9604644775390625e-8);
#endif
}

COMPUTED uniform_of(uint word) {
  precise COMPUTED step = real_of(width) * fraction_of(word);  // rounded before it is added, as on the host
  precise COMPUTED number = real_of(low) + step;
  const COMPUTED limit = real_of(most);
  return number > limit ? limit : number;
}

/// A pair of independent numbers: a point in the plane, its angle brought near 0 as an integer.
void normals(uint a, uint b, out COMPUTED first, out COMPUTED second) {
  const float size = square_root(-2.0 * logf(float((a >> 8) + 1u) * 5.9604644775390625e-8));
  const uint t = b >> 8, quarters = (t + 0x200000u) >> 22;
  const float angle = float(int(t) - int(quarters << 22)) * 3.74507028e-7;  // 2 pi 2^-24
  const COMPUTED mean = real_of(low), deviation = real_of(width);
  const float across = size * sin_in_quadrant(angle, quarters + 1u), up = size * sin_in_quadrant(angle, quarters);
  const COMPUTED x = deviation * COMPUTED(across), y = deviation * COMPUTED(up);
  first = mean + x;
  second = mean + y;
}

COMPUTED of_word(uint word) {
  if (distribution == BERNOULLI) return COMPUTED(is_one(word) ? 1.0 : 0.0);
  return uniform_of(word);
}
#elif defined(VARIANT_bool)
bool of_word(uint word) { return is_one(word); }
#else
COMPUTED of_word(uint word) {
  if (distribution == BITS) return COMPUTED(word);
  if (distribution == BERNOULLI) return COMPUTED(is_one(word) ? 1 : 0);
  uint drawn, rest, carry;
  umulExtended(word, width.x, drawn, rest);
  const uint sum = uaddCarry(drawn, low.x, carry);
#ifdef VARIANT_i64
  return int64_t(uint64_t(low.y + carry) << 32 | uint64_t(sum));
#else
  return COMPUTED(sum);
#endif
}
#endif

void main() {
  const uint block = invocation_index();
  if (block >= (count + 3u) / 4u) return;
  const uvec4 words = philox(uvec4(block, 0u, stream, offset), seed);
  COMPUTED numbers[4];
#ifdef IS_REAL
  if (distribution == NORMAL) {
    normals(words.x, words.y, numbers[0], numbers[1]);
    normals(words.z, words.w, numbers[2], numbers[3]);
  } else
#endif
  {
    [[unroll]] for (uint i = 0u; i < 4u; ++i) numbers[i] = of_word(words[i]);
  }
  const uint first = block * 4u;
  if (first + 4u > count) {
    for (uint i = 0u; first + i < count; ++i) y[first + i] = store(numbers[i]);
    return;
  }
  [[unroll]] for (uint k = 0u; k < 4u / PACK; ++k) {
    PACKED p;
    [[unroll]] for (uint i = 0u; i < PACK; ++i) pack(p, i, numbers[k * PACK + i]);
    packed_y[block * (4u / PACK) + k] = p;
  }
}
