// One dtype of a shader's variants: STORED is what a buffer of it holds, COMPUTED
// what the shader calculates in, load and store go between them (16-bit floats
// are computed in f32 and rounded once, to nearest even). Compile one variant
// for each dtype: VARIANT_f32 and so on.
#ifndef PLUMB_ELEMENT_GLSL
#define PLUMB_ELEMENT_GLSL

#extension GL_EXT_shader_explicit_arithmetic_types_int8 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : enable
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : enable
#extension GL_EXT_shader_16bit_storage : enable
#extension GL_EXT_shader_8bit_storage : enable

#include "round16.glsl"

#if defined(VARIANT_f32)
#define STORED float
#define COMPUTED float
float load(float x) { return x; }
float store(float x) { return x; }
#elif defined(VARIANT_f16)
#define STORED uint16_t
#define COMPUTED float
float load(uint16_t x) { return float_from_f16(uint(x)); }
uint16_t store(float x) { return uint16_t(f16_from_float(x)); }
#elif defined(VARIANT_bf16)
#define STORED uint16_t
#define COMPUTED float
float load(uint16_t x) { return float_from_bf16(uint(x)); }
uint16_t store(float x) { return uint16_t(bf16_from_float(x)); }
#elif defined(VARIANT_f64)
#define STORED double
#define COMPUTED double
double load(double x) { return x; }
double store(double x) { return x; }
#elif defined(VARIANT_i32)
#define STORED int
#define COMPUTED int
int load(int x) { return x; }
int store(int x) { return x; }
#elif defined(VARIANT_u32)
#define STORED uint
#define COMPUTED uint
uint load(uint x) { return x; }
uint store(uint x) { return x; }
#elif defined(VARIANT_i64)
#define STORED int64_t
#define COMPUTED int64_t
int64_t load(int64_t x) { return x; }
int64_t store(int64_t x) { return x; }
#elif defined(VARIANT_i16)
#define STORED int16_t
#define COMPUTED int
int load(int16_t x) { return int(x); }
int16_t store(int x) { return int16_t(x); }  // wraps
#elif defined(VARIANT_i8)
#define STORED int8_t
#define COMPUTED int
int load(int8_t x) { return int(x); }
int8_t store(int x) { return int8_t(x); }  // wraps
#elif defined(VARIANT_u8)
#define STORED uint8_t
#define COMPUTED uint
uint load(uint8_t x) { return uint(x); }
uint8_t store(uint x) { return uint8_t(x); }  // wraps
#elif defined(VARIANT_bool)
#define STORED uint8_t
#define COMPUTED bool
bool load(uint8_t x) { return uint(x) != 0u; }
uint8_t store(bool x) { return uint8_t(x ? 1u : 0u); }
#else
#error "this shader has no such dtype variant"
#endif

#endif
