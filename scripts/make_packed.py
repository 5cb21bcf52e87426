#!/usr/bin/env python3
"""Writes the fixtures of packed formats whose numbers are expected: usage: make_packed.py [--check] FOLDER

FOLDER is fixtures. What is expected follows from ops.md A, in whole numbers and fractions, and shares nothing with
plumb. With --check nothing is written; files that differ are named, and the exit status is 1 when there are any.
"""

import argparse
import json
import math
import pathlib
import random
import struct
import sys
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


def as_json(x):
    return x if math.isfinite(x) else "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"


def decoded(name, block):
    elements, _, _, value = FORMATS[name]
    return [as_json(as_f32(value(Block(block), e)) + 0.0) for e in range(elements)]


def with_factors(name, block, *factors):
    """The block with other f16 factors, or of mxfp4 another exponent."""
    block = list(block)
    places = FORMATS[name][2]
    if not places:
        block[0] = factors[0]
    for place, factor in zip(places, factors):
        block[place:place + 2] = struct.pack("<e", factor)
    return block


def graph(why, inputs, nodes, results, **others):
    return {"format": "plumb.graph/1", "why": why, "inputs": inputs, "nodes": nodes, "results": results, **others}


def of_blocks(why, name, rows, spoil=lambda values: values, **others):
    """One node on rows of whole blocks, as many in each; numbers are as `spoil` leaves them."""
    elements, size, _, _ = FORMATS[name]
    data = [byte for row in rows for byte in row]
    values = [v for at in range(0, len(data), size) for v in decoded(name, data[at:at + size])]
    assert len(values) == len(data) // size * elements
    return graph(why, {"codes": {"type": f"u8[{len(rows)}, {len(rows[0])}]", "values": data}},
                 [{"label": "y", "op": "dequantize", "inputs": ["codes"], "format": name}],
                 {"y": {"values": spoil(values)}}, **others)


def random_block(name, generator):
    return [generator.randrange(256) for _ in range(FORMATS[name][1])]


def in_blocks():
    """Of every format: random blocks, all bytes alike, and factors at the ends of their range (ops.md K.6)."""
    for number, name in enumerate(FORMATS):
        g = random.Random(number)
        one = random_block(name, g)
        if name == "mxfp4":
            special = [with_factors(name, one, e) for e in (0, 1, 2, 128, 254, 255)]
            alike = [with_factors(name, [byte] * 17, 128) for byte in (0, 255)]
        else:
            pairs = [(0.0, 0.0), (-0.0, 1.0), (2.0 ** -24, -2.0 ** -24), (-2.0 ** -24, 0.5), (65504.0, -65504.0),
                     (INF, 1.0), (0.5, -INF), (NAN, 1.0)]
            if FORMATS[name][0] == 256:
                pairs = [pairs[i] for i in (1, 3, 4, 5, 7)]
            special = [with_factors(name, one, *pair) for pair in pairs]
            alike = [with_factors(name, [byte] * FORMATS[name][1], 1.0, 1.0) for byte in (0, 255)]
        many = 3 if FORMATS[name][0] == 32 else 1
        ordinary = [with_factors(name, random_block(name, g), *(g.choice((125, 130)),) if name == "mxfp4" else
                                 (g.uniform(-1, 1), g.uniform(-4, 4))) for _ in range(2 * many)]
        rows = [sum(ordinary[:many], []), sum(ordinary[many:], [])]
        yield f"ops/dequantize/{name}_blocks", of_blocks(
            "random codes, factors of ordinary size; expected by make_packed.py", name, rows)
        yield f"ops/dequantize/{name}_extremes", of_blocks(
            "every bit of a block 0 and 1, then factors of 0, the least, the largest, infinite and NaN (ops.md K.6)",
            name, alike + special)


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


def beside_scales():
    """All codes of 8-bit and 4-bit numbers, and of OCP MX under exponents at both ends."""
    every, exponents = list(range(256)), (0, 1, 127, 254, 255)
    codes = {"fp8_e4m3": [fp8(c, 3) for c in every], "fp8_e5m2": [fp8(c, 2) for c in every],
             "int8": [Fraction(c) for c in range(-128, 128)], "uint8": [Fraction(c) for c in every]}
    signed = [Fraction(n - 16 * (n > 7)) for n in range(16)]
    for name, values in (("int4", signed), ("uint4", [Fraction(n) for n in range(16)])):
        codes[name] = [values[n] for c in every for n in (c & 15, c >> 4)]
    for name, values in codes.items():
        kind, stored = ("i8", range(-128, 128)) if name == "int8" else ("u8", every)
        scales = [0.5, -0.25]
        expected = [v * s if isinstance(v, float) else times(Fraction(v), Fraction(s))
                    for s in scales for v in values]
        yield f"ops/dequantize/{name}_codes", graph(
            "every code, under two scales that are powers of two",
            {"codes": {"type": f"{kind}[2, 256]", "values": [*stored, *stored]},
             "scales": {"type": "f32[2, 1]", "values": scales}},
            [{"label": "y", "op": "dequantize", "inputs": ["codes", "scales"], "format": name, "has_scales": True}],
            {"y": {"values": [as_json(as_f32(v) + 0.0) for v in expected]}})
    for name, values in (("mxfp8_e4m3", codes["fp8_e4m3"]), ("mxfp8_e5m2", codes["fp8_e5m2"]),
                         ("mxfp4_ocp", [Fraction(KV[n], 2) for c in every for n in (c & 15, c >> 4)])):
        expected = [mx_value(v, e) for e in exponents for v in values]
        blocks = len(values) // 32
        yield f"ops/dequantize/{name}_codes", graph(
            "every code, under exponents that make numbers subnormal, infinite and NaN",
            {"codes": {"type": "u8[5, 256]", "values": every * 5},
             "scales": {"type": f"u8[5, {blocks}]", "values": [e for e in exponents for _ in range(blocks)]}},
            [{"label": "y", "op": "dequantize", "inputs": ["codes", "scales"], "format": name, "has_scales": True}],
            {"y": {"values": [as_json(as_f32(v) + 0.0) for v in expected]}})


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


