"""The container of GGUF files (ops.md J.1), and random tensors of every type for it (ops.md J.5)."""

import math
import random
import struct

from packed_formats import FORMATS, Block, half

PLAIN = {"f32": (0, 4), "f16": (1, 2), "i8": (24, 1), "i16": (25, 2), "i32": (26, 4), "i64": (27, 8), "f64": (28, 8),
         "bf16": (30, 2)}
BLOCKS = {"q4_0": 2, "q4_1": 3, "q5_0": 6, "q5_1": 7, "q8_0": 8, "q2_k": 10, "q3_k": 11, "q4_k": 12, "q5_k": 13,
          "q6_k": 14, "iq4_nl": 20, "iq4_xs": 23, "mxfp4": 39}
# Formats that plumb does not decode yet: type, elements and bytes of a block, places of f16 factors.
OTHERS = {"iq2_xxs": (16, 256, 66, (0,)), "iq2_xs": (17, 256, 74, (0,)), "iq3_xxs": (18, 256, 98, (0,)),
          "iq1_s": (19, 256, 50, (0,)), "iq3_s": (21, 256, 110, (0,)), "iq2_s": (22, 256, 82, (0,)),
          "tq1_0": (34, 256, 54, (52,)), "tq2_0": (35, 256, 66, (64,)), "nvfp4_block": (40, 64, 36, ()),
          "q1_0": (41, 128, 18, (0,)), "q2_0": (42, 64, 18, (0,))}
VALUE_TYPES = {"u16": (2, "<H"), "u32": (4, "<I"), "i32": (5, "<i"), "f32": (6, "<f")}
ALIGNMENT = 32
UNITS = {}  # those that unit_of found, by format
# What a minimum is, in factors, for codes whose mean it takes away.
OPPOSITE = {"q4_1": -7.5, "q5_1": -15.5, "q2_k": 1.5, "q4_k": 7.5, "q5_k": 15.5}


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def metadata(key, kind, value):
    if kind == "string":
        return string(key) + struct.pack("<I", 8) + string(value)
    if kind == "bool":
        return string(key) + struct.pack("<IB", 7, value)
    if kind == "bools":
        return string(key) + struct.pack(f"<IIQ{len(value)}B", 9, 7, len(value), *value)
    if kind == "strings":
        return string(key) + struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(string, value))
    number, form = VALUE_TYPES[kind]
    if isinstance(value, (list, tuple)):
        packed = b"".join(struct.pack(form, one) for one in value)
        return string(key) + struct.pack("<IIQ", 9, number, len(value)) + packed
    return string(key) + struct.pack("<I", number) + struct.pack(form, value)


def block_of(kind):
    """The number of a type, and elements and bytes of a block."""
    if kind in PLAIN:
        return PLAIN[kind][0], 1, PLAIN[kind][1]
    if kind in OTHERS:
        return OTHERS[kind][:3]
    return BLOCKS[kind], FORMATS[kind][0], FORMATS[kind][1]


def bytes_of(shape, kind):
    _, elements, size = block_of(kind)
    assert shape[-1] % elements == 0, f"rows of {shape[-1]} elements are no whole blocks of {kind}"
    return math.prod(shape) // elements * size


def unit_of(kind):
    """The root mean square of weights under a factor of 1, from a few random blocks."""
    generator, squares = random.Random(7), []
    for _ in range(4):
        block = [generator.randrange(256) for _ in range(FORMATS[kind][1])]
        for place, factor in zip(FORMATS[kind][2], (1.0, OPPOSITE.get(kind, 0.0))):
            block[place:place + 2] = half(factor)
        if kind == "mxfp4":
            block[0] = 128
        squares += [float(FORMATS[kind][3](Block(block), e)) ** 2 for e in range(FORMATS[kind][0])]
    return math.sqrt(sum(squares) / len(squares))


