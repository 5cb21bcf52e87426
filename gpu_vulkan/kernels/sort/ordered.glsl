// Elements as bits whose order as unsigned numbers is the total order of ops.md 1.5:
// -inf < finite < +inf < NaN, -0 is +0, all NaN are equal. Nothing is computed in the
// elements' own type, so that subnormals and 64 bits ask nothing of the device.
// KEY is a uint, or for 8-byte elements a uvec2 with the low word first.
#ifndef PLUMB_ORDERED_GLSL
#define PLUMB_ORDERED_GLSL

#include "gpu_vulkan/glsl/word.glsl"

const uint UNSIGNED = 0u, SIGNED = 1u, FLOAT = 2u, BRAIN = 3u;  // as Encoding in gpu_vulkan/kernels/common/ordered.hpp

#if defined(VARIANT_w8)
#define KEY uvec2
const KEY first_key = uvec2(0u), last_key = uvec2(0xFFFFFFFFu);
bool before(KEY a, KEY b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }

KEY key_of(uvec2 bits, uint encoding) {
  const uint sign = bits.y & 0x80000000u;
  if (encoding == UNSIGNED) return bits;
  if (encoding == SIGNED) return uvec2(bits.x, bits.y ^ 0x80000000u);
  const uint magnitude = bits.y & 0x7FFFFFFFu;
  if (magnitude > 0x7FF00000u || (magnitude == 0x7FF00000u && bits.x != 0u)) return last_key;
  if ((magnitude | bits.x) == 0u) return uvec2(0u, 0x80000000u);
  return sign != 0u ? ~bits : uvec2(bits.x, bits.y | 0x80000000u);
}
bool is_unordered(KEY key, uint encoding) { return encoding >= FLOAT && key == last_key; }
#else
#define KEY uint
const KEY first_key = 0u, last_key = 0xFFFFFFFFu;
bool before(KEY a, KEY b) { return a < b; }

#if defined(VARIANT_w1)
const uint sign_bit = 0x80u, all_bits = 0xFFu;
#elif defined(VARIANT_w2)
const uint sign_bit = 0x8000u, all_bits = 0xFFFFu;
#else
const uint sign_bit = 0x80000000u, all_bits = 0xFFFFFFFFu;
#endif

KEY key_of(uint bits, uint encoding) {
  if (encoding == UNSIGNED) return bits;
  if (encoding == SIGNED) return bits ^ sign_bit;
#if defined(VARIANT_w2)
  const uint infinity = encoding == BRAIN ? 0x7F80u : 0x7C00u;
#else
  const uint infinity = 0x7F800000u;
#endif
  const uint magnitude = bits & (sign_bit - 1u);
  if (magnitude > infinity) return last_key;
  if (magnitude == 0u) return sign_bit;
  return (bits & sign_bit) != 0u ? ~bits & all_bits : bits | sign_bit;
}
bool is_unordered(KEY key, uint encoding) { return encoding >= FLOAT && key == last_key; }
#endif

#endif