def encoders():
    """Blocks of ordinary numbers, of zeros, of equal ones, of ties, and of both signs of one size (ops.md K.6)."""
    for number, name in enumerate(("q4_0", "q4_1", "q5_0", "q5_1", "q8_0", "mxfp4")):
        g = random.Random(200 + number)
        ordinary = [f32(g.gauss(0, 1)) for _ in range(64)]
        rows = [ordinary, [0.0] * 32 + [0.75] * 32,
                [(e - 16) * 0.5 for e in range(32)] + [e * 0.25 - 4 for e in range(32)],
                [(-1) ** e * 3.0 for e in range(32)] + [f32(2.0 ** -30 * g.gauss(0, 1)) for _ in range(32)],
                [127.0] + [e - 15.5 for e in range(31)] + [-127.0] + [e + 0.5 for e in range(31)]]
        codes = [byte for row in rows for at in (0, 32) for byte in encoded(name, row[at:at + 32])]
        assert len(codes) == 2 * len(rows) * FORMATS[name][1]
        yield f"ops/quantize_blocks/{name}_codes", graph(
            "ordinary numbers, zeros, equal ones, ties, one size of both signs, small ones",
            {"x": {"type": f"f32[{len(rows)}, 64]", "values": sum(rows, [])}},
            [{"label": "codes", "op": "quantize_blocks", "inputs": ["x"], "format": name}],
            {"codes": {"values": codes}})
    steps = [(e % 16 - 8) * 0.5 for e in range(32)]
    yield "ops/quantize_blocks/q4_0_and_back", graph(
        "whole steps of a scale come back as they were",
        {"x": {"type": "f32[32]", "values": steps}},
        [{"label": "codes", "op": "quantize_blocks", "inputs": ["x"], "format": "q4_0"},
         {"label": "y", "op": "dequantize", "inputs": ["codes"], "format": "q4_0"}], {"y": {"values": steps}})


def mistaken():
    """Numbers of decoders that are wrong, which verify must refuse."""
    g = random.Random(99)
    halves = [with_factors("q4_0", random_block("q4_0", g), 0.5)]
    swapped = lambda values: [values[e // 2 + 16 * (e % 2)] for e in range(32)]
    yield "must_fail/q4_0_nibbles_of_neighbours", of_blocks(
        "numbers of a decoder for which a byte has two neighbours", "q4_0", halves, swapped, must="fail",
        expect_error="y")
    x = [(e - 8) * 0.5 for e in range(16)] + [e * 0.25 for e in range(16)]
    codes = encoded("q4_0", x)
    codes[6] ^= 1
    yield "must_fail/quantize_blocks_one_code_off", graph(
        "one code of a block is the neighbour of the right one, away from a tie",
        {"x": {"type": "f32[32]", "values": x}},
        [{"label": "codes", "op": "quantize_blocks", "inputs": ["x"], "format": "q4_0"}],
        {"codes": {"values": codes}}, must="fail", expect_error="codes")
    block = with_factors("q6_k", random_block("q6_k", g), 0.5)
    moved = block[:192] + block[193:208] + block[192:193] + block[208:]
    yield "must_fail/q6_k_scales_of_neighbours", of_blocks(
        "numbers of a decoder that takes the scale of the next 16 elements", "q6_k", [block],
        lambda values: decoded("q6_k", moved), must="fail", expect_error="y")


def text(made):
    lines = [f'  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}' for key, value in made.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    differ = []
    for name, made in (*in_blocks(), *beside_scales(), *encoders(), *mistaken()):
        path = arguments.folder / f"{name}.json"
        if not arguments.check:
            path.write_text(text(made), encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text(made):
            differ.append(str(path))
    for path in differ:
        print(f"{path} is not what make_packed.py writes", file=sys.stderr)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
