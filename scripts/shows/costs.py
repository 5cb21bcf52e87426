"""Shows of what things cost, by the clock: the fastest of several runs. They say nothing on a busy machine."""
import pathlib
import shutil
import sys

from shows.context import ROOT, Skipped

SOFTMAX = ("check", "--op", "softmax", "--attr", "axis=-1", "--in", "f32[8,33]", "-q")
BERT_BASE = ROOT / "fixtures/graphs/bert_base.json"
# What `plumb::library::check` takes beside a plain run in f64, on 2^20 elements.


def within(c, name, best, most):
    c.require(best <= most, f"{name}: {best:.3f}, at most {most} is wanted")
    return f"{name} {best:.3f}"


def python(c, code, *paths):
    done = c.run(pathlib.Path(sys.executable), "-c", code, *paths)
    c.require(done.code == 0, "a program of Python", done)
    return done.said.strip()


def per_check(c, runs, spec):
    """Seconds that a check more costs: the difference between 12 and 4 of one shape's seeds, by their number."""
    times = {}
    for seeds in (4, 12):
        times[seeds] = c.fastest(runs, *SOFTMAX, "--seeds", seeds, "--candidate", spec)
    return (times[12] - times[4]) / 8, times[4]


def b4(c):
    """`check` of 2^20 elements beside the op's own run in f64, by Python, which calls C++."""
    code = '''
import sys, time
import numpy as np
import plumbline as pl
made = []
for op, attributes in (("unary", {"function": "exp"}), ("softmax", {"axis": -1}), ("layer_norm", {"axis": -1})):
    random = np.random.default_rng(1)
    operands = [random.standard_normal((1024, 1024)).astype(np.float32)]
    if op == "layer_norm":
        operands += [random.standard_normal(1024).astype(np.float32) for _ in range(2)]
    names = [f"x{i}" for i in range(len(operands))]
    def graph(dtype):
        return pl.Graph.of(op, *(f"{dtype}{list(x.shape)}" for x in operands), **attributes)
    cpu = pl.Cpu(threads=2)
    def best(act, runs=5):
        times = []
        for _ in range(runs):
            start = time.perf_counter()
            act()
            times.append(time.perf_counter() - start)
        return min(times)
    y = cpu.run(graph("f32"), dict(zip(names, operands)))["y"]
    wide = cpu.compile(graph("f64"))
    widened = {name: x.astype(np.float64) for name, x in zip(names, operands)}
    run = best(lambda: wide.run(widened))
    check = best(lambda: pl.check(op, *operands, got=y, threads=2, attributes=attributes))
    made.append((op, check, run))
    print(op, check, run)
'''
    told = []
    for line in python(c, code).splitlines():
        op, check, run = line.split()
        check, run = float(check), float(run)
        most = 4 * run + 0.1
        c.require(check <= most, f"{op}: check {check:.3f} s, four f64 runs and 0.1 s are {most:.3f} s")
        told.append(f"{op} {check:.3f} s, run in f64 {run:.3f} s")
    return "; ".join(told)


def b5(c):
    """What one check more costs by a function of a library, and of Python."""
    tvm, _ = per_check(c, c.runs, f"tvmffi:{c.softmax()}::softmax")
    py, whole = per_check(c, c.runs, f"py:{ROOT}/fixtures/attacks/cheats.py::softmax")
    return "; ".join((within(c, "tvmffi, s a check", tvm, 0.03), within(c, "py, s a check", py, 1),
                      f"four checks by py {whole:.2f} s"))


def c2(c):
    """A program that answers at once: what its exchange costs beside what it takes itself, and bert_base's values."""
    graph = ROOT / "fixtures/graphs/bert_tiny.json"
    program = f"exec:{sys.executable} {ROOT}/tests/commands/candidates/cpu.py 1"
    words = ("verify", graph, "-q", "--no-plain-run", "--candidate")
    alone = c.fastest(c.runs, *words, "cpu")
    with_it = c.fastest(c.runs, *words, program)
    kept = c.folder / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    c.require(c.run(*words, program, "--keep-exchange", kept).code == 0, "an exchange is kept")
    child = 0.0  # the same requests, answered again
    for folder in sorted(path.parent for path in kept.rglob("request.json")):
        command = [pathlib.Path(sys.executable), ROOT / "tests/commands/candidates/cpu.py", 1, folder]
        child += c.fastest(c.runs, *command)
    told = within(c, f"exec beside {child:.2f} s of its child, s", with_it - alone - child, 0.1)
    if not c.has_device():
        return told + "; bert_base: skipped, there is no device"
    ours = c.fastest(1, "verify", BERT_BASE, "-q")
    theirs = c.fastest(1, "verify", BERT_BASE, "-q", "--candidate", program, timeout=3600)
    return told + "; " + within(c, "bert_base by exec, of vulkan's time", theirs / ours, 1.5)


