"""Packed formats by ops.md A, in whole numbers and fractions: decoders, 8-bit floats, encoders in closed form."""

import math
import struct
from fractions import Fraction

NL = (-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)
KV = (0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)
INF, NAN = math.inf, math.nan


class Block:
    """The bytes of one block by the names that ops.md A gives them."""

    def __init__(self, data):
        self.b = data

    def s8(self, i):
        return self.b[i] - 256 * (self.b[i] > 127)

    def w16(self, i):
        return self.b[i] | self.b[i + 1] << 8

    def w32(self, i):
        return self.w16(i) | self.w16(i + 2) << 16

    def h(self, i):
        """The f16 at byte i: a fraction, or a float where it is not finite."""
        value = struct.unpack("<e", bytes(self.b[i:i + 2]))[0]
        return Fraction(value) if math.isfinite(value) else value

    def nib(self, o, e):
        return self.b[o + e] & 15 if e < 16 else self.b[o + e - 16] >> 4

    def sc(self, j):
        s = self.b[4:16]
        return s[j] & 63 if j < 4 else (s[j + 4] & 15) | (s[j - 4] >> 6) << 4

    def mn(self, j):
        s = self.b[4:16]
        return s[j + 4] & 63 if j < 4 else (s[j + 4] >> 4) | (s[j] >> 6) << 4


def times(scale, *whole):
    """A scale times whole numbers; one that is not finite goes by IEEE 754."""
    for number in whole:
        if isinstance(scale, Fraction):
            scale = scale * number
        else:
            scale = scale * float(number)
    return scale


def plus(a, b):
    return a + b if isinstance(a, Fraction) and isinstance(b, Fraction) else float(a) + float(b)


