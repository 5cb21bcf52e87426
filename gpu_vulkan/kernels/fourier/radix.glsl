// Transforms of 2 to 32 numbers in registers, those of a thread from `at` on in z.
// A shader declares COMPLEX z[] before (complex.glsl).

void radix2(uint at) {
  const COMPLEX a = z[at], b = z[at + 1u];
  z[at] = a + b;
  z[at + 1u] = a - b;
}

void four(inout COMPLEX a, inout COMPLEX b, inout COMPLEX c, inout COMPLEX d) {
  const COMPLEX p = a + c, q = a - c, s = b + d, t = turned(b - d);
  a = p + s;
  b = q + t;
  c = p - s;
  d = q - t;
}

void radix4(uint at) { four(z[at], z[at + 1u], z[at + 2u], z[at + 3u]); }

void radix8(uint at) {
  COMPLEX a = z[at], b = z[at + 2u], c = z[at + 4u], d = z[at + 6u];
  COMPLEX e = z[at + 1u], f = z[at + 3u], g = z[at + 5u], h = z[at + 7u];
  four(a, b, c, d);
  four(e, f, g, h);
  const REAL root = REAL(0.70710678118654752440LF);
  f = root * COMPLEX(f.x + f.y, f.y - f.x);
  g = turned(g);
  h = root * COMPLEX(h.y - h.x, -h.y - h.x);
  z[at] = a + e;
  z[at + 1u] = b + f;
  z[at + 2u] = c + g;
  z[at + 3u] = d + h;
  z[at + 4u] = a - e;
  z[at + 5u] = b - f;
  z[at + 6u] = c - g;
  z[at + 7u] = d - h;
}

/// Columns of a matrix of 4 x 4, then rows, whose results are its columns again.
void radix16(uint at) {
  const REAL c = REAL(0.92387953251128675613LF), s = REAL(0.38268343236508977173LF);
  const REAL root = REAL(0.70710678118654752440LF);
  COMPLEX t[16];
  [[unroll]] for (uint i = 0u; i < 16u; ++i) t[i] = z[at + i];
  [[unroll]] for (uint i = 0u; i < 4u; ++i) four(t[i], t[4u + i], t[8u + i], t[12u + i]);
  t[5] = times(t[5], COMPLEX(c, -s));
  t[6] = root * COMPLEX(t[6].x + t[6].y, t[6].y - t[6].x);
  t[7] = times(t[7], COMPLEX(s, -c));
  t[9] = root * COMPLEX(t[9].x + t[9].y, t[9].y - t[9].x);
  t[10] = turned(t[10]);
  t[11] = root * COMPLEX(t[11].y - t[11].x, -t[11].y - t[11].x);
  t[13] = times(t[13], COMPLEX(s, -c));
  t[14] = root * COMPLEX(t[14].y - t[14].x, -t[14].y - t[14].x);
  t[15] = times(t[15], COMPLEX(-c, s));
  [[unroll]] for (uint i = 0u; i < 16u; i += 4u) four(t[i], t[i + 1u], t[i + 2u], t[i + 3u]);
  [[unroll]] for (uint i = 0u; i < 16u; ++i) z[at + i] = t[4u * (i % 4u) + i / 4u];
}

void radix3(uint at) {
  const REAL s = REAL(0.86602540378443864676LF);
  const COMPLEX sum = z[at + 1u] + z[at + 2u], across = s * turned(z[at + 1u] - z[at + 2u]);
  const COMPLEX middle = z[at] - REAL(0.5LF) * sum;
  z[at] += sum;
  z[at + 1u] = middle + across;
  z[at + 2u] = middle - across;
}

