"""How candidate-host judges functions and drives plugins: host_test.py CANDIDATE_HOST FUNCTIONS.so PLUGIN.so LIBCUDA

Toys are in toys/. It needs no package: tensors are written and read as bytes.
"""
import ctypes
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

host, functions, plugin, driver = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:])
del sys.argv[1:]
X = [float(i) for i in range(1, 13)]
SOFTMAX = {"op": "softmax", "inputs": ["x"], "axis": -1}
DOUBLE = {"op": "binary", "inputs": ["x", "x"], "function": "add"}


class HostTest(unittest.TestCase):
    environment = None

    @staticmethod
    def write_request(folder, action, inputs, nodes=None, model=None):
        (folder / "in/0.bin").write_bytes(struct.pack("<12f", *X))
        (folder / "graph.json").write_text(json.dumps({
            "format": "plumb.graph/1", "inputs": {"x": {"type": "f32[3, 4]"}},
            "nodes": nodes or [{**SOFTMAX, "label": "y"}], "results": ["y"]}))
        x = {"name": "x", "dtype": "f32", "shape": [3, 4], "file": "in/0.bin", **inputs}
        (folder / "request.json").write_text(json.dumps({
            "schema": "plumb.exec/1", "action": action, "jobs": [
                {"id": 3, "taps": "results", "model": model or {"plumb.graph/1": str(folder / "graph.json")},
                 "results": ["y"], "wanted": [{"name": "y", "dtype": "f32", "shape": [3, 4]}],
                 "runs": [{"inputs": [x]}]}]}))

    def ask(self, *command, action="run", nodes=None, inputs=None, model=None):
        """Asks in a new folder. Returns the answer, None where there is none, and what the process said."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "in").mkdir()
            self.write_request(folder, action, inputs or {}, nodes, model)
            done = subprocess.run([host, *command, str(folder)], capture_output=True, text=True, timeout=60,
                                  env=self.environment)
            self.code, self.said = done.returncode, done.stderr
            self.assertFalse((folder / "response.json.part").exists())
            if not (folder / "response.json").exists():
                return None
            answer = json.loads((folder / "response.json").read_text())
            for job in answer.get("jobs", []):
                for run in job.get("runs", []):
                    for value in run["values"]:
                        value["bytes"] = (folder / value["file"]).read_bytes()
            return answer

    def job(self, *command, **rest):
        answer = self.ask(*command, **rest)
        self.assertIsNotNone(answer, self.said)
        self.assertEqual(answer["schema"], "plumb.exec/1")
        self.assertEqual(answer["jobs"][0]["id"], 3)
        return answer["jobs"][0]

    def is_doubled(self, job):
        self.assertEqual(job["status"], "ok", job)
        value, = job["runs"][0]["values"]
        self.assertEqual((value["name"], value["dtype"], value["shape"]), ("y", "f32", [3, 4]))
        self.assertTrue(value["bytes"].startswith(b"\x93NUMPY"))
        self.assertEqual(list(struct.unpack("<12f", value["bytes"][-48:])), [2 * x for x in X])

    def ends(self, status, message, *command, **rest):
        job = self.job(*command, **rest)
        self.assertEqual((job["status"], job["message"]), (status, message))

    def function(self, status, message, symbol, *flags):
        self.ends(status, message, "tvmffi", f"{functions}::{symbol}", *flags)

    def test_good_functions(self):
        for symbol in ("good", "plain"):
            self.is_doubled(self.job("tvmffi", f"{functions}::{symbol}"))
        self.assertEqual(self.ask("tvmffi", f"{functions}::good", action="describe")["candidate"]["name"], "good")

    def test_memory_of_others(self):
        self.function("failed", "writes 4 bytes behind y", "writes_behind")
        self.function("failed", "writes 4 bytes before x", "writes_before")
        self.function("failed", "reads right behind x", "reads_behind")
        self.function("failed", "reads 16 bytes behind x", "reads_far_behind")
        self.function("failed", "reads 4 bytes before x", "reads_before")
        job = self.job("tvmffi", f"{functions}::writes_what_is_there")
        self.assertEqual(job["status"], "failed")
        self.assertRegex(job["message"], "^(reads|writes) right behind y$")
        self.function("failed", "two runs with other memory around differ in element [2, 3] of y: it reads memory that "
                      "it does not own, reads its outputs before it writes them, reuses old results, or races",
                      "adds_behind")
        self.function("failed", "changed its operand x, element [2, 3]", "changes")

    def test_results(self):
        self.function("failed", "unwritten: row 2 of y", "leaves_last_row")
        self.assertIn("differ in element [0, 0] of y", self.job("tvmffi", f"{functions}::previous")["message"])
        self.function("failed", "a run after one on other inputs differs in element [0, 0] of y: it reuses old "
                      "results, keeps a state, or races", "counts")
        # What it keeps of a call on other inputs is what it is judged by: the numbers are wrong, whatever runs agree.
        value, = self.job("tvmffi", f"{functions}::caches")["runs"][0]["values"]
        self.assertEqual(struct.unpack("<12f", value["bytes"][-48:])[0], 2 * X[0] - X[-1])

    def test_errors_of_functions(self):
        self.function("error", "refuses returned -1", "refuses")
        self.function("error", "unaligned returned 7 (where its tensors are at the end of a page)", "unaligned")
        self.is_doubled(self.job("tvmffi", f"{functions}::unaligned", "--align", "64"))
        self.assertIsNone(self.ask("tvmffi", f"{functions}::crashes"))
        self.assertEqual(self.code, -11)

    def test_order_of_arguments(self):
        nodes = [{"label": "y", "op": "cumulative", "inputs": ["x"], "function": "sum"}]
        for args in ("x0,exclusive,axis,x0.shape[1],y0", "x0,false,-1,4,y0"):
            self.is_doubled(self.job("tvmffi", f"{functions}::scaled", "--args", args, nodes=nodes))
        for order, message in (("x0,true,-1,4,y0", "scaled returned 2"), ("x0,false,-1.0,4,y0", "scaled returned 1"),
                               ("x0,1e,y0", "--args: there is no '1e'"),
                               ("x0,axes,y0", "--args: there is no 'axes'; there are 1 operands x, 1 outputs y, "),
                               ("x0", "--args has no y0"), ("x0,,y0", "--args: there is no ''"),
                               ("x0,x0.shape[2],y0", "--args: there is no 'x0.shape[2]'"), ("x1", "there is no 'x1'")):
            job = self.job("tvmffi", f"{functions}::scaled", "--args", order, nodes=nodes)
            self.assertEqual(job["status"], "error")
            self.assertIn(message, job["message"])

    def test_memory_of_devices(self):
        described = self.ask("tvmffi", f"{functions}::good", "--memory", "cuda:1", action="describe")["candidate"]
        self.assertEqual((described["device"], described["serves"]), ("cuda:1", True))
        self.is_doubled(self.job("tvmffi", f"{functions}::good", "--memory", "host"))
        self.assertIsNone(self.ask("tvmffi", f"{functions}::good", "--memory", "cuda:x"))
        self.assertIn("--memory cuda:x: it is host, cuda or cuda:N", self.said)
        try:
            ctypes.CDLL("libcuda.so.1")
        except OSError:
            self.function("unsupported", "there is no CUDA driver: libcuda.so.1 is not found", "good", "--memory",
                          "cuda")
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(pathlib.Path(driver).parent)}
        self.function("unsupported", "there is no CUDA device 3: CUDA_ERROR_INVALID_DEVICE", "good", "--memory",
                      "cuda:3")
        self.is_doubled(self.job("tvmffi", f"{functions}::good", "--memory", "cuda"))
        for message, symbol in (("writes 4 bytes behind y", "writes_behind"), ("reads behind x", "reads_behind"),
                                ("reads before x", "reads_before"), ("unwritten: row 2 of y", "leaves_last_row"),
                                ("reads or writes behind y", "writes_what_is_there")):
            self.function("failed", message, symbol, "--memory", "cuda:0")
        self.assertIn("differ in element [0, 0] of y",
                      self.job("tvmffi", f"{functions}::previous", "--memory", "cuda")["message"])
        self.function("error", "unaligned returned 7 (where x is at the end of a page)", "unaligned", "--memory",
                      "cuda")
        self.function("error", "refuses returned -1", "refuses", "--memory", "cuda")

    def test_requests_of_a_host_that_serves(self):
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(pathlib.Path(driver).parent)}
        with tempfile.TemporaryDirectory() as scratch:
            folders = [pathlib.Path(scratch) / name for name in ("one", "two")]
            for folder in folders:
                (folder / "in").mkdir(parents=True)
                self.write_request(folder, "run", {})
            for symbol, answers in (("good", 2), ("leaves_last_row", 1)):
                done = subprocess.run([host, "tvmffi", f"{functions}::{symbol}", "--memory", "cuda", "-"], text=True,
                                      input="".join(f"{folder}\n" for folder in folders), capture_output=True,
                                      timeout=60, env=self.environment)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, "".join(f"\n{folder}\n" for folder in folders[:answers]))

    def test_a_plugin_serves_and_compiles_once(self):
        other = [{**DOUBLE, "label": "y", "function": "subtract"}]
        asked = (("run", None), ("run", None), ("supports", None), ("run", other), ("run", None), ("run", other))
        with tempfile.TemporaryDirectory() as scratch:
            folders = [pathlib.Path(scratch) / str(k) for k in range(len(asked))]
            for folder, (action, nodes) in zip(folders, asked):
                (folder / "in").mkdir(parents=True)
                self.write_request(folder, action, {}, nodes)
            for mode, answers in (("", len(asked)), (":refuses", len(asked)), (":breaks", 1), (":changes", 1)):
                for folder in folders:
                    (folder / "response.json").unlink(missing_ok=True)
                done = subprocess.run([host, "plugin", plugin + mode, "-"], capture_output=True, text=True, timeout=60,
                                      input="".join(f"{folder}\n" for folder in folders))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(done.stdout, "".join(f"\n{folder}\n" for folder in folders[:answers]))
                if mode:
                    continue
                jobs = [json.loads((folder / "response.json").read_text())["jobs"][0] for folder in folders]
                self.assertEqual([job["status"] for job in jobs], ["ok"] * len(asked))
                took = [job["seconds"]["compile"] for job in jobs if "seconds" in job]  # to the last digit, if kept
                self.assertEqual((took[0], took[0], took[2]), (took[1], took[3], took[4]))
        done = subprocess.run([host, "plugin", f"{plugin}:garbage", "-"], input="/nowhere\n", capture_output=True,
                              text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_what_is_not_loaded(self):
        with tempfile.TemporaryDirectory() as folder:
            open_to_all = pathlib.Path(folder) / "open.so"
            shutil.copy(functions, open_to_all)
            os.chmod(open_to_all, 0o777)
            in_open_folder = pathlib.Path(folder) / "all" / "good.so"
            in_open_folder.parent.mkdir()
            shutil.copy(functions, in_open_folder)
            os.chmod(in_open_folder.parent, 0o777)
            os.mkfifo(pathlib.Path(folder) / "fifo")
            (pathlib.Path(folder) / "text.so").write_text("no library")
            for path, message in (("x.so", "has no slash"), (f"{folder}/absent.so", "cannot be opened"),
                                  (open_to_all, "can be written by everybody"),
                                  (f"{folder}/fifo", "not a regular file"),
                                  (in_open_folder, "the folder of"), (f"{folder}/text.so", "cannot be loaded")):
                for command in (("tvmffi", f"{path}::good"), ("plugin", str(path))):
                    self.assertIsNone(self.ask(*command))
                    self.assertEqual(self.code, 2)
                    self.assertIn(message, self.said)
            os.chmod(in_open_folder.parent, 0o1777)
            self.is_doubled(self.job("tvmffi", f"{in_open_folder}::good"))
        for command, message in ((("tvmffi", f"{functions}::absent"), "has neither __tvm_ffi_absent nor absent"),
                                 (("tvmffi", functions), "is not LIB.so::SYMBOL"),
                                 (("tvmffi", f"{functions}::good", "--align", "3"), "--align 3: it is a power of two"),
                                 (("plugin", functions), "it is not a plugin"), (("dance",), "usage: "),
                                 (("plugin", f"{plugin}:uncreated"), "has no licence"),
                                 (("plugin", f"{plugin}:garbage"), "candidate-host: ")):
            self.assertIsNone(self.ask(*command))
            self.assertEqual(self.code, 2)
            self.assertIn(message, self.said)

    def test_requests(self):
        self.ends("error", "request.json: there is no dtype 'f31'", "plugin", plugin, inputs={"dtype": "f31"})
        self.assertIn("does not have 64 bytes", self.job("plugin", plugin, inputs={"shape": [4, 4]})["message"])
        self.assertIn("input 'x' is f32[4, 3], the graph has f32[3, 4]",
                      self.job("tvmffi", f"{functions}::good", inputs={"shape": [4, 3]})["message"])
        self.ends("error", "the request has no input 'x'", "tvmffi", f"{functions}::good", inputs={"name": "z"})
        self.ends("error", "request.json: there is no 'plumb.graph/1'", "plugin", plugin, model={"onnx": "m.onnx"})
        self.assertIsNone(self.ask("plugin", plugin, action="dance"))
        self.assertEqual(self.code, 2)

    def test_plugins(self):
        job = self.job("plugin", plugin)
        self.is_doubled(job)
        self.assertEqual(job["runs"][0]["nodes"], [{"value": "y", "kernel": "double_avx2", "ns": 1800}])
        self.assertEqual(self.code, 0)
        self.assertEqual(self.ask("plugin", plugin, action="describe")["candidate"]["version"], "3")
        for mode, status, message in (("refuses", "unsupported", "no graph of this kind"),
                                      ("breaks", "error", "its device failed: compile returned 3 and no text"),
                                      ("latin", "error", "no caf?"), ("changes", "failed", "changed its input 'x'"),
                                      ("short", "error", "'y' has 44 bytes, where f32[3, 4] has 48"),
                                      ("dtype", "error", "'y' has dtype 99, which is none"),
                                      ("rank", "error", "'y' has rank 1000000"), ("twice", "error", "gave 'y' twice")):
            self.ends(status, message, "plugin", f"{plugin}:{mode}")
        self.assertIn("'y' has 48 bytes", self.job("plugin", f"{plugin}:huge")["message"])
        self.assertEqual(self.job("plugin", f"{plugin}:sums")["status"], "error")
        self.assertEqual(self.job("plugin", f"{plugin}:silent")["runs"][0]["values"], [])
        self.assertIsNone(self.ask("plugin", f"{plugin}:crashes"))
        self.assertEqual(self.code, -11)
        self.assertIsNone(self.ask("plugin", f"{plugin}:exits"))

    def test_supports(self):
        job = self.job("plugin", plugin, action="supports",
                       nodes=[{**SOFTMAX, "label": "h"}, {**DOUBLE, "label": "y"}])
        self.assertEqual((job["status"], job["refused"]), ("ok", [{"node": "h", "message": "has only binary"}]))
        # A plugin that has the call says so, whatever its own description has.
        described = self.ask("plugin", plugin, action="describe")["candidate"]
        self.assertEqual((described["supports"], described["serves"]), (True, True))
        self.assertNotIn("supports", self.ask("tvmffi", f"{functions}::good", action="describe")["candidate"])


if __name__ == "__main__":
    unittest.main()
