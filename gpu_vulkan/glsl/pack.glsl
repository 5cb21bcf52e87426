// Several neighbouring elements of a variant's dtype, as 32-bit words that are loaded and
// stored at once: PACKED holds PACK of them, at most 16 bytes (pack_size in
// gpu_vulkan/kernels/elementwise/elementwise.cpp).
#ifndef PLUMB_PACK_GLSL
#define PLUMB_PACK_GLSL

#include "gpu_vulkan/glsl/element.glsl"

#if defined(VARIANT_f32)
#define PACKED vec4
#define PACK 4u
float unpack(vec4 p, uint i) { return p[i]; }
void pack(inout vec4 p, uint i, float x) { p[i] = x; }
#elif defined(VARIANT_i32)
#define PACKED ivec4
#define PACK 4u
int unpack(ivec4 p, uint i) { return p[i]; }
void pack(inout ivec4 p, uint i, int x) { p[i] = x; }
#elif defined(VARIANT_u32) || defined(VARIANT_w4)
#define PACKED uvec4
#define PACK 4u
uint unpack(uvec4 p, uint i) { return p[i]; }
void pack(inout uvec4 p, uint i, uint x) { p[i] = x; }
#elif defined(VARIANT_f64)
#define PACKED dvec2
#define PACK 2u
double unpack(dvec2 p, uint i) { return p[i]; }
void pack(inout dvec2 p, uint i, double x) { p[i] = x; }
#elif defined(VARIANT_i64)
#define PACKED i64vec2
#define PACK 2u
int64_t unpack(i64vec2 p, uint i) { return p[i]; }
void pack(inout i64vec2 p, uint i, int64_t x) { p[i] = x; }
#elif defined(VARIANT_c64)
#define PACKED vec4
#define PACK 2u
vec2 unpack(vec4 p, uint i) { return i == 0u ? p.xy : p.zw; }
void pack(inout vec4 p, uint i, vec2 x) { p = i == 0u ? vec4(x, p.zw) : vec4(p.xy, x); }
#elif defined(VARIANT_c128)
#define PACKED dvec2
#define PACK 1u
dvec2 unpack(dvec2 p, uint i) { return p; }
void pack(inout dvec2 p, uint i, dvec2 x) { p = x; }
#elif defined(VARIANT_w8)
#define PACKED uvec4
#define PACK 2u
uvec2 unpack(uvec4 p, uint i) { return i == 0u ? p.xy : p.zw; }
void pack(inout uvec4 p, uint i, uvec2 x) { p = i == 0u ? uvec4(x, p.zw) : uvec4(p.xy, x); }
#elif defined(VARIANT_w16)
#define PACKED uvec4
#define PACK 1u
uvec4 unpack(uvec4 p, uint i) { return p; }
void pack(inout uvec4 p, uint i, uvec4 x) { p = x; }
#elif defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_u16) || \
    defined(VARIANT_i16) || defined(VARIANT_w2)
#define PACKED uvec2
#define PACK 4u
#ifdef NATIVE_F16
float unpack(uvec2 p, uint i) { return float(unpackFloat2x16(p[i >> 1])[i & 1u]); }
#else
uint half_word(uvec2 p, uint i) { return bitfieldExtract(p[i >> 1], int(i & 1u) * 16, 16); }
COMPUTED unpack(uvec2 p, uint i) { return from_bits(half_word(p, i)); }
#endif
void pack(inout uvec2 p, uint i, COMPUTED x) {
  p[i >> 1] = bitfieldInsert(p[i >> 1], to_bits(x), int(i & 1u) * 16, 16);
}
#else
#define PACKED uint
#define PACK 4u
COMPUTED unpack(uint p, uint i) { return from_bits(bitfieldExtract(p, int(i) * 8, 8)); }
void pack(inout uint p, uint i, COMPUTED x) { p = bitfieldInsert(p, to_bits(x), int(i) * 8, 8); }
#endif

#endif
