"""Graphs of plumb.graph/1 while they are made, for scripts/make_graphs.py."""

import json


class Graph:
    """A plumb.graph/1 file while it is made. Methods that add a node return its label."""

    def __init__(self, why):
        self.why, self.inputs, self.params, self.nodes, self.results = why, {}, {}, [], []

    def input(self, name, type, **source):
        self.inputs[name] = {"type": type, **source}
        return name

    def param(self, name, shape, mean=0.0, scale=0.02):
        fill = {"distribution": "normal", "mean": mean, "scale": round(scale, 6)}
        return self._param(name, shape, fill)

    def count(self, name, shape, start=0, delta=1):
        return self._param(name, shape, {"distribution": "range", "start": start, "delta": delta})

    def _param(self, name, shape, fill):
        self.params[name] = {"type": f"f32{list(shape)}", "fill": fill}
        return name

    def node(self, label, op, *inputs, **attributes):
        self.nodes.append({"label": label, "op": op, "inputs": list(inputs), **attributes})
        return label

    def number(self, label, value):
        return self.node(label, "constant", dtype="f32", shape=[], values=[value])

    def unary(self, label, function, x):
        return self.node(label, "unary", x, function=function)

    def binary(self, label, function, a, b):
        return self.node(label, "binary", a, b, function=function)

    def add(self, label, a, b):
        return self.binary(label, "add", a, b)

    def reshape(self, label, x, *shape):
        return self.node(label, "reshape", x, shape=list(shape))

    def transpose(self, label, x, *permutation):
        return self.node(label, "transpose", x, permutation=list(permutation))

    def linear(self, label, x, fan_in, fan_out, bias=True):
        weight = self.param(f"{label}.weight", [fan_in, fan_out], scale=fan_in**-0.5)
        if not bias:
            return self.node(label, "matmul", x, weight)
        product = self.node(f"{label}/product", "matmul", x, weight)
        return self.add(label, product, self.param(f"{label}.bias", [fan_out]))

    def layer_norm(self, label, x, width, epsilon):
        scale = self.param(f"{label}.scale", [width], mean=1.0, scale=0.1)
        bias = self.param(f"{label}.bias", [width])
        return self.node(label, "layer_norm", x, scale, bias, epsilon=epsilon)

    def rms_norm(self, label, x, width, epsilon):
        scale = self.param(f"{label}.scale", [width], mean=1.0, scale=0.1)
        return self.node(label, "rms_norm", x, scale, epsilon=epsilon)

    def feed_forward(self, label, x, width, hidden):
        x = self.linear(f"{label}/up", x, width, hidden)
        x = self.unary(f"{label}/gelu", "gelu", x)
        return self.linear(f"{label}/down", x, hidden, width)

    def conv(self, label, x, channels, filters, kernel, stride=1):
        """Without bias; padded so that stride 1 keeps the extent."""
        scale = (2 / (channels * kernel * kernel)) ** 0.5
        weight = self.param(f"{label}.weight", [filters, channels, kernel, kernel], scale=scale)
        return self.node(label, "conv", x, weight, strides=[stride] * 2, pads=[kernel // 2] * 4)

    def batch_norm(self, label, x, channels):
        scale = self.param(f"{label}.scale", [channels], mean=1.0, scale=0.1)
        bias, mean = (self.param(f"{label}.{part}", [channels], scale=0.1) for part in ("bias", "mean"))
        fill = {"distribution": "uniform", "low": 0.5, "high": 1.5}
        return self.node(label, "batch_norm", x, scale, bias, mean, self._param(f"{label}.variance", [channels], fill))

    def text(self):
        """One line a source and node, so that a difference shows what changed."""
        def block(items, brackets):
            return brackets[0] + "\n    " + ",\n    ".join(items) + "\n  " + brackets[1]
        def members(table):
            return block([f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items()], "{}")
        parts = {
            "format": json.dumps("plumb.graph/1"),
            "why": json.dumps(self.why),
            "inputs": members(self.inputs),
            **({"params": members(self.params)} if self.params else {}),
            "nodes": block([json.dumps(n) for n in self.nodes], "[]"),
            "results": json.dumps(self.results) if isinstance(self.results, list) else members(self.results),
        }
        return "{\n  " + ",\n  ".join(f'"{key}": {part}' for key, part in parts.items()) + "\n}\n"
