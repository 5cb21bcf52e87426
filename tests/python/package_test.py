"""The package over libplumbline.so.1: package_test.py SOURCE_FOLDER LIBRARY

Truths are NumPy's, in f64; the graphs are the fixtures'.
"""
import os
import pathlib
import sys
import tempfile
import threading
import unittest

root = pathlib.Path(sys.argv[1]).resolve()
os.environ["PLUMBLINE_LIBRARY"] = sys.argv[2]
sys.path[:0] = [str(root / "python"), str(root / "tests/python")]
del sys.argv[1:]
try:
    import numpy as np
except ImportError:
    print("no NumPy (Debian: python3-numpy)")
    sys.exit(77)
import plumbline as pl
from small_onnx import one_node

random = np.random.default_rng(7)
SMALL = {"format": "plumb.graph/1",
         "inputs": {"x": {"type": "f32[4, 8]"}}, "params": {"w": {"type": "f32[8, 3]"}},
         "nodes": [{"label": "h", "op": "matmul", "inputs": ["x", "w"]},
                   {"label": "y", "op": "softmax", "axis": -1, "inputs": ["h"]}], "results": ["y"]}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


class CheckTest(unittest.TestCase):
    def test_a_right_result_passes_and_a_wrong_one_says_where(self):
        x = floats(8, 100)
        result = pl.check("softmax", x, axis=-1, got=softmax(x))
        self.assertTrue(result.ok)
        self.assertEqual((result.exit, result.verdict, len(result.rows)), (0, "passed", 1))
        y = softmax(x)
        y[5, 7] += 1e-4
        with self.assertRaises(pl.Failed) as failed:
            pl.check("softmax", x, axis=-1, got=y)
        self.assertIn("element 507", str(failed.exception))
        self.assertIn("allowed", str(failed.exception))
        row = failed.exception.result.first_guilty
        self.assertEqual((row.worst, row.op, row.is_result), (507, "softmax", True))
        self.assertAlmostEqual(row.got - row.truth, 1e-4, places=6)
        self.assertGreater(row.ratio, 16)
        self.assertIn("failed", str(failed.exception.result))

    def test_strides_scalars_and_orders_of_bytes(self):
        x = floats(6, 10)
        views = [np.asfortranarray(x), x[::-1, ::2], np.broadcast_to(x[:1], (4, 10)), x.astype(">f4"), x.T]
        for view in views:
            self.assertTrue(pl.check("softmax", view, axis=-1, got=softmax(np.ascontiguousarray(view))).ok)
        self.assertTrue(pl.check("unary", np.float32(-3), function="abs", got=np.float32(3)).ok)

    def test_dtypes(self):
        for dtype in (np.float16, np.float32, np.float64, np.int8, np.int32, np.int64, np.uint8):
            x = np.arange(-3 if np.dtype(dtype).kind != "u" else 0, 9).astype(dtype)
            self.assertTrue(pl.check("unary", x, function="abs", got=np.abs(x)).ok, dtype)
        bits = pl.Bits16(np.array([0x3F80, 0xBF80], np.uint16))  # 1 and -1 in bfloat16
        self.assertTrue(pl.check("unary", bits, function="abs", got=pl.Bits16([0x3F80, 0x3F80])).ok)
        self.assertFalse(pl.check("unary", bits, function="abs", got=pl.Bits16([0x3F80, 0x4000]), raises=False).ok)
        z = np.array([1 + 2j, -3j], np.complex64)
        self.assertTrue(pl.check("binary", z, z, function="add", got=z + z).ok)

    def test_several_outputs_and_wrong_ones(self):
        x = floats(3, 7)
        order = np.argsort(-x, -1, kind="stable")[:, :2]
        values = np.take_along_axis(x, order, -1)
        self.assertTrue(pl.check("top_k", x, k=2, axis=-1, got=[values, order.astype(np.int64)]).ok)
        for got in ([values], values[:, :1], np.zeros((3, 7), np.int32)):
            result = pl.check("top_k", x, k=2, axis=-1, got=got, raises=False)
            self.assertEqual((result.exit, result.verdict), (1, "failed"), result.message)
        self.assertEqual(pl.check("softmax", x, axis=-1, got=np.full_like(x, np.nan), raises=False).exit, 1)
        self.assertEqual(pl.check("softmax", x, axis=-1, got=np.zeros((0,), np.float32), raises=False).exit, 1)

    def test_mistakes_name_what_and_where(self):
        x = floats(2, 3)
        mistakes = [(lambda: pl.check("sofmax", x, axis=-1, got=x), "did you mean softmax"),
                    (lambda: pl.check("softmax", x, axs=-1, got=x), "softmax has no attribute 'axs'"),
                    (lambda: pl.check("softmax", x, axis=5, got=x), "axis 5"),
                    (lambda: pl.check("softmax", np.array(["a"]), axis=-1, got=x), "dtype <U1"),
                    (lambda: pl.Graph.read("no_such.onnx"), "no_such.onnx"),
                    (lambda: pl.Graph.parse("{"), "line 1"),
                    (lambda: pl.Candidate("cpu", tap="all"), "no option 'tap'"),
                    (lambda: pl.Candidate("nothing:x"), "nothing"),
                    (lambda: pl.Graph.of("softmax", "f32[2,3", axis=-1), "a type is like")]
        for mistake, words in mistakes:
            with self.assertRaisesRegex(pl.Error, words):
                mistake()


