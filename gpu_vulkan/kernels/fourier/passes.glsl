// Stockham's passes over lines in a workgroup. Every thread holds some points of a line in registers, transforms few of
// them at a time, and between two passes all change places through shared memory. A shader declares the constants
// size, radices, last, threads, lines, points, line_stride, across_in, across_out, at_once and slices, and table[].

/// Up to 5 passes: 5 bits each hold a radix less 1, the first lowest. A radix of 1 is no pass.
const uint radix_0 = (radices & 31u) + 1u;
const uint radix_1 = (radices >> 5u & 31u) + 1u;
const uint radix_2 = (radices >> 10u & 31u) + 1u;
const uint radix_3 = (radices >> 15u & 31u) + 1u;
const uint radix_4 = (radices >> 20u & 31u) + 1u;

/// How far apart a pass finds results of the passes before: the product of their radices.
const uint stride_1 = radix_0, stride_2 = stride_1 * radix_1;
const uint stride_3 = stride_2 * radix_2, stride_4 = stride_3 * radix_3;

/// Where the table of a pass begins: root k p of size / stride at (k - 1) size / (stride radix) + p, so that
/// neighbours read neighbours.
const uint twiddles_1 = size - size / stride_1, twiddles_2 = twiddles_1 + size / stride_1 - size / stride_2;
const uint twiddles_3 = twiddles_2 + size / stride_2 - size / stride_3;

/// The points that change places: both parts of a number at once, or one after the other, in half of the memory.
const uint places = line_stride * lines;
shared COMPLEX exchanged_numbers[at_once ? places : 1u];
shared REAL exchanged_parts[at_once ? 1u : places];

COMPLEX z[points];

#include "gpu_vulkan/kernels/fourier/radix.glsl"

/// `a` if the condition holds. Operands are values, not expressions, of which glslang would make a branch each: where
/// there are many in a loop, NVIDIA's compiler leaves z in memory.
uint either(bool condition, uint a, uint b) { return condition ? a : b; }

/// Which line and which share of it an invocation has: neighbours have neighbouring lines, or shares of one.
uint line_in_group(bool across) {
  return either(across, gl_LocalInvocationID.x % lines, gl_LocalInvocationID.x / threads);
}
uint share(bool across) { return either(across, gl_LocalInvocationID.x / lines, gl_LocalInvocationID.x % threads); }

/// Which butterflies are a share's: its i-th, of size / radix, where there are so many.
uint butterfly(uint i, bool across) { return share(across) + threads * i; }
uint butterflies(uint radix) { return (size / radix + threads - 1u) / threads; }
bool is_there(uint i, uint radix, bool across) {
  const bool all_are = size / radix % threads == 0u;
  return either(all_are, 0u, butterfly(i, across)) < size / radix;
}

/// A place in 33 stays free, so that powers of two are in different banks.
uint padded(uint at) { return at + (at >> 5u); }

/// Where point `at + offset` of a line lies in shared memory: its points lie together, or those of all lines with the
/// same index do. Of powers of two neither index has a bit of the other, which makes the offset a constant. (NVIDIA's
/// compiler makes slower code of slices with it, where lines lie apart: a third for 16384 points.)
uint place(uint at, uint offset, bool across, bool interleaved) {
  const uint line = line_in_group(across), apart = either(interleaved, lines, 1u);
  const bool are_powers = ((size & size - 1u) | (apart & apart - 1u)) == 0u, may_be_apart = slices == 1u;
  const bool is_separate = are_powers && (may_be_apart || interleaved);
  const uint separate = padded(at * apart) + padded(offset * apart), together = padded((at + offset) * apart);
  return either(interleaved, line, line * line_stride) + either(is_separate, separate, together);
}

void put(uint at, COMPLEX value, uint part) {
  if (at_once)
    exchanged_numbers[at] = value;
  else
    exchanged_parts[at] = part == 0u ? value.x : value.y;
}

void take(uint at, inout COMPLEX value, uint part) {
  if (at_once)
    value = exchanged_numbers[at];
  else if (part == 0u)
    value.x = exchanged_parts[at];
  else
    value.y = exchanged_parts[at];
}

