#!/usr/bin/env python3
"""How far ONNX Runtime's f32 functions and norms are from the truth: prints docs/measurements/onnxruntime.md's tables.

usage: onnxruntime_functions.py NODE_MODULES WORK

NODE_MODULES has onnxruntime-node in it (scripts/onnxruntime_dumps.sh fetches it); models and tensors go to WORK. Each
row is a model of one node, run on 1e5 numbers; the truth is computed in f64. Needs python3-onnx and python3-scipy.
"""
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper
from scipy import special

COUNT = 100_000
SMALLEST = 2.0**-126  # Whoever flushes subnormal numbers may be off by it.
DUMP = pathlib.Path(__file__).with_name("onnxruntime_dump.cjs")


def all_codes():
    """Finite f32 numbers evenly by code, both signs."""
    codes = np.linspace(0, 0x7F7FFFFF, COUNT // 2).astype(np.uint32)
    return np.concatenate([codes, codes | 0x80000000]).view(np.float32)


def within(low, high):
    return np.random.default_rng(1).uniform(low, high, COUNT).astype(np.float32)


def wide(low=0.0):
    """All codes, and as many numbers from -20 to 20, none below `low`."""
    x = np.concatenate([all_codes()[::2], within(-20, 20)[::2]])
    return np.abs(x) if low == 0.0 else x


EVERYWHERE = -np.inf
U = 2.0**-24
# ONNX's name, the truth, x, and what docs/accuracy.md allows: ulps, or a function of x and y.
UNARY = [
    ("Exp", np.exp, wide(EVERYWHERE), 4), ("Log", np.log, wide(), 4), ("Sqrt", np.sqrt, wide(), 1),
    ("Reciprocal", lambda x: 1 / x, wide(EVERYWHERE), 2.5), ("Sigmoid", special.expit, wide(EVERYWHERE), 4),
    ("Tanh", np.tanh, wide(EVERYWHERE), 4), ("Erf", special.erf, wide(EVERYWHERE), 4),
    ("Softplus", lambda x: np.logaddexp(0, x), wide(EVERYWHERE), 4),
    ("Softsign", lambda x: x / (1 + np.abs(x)), wide(EVERYWHERE), 4),
    ("Elu", lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), wide(EVERYWHERE), 4),
    ("HardSwish", lambda x: x * np.clip(x / 6 + 0.5, 0, 1), wide(EVERYWHERE), 4),
    ("Sin", np.sin, within(-1000, 1000), 4), ("Cos", np.cos, within(-1000, 1000), 4),
    ("Tan", np.tan, within(-1000, 1000), 4), ("Asin", np.arcsin, within(-1, 1), 4),
    ("Acos", np.arccos, within(-1, 1), 4), ("Atan", np.arctan, wide(EVERYWHERE), 4),
    ("Sinh", np.sinh, wide(EVERYWHERE), 4), ("Cosh", np.cosh, wide(EVERYWHERE), 4),
    ("Asinh", np.arcsinh, wide(EVERYWHERE), 4), ("Acosh", np.arccosh, 1 + wide(), 4),
    ("Atanh", np.arctanh, within(-1, 1), 4),
    ("HardSigmoid", lambda x: np.clip(np.float64(np.float32(0.2)) * x + 0.5, 0, 1), wide(EVERYWHERE),
     lambda x, y: U * (np.abs(0.2 * x) + 0.5 + np.abs(y))),
    ("com.microsoft.Gelu", lambda x: x * special.ndtr(x), wide(EVERYWHERE),
     lambda x, y: U * np.abs(y) * (8 + 2 * np.square(x))),
]


def ran(work, modules, op, inputs, **attributes):
    """What ONNX Runtime gives for one node."""
    domain, _, op = op.rpartition(".")
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, x.shape) for name, x in inputs.items()]
    node = helper.make_node(op, list(inputs), ["y"], domain=domain, **attributes)
    graph = helper.make_graph([node], op, infos, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), str(work / "m.onnx"))
    np.savez(work / "in.npz", **inputs)
    subprocess.run(["node", str(DUMP), modules, str(work / "m.onnx"), str(work / "in.npz"), str(work / "dump.npz")],
                   check=True, stdout=subprocess.DEVNULL)
    with np.load(work / "dump.npz") as dump:
        return dump["y"].astype(np.float64)


def function_row(name, truth, found, x, allowed):
    """The largest error in ulps, where that is, and how many elements are beyond the limit."""
    with np.errstate(all="ignore"):
        finite = np.isfinite(truth) & (np.abs(truth) <= np.finfo(np.float32).max)
        error = np.where(finite, np.abs(found - truth), 0)
        spacing = np.exp2(np.maximum(np.floor(np.log2(np.abs(truth))), -126) - 23)
        ulps = np.where(error <= SMALLEST, 0, error / spacing)
        relative = np.where(error <= SMALLEST, 0, error / np.abs(truth))
        limit = allowed(x.astype(np.float64), truth) if callable(allowed) else allowed * spacing
        beyond = np.mean(finite & ~(np.abs(found - truth) <= limit + SMALLEST))
    worst = int(np.nanargmax(ulps))
    near = np.max(error, where=np.abs(truth) < 2, initial=0)  # It says something where results are of order 1.
    return (f"| {name} | {ulps[worst]:.3g} | {np.nanmax(relative):.2g} | {near:.2g} | "
            f"{x[worst]:.9g}: {found[worst]:.9g} for {truth[worst]:.9g} | "
            f"{'a formula' if callable(allowed) else allowed} | {100 * beyond:.2g} % |")


