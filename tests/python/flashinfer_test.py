"""`plumb check --def` on the definitions of docs/example/flashinfer: flashinfer_test.py SOURCE_FOLDER PLUMB

Right solutions, which NumPy computes in f64, pass; wrong ones fail, and their traces say how.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

root = pathlib.Path(sys.argv[1]).resolve()
plumb = str(pathlib.Path(sys.argv[2]).resolve())
del sys.argv[1:3]
try:
    import numpy as np
except ImportError:
    print("no NumPy (Debian: python3-numpy)")
    sys.exit(77)

fixtures = root / "docs" / "example" / "flashinfer"
solutions = root / "tests" / "python" / "flashinfer_solutions.py"
folder = pathlib.Path(tempfile.mkdtemp(prefix="plumb_flashinfer_"))

RIGHT = {"gemm_n24_k40": "gemm", "rmsnorm_h48": "rmsnorm", "gemma_rmsnorm_h48": "gemma_rmsnorm",
         "fused_add_rmsnorm_h48": "fused_add_rmsnorm", "gemma_fused_add_rmsnorm_h48": "gemma_fused_add_rmsnorm",
         "embedding_v50_d12": "embedding", "rope_neox_d16_rd12": "rope_neox", "rope_gptj_d16_rd12": "rope_gptj",
         "rope_h3_d8": "rope_tables", "gqa_ragged_prefill_causal_h4_kv2_d16": "ragged",
         "gqa_paged_prefill_causal_h4_kv2_d16_ps4": "paged_prefill", "gqa_paged_decode_h4_kv2_d16_ps4": "paged_decode"}
WRONG = [("gemm_n24_k40", "gemm_without_last_column"), ("gemm_n24_k40", "gemm_with_nan"),
         ("rmsnorm_h48", "rmsnorm_without_eps"), ("fused_add_rmsnorm_h48", "fused_add_rmsnorm_keeps_residual"),
         ("embedding_v50_d12", "embedding_of_next"), ("rope_neox_d16_rd12", "rope_gptj"),
         ("gqa_ragged_prefill_causal_h4_kv2_d16", "ragged_sees_the_future"),
         ("gqa_ragged_prefill_causal_h4_kv2_d16", "natural_lse"),
         ("gqa_paged_decode_h4_kv2_d16_ps4", "paged_decode_reads_whole_pages")]


def run(*words):
    python = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
    made = subprocess.run([plumb, "check", *map(str, words)], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": python})
    return made.returncode, made.stdout + made.stderr


def definition(name):
    return fixtures / "definitions" / f"{name}.json"


def check(name, function, *words, workloads=None):
    """The exit code, what was said, and the traces of a function on a definition's workloads."""
    trace = folder / "traces.jsonl"
    workloads = workloads or fixtures / "workloads" / f"{name}.jsonl"
    code, said = run("--def", definition(name), "--workloads", workloads, "--solution", function, "--candidate",
                     f"py:{solutions}::{function}", "--trace", trace, *words)
    return code, said, [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]


