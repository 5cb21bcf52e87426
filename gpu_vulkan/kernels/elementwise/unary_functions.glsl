// The numbers of the functions of `unary`: those of ir::ops::UnaryFunction.
#ifndef PLUMB_UNARY_FUNCTIONS_GLSL
#define PLUMB_UNARY_FUNCTIONS_GLSL

const uint ABS = 0u, NEGATE = 1u, SIGN = 2u, SQUARE = 3u, RECIPROCAL = 4u, SQRT = 5u, RSQRT = 6u, EXP = 7u, EXPM1 = 8u,
           LOG = 9u, LOG1P = 10u, SIN = 11u, COS = 12u, TAN = 13u, ASIN = 14u, ACOS = 15u, ATAN = 16u, SINH = 17u,
           COSH = 18u, TANH = 19u, ASINH = 20u, ACOSH = 21u, ATANH = 22u, ERF = 23u, FLOOR = 24u, CEIL = 25u,
           TRUNC = 26u, ROUND = 27u, RELU = 28u, SIGMOID = 29u, SILU = 30u, GELU = 31u, GELU_TANH = 32u,
           SOFTPLUS = 33u, SOFTSIGN = 34u, MISH = 35u, HARD_SWISH = 36u, LOG_SIGMOID = 37u, LOGICAL_NOT = 38u,
           BITWISE_NOT = 39u, CONJUGATE = 40u;

#endif
