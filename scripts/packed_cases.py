"""Graphs of products with packed weights, for scripts/packed_sweep.py: rows of x, experts that have them, and weights
whose scales are hard on a product."""

import json
import random
import struct

from packed_formats import FORMATS, INF, NAN

MX = ("mxfp8_e4m3", "mxfp8_e5m2", "mxfp4_ocp")
BESIDE = ("int8", "uint8", "int4", "uint4", "fp8_e4m3", "fp8_e5m2", *MX)  # scales lie beside the codes
NAMES = (*FORMATS, *BESIDE)
NIBBLES = ("int4", "uint4", "mxfp4_ocp")
LARGEST_CODES = {"fp8_e4m3": 0x7E, "mxfp8_e4m3": 0x7E, "fp8_e5m2": 0x7B, "mxfp8_e5m2": 0x7B}  # that are finite
QUICK_ROWS = tuple(range(1, 18))
ROWS = (*QUICK_ROWS, 31, 32, 33, 64, 65)
COLUMNS = (1, 31, 33, 129)
EXPERTS, MANY_EXPERTS = 5, 65
ROUTINGS = ("even", "one_expert", "one_row_each", "empty_experts", "rows_of_none", "unsorted")
ARRANGEMENTS = ("dense", *ROUTINGS)
KINDS = ("ordinary", "zero", "subnormal", "largest", "signs", "nan", "infinity", "cancelling", "outlier", "equal",
         "last")
# Kinds that prove nothing where all elements of a result are of one of them.
SILENT = ("zero", "nan", "infinity")


def block_of(name):
    """Elements that share a scale, and bytes of their codes."""
    return FORMATS[name][:2] if name in FORMATS else (32, 16 if name in NIBBLES else 32)


def lengths(name):
    """K: one block, two and three, and lengths that no 256 divides."""
    elements = block_of(name)[0]
    return tuple(elements * count for count in (1, 2, 3)) + ((576, 2880) if elements == 32 else ())