class Solutions(unittest.TestCase):
    def test_right_ones_pass(self):
        for name, function in RIGHT.items():
            with self.subTest(name):
                code, said, traces = check(name, function)
                self.assertEqual(code, 0, said)
                self.assertTrue(traces)
                for trace in traces:
                    self.assertEqual((trace["definition"], trace["solution"]), (name, function))
                    evaluation = trace["evaluation"]
                    self.assertEqual(evaluation["status"], "PASSED")
                    self.assertGreaterEqual(evaluation["correctness"]["max_absolute_error"], 0)
                    self.assertEqual(evaluation["correctness"]["extra"]["verdict"], "passed")
                    self.assertGreater(evaluation["performance"]["latency_ms"], 0)
                    self.assertTrue(evaluation["environment"]["hardware"])

    def test_wrong_ones_fail(self):
        for name, function in WRONG:
            with self.subTest(function):
                code, said, traces = check(name, function)
                self.assertEqual(code, 1, said)
                bad = [trace["evaluation"] for trace in traces if trace["evaluation"]["status"] != "PASSED"]
                self.assertTrue(bad)
                for evaluation in bad:
                    self.assertEqual(evaluation["status"], "INCORRECT_NUMERICAL")
                    self.assertNotIn("performance", evaluation)
                    self.assertEqual(evaluation["correctness"]["extra"]["verdict"], "failed")
                    self.assertTrue(evaluation["log"])

    def test_statuses_of_what_is_no_matter_of_numbers(self):
        one = ("--workload", "w1")
        for function, words, code, status in (("gemm_transposed", ("--returns",), 1, "INCORRECT_SHAPE"),
                                              ("gemm_in_half", ("--returns",), 1, "INCORRECT_DTYPE"),
                                              ("gemm_raises", (), 3, "RUNTIME_ERROR"),
                                              ("gemm_sleeps", ("--candidate-timeout", "2"), 3, "TIMEOUT"),
                                              ("gemm_returned", ("--returns",), 0, "PASSED")):
            with self.subTest(status):
                found, said, traces = check("gemm_n24_k40", function, *one, *words)
                self.assertEqual(found, code, said)
                self.assertEqual([trace["evaluation"]["status"] for trace in traces], [status])
                self.assertEqual("correctness" in traces[0]["evaluation"], status == "PASSED")

    def test_what_cannot_be_loaded_does_not_compile(self):
        trace = folder / "compile.jsonl"
        code, said = run("--def", definition("gemm_n24_k40"), "--candidate", "exec:/no/such/program", "--trace", trace)
        self.assertEqual(code, 2, said)
        lines = trace.read_text(encoding="utf-8").splitlines()
        statuses = [json.loads(line)["evaluation"]["status"] for line in lines]
        self.assertEqual(statuses, ["COMPILE_ERROR"] * 3)

    def test_drawn_workloads_and_16_bits(self):
        for name in ("gemm_n24_k40_bf16", "gqa_paged_prefill_causal_h4_kv2_d16_ps4", "rope_neox_d16_rd12"):
            code, said = run("--def", definition(name), "--candidate", "cpu")
            self.assertEqual(code, 0, said)
            self.assertIn("3 checks passed", said)


class Page(unittest.TestCase):
    def test_the_example_of_the_page_runs(self):
        page = (root / "docs" / "flashinfer.md").read_text(encoding="utf-8").splitlines()
        line = next(line for line in page if line.startswith("plumb check --def docs/"))
        trace = folder / "page.jsonl"
        words = [str(root / word) if word.startswith("docs/") else word for word in line.split()[2:]]
        code, said = run(*(str(trace) if word == "traces.jsonl" else word for word in words))
        self.assertEqual(code, 0, said)
        self.assertEqual(len(trace.read_text(encoding="utf-8").splitlines()), 3)


