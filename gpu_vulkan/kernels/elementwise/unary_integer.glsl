// The functions of `unary` on integers, which wrap. The includer includes unary_functions.glsl.
#ifndef PLUMB_UNARY_INTEGER_GLSL
#define PLUMB_UNARY_INTEGER_GLSL

COMPUTED unary_integer(uint function, COMPUTED v) {
  switch (function) {
    case ABS: return v < COMPUTED(0) ? COMPUTED(0) - v : v;
    case NEGATE: return COMPUTED(0) - v;
    case SIGN: return v > COMPUTED(0) ? COMPUTED(1) : v < COMPUTED(0) ? COMPUTED(0) - COMPUTED(1) : COMPUTED(0);
    case SQUARE: return v * v;
    case RELU: return max(v, COMPUTED(0));
    default: return ~v;
  }
}

#endif
