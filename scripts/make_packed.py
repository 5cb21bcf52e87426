#!/usr/bin/env python3
"""Writes the fixtures of packed formats whose numbers are expected: usage: make_packed.py [--check] FOLDER

FOLDER is fixtures. What is expected follows from ops.md A, in whole numbers and fractions, and shares nothing with
plumb. With --check nothing is written; files that differ are named, and the exit status is 1 when there are any.
"""

import argparse
import base64
import json
import math
import pathlib
import random
import struct
import sys
from fractions import Fraction

from packed_formats import FORMATS, INF, KV, NAN, Block, as_f32, encoded, f32, fp8, mx_value, times


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


def hard_rows(name, generator):
    """Rows of three blocks whose factors are hard on a product; none that is infinite or NaN."""
    def row(*factors, alike=False):
        first = random_block(name, generator)
        blocks = [first if alike else random_block(name, generator) for _ in range(3)]
        return sum((with_factors(name, block, *pair) for block, pair in zip(blocks, factors)), [])

    def thrice(*factors):
        return row(factors, factors, factors)

    one, small, minimum = (0.125, 0.5), (0.0001, 0.0004), 0.0625 * 7
    return [thrice(0.0, 0.0), thrice(2.0 ** -24, 2.0 ** -23), thrice(65504.0, 65504.0),
            row((0.1, -0.3), (-0.1, 0.3), (0.2, 0.2)), thrice(0.0625, minimum if name.endswith("k") else -minimum),
            row(small, (0.1024, 0.4096), small), row(one, one, one, alike=True), row((0.0, 0.0), (0.0, 0.0), one)]


def bytes_of(rows):
    data = base64.b64encode(bytes(byte for row in rows for byte in row)).decode()
    return {"type": f"u8[{len(rows)}, {len(rows[0])}]", "data": data}


def hard_products():
    """Products with weights whose scales are at their ends, with x far from 0, and with infinite and NaN scales."""
    operands = {"of_scales": ("x", "codes"), "far_from_0": ("far", "codes"), "wild": ("short", "w")}
    for number, name in enumerate(("q4_1", "q8_0", "q2_k", "q4_k", "q6_k")):
        g, elements = random.Random(300 + number), FORMATS[name][0]
        rows = hard_rows(name, g)
        pairs = ((INF, 1.0), (0.5, NAN), (1.0, 1.0))
        wild = [with_factors(name, random_block(name, g), *pair) for pair in pairs]
        yield f"ops/dequant_matmul/{name}_scales_at_their_ends", graph(
            "scales of 0, subnormal, the largest, of both signs, that cancel with minima, 2^10 times the others, "
            "in the last block alone; infinite and NaN",
            {"x": {"type": f"f32[3, {3 * elements}]"}, "short": {"type": f"f32[2, {elements}]"},
             "far": {"type": f"f32[3, {3 * elements}]", "fill": {"distribution": "normal", "mean": 4}},
             "codes": bytes_of(rows), "w": bytes_of(wild)},
            [{"label": label, "op": "dequant_matmul", "inputs": list(pair), "format": name}
             for label, pair in operands.items()], list(operands))