class Tensors(unittest.TestCase):
    """Offsets and pages of a .safetensors file below the root of a data set."""
    NAME = "gqa_paged_decode_h4_kv2_d16_ps4"

    def workload(self, **changed):
        arrays = {"kv_indptr": [0, 2, 2, 5], "kv_indices": [3, 1, 0, 7, 2], "kv_last_page_len": [3, 1, 4], **changed}
        header, data = {}, b""
        for key, numbers in arrays.items():
            content = np.asarray(numbers, np.int32).tobytes()
            offsets = [len(data), len(data) + len(content)]
            header[key] = {"dtype": "I32", "shape": [len(numbers)], "data_offsets": offsets}
            data += content
        text = json.dumps(header).encode()
        (folder / "set" / "blob").mkdir(parents=True, exist_ok=True)
        (folder / "set" / "workloads" / "gqa_paged").mkdir(parents=True, exist_ok=True)
        (folder / "set" / "blob" / "one.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
        inputs = {name: {"type": "random"} for name in ("q", "k_cache", "v_cache")}
        for key in arrays:
            inputs[key] = {"type": "safetensors", "path": "./blob/one.safetensors", "tensor_key": key}
        inputs["sm_scale"] = {"type": "scalar", "value": 0.25}
        axes = {"batch_size": 3, "num_pages": 8, "len_indptr": 4, "num_kv_indices": 5}
        path = folder / "set" / "workloads" / "gqa_paged" / "one.jsonl"
        path.write_text(json.dumps({"uuid": "one", "axes": axes, "inputs": inputs}) + "\n", encoding="utf-8")
        return path

    def test_a_sequence_without_pages(self):
        code, said, traces = check(self.NAME, "paged_decode", workloads=self.workload())
        self.assertEqual(code, 0, said)
        self.assertEqual([trace["evaluation"]["status"] for trace in traces], ["PASSED"])
        self.assertEqual(traces[0]["workload"]["inputs"]["kv_indptr"]["path"], "./blob/one.safetensors")

    def test_numbers_that_contradict_each_other_are_errors(self):
        for changed, message in (({"kv_indptr": [0, 3, 2, 5]}, "kv_indptr: must ascend; element 2 is 2 after 3"),
                                 ({"kv_indptr": [1, 2, 2, 5]}, "kv_indptr: must begin with 0, got 1"),
                                 ({"kv_indptr": [0, 2, 2, 4]}, "kv_indptr: its last element must be 5, got 4"),
                                 ({"kv_indices": [3, 1, 0, 8, 2]}, "kv_indices: element 3 is 8, there are 8 pages"),
                                 ({"kv_last_page_len": [3, 1, 5]}, "kv_last_page_len: element 2 is 5"),
                                 ({"kv_indices": [3, 1, 0]}, "is i32[3], the definition says i32[5]")):
            with self.subTest(message):
                code, said, traces = check(self.NAME, "paged_decode", workloads=self.workload(**changed))
                self.assertEqual((code, traces), (2, []), said)
                self.assertIn(message, said)


class HostileFiles(unittest.TestCase):
    def said_of(self, **changed):
        text = json.loads(definition("gemm_n24_k40").read_text(encoding="utf-8"))
        path = folder / "changed.json"
        path.write_text(json.dumps({**text, **changed}), encoding="utf-8")
        return run("--def", path, "--candidate", "cpu")

    def test_every_wrong_field_is_named(self):
        matrix = {"shape": ["M", "K"], "dtype": "float32"}
        for changed, message in (
                ({"plugin": "x.so"}, "there is no field 'plugin'"),
                ({"op_typ": "gemm"}, "there is no field 'op_typ'; did you mean op_type?"),
                ({"op_type": ""}, "field 'op_type' must be a text that is not empty"),
                ({"axes": {"M": {"type": "vra"}}}, "axis 'M': type must be const or var, got 'vra'"),
                ({"axes": {"M": {"type": "const", "value": -1}}}, "axis 'M': field 'value' must be a whole number"),
                ({"axes": {"M": {"type": "var", "value": 1}}}, "axis 'M': a var axis has no value"),
                ({"inputs": {"A": {**matrix, "dtype": "flaot32"}}}, "no dtype 'flaot32'; did you mean float32?"),
                ({"inputs": {"A": {"shape": ["M", "k"], "dtype": "float32"}}}, "no axis 'k'; did you mean K?"),
                ({"inputs": {"A": {"dtype": "float32"}}}, "input 'A': field 'shape' is missing"),
                ({"inputs": {"A": {**matrix, "layout": "row"}}}, "input 'A': there is no field 'layout'"),
                ({"outputs": {"A": matrix}}, "output 'A': an input has this name already"),
                ({"outputs": {}}, "outputs has 0 tensors"),
                ({"reference": None}, "field 'reference' is missing")):
            with self.subTest(message):
                code, said = self.said_of(**changed)
                self.assertEqual(code, 2, said)
                self.assertIn(message, said)
                self.assertEqual(len(said.strip().splitlines()), 1, said)

    def test_what_is_not_built_in_is_unsupported(self):
        matrix = {"shape": ["M", "K"], "dtype": "float32"}
        f8 = {"shape": ["M", "K"], "dtype": "float8_e4m3fn"}
        for changed, message in (({"op_type": "moe"}, "op_type 'moe' is not built in; built in are embedding, gemm"),
                                 ({"inputs": {"A": f8}}, "input 'A': is float8_e4m3fn"),
                                 ({"inputs": {"A": matrix, "bias": matrix}}, "has the inputs A, bias; built in is")):
            with self.subTest(message):
                code, said = self.said_of(**changed)
                self.assertEqual(code, 77, said)
                self.assertIn(message, said)

    def test_workloads(self):
        good = {"uuid": "1", "axes": {"M": 2}, "inputs": {"A": {"type": "random"}, "B": {"type": "random"}}}
        path = folder / "changed.jsonl"
        for changed, message in (
                ({"axes": {}}, "changed.jsonl:2: axis 'M' has no extent"),
                ({"axes": {"M": 2, "m": 2}}, "the definition has no axis 'm'; did you mean M?"),
                ({"axes": {"M": 2, "K": 41}}, "axis 'K' is const, 40, got 41"),
                ({"axes": {"M": 1.5}}, "axis 'M' must be a whole number from 0"),
                ({"inputs": {"A": {"type": "random"}}}, "input 'B' is missing"),
                ({"inputs": {**good["inputs"], "C": {"type": "random"}}}, "the definition has no input 'C'"),
                ({"inputs": {**good["inputs"], "B": {"type": "radnom"}}}, "no type 'radnom'; did you mean random?"),
                ({"inputs": {**good["inputs"], "B": {"type": "scalar", "value": 1}}}, "is a tensor, not a number"),
                ({"inputs": {**good["inputs"], "B": {"type": "random", "seed": 1}}}, "there is no field 'seed'"),
                ({"uid": "1"}, "there is no field 'uid'; did you mean uuid?")):
            with self.subTest(message):
                path.write_text(json.dumps(good) + "\n" + json.dumps({**good, **changed}) + "\n", encoding="utf-8")
                code, said = run("--def", definition("gemm_n24_k40"), "--workloads", path, "--candidate", "cpu")
                self.assertEqual(code, 2, said)
                self.assertIn(message, said)
        huge = {**good, "axes": {"M": 2 ** 40}}
        path.write_text(json.dumps(huge) + "\n", encoding="utf-8")
        code, said = run("--def", definition("gemm_n24_k40"), "--workloads", path, "--candidate", "cpu")
        self.assertEqual(code, 2, said)
        self.assertIn("of memory", said)
        away = {"type": "safetensors", "path": "../../etc/passwd", "tensor_key": "A"}
        path.write_text(json.dumps({**good, "inputs": {**good["inputs"], "A": away}}) + "\n", encoding="utf-8")
        code, said = run("--def", definition("gemm_n24_k40"), "--workloads", path, "--candidate", "cpu")
        self.assertEqual(code, 2, said)
        self.assertIn("is no path below the folder", said)

    def test_constants_of_the_reference(self):
        text = json.loads(definition("rmsnorm_h48").read_text(encoding="utf-8"))
        path = folder / "norm.json"
        for lines, words, code, message in (("", (), 77, "no line EPS = NUMBER; say which it is: --attr EPS=1e-6"),
                                            ("EPS = 1e-5\nEPS = 1e-6", (), 77, "2 lines EPS = NUMBER"),
                                            ("", ("--attr", "EPS=1e-5"), 0, "3 checks passed"),
                                            ("EPS = 1e-6  # small", (), 0, "3 checks passed"),
                                            ("EPS = 1e-6", ("--attr", "ESP=1"), 2, "'ESP'; did you mean EPS?"),
                                            ("EPS = 1e-6", ("--attr", "EPS=x"), 2, "--attr EPS: is a number, got 'x'")):
            with self.subTest(message):
                path.write_text(json.dumps({**text, "reference": lines + "\ndef run(): pass\n"}), encoding="utf-8")
                found, said = run("--def", path, "--candidate", "cpu", *words)
                self.assertEqual(found, code, said)
                self.assertIn(message, said)


if __name__ == "__main__":
    unittest.main()
