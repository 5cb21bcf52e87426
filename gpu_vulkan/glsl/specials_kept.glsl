// Signed zeros, infinities and NaN of f32 are kept (SignedZeroInfNanPreserve); taken out where a device cannot be asked
// for it (gpu_vulkan/runtime/driver/float_modes.hpp). Without it x - x is 0 to a compiler that sees that both operands
// are one, which in a kernel of several ops it does; and fma(), which no `precise` marks for it, is a product and a sum
// whose terms may be added in another order.
#ifndef PLUMB_SPECIALS_KEPT_GLSL
#define PLUMB_SPECIALS_KEPT_GLSL

#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);

#endif
