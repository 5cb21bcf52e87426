#!/usr/bin/env python3
"""Writes tests/commands/graphs/attends_to_length.onnx and attends_to_all.onnx: usage: make_onnx_prompts.py [FOLDER]

Attention over the rows of a prompt, of which there are "seq". The first model is told how many are in use, so that it
may be padded; the other sees all that there are.
"""

import pathlib
import struct
import sys

from make_onnx_rates import FLOAT, INT64, field, node, tensor, value_info

WIDTH = 8


def whole(name, value):
    return field(5, field(1, name) + field(3, value) + field(20, 2))


def weights(name, first):
    """Numbers from -1 to 1 in steps that repeat late."""
    numbers = [((first + 37 * i) % 101 - 50) / 50 for i in range(WIDTH * WIDTH)]
    return tensor(name, FLOAT, [WIDTH, WIDTH], struct.pack(f"<{len(numbers)}f", *numbers))


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


if __name__ == "__main__":
    default = pathlib.Path(__file__).resolve().parent.parent / "tests/commands/graphs"
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else default
    for name, has_length in (("attends_to_length", True), ("attends_to_all", False)):
        (folder / f"{name}.onnx").write_bytes(model(has_length))
