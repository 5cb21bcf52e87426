// f16 or bf16 (VARIANT_bf16) as shaders of cooperative matrices read and write it one by one: load, and STORED and
// rounded, by the device's own conversion of a variant f16_rte, whose execution mode makes it round to nearest even.
#ifndef PLUMB_STORED16_GLSL
#define PLUMB_STORED16_GLSL

#include "gpu_vulkan/glsl/round16.glsl"

#define COMPUTED float
#if defined(VARIANT_bf16)
#define load(x) float_from_bf16(uint(x))
#define STORED uint16_t
#define rounded(x) uint16_t(bf16_from_float(x))
#else
#define load(x) float_from_f16(uint(x))
#if defined(VARIANT_f16_rte)
#define STORED float16_t
#define rounded(x) float16_t(x)
#else
#define STORED uint16_t
#define rounded(x) uint16_t(f16_from_float(x))
#endif
#endif

#endif
