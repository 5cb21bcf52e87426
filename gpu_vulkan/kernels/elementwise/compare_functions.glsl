// The numbers of the comparisons: those of ir::ops::Comparison.
#ifndef PLUMB_COMPARE_FUNCTIONS_GLSL
#define PLUMB_COMPARE_FUNCTIONS_GLSL

const uint EQUAL = 0u, NOT_EQUAL = 1u, LESS = 2u, LESS_EQUAL = 3u, GREATER = 4u;  // greater_equal: what is left

#endif