void radix5(uint at) {
  const REAL c1 = REAL(0.30901699437494742410LF), c2 = REAL(-0.80901699437494742410LF);
  const REAL s1 = REAL(0.95105651629515357212LF), s2 = REAL(0.58778525229247312917LF);
  const COMPLEX a = z[at], p = z[at + 1u] + z[at + 4u], q = z[at + 2u] + z[at + 3u];
  const COMPLEX d = turned(z[at + 1u] - z[at + 4u]), e = turned(z[at + 2u] - z[at + 3u]);
  const COMPLEX m1 = a + c1 * p + c2 * q, m2 = a + c2 * p + c1 * q;
  const COMPLEX n1 = s1 * d + s2 * e, n2 = s2 * d - s1 * e;
  z[at] = a + p + q;
  z[at + 1u] = m1 + n1;
  z[at + 2u] = m2 + n2;
  z[at + 3u] = m2 - n2;
  z[at + 4u] = m1 - n1;
}

void radix7(uint at) {
  const REAL c1 = REAL(0.62348980185873353053LF), c2 = REAL(-0.22252093395631440429LF);
  const REAL c3 = REAL(-0.90096886790241912624LF), s1 = REAL(0.78183148246802980871LF);
  const REAL s2 = REAL(0.97492791218182360702LF), s3 = REAL(0.43388373911755812048LF);
  const COMPLEX a = z[at], p = z[at + 1u] + z[at + 6u], q = z[at + 2u] + z[at + 5u], r = z[at + 3u] + z[at + 4u];
  const COMPLEX d = turned(z[at + 1u] - z[at + 6u]), e = turned(z[at + 2u] - z[at + 5u]);
  const COMPLEX f = turned(z[at + 3u] - z[at + 4u]);
  const COMPLEX m1 = a + c1 * p + c2 * q + c3 * r, n1 = s1 * d + s2 * e + s3 * f;
  const COMPLEX m2 = a + c2 * p + c3 * q + c1 * r, n2 = s2 * d - s3 * e - s1 * f;
  const COMPLEX m3 = a + c3 * p + c1 * q + c2 * r, n3 = s3 * d - s1 * e + s2 * f;
  z[at] = a + p + q + r;
  z[at + 1u] = m1 + n1;
  z[at + 2u] = m2 + n2;
  z[at + 3u] = m3 + n3;
  z[at + 4u] = m3 - n3;
  z[at + 5u] = m2 - n2;
  z[at + 6u] = m1 - n1;
}

/// A transform whose length is a product of two that have no factor in common: indices are renamed, nothing is
/// multiplied. Number (b i + a j) mod ab is in row i, column j; result k is in row k mod a, column k mod b (Good and
/// Thomas).
#define RADIX_OF_TWO(AB, A, B)                                                                             \
  void radix##AB(uint at) {                                                                                \
    COMPLEX t[AB];                                                                                         \
    [[unroll]] for (uint i = 0u; i < AB; ++i) t[i] = z[at + (B * (i % A) + A * (i / A)) % AB];             \
    [[unroll]] for (uint i = 0u; i < AB; ++i) z[at + i] = t[i];                                            \
    [[unroll]] for (uint i = 0u; i < AB; i += A) radix##A(at + i);                                         \
    [[unroll]] for (uint i = 0u; i < AB; ++i) t[i] = z[at + i % B * A + i / B];                            \
    [[unroll]] for (uint i = 0u; i < AB; ++i) z[at + i] = t[i];                                            \
    [[unroll]] for (uint i = 0u; i < AB; i += B) radix##B(at + i);                                         \
    [[unroll]] for (uint i = 0u; i < AB; ++i) t[i] = z[at + i];                                            \
    [[unroll]] for (uint i = 0u; i < AB; ++i) z[at + i] = t[i % A * B + i % B];                            \
  }

RADIX_OF_TWO(6, 3, 2)
RADIX_OF_TWO(10, 5, 2)
RADIX_OF_TWO(12, 3, 4)
RADIX_OF_TWO(14, 7, 2)
RADIX_OF_TWO(15, 5, 3)

