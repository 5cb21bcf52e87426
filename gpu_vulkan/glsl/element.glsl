// One dtype of a shader's variants: STORED is the type in a buffer, COMPUTED
// the type that the shader calculates in, load and store go between them (16-bit floats
// are computed in f32 and rounded once, to nearest even). Compile one variant
// for each dtype: VARIANT_f32 and so on. VARIANT_w1 to w16 are elements of so many bytes that
// are only moved.
//
// Elements of 8 and 16 bits are stored as bits and calculated with in 32: from_bits and
// to_bits. For them load and store are macros, since a function with a narrow
// parameter or result asks the device for arithmetic of that width.
#ifndef PLUMB_ELEMENT_GLSL
#define PLUMB_ELEMENT_GLSL

#extension GL_EXT_shader_explicit_arithmetic_types_int8 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_shader_8bit_storage : enable

// The variant f16_native is f16 of a device whose own conversions are right: they keep subnormal numbers and round to
// nearest even (variant_of in gpu_vulkan/kernels/elementwise/elementwise.hpp).
#ifdef VARIANT_f16_native
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 16);  // DenormPreserve
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 16);  // RoundingModeRTE
#define VARIANT_f16 1
#define NATIVE_F16 1
#endif

#include "gpu_vulkan/glsl/round16.glsl"

#if defined(VARIANT_f32)
#define STORED float
#define COMPUTED float
#elif defined(VARIANT_f64)
#define STORED double
#define COMPUTED double
#elif defined(VARIANT_i32)
#define STORED int
#define COMPUTED int
#elif defined(VARIANT_u32) || defined(VARIANT_w4)
#define STORED uint
#define COMPUTED uint
#elif defined(VARIANT_i64)
#define STORED int64_t
#define COMPUTED int64_t
#elif defined(VARIANT_c64)
#define STORED vec2
#define COMPUTED vec2
#elif defined(VARIANT_c128)
#define STORED dvec2
#define COMPUTED dvec2
#elif defined(VARIANT_w8)
#define STORED uvec2
#define COMPUTED uvec2
#elif defined(VARIANT_w16)
#define STORED uvec4
#define COMPUTED uvec4
#elif defined(VARIANT_f16)
#define STORED uint16_t
#define COMPUTED float
#define IS_NARROW 1
#ifdef NATIVE_F16
float from_bits(uint bits) { return float(unpackFloat2x16(bits).x); }
uint to_bits(float x) { return packFloat2x16(f16vec2(float16_t(x), float16_t(0.0))); }
#else
float from_bits(uint bits) { return float_from_f16(bits); }
uint to_bits(float x) { return f16_from_float(x); }
#endif
#elif defined(VARIANT_bf16)
#define STORED uint16_t
#define COMPUTED float
#define IS_NARROW 1
float from_bits(uint bits) { return float_from_bf16(bits); }
uint to_bits(float x) { return bf16_from_float(x); }
#elif defined(VARIANT_i16)
#define STORED uint16_t
#define COMPUTED int
#define IS_NARROW 1
int from_bits(uint bits) { return bitfieldExtract(int(bits), 0, 16); }
uint to_bits(int x) { return uint(x); }  // wraps
#elif defined(VARIANT_i8)
#define STORED uint8_t
#define COMPUTED int
#define IS_NARROW 1
int from_bits(uint bits) { return bitfieldExtract(int(bits), 0, 8); }
uint to_bits(int x) { return uint(x); }
#elif defined(VARIANT_u16) || defined(VARIANT_w2)
#define STORED uint16_t
#define COMPUTED uint
#define IS_NARROW 1
uint from_bits(uint bits) { return bits; }
uint to_bits(uint x) { return x; }
#elif defined(VARIANT_u8) || defined(VARIANT_w1)
#define STORED uint8_t
#define COMPUTED uint
#define IS_NARROW 1
uint from_bits(uint bits) { return bits; }
uint to_bits(uint x) { return x; }
#elif defined(VARIANT_bool)
#define STORED uint8_t
#define COMPUTED bool
#define IS_NARROW 1
bool from_bits(uint bits) { return bits != 0u; }
uint to_bits(bool x) { return x ? 1u : 0u; }
#else
#error "this shader has no such dtype variant"
#endif

#ifdef IS_NARROW
#define load(x) from_bits(uint(x))
#define store(x) STORED(to_bits(x))
#else
COMPUTED load(STORED x) { return x; }
STORED store(COMPUTED x) { return x; }
#endif

#endif
