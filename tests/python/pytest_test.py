"""The fixture of pytest, as a user has it: pytest_test.py SOURCE_FOLDER LIBRARY. Files of tests are written anew."""
import importlib.util
import os
import pathlib
import re
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
# Names that no path can have, and that would be one folder; a test that is elsewhere when it fails, and one that fails
# twice.
MANY = SOFTMAX + '''

import plumbline as pl
import pytest


@pytest.mark.parametrize("case", range(12), ids=[*"abcdefghi", "x/y", "x_y", "x" * 300])
def test_off(plumb, case):
    x = numbers(case)
    y = softmax(x)
    y.flat[case] += 1e-3
    plumb.artifact("case.txt").write_text(str(case))
    plumb.check("softmax", x, axis=-1, got=y)


def test_elsewhere(plumb, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plumb.check("softmax", numbers(0), axis=-1, got=numbers(0))


def test_twice(plumb):
    for off in (1, 2):
        with pytest.raises(pl.Failed):
            plumb.check("softmax", numbers(0), axis=-1, got=off + softmax(numbers(0)))
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
            kept = pathlib.Path(folder) / "kept"
            # But for how long it took, which ends a report's last line.
            self.kept = {str(path.relative_to(kept)): re.sub(r"[0-9.]+ s\n$", "", path.read_text())
                         for path in kept.rglob("*") if path.is_file()}
            return done

    def test_one_element_off_by_16_limits_fails_and_is_named(self):
        done = self.run_tests(SOFTMAX, "--plumb-artifacts=kept")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("1 failed, 1 passed", done.stdout)
        for words in ("Failed: y (softmax): failed:", "is element ", "allowed "):
            self.assertIn(words, done.stdout)
        self.assertEqual(len(self.kept), 1)
        ratio = [float(one.get("value")) for one in self.suite.iter("property") if one.get("name") == "plumb_ratio"]
        self.assertGreater(max(ratio), 15)

    def test_what_cannot_be_judged_is_skipped_with_the_reason(self):
        done = self.run_tests(OTHERS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("1 passed, 2 skipped", done.stdout)
        for reason in ("no Vulkan device: ", "unsupported: not this shape"):
            self.assertIn(reason, done.stdout)

    def test_each_artefact_has_one_writer(self):
        done = self.run_tests(MANY, "--plumb-artifacts=kept")
        self.assertIn("14 failed, 2 passed", done.stdout)
        self.assertEqual(len([name for name in self.kept if name.endswith("/report.txt")]), 15, self.kept)
        self.assertEqual(sorted(text for name, text in self.kept.items() if name.endswith("/case.txt")),
                         sorted(str(case) for case in range(12)))
        twice, = [name for name in self.kept if name.endswith("/report-2.txt")]
        self.assertNotEqual(self.kept[twice], self.kept[twice.replace("-2.txt", ".txt")])

    @unittest.skipUnless(importlib.util.find_spec("xdist"), "no pytest-xdist (Debian: python3-pytest-xdist)")
    def test_four_workers_leave_what_one_does(self):
        kept = []
        for count in "04":
            done = self.run_tests(MANY, "--plumb-artifacts=kept", "-n", count)
            self.assertIn("14 failed, 2 passed", done.stdout)
            kept.append(self.kept)
        self.assertEqual(kept[0], kept[1])


if __name__ == "__main__":
    unittest.main()
