// Complex numbers of f32 and f64, and how the half spectrum of reals comes from the transform of their pairs.
#ifdef VARIANT_f64
#define REAL double
#define COMPLEX dvec2
#else
#define REAL float
#define COMPLEX vec2
#endif

COMPLEX times(COMPLEX a, COMPLEX b) { return COMPLEX(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
COMPLEX turned(COMPLEX a) { return COMPLEX(a.y, -a.x); }  // -i a

/// Bins k and h - k of 2h reals, from bins k and h - k of the transform of h pairs and e^(-pi i k / h): half of a +
/// conj b is the transform of the even ones, half of -i (a - conj b) that of the odd ones, which come a sample later.
void split(COMPLEX a, COMPLEX b, COMPLEX root, out COMPLEX first, out COMPLEX last) {
  const COMPLEX even = COMPLEX(a.x + b.x, a.y - b.y) * REAL(0.5), odd = COMPLEX(a.y + b.y, b.x - a.x) * REAL(0.5);
  const COMPLEX bent = times(odd, root);
  first = even + bent;
  last = COMPLEX(even.x - bent.x, bent.y - even.y);
}