def d4(c):
    """A plugin, a case."""
    graph = ROOT / "tests/commands/graphs/scores.json"
    times = {}
    for spec in ("cpu", f"plugin:{c.cpu()}"):
        few, many = (c.fastest(c.runs, "verify", graph, "-q", "--seeds", seeds, "--candidate", spec)
                     for seeds in (4, 24))
        times[spec] = (many - few) / 20
    one, two = times.values()
    return within(c, "a plugin's case beside one of cpu's, s", two - one, 0.05)


def j1(c):
    """Importing the package, with NumPy and without, and what it adds to pytest's collection."""
    timed = "import time\nstart = time.perf_counter()\nimport plumbline\n{more}\nprint(time.perf_counter() - start)"
    alone = min(float(python(c, timed.format(more=""))) for _ in range(c.runs * 2))
    whole = min(float(python(c, timed.format(more="import numpy\nplumbline.check; plumbline.Cpu()")))
                for _ in range(c.runs * 2))
    told = [within(c, "without NumPy, s", alone, 0.03), within(c, "with it, s", whole, 0.2)]
    folder = c.folder / "collected"
    folder.mkdir(exist_ok=True)
    (folder / "test_one.py").write_text("def test_one():\n    pass\n")
    python3 = pathlib.Path(sys.executable)
    if c.run(python3, "-m", "pytest", "--version").code != 0:
        raise Skipped("there is no pytest: " + "; ".join(told))
    plain, plugged = [], []
    for _ in range(c.runs * 3):
        for times, more in ((plain, ()), (plugged, ("-p", "plumbline.pytest_plugin"))):
            done = c.run(python3, "-m", "pytest", "--co", "-q", "-p", "no:cacheprovider", *more, cwd=folder)
            c.require(done.code == 0, "pytest --co", done)
            times.append(done.seconds)
    return "; ".join((*told, within(c, "added to pytest --co, s", min(plugged) - min(plain), 0.01)))


def j3(c):
    """Python's part of check, and a result of 64 MiB that is not copied."""
    code = '''
import time, tracemalloc
import numpy as np
import plumbline as pl
from plumbline import arrays
x = np.float32([[1, 2, 3]])
e = np.exp(x - 3, dtype=np.float32); y = e / e.sum()
pl.check("softmax", x, axis=-1, got=y)
C = pl.native.lib().plumb_check
inside = []
def timed(*words):
    start = time.perf_counter()
    try:
        return C(*words)
    finally:
        inside.append(time.perf_counter() - start)
pl.native.lib().plumb_check = timed
whole = []
for _ in range(50):
    start = time.perf_counter()
    pl.check("softmax", x, axis=-1, got=y)
    whole.append(time.perf_counter() - start)
print(min(w - i for w, i in zip(whole, inside)))
big = np.zeros(1 << 24, np.float32)
given = arrays.Tensors([big])
print(int(given.pointer()[0].data == big.ctypes.data))
executable = pl.Cpu().compile(pl.Graph.of("unary", "f32[16777216]", function="negate"))
tracemalloc.start()
made = executable.run({"x0": big})["y"]
print(tracemalloc.get_traced_memory()[1] >> 20, made.nbytes >> 20)
'''
    lines = python(c, code).splitlines()
    c.require(lines[1] == "1", "an operand of 64 MiB is copied by Python")
    peak, size = map(int, lines[2].split())
    c.require(size == 64 and peak <= 66, f"a result of {size} MiB takes {peak} MiB of Python's memory")
    told = within(c, "check beside C, s", float(lines[0]), 0.01)
    return f"{told}; a result of {size} MiB takes {peak} MiB of Python's"


SHOWS = {"B4": b4, "B5": b5, "C2": c2, "D4": d4, "J1": j1, "J3": j3}