def functions(work, modules):
    print("| op | largest error, ulp | relative | absolute, abs(y) < 2 | at x: got for truth | limit, ulp | beyond |")
    print("|---|---|---|---|---|---|---|")
    for name, truth, x, allowed in UNARY:
        with np.errstate(all="ignore"):
            y = truth(x.astype(np.float64))
        print(function_row(name, y, ran(work, modules, name, {"x": x}), x, allowed), flush=True)
    a, b = np.abs(within(-9, 9)) + np.float32(1e-3), within(-8, 8)[::-1].copy()
    for name, truth, allowed in (("Pow", np.power, 4), ("Div", np.divide, 2.5)):
        y = truth(a.astype(np.float64), b.astype(np.float64))
        print(function_row(name, y, ran(work, modules, name, {"a": a, "b": b}), a, allowed), flush=True)


def normalised(x, axes, epsilon):
    mean = x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(np.square(x - mean).mean(axis=axes, keepdims=True) + x.dtype.type(epsilon))


def log_softmax(x):
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def batch_norm_limit(x, y):
    """As docs/spec/ops.md has it for scale 1 and bias 0, where y = factor * (x - mean)."""
    return U * 9 * np.abs(y) + SMALLEST


def lines(mean, deviation=1.0):
    return np.random.default_rng(2).normal(mean, deviation, (100, 1000)).astype(np.float32)


def channels(mean):
    return lines(mean).reshape(10, 10, 10, 100)


def affine(count):
    return {"scale": np.ones(count, np.float32), "bias": np.zeros(count, np.float32)}


def batch_inputs(mean):
    """Statistics of training: the mean of each channel, and its variance."""
    return affine(10) | {"mean": np.full(10, mean, np.float32), "var": np.linspace(0.5, 2, 10).astype(np.float32)}


def batch_norm(mean):
    def of(x):
        given = {k: v.astype(x.dtype).reshape(-1, 1, 1) for k, v in batch_inputs(mean).items()}
        return (x - given["mean"]) / np.sqrt(given["var"] + x.dtype.type(1e-5))
    return of


# A name, ONNX's op, x, the formula (in f64 the truth, in f32 what NumPy gives), further inputs, attributes.
ROWS = [
    (f"Softmax, {what}", "Softmax", x, lambda x: np.exp(log_softmax(x)), {}, {"axis": -1})
    for what, x in (("scores 0 +- 1", lines(0)), ("scores 0 +- 30", lines(0, 30)))
] + [
    (f"LogSoftmax, {what}", "LogSoftmax", x, log_softmax, {}, {"axis": -1})
    for what, x in (("scores 0 +- 1", lines(0)), ("scores 0 +- 30", lines(0, 30)))
]
for mean in (0, 0.1, 10, 1000):
    ROWS += [
        (f"LayerNormalization, {mean} +- 1", "LayerNormalization", lines(mean),
         lambda x: normalised(x, -1, 1e-5), affine(1000), {"axis": -1, "epsilon": 1e-5}),
        (f"InstanceNormalization, {mean} +- 1", "InstanceNormalization", channels(mean),
         lambda x: normalised(x, (2, 3), 1e-5), affine(10), {"epsilon": 1e-5}),
        (f"BatchNormalization, {mean} +- 1", "BatchNormalization", channels(mean), batch_norm(mean),
         batch_inputs(mean), {"epsilon": 1e-5}),
        (f"ReduceMean, {mean} +- 1", "ReduceMean", lines(mean), lambda x: x.mean(axis=-1, keepdims=True), {},
         {"axes": [-1]}),
        (f"ReduceLogSumExp, {mean} +- 1", "ReduceLogSumExp", lines(mean),
         lambda x: x.max(axis=-1, keepdims=True)
         + np.log(np.exp(x - x.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True)), {}, {"axes": [-1]}),
    ]


def norms(work, modules):
    """Errors by the rms of the output, since an element near 0 may be a difference of large numbers."""
    print("| op and data | largest error by the rms of y | NumPy in f32 by the same formula | beyond the limit |")
    print("|---|---|---|---|")
    for name, op, x, formula, more, attributes in ROWS:
        truth = formula(x.astype(np.float64))
        rms = np.sqrt(np.mean(np.square(truth)))
        found = ran(work, modules, op, {"x": x} | more, **attributes)
        far = [np.max(np.abs(y - truth)) / rms for y in (found, formula(x))]
        beyond = "-"
        if op == "BatchNormalization":
            beyond = f"{100 * np.mean(~(np.abs(found - truth) <= batch_norm_limit(x, truth))):.2g} %"
        print(f"| {name} | {far[0]:.2g} | {far[1]:.2g} | {beyond} |", flush=True)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    modules, work = sys.argv[1], pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    functions(work, modules)
    print()
    norms(work, modules)


if __name__ == "__main__":
    main()
