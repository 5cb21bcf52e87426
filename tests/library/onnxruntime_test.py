"""How ONNX Runtime is driven through candidate-host:

    onnxruntime_test.py CANDIDATE_HOST PLUGIN.so NO_ONNX_RUNTIME.so REFUSING_ONNX_RUNTIME.so

PLUMB_ONNXRUNTIME names a libonnxruntime.so; without it, only what needs none is tested, and the exit code is 77. Models
are written as bytes, so that it needs no package.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

host, plugin, other, refusing = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:])
del sys.argv[1:]
library = os.environ.get("PLUMB_ONNXRUNTIME", "")
F32, BF16 = 1, 16
BYTES = {"f32": 4, "bf16": 2, "c64": 8}
X = [1.0, -2.0, 3.0, -4.0]
W = [1.0, 2.0, 3.0, 4.0]
BIAS = [0.5, -0.5]
PRODUCT = [-5.0, -6.0, -9.0, -10.0]
SUM = [-4.5, -6.5, -8.5, -10.5]


def field(number, content):
    if isinstance(content, int):
        return bytes([number << 3, content])
    content = content.encode() if isinstance(content, str) else content
    size = len(content)
    return bytes([number << 3 | 2, *([size] if size < 128 else [size & 127 | 128, size >> 7])]) + content


def node(op, output, *inputs):
    return field(1, b"".join(field(1, name) for name in inputs) + field(2, output) + field(4, op))


def value(name, dtype, *shape):
    extents = b"".join(field(1, field(1, extent)) for extent in shape)
    return field(1, name) + field(2, field(1, field(1, dtype) + field(2, extents)))


def stored(name, values, *shape, location=None):
    tensor = b"".join(field(1, extent) for extent in shape) + field(2, F32) + field(8, name)
    if location is None:
        return field(5, tensor + field(9, struct.pack(f"<{len(values)}f", *values)))
    return field(5, tensor + field(13, field(1, "location") + field(2, location)) + field(14, 1))


def model(nodes, more=b"", dtype=F32, version=8):
    """x f32[2, 2] to y."""
    graph = nodes + field(2, "g") + more + field(11, value("x", dtype, 2, 2)) + field(12, value("y", dtype, 2, 2))
    return field(1, version) + field(8, field(2, 13)) + field(7, graph)


LINEAR = (node("MatMul", "m", "x", "w") + node("Add", "b", "m", "bias") + node("Abs", "h", "b") + node("Neg", "y", "h"))


def linear(more=b"", version=8, **where):
    return model(LINEAR, stored("w", W, 2, 2, **where) + stored("bias", BIAS, 2) + more, version=version)


class Case(unittest.TestCase):
    def ask(self, options, onnx=None, taps="results", wanted=("y",), given="x", dtype="f32", spec=None, beside=None,
            op={"op": "unary", "function": "abs"}):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "in").mkdir()
            (folder / "models").mkdir()
            (folder / "in/0.bin").write_bytes((2 * struct.pack("<4f", *X))[:4 * BYTES[dtype]])
            (folder / "graph.json").write_text(json.dumps({
                "format": "plumb.graph/1", "inputs": {given: {"type": f"{dtype}[2, 2]"}},
                "nodes": [{"label": "y", "inputs": [given]} | op], "results": ["y"]}))
            files = {"plumb.graph/1": "graph.json"}
            if onnx is not None:
                (folder / "models/m.onnx").write_bytes(onnx)
                files["onnx"] = str(folder / "models/m.onnx")
            for name, content in (beside or {}).items():
                (folder / "models" / name).write_bytes(content)
            (folder / "request.json").write_text(json.dumps({
                "schema": "plumb.exec/1", "action": "run", "jobs": [
                    {"id": 0, "taps": taps, "model": files, "results": ["y"],
                     "wanted": [{"name": name, "dtype": dtype, "shape": [2, 2]} for name in wanted],
                     "runs": [{"inputs": [{"name": given, "dtype": dtype, "shape": [2, 2], "file": "in/0.bin"}]}]}]}))
            spec = f"{plugin}:{library if spec is None else spec}{options}"
            done = subprocess.run([host, "plugin", spec, str(folder)], capture_output=True, text=True, timeout=60)
            self.code, self.said = done.returncode, done.stderr
            if not (folder / "response.json").exists():
                return None
            answer = json.loads((folder / "response.json").read_text())
            self.candidate, job = answer["candidate"], answer["jobs"][0]
            self.left = sorted(path.name for path in folder.iterdir())
            self.values = {one["name"]: (folder / one["file"]).read_bytes() for run in job.get("runs", [])
                           for one in run["values"]}
            return job

    def numbers(self, name):
        return list(struct.unpack("<4f", self.values[name][-16:]))

    def refuses(self, message, options, **rest):
        self.assertIsNone(self.ask(options, **rest))
        self.assertEqual(self.code, 2)
        self.assertIn(message, self.said)


class WithoutLibrary(Case):
    def test_what_is_not_opened(self):
        self.refuses("has no OrtGetApiBase: it is no ONNX Runtime", "", spec=other)
        self.refuses("has no slash: libraries are not searched for", "", spec="libonnxruntime.so.1")
        self.refuses("'/absent.so' cannot be opened", "", spec="/absent.so")
        self.refuses("no library is named", "", spec="")
        self.refuses("no option 'treads'; the nearest is 'threads'", ",treads=2", spec=other)

    def test_a_model_without_a_kernel_is_unsupported(self):
        for taps in ("results", "surviving"):
            for number, status, words in (("9", "unsupported", "there is no kernel"), ("1", "error", "it is broken")):
                job = self.ask("", onnx=number.encode(), taps=taps, spec=refusing)
                self.assertEqual((job["status"], job["message"]), (status, words))

    def test_complex_numbers_are_unsupported(self):
        job = self.ask("", onnx=b"1", dtype="c64", spec=refusing, op={"op": "transpose", "permutation": [1, 0]})
        self.assertEqual(job["status"], "unsupported", job)
        self.assertEqual(job["message"], "has no complex numbers, which 'y' has")


@unittest.skipIf(not library, "PLUMB_ONNXRUNTIME names no library")
class WithLibrary(Case):
    def gives(self, names, options="", **rest):
        job = self.ask(options, wanted=("y", "m", "b", "h"), **rest)
        self.assertEqual(job["status"], "ok", job)
        self.assertEqual(sorted(self.values), sorted(names))
        for name, numbers in (("m", PRODUCT), ("b", SUM), ("h", [-x for x in SUM]), ("y", SUM)):
            if name in names:
                self.assertEqual(self.numbers(name), numbers)
        self.assertEqual(self.left, ["graph.json", "in", "models", "out", "request.json", "response.json"])

    def ends(self, status, message, *arguments, **rest):
        job = self.ask(*arguments, **rest)
        self.assertIsNotNone(job, self.said)
        self.assertEqual(job["status"], status)
        self.assertIn(message, job["message"])

    def test_description(self):
        self.gives("y", onnx=linear())
        self.assertRegex(self.candidate.pop("version"), r"^1\.\d+\.\d+")
        self.assertEqual(self.candidate, {"name": "onnxruntime", "device": "cpu", "models": ["onnx"],
                                          "taps": ["results", "surviving", "all"], "subnormals": "kept",
                                          "serves": True})

    def test_taps(self):
        for onnx in (linear(), linear(field(11, value("w", F32, 2, 2)), version=3)):
            self.gives("y", onnx=onnx)
            self.gives("bhy", taps="surviving", onnx=onnx)
            self.gives("mbhy", taps="all", onnx=onnx)
            self.gives("mbhy", ",opt=off,threads=1", taps="surviving", onnx=onnx)

    def test_tensors_beside_the_file(self):
        beside = {"w.bin": struct.pack("<4f", *W)}
        for taps, names in (("results", "y"), ("surviving", "bhy"), ("all", "mbhy")):
            self.gives(names, taps=taps, onnx=linear(location="w.bin"), beside=beside)
        self.ends("error", "", "", onnx=linear(location="absent.bin"))

    def test_values_that_are_no_tensors(self):
        nodes = node("SequenceConstruct", "s", "x", "x") + node("SequenceLength", "n", "s") + node("Neg", "y", "x")
        job = self.ask("", onnx=model(nodes), taps="all", wanted=("y", "s", "n"))
        self.assertEqual(job["status"], "ok", job)
        self.assertEqual(sorted(self.values), ["n", "y"])

    def test_what_it_cannot_do(self):
        self.ends("unsupported", "takes files of ONNX alone", "")
        self.ends("unsupported", "", "", onnx=model(node("Abs", "y", "x"), dtype=BF16), dtype="bf16")
        self.ends("error", "takes an input 'x', which the graph does not have", "", onnx=linear(), given="z")
        for taps in ("results", "surviving", "all"):
            self.ends("error", "", "", onnx=b"no model", taps=taps)
            self.ends("error", "", "", onnx=linear()[:-20], taps=taps)
            self.ends("error", "", "", onnx=model(node("Frobnicate", "y", "x")), taps=taps)
        self.refuses("no opt=al; the nearest is 'all'", ",opt=al")


if __name__ == "__main__":
    program = unittest.main(exit=False)
    if not program.result.wasSuccessful():
        sys.exit(1)
    if not library:
        print("PLUMB_ONNXRUNTIME names no libonnxruntime.so: the rest was skipped")
        sys.exit(77)
