// How points of a line are read and written: as complex numbers, as reals, or as half of a spectrum. A shader declares
// the buffers x, complex_x, y, complex_y, table[] and aside[], and the constants and the block of fourier_lines.comp.

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
      if (inner == 1u) return complex_x[part.base_in / 2u + point];
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

REAL scale_of_result() {
#ifdef VARIANT_f64
  return packDouble2x32(uvec2(scale[0], scale[1]));
#else
  return uintBitsToFloat(scale[0]);
#endif
}

/// e^(-2 pi i turn / turns), turn < turns < 2^30. A double's is a product of two from tables.
COMPLEX root_of_unity(uint turn) {
#ifdef VARIANT_f64
  const uint coarse = turn >> fine_bits, fine = turn - (coarse << fine_bits);
  return times(table[factor_at + coarse], table[fine_at + fine]);
#else
  // The quarter turn that is nearest, or its neighbour, and what is left of it: integers, so that it has no error yet.
  const uint quadrant = uint(float(turn) * quarters + 0.5);
  const float angle = float(int(4u * turn - quadrant * turns)) * radians;
  const float s = sin_reduced(angle), c = cos_reduced(angle);
  const vec2 near = (quadrant & 1u) == 0u ? vec2(c, -s) : vec2(-s, -c);
  return (quadrant & 2u) == 0u ? near : -near;
#endif
}

/// A result with what multiplies it, and with `own`, which all results of its line have.
COMPLEX finished(COMPLEX value, Part part, COMPLEX own, uint at, uint point) {
  if (swap_back) value = value.yx;
  if (factor == by_table) value = times(value, table[factor_at + point]);
  if (origin == taken_from_aside || origin == read_again) value += own;
  if (factor == by_twiddle) value = times(value, root_of_unity(part.b * at));
  return (swap_out ? value.yx : value) * scale_of_result();
}

void write_point(Part part, uint point, COMPLEX value) {
  if (form_out == pairs) {
    if (inner == 1u) {
      complex_y[part.base_out / 2u + point] = value;
    } else {
      y[part.base_out + 2u * point * inner] = value.x;
      y[part.base_out + (2u * point + 1u) * inner] = value.y;
    }
  } else if (form_out == reals) {
    y[part.base_out + point * inner] = value.x;
  } else {
    if (form_out == half_of_reals && point == 0u) value.y = REAL(0);
    complex_y[part.base_out + point * inner] = value;
  }
}
