#version 450
// y = alpha a b + beta c where y is a row or a column: a matrix times a vector, both read 16 bytes at a time. Where the
// matrix's lines are the sums, the numbers of a piece are terms of one element of y, else of as many neighbouring
// elements. A workgroup has `across` lines or pieces of lines, each read by `lanes` invocations that take every
// lanes-th piece, a few of them at once, and add up what they have in shared memory.
// variants: f32 f16 bf16 f16_f32 bf16_f32
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "index.glsl"
#include "product_element.glsl"

layout(local_size_x_id = 0) in;  // across x lanes
layout(constant_id = 1) const uint across = 2;
layout(constant_id = 2) const uint lanes = 64;  // a power of two
layout(constant_id = 3) const bool by_lines = true;
#include "product.glsl"
#include "product_operands.glsl"

layout(set = 0, binding = 0) readonly buffer WideA { uvec4 wide_a[]; };
layout(set = 0, binding = 1) readonly buffer WideB { uvec4 wide_b[]; };

#ifdef VARIANT_f32
const uint width = 4u;
float number(uvec4 piece, uint i) { return uintBitsToFloat(piece[i]); }
#else
const uint width = 8u;
float number(uvec4 piece, uint i) { return load(STORED(piece[i / 2u] >> i % 2u * 16u & 0xFFFFu)); }
#endif

const uint at_once = 8u;
shared float partial[across * lanes * (by_lines ? 1u : width)];

uvec4 piece_of_matrix(uint at) { return n == 1u ? wide_a[at] : wide_b[at]; }
uvec4 piece_of_vector(uint at) { return n == 1u ? wide_b[at] : wide_a[at]; }
float number_of_vector(uint at) { return n == 1u ? load(b[at]) : load(a[at]); }

void main() {
  const uint count = max(m, n), each = by_lines ? across : across * width, groups = (count + each - 1u) / each;
  const uint index = group_index() / groups;
  if (index >= batches) return;
  // Neighbouring invocations read neighbouring pieces.
  const uint lane = by_lines ? gl_LocalInvocationID.x % lanes : gl_LocalInvocationID.x / across;
  const uint mine = by_lines ? gl_LocalInvocationID.x / lanes : gl_LocalInvocationID.x % across;
  const uint element = group_index() % groups * each + (by_lines ? mine : mine * width);
  const uvec2 first = operands_of(index);
  const uint matrix = n == 1u ? first.x : first.y, vector = n == 1u ? first.y : first.x;
  const uint line = n == 1u ? a_line : b_line, steps = by_lines ? k / width : k;

  float sums[width];
  [[unroll]] for (uint i = 0; i < width; ++i) sums[i] = 0.0;
  if (element < count)
    for (uint t = lane; t < steps; t += lanes * at_once) {
      uvec4 pieces[at_once];
      [[unroll]] for (uint u = 0; u < at_once; ++u) {
        const uint at = min(t + u * lanes, steps - 1u);
        pieces[u] = piece_of_matrix(by_lines ? (matrix + element * line) / width + at
                                             : (matrix + at * line + element) / width);
      }
      [[unroll]] for (uint u = 0; u < at_once; ++u) {
        const uint at = min(t + u * lanes, steps - 1u);
        const bool counts = t + u * lanes < steps;
        const uvec4 factors = by_lines ? piece_of_vector(vector / width + at) : uvec4(0u);
        const float factor = by_lines ? 0.0 : number_of_vector(vector + at);
        [[unroll]] for (uint i = 0; i < width; ++i) {
          const float term = number(pieces[u], i) * (by_lines ? number(factors, i) : factor);
          sums[i] += counts ? term : 0.0;
        }
      }
    }

  if (by_lines) {
    float sum = sums[0];
    [[unroll]] for (uint i = 1; i < width; ++i) sum += sums[i];
    partial[mine * lanes + lane] = sum;
    for (uint upper = lanes / 2u; upper > 0u; upper /= 2u) {
      barrier();
      if (lane < upper) partial[mine * lanes + lane] += partial[mine * lanes + lane + upper];
    }
    if (lane == 0u && element < count)
      y[index * count + element] =
          rounded(finished(partial[mine * lanes], n == 1u ? element : 0u, n == 1u ? 0u : element));
    return;
  }
  const uint wide = across * width;
  [[unroll]] for (uint i = 0; i < width; ++i) partial[lane * wide + mine * width + i] = sums[i];
  barrier();
  for (uint e = gl_LocalInvocationID.x; e < wide; e += gl_WorkGroupSize.x) {
    const uint at = group_index() % groups * wide + e;
    if (at >= count) continue;
    float sum = 0.0;
    for (uint l = 0; l < lanes; ++l) sum += partial[l * wide + e];
    y[index * count + at] = rounded(finished(sum, n == 1u ? at : 0u, n == 1u ? 0u : at));
  }
}