def q2_k(x, e):
    half, r, c = e // 128, e % 128, x.b[e // 16]
    q = x.b[16 + 32 * half + r % 32] >> 2 * (r // 32) & 3
    return plus(times(x.h(80), c & 15, q), times(x.h(82), -1, c >> 4))


def q3_k(x, e):
    half, r, t = e // 128, e % 128, e // 16
    j, l = r // 32, r % 32
    low = x.b[96 + t] & 15 if t < 8 else x.b[96 + t - 8] >> 4
    high = x.b[104 + t % 4] >> 2 * (t // 4) & 3
    q = (x.b[32 + 32 * half + l] >> 2 * j & 3) - (0 if x.b[l] >> (4 * half + j) & 1 else 4)
    return times(x.h(108), (low | high << 4) - 32, q)


def q4_k(x, e):
    g = e // 32
    c = x.b[16 + 32 * (g // 2) + e % 32]
    return plus(times(x.h(0), x.sc(g), c >> 4 if g % 2 else c & 15), times(x.h(2), -1, x.mn(g)))


def q5_k(x, e):
    g, l = e // 32, e % 32
    c = x.b[48 + 32 * (g // 2) + l]
    q = (c >> 4 if g % 2 else c & 15) | (x.b[16 + l] >> g & 1) << 4
    return plus(times(x.h(0), x.sc(g), q), times(x.h(2), -1, x.mn(g)))


def q6_k(x, e):
    half, r = e // 128, e % 128
    t, l = r // 32, r % 32
    c = x.b[64 * half + 32 * (t % 2) + l]
    q = ((c >> 4 if t >= 2 else c & 15) | (x.b[128 + 32 * half + l] >> 2 * t & 3) << 4) - 32
    return times(x.h(208), x.s8(192 + e // 16), q)


def iq4_xs(x, e):
    g = e // 32
    s = (x.b[4 + g // 2] >> 4 * (g % 2) & 15) | (x.w16(2) >> 2 * g & 3) << 4
    return times(x.h(0), s - 32, NL[x.nib(8 + 16 * g, e % 32)])


def fifth(x, at, e):
    return (x.w32(at) >> e & 1) << 4


# Elements and bytes of a block, where its f16 factors are, and element e.
FORMATS = {
    "q4_0": (32, 18, (0,), lambda x, e: times(x.h(0), x.nib(2, e) - 8)),
    "q4_1": (32, 20, (0, 2), lambda x, e: plus(times(x.h(0), x.nib(4, e)), x.h(2))),
    "q5_0": (32, 22, (0,), lambda x, e: times(x.h(0), (x.nib(6, e) | fifth(x, 2, e)) - 16)),
    "q5_1": (32, 24, (0, 2), lambda x, e: plus(times(x.h(0), x.nib(8, e) | fifth(x, 4, e)), x.h(2))),
    "q8_0": (32, 34, (0,), lambda x, e: times(x.h(0), x.s8(2 + e))),
    "iq4_nl": (32, 18, (0,), lambda x, e: times(x.h(0), NL[x.nib(2, e)])),
    "mxfp4": (32, 17, (), lambda x, e: Fraction(2) ** (x.b[0] - 128) * KV[x.nib(1, e)]),
    "q2_k": (256, 84, (80, 82), q2_k),
    "q3_k": (256, 110, (108,), q3_k),
    "q4_k": (256, 144, (0, 2), q4_k),
    "q5_k": (256, 176, (0, 2), q5_k),
    "q6_k": (256, 210, (208,), q6_k),
    "iq4_xs": (256, 136, (0,), iq4_xs),
}


def as_f32(x):
    """The nearest f32 of a number that f64 holds exactly."""
    number = float(x)
    assert not isinstance(x, Fraction) or Fraction(number) == x
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(INF, number)


def fp8(code, fraction_bits):
    """The value of an 8-bit float: E4M3 without infinities, E5M2 as IEEE 754 has it."""
    bias, field = (7, code >> 3 & 15) if fraction_bits == 3 else (15, code >> 2 & 31)
    fraction, sign = code & (1 << fraction_bits) - 1, -1 if code > 127 else 1
    if (fraction_bits == 3 and code & 127 == 127) or (fraction_bits == 2 and field == 31 and fraction):
        return NAN
    if fraction_bits == 2 and field == 31:
        return sign * INF
    whole = fraction if field == 0 else fraction + (1 << fraction_bits)
    return sign * Fraction(whole) * Fraction(2) ** (max(field, 1) - bias - fraction_bits)


def mx_value(code, exponent):
    if exponent == 255:
        return NAN
    return times(code, Fraction(2) ** (exponent - 127)) if isinstance(code, Fraction) else code


def f32(x):
    """One operation of f32: of two numbers of f32, a result of f64 rounded again is rounded once."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def half(x):
    try:
        return list(struct.pack("<e", x))
    except OverflowError:
        return list(struct.pack("<e", math.copysign(INF, x)))


def inverse(d):
    return f32(1 / d) if 2.0 ** -126 <= abs(d) < 2.0 ** 128 else 0.0


def with_fifths(q):
    return [sum((q[8 * i + e] >> 4) << e for e in range(8)) for i in range(4)]


def encoded(name, x):
    """A block of 32 numbers by ops.md A.6."""
    largest = max(x, key=abs) if any(x) else 0.0
    five = name in ("q5_0", "q5_1")
    most = 31 if five else 15
    if name == "q8_0":
        d = f32(abs(largest) / 127)
        r = [f32(v * inverse(d)) for v in x]
        return half(d) + [int(math.copysign(math.floor(abs(v) + Fraction(1, 2)), v)) & 255 for v in map(Fraction, r)]
    if name == "mxfp4":
        c = min(max(math.frexp(abs(largest))[1] - 1 + 125, 0), 254) if largest else 0
        r = [Fraction(v) / Fraction(2) ** (c - 128) for v in x]
        q = [min(range(16), key=lambda i: (abs(v - KV[i]), i)) for v in r]
        return [c] + [q[e] | q[e + 16] << 4 for e in range(16)]
    if name in ("q4_0", "q5_0"):
        steps = (most + 1) // 2
        d = f32(largest / -steps)
        q = [min(most, math.trunc(f32(f32(v * inverse(d)) + steps + 0.5))) for v in x]
        head = half(d)
    else:
        low = min(x)
        d = f32(f32(max(x) - low) / most)
        q = [min(most, math.trunc(f32(f32(f32(v - low) * inverse(d)) + 0.5))) for v in x]
        head = half(d) + half(low)
    return head + (with_fifths(q) if five else []) + [q[e] & 15 | (q[e + 16] & 15) << 4 for e in range(16)]
