"""Every op as Python's check has it: ops_test.py SOURCE_FOLDER LIBRARY [all]

Of each folder of fixtures/ops the first small case that has nodes of its op, or all small cases: what our executor
computes passes. With one element off it does not, and the element is named.
"""
import json
import os
import pathlib
import sys
import unittest

root = pathlib.Path(sys.argv[1]).resolve()
os.environ["PLUMBLINE_LIBRARY"] = sys.argv[2]
sys.path.insert(0, str(root / "python"))
wants_all = sys.argv[3:] == ["all"]
del sys.argv[1:]
try:
    import numpy as np
except ImportError:
    print("no NumPy (Debian: python3-numpy)")
    sys.exit(77)
import plumbline as pl

cpu = pl.Cpu()


def small_cases(folder):
    """Graphs, each with those of its nodes that the folder is for."""
    for path in sorted(folder.glob("*.json")):
        text = json.loads(path.read_text(encoding="utf-8"))
        nodes = [node for node in text["nodes"] if node["op"] == folder.name]
        graph = pl.Graph.read(path)
        types = [*graph.inputs.values(), *graph.params.values(), *graph.values.values()]
        elements = [int(np.prod(one.shape)) for one in types]
        if nodes and "must" not in text and 0 not in elements and sum(elements) < 20000:
            yield graph, nodes


def off(y, at, limit):
    """A copy of an array of which one element is off by 16 limits. The limit of an element that is exact may be stated
    lower than what it is held to, so that it is off by more."""
    if isinstance(y, pl.Bits16):
        bits = y.bits.copy()
        bits.reshape(-1)[at] ^= 0x4000  # the highest bit of a bfloat16's exponent
        return pl.Bits16(bits)
    made = y.copy()
    flat, x = made.reshape(-1), made.reshape(-1)[at]
    if y.dtype.kind == "b":
        flat[at] = not x
    elif y.dtype.kind in "iu":
        flat[at] = x ^ 1
    elif not np.isfinite(x):
        flat[at] = 1
    else:
        step = 16 * limit if limit > 2**-30 * abs(x) else abs(x) / 64 or 2**-10
        while flat[at] == x:
            flat[at] = y.dtype.type(x + step)
            step *= 2
    return made


def place(node, y, worst):
    """The element of an output to put off: the worst, or of a recurrence's steps one of the last, since the step behind
    a wrong one is judged from it and may be further off."""
    shape = y.shape
    if node["op"] not in ("rnn", "gru", "lstm") or len(shape) < 4:
        return worst
    step = 0 if node.get("direction") == "reverse" else shape[0] - 1
    return int(np.ravel_multi_index((step, 0, 0, 0), shape))


class OpsTest(unittest.TestCase):
    def judge(self, node, values):
        attributes = {key: value for key, value in node.items() if key not in ("label", "op", "inputs")}
        operands = [values[name] for name in node.get("inputs", [])]
        right = [y for name, y in values.items() if name == node["label"] or name.startswith(node["label"] + ":")]
        result = pl.check(node["op"], *operands, got=right, attributes=attributes, raises=False)
        self.assertIn(result.verdict, ("passed", "mistrusted"), result)
        for k, row in enumerate(result.rows):
            self.assertGreaterEqual(row.worst, 0, row)
            at = place(node, right[k], row.worst)
            wrong = right[:k] + [off(right[k], at, row.allowed)] + right[k + 1:]
            with self.assertRaises(pl.Failed) as failed:
                pl.check(node["op"], *operands, got=wrong, attributes=attributes)
            named = failed.exception.result.rows[k]
            self.assertEqual((named.verdict, named.worst), ("failed", at))
            self.assertIn(f"element {at}", named.why)
            self.assertIn("element ", str(failed.exception))  # another output may be the first to differ by it

    def test_what_we_compute_passes_and_one_element_off_is_named(self):
        folders = sorted(folder for folder in (root / "fixtures/ops").iterdir() if folder.is_dir())
        self.assertGreater(len(folders), 80)
        for folder in folders:
            cases = small_cases(folder)
            for graph, nodes in cases if wants_all else [next(cases)]:
                feeds = graph.feeds()
                values = {**feeds, **cpu.run(graph, feeds, wanted=list(graph.values))}
                for node in nodes:
                    with self.subTest(f"{graph.path}: {node['label']}"):
                        self.judge(node, values)


if __name__ == "__main__":
    unittest.main()
