// Transforms of 2 to 8 numbers in registers, those of a thread from `at` on in z.
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

void transform_few(uint radix, uint at) {
  switch (radix) {
    case 2u: radix2(at); break;
    case 3u: radix3(at); break;
    case 4u: radix4(at); break;
    case 5u: radix5(at); break;
    case 7u: radix7(at); break;
    default: radix8(at);
  }
}
