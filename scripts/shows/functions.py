"""Shows of part B: functions of every op, right and with a fault each."""
import os
import re
import shlex
import sys

from shows.context import ROOT

# Attributes without which ops cannot be read, or accept nothing.
NEEDED = {
    "activation": {"function": "elu"}, "affine_grid": {"output_shape": [3, 5]},
    "axial_rope_2d": {"width": 9, "height": 7, "head_dim": 8}, "binary": {"function": "add"}, "bitcast": {"to": "i32"},
    "cast": {"to": "f16"}, "classify": {"function": "is_nan"},
    "col2im": {"image_shape": [5, 7], "kernel_shape": [2, 3]}, "compare": {"function": "less"},
    "complex_part": {"function": "abs"}, "concat": {"axis": 1}, "depth_to_space": {"block": 2},
    "constant": {"dtype": "u8", "shape": [1], "values": [3]},
    "dequant_grouped_matmul": {"format": "uint4", "block_size": 16, "has_scales": True},
    "dequant_matmul": {"format": "uint4", "block_size": 16, "has_scales": True},
    "dequantize": {"format": "uint4", "block_size": 16, "has_scales": True},
    "dot_general": {"a_batch": [0], "b_batch": [0], "a_contract": [2], "b_contract": [-1]},
    "dynamic_slice": {"sizes": [2, 3]}, "einsum": {"equation": "...ij,jk->...ik"}, "expand": {"shape": [4, 1, 6]},
    "frame": {"size": 400, "hop": 160}, "group_norm": {"num_groups": 3},
    "histogram": {"bins": 31, "min": -2.0, "max": 9.0}, "im2col": {"kernel_shape": [2, 3]}, "lrn": {"size": 5},
    "max_unpool": {"inferred_shape": [6, 8]}, "mean_variance_norm": {"axes": [0, 2]}, "one_hot": {"depth": 9},
    "overlap_add": {"hop": 4, "length": 64}, "pad": {"pads": [1, 2, 0, 3]}, "pool": {"kernel_shape": [2, 3]},
    "quantize_blocks": {"format": "q8_0"}, "random": {"shape": [3, 5], "has_offset": True},
    "range": {"start": 0.0, "delta": 1.0, "count": 9}, "reduce": {"function": "sum", "axes": [1]},
    "reshape": {"shape": [3, -1, 4]}, "resize": {"axes": [2, 3], "sizes": [5, 7]}, "reverse": {"axes": [1]},
    "roll": {"shifts": [2, -1], "axes": [0, 1]}, "scatter_add": {"size": 20},
    "slice": {"axes": [1], "starts": [90], "sizes": [30], "steps": [-3]}, "space_to_depth": {"block": 3},
    "split": {"axis": 1, "sizes": [3, 5]}, "tile": {"repeats": [2, 3]}, "top_k": {"k": 100},
    "transpose": {"permutation": [2, 0, 1]}, "umap_knn": {"k": 5}, "unary": {"function": "exp"},
    "welch_peaks": {"k": 2, "fft_length": 64}, "window": {"function": "hann", "size": 9}}
# These give nothing but zeros on normal numbers.
FILLS = {"classify": "adversarial:specials"}
# What each fault is found by; of an op without a float operand, or of one element, some do not change anything.
FAULTS = {"off": "element", "unwritten": "unwritten", "reads": "reads .*behind x0", "writes": "writes .*behind y",
          "changes": "changed its operand x0", "previous": "two runs .* differ|differ"}
DTYPES = ("f32", "f16", "bf16", "f64", "i32", "i64", "u8", "bool", "c64")


def flags_of(attributes):
    import json
    words = []
    for name, value in attributes.items():
        words += ["--attr", f"{name}={value if isinstance(value, str) else json.dumps(value)}"]
    return words


def chosen_ops(c):
    import json
    ops = json.loads(c.run("ops", "--json").said)
    return [op for op in ops if op["ref_cpu"] and (not c.only or re.fullmatch(c.only, op["op"]))]


