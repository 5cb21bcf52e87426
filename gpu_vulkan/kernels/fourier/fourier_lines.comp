#version 450
// Fourier transforms of lines of `size` points in a workgroup, by Stockham's passes: every thread holds some points in
// registers, and between two passes they change places through shared memory, real parts first, then imaginary ones. A
// line may be one of several that a longer transform is made of (gpu_vulkan/kernels/fourier/fourier.cpp says how), and
// by Bluestein's algorithm two transforms with a product between them. There point 0 goes its own way, so that what
// is 0 but there is transformed without an error.
// variants: f32 f64
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/index.glsl"

#include "gpu_vulkan/kernels/fourier/complex.glsl"

layout(constant_id = 1) const uint size = 1;            // points of a transform
layout(constant_id = 2) const uint passes = 0;          // up to 8
layout(constant_id = 3) const uint radices = 0;         // 4 bits for each pass, the first lowest
layout(constant_id = 4) const uint threads = 1;         // that share a line
layout(constant_id = 5) const uint lines = 1;           // that a workgroup has
layout(constant_id = 6) const uint points = 8;          // that a thread holds at most
layout(constant_id = 7) const bool across = false;      // neighbouring invocations have neighbouring lines
layout(constant_id = 8) const uint form_in = 0;         // Form of fourier.cpp
layout(constant_id = 9) const uint form_out = 0;
layout(constant_id = 10) const bool swap_in = false;    // real and imaginary parts change places where a line is read
layout(constant_id = 11) const bool chirped = false;    // then points are multiplied by a table, 0 beyond its end
layout(constant_id = 12) const bool convolves = false;  // a table multiplies the transform, which is transformed back
layout(constant_id = 13) const bool swap_back = false;  // parts change places in the result
layout(constant_id = 14) const uint factor = 0;         // Factor: what then multiplies it
layout(constant_id = 15) const bool swap_out = false;   // parts change places again
layout(constant_id = 16) const uint origin = 0;         // Origin: what becomes of point 0, which all results have

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
  uint chirp_at, spectrum_at, factor_at, fine_at, split_at;  // where tables begin
  uint fine;                            // entries of the finer table of twiddles
  uint scale[2];                        // multiplies the result, the bits of a REAL
};

const uint most = size * lines;
shared REAL exchanged[most];

COMPLEX z[points];

#include "gpu_vulkan/kernels/fourier/radix.glsl"

uint line_in_group() { return across ? gl_LocalInvocationID.x % lines : gl_LocalInvocationID.x / threads; }
uint thread() { return across ? gl_LocalInvocationID.x / lines : gl_LocalInvocationID.x % threads; }
uint place(uint at) { return across ? at * lines + line_in_group() : line_in_group() * size + at; }

uint radix_of(uint pass) { return (radices >> (4u * pass)) & 15u; }

/// Which butterflies are a thread's: its i-th, of size / radix.
uint butterfly(uint i) { return thread() + threads * i; }
uint butterflies(uint radix) { return (size / radix + threads - 1u) / threads; }

/// Where the results of a pass go, and where those of the next are found. The loop is one of two rounds, not of two
/// parts, so that its body is compiled once and parts stay in registers.
void exchange(uint radix, uint stride, uint next) {
  const uint across_groups = size / radix, across_next = size / next;
  [[dont_unroll]] for (uint round = 0u; round < 2u; ++round) {
    barrier();
    for (uint i = 0u; i < butterflies(radix); ++i) {
      const uint b = butterfly(i), p = b / stride, q = b - p * stride;
      if (b < across_groups)
        for (uint k = 0u; k < radix; ++k) exchanged[place(q + stride * (radix * p + k))] = z[i * radix + k].x;
    }
    barrier();
    for (uint i = 0u; i < butterflies(next); ++i)
      if (butterfly(i) < across_next)
        for (uint j = 0u; j < next; ++j) z[i * next + j].x = exchanged[place(butterfly(i) + j * across_next)];
    for (uint i = 0u; i < points; ++i) z[i] = z[i].yx;
  }
}

