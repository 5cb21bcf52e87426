"""What `python3 -m plumbline.kernelbench` says before it needs PyTorch, and without it: kernelbench_test.py SOURCE

Where PyTorch is installed, a right pair passes and a wrong one fails.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

root = pathlib.Path(sys.argv[1]).resolve()
del sys.argv[1:2]
folder = pathlib.Path(tempfile.mkdtemp(prefix="plumb_kernelbench_"))
has_torch = importlib.util.find_spec("torch") is not None

MODEL = """
import torch


class Model(torch.nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.linear = torch.nn.Linear(columns, 8)

    def forward(self, x):
        return torch.relu(self.linear(x))


def get_inputs():
    return [torch.rand(4, 16)]


def get_init_inputs():
    return [16]
"""
NEW = """

class ModelNew(Model):
    pass
"""
WRONG = """

class ModelNew(Model):
    def forward(self, x):
        return torch.relu(self.linear(x)) + 1e-3
"""


def run(text, *words, new=None):
    pair = folder / "pair.py"
    pair.write_text(text, encoding="utf-8")
    if new is not None:
        (folder / "new.py").write_text(new, encoding="utf-8")
        words = (*words, "--new", folder / "new.py")
    made = subprocess.run([sys.executable, "-m", "plumbline.kernelbench", pair, "--device", "cpu", *words],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(root / "python")})
    return made.returncode, made.stdout + made.stderr


class Pairs(unittest.TestCase):
    def test_what_is_missing_is_named(self):
        near = "class ModelNow: pass\n"
        for text, new, message in ((MODEL, None, "pair.py: defines no ModelNew; did you mean Model?"),
                                   (MODEL, near, "new.py: defines no ModelNew; did you mean ModelNow?"),
                                   (NEW, None, "pair.py: defines no Model"),
                                   ("def (", None, "pair.py: invalid syntax")):
            with self.subTest(message):
                code, said = run(text, new=new)
                self.assertEqual(code, 2, said)
                self.assertIn(message, said)
                self.assertEqual(len(said.strip().splitlines()), 1, said)
        code, said = run(MODEL, "--new", folder / "none.py")
        self.assertEqual(code, 2, said)
        self.assertIn("No such file", said)

    @unittest.skipIf(has_torch, "PyTorch is installed")
    def test_without_torch_it_says_so_in_a_line(self):
        for text, new in ((MODEL + NEW, None), (MODEL, "from pair import Model as ModelNew\n")):
            code, said = run(text, new=new)
            self.assertEqual(code, 77, said)
            self.assertIn("plumbline.kernelbench: PyTorch is not installed", said)
            self.assertEqual(len(said.splitlines()), 1)

    @unittest.skipUnless(has_torch, "PyTorch is not installed")
    def test_a_right_pair_passes_and_a_wrong_one_fails(self):
        self.assertEqual(run(MODEL + NEW)[0], 0)
        self.assertEqual(run(MODEL + WRONG)[0], 1)


if __name__ == "__main__":
    unittest.main()
