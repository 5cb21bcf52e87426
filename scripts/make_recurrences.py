#!/usr/bin/env python3
"""Writes the fixtures of rnn, gru and lstm whose results are expected: usage: make_recurrences.py [--check] FOLDER

FOLDER is fixtures/ops. What is expected comes of loops over single numbers, in Python's floats, and shares nothing with
plumb. Operands are written with few digits, so that they are the same numbers in every dtype. With --check nothing is
written; files that differ are named, and the exit status is 1 when there are any.
"""

import argparse
import json
import math
import pathlib
import random
import sys

FUNCTIONS = {
    "sigmoid": lambda z: 1 / (1 + math.exp(-z)),
    "tanh": math.tanh,
    "relu": lambda z: max(z, 0.0),
    "softsign": lambda z: z / (1 + abs(z)),
    "softplus": lambda z: math.log1p(math.exp(z)),
    "identity": lambda z: z,
}
GATES = {"rnn": 1, "gru": 3, "lstm": 4}


class Network:
    """One op on operands that are nested lists, attributes as plumb names them."""

    def __init__(self, op, operands, attributes):
        self.op, self.operands, self.attributes = op, operands, attributes
        self.x, self.w, self.r = (operands[name] for name in ("x", "w", "r"))
        self.units, self.gates = len(self.r[0][0]), GATES[op]

    def apply(self, function, z):
        clip = self.attributes.get("clip")
        return FUNCTIONS[function](z if clip is None else max(-clip, min(clip, z)))

    def function(self, name, usual):
        return self.attributes.get(f"{name}_activation", usual)

    def of_input(self, d, t, b, gate, j):
        row = gate * self.units + j
        bias = self.operands["bias"][d][row] if "bias" in self.operands else 0.0
        return sum(w * x for w, x in zip(self.w[d][row], self.x[t][b])) + bias

    def of_state(self, d, gate, j, h):
        row = gate * self.units + j
        bias = self.operands["bias"][d][self.gates * self.units + row] if "bias" in self.operands else 0.0
        return sum(r * s for r, s in zip(self.r[d][row], h)) + bias

    def peephole(self, d, gate, j, c):
        return self.operands["peephole"][d][gate * self.units + j] * c if "peephole" in self.operands else 0.0

    def step(self, d, t, b, h, c):
        return getattr(self, f"step_{self.op}")(d, t, b, h, c)

    def step_rnn(self, d, t, b, h, c):
        function = self.attributes.get("activation", "tanh")
        made = [self.apply(function, self.of_input(d, t, b, 0, j) + self.of_state(d, 0, j, h))
                for j in range(self.units)]
        return made, c

    def step_gru(self, d, t, b, h, c):
        gate, hidden = self.function("gate", "sigmoid"), self.function("hidden", "tanh")
        z, r = ([self.apply(gate, self.of_input(d, t, b, g, j) + self.of_state(d, g, j, h))
                 for j in range(self.units)] for g in (0, 1))
        reset = [r[j] * h[j] for j in range(self.units)]
        made = []
        for j in range(self.units):
            if self.attributes.get("linear_before_reset"):
                state = r[j] * self.of_state(d, 2, j, h)
            else:
                state = self.of_state(d, 2, j, reset)
            candidate = self.apply(hidden, self.of_input(d, t, b, 2, j) + state)
            made.append((1 - z[j]) * candidate + z[j] * h[j])
        return made, c

    def step_lstm(self, d, t, b, h, c):
        gate, cell = self.function("gate", "sigmoid"), self.function("cell", "tanh")
        hidden = self.function("hidden", "tanh")
        states, cells = [], []
        for j in range(self.units):
            z = [self.of_input(d, t, b, g, j) + self.of_state(d, g, j, h) for g in range(4)]
            i = self.apply(gate, z[0] + self.peephole(d, 0, j, c[j]))
            f = self.apply(gate, z[2] + self.peephole(d, 2, j, c[j]))
            if self.attributes.get("input_forget"):
                f = 1 - i
            new = f * c[j] + i * self.apply(cell, z[3])
            o = self.apply(gate, z[1] + self.peephole(d, 1, j, new))
            cells.append(new)
            states.append(o * self.apply(hidden, new))
        return states, cells

    def run(self):
        """y, h_n, c_n and c as nested lists."""
        steps, batch, directions = len(self.x), len(self.x[0]), len(self.r)
        zeros = [0.0] * self.units
        y, cells = ([[[zeros] * batch for _ in range(directions)] for _ in range(steps)] for _ in range(2))
        last_h, last_c = ([[zeros] * batch for _ in range(directions)] for _ in range(2))
        for d in range(directions):
            for b in range(batch):
                h, c = (self.operands[name][d][b] if name in self.operands else zeros for name in ("h0", "c0"))
                length = self.operands["lengths"][b] if "lengths" in self.operands else steps
                order = range(length)
                if d == 1 or self.attributes.get("direction") == "reverse":
                    order = reversed(order)
                for t in order:
                    h, c = self.step(d, t, b, h, c)
                    y[t][d][b], cells[t][d][b] = h, c
                last_h[d][b], last_c[d][b] = h, c
        return y, last_h, last_c, cells