/// From points b + j size / radix of the first radix to those of the last.
void transform() {
  uint stride = 1u;
  for (uint pass = 0u; pass < passes; ++pass) {
    const uint radix = radix_of(pass);
    for (uint i = 0u; i < butterflies(radix); ++i) {
      transform_few(radix, i * radix);
      const uint p = butterfly(i) / stride;
      if (pass + 1u < passes && butterfly(i) < size / radix)
        for (uint k = 1u; k < radix; ++k) z[i * radix + k] = times(z[i * radix + k], table[stride * p * k]);
    }
    if (pass + 1u < passes) exchange(radix, stride, radix_of(pass + 1u));
    stride *= radix;
  }
}

struct Part {
  uint line, base_in, base_out, a, b;
  bool is_there;
};

/// Which line of the tensor this is, and which part of it: neighbours along the inner axes come first.
Part part_of(uint line) {
  const uint column = line % inner, rest = line / inner, part = rest % parts, outer = rest / parts;
  return Part(outer * inner + column, outer * length_in * inner + column, outer * length_out * inner + column,
              part / parts_b, part % parts_b, line < count);
}

COMPLEX half_spectrum(Part part, uint k) { return complex_x[part.base_in + k * inner]; }

/// Point k of the half-length transform of pairs, from both bins that it is made of.
COMPLEX joined(Part part, uint k) {
  COMPLEX low = half_spectrum(part, k), high = half_spectrum(part, total - k);
  if (k == 0u) low.y = high.y = REAL(0);
  const COMPLEX root = table[split_at + k], conjugate = COMPLEX(root.x, -root.y);
  const COMPLEX odd = times(COMPLEX(low.x - high.x, low.y + high.y), conjugate);
  return COMPLEX(low.x + high.x - odd.y, low.y - high.y + odd.x);
}

COMPLEX read_point(Part part, uint point) {
  switch (form_in) {
    case pairs: {
      if (inner == 1u) return COMPLEX(x[part.base_in + 2u * point], x[part.base_in + 2u * point + 1u]);
      return COMPLEX(x[part.base_in + 2u * point * inner], x[part.base_in + (2u * point + 1u) * inner]);
    }
    case reals:
      return COMPLEX(x[part.base_in + point * inner], REAL(0));
    case half_of_pairs:
      return joined(part, point);
    case half_of_reals: {
      const bool is_mirrored = 2u * point > total;
      const COMPLEX value = half_spectrum(part, is_mirrored ? total - point : point);
      return COMPLEX(value.x, point == 0u ? REAL(0) : is_mirrored ? -value.y : value.y);
    }
    default:
      return complex_x[part.base_in + point * inner];
  }
}

void load(Part part) {
  const uint radix = passes == 0u ? 1u : radix_of(0u), apart = size / radix;
  for (uint i = 0u; i < butterflies(radix); ++i)
    for (uint j = 0u; j < radix; ++j) {
      const uint at = butterfly(i) + j * apart, point = at * in_point + part.a * in_a + part.b * in_b;
      COMPLEX value = COMPLEX(0);
      if (part.is_there && butterfly(i) < apart && point < limit_in) {
        value = read_point(part, point);
        if (swap_in) value = value.yx;
        if (origin == put_aside && point == 0u) aside[part.line] = value;
        if ((origin == put_aside || origin == read_again) && point == 0u) value = COMPLEX(0);
        if (chirped) value = times(value, table[chirp_at + point]);
      }
      z[i * radix + j] = value;
    }
}

REAL scale_of_result() {
#ifdef VARIANT_f64
  return packDouble2x32(uvec2(scale[0], scale[1]));
#else
  return uintBitsToFloat(scale[0]);
#endif
}

