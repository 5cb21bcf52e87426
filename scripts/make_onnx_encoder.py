#!/usr/bin/env python3
"""Writes fixtures/onnx/encoder_in_primitives.onnx: usage: make_onnx_encoder.py [FILE]

A transformer encoder block as exporters write one: LayerNormalization as ReduceMean, Sub, Pow,
Sqrt and Div, Gelu by Erf, attention as MatMul, Div, Softmax and MatMul. Needs python3-onnx.
"""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WIDTH, HEADS, LENGTH = 32, 4, 10


class Model:
    """A graph while it is made. Methods that add a node return its output's name."""

    def __init__(self):
        self.random, self.nodes, self.tensors = np.random.default_rng(0), [], []

    def tensor(self, name, values, dtype=np.float32):
        self.tensors.append(numpy_helper.from_array(np.asarray(values, dtype), name))
        return name

    def node(self, op, inputs, output, **attributes):
        self.nodes.append(helper.make_node(op, inputs, [output], name=output, **attributes))
        return output

    def linear(self, x, fan_in, fan_out, name):
        weight = self.tensor(f"{name}.weight", self.random.normal(0, fan_in**-0.5, (fan_in, fan_out)))
        product = self.node("MatMul", [x, weight], f"{name}/product")
        return self.node("Add", [product, self.tensor(f"{name}.bias", self.random.normal(0, 0.1, fan_out))], name)

    def layer_norm(self, x, name):
        mean = self.node("ReduceMean", [x], f"{name}/mean", axes=[-1])
        centred = self.node("Sub", [x, mean], f"{name}/centred")
        square = self.node("Pow", [centred, self.tensor(f"{name}.two", 2)], f"{name}/square")
        variance = self.node("ReduceMean", [square], f"{name}/variance", axes=[-1])
        shifted = self.node("Add", [variance, self.tensor(f"{name}.epsilon", 1e-5)], f"{name}/shifted")
        normal = self.node("Div", [centred, self.node("Sqrt", [shifted], f"{name}/deviation")], f"{name}/normal")
        scale = self.tensor(f"{name}.scale", self.random.normal(1, 0.1, WIDTH))
        scaled = self.node("Mul", [normal, scale], f"{name}/scaled")
        return self.node("Add", [scaled, self.tensor(f"{name}.bias", self.random.normal(0, 0.1, WIDTH))], name)

    def gelu(self, x, name):
        quotient = self.node("Div", [x, self.tensor(f"{name}.root", 2**0.5)], f"{name}/quotient")
        erf = self.node("Erf", [quotient], f"{name}/erf")
        share = self.node("Add", [erf, self.tensor(f"{name}.one", 1)], f"{name}/share")
        product = self.node("Mul", [x, share], f"{name}/product")
        return self.node("Mul", [product, self.tensor(f"{name}.half", 0.5)], name)

    def heads(self, x, name, permutation):
        shape = self.tensor(f"{name}.shape", [0, 0, HEADS, WIDTH // HEADS], np.int64)
        return self.node("Transpose", [self.node("Reshape", [x, shape], f"{name}/split")], name, perm=permutation)

    def attention(self, x, name):
        q = self.heads(self.linear(x, WIDTH, WIDTH, f"{name}/q"), f"{name}/q/heads", [0, 2, 1, 3])
        k = self.heads(self.linear(x, WIDTH, WIDTH, f"{name}/k"), f"{name}/k/heads", [0, 2, 3, 1])
        v = self.heads(self.linear(x, WIDTH, WIDTH, f"{name}/v"), f"{name}/v/heads", [0, 2, 1, 3])
        scores = self.node("MatMul", [q, k], f"{name}/scores")
        root = self.tensor(f"{name}.root", (WIDTH // HEADS) ** 0.5)
        weights = self.node("Softmax", [self.node("Div", [scores, root], f"{name}/scaled")], f"{name}/weights", axis=-1)
        context = self.node("Transpose", [self.node("MatMul", [weights, v], f"{name}/context")], f"{name}/merge",
                            perm=[0, 2, 1, 3])
        shape = self.tensor(f"{name}.shape", [0, 0, WIDTH], np.int64)
        joined = self.node("Reshape", [context, shape], f"{name}/joined")
        return self.linear(joined, WIDTH, WIDTH, f"{name}/out")


def encoder():
    m = Model()
    x = m.node("Add", ["x", m.attention(m.layer_norm("x", "norm0"), "attention")], "residual0")
    y = m.gelu(m.linear(m.layer_norm(x, "norm1"), WIDTH, 4 * WIDTH, "up"), "gelu")
    m.node("Add", [x, m.linear(y, 4 * WIDTH, WIDTH, "down")], "y")
    shape = ["batch", LENGTH, WIDTH]
    graph = helper.make_graph(m.nodes, "encoder", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)], m.tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])


if __name__ == "__main__":
    usual = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "onnx" / "encoder_in_primitives.onnx"
    onnx.save(encoder(), sys.argv[1] if len(sys.argv) > 1 else str(usual))
