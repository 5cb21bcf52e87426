// Bytes that are moved and not looked at: WORD is what a buffer of them holds, in
// variants w1 to w16 by its width in bytes, HELD what a shader keeps a word in. No
// arithmetic on 8, 16 or 64 bits is asked of the device.
#ifndef PLUMB_WORD_GLSL
#define PLUMB_WORD_GLSL

#if defined(VARIANT_w1)
#extension GL_EXT_shader_8bit_storage : require
#define WORD uint8_t
#define HELD uint
#elif defined(VARIANT_w2)
#extension GL_EXT_shader_16bit_storage : require
#define WORD uint16_t
#define HELD uint
#elif defined(VARIANT_w4)
#define WORD uint
#define HELD uint
#elif defined(VARIANT_w8)
#define WORD uvec2
#define HELD uvec2
#elif defined(VARIANT_w16)
#define WORD uvec4
#define HELD uvec4
#else
#error "this shader moves words of 1, 2, 4, 8 or 16 bytes"
#endif

#endif
