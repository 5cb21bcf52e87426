// The numbers of a matrix product in one variant: a dtype of element.glsl, a complex
// one, or f16_f32 and bf16_f32, whose results are the sums themselves.
#ifndef PLUMB_GEMM_ELEMENT_GLSL
#define PLUMB_GEMM_ELEMENT_GLSL

#if defined(VARIANT_f16_f32)
#define VARIANT_f16 1
#define RESULT float
#elif defined(VARIANT_bf16_f32)
#define VARIANT_bf16 1
#define RESULT float
#endif

#if defined(VARIANT_c64)
#define STORED vec2
#define COMPUTED vec2
#elif defined(VARIANT_c128)
#define STORED dvec2
#define COMPUTED dvec2
#endif
#ifdef COMPUTED  // complex
COMPUTED load(COMPUTED x) { return x; }
COMPUTED store(COMPUTED x) { return x; }
COMPUTED product(COMPUTED a, COMPUTED b) { return COMPUTED(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
#else
#include "gpu_vulkan/glsl/element.glsl"
COMPUTED product(COMPUTED a, COMPUTED b) { return a * b; }
#endif

#ifdef RESULT
RESULT rounded(COMPUTED x) { return x; }
#else
#define RESULT STORED
RESULT rounded(COMPUTED x) { return store(x); }
#endif

#endif
