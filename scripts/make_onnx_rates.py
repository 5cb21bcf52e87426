#!/usr/bin/env python3
"""Writes fixtures/onnx/two_rates.onnx: usage: make_onnx_rates.py [FILE]

A network for two sampling rates, as voice-activity networks are: y = x + a row of four at 16000 Hz, x + a row of three
at others, reshaped as another input says. The fields of protobuf are written one by one, so that nothing is needed.
"""

import pathlib
import struct
import sys

FLOAT, INT64 = 1, 7


def varint(number):
    out = b""
    while number >= 128:
        out, number = out + bytes([number & 127 | 128]), number >> 7
    return out + bytes([number])


def field(number, value):
    """A field of a message: a whole number, or a text, bytes or message by its length."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def node(op, inputs, output, attributes=b""):
    return field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, op) + attributes)


def value_info(number, name, dtype, extents):
    dims = b"".join(field(1, field(1, e) if isinstance(e, int) else field(2, e)) for e in extents)
    return field(number, field(1, name) + field(2, field(1, field(1, dtype) + field(2, dims))))


def tensor(name, dtype, extents, data):
    return field(5, b"".join(field(1, e) for e in extents) + field(2, dtype) + field(8, name) + field(9, data))


def branch(name, row):
    output = name + "/y"
    graph = node("Add", ["x", row], output) + field(2, name) + value_info(12, output, FLOAT, ["batch", "samples"])
    return field(5, field(1, name) + field(6, graph) + field(20, 5))


def model():
    graph = node("Equal", ["sr", "sixteen"], "is_sixteen")
    graph += node("If", ["is_sixteen"], "sum", branch("then_branch", "row4") + branch("else_branch", "row3"))
    graph += node("Identity", ["sum"], "same") + node("Reshape", ["same", "shape"], "y") + field(2, "two_rates")
    graph += tensor("sixteen", INT64, [], struct.pack("<q", 16000))
    graph += tensor("row4", FLOAT, [4], struct.pack("<4f", 1, 2, 3, 4))
    graph += tensor("row3", FLOAT, [3], struct.pack("<3f", 1, 2, 3))
    graph += value_info(11, "x", FLOAT, ["batch", "samples"]) + value_info(11, "sr", INT64, [])
    graph += value_info(11, "shape", INT64, [2]) + value_info(12, "y", FLOAT, ["rows", "columns"])
    return field(1, 8) + field(2, "make_onnx_rates.py") + field(7, graph) + field(8, field(1, "") + field(2, 13))


if __name__ == "__main__":
    default = pathlib.Path(__file__).resolve().parent.parent / "fixtures/onnx/two_rates.onnx"
    pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else default).write_bytes(model())