def random_block(kind, size, generator):
    """A block of weights of about that size."""
    block = bytearray(generator.randbytes(FORMATS[kind][1]))
    if kind not in UNITS:
        UNITS[kind] = unit_of(kind)
    factor = size / UNITS[kind] * generator.uniform(0.5, 1.5) * generator.choice((-1, 1))
    for place, one in zip(FORMATS[kind][2], (factor, factor * OPPOSITE.get(kind, 0.0))):
        block[place:place + 2] = bytes(half(one))
    if kind == "mxfp4":
        block[0] = 128 + round(math.log2(abs(factor)))
    return bytes(block)


def plain(kind, numbers):
    if kind == "f32":
        return struct.pack(f"<{len(numbers)}f", *numbers)
    if kind == "f64":
        return struct.pack(f"<{len(numbers)}d", *numbers)
    if kind == "f16":
        return struct.pack(f"<{len(numbers)}e", *numbers)
    assert kind == "bf16"
    words = struct.unpack(f"<{len(numbers)}I", struct.pack(f"<{len(numbers)}f", *numbers))
    return struct.pack(f"<{len(numbers)}H", *(word + 0x7FFF + (word >> 16 & 1) >> 16 for word in words))


class Tensor:
    """A tensor of weights of about a size, around a mean."""

    def __init__(self, name, shape, kind, size=None, mean=0.0):
        self.name, self.shape, self.kind, self.mean = name, shape, kind, mean
        self.size = 1 / math.sqrt(shape[-1]) if size is None else size

    def stretches(self, generator, most_blocks):
        """Its bytes; beyond so many blocks these are repeated."""
        _, elements, _ = block_of(self.kind)
        count = math.prod(self.shape) // elements
        own = min(count, most_blocks)
        if self.kind in PLAIN:
            stretch = plain(self.kind, [generator.gauss(self.mean, self.size) for _ in range(own)])
        else:
            stretch = b"".join(random_block(self.kind, self.size, generator) for _ in range(own))
        for _ in range(count // own):
            yield stretch
        yield stretch[:len(stretch) // own * (count % own)]


class Bytes:
    """A tensor whose bytes are known."""

    def __init__(self, name, shape, kind, data):
        self.name, self.shape, self.kind, self.data = name, shape, kind, data

    def stretches(self, _generator, _most_blocks):
        yield self.data


def write(path, values, tensors, seed, most_blocks=1 << 16):
    """Offsets follow from shapes alone, so that data are written as they are made."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values)) + b"".join(values)
    offset = 0
    for one in tensors:
        number = block_of(one.kind)[0]
        head += string(one.name) + struct.pack("<I", len(one.shape))
        head += b"".join(struct.pack("<Q", extent) for extent in reversed(one.shape))
        head += struct.pack("<IQ", number, offset)
        offset += -(-bytes_of(one.shape, one.kind) // ALIGNMENT) * ALIGNMENT
    with open(path, "wb") as file:
        file.write(head + b"\0" * (-len(head) % ALIGNMENT))
        for number, one in enumerate(tensors):
            written = 0
            for stretch in one.stretches(random.Random(f"{seed} {number}"), most_blocks):
                written += file.write(stretch)
            assert written == bytes_of(one.shape, one.kind)
            file.write(b"\0" * (-written % ALIGNMENT))


def every_type(seed):
    generator = random.Random(seed)
    for kind in (*BLOCKS, *OTHERS):
        _, elements, size = block_of(kind)
        places = FORMATS[kind][2] if kind in FORMATS else OTHERS[kind][3]
        data = bytearray(generator.randbytes(6 * size))
        for block in range(6):
            for place in places:
                factor = generator.uniform(2 ** -6, 2 ** -3) * generator.choice((-1, 1))
                data[block * size + place:block * size + place + 2] = bytes(half(factor))
            if kind == "mxfp4":
                data[block * size] = generator.randrange(118, 126)
        yield Bytes(f"x.{kind}", (3, 2 * elements), kind, bytes(data))
    for kind, (_, size) in PLAIN.items():
        is_real = kind[0] in "fb"
        data = plain(kind, [generator.gauss(0, 1) for _ in range(6)]) if is_real else generator.randbytes(6 * size)
        yield Bytes(f"x.{kind}", (3, 2), kind, data)