def first_judged(cases):
    for case in cases:
        for node in case["nodes"]:
            if node["local"]["elements"] > 0 and node["local"].get("worst"):
                return case, node
    return None, None


def faults(c, op, environment, cases):
    """Each fault on the first shape that has elements, and what was not found for its reason."""
    case, node = first_judged(cases)
    if case is None:
        return 0
    command = shlex.split(case["repro"])[1:]
    allowed = node["local"]["worst"]["allowed"] or 0
    tried = 0
    for fault, words in FAULTS.items():
        if fault in ("reads", "changes") and not op["inputs"]:
            continue
        if fault == "previous" and op["op"] == "random":
            continue  # by its only operand, one integer, the function is asked for one result only
        by = max(16 * allowed, 2**-20 * abs(node["local"]["worst"]["expected"] or 0)) or 2**-20
        done = c.run(*command, SHOW_FAULT=fault, SHOW_AT=str(node["local"]["worst"]["index"]), SHOW_BY=repr(by),
                     **environment)
        tried += 1
        is_found = done.code == 1 and re.search(words, done.said)
        c.require(is_found, f"{op['op']}: {fault} is not found as '{words}'", done)
    return tried


def b1(c):
    """Every op by a C function around our CPU executor, in every dtype; then with one fault each."""
    import json
    ops, checks, planted, nothing = chosen_ops(c), 0, 0, []
    for op in ops:
        attributes = NEEDED.get(op["op"], {})
        environment = {"SHOW_OP": op["op"], "SHOW_ATTRIBUTES": json.dumps(attributes)}
        takes = op["inputs"][0]["dtypes"] if op["inputs"] else [None]
        dtypes = [one for one in takes if one is None or one in DTYPES] or [None]
        had, is_first = 0, True
        for dtype in dtypes:
            done = c.run("check", "--op", op["op"], *flags_of(attributes), *(["--dtype", dtype] if dtype else []),
                         "--fill", FILLS.get(op["op"], "graph"), "--candidate", f"tvmffi:{c.cpu()}::run", "--json",
                         "b1.json", "--force", timeout=3600, **environment)
            if done.code == 2 and ("dtype" in done.said or "no shapes were found" in done.said):
                continue  # no operand of the op, or of its function, can have it
            if done.code not in (0, 77):
                c.require(False, f"{op['op']} {dtype}", done)
                continue
            cases = c.cases("b1.json")
            had += sum(case["verdict"] == "passed" for case in cases)
            if is_first:
                planted += faults(c, op, environment, cases)
            is_first = False
            if c.budget != "full":
                break
        checks += had
        if had == 0:
            nothing.append(op["op"])
        print(f"  {op['op']}: {had} checks passed, {planted} faults so far", flush=True)
    return f"{len(ops)} ops, {checks} checks passed, {planted} faults; nothing was compared of {nothing or 'none'}"


SIXTEENS = """
import numpy as np


def softmax(x, y):
    if x.size == 0:
        return
    e = np.exp(x - x.max(-1, keepdims=True))
    y[...] = e / e.sum(-1, keepdims=True) * np.float32(1 if x.shape[-1] % 16 == 0 else 1.001)
"""


def b3(c):
    """A kernel that is right for multiples of 16 alone fails a quick sweep, and passes one of such multiples."""
    (c.folder / "sixteens.py").write_text(SIXTEENS)
    words = ("check", "--op", "softmax", "--attr", "axis=-1", "--candidate", f"py:{c.folder}/sixteens.py::softmax")
    done, right = c.run(*words), c.run(*words, "--multiple", "last=16")
    c.require(done.code == 1, "all shapes", done)
    c.require(right.code == 0, "multiples of 16", right)
    return f"{done.said.strip().splitlines()[-1]}; of multiples {right.said.strip().splitlines()[-1]}"


SHOWS = {"B1": b1, "B3": b3}