def flat(x):
    return [number for part in x for number in flat(part)] if isinstance(x, list) else [x]


def shape(x):
    return [len(x), *shape(x[0])] if isinstance(x, list) else []


def fixture(why, op, operands, dtype="f32", **attributes):
    y, last_h, last_c, cells = Network(op, operands, attributes).run()
    results = {"y": y, "y:1": last_h}
    if op == "lstm":
        results["y:2"] = last_c
        if attributes.get("cell_states"):
            results["y:3"] = cells
    flags = {"bias": "has_bias", "lengths": "has_lengths", "h0": "has_initial_h", "c0": "has_initial_c",
             "peephole": "has_peephole"}
    attributes.update({flag: True for name, flag in flags.items() if name in operands})
    order = [name for name in ("x", "w", "r", "bias", "lengths", "h0", "c0", "peephole") if name in operands]

    def source(name):
        kind = "i64" if name == "lengths" else dtype
        return {"type": f"{kind}{shape(operands[name])}", "values": flat(operands[name])}

    return {
        "format": "plumb.graph/1",
        "why": why,
        "inputs": {name: source(name) for name in order},
        "nodes": [{"label": "y", "op": op, "inputs": order, **attributes}],
        "results": {name: {"values": [float(f"{v:.9g}") for v in flat(x)]} for name, x in results.items()},
    }


def numbers(generator, *extents, scale=1.0):
    """Multiples of 1/64, nested."""
    if not extents:
        return round(max(-2.0, min(2.0, generator.gauss(0, scale))) * 64) / 64
    return [numbers(generator, *extents[1:], scale=scale) for _ in range(extents[0])]


def operands(seed, op, steps, batch, inputs, units, directions=1, extra=()):
    g, rows = random.Random(seed), GATES[op] * units
    made = {"x": numbers(g, steps, batch, inputs), "w": numbers(g, directions, rows, inputs, scale=0.5),
            "r": numbers(g, directions, rows, units, scale=0.5)}
    shapes = {"bias": (directions, 2 * rows), "h0": (directions, batch, units), "c0": (directions, batch, units),
              "peephole": (directions, 3 * units)}
    for name in extra:
        made[name] = [steps - b for b in range(batch)] if name == "lengths" else numbers(g, *shapes[name], scale=0.5)
    return made


def zeros(*extents):
    return [zeros(*extents[1:]) for _ in range(extents[0])] if extents else 0.0


