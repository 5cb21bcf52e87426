"""Buckets of the package: buckets_test.py SOURCE_FOLDER LIBRARY

What is kept is seen with an executor that counts; numbers are those of the CPU executor.
"""
import os
import pathlib
import sys
import threading
import unittest

root = pathlib.Path(sys.argv[1]).resolve()
os.environ["PLUMBLINE_LIBRARY"] = sys.argv[2]
sys.path.insert(0, str(root / "python"))
del sys.argv[1:]
try:
    import numpy as np
except ImportError:
    print("no NumPy (Debian: python3-numpy)")
    sys.exit(77)
import plumbline as pl


def negated(extents):
    """y = -x, where x has as many rows as "batch" says and as many columns as "seq"."""
    return pl.Graph.parse({"format": "plumb.graph/1", "results": ["y"],
                           "inputs": {"x": {"type": f"f32[{extents['batch']}, {extents['seq']}]"}},
                           "nodes": [{"label": "y", "op": "unary", "function": "negate", "inputs": ["x"]}]})


class Counting:
    """The CPU executor, and how often it compiled."""

    def __init__(self):
        self.compiled, self._cpu = 0, pl.Cpu(threads=1)

    def compile(self, *arguments):
        self.compiled += 1
        return self._cpu.compile(*arguments)


class BucketsTest(unittest.TestCase):
    def setUp(self):
        self.executor = Counting()

    def buckets(self, make=negated, **options):
        return pl.Buckets(self.executor, make, **options)

    def test_extents_are_rounded_up_to_the_next_size(self):
        buckets = self.buckets(sizes={"seq": (512, 128, 1024), "batch": ()})
        for asked, rounded in ((77, 128), (0, 128), (128, 128), (129, 512), (512, 512), (1024, 1024)):
            self.assertEqual(buckets.at({"batch": 3, "seq": asked}).extents, {"batch": 3, "seq": rounded})
        self.assertEqual(buckets.at({"batch": 5, "seq": 1}).extents, {"batch": 5, "seq": 128})
        self.assertEqual(self.executor.compiled, 4)

    def test_the_executable_is_of_the_graph_that_was_made(self):
        extents, graph, executable = self.buckets(sizes={"seq": [4]}).at({"batch": 1, "seq": 3})
        self.assertEqual(str(graph.results["y"]), "f32[1, 4]")
        x = np.array([[1, -2, 3, 0]], np.float32)
        self.assertTrue((executable.run({"x": x})["y"] == -x).all())

    def test_200_lengths_take_four_compiles(self):
        buckets = self.buckets(sizes={"seq": [32, 64, 128, 256]})
        for length in range(1, 201):
            bucket = buckets.at({"batch": 1, "seq": length})
            x = np.zeros((1, bucket.extents["seq"]), np.float32)
            x[0, :length] = np.arange(1, length + 1)
            cx = bucket.executable.context()
            cx.submit({"x": x}).wait()
            self.assertTrue((cx.buffer("y")[:, :length] == -x[:, :length]).all())
        self.assertEqual((self.executor.compiled, len(buckets)), (4, 4))

    def test_what_was_used_least_recently_goes_first(self):
        buckets = self.buckets(most=2)
        for seq, compiled in ((1, 1), (2, 2), (1, 2), (3, 3), (1, 3), (2, 4)):
            buckets.at({"batch": 1, "seq": seq})
            self.assertEqual((self.executor.compiled, len(buckets)), (compiled, min(compiled, 2)))

    def test_nothing_in_use_goes(self):
        buckets = self.buckets(most=1)
        at = lambda seq: buckets.at({"batch": 1, "seq": seq})
        held, context = at(1).executable, at(2).executable.context()
        fence = at(3).executable.context().submit({"x": np.zeros((1, 3), np.float32)})
        for seq in (4, 5):
            at(seq)
        self.assertEqual(len(buckets), 4)  # these three, and the last
        for seq in (1, 2, 3):
            at(seq)
        self.assertEqual(self.executor.compiled, 5)
        fence.wait()
        del held, context, fence
        at(6)
        self.assertEqual(len(buckets), 1)

    def test_misuse_says_why_and_changes_nothing(self):
        buckets = self.buckets(sizes={"seq": [128, 4096]}, most=1)
        kept = buckets.at({"batch": 1, "seq": 77}).executable
        for words, mistake in (
                ("buckets keep 1 executable at least, and most is 0", lambda: self.buckets(most=0)),
                ("symbol 'seq' has the extent -1, which is negative", lambda: self.buckets(sizes={"seq": [4, -1]})),
                ("symbol 'seq' has the extent 4097, which is above the largest of its sizes, 4096",
                 lambda: buckets.at({"batch": 1, "seq": 4097})),
                ("symbol 'batch' has the extent -2, which is negative", lambda: buckets.at({"batch": -2, "seq": 77})),
                ("symbol 'seq' has sizes, and was given no extent", lambda: buckets.at({"batch": 1, "sek": 77}))):
            with self.assertRaises(pl.Error) as raised:
                mistake()
            self.assertEqual(str(raised.exception), words)
        self.assertIs(buckets.at({"batch": 1, "seq": 77}).executable, kept)
        self.assertEqual(self.executor.compiled, 1)

    def test_what_making_a_graph_raises_keeps_nothing(self):
        graphs = [None]

        def make(extents):
            if graphs:
                raise LookupError(graphs.pop())
            return negated(extents)
        buckets = self.buckets(make)
        with self.assertRaises(LookupError):
            buckets.at({"batch": 1, "seq": 2})
        self.assertEqual(len(buckets), 0)
        self.assertEqual(buckets.at({"batch": 1, "seq": 2}).extents, {"batch": 1, "seq": 2})

    def test_a_second_thread_is_refused(self):
        said = []

        def other():
            try:
                buckets.at({"batch": 1, "seq": 1})
            except pl.Error as problem:
                said.append(str(problem))

        def make(extents):
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
            return negated(extents)
        buckets = self.buckets(make)
        buckets.at({"batch": 1, "seq": 2})
        self.assertEqual(said, ["buckets are used by two threads at once"])


if __name__ == "__main__":
    unittest.main()