def experts_of(how, n):
    """The expert of each of n rows: of EXPERTS, or of MANY_EXPERTS where every row has one of its own."""
    if how == "even":
        return [i * EXPERTS // n for i in range(n)]
    if how == "one_expert":
        return [2] * n
    if how == "one_row_each":
        return [i * 7 % MANY_EXPERTS for i in range(n)]
    if how == "empty_experts":
        return [1 if i < n // 2 else 3 for i in range(n)]
    drawn = random.Random(f"{how} {n}")
    if how == "rows_of_none":
        return [-1 if i % 3 == n % 3 else drawn.randrange(EXPERTS) for i in range(n)]
    return [drawn.randrange(EXPERTS) for _ in range(n)]


def factors_of(kind, block, count, g):
    """Scale and minimum of a block of a row of `count`, both as f16 may hold them."""
    scale, minimum = g.uniform(0.05, 0.15), g.uniform(0.2, 0.6)
    middle = block == count // 2
    if kind == "zero" or (kind == "last" and block < count - 1):
        return 0.0, 0.0
    if kind == "subnormal":
        return tuple(g.choice((-1, 1)) * g.randrange(1, 1024) * 2.0 ** -24 for _ in range(2))
    if kind == "largest":
        return g.choice((-1, 1)) * 65504.0, g.choice((-1, 1)) * 65504.0
    if kind == "signs":
        return (-1) ** block * scale, (-1) ** (block // 2) * minimum
    if kind in ("nan", "infinity") and middle:
        return g.choice(((NAN, minimum), (scale, NAN)) if kind == "nan" else ((INF, minimum), (scale, -INF)))
    if kind == "outlier" and block == 0:
        return 1024 * scale, 1024 * minimum
    return scale, minimum


def exponent_of(kind, block, count, g):
    """The power of two of a block: E8M0, where 255 is NaN in OCP MX, and a number in ggml's."""
    middle = block == count // 2
    if kind == "subnormal":
        return g.randrange(3)
    if kind == "nan" and middle:
        return 255
    if (kind == "infinity" and middle) or kind == "largest":
        return 254 if kind == "infinity" else 143
    return g.randrange(120, 124) + 10 * (kind == "outlier" and block == 0)


def bits(generator, count):
    return bytearray(generator.randbytes(count))


def near_minimum(name, codes, scale):
    """Codes whose multiple of the scale is about what the minimum takes away again: weights near 0 are left."""
    half = struct.pack("<e", scale)
    if name in ("q4_1", "q5_1"):
        least = struct.pack("<e", -7 * scale)
        return half + least + bytes(len(codes) - 20) + bytes(7 + (c & 1) | 7 + (c >> 1 & 1) << 4 for c in codes[-16:])
    if name == "q2_k":  # sub-blocks with a scale of 1 and a minimum of 1
        return bytes([0x11] * 16) + bytes((c & 0x55) + 0x55 for c in codes[16:80]) + half + half
    if name in ("q4_k", "q5_k"):  # a scale of 1 and a minimum of 7 in each
        subs = bytes([1] * 4 + [7] * 4 + [0x71] * 4)
        codes_of_7 = bytes(7 + (c & 1) | 7 + (c >> 1 & 1) << 4 for c in codes[-128:])
        return half + half + subs + bytes(len(codes) - 144) + codes_of_7
    return None


def block_with(name, kind, block, count, g):
    """The bytes of a block that has its scale within."""
    data, places = bits(g, FORMATS[name][1]), FORMATS[name][2]
    if not places:
        data[0] = exponent_of(kind, block, count, g)
        return bytes(len(data)) if kind == "zero" or (kind == "last" and block < count - 1) else bytes(data)
    factors = factors_of(kind, block, count, g)
    if kind == "cancelling":
        return near_minimum(name, data, factors[0]) or with_factors(data, places, factors)
    return with_factors(data, places, factors)


def with_factors(data, places, factors):
    for place, factor in zip(places, factors):
        data[place:place + 2] = struct.pack("<e", factor)
    return bytes(data)


def row_beside(name, kind, count, g):
    """Codes, scales and zero points of a row whose scales lie beside."""
    size, codes, scales, zeros = block_of(name)[1], b"", b"", b""
    largest = LARGEST_CODES.get(name, 255)
    for block in range(count):
        data = bytes(c if c & 127 <= largest else c & 0xBF for c in bits(g, size))
        if kind == "equal" and block:
            data = codes[:size]
        if name in MX:
            if kind == "zero" or (kind == "last" and block < count - 1):
                data = bytes(size)
            own = bytes([exponent_of(kind, block, count, g)])
        else:
            scale, _ = factors_of(kind, block, count, g)
            own = struct.pack("<e", scale)
            middle = 7.5 if name in NIBBLES else 127.5
            if kind == "cancelling" and name.startswith("uint"):
                data = bytes(7 + (c & 1) | 7 + (c >> 1 & 1) << 4 if name == "uint4" else 127 + (c & 1) for c in data)
            zeros += struct.pack("<e", middle if kind == "cancelling" else g.uniform(0, 2 * middle))
        codes, scales = codes + data, scales + (scales[:len(own)] if kind == "equal" and block else own)
    return codes, scales, zeros


def row_of(name, kind, count, g):
    if name in BESIDE:
        return row_beside(name, kind, count, g)
    blocks = [block_with(name, kind, block, count, g) for block in range(count)]
    return (b"".join(blocks[:1] * count if kind == "equal" else blocks),)


class Writer:
    """A graph file while it is made, and the .npy files of its weights beside it."""

    def __init__(self, folder, name, length, label):
        self.folder, self.name, self.length, self.label = folder, name, length, label
        self.inputs, self.params, self.nodes = {}, {}, []

    def npy(self, key, dtype, shape, data):
        path = self.folder / f"{self.label}.{key}.npy"
        header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
        return {"file": path.name}

    def usual(self, shape):
        """Weights of random codes and scales of ordinary size, as fills make them: types and fills of the params."""
        name, blocks = self.name, self.length // 32
        if name in FORMATS:
            return [(f"u8{shape}", {"distribution": "packed", "format": name})]
        least, most = (-128, 128) if name == "int8" else (0, LARGEST_CODES.get(name, 255) + 1)
        codes = ("i8" if name == "int8" else "u8") + str(shape)
        beside = [*shape[:-1], blocks]
        made = [(codes, {"distribution": "uniform_int", "low": least, "high": most})]
        if name in MX:
            return [*made, (f"u8{beside}", {"distribution": "uniform_int", "low": 119, "high": 126})]
        made.append((f"f32{beside}", {"distribution": "normal", "scale": 0.1}))
        high = 16 if name == "uint4" else 256
        return [*made, (f"f32{beside}", {"distribution": "uniform", "low": 0, "high": high})][:self.operands()]

    def operands(self):
        """Codes, scales and zero points: how many of these the format has here."""
        return 1 if self.name in FORMATS else 3 if self.name.startswith("uint") else 2

    def hard(self, shape, key):
        """Weights whose rows are of every kind in turn, a lone row of a telling one; beyond EXPERTS, experts are
        as those before."""
        name, count = self.name, self.length // block_of(self.name)[0]
        *lead, n, _ = shape
        experts, columns = (lead or [1])[0], []
        for expert in range(min(experts, EXPERTS)):
            g = random.Random(f"{self.label} {n} {expert}")
            kinds = [kind for kind in KINDS if n > 1 or kind not in SILENT]
            first = g.randrange(len(kinds))
            columns.append([row_of(name, kinds[(first + row) % len(kinds)], count, g) for row in range(n)])
        made = []
        types = (("i8", "|i1") if name == "int8" else ("u8", "|u1"),
                 ("u8", "|u1") if name in MX else ("f16", "<f2"), ("f16", "<f2"))
        for place in range(self.operands()):
            extents = shape if place == 0 else [*shape[:-1], self.length // 32]
            each = [b"".join(row[place] for row in rows) for rows in columns]
            data = b"".join(each[expert % EXPERTS] for expert in range(experts))
            dtype, descr = types[place]
            made.append((f"{dtype}{extents}", self.npy(f"{key}.{place}", descr, extents, data)))
        return made

    def weights(self, key, experts, columns, hard):
        """Names of the params of a weight, made at first use."""
        elements, size = block_of(self.name)
        shape = [*([experts] if experts else []), columns, self.length // elements * size]
        names = [f"{key}.{part}" for part in ("codes", "scales", "zeros")[:self.operands()]]
        if names[0] not in self.params:
            for name, (type_, source) in zip(names, self.hard(shape, key) if hard else self.usual(shape)):
                self.params[name] = {"type": type_, **(source if hard else {"fill": source})}
        return names

    def rows(self, n, far):
        name = f"far_{n}" if far else f"x_{n}"
        mean = {"fill": {"distribution": "normal", "mean": 4}} if far else {}
        self.inputs.setdefault(name, {"type": f"f32[{n}, {self.length}]", **mean})
        return name

    def product(self, how, n, columns, hard):
        """A node: dense, or of rows that go to experts. Of hard weights, x has mean 4 in every other one."""
        attributes = {"format": self.name}
        if self.name in BESIDE:
            attributes["has_scales"] = True
            if self.name not in MX:
                attributes["block_size"] = 32
            if self.operands() == 3:
                attributes["has_zero_points"] = True
        kind = "hard" if hard else "usual"
        far = hard and (n + len(self.nodes)) % 2 == 0
        label = f"{how}.n{n}.N{columns}.{kind}"
        if how == "dense":
            inputs = [self.rows(n, far), *self.weights(f"{kind}_{columns}", None, columns, hard)]
            op = "dequant_matmul"
        else:
            experts = MANY_EXPERTS if how == "one_row_each" else EXPERTS
            expert = f"{how}_{n}"
            dtype = "i64" if how == "unsorted" else "i32"
            self.inputs.setdefault(expert, {"type": f"{dtype}[{n}]", "values": experts_of(how, n)})
            of_experts = self.weights(f"{kind}_{experts}x{columns}", experts, columns, hard)
            inputs, op = [self.rows(n, far), *of_experts, expert], "dequant_grouped_matmul"
        self.nodes.append({"label": label, "op": op, "inputs": inputs, **attributes})

    def write(self, why):
        path = self.folder / f"{self.label}.json"
        path.write_text(json.dumps({"format": "plumb.graph/1", "why": why, "inputs": self.inputs,
                                    "params": self.params, "nodes": self.nodes,
                                    "results": [node["label"] for node in self.nodes]}) + "\n", encoding="utf-8")
        return path


def whole_graph(folder, name, length, kind):
    """All rows, deals and columns of one format and length."""
    writer = Writer(folder, name, length, f"{name}.k{length}.{kind}")
    for n in ROWS:
        for columns in COLUMNS:
            for how in ARRANGEMENTS:
                writer.product(how, n, columns, kind == "hard")
    return writer.write(f"products with {name}, K = {length}, of few rows and many, dense and by experts")


def quick_graph(folder, name):
    """One graph of a format: n to 17, dense and grouped, one of them with hard weights."""
    elements = block_of(name)[0]
    writer = Writer(folder, name, elements * (3 if elements == 32 else 1), f"{name}.quick")
    for n in QUICK_ROWS:
        writer.product("dense", n, len(KINDS), n % 2 == 0)
        writer.product(ROUTINGS[n % len(ROUTINGS)], n, len(KINDS), n % 2 == 1)
    return writer.write(f"products with {name} of 1 to 17 rows, dense and by experts")


def multiplications(lengths):
    """What runs of whole graphs of these lengths cost, about: besides terms, each node costs as much as a few more."""
    nodes = len(ROWS) * len(COLUMNS) * len(ARRANGEMENTS)
    return sum(length * sum(ROWS) * sum(COLUMNS) * len(ARRANGEMENTS) + nodes * 500_000 for length in lengths)
