#version 450
// Fourier transforms of lines of `size` points in a workgroup (passes.glsl). A line may be one of several that a longer
// transform is made of (gpu_vulkan/kernels/fourier/fourier.cpp says how), and by Bluestein's algorithm two transforms
// with a product between them. There point 0 goes its own way, so that what is 0 but there is transformed without an
// error.
// variants: f32 f64
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/index.glsl"
#ifndef VARIANT_f64
#include "gpu_vulkan/glsl/trigonometry.glsl"
#endif

#include "gpu_vulkan/kernels/fourier/complex.glsl"

layout(constant_id = 1) const uint size = 1;            // points of a transform
layout(constant_id = 2) const uint radices = 0;         // that passes have (passes.glsl)
layout(constant_id = 3) const uint last = 1;            // radix
layout(constant_id = 4) const uint threads = 1;         // that share a line
layout(constant_id = 5) const uint lines = 1;           // that a workgroup has
layout(constant_id = 6) const uint points = 8;          // that a thread holds at most
layout(constant_id = 7) const uint line_stride = 1;     // in shared memory
layout(constant_id = 8) const bool across_in = false;   // neighbouring invocations read neighbouring lines
layout(constant_id = 9) const bool across_out = false;  // and write them, as they do where there is one pass only
layout(constant_id = 10) const uint form_in = 0;        // Form of fourier.cpp
layout(constant_id = 11) const uint form_out = 0;
layout(constant_id = 12) const bool swap_in = false;    // real and imaginary parts change places where a line is read
layout(constant_id = 13) const bool chirped = false;    // then points are multiplied by a table, 0 beyond its end
layout(constant_id = 14) const bool convolves = false;  // a table multiplies the transform, which is transformed back
layout(constant_id = 15) const bool swap_back = false;  // parts change places in the result
layout(constant_id = 16) const uint factor = 0;         // Factor: what then multiplies it
layout(constant_id = 17) const bool swap_out = false;   // parts change places again
layout(constant_id = 18) const uint origin = 0;         // Origin: what becomes of point 0, which all results have
layout(constant_id = 19) const uint held_in = 0;        // points that a line has at most, from 0 on; 0: all of them
layout(constant_id = 20) const uint held_out = 0;
layout(constant_id = 21) const bool at_once = false;    // both parts of a number change places at once (passes.glsl)
layout(constant_id = 22) const uint slices = 1;         // in which points change places

const uint whole = 0u, pairs = 1u, reals = 2u, half_of_pairs = 3u, half_of_reals = 4u;
const uint by_table = 1u, by_twiddle = 2u;
const uint read_again = 1u, put_aside = 2u, taken_from_aside = 3u;

layout(set = 0, binding = 0) readonly buffer X { REAL x[]; };
layout(set = 0, binding = 0) readonly buffer ComplexX { COMPLEX complex_x[]; };
layout(set = 0, binding = 1) readonly buffer Tables { COMPLEX table[]; };
layout(set = 0, binding = 2) writeonly buffer Y { REAL y[]; };
layout(set = 0, binding = 2) writeonly buffer ComplexY { COMPLEX complex_y[]; };
layout(set = 0, binding = 3) buffer Aside { COMPLEX aside[]; };  // points 0, by line
layout(push_constant) uniform Block {
  uint count;            // lines in all, those that a longer one is made of apart
  uint inner;            // how far neighbours of a line are apart
  uint parts, parts_b;   // lines that a longer one is made of: a * parts_b + b
  uint length_in, length_out;           // elements of a longer line, as they are stored
  uint total;                           // points of the longer transform
  uint in_point, in_a, in_b;            // point i of part (a, b) is i in_point + a in_a + b in_b of the longer one
  uint out_point, out_a, out_b;
  uint limit_in, limit_out;             // points of the longer line that there are
  uint chirp_at, spectrum_at, split_at; // where tables begin
  uint turns;                           // b at of so many turns are what twiddles multiply results by
  uint factor_at, fine_at, fine_bits;   // where their tables begin, of coarse steps and of fine ones
  float quarters, radians;              // 4 / turns and pi / 2 turns
  uint scale[2];                        // multiplies the result, the bits of a REAL
};

#include "gpu_vulkan/kernels/fourier/passes.glsl"
#include "gpu_vulkan/kernels/fourier/ends.glsl"

