"""How adapters.Torch shows the modules of PyTorch: torch_test.py SOURCE LIBRARY. Ends with 77 where PyTorch is missing.

LIBRARY is libplumbline.so.1. Everything runs on the CPU.
"""
import importlib.util
import os
import pathlib
import sys
import unittest

source, os.environ["PLUMBLINE_LIBRARY"] = (str(pathlib.Path(one).resolve()) for one in sys.argv[1:3])
del sys.argv[1:3]
for package in ("numpy", "torch", "onnx"):
    if importlib.util.find_spec(package) is None:
        print(f"not run: {package} is not installed")
        sys.exit(77)
sys.path.insert(0, f"{source}/python")
import torch  # noqa: E402
from torch import nn  # noqa: E402

import plumbline as pl  # noqa: E402


class Heads(nn.Module):
    """Two linear layers of one input, a product of theirs, and a sum that a norm is given."""

    def __init__(self):
        super().__init__()
        self.norm, self.q, self.k = nn.LayerNorm(16), nn.Linear(16, 16), nn.Linear(16, 16)
        self.drop, self.last = nn.Dropout(0.5), nn.LayerNorm(16)
        self.fault = 0.0

    def forward(self, x):
        y = self.norm(x)
        scores = torch.softmax(self.q(y) @ self.k(y).transpose(-1, -2), -1) + self.fault
        return self.last(self.drop(x + scores @ y))


class Torch(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.module = Heads()
        self.x = torch.randn(2, 5, 16)

    def judged(self, adapter, **options):
        return pl.verify(adapter.model, adapter, **options)

    def test_modules_are_outputs_by_their_paths(self):
        adapter = pl.adapters.Torch(self.module, [self.x])
        self.assertEqual(adapter.output_names, ["result", "norm", "q.rows", "q", "q.output", "k", "k.output",
                                                "last.input", "last"])
        result = self.judged(adapter)
        self.assertTrue(result.ok, result)
        groups = {row.label: row.group for row in result.rows}
        self.assertEqual([groups[name] for name in ("norm", "q", "k")], [1, 1, 1], groups)
        self.assertEqual(result.json()["cases"][0]["plain_run"]["bits"], "equal")

    def test_halves_are_judged_with_their_own_limits(self):
        for dtype in (torch.float16, torch.bfloat16):
            result = self.judged(pl.adapters.Torch(self.module.to(dtype), [self.x.to(dtype)]))
            own = {row.label: row for row in result.rows}
            for name in ("norm", "q", "k"):
                self.assertEqual(own[name].verdict, "passed", result)
                self.assertGreater(own[name].ratio, 0.9)  # half of the last place is most of the limit

    def test_a_fault_is_named_by_its_module(self):
        adapter = pl.adapters.Torch(self.module, [self.x])
        self.module.k.weight.data[3, 5] *= 1.01
        result = self.judged(adapter)
        self.assertEqual([row.label for row in result.rows if row.verdict == "failed"], ["k"], result)
        self.module.k.weight.data[3, 5] /= 1.01
        self.module.fault = 1e-3
        result = self.judged(adapter)
        self.assertEqual(result.first_guilty.label, "last.input", result)

    def test_what_runs_when_nobody_looks_is_the_module_itself(self):
        adapter = pl.adapters.Torch(self.module, [self.x])
        adapter.compile(adapter.model, ["result", "q"])
        self.assertEqual(list(adapter.run({"x0": self.x.numpy()})), adapter.output_names)
        adapter.compile(adapter.model, ["result"])
        self.assertEqual(list(adapter.run({"x0": self.x.numpy()})), ["result"])

    def test_results_alone(self):
        adapter = pl.adapters.Torch(self.module, [self.x], taps="results")
        self.assertEqual(adapter.output_names, ["result"])
        self.assertTrue(self.judged(adapter).ok)
        compiled = pl.adapters.Torch(self.module, [self.x], taps="results", compile=lambda module: module)
        self.assertTrue(self.judged(compiled).ok)
        with self.assertRaisesRegex(ValueError, "taps='results'"):
            pl.adapters.Torch(self.module, [self.x], compile=lambda module: module)

    def test_a_module_that_gives_no_tensors_is_refused(self):
        class Number(nn.Module):
            def forward(self, x):
                return [x, 3.0]
        with self.assertRaisesRegex(pl.Unsupported, "the module gives a float, which is no tensor"):
            pl.adapters.Torch(Number(), [self.x])


if __name__ == "__main__":
    unittest.main()
