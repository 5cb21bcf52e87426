#!/usr/bin/env python3
"""Writes GGUF files (ops.md J) with random weights.

usage: make_gguf.py FILE [--architecture NAME | --every-type] [OPTION...]

--every-type writes one tensor `x.TYPE` of shape (3, 2 blocks) of each type, random codes under factors of ordinary size
(ops.md J.5). An architecture is written with all tensors that its template wants, of sizes that options name, or of a
published shape (--shape 1b, 7b, 8b, moe), whose tensors are one random stretch of blocks, repeated. Equal options give
equal bytes.
"""

import argparse
import itertools
import math
import random
import struct
import sys

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


def experts_of(o, prefix, of):
    yield Tensor(f"{prefix}ffn_gate_inp.weight", (o.experts, o.width), "f32")
    for name, rows, columns in (("gate", o.expert_width, o.width), ("up", o.expert_width, o.width),
                                ("down", o.width, o.expert_width)):
        kind = of(f"ffn_{name}")
        if o.one_per_expert:
            for e in range(o.experts):
                yield Tensor(f"{prefix}ffn_{name}.{e}.weight", (rows, columns), kind)
        else:
            yield Tensor(f"{prefix}ffn_{name}_exps.weight", (o.experts, rows, columns), kind)


def decoder(o):
    """The tensors of a decoder; types go round where several are named."""
    turn = itertools.cycle(o.types)
    named = dict(one.split("=") for one in o.type_of)

    def of(name):
        return named[name] if name in named else next(turn)

    def product(name, rows, columns, has_bias=False):
        yield Tensor(f"{name}.weight", (rows, columns), of(name.split(".")[-1]))
        if has_bias:
            yield Tensor(f"{name}.bias", (rows,), "f32", 0.1)

    def norm(name, extent):
        return Tensor(f"{name}.weight", (extent,), "f32", 0.1, 1.0)

    yield from product("token_embd", o.vocabulary, o.width)
    yield norm("output_norm", o.width)
    if not o.tied:
        yield from product("output", o.vocabulary, o.width)
    if o.rope_freqs:
        yield Tensor("rope_freqs.weight", (o.head_length // 2,), "f32", 0.2, 2.0)
    has_bias, has_norms = o.architecture == "qwen2", o.architecture in ("qwen3", "qwen3moe")
    for i in range(o.blocks):
        prefix = f"blk.{i}."
        yield norm(f"{prefix}attn_norm", o.width)
        for name, heads in (("q", o.heads), ("k", o.kv_heads), ("v", o.kv_heads)):
            yield from product(f"{prefix}attn_{name}", heads * o.head_length, o.width, has_bias)
            if has_norms and name != "v":
                yield norm(f"{prefix}attn_{name}_norm", o.head_length)
        yield from product(f"{prefix}attn_output", o.width, o.heads * o.head_length)
        yield norm(f"{prefix}ffn_norm", o.width)
        if o.experts:
            yield from experts_of(o, prefix, of)
            continue
        for name, rows, columns in (("gate", o.feed_forward, o.width), ("up", o.feed_forward, o.width),
                                    ("down", o.width, o.feed_forward)):
            yield from product(f"{prefix}ffn_{name}", rows, columns)


def decoder_metadata(o):
    a = o.architecture
    yield metadata("general.architecture", "string", a)
    yield metadata("general.name", "string", "random weights")
    for key, value in (("block_count", o.blocks), ("embedding_length", o.width), ("context_length", o.context),
                       ("feed_forward_length", o.feed_forward), ("attention.head_count", o.heads),
                       ("attention.head_count_kv", o.kv_heads), ("attention.key_length", o.head_length),
                       ("attention.value_length", o.head_length), ("rope.dimension_count", o.head_length)):
        yield metadata(f"{a}.{key}", "u32", value)
    yield metadata(f"{a}.attention.layer_norm_rms_epsilon", "f32", 1e-5)
    yield metadata(f"{a}.rope.freq_base", "f32", o.base)
    if o.experts:
        for key, value in (("expert_count", o.experts), ("expert_used_count", o.experts_used),
                           ("expert_feed_forward_length", o.expert_width)):
            yield metadata(f"{a}.{key}", "u32", value)
    if o.yarn:
        yield metadata(f"{a}.rope.scaling.type", "string", "yarn")
        yield metadata(f"{a}.rope.scaling.factor", "f32", o.yarn)
        yield metadata(f"{a}.rope.scaling.original_context_length", "u32", o.context)
    yield metadata("tokenizer.ggml.tokens", "strings", [f"t{k}" for k in range(min(o.vocabulary, 1 << 12))])


# Width, blocks, heads, heads of k and v, length of a head, feed-forward, vocabulary, tied, experts.
SHAPES = {"1b": (2048, 16, 32, 8, 64, 8192, 128256, True, 0), "7b": (4096, 32, 32, 32, 128, 14336, 32000, False, 0),
          "8b": (4096, 32, 32, 8, 128, 14336, 128256, False, 0), "moe": (2048, 16, 16, 16, 128, 1024, 50304, False, 64)}


def published(o):
    """The options of a published shape: q4_k, with q6_k for attn_v, ffn_down and embeddings."""
    (o.width, o.blocks, o.heads, o.kv_heads, o.head_length, o.feed_forward, o.vocabulary, o.tied, o.experts) = SHAPES[
        o.shape]
    o.experts_used, o.expert_width, o.context, o.base, o.types = 8, o.feed_forward, 8192, 500000.0, ["q4_k"]
    o.type_of = ["attn_v=q6_k", "ffn_down=q6_k", "token_embd=q6_k", "output=q6_k", "attn_k=q8_0"]


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--architecture", default="llama", choices=["llama", "qwen2", "qwen3", "qwen3moe"])
    parser.add_argument("--every-type", action="store_true")
    parser.add_argument("--shape", choices=SHAPES)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--types", default="f32", type=lambda text: text.split(","), help="types, by turns")
    parser.add_argument("--type-of", default=[], type=lambda text: text.split(","), help="NAME=TYPE,...: attn_v=q6_k")
    parser.add_argument("--base", default=10000.0, type=float)
    parser.add_argument("--yarn", default=0.0, type=float, help="factor of rope scaling by yarn")
    for name, usual in (("width", 64), ("blocks", 2), ("heads", 4), ("kv-heads", 2), ("head-length", 16),
                        ("feed-forward", 96), ("vocabulary", 96), ("context", 64), ("experts", 0), ("experts-used", 2),
                        ("expert-width", 32)):
        parser.add_argument(f"--{name}", default=usual, type=int)
    parser.add_argument("--tied", action="store_true", help="without output.weight")
    parser.add_argument("--one-per-expert", action="store_true", help="a tensor for each expert, as in old files")
    parser.add_argument("--parts", default=1, type=int, help="split FILE.gguf into FILE-00001-of-0000N.gguf, ...")
    parser.add_argument("--rope-freqs", action="store_true", help="with divisors of rotary angles")
    return parser.parse_args()


def write_parts(o):
    """The files of a split model, of which the first has the metadata."""
    tensors, stem = list(decoder(o)), o.file.removesuffix(".gguf")
    for part in range(o.parts):
        values = [metadata("split.no", "u16", part), metadata("split.count", "u16", o.parts),
                  metadata("split.tensors.count", "i32", len(tensors))]
        own = tensors[part * len(tensors) // o.parts:(part + 1) * len(tensors) // o.parts]
        if part == 0:
            values = [*decoder_metadata(o), *values]
        write(f"{stem}-{part + 1:05}-of-{o.parts:05}.gguf", values, own, f"{o.seed} part {part}")


def main():
    chosen = options()
    if chosen.shape:
        published(chosen)
    if chosen.every_type:
        write(chosen.file, [metadata("general.architecture", "string", "none")], list(every_type(chosen.seed)),
              chosen.seed)
    elif chosen.parts > 1:
        write_parts(chosen)
    else:
        write(chosen.file, list(decoder_metadata(chosen)), list(decoder(chosen)), chosen.seed,
              1 << 12 if chosen.shape else 1 << 16)


if __name__ == "__main__":
    sys.exit(main())
