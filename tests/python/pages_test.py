"""Notebooks of docs/notebooks, and strategies of Hypothesis: pages_test.py SOURCE_FOLDER LIBRARY"""
import contextlib
import doctest
import importlib
import io
import json
import os
import pathlib
import sys
import unittest

root = pathlib.Path(sys.argv[1]).resolve()
os.environ["PLUMBLINE_LIBRARY"] = sys.argv[2]
sys.path.insert(0, str(root / "python"))
del sys.argv[1:]
try:
    import numpy
except ImportError:
    print("no NumPy (Debian: python3-numpy)")
    sys.exit(77)
import plumbline as pl


class PageTest(unittest.TestCase):
    def test_examples_of_docstrings(self):
        tried = 0
        for name in ("arrays", "graph", "verdicts"):
            ended = doctest.testmod(importlib.import_module(f"plumbline.{name}"))
            self.assertEqual(ended.failed, 0, name)
            tried += ended.attempted
        self.assertGreaterEqual(tried, 4)

    def test_notebooks_run(self):
        """Each cell in its order, as a kernel would run it; cells assert what they show."""
        pages = sorted((root / "docs/notebooks").glob("*.ipynb"))
        self.assertTrue(pages)
        for page in pages:
            names = {}
            for cell in json.loads(page.read_text(encoding="utf-8"))["cells"]:
                if cell["cell_type"] == "code":
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec("".join(cell["source"]), names)
            self.assertIn("<table>", names["result"]._repr_html_())

    def test_strategies_draw_what_an_op_takes(self):
        try:
            from hypothesis import given, settings
        except ImportError:
            self.skipTest("no hypothesis (Debian: python3-hypothesis)")
        from plumbline import strategies
        shapes = set()

        @settings(max_examples=30, database=None, deadline=None)
        @given(strategies.operands("[.., M, K]", "[.., K, N]", most=2048))
        def judge(operands):
            shapes.add(operands[0].shape)
            self.assertNotEqual(pl.check("matmul", *operands, got=operands[0] @ operands[1], raises=False).exit, 1)
        judge()
        self.assertGreater(len(shapes), 10)
        for shape in ("M, K", "[.., a-b]", "[M, ..]"):
            with self.assertRaises(pl.Error):
                strategies.operands(shape)


if __name__ == "__main__":
    unittest.main()