void load(Part part) {
  const uint apart = size / radix_0, most_in = either(held_in == 0u, size, held_in);
  [[unroll]] for (uint i = 0u; i < butterflies(radix_0); ++i)
    [[unroll]] for (uint j = 0u; j < radix_0; ++j) {
      const uint at = butterfly(i, across_in) + j * apart, point = at * in_point + part.a * in_a + part.b * in_b;
      COMPLEX value = COMPLEX(0);
      const bool may_be_held = threads * i + j * apart < most_in, held = point < either(held_in == 0u, ~0u, limit_in);
      const bool there = is_there(i, radix_0, across_in);
      if (may_be_held && part.is_there && there && held) {
        value = read_point(part, point);
        if (swap_in) value = value.yx;
        if (origin == put_aside && point == 0u) aside[part.line] = value;
        if ((origin == put_aside || origin == read_again) && point == 0u) value = COMPLEX(0);
        if (chirped) value = times(value, table[chirp_at + point]);
      }
      z[i * radix_0 + j] = value;
    }
}

/// Point 0 of a line, which all results have, where it went its own way; else 0.
COMPLEX origin_of(Part part) {
  COMPLEX own = COMPLEX(0);
  if (origin == taken_from_aside) {
    if (part.is_there) own = aside[part.line];
  } else if (origin == read_again) {
    if (part.is_there) own = read_point(part, 0u);
    if (swap_in) own = own.yx;
  }
  return own;
}

void store(Part part) {
  const COMPLEX first = origin_of(part);
  const uint most_out = either(held_out == 0u, size, held_out);
  [[unroll]] for (uint i = 0u; i < butterflies(last); ++i)
    [[unroll]] for (uint k = 0u; k < last; ++k) {
      const uint at = butterfly(i, across_out) + k * (size / last);
      const uint point = at * out_point + part.a * out_a + part.b * out_b;
      const bool may_be_held = threads * i + k * (size / last) < most_out;
      const bool there = is_there(i, last, across_out), held = point < either(held_out == 0u, ~0u, limit_out);
      if (may_be_held && part.is_there && there && held)
        write_point(part, point, finished(z[i * last + k], part, first, at, point));
    }
}

/// The half spectrum of reals whose pairs were transformed, from bins k and h - k of that.
void store_split(Part part) {
  const uint h = held_out == 0u ? size : limit_out, mine = (size / 2u + threads) / threads;
  const COMPLEX own = origin_of(part);
  COMPLEX low[points], high[points];
  [[unroll]] for (uint round = 0u; round < (at_once ? 1u : 2u); ++round) {
    barrier();
    [[unroll]] for (uint i = 0u; i < butterflies(last); ++i)
      if (is_there(i, last, across_out))
        [[unroll]] for (uint k = 0u; k < last; ++k)
          put(place(butterfly(i, across_out), k * (size / last), across_out, across_out), z[i * last + k], round);
    barrier();
    [[unroll]] for (uint i = 0u; i < mine; ++i) {
      const uint k = butterfly(i, across_out), mirrored = k == 0u ? 0u : h - k;
      if (2u * k > h) continue;
      take(place(k, 0u, across_out, across_out), low[i], round);
      take(place(mirrored, 0u, across_out, across_out), high[i], round);
    }
  }
  [[unroll]] for (uint i = 0u; i < mine; ++i) {
    const uint k = butterfly(i, across_out), mirrored = k == 0u ? 0u : h - k;
    if (2u * k > h || !part.is_there) continue;
    const COMPLEX a = finished(low[i], part, own, k, k), b = finished(high[i], part, own, mirrored, mirrored);
    COMPLEX first, final;
    split(a, b, table[split_at + k], first, final);
    if (k == 0u) first.y = final.y = REAL(0);
    complex_y[part.base_out + k * inner] = first;
    complex_y[part.base_out + (h - k) * inner] = final;
  }
}

/// Between the two transforms of Bluestein's algorithm: an inverse one is one whose parts change places.
void multiply_by_spectrum() {
  [[unroll]] for (uint i = 0u; i < butterflies(last); ++i)
    if (is_there(i, last, across_out))
      [[unroll]] for (uint k = 0u; k < last; ++k)
        z[i * last + k] =
            times(z[i * last + k], table[spectrum_at + butterfly(i, across_out) + k * (size / last)]).yx;
  exchange(last, size / last, radix_0, across_out, across_in);
}

void main() {
  const uint first_line = group_index() * lines;
  const Part part_in = part_of(first_line + line_in_group(across_in));
  load(part_in);
  [[dont_unroll]] for (uint round = 0u; round < (convolves ? 2u : 1u); ++round) {
    if (round == 1u) multiply_by_spectrum();
    transform();
  }
  const Part part_out = part_of(first_line + line_in_group(across_out));
  if (form_out == half_of_pairs)
    store_split(part_out);
  else
    store(part_out);
}