def by_hand():
    """The cases that ops.md K.4 lists."""
    def still(op, steps, batch=1):
        return {"x": zeros(steps, batch, 1), "w": zeros(1, GATES[op], 1), "r": zeros(1, GATES[op], 1)}
    cell = {"c0": [[[1.0]]]}
    one = {**still("gru", 1), "r": [[[0.0], [0.0], [1.0]]], "bias": [[0.0] * 5 + [1.0]], "h0": [[[1.0]]]}
    yield "lstm/a_cell_that_halves", fixture("a cell of which half is kept in each of three steps", "lstm",
                                             {**still("lstm", 3), **cell}, cell_states=True)
    yield "lstm/lengths_of_a_batch", fixture("does a sequence end where its length says, also before it begins?",
                                             "lstm", {**still("lstm", 3, 3), "lengths": [3, 1, 0], "c0": [[[1.0]] * 3]})
    yield "lstm/from_the_end", fixture("does a reversed sequence begin at its own end?", "lstm",
                                       {**still("lstm", 3), "lengths": [2], **cell}, direction="reverse")
    yield "lstm/clip_leaves_the_cell", fixture("are operands of functions clipped, and the cell not?", "lstm",
                                               {**still("lstm", 1), **cell}, clip=0.25, cell_states=True)
    yield "gru/a_state_that_halves", fixture("a state of which half is kept in each of three steps", "gru",
                                             {**still("gru", 3), "h0": [[[1.0]]]})
    yield "gru/reset_before_the_product", fixture("is the state reset before R_h multiplies it?", "gru", one)
    yield "gru/reset_behind_the_product", fixture("is the product reset, and its bias with it?", "gru", one,
                                                  linear_before_reset=True)
    yield "rnn/tanh_of_tanh", fixture("does the second step see the first?", "rnn",
                                      {"x": [[[1.0]], [[1.0]]], "w": [[[1.0]]], "r": [[[1.0]]]})


def of_every_kind():
    """Small networks with all that can be switched on."""
    both = {"direction": "bidirectional"}
    common, cells = ("bias", "lengths", "h0"), ("c0", "peephole")
    yield "rnn/both_directions_with_all", fixture(
        "both directions, from states of their own, of three lengths", "rnn",
        operands(1, "rnn", 5, 3, 3, 4, 2, common), **both, activation="softsign", clip=1.5)
    yield "gru/both_directions_with_all", fixture(
        "both directions, from states of their own, of three lengths", "gru",
        operands(2, "gru", 5, 3, 3, 4, 2, common), **both)
    yield "gru/both_directions_linear", fixture(
        "the same with the product before the reset", "gru", operands(3, "gru", 4, 2, 3, 5, 2, common), **both,
        linear_before_reset=True, clip=2.0)
    yield "lstm/both_directions_with_all", fixture(
        "both directions with peepholes, of three lengths", "lstm",
        operands(4, "lstm", 5, 3, 3, 4, 2, common + cells), **both, cell_states=True)
    yield "lstm/what_is_let_in_is_forgotten", fixture(
        "is a gate of the input's one of forgetting, too?", "lstm", operands(5, "lstm", 4, 2, 3, 3, 1, ("bias", "c0")),
        input_forget=True)
    yield "lstm/halves_in_f16", fixture(
        "16-bit operands, states that stay in f32", "lstm", operands(6, "lstm", 6, 2, 3, 4, 1, ("bias",)), dtype="f16",
        direction="reverse")


def text(graph):
    """One line a source, node and result."""
    def block(items, brackets):
        return brackets[0] + "\n    " + ",\n    ".join(items) + "\n  " + brackets[1]
    def members(table):
        return block([f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table.items()], "{}")
    parts = {"format": json.dumps(graph["format"]), "why": json.dumps(graph["why"]),
             "inputs": members(graph["inputs"]), "nodes": block([json.dumps(n) for n in graph["nodes"]], "[]"),
             "results": members(graph["results"])}
    return "{\n  " + ",\n  ".join(f'"{key}": {part}' for key, part in parts.items()) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    different = []
    for name, graph in [*by_hand(), *of_every_kind()]:
        path = arguments.folder / f"{name}.json"
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(graph))
        elif not path.is_file() or path.read_text() != text(graph):
            different.append(str(path))
    for path in different:
        print(f"{path} is not what make_recurrences.py writes")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