/// Columns of a matrix of 3 x 3, then rows, whose results are its columns again.
void radix9(uint at) {
  COMPLEX t[9];
  [[unroll]] for (uint i = 0u; i < 9u; ++i) t[i] = z[at + i % 3u * 3u + i / 3u];
  [[unroll]] for (uint i = 0u; i < 9u; ++i) z[at + i] = t[i];
  [[unroll]] for (uint i = 0u; i < 9u; i += 3u) radix3(at + i);
  const COMPLEX w1 = COMPLEX(REAL(0.76604444311897803520LF), REAL(-0.64278760968653932632LF));
  const COMPLEX w2 = COMPLEX(REAL(0.17364817766693034885LF), REAL(-0.98480775301220805937LF));
  const COMPLEX w4 = COMPLEX(REAL(-0.93969262078590838405LF), REAL(-0.34202014332566873304LF));
  z[at + 4u] = times(z[at + 4u], w1);
  z[at + 5u] = times(z[at + 5u], w2);
  z[at + 7u] = times(z[at + 7u], w2);
  z[at + 8u] = times(z[at + 8u], w4);
  [[unroll]] for (uint i = 0u; i < 9u; ++i) t[i] = z[at + i % 3u * 3u + i / 3u];
  [[unroll]] for (uint i = 0u; i < 9u; ++i) z[at + i] = t[i];
  [[unroll]] for (uint i = 0u; i < 9u; i += 3u) radix3(at + i);
  [[unroll]] for (uint i = 0u; i < 9u; ++i) t[i] = z[at + i];
  [[unroll]] for (uint i = 0u; i < 9u; ++i) z[at + i] = t[i % 3u * 3u + i / 3u];
}

/// e^(-2 pi i m / 32).
COMPLEX root_of_32(uint m) {
  const REAL cosines[9] = REAL[9](
      REAL(1), REAL(0.98078528040323044913LF), REAL(0.92387953251128675613LF), REAL(0.83146961230254523708LF),
      REAL(0.70710678118654752440LF), REAL(0.55557023301960222474LF), REAL(0.38268343236508977173LF),
      REAL(0.19509032201612826785LF), REAL(0));
  const uint s = m % 16u;
  const COMPLEX first = s > 8u ? COMPLEX(-cosines[16u - s], -cosines[s - 8u]) : COMPLEX(cosines[s], -cosines[8u - s]);
  return m % 32u < 16u ? first : -first;
}

/// Columns of a matrix of 4 x 8, then rows, whose results are its columns again.
void radix32(uint at) {
  [[unroll]] for (uint i = 0u; i < 8u; ++i) {
    four(z[at + i], z[at + 8u + i], z[at + 16u + i], z[at + 24u + i]);
    if (i > 0u)
      [[unroll]] for (uint k = 1u; k < 4u; ++k) z[at + 8u * k + i] = times(z[at + 8u * k + i], root_of_32(i * k));
  }
  [[unroll]] for (uint i = 0u; i < 32u; i += 8u) radix8(at + i);
  COMPLEX t[32];
  [[unroll]] for (uint i = 0u; i < 32u; ++i) t[i] = z[at + i];
  [[unroll]] for (uint i = 0u; i < 32u; ++i) z[at + i] = t[i % 4u * 8u + i / 4u];
}

void transform_few(uint radix, uint at) {
  switch (radix) {
    case 2u: radix2(at); break;
    case 3u: radix3(at); break;
    case 4u: radix4(at); break;
    case 5u: radix5(at); break;
    case 6u: radix6(at); break;
    case 7u: radix7(at); break;
    case 8u: radix8(at); break;
    case 9u: radix9(at); break;
    case 10u: radix10(at); break;
    case 12u: radix12(at); break;
    case 14u: radix14(at); break;
    case 15u: radix15(at); break;
    case 16u: radix16(at); break;
    case 32u: radix32(at); break;
    default: break;
  }
}