COMPLEX finished(COMPLEX value, Part part, uint at, uint point) {
  if (swap_back) value = value.yx;
  if (factor == by_table) value = times(value, table[factor_at + point]);
  if (origin == taken_from_aside) value += aside[part.line];
  if (origin == read_again) {
    const COMPLEX first = read_point(part, 0u);
    value += swap_in ? first.yx : first;
  }
  if (factor == by_twiddle) {
    const uint turn = part.b * at, coarse = turn / fine;
    value = times(value, times(table[factor_at + coarse], table[fine_at + turn - coarse * fine]));
  }
  return (swap_out ? value.yx : value) * scale_of_result();
}

void write_point(Part part, uint point, COMPLEX value) {
  if (form_out == pairs) {
    y[part.base_out + 2u * point * inner] = value.x;
    y[part.base_out + (2u * point + 1u) * inner] = value.y;
  } else if (form_out == reals) {
    y[part.base_out + point * inner] = value.x;
  } else {
    if (form_out == half_of_reals && point == 0u) value.y = REAL(0);
    complex_y[part.base_out + point * inner] = value;
  }
}

void store(Part part) {
  const uint radix = passes == 0u ? 1u : radix_of(passes - 1u), apart = size / radix;
  for (uint i = 0u; i < butterflies(radix); ++i)
    for (uint k = 0u; k < radix; ++k) {
      const uint at = butterfly(i) + k * apart, point = at * out_point + part.a * out_a + part.b * out_b;
      if (part.is_there && butterfly(i) < apart && point < limit_out)
        write_point(part, point, finished(z[i * radix + k], part, at, point));
    }
}

/// The half spectrum of reals whose pairs were transformed, from bins k and limit_out - k of that.
void store_split(Part part) {
  const uint radix = passes == 0u ? 1u : radix_of(passes - 1u), apart = size / radix;
  const uint mine = (size / 2u + threads) / threads;  // bins up to the middle, of size of them or fewer
  COMPLEX low[points], high[points];
  [[dont_unroll]] for (uint round = 0u; round < 2u; ++round) {
    barrier();
    for (uint i = 0u; i < butterflies(radix); ++i)
      if (butterfly(i) < apart)
        for (uint k = 0u; k < radix; ++k) exchanged[place(butterfly(i) + k * apart)] = z[i * radix + k].x;
    barrier();
    for (uint i = 0u; i < points; ++i) z[i] = z[i].yx;
    for (uint i = 0u; i < mine; ++i) {
      const uint k = butterfly(i);
      if (2u * k > limit_out) continue;
      low[i] = COMPLEX(low[i].y, exchanged[place(k)]);
      high[i] = COMPLEX(high[i].y, exchanged[place(k == 0u ? 0u : limit_out - k)]);
    }
  }
  for (uint i = 0u; i < mine; ++i) {
    const uint k = butterfly(i), mirrored = k == 0u ? 0u : limit_out - k;
    if (2u * k > limit_out || !part.is_there) continue;
    COMPLEX first, last;
    split(finished(low[i], part, k, k), finished(high[i], part, mirrored, mirrored), table[split_at + k], first, last);
    if (k == 0u) first.y = last.y = REAL(0);
    complex_y[part.base_out + k * inner] = first;
    complex_y[part.base_out + (limit_out - k) * inner] = last;
  }
}

/// Between the two transforms of Bluestein's algorithm: an inverse one is one whose parts change places.
void multiply_by_spectrum() {
  const uint radix = radix_of(passes - 1u), apart = size / radix;
  for (uint i = 0u; i < butterflies(radix); ++i)
    for (uint k = 0u; k < radix; ++k)
      if (butterfly(i) < apart)
        z[i * radix + k] = times(z[i * radix + k], table[spectrum_at + butterfly(i) + k * apart]).yx;
  exchange(radix, apart, radix_of(0u));
}

void main() {
  const Part part = part_of(group_index() * lines + line_in_group());
  load(part);
  [[dont_unroll]] for (uint round = 0u; round < (convolves ? 2u : 1u); ++round) {
    if (round == 1u) multiply_by_spectrum();
    transform();
  }
  if (form_out == half_of_pairs)
    store_split(part);
  else
    store(part);
}
