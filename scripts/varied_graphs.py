#!/usr/bin/env python3
"""Writes graphs of one op each, of shapes that a seed draws: usage: varied_graphs.py SEED FOLDER

Extents are odd, prime, powers of two, multiples of tiles, and one beside these. Every op whose results are held to a
limit is there at least once, in the variants that get kernels of their own, and so are some that only move or select.
Tensors are small, so that a comparison takes about a millisecond: scripts/false_alarms.py --varied makes its graphs of
these (verdict.md V54).
"""
import json
import pathlib
import random
import sys

EXTENTS = (1, 2, 3, 5, 7, 8, 13, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 97)
LONG = EXTENTS + (101, 127, 128, 129, 255, 256, 257, 509)
MOST = 1 << 15  # elements of an operand


class Shapes:
    """Extents by a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def extent(self, most=97):
        return self.random.choice([n for n in EXTENTS if n <= most])

    def long(self):
        return self.random.choice(LONG)

    def any(self, rank, most=MOST):
        shape = [self.extent() for _ in range(rank)]
        while _elements(shape) > most:
            shape[self.random.randrange(rank)] = self.extent(17)
        return shape

    def line(self, rank=2):
        """Few lines of any length."""
        return [self.extent(17) for _ in range(rank - 1)] + [self.long()]

    def image(self, channels=None):
        return [self.extent(3), channels or self.extent(17), self.extent(17), self.extent(17)]

    def pick(self, *choices):
        return self.random.choice(choices)


def _elements(shape):
    count = 1
    for extent in shape:
        count *= extent
    return count


def _typed(shape, dtype="f32"):
    return {"type": f"{dtype}{shape}"}


def _graph(op, inputs, params=None, **attributes):
    """`inputs` and `params` are shapes by name, in the order of the op's operands."""
    params = params or {}
    return {"format": "plumb.graph/1", "why": "shapes by a seed",
            "inputs": {name: x if isinstance(x, dict) else _typed(x) for name, x in inputs.items()},
            "params": {name: x if isinstance(x, dict) else _typed(x) for name, x in params.items()},
            "nodes": [{"label": "y", "op": op, "inputs": [*inputs, *params], **attributes}], "results": ["y"]}


def products(s):
    m, k, n, batch = s.extent(), s.long(), s.extent(), s.extent(8)
    yield "matmul", _graph("matmul", {"a": [m, k]}, {"b": [k, n]})
    yield "matmul_batched", _graph("matmul", {"a": [batch, m, k % 64 + 1], "b": [batch, k % 64 + 1, n]})
    yield "matmul_vector", _graph("matmul", {"a": [1, k]}, {"b": [k, n]})
    yield "gemm", _graph("gemm", {"a": [m, k]}, {"b": [n, k], "c": [n]}, transpose_b=True, has_c=True)
    channels, out, size = s.extent(17), s.extent(17), s.pick(1, 3, 5)
    x = [s.extent(3), channels, size + s.extent(13), size + s.extent(13)]
    yield "conv", _graph("conv", {"x": x}, {"w": [out, channels, size, size]}, strides=[s.pick(1, 2)] * 2,
                         pads=[size // 2] * 4)
    yield "conv_depthwise", _graph("conv", {"x": x}, {"w": [channels, 1, size, size]}, group=channels)
    heads, length, keys, depth = s.extent(3), s.extent(33), s.extent(65), s.pick(8, 16, 31, 64)
    yield "attention", _graph("attention", {"q": [1, heads, length, depth], "k": [1, heads, keys, depth],
                                            "v": [1, heads, keys, depth]})


def lines(s):
    for op in ("softmax", "log_softmax", "lp_norm"):
        yield op, _graph(op, {"x": s.line()}, axis=-1)
    inner = [s.extent(17), s.long() % 128 + 1, s.extent(17)]
    yield "softmax_inner", _graph("softmax", {"x": inner}, axis=1)
    for op, operands in (("layer_norm", ("scale", "bias")), ("rms_norm", ("scale",))):
        x = s.line()
        yield op, _graph(op, {"x": x}, {name: [x[-1]] for name in operands}, axis=-1,
                         **{f"has_{name}": True for name in operands})
        yield f"{op}_bare", _graph(op, {"x": s.line(3)}, axis=-1, **{f"has_{name}": False for name in operands})
    x = s.image(2 * s.extent(8))
    yield "group_norm", _graph("group_norm", {"x": x}, {"scale": [x[1]], "bias": [x[1]]}, num_groups=2,
                               has_scale=True, has_bias=True)
    x = s.image()
    yield "instance_norm", _graph("instance_norm", {"x": x}, {"scale": [x[1]], "bias": [x[1]]})
    yield "mean_variance_norm", _graph("mean_variance_norm", {"x": s.image()}, axes=[0, 2, 3])
    for function in ("sum", "mean", "max", "l1", "l2", "log_sum_exp", "sum_square"):
        yield f"reduce_{function}", _graph("reduce", {"x": s.line(3)}, function=function, axes=[-1])
    yield "reduce_first", _graph("reduce", {"x": s.any(3)}, function="sum", axes=[0])
    yield "cumulative", _graph("cumulative", {"x": s.line()}, axis=-1)
    yield "lrn", _graph("lrn", {"x": s.image()}, size=3)


def elements(s):
    for function in ("exp", "log", "tanh", "erf", "gelu", "sigmoid", "sqrt", "rsqrt", "sin", "silu", "softplus"):
        yield f"unary_{function}", _graph("unary", {"x": s.any(2, 4096)}, function=function)
    for function in ("add", "subtract", "multiply", "divide", "maximum"):
        shape = s.any(3, 4096)
        yield f"binary_{function}", _graph("binary", {"a": shape, "b": shape[1:]}, function=function)
    yield "clamp", _graph("clamp", {"x": s.any(2, 4096), "low": _typed([]), "high": _typed([])}, has_min=True,
                           has_max=True)


def movement(s):
    shape = s.any(3)
    yield "transpose", _graph("transpose", {"x": shape}, permutation=s.pick([0, 2, 1], [2, 0, 1], [2, 1, 0]))
    yield "concat", _graph("concat", {"a": shape, "b": [*shape[:2], s.extent(17)]}, axis=2)
    for function in ("max", "average"):
        yield f"pool_{function}", _graph("pool", {"x": [*s.image()[:2], 4 + s.extent(17), 4 + s.extent(17)]},
                                         function=function, kernel_shape=[3, 3], strides=[s.pick(1, 2)] * 2)
    yield "resize", _graph("resize", {"x": [1, s.extent(8), s.extent(13), s.extent(13)]}, axes=[2, 3],
                           sizes=[s.extent(31), s.extent(31)], mode="linear")


def graphs(seed):
    """(name, graph) of every kind, by a seed."""
    s = Shapes(seed)
    for family in (products, lines, elements, movement):
        yield from family(s)


def write(seed, folder):
    """The files, in the order of their kinds."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, graph in graphs(seed):
        for node in graph["nodes"]:
            if node["op"] == "resize":
                x = json.loads(graph["inputs"]["x"]["type"].removeprefix("f32"))
                node["scales"] = [size / x[axis] for size, axis in zip(node["sizes"], node["axes"])]
        file = folder / f"{name}.{seed}.json"
        file.write_text(json.dumps(graph) + "\n")
        written.append(file)
    return written


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    print(*write(int(sys.argv[1]), pathlib.Path(sys.argv[2])), sep="\n")