class RunTest(unittest.TestCase):
    def setUp(self):
        self.graph = pl.Graph.parse(SMALL)

    def test_graphs_describe_themselves(self):
        self.assertEqual(str(self.graph.inputs["x"]), "f32[4, 8]")
        self.assertEqual((list(self.graph.params), list(self.graph.values), list(self.graph.results)),
                         (["w"], ["h", "y"], ["y"]))
        feeds = self.graph.feeds(seed=3)
        self.assertEqual((feeds["x"].shape, feeds["w"].dtype), ((4, 8), np.float32))
        self.assertTrue((feeds["x"] == self.graph.feeds(seed=3)["x"]).all())
        self.assertFalse((feeds["x"] == self.graph.feeds(seed=4)["x"]).all())

    def test_the_reference_runs(self):
        x, w = floats(4, 8), floats(8, 3)
        made = pl.Cpu().run(self.graph, {"x": x, "w": w}, wanted=["h", "y"])
        np.testing.assert_allclose(made["h"], x @ w, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(made["y"], softmax(x @ w), rtol=1e-5)
        compiled = pl.Cpu(threads=1).compile(self.graph, {"w": w})
        for _ in range(3):
            self.assertTrue((compiled.run({"x": x})["y"] == made["y"]).all())
        with self.assertRaisesRegex(pl.Error, "computes no value 'z'"):
            pl.Cpu().compile(self.graph, wanted=["z"])
        with self.assertRaisesRegex(pl.Error, "x"):
            compiled.run({"x": x[:2]})

    def test_threads_with_executables_of_their_own(self):
        x = floats(4, 8)
        right = pl.Cpu().run(self.graph, {"x": x})["y"]
        wrong = []
        def work():
            compiled = pl.Cpu().compile(self.graph)
            wrong.extend(1 for _ in range(50) if not (compiled.run({"x": x})["y"] == right).all())
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class VerifyTest(unittest.TestCase):
    def setUp(self):
        self.graph = pl.Graph.parse(SMALL)
        self.w = self.graph.feeds()["w"]

    def mine(self, inputs, wanted):
        h = inputs["x"] @ self.w
        return {"h": h, "y": softmax(h)}

    def test_a_function_is_judged_node_by_node(self):
        result = pl.verify(self.graph, self.mine)
        self.assertEqual((result.exit, [row.label for row in result.rows]), (0, ["h", "y"]), str(result))
        self.assertEqual({(row.paired, row.repro) for row in result.rows}, {("exact", "")})

        def wrong(inputs, wanted):
            made = self.mine(inputs, wanted)
            made["h"][1, 2] += 1e-3
            return {"h": made["h"], "y": softmax(made["h"])}
        result = pl.verify(self.graph, wrong)
        self.assertEqual(result.exit, 1)
        self.assertEqual((result.first_guilty.label, result.first_guilty.worst), ("h", 5))
        self.assertEqual(result.json()["cases"][0]["verdict"], "failed")

    def test_results_alone_are_a_group(self):
        result = pl.verify(self.graph, lambda inputs: {"y": softmax(inputs["x"] @ self.w)})
        self.assertEqual((result.exit, [row.group for row in result.rows if row.label == "y"]), (0, [2]), str(result))
        bad = pl.verify(self.graph, lambda inputs: {"y": softmax(inputs["x"] @ self.w) * np.float32(1.001)})
        self.assertEqual(bad.exit, 1)

    def test_several_candidates_and_specs(self):
        results = pl.verify(self.graph, {"cpu": "cpu", "mine": self.mine, "host": pl.Cpu()})
        self.assertEqual({name: one.exit for name, one in results.items()}, {"cpu": 0, "mine": 0, "host": 0})
        alone = pl.verify(self.graph, self.mine)
        self.assertEqual([row.ratio for row in results["mine"].rows], [row.ratio for row in alone.rows])
        def broken(inputs):
            raise KeyError("mine")
        with self.assertRaisesRegex(KeyError, "mine"):
            pl.verify(self.graph, {"cpu": "cpu", "broken": broken, "mine": self.mine})
        with self.assertRaisesRegex(pl.Error, "no candidate"):
            pl.verify(self.graph, {})

    def test_values_as_they_are_stored(self):
        half = lambda inputs: {"y": softmax(inputs["x"] @ self.w).astype(np.float16)}
        result = pl.verify(self.graph, half, storage="observed")
        self.assertEqual(result.exit, 0, str(result))
        self.assertIn("judged as stored: 1 value in f16", str(result))
        with self.assertRaisesRegex(pl.Error, "storage: is graph or observed, got 'other'"):
            pl.verify(self.graph, half, storage="other")
        with self.assertRaisesRegex(pl.Error, "storage is an option of Candidate"):
            pl.verify(self.graph, pl.Cpu(), storage="observed")

    def test_profiles(self):
        measured = root / "docs/measurements/h200_profile.toml"
        self.assertEqual(pl.verify(self.graph, self.mine, profile=measured).exit, 0)
        x = floats(4, 8)
        self.assertTrue(pl.check("softmax", x, axis=-1, got=softmax(x), profile=measured).ok)
        with self.assertRaisesRegex(pl.Error, "absent.toml"):
            pl.verify(self.graph, self.mine, profile="absent.toml")
        told = []
        def stop(what, done, steps):
            told.append((what, done, steps))
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            pl.probe("cpu", self.graph, progress=stop)
        self.assertEqual(len(told), 1)
        with self.assertRaisesRegex(pl.Error, "a callback computes one graph"):
            pl.probe(self.mine)

    def test_knobs_and_devices(self):
        self.assertEqual(pl.verify(self.graph, pl.Cpu(threads=1)).exit, 0)
        with self.assertRaisesRegex(pl.Error, r"settings\[0\]: threads is a whole number from 0 to 4096, got '-1'"):
            pl.Cpu(threads=-1)
        with self.assertRaisesRegex(pl.Error, r"settings\[0\]: .*tilt"):
            pl.Vulkan(tilt=3)
        for device in pl.devices():
            self.assertTrue(device.name and device.uuid)
        self.assertGreaterEqual(pl.Cpu().compile(self.graph).bytes, 0)

    def test_what_a_candidate_must_not_do_is_a_verdict(self):
        cases = [(lambda inputs: {}, "gave nothing for 'y'"),
                 (lambda inputs: [1], "a dict of arrays"),
                 (lambda inputs: {"y": np.zeros((1, 3), np.float32)}, r"f32\[1, 3\]"),
                 (lambda inputs: {"y": np.zeros((4, 3), np.float16)}, r"f16\[4, 3\]"),
                 (lambda inputs: {"y": "words"}, "gave 'y' as str")]
        for candidate, words in cases:
            result = pl.verify(self.graph, candidate)
            self.assertEqual((result.exit, result.verdict), (1, "failed"), result.message)
            self.assertRegex(result.message, words)
        x = self.graph.feeds()["x"]
        stale = pl.verify(self.graph, lambda inputs: {"y": softmax(x @ self.w)}, seed=2)
        self.assertEqual(stale.exit, 1)

    def test_exceptions(self):
        class Mine(Exception):
            pass
        def broken(inputs):
            raise Mine("here")
        with self.assertRaisesRegex(Mine, "here"):
            pl.verify(self.graph, broken)
        def refuses(inputs):
            raise pl.Unsupported("no such shapes")
        result = pl.verify(self.graph, refuses)
        self.assertEqual((result.exit, result.verdict, result.message), (77, "unsupported", "no such shapes"))
        with self.assertRaises(pl.Unsupported):
            result.require()
        def stop(what, done, steps):
            raise KeyboardInterrupt
        with self.assertRaises(KeyboardInterrupt):
            pl.verify(self.graph, self.mine, progress=stop)

    def test_inputs_given_and_written_to(self):
        def writes(inputs):
            inputs["x"][0] = 0
            return {}
        with self.assertRaises(ValueError):  # NumPy's: it is read only
            pl.verify(self.graph, writes)
        x = floats(4, 8)
        seen = []
        pl.verify(self.graph, lambda inputs, wanted: seen.append(inputs["x"]) or self.mine(inputs, wanted),
                  inputs={"x": x})
        self.assertTrue((seen[0] == x).all())

    def test_an_object_is_told_the_model_and_what_is_wanted(self):
        test = self
        class Runtime:
            calls = []
            def describe(self):
                return {"name": "toy", "taps": "results"}
            def compile(self, model, wanted):
                self.calls.append((model, wanted))
            def run(self, inputs):
                return {"y": softmax(inputs["x"] @ test.w)}
        runtime = Runtime()
        self.assertTrue(pl.verify(self.graph, runtime).ok)
        self.assertEqual(runtime.calls[0], (self.graph, ["y"]))

    def test_a_model_of_onnx(self):
        path = root / "fixtures/networks/convnet/model.onnx"
        graph = pl.Graph.read(path)
        self.assertEqual([str(kind) for kind in graph.results.values()], ["f32[2, 10]"])
        result = pl.verify(path, "cpu")
        self.assertTrue(result.ok, str(result))
        row = next(row for row in result.rows if row.op == "conv")
        self.assertIn("--candidate cpu", row.repro)

    def test_a_table(self):
        result = pl.verify(self.graph, self.mine)
        self.assertIn("<table>", result._repr_html_())
        try:
            import pandas
        except ImportError:
            self.skipTest("no pandas (Debian: python3-pandas)")
        self.assertEqual(list(result.to_pandas()["label"]), ["h", "y"])


SWISH = {"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2, 3]"}}, "nodes": [
    {"label": "beta", "op": "constant", "dtype": "$x.dtype", "shape": [], "values": ["$beta"]},
    {"label": "scaled", "op": "binary", "function": "multiply", "inputs": ["x", "beta"]},
    {"label": "gate", "op": "unary", "function": "sigmoid", "inputs": ["scaled"]},
    {"label": "y", "op": "binary", "function": "multiply", "inputs": ["x", "gate"]}], "results": ["y"]}
