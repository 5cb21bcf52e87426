"""How `python3 -m plumbline.function` judges functions that do what they must not: function_test.py SOURCE_DIR

Ends with 77 where NumPy is not installed. The functions below are written into a file and called as a user's are.
"""
import json
import os
import pathlib
import runpy
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
source = pathlib.Path(sys.argv.pop(1)).resolve()
try:
    import numpy
except ImportError as missing:
    print(f"not run: {missing}")
    sys.exit(77)
sys.path.insert(0, str(source / "python"))
from plumbline import edges, runs  # noqa: E402, F401: read once, not by every child

FUNCTIONS = '''
import ctypes, os, sys
import numpy as np
from numpy.lib.stride_tricks import as_strided
last, calls = None, 0

def good(x, y): np.multiply(x, 2, out=y)
def double(x): return x * 2
def two(x): return x, x
def wide(x): return (x * 2).astype(np.float64)
def nothing(x): pass
def scaled(x, factor, columns, y): np.multiply(x, factor * (columns == x.shape[1]), out=y)
def leaves_last_row(x, y): y[:-1] = x[:-1] * 2
def leaves_last_rows(x, y): y[:-3] = x[:-3] * 2
def forgets(x, y): return x * 2
def leaves_an_element(x, y): y[0, 1:] = x[0, 1:] * 2; y[1:] = x[1:] * 2
def changes(x, y): good(x, y); x[1, 2] += 1
def writes_behind(x, y): good(x, y); ctypes.memset(y.ctypes.data + y.nbytes, 1, 8)
def writes_before(x, y): good(x, y); ctypes.memset(x.ctypes.data - 4, 1, 4)
def reads_behind(x, y): good(x, y); ctypes.string_at(x.ctypes.data + x.nbytes, 4)
def reads_before(x, y): good(x, y); ctypes.string_at(x.ctypes.data - 4, 4)
def writes_what_is_there(x, y):
    good(x, y)
    ctypes.memmove(y.ctypes.data + y.nbytes, y.ctypes.data + y.nbytes, 4)
def adds_behind(x, y):
    good(x, y)
    y[2, 3] = max(y[2, 3], as_strided(x.reshape(-1), shape=(x.size + 1,))[-1])
def adds_to(x, y): y += 2 * x
def previous(x, y):
    global last
    y[:] = 0 if last is None else last
    last = x * 2
def caches(x, y):
    global last
    if last is None: last = np.full_like(x, 0)
    y[:] = last; last = x * 2 if x[0, 0] != 1 else last
def counts(x, y):
    global calls
    calls += 1
    y[:] = x * 2 + (calls > 3)
def bad_bool(x, y): y.view(np.uint8)[:] = 2
def raises(x, y): raise ValueError("no such shape")
def refuses(x, y): raise NotImplementedError("only f64")
def leaves(x, y): sys.exit("I leave")
def crashes(x, y): ctypes.string_at(16, 1)
def unaligned(x, y):
    if x.ctypes.data % 64: raise ValueError("x is not aligned")
    good(x, y)
def add(x, z, y): np.add(x, z, out=y)
def copy(x, y): y[...] = x
'''


