// The numbers of the functions of `binary`: those of ir::ops::BinaryFunction.
#ifndef PLUMB_BINARY_FUNCTIONS_GLSL
#define PLUMB_BINARY_FUNCTIONS_GLSL

const uint ADD = 0u, SUBTRACT = 1u, MULTIPLY = 2u, DIVIDE = 3u, MAXIMUM = 4u, MINIMUM = 5u, POWER = 6u, MOD = 7u,
           FMOD = 8u, ATAN2 = 9u, BIT_AND = 10u, BIT_OR = 11u, BIT_XOR = 12u, SHIFT_LEFT = 13u, SHIFT_RIGHT = 14u,
           LOGICAL_AND = 15u, LOGICAL_OR = 16u, LOGICAL_XOR = 17u;

bool binary_bool(uint function, bool l, bool r) {
  return function == LOGICAL_AND ? l && r : function == LOGICAL_OR ? l || r : l != r;
}

#endif
