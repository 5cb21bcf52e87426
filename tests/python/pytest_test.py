"""The fixture of pytest, as a user has it: pytest_test.py SOURCE_FOLDER LIBRARY. Files of tests are written anew."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

root, library = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
del sys.argv[1:]
try:
    import numpy
    import pytest
except ImportError as missing:
    print(f"{missing} (Debian: python3-numpy, python3-pytest)")
    sys.exit(77)

# As docs/python.md shows it.
SOFTMAX = '''import numpy as np


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def numbers(seed):
    return np.random.default_rng(seed).standard_normal((8, 16)).astype(np.float32)


def test_softmax(plumb):
    x = numbers(plumb.seed)
    plumb.check("softmax", x, axis=-1, got=softmax(x))


def test_softmax_with_one_element_off(plumb):
    x = numbers(plumb.seed)
    y = softmax(x)
    worst = plumb.check("softmax", x, axis=-1, got=y).rows[0]
    y.flat[worst.worst] += 16 * worst.allowed
    plumb.check("softmax", x, axis=-1, got=y)
'''
OTHERS = '''import numpy as np
import plumbline as pl


def test_device(plumb):
    assert plumb.device.name


def test_unsupported(plumb):
    def refuses(inputs):
        raise pl.Unsupported("not this shape")
    plumb.verify(pl.Graph.of("softmax", "f32[2, 3]", axis=-1), refuses)


def test_artifact(plumb):
    assert (plumb.artifact("a.txt") is None) or plumb.artifact("a.txt").parent.is_dir()
'''


class PytestTest(unittest.TestCase):
    def test_the_page_shows_this_file(self):
        page = (root / "docs/python.md").read_text(encoding="utf-8")
        self.assertIn(SOFTMAX, page)

    def run_tests(self, text, *flags):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "test_it.py").write_text(text)
            environment = {**os.environ, "PYTHONPATH": str(root / "python"), "PLUMBLINE_LIBRARY": library,
                           "VK_DRIVER_FILES": "/nowhere.json", "VK_ICD_FILENAMES": "/nowhere.json"}
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-p", "plumbline.pytest_plugin", "-p", "no:cacheprovider", "-rs",
                 "--junitxml=tests.xml", *flags], cwd=folder, env=environment, capture_output=True, text=True)
            self.suite = xml.etree.ElementTree.parse(pathlib.Path(folder) / "tests.xml").getroot()[0]
            self.files = [path for path in pathlib.Path(folder).rglob("report.txt")]
            return done

    def test_one_element_off_by_16_limits_fails_and_is_named(self):
        done = self.run_tests(SOFTMAX, "--plumb-artifacts=kept")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("1 failed, 1 passed", done.stdout)
        for words in ("Failed: y (softmax): failed:", "is element ", "allowed "):
            self.assertIn(words, done.stdout)
        self.assertEqual(len(self.files), 1)
        ratio = [float(one.get("value")) for one in self.suite.iter("property") if one.get("name") == "plumb_ratio"]
        self.assertGreater(max(ratio), 15)

    def test_what_cannot_be_judged_is_skipped_with_the_reason(self):
        done = self.run_tests(OTHERS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 passed, 2 skipped", done.stdout)
        for reason in ("no Vulkan device: ", "unsupported: not this shape"):
            self.assertIn(reason, done.stdout)


if __name__ == "__main__":
    unittest.main()