class Folder:
    """An exchange folder of one job for a graph of a node, or of several."""

    def __init__(self, path, x, node=None, result=None, nodes=None):
        self.path = pathlib.Path(path)
        (self.path / "in").mkdir()
        inputs = []
        names = {"b1": "bool", "f2": "f16", "f4": "f32", "f8": "f64", "i4": "i32", "i8": "i64", "V2": "bf16"}
        for number, (name, array) in enumerate(x.items()):
            numpy.save(self.path / f"in/{number}.npy", array)
            inputs.append({"name": name, "dtype": names[array.dtype.str.lstrip("<|")], "shape": list(array.shape),
                           "file": f"in/{number}.npy"})
        node = node or {"label": "y", "op": "scale", "inputs": list(x), "factor": 2.0}
        (self.path / "graph.json").write_text(json.dumps({
            "format": "plumb.graph/1", "inputs": {name: {} for name in x}, "nodes": nodes or [node],
            "results": ["y"]}))
        y = result or {"dtype": inputs[0]["dtype"], "shape": inputs[0]["shape"]}
        self.request = {"schema": "plumb.exec/1", "action": "run", "jobs": [
            {"id": 7, "taps": "results", "model": {"plumb.graph/1": "graph.json"}, "results": ["y"],
             "wanted": [{"name": "y", **y}], "runs": [{"inputs": inputs}]}]}

    def ask(self, function, *flags, file="functions.py"):
        """The answer, None where there is none; `code` and `errors` are of the process that was to give it."""
        (self.path / "request.json").write_text(json.dumps(self.request))
        (self.path / "functions.py").write_text(FUNCTIONS)
        command = [f"{self.path / file}::{function}", *flags, str(self.path)]
        sys.stderr.flush()
        child = os.fork()  # which costs a tenth of starting Python and NumPy again
        if child == 0:
            os.dup2(os.open(self.path / "errors", os.O_WRONLY | os.O_CREAT), 2)
            sys.argv[1:] = command
            signal.alarm(60)
            try:
                runpy.run_module("plumbline.function", run_name="__main__")
            except SystemExit as end:
                print(end.code, file=sys.stderr, flush=True)
                os._exit(end.code if isinstance(end.code, int) else 1)
            except BaseException:
                os._exit(99)
            os._exit(0)
        self.code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        self.errors = (self.path / "errors").read_text()
        answer = self.path / "response.json"
        return json.loads(answer.read_text()) if answer.exists() else None


