"""ONNX models of one node, written by hand, for tests of machines without the package onnx."""


def _varint(number):
    out = b""
    while number > 0x7f:
        out += bytes([number & 0x7f | 0x80])
        number >>= 7
    return out + bytes([number])


def _message(*fields):
    """A message of protocol buffers: (number, text, bytes or whole number) in order."""
    made = b""
    for number, value in fields:
        if isinstance(value, int):
            made += _varint(number << 3) + _varint(value)
        else:
            value = value.encode() if isinstance(value, str) else value
            made += _varint(number << 3 | 2) + _varint(len(value)) + value
    return made


def _floats(name, shape):
    extents = b"".join(_message((1, _message((1, extent)))) for extent in shape)
    return _message((1, name), (2, _message((1, _message((1, 1), (2, extents))))))


def one_node(domain, op_type, shape):
    """x to y, both f32 of this shape, by an operator of a domain."""
    node = _message((1, "x"), (2, "y"), (4, op_type), (7, domain))
    graph = _message((1, node), (2, "g"), (11, _floats("x", shape)), (12, _floats("y", shape)))
    return _message((1, 8), (7, graph), (8, _message((1, ""), (2, 17))), (8, _message((1, domain), (2, 1))))