CUBE = """#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer X { float x[]; };
layout(binding = 1, std430) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Push { uint count; };
void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i < count) y[i] = FACTOR * (x[i] * x[i] * x[i]);
}
"""


def shader(factor):
    def kernel(inputs, outputs):
        count = int(np.prod(outputs[0].shape))
        return {"glsl": CUBE.replace("FACTOR", factor), "groups": [(count + 63) // 64], "push": [count]}
    return kernel


def one_op(op, *shape):
    return pl.Graph.parse({"format": "plumb.graph/1", "inputs": {"x": {"type": f"f32{list(shape)}"}},
                           "nodes": [{"label": "y", "op": op, "inputs": ["x"]}], "results": ["y"]})


class OwnOpsTest(unittest.TestCase):
    def vulkan(self):
        try:
            return pl.Vulkan()
        except (pl.Unsupported, pl.DeviceError) as problem:
            self.skipTest(str(problem))

    def test_a_body_is_judged_on_both_executors_and_notices_a_fault(self):
        pl.register_op("python.swish2", inputs=["x"], attributes={"beta": 1.702}, body=SWISH)
        graph = one_op("python.swish2", 4, 9)
        x = floats(4, 9)
        y = (x / (1 + np.exp(-np.float32(1.702) * x))).astype(np.float32)
        self.assertTrue(pl.verify(graph, lambda inputs: {"y": y}, inputs={"x": x}, plain=False).ok)
        self.assertTrue(pl.check("python.swish2", x, beta=1.702, got=y).ok)
        y[1, 2] += 1e-5
        wrong = pl.verify(graph, lambda inputs: {"y": y}, inputs={"x": x}, plain=False)
        self.assertEqual((wrong.verdict, wrong.rows[0].op, wrong.rows[0].worst), ("failed", "python.swish2", 11))
        self.assertTrue(pl.verify(graph, pl.Cpu()).ok)
        self.assertTrue(pl.verify(graph, self.vulkan()).ok)

    def test_code_of_python_is_the_definition_on_both_executors(self):
        for name, factor in (("python.cube", "1.0"), ("python.faulty_cube", "1.00001")):
            pl.register_op(name, inputs=["x"], cpu=lambda x: x * x * x, gpu=shader(factor),
                           bounds=lambda inputs, outputs, unit: 2.01 * unit * np.abs(outputs[0]))
            self.assertTrue(pl.verify(one_op(name, 3, 7), pl.Cpu()).ok)
        x = floats(3, 7)
        self.assertTrue((pl.Cpu().run(one_op("python.cube", 3, 7), {"x": x})["y"] == x * x * x).all())
        result = pl.verify(one_op("python.cube", 3, 7), self.vulkan())
        self.assertTrue(result.ok, str(result))
        self.assertEqual(result.rows[0].kernel, "python.cube")
        self.assertEqual(pl.verify(one_op("python.faulty_cube", 3, 7), self.vulkan()).verdict, "failed")

    def test_onnx_models_have_it_by_domain_and_name(self):
        pl.register_op("python.twice", inputs=["x"], body={
            "format": "plumb.graph/1", "inputs": {"x": {"type": "f32[1]"}}, "results": ["y"],
            "nodes": [{"label": "y", "op": "binary", "function": "add", "inputs": ["x", "x"]}]})
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.onnx"
            path.write_bytes(one_node("python", "twice", (5, 33)))
            result = pl.verify(path, "cpu")
        self.assertEqual((result.verdict, result.rows[0].op), ("passed", "python.twice"))

    def test_mistakes_name_the_op(self):
        def gives_f64(x):
            return x.astype(np.float64) if x.dtype == np.float32 else x
        pl.register_op("python.wrong", inputs=["x"], cpu=gives_f64, error_class="exact")
        for message, act in (
                ("'swish' has no dot", lambda: pl.register_op("swish", inputs=["x"], cpu=gives_f64,
                                                               error_class="exact")),
                ("registered already", lambda: pl.register_op("python.wrong", inputs=["x"], cpu=gives_f64,
                                                              error_class="exact")),
                ("'$beta' is no attribute", lambda: pl.register_op("python.a", inputs=["x"], body=SWISH)),
                ("bounds must", lambda: pl.register_op("python.a", inputs=["x"], cpu=lambda x: x)),
                ("python.wrong: cpu Error: cpu gives float64[2], and f32[2] is wanted",
                 lambda: pl.Cpu().run(one_op("python.wrong", 2), {"x": floats(2)}))):
            with self.assertRaises(pl.Error) as refused:
                act()
            self.assertIn(message, str(refused.exception))


if __name__ == "__main__":
    unittest.main()