def row_of_codes(g, length):
    """Codes of x, both ends of their range among long ones, and a scale for each 32."""
    codes = [g.randrange(-128, 128) for _ in range(length)]
    if length > 32:
        codes[g.randrange(32)], codes[32] = -128, 127
    return codes, [f32(g.uniform(0.001, 0.03)) for _ in range(-(-length // 32))]


def exact_sum(codes, scales, weights, bias=Fraction(0), block_of=lambda k: k // 32):
    """The sum in fractions, of weights that are numbers of f32, as the nearest f64."""
    return float(sum((c * Fraction(scales[block_of(k)]) * Fraction(w)
                      for k, (c, w) in enumerate(zip(codes, weights))), bias))


def rows_of_weights(name, g, count, blocks):
    """Rows of blocks with factors of ordinary size, as bytes and as the numbers of f32 that they are."""
    rows = [sum((with_factors(name, random_block(name, g), g.uniform(-1, 1), g.uniform(-4, 4))
                 for _ in range(blocks)), []) for _ in range(count)]
    size = FORMATS[name][1]
    return rows, [[w for at in range(0, len(row), size) for w in decoded(name, row[at:at + size])] for row in rows]


def scaled_codes():
    """Products of codes x: blocks of several formats, rows that end within a block of 32, one element, experts."""
    g, inputs, nodes, results = random.Random(400), {}, [], {}

    def add(label, x, w, expected, **attributes):
        inputs[f"{label}_x"] = {"type": f"i8[{len(x)}, {len(x[0][0])}]", "values": sum((c for c, _ in x), [])}
        inputs[f"{label}_s"] = {"type": f"f32[{len(x)}, {len(x[0][1])}]", "values": sum((s for _, s in x), [])}
        inputs.update(w)
        names = [f"{label}_x", *w]
        names.insert(-1 if attributes.get("has_bias") else len(names), f"{label}_s")
        nodes.append({"label": label, "op": "dequant_matmul", "inputs": names, "has_x_scales": True, **attributes})
        results[label] = {"values": expected}

    for name, m, n in (("q8_0", 5, 7), ("q4_1", 33, 3), ("q6_k", 1, 5)):
        rows, weights = rows_of_weights(name, g, n, 3 if FORMATS[name][0] == 32 else 1)
        x = [row_of_codes(g, len(weights[0])) for _ in range(m)]
        add(f"of_{name}", x, {name: bytes_of(rows)}, [exact_sum(*row, w) for row in x for w in weights], format=name)
    for label, m, n, k in (("ragged", 3, 2, 41), ("one", 1, 1, 1)):
        codes = [[g.randrange(-128, 128) for _ in range(k)] for _ in range(n)]
        scales, bias = [f32(g.uniform(0.01, 0.02)) for _ in range(n)], [f32(g.gauss(0, 1)) for _ in range(n)]
        weights = [[f32(q * s) for q in row] for row, s in zip(codes, scales)]
        x = [row_of_codes(g, k) for _ in range(m)]
        add(label, x, {f"{label}_w": {"type": f"i8[{n}, {k}]", "values": sum(codes, [])},
                       f"{label}_by_row": {"type": f"f32[{n}, 1]", "values": scales},
                       f"{label}_bias": {"type": f"f32[{n}]", "values": bias}},
            [exact_sum(*row, w, Fraction(b)) for row in x for w, b in zip(weights, bias)],
            format="int8", has_scales=True, has_bias=True)
    yield "ops/dequant_matmul/codes_of_x", graph(
        "codes x with a scale for each 32 of a row: whole blocks, a row that ends within one, one element; sums in "
        "fractions", inputs, nodes, results)

    rows, weights = rows_of_weights("q8_0", g, 2 * 3, 2)
    x, expert = [row_of_codes(g, 64) for _ in range(5)], [1, -1, 0, 1, 1]
    experts = {"x": {"type": "i8[5, 64]", "values": sum((c for c, _ in x), [])},
               "codes": {**bytes_of(rows), "type": "u8[2, 3, 68]"}, "expert": {"type": "i64[5]", "values": expert},
               "scales": {"type": "f32[5, 2]", "values": sum((s for _, s in x), [])}}
    node = {"label": "y", "op": "dequant_grouped_matmul", "inputs": list(experts), "format": "q8_0",
            "has_x_scales": True}

    def sums(**how):
        return [exact_sum(*row, weights[3 * e + n], **how) if e >= 0 else 0.0
                for row, e in zip(x, expert) for n in range(3)]

    yield "ops/dequant_grouped_matmul/codes_of_x", graph(
        "codes x with a scale for each 32 of a row, each row with the matrix of its expert; sums in fractions", experts,
        [node], {"y": {"values": sums()}})
    yield "must_fail/dequant_grouped_matmul_scales_of_the_next_block", graph(
        "codes x have the scales of the next block of 32", experts, [node],
        {"y": {"values": sums(block_of=lambda k: 1 - k // 32)}}, must="fail", expect_error="y")


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
    for name, made in (*in_blocks(), *beside_scales(), *encoders(), *hard_products(), *scaled_codes(), *mistaken()):
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