/// Results of a pass go where the next one, which may share lines out in another way, finds them.
void exchange_whole(uint radix, uint stride, uint next, bool from, bool to) {
  const bool interleaved = from && to;
  [[unroll]] for (uint part = 0u; part < (at_once ? 1u : 2u); ++part) {
    barrier();
    [[unroll]] for (uint i = 0u; i < butterflies(radix); ++i) {
      const uint b = butterfly(i, from), p = b / stride, first = b - p * stride + stride * radix * p;
      if (is_there(i, radix, from))
        [[unroll]] for (uint k = 0u; k < radix; ++k)
          put(place(first, stride * k, from, interleaved), z[i * radix + k], part);
    }
    barrier();
    [[unroll]] for (uint i = 0u; i < butterflies(next); ++i)
      if (is_there(i, next, to))
        [[unroll]] for (uint j = 0u; j < next; ++j)
          take(place(butterfly(i, to), j * (size / next), to, interleaved), z[i * next + j], part);
  }
}

/// As exchange_whole does, but in slices and one part after the other: each slice holds some results k of every
/// butterfly, and a later butterfly has all of its points in one of them.
void exchange_sliced(uint radix, uint stride, uint next, bool from, bool to) {
  const bool interleaved = from && to;
  const uint width = (radix + slices - 1u) / slices;
  COMPLEX found[points];  // while slices that follow still want what z holds
  [[unroll]] for (uint part = 0u; part < 2u; ++part)
    [[unroll]] for (uint slice = 0u; slice < slices; ++slice) {
      barrier();
      [[unroll]] for (uint i = 0u; i < butterflies(radix); ++i) {
        const uint b = butterfly(i, from), p = b / stride, first = b - p * stride + stride * width * p;
        if (is_there(i, radix, from))
          [[unroll]] for (uint k = slice * width; k < min(radix, slice * width + width); ++k)
            put(place(first, stride * (k - slice * width), from, interleaved), z[i * radix + k], part);
      }
      barrier();
      [[unroll]] for (uint i = 0u; i < butterflies(next); ++i) {
        const uint b = butterfly(i, to), p = b / stride, k = p % radix - slice * width;
        const uint first = b - p * stride + stride * (p / radix * width + k);
        const bool there = is_there(i, next, to), here = k < width;
        if (there && here)
          [[unroll]] for (uint j = 0u; j < next; ++j)
            take(place(first, j * (size / next / radix * width), to, interleaved), found[i * next + j], part);
      }
    }
  [[unroll]] for (uint i = 0u; i < points; ++i) z[i] = found[i];
}

void exchange(uint radix, uint stride, uint next, bool from, bool to) {
  if (slices == 1u)
    exchange_whole(radix, stride, next, from, to);
  else
    exchange_sliced(radix, stride, next, from, to);
}

/// Transforms of the pass's radix, of points that are size / radix apart, then twiddles and places for the next one.
void pass(uint radix, uint stride, uint twiddles, uint next, bool across) {
  const uint apart = size / (stride * radix);
  [[unroll]] for (uint i = 0u; i < butterflies(radix); ++i) {
    transform_few(radix, i * radix);
    const uint p = butterfly(i, across) / stride;
    const bool is_multiplied = next > 1u, there = is_there(i, radix, across);
    if (is_multiplied && there)
      [[unroll]] for (uint k = 1u; k < radix; ++k)
        z[i * radix + k] = times(z[i * radix + k], table[twiddles + (k - 1u) * apart + p]);
  }
  if (next > 1u) exchange(radix, stride, next, across, across_out);
}

/// From points b + j size / radix of the first radix to those of the last.
void transform() {
  pass(radix_0, 1u, 0u, radix_1, across_in);
  if (radix_1 > 1u) pass(radix_1, stride_1, twiddles_1, radix_2, across_out);
  if (radix_2 > 1u) pass(radix_2, stride_2, twiddles_2, radix_3, across_out);
  if (radix_3 > 1u) pass(radix_3, stride_3, twiddles_3, radix_4, across_out);
  if (radix_4 > 1u) pass(radix_4, stride_4, 0u, 1u, across_out);
}
