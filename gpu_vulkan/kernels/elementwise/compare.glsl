// The comparisons of COMPUTED, which is that of a variant. Floats are compared as integers that have
// their order, so that no device forgets a NaN or takes a subnormal for 0. Without a guard: kernels
// that compare several types include this for each.
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/kernels/elementwise/compare_functions.glsl"

#if defined(VARIANT_f64)
int64_t key(double x) {
  const int64_t magnitude = int64_t(packUint2x32(magnitude_of(x)));
  return sign_of(x) == 0u ? magnitude : -magnitude;
}
bool is_unordered(double x) { return is_nan(x); }
#elif defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16)
int key(float x) { return sign_of(x) == 0u ? int(magnitude_of(x)) : -int(magnitude_of(x)); }
bool is_unordered(float x) { return is_nan(x); }
#elif defined(VARIANT_c64)
int part_key(float x) { return sign_of(x) == 0u ? int(magnitude_of(x)) : -int(magnitude_of(x)); }
ivec2 key(vec2 x) { return ivec2(part_key(x.x), part_key(x.y)); }
bool is_unordered(vec2 x) { return is_nan(x.x) || is_nan(x.y); }
#elif defined(VARIANT_c128)
uvec2 part_key(double x) { return is_zero(x) ? uvec2(0u) : unpackDouble2x32(x); }
uvec4 key(dvec2 x) { return uvec4(part_key(x.x), part_key(x.y)); }
bool is_unordered(dvec2 x) { return is_nan(x.x) || is_nan(x.y); }
#else
COMPUTED key(COMPUTED x) { return x; }
bool is_unordered(COMPUTED x) { return false; }
#endif

/// l function r.
bool compared(uint function, COMPUTED l, COMPUTED r) {
  if (is_unordered(l) || is_unordered(r)) return function == NOT_EQUAL;
  if (function == EQUAL) return key(l) == key(r);
  if (function == NOT_EQUAL) return key(l) != key(r);
#if !defined(VARIANT_bool) && !defined(VARIANT_c64) && !defined(VARIANT_c128)
  if (function == LESS) return key(l) < key(r);
  if (function == LESS_EQUAL) return key(l) <= key(r);
  if (function == GREATER) return key(l) > key(r);
  return key(l) >= key(r);
#endif
  return false;
}