class FunctionTest(unittest.TestCase):
    x = numpy.arange(1, 13, dtype=numpy.float32).reshape(3, 4)

    def job(self, function, *flags, x=None, **rest):
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(path, {"x": self.x if x is None else x} if not isinstance(x, dict) else x, **rest)
            answer = folder.ask(function, *flags)
            self.assertIsNotNone(answer, folder.errors)
            job = answer["jobs"][0]
            self.assertEqual(job["id"], 7)
            if job["status"] == "ok":
                value = job["runs"][0]["values"][0]
                self.assertEqual(value["name"], "y")
                job["bytes"] = (pathlib.Path(path) / value["file"]).read_bytes()
                job["type"] = (value["dtype"], value["shape"])
            self.assertFalse((pathlib.Path(path) / "response.json.part").exists())
            return job

    def refused(self, status, message, function, *flags, **rest):
        job = self.job(function, *flags, **rest)
        self.assertEqual((job["status"], job["message"]), (status, message))

    def test_good(self):
        job = self.job("good")
        self.assertEqual(job["status"], "ok", job)
        self.assertEqual(job["bytes"], (self.x * 2).tobytes())
        self.assertEqual(job["type"], ("f32", [3, 4]))
        self.assertEqual(job["runs"][0]["nodes"][0]["kernel"], "good")

    def test_other_dtypes_and_empty_shapes(self):
        for x in (self.x.astype(numpy.float16), self.x.astype(numpy.int64), numpy.zeros((0, 4), numpy.float32),
                  numpy.float64(3).reshape(()), numpy.array([True, False, True])):
            job = self.job("copy", x=x)
            self.assertEqual((job["status"], job.get("bytes")), ("ok", x.tobytes()), job)

    def test_returns(self):
        job = self.job("double", "--returns")
        self.assertEqual(job["bytes"], (self.x * 2).tobytes(), job)
        self.assertEqual(self.job("wide", "--returns")["type"], ("f64", [3, 4]))
        self.refused("failed", "returned 2 arrays, where the graph has 1 result", "two", "--returns")
        self.refused("failed", "returned 0 arrays, where the graph has 1 result", "nothing", "--returns")

    def test_order_of_arguments(self):
        job = self.job("scaled", "--args", "x0,factor,x0.shape[1],y0")
        self.assertEqual(job.get("bytes"), (self.x * 2).tobytes(), job)
        for factor, columns in (("2", "x0.shape[1]"), ("2.0e0", "4"), ("0.2E+1", "4"), ("2", "4.0")):
            job = self.job("scaled", "--args", f"x0,{factor},{columns},y0")
            self.assertEqual(job.get("bytes"), (self.x * 2).tobytes(), job)
        self.assertEqual(self.job("scaled", "--args", "x0,-1,true,y0").get("bytes"), (self.x * 0).tobytes())
        self.refused("error", "--args: there is no '1e'; there are x0, y0, factor", "scaled", "--args", "x0,1e,4,y0")
        self.refused("error", "--args: there is no 'facto'; there are x0, y0, factor", "scaled", "--args", "x0,facto")
        self.refused("error", "--args: there is no x0.shape[2]", "scaled", "--args", "x0,x0.shape[2],y0")
        self.refused("error", "--args has no y0: the function needs a place for each output, or --returns", "scaled",
                     "--args", "x0")

    def test_several_nodes(self):
        z = numpy.ones((3, 4), numpy.float32)
        job = self.job("add", x={"x": self.x, "z": z}, nodes=[{"label": "h", "op": "neg", "inputs": ["z"]},
                                                              {"label": "y", "op": "sub", "inputs": ["x", "h"]}])
        self.assertEqual(job.get("bytes"), (self.x + z).tobytes(), job)

    def test_unwritten(self):
        self.refused("failed", "unwritten: row 2 of y", "leaves_last_row")
        self.refused("failed", "unwritten: rows 4 to 6 of y", "leaves_last_rows", x=numpy.ones((7, 3), numpy.int32))
        self.refused("failed", "unwritten: element 0 of y", "leaves_an_element")
        self.refused("failed", "unwritten: all of y (the function returned something: does it need --returns?)",
                     "forgets")

    def test_memory_of_others(self):
        self.refused("failed", "changed its operand x, element [1, 2]", "changes")
        self.refused("failed", "writes 8 bytes behind y", "writes_behind")
        self.refused("failed", "writes 4 bytes before x", "writes_before")
        self.refused("failed", "reads behind x", "reads_behind")
        self.refused("failed", "reads before x", "reads_before")
        self.refused("failed", "writes behind y", "writes_what_is_there")
        job = self.job("adds_behind")
        self.assertEqual(job["status"], "failed")
        self.assertIn("two runs with other memory around differ in element [2, 3] of y", job["message"])

    def test_old_results(self):
        self.assertEqual(self.job("adds_to")["status"], "failed")
        self.assertIn("differ in element [0, 0] of y", self.job("previous")["message"])
        self.assertIn("a run after one on other inputs differs", self.job("counts")["message"])
        # What it keeps of a call on other inputs is what it is judged by: the numbers are wrong, whatever runs agree.
        kept = numpy.frombuffer(self.job("caches")["bytes"][-48:], numpy.float32)
        self.assertEqual(list(kept), list(-2 * numpy.repeat(self.x.ravel()[:5:-1], 2)))

    def test_bools(self):
        self.refused("failed", "element [0, 0] of y is a bool of value 2, neither 0 nor 1", "bad_bool",
                     result={"dtype": "bool", "shape": [3, 4]})

    def test_exceptions(self):
        self.refused("error", "ValueError: no such shape", "raises")
        self.refused("unsupported", "only f64", "refuses")
        self.refused("error", "SystemExit: I leave", "leaves")
        self.assertIn("has no attribute 'absent'", self.job("absent")["message"])
        job = self.job("unaligned")
        self.assertEqual(job["message"],
                         "ValueError: x is not aligned (where its tensors are at the end of a page)")
        self.assertEqual(self.job("unaligned", "--align", "64")["status"], "ok")

    def test_a_file_that_needs_what_is_missing(self):
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(path, {"x": self.x})
            (pathlib.Path(path) / "needs.py").write_text("import no_such_package\n")
            job = folder.ask("f", file="needs.py")["jobs"][0]
            self.assertEqual(job["status"], "error")
            self.assertIn("No module named 'no_such_package'", job["message"])
            self.assertIn("there is no file", folder.ask("f", file="absent.py")["jobs"][0]["message"])

    def test_a_crash_leaves_no_answer(self):
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(path, {"x": self.x})
            self.assertIsNone(folder.ask("crashes"))
            self.assertEqual(folder.code, -11)

    def test_one_job_does_not_stop_another(self):
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(path, {"x": self.x})
            job = folder.request["jobs"][0]
            folder.request["jobs"] = [{**job, "wanted": []}, {**job, "id": 8}]
            first, second = folder.ask("good")["jobs"]
            self.assertEqual((first["status"], second["status"]), ("error", "ok"))
            self.assertEqual(first["message"], "the request does not say of what type result 'y' is")

    def test_bf16(self):
        job = self.job("copy", x=numpy.zeros(4, dtype="V2"))
        try:
            import ml_dtypes  # noqa: F401
        except ImportError:
            self.assertEqual((job["status"], job["message"]),
                             ("unsupported", "bf16 in NumPy needs the package ml_dtypes; or --framework torch"))
        else:
            self.assertEqual(job["status"], "ok")

    def test_the_program(self):
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(path, {"x": self.x})
            folder.ask("good")
            answer = pathlib.Path(path) / "response.json"
            answer.unlink()
            command = [sys.executable, "-B", "-m", "plumbline.function"]
            def ended(*flags):
                return subprocess.run([*command, *flags], cwd=source / "python", capture_output=True, text=True)

            self.assertEqual(ended(f"{path}/functions.py::good", path).returncode, 0)
            self.assertEqual(json.loads(answer.read_text())["jobs"][0]["status"], "ok")
            for flags, message in ((["functions.py", path], "is not FILE.py::FUNCTION"),
                                   (["f.py::f", path, "--align", "3"], "--align 3: it is a power of two"),
                                   (["f.py::f", path, "--device", "tpu"], "--device tpu: it is cpu, cuda or cuda:N"),
                                   (["f.py::f", path, "--framework", "jax"], "a function of JAX cannot fill outputs")):
                done = ended(*flags)
                self.assertEqual(done.returncode, 2)
                self.assertIn(message, done.stderr)

    def test_a_process_that_serves_answers_until_something_goes_wrong(self):
        with tempfile.TemporaryDirectory() as scratch:
            folders = []
            for name in ("one", "two", "three"):
                (pathlib.Path(scratch) / name).mkdir()
                folders.append(Folder(pathlib.Path(scratch) / name, {"x": self.x}))
                (folders[-1].path / "request.json").write_text(json.dumps(folders[-1].request))
            functions = pathlib.Path(scratch) / "functions.py"
            functions.write_text(FUNCTIONS + """
def third(x, y):
    global calls
    calls += 1
    print("called", calls)
    y[:] = x * 2
    if calls > 7: raise ValueError("no more")
""")
            done = subprocess.run([sys.executable, "-B", "-m", "plumbline.function", f"{functions}::third", "-"],
                                  cwd=source / "python", capture_output=True, text=True,
                                  input="".join(f"{one.path}\n" for one in folders))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, f"\n{folders[0].path}\n\n{folders[1].path}\n")
            self.assertIn("called 7", done.stderr)
            status = [json.loads((one.path / "response.json").read_text())["jobs"][0]["status"]
                      for one in folders[:2]]
            self.assertEqual(status, ["ok", "error"])
            self.assertFalse((folders[2].path / "response.json").exists())

    def test_describe_and_bad_requests(self):
        with tempfile.TemporaryDirectory() as path:
            folder = Folder(path, {"x": self.x})
            folder.request = {"schema": "plumb.exec/1", "action": "describe"}
            answer = folder.ask("good")
            self.assertEqual(answer["schema"], "plumb.exec/1")
            self.assertEqual(answer["candidate"]["name"], "good")
            self.assertEqual(answer["candidate"]["models"], ["plumb.graph/1"])
            folder.request = {"schema": "plumb.exec/1", "action": "supports", "jobs": [{"id": 5}]}
            self.assertEqual(folder.ask("good")["jobs"], [{"id": 5, "status": "ok", "refused": []}])
            (pathlib.Path(path) / "response.json").unlink()
            for request in ({"schema": "other"}, {"schema": "plumb.exec/1", "action": "dance"}):
                folder.request = request
                self.assertIsNone(folder.ask("good"))
                self.assertEqual(folder.code, 1)
                self.assertIn("plumbline.function: ", folder.errors)


if __name__ == "__main__":
    unittest.main()
