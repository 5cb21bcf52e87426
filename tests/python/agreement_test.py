"""C, Python and the command line say the same: agreement_test.py SOURCE_FOLDER LIBRARY PLUMB

Python calls C, so that what holds of Python holds of both. Texts and records of a result are those of the program.
"""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

root, plumb = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[3]).resolve()
os.environ["PLUMBLINE_LIBRARY"] = sys.argv[2]
sys.path.insert(0, str(root / "python"))
del sys.argv[1:4]
try:
    import numpy as np
except ImportError:
    print("no NumPy (Debian: python3-numpy)")
    sys.exit(77)
import plumbline as pl

GRAPHS = [root / "tests/commands/graphs/scores.json", root / "fixtures/graphs/bert_tiny.json"]
# Times, and who ran it where.
ELSEWHERE = {"ns", "reference_ns", "device_ns", "wall_seconds", "seconds", "repro", "command", "next", "placement",
             "path", "name", "candidate", "uuid", "identity", "id", "notes", "argv"}


def numbers(report):
    """A report without what may differ between two ways to ask for it."""
    if isinstance(report, dict):
        return {key: numbers(value) for key, value in report.items() if key not in ELSEWHERE}
    return [numbers(one) for one in report] if isinstance(report, list) else report


class AgreementTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def plumb(self, *words):
        done = subprocess.run([str(plumb), *map(str, words)], capture_output=True, text=True, cwd=self.folder,
                              timeout=300)
        self.said = done.stdout + done.stderr
        return done.returncode

    def assert_same(self, result, report, label=""):
        theirs, ours = json.loads((self.folder / report).read_text()), result.json()
        self.assertEqual(len(theirs["cases"]), 1)
        for key in ("verdict", "exit", "verified", "plain_run", "nodes", "first_guilty", "false_alarms"):
            if key in theirs["cases"][0]:
                self.assertEqual(numbers(ours["cases"][0][key]), numbers(theirs["cases"][0][key]), f"{label} {key}")
        rows = {row.label: row for row in result.rows}
        for node in theirs["cases"][0]["nodes"]:
            self.assertEqual(rows[node["node"]].verdict, node["verdict"])
        self.assertEqual(result.exit, theirs["outcome"]["exit"] if "outcome" in theirs else result.exit)

    def test_verdicts_on_our_executor(self):
        for graph in GRAPHS:
            code = self.plumb("verify", graph, "--candidate", "cpu", "--seed", 3, "--json", "cpu.json", "--force")
            result = pl.verify(graph, pl.Cpu(), seed=3)
            self.assertEqual(result.exit, code, self.said)
            self.assert_same(result, "cpu.json", graph.stem)

    def test_verdicts_on_numbers_that_are_given(self):
        """A dump that the program judges, the same arrays by a function, and one op of them by check."""
        graph = pl.Graph.read(GRAPHS[0])
        feeds, wanted = graph.feeds(seed=1), list(graph.values)
        values = {**feeds, **pl.Cpu().run(graph, feeds, wanted=wanted)}
        for label in (None, *wanted):
            given = dict(values)
            if label is not None:
                given[label] = given[label].copy()
                given[label].reshape(-1)[7] *= np.float32(1.001)
            np.savez(self.folder / "dump.npz", **given)
            code = self.plumb("verify", GRAPHS[0], "--candidate", "file:dump.npz", "--json", "file.json", "--force")
            result = pl.verify(graph, lambda inputs, wanted: {name: given[name] for name in wanted}, plain=False,
                               inputs={name: values[name] for name in graph.inputs})
            self.assertEqual((result.exit, code), (int(label is not None),) * 2, self.said)
            self.assert_same(result, "file.json", label)
            # The last node by itself, on the operands that it had.
            node = json.loads(GRAPHS[0].read_text())["nodes"][-1]
            attributes = {key: value for key, value in node.items() if key not in ("label", "op", "inputs")}
            alone = pl.check(node["op"], *(given[name] for name in node["inputs"]), got=given[node["label"]],
                             raises=False, attributes=attributes).rows[0]
            row = next(row for row in result.rows if row.label == node["label"])
            self.assertEqual((alone.error, alone.ulp, alone.got, alone.truth, alone.verdict),
                             (row.error, row.ulp, row.got, row.truth, row.verdict))
            # A graph's limits are wider, since more of them are to hold at once (verdict.md V51).
            self.assertTrue(math.isclose(alone.allowed, row.allowed, rel_tol=0.2), (alone.allowed, row.allowed))

    def test_what_is_kept_and_said_of_a_result(self):
        graph = GRAPHS[0]
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)  # a case is called by its path from here
        self.assertEqual(self.plumb("verify", graph, "--candidate", "cpu", "-o", "theirs.h5"), 0, self.said)
        result = pl.verify(graph, "cpu")
        result.save(self.folder / "ours.h5")
        result.save(self.folder / "ours.h5")  # in place of itself
        texts = {}
        for name in ("theirs.h5", "ours.h5"):
            self.assertEqual(self.plumb("inspect", name, "--check-schema"), 0, self.said)
            self.assertEqual(self.plumb("judge", name), 0, self.said)
            self.assertEqual(self.plumb("inspect", name, "--digest=values"), 0, self.said)
            digest = self.said
            label = result.rows[-1].label
            self.assertEqual(self.plumb("inspect", name, "--node", label), 0, self.said)
            texts[name] = digest, self.said
        self.assertEqual(texts["theirs.h5"][0], texts["ours.h5"][0])
        self.assertIn("candidate cpu", texts["ours.h5"][1])
        known = result.explain(result.rows[-1])
        self.assertEqual(known, result.explain(label))
        for line in known.splitlines():  # the program says also which run of the file it was
            if "allowed" in line or "worst" in line:
                self.assertIn(line.strip(), texts["ours.h5"][1])
        self.assertEqual(self.plumb("merge", "ours.h5", "theirs.h5", "-o", "both.h5"), 0, self.said)
        with self.assertRaisesRegex(pl.Error, "the result has no row 'q'; it has "):
            result.explain("q")
        with self.assertRaisesRegex(pl.Error, "no/such"):
            result.save(self.folder / "no/such/file.h5")
        (self.folder / "mine").write_text("mine")
        with self.assertRaisesRegex(pl.Error, "mine"):
            result.save(self.folder / "mine")
        self.assertEqual((self.folder / "mine").read_text(), "mine")

    def test_a_check_is_kept_and_explained(self):
        x = np.float32([[1, 2, 3]])
        result = pl.check("softmax", x, axis=-1, got=x, raises=False)
        self.assertIn("failed", result.explain("y"))
        result.save(self.folder / "check.h5")
        self.assertEqual(self.plumb("inspect", "check.h5", "--check-schema"), 0, self.said)
        self.assertEqual(self.plumb("judge", "check.h5"), 1, self.said)

    def test_a_log_is_told(self):
        policy = self.folder / "policy.toml"
        policy.write_text('schema = "plumb-policy/1"\n[[rule]]\nid = "old"\nmatch = { op = "matmul" }\n'
                          'verdict = "xfail"\nreason = "none"\nexpires = 2001-02-03\n')
        told = []
        pl.set_log(told.append)
        try:
            result = pl.check("unary", np.float32([1]), function="abs", got=np.float32([1]), policy=policy)
        finally:
            pl.set_log(None)
        self.assertEqual(len(told), 1)
        self.assertIn("old", told[0])
        self.assertIn("old", result.explain("y"))
        pl.check("unary", np.float32([1]), function="abs", got=np.float32([1]), policy=policy)
        self.assertEqual(len(told), 1)


if __name__ == "__main__":
    unittest.main()
