"""Buffers and contexts of the package: residency_test.py SOURCE_FOLDER LIBRARY

The graph is the decoder's step that C's tests have, too. Truths are runs through the host, whose bits must come out.
"""
import gc
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

root = pathlib.Path(sys.argv[1]).resolve()
os.environ["PLUMBLINE_LIBRARY"] = sys.argv[2]
sys.path.insert(0, str(root / "python"))
os.environ["PYTHONPATH"] = str(root / "python")
del sys.argv[1:]
try:
    import numpy as np
except ImportError:
    print("no NumPy (Debian: python3-numpy)")
    sys.exit(77)
import plumbline as pl

# As docs/python.md shows it.
SHOWN = '''\
weights = executor.params({"wq": wq, "wk": wk, "wo": wo})    # uploaded once, for any number of graphs
cx = executor.compile(graph, weights).context()              # the memory of one run
cx.feed("new_cache", "cache")                                # each run reads the cache that the last one made
cx.buffer("cache")[:, :, :3] = prompt                        # where it starts; else zeros
for at in range(3, 8):
    cx.submit({"token": token, "write_at": [at], "kv_lengths": [at + 1]}).wait()
    row = cx.buffer("logits")[0]                             # this row comes back, and the cache stays
    token = embed(row.argmax())
'''
STEPS, HEADS, ROWS, HEAD, WIDTH, WORDS = 6, 2, 16, 4, 8, 5
random = np.random.default_rng(7)


def floats(*shape):
    return random.standard_normal(shape).astype(np.float32)


