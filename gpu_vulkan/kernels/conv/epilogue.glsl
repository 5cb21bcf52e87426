// The operations on a sum of products before it is rounded: y = limit(sum + residual). The
// includer defines EPILOGUE, the first of five constant ids, and a buffer `residual` as long as y.
#ifndef PLUMB_EPILOGUE_GLSL
#define PLUMB_EPILOGUE_GLSL

#include "gpu_vulkan/glsl/arithmetic.glsl"

layout(constant_id = EPILOGUE) const bool has_residual = false;
layout(constant_id = EPILOGUE + 1) const bool has_low = false;
layout(constant_id = EPILOGUE + 2) const bool has_high = false;
layout(constant_id = EPILOGUE + 3) const uint low_bits = 0;  // bits of an f32
layout(constant_id = EPILOGUE + 4) const uint high_bits = 0;

COMPUTED finished(COMPUTED sum, uint at) {
  if (has_residual) sum += load(residual[at]);
  if (has_low) sum = maximum(sum, COMPUTED(uintBitsToFloat(low_bits)));
  if (has_high) sum = minimum(sum, COMPUTED(uintBitsToFloat(high_bits)));
  return sum;
}

#endif
