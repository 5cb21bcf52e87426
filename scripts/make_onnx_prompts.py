#!/usr/bin/env python3
"""Writes three models to tests/commands/graphs: usage: make_onnx_prompts.py [FOLDER]

attends_to_length.onnx and attends_to_all.onnx are attention over the rows of a prompt, of which there are "seq". The
first is told how many are in use, so that it may be padded; the other sees all that there are. prompt_into_cache.onnx
has what PyTorch's exporter makes of a decoder with a static cache and an open number of tokens, "rows": places counted
by Range up to an extent of an input, keys and values scattered there, and a mask by which a token sees those before it.
"""

import math
import pathlib
import struct
import sys

from make_onnx_rates import FLOAT, INT64, field, node, tensor, value_info

WIDTH = 8


def whole(name, value):
    return field(5, field(1, name) + field(3, value) + field(20, 2))


def floats(name, extents, first):
    """Numbers from -1 to 1 in steps that repeat late."""
    values = [((first + 37 * i) % 101 - 50) / 50 for i in range(math.prod(extents))]
    return tensor(name, FLOAT, extents, struct.pack(f"<{len(values)}f", *values))


def weights(name, first):
    return floats(name, [WIDTH, WIDTH], first)


def model(has_length):
    graph = b"".join(node("MatMul", ["x", "w" + name], name) for name in "qkv")
    heads = whole("q_num_heads", 2) + whole("kv_num_heads", 2)
    graph += node("Attention", ["q", "k", "v"] + (["", "", "", "length"] if has_length else []), "y", heads)
    graph += node("ArgMax", ["y"], "picks", whole("axis", 2) + whole("keepdims", 0)) + field(2, "prompts")
    graph += b"".join(weights("w" + name, first) for name, first in (("q", 1), ("k", 30), ("v", 59)))
    graph += value_info(11, "x", FLOAT, ["batch", "seq", WIDTH])
    if has_length:
        graph += value_info(11, "length", INT64, ["batch"])
    graph += value_info(12, "y", FLOAT, ["batch", "seq", WIDTH]) + value_info(12, "picks", INT64, ["batch", "seq"])
    return field(1, 11) + field(2, "make_onnx_prompts.py") + field(7, graph) + field(8, field(1, "") + field(2, 24))


HEADS, HEAD, PLACES, WORDS = 2, 4, 16, 12  # of prompt_into_cache


def listed(name, values):
    return field(5, field(1, name) + b"".join(field(8, value) for value in values) + field(20, 7))


def numbers(name, values, extents=None):
    return tensor(name, INT64, [len(values)] if extents is None else extents, struct.pack(f"<{len(values)}q", *values))


def prompt_into_cache():
    turn, cache = listed("perm", [0, 2, 1, 3]), [1, HEADS, PLACES, HEAD]
    graph = node("Shape", ["tokens"], "extent", whole("start", 1) + whole("end", 2))
    graph += node("Squeeze", ["extent"], "rows") + node("Range", ["none", "rows", "one"], "positions")
    graph += node("Gather", ["words", "tokens"], "x")
    for name in "qkv":
        graph += node("MatMul", ["x", "w" + name], "of_" + name)
        graph += node("Reshape", ["of_" + name, "as_heads"], "split_" + name)
        graph += node("Transpose", ["split_" + name], name, turn)
    graph += node("Reshape", ["positions", "as_places"], "place") + node("Shape", ["k"], "all")
    graph += node("Expand", ["place", "all"], "places")
    for name, new in (("keys", "k"), ("values", "v")):
        graph += node("ScatterElements", [name, "places", new], "new_" + name, whole("axis", 2))
    graph += node("Reshape", ["positions", "as_column"], "column") + node("LessOrEqual", ["every", "column"], "seen")
    graph += node("Where", ["seen", "shown", "hidden"], "mask")
    graph += node("Transpose", ["new_keys"], "across", listed("perm", [0, 1, 3, 2]))
    graph += node("MatMul", ["q", "across"], "products") + node("Mul", ["products", "half"], "scores")
    graph += node("Add", ["scores", "mask"], "masked") + node("Softmax", ["masked"], "weights", whole("axis", 3))
    graph += node("MatMul", ["weights", "new_values"], "heads") + node("Transpose", ["heads"], "merged", turn)
    graph += node("Reshape", ["merged", "as_rows"], "joined") + node("MatMul", ["joined", "out"], "of_all")
    graph += node("Gather", ["of_all", "last"], "logits", whole("axis", 1)) + field(2, "prompt_into_cache")
    graph += floats("words", [WORDS, WIDTH], 7) + floats("out", [WIDTH, WORDS], 80)
    graph += b"".join(weights("w" + name, first) for name, first in (("q", 1), ("k", 30), ("v", 59)))
    graph += numbers("none", [0], []) + numbers("one", [1], []) + numbers("every", range(PLACES))
    graph += numbers("as_heads", [1, -1, HEADS, HEAD]) + numbers("as_rows", [1, -1, WIDTH])
    graph += numbers("as_places", [1, 1, -1, 1]) + numbers("as_column", [-1, 1])
    graph += b"".join(tensor(name, FLOAT, [], struct.pack("<f", value))
                      for name, value in (("shown", 0), ("hidden", -3e38), ("half", 0.5)))
    graph += value_info(11, "tokens", INT64, [1, "rows"]) + value_info(11, "last", INT64, [1])
    graph += value_info(11, "keys", FLOAT, cache) + value_info(11, "values", FLOAT, cache)
    graph += value_info(12, "logits", FLOAT, [1, 1, WORDS])
    graph += value_info(12, "new_keys", FLOAT, cache) + value_info(12, "new_values", FLOAT, cache)
    return field(1, 8) + field(2, "make_onnx_prompts.py") + field(7, graph) + field(8, field(1, "") + field(2, 18))


if __name__ == "__main__":
    default = pathlib.Path(__file__).resolve().parent.parent / "tests/commands/graphs"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    for name, has_length in (("attends_to_length", True), ("attends_to_all", False)):
        (folder / f"{name}.onnx").write_bytes(model(has_length))
    (folder / "prompt_into_cache.onnx").write_bytes(prompt_into_cache())