def same(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def rest(at, token):
    return {"token": token, "write_at": np.array([at]), "kv_lengths": np.array([at + 1])}


def vulkan(test):
    try:
        return pl.Vulkan()
    except pl.Unsupported as problem:
        test.skipTest(str(problem))


class Decoder(unittest.TestCase):
    def setUp(self):
        self.graph = pl.Graph.read(root / "tests/library/abi/decoder.json")
        self.weights = {"wq": floats(WIDTH, WIDTH), "wk": floats(WIDTH, WIDTH), "wo": floats(WIDTH, WORDS)}
        self.start = floats(1, HEADS, ROWS, HEAD)

    def context(self, executor, wanted=None):
        return executor.compile(self.graph, executor.params(self.weights), wanted).context()

    def expect_fed_steps_equal_run(self, executor):
        by_host = executor.compile(self.graph, self.weights)
        cx = self.context(executor)
        cx.feed("new_cache", "cache")
        self.assertEqual(cx.how("new_cache"), "in place")
        cx.buffer("cache")[...] = self.start
        cache = self.start
        for at in range(STEPS):
            inputs = rest(at, floats(1, WIDTH))
            made = by_host.run({**inputs, "cache": cache})
            cache = made["new_cache"]
            fence = cx.submit(inputs)
            self.assertTrue(fence.wait(600))
            self.assertTrue(fence.ready())
            self.assertTrue(fence.wait())
            self.assertTrue(same(cx.buffer("logits")[0:1], made["logits"]))
            self.assertTrue(same(cx.buffer("cache")[0, :, at], cache[0, :, at]))
            self.assertEqual(cx.traffic(), (WIDTH * 4 + 2 * 8, WORDS * 4 + HEADS * HEAD * 4))
        self.assertTrue(same(cx.buffer("new_cache")[...], cache))

    def expect_bound_steps_equal_run(self, executor):
        by_host = executor.compile(self.graph, self.weights)
        cx, other = self.context(executor), self.context(executor)
        buffer = executor.buffer(f"f32[1, {HEADS}, {ROWS}, {HEAD}]")
        self.assertFalse(buffer[...].any())
        for one in (cx, other):
            one.bind("cache", buffer)
            one.bind_result("new_cache", buffer)
        cache = np.zeros_like(self.start)
        for at in range(STEPS):
            inputs = rest(at, floats(1, WIDTH))
            made = by_host.run({**inputs, "cache": cache})
            cache = made["new_cache"]
            turn = (cx, other)[at % 2]
            turn.submit(inputs).wait()
            self.assertTrue(same(turn.buffer("logits")[...], made["logits"]))
        self.assertTrue(same(buffer[...], cache))

    def test_steps_on_the_cpu_have_the_bits_of_run(self):
        self.expect_fed_steps_equal_run(pl.Cpu())
        self.expect_bound_steps_equal_run(pl.Cpu(threads=1))
        self.assertFalse(self.context(pl.Cpu()).blocks())

    def test_steps_on_a_device_have_the_bits_of_run(self):
        self.expect_fed_steps_equal_run(vulkan(self))
        self.expect_bound_steps_equal_run(vulkan(self))

    def test_the_page_shows_steps_that_run(self):
        self.assertIn(SHOWN, (root / "docs/python.md").read_text(encoding="utf-8"))
        tokens = floats(WORDS, 1, WIDTH)
        at_once = dict(self.weights, executor=pl.Cpu(), graph=self.graph, prompt=self.start[:, :, :3],
                       token=tokens[0], embed=lambda word: tokens[word])
        exec(SHOWN, at_once)
        by_host = pl.Cpu().compile(self.graph, self.weights)
        cache, token = np.zeros_like(self.start), tokens[0]
        cache[:, :, :3] = self.start[:, :, :3]
        for at in range(3, 8):
            made = by_host.run({**rest(at, token), "cache": cache})
            cache, token = made["new_cache"], tokens[made["logits"][0].argmax()]
        self.assertTrue(same(at_once["row"], made["logits"][0]))
        self.assertEqual(at_once["cx"].traffic().down, 20)

    def expect_replaced_params_equal_compiled_ones(self, executor):
        other = {**self.weights, "wo": floats(WIDTH, WORDS)}
        inputs = {**rest(0, floats(1, WIDTH)), "cache": self.start}
        weights = executor.params(self.weights)
        cx = executor.compile(self.graph, weights, replaceable=["wo"]).context()
        before = cx.submit(inputs)
        weights["wo"] = other["wo"]
        before.wait()
        cx.submit(inputs).wait()
        fresh = executor.compile(self.graph, executor.params(other), replaceable=["*"]).run(inputs)
        self.assertTrue(same(cx.buffer("logits")[...], fresh["logits"]))
        with self.assertRaisesRegex(pl.Error, "param 'wq' stays as it is"):
            weights["wq"] = other["wq"]
        with self.assertRaisesRegex(pl.Error, r"those of params\(\.\.\.\)"):
            executor.compile(self.graph, self.weights, replaceable=["*"])

    def test_params_are_replaced_on_the_cpu(self):
        self.expect_replaced_params_equal_compiled_ones(pl.Cpu())

    def test_params_are_replaced_on_a_device(self):
        self.expect_replaced_params_equal_compiled_ones(vulkan(self))

    def test_the_example_keeps_its_state_where_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            run = lambda *words: subprocess.run([sys.executable, "-B", *map(str, words)], capture_output=True,
                                                text=True)
            self.assertEqual(run(root / "tests/install/small_voice.py", folder).returncode, 0)
            file = (pathlib.Path(folder) / "samples.safetensors").read_bytes()
            samples = np.frombuffer(file, "<f4", offset=8 + int.from_bytes(file[:8], "little"))
            np.savez(pathlib.Path(folder) / "samples.npz", samples=samples)
            for executor in ("cpu", "vulkan"):
                said = run(root / "docs/example/voice.py", f"{folder}/model.onnx", f"{folder}/samples.npz", executor)
                if executor == "vulkan" and said.returncode == 77:
                    continue
                self.assertEqual(said.stdout, "10 chunks, 6 of them speech; state: swap; 2304 bytes up and 4 down a "
                                 "chunk\nthrough the host: equal bits\n", said.stderr)
                self.assertEqual(said.returncode, 0)

    def test_a_refused_index_is_the_fences_error(self):
        cx = self.context(pl.Cpu())
        cx.feed("new_cache", "cache")
        fence = cx.submit(rest(ROWS, floats(1, WIDTH)) | {"kv_lengths": np.array([1])})
        with self.assertRaisesRegex(pl.Error, "new_cache"):
            fence.wait()
        self.assertTrue(cx.submit(rest(0, floats(1, WIDTH))).wait())

    def expect_handles_to_live_as_long_as_they_are_needed(self, executor_of):
        executor = executor_of()
        inputs = rest(0, floats(1, WIDTH))
        expected = executor.run(self.graph, {**self.weights, **inputs, "cache": self.start})
        cx = self.context(executor)
        cx.feed("new_cache", "cache")
        cx.buffer("cache")[...] = self.start
        weight = executor.params(self.weights)["wo"]
        del executor
        gc.collect()
        fence = cx.submit(inputs)
        logits = cx.buffer("logits")
        del cx
        gc.collect()
        fence.wait()
        self.assertTrue(same(logits[...], expected["logits"]))
        self.assertTrue(same(weight[...], self.weights["wo"]))

    def test_handles_live_as_long_as_they_are_needed_on_the_cpu(self):
        self.expect_handles_to_live_as_long_as_they_are_needed(pl.Cpu)

    def test_handles_live_as_long_as_they_are_needed_on_a_device(self):
        self.expect_handles_to_live_as_long_as_they_are_needed(lambda: vulkan(self))

    def test_a_second_thread_in_a_call_is_refused(self):
        inside, done = threading.Event(), threading.Event()
        waits = []
        def slow(x):
            if waits:
                inside.set()
                done.wait(60)
            return x * 1
        pl.register_op("python.slow", inputs=["x"], cpu=slow, error_class="exact")
        graph = pl.Graph.parse({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[3]"}}, "results": ["y"],
                                "nodes": [{"label": "y", "op": "python.slow", "inputs": ["x"]}]})
        cx = pl.Cpu().compile(graph).context()
        waits.append(True)
        x = floats(3)
        first = threading.Thread(target=lambda: cx.submit({"x": x}))
        first.start()
        try:
            self.assertTrue(inside.wait(60))
            with self.assertRaisesRegex(pl.Error, "by two threads at once"):
                cx.submit({"x": x})
        finally:
            done.set()
            first.join()
        self.assertTrue(same(cx.buffer("y")[...], x))


class BufferTest(unittest.TestCase):
    def setUp(self):
        self.cpu = pl.Cpu()

    def filled(self, array, kind):
        buffer = self.cpu.buffer(kind)
        buffer[...] = array
        return buffer

    def test_indices_mean_what_they_mean_to_numpy(self):
        x = floats(4, 5, 6)
        buffer = self.filled(x, "f32[4, 5, 6]")
        self.assertEqual(str(buffer.type), "f32[4, 5, 6]")
        for index in (..., 0, -1, (1, 2), (1, 2, 3), slice(0, 1), slice(-3, -1), slice(2, 99), slice(3, 1), (..., 2),
                      (slice(1, 3), ..., slice(None, 4)), (slice(None), np.int64(4)), ()):
            self.assertTrue(same(buffer[index], np.asarray(x[index])), index)
            target, value = x.copy(), np.full_like(x[index], 7)
            target[index] = value
            written = self.filled(x, "f32[4, 5, 6]")
            written[index] = value
            self.assertTrue(same(written[...], target), index)
        self.assertTrue(same(np.stack(list(buffer)), x))
        self.assertEqual(self.filled(np.float32(3), "f32[]")[...], 3)

    def test_dtypes(self):
        for dtype, name in ((np.bool_, "bool"), (np.int8, "i8"), (np.int64, "i64"), (np.float16, "f16"),
                            (np.float64, "f64"), (np.complex64, "c64")):
            x = np.array([[1, 0, 1], [0, 1, 1]], dtype)
            self.assertTrue(same(self.filled(x, pl.Type(name, (2, 3)))[1, 1:], x[1, 1:]), name)
        bits = np.arange(6, dtype=np.uint16).reshape(2, 3)
        buffer = self.filled(pl.Bits16(bits), "bf16[2, 3]")
        buffer[0] = pl.Bits16(bits[1])
        got = buffer[0]
        self.assertTrue(same(got.bits if isinstance(got, pl.Bits16) else got.view(np.uint16), bits[1]))

    def test_copies_and_mapped_memory(self):
        x = floats(4, 6)
        source, target = self.filled(x, "f32[4, 6]"), self.cpu.buffer("f32[6, 6]")
        target.copy_from(source, np.s_[1:3, 2:], np.s_[4:, :4])
        expected = np.zeros((6, 6), np.float32)
        expected[4:, :4] = x[1:3, 2:]
        self.assertTrue(same(target[...], expected))
        memory = target.mapped()
        memory[0, 0] = 9
        self.assertEqual(target[0, 0], 9)
        del target
        gc.collect()
        self.assertEqual((memory[0, 0], memory[4, 0]), (9, x[1, 2]))
        self.assertEqual(self.cpu.buffer("f32[0, 3]").mapped().shape, (0, 3))

    def test_mistakes_name_what_and_where(self):
        x, graph = floats(3, 5), pl.Graph.read(root / "tests/library/abi/decoder.json")
        buffer = self.filled(x, "f32[3, 5]")
        params = self.cpu.params(graph.feeds())
        cx = self.cpu.compile(graph, params).context()
        def write(index, value):
            buffer[index] = value
        for words, mistake in (
                (r"a buffer is written as f32\[1, 5\], and was given f32\[4\]", lambda: write(0, floats(4))),
                (r"a buffer is written as f32\[3, 5\], and was given f64\[3, 5\]",
                 lambda: write(..., x.astype(np.float64))),
                ("ints and slices in steps of 1, got slice", lambda: buffer[::2]),
                (r"ints and slices in steps of 1, got \[0, 1\]", lambda: buffer[[0, 1]]),
                ("a type is like", lambda: self.cpu.buffer("f32")),
                ("boxes meet", lambda: buffer.copy_from(buffer, np.s_[:2], np.s_[1:])),
                ("a Buffer is wanted, got ndarray", lambda: cx.bind("cache", x)),
                ("no value 'cahce'; did you mean cache", lambda: cx.bind("cahce", buffer)),
                (r"input 'cache' is f32\[1, 2, 16, 4\], and was given a buffer", lambda: cx.bind("cache", buffer)),
                ("'seen' is no result", lambda: cx.feed("seen", "cache")),
                ("'seen' is neither an input nor a result", lambda: cx.buffer("seen")),
                ("'logits' is fed to no input", lambda: cx.how("logits")),
                ("'tokens' was given, and is no input of the graph; did you mean token",
                 lambda: cx.submit({"tokens": x})),
                ("input 'token' was not fed", lambda: cx.submit()),
                ("there is no param 'w'", lambda: params["w"]),
                ("param 'wq' is not written", lambda: params["wq"].mapped()),
                ("param 'wk' was not fed", lambda: self.cpu.compile(graph, self.cpu.params({"wq": floats(8, 8)})))):
            with self.assertRaisesRegex(pl.Error, words):
                mistake()
        for index in (3, (0, 0, 0), (..., ...)):
            with self.assertRaisesRegex(IndexError, r"a buffer of f32\[3, 5\] has no"):
                buffer[index]
        self.assertTrue(same(buffer[...], x))
        with self.assertRaisesRegex(pl.Unsupported, "has no contexts"):
            pl.executors.executor_of(lambda inputs: {}, graph).compile(graph).context()

    def test_executors_keep_their_memory_apart(self):
        device = vulkan(self)
        with self.assertRaisesRegex(pl.Error, "are of two executors"):
            self.cpu.buffer("f32[3]").copy_from(device.buffer("f32[3]"))


if __name__ == "__main__":
    unittest.main()
