#!/usr/bin/env python3
"""Ops from outside, by a library and by a file: ops_test.py PLUMB OPS FAULTY_OPS SCRATCH [LAUNCHER...]

OPS and FAULTY_OPS are tests/library/toys/ops.c, the second with a fault in each shader.
"""
import json
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
from small_onnx import one_node

plumb, ops, faulty, scratch, *launcher = sys.argv[1:]
scratch = pathlib.Path(scratch)
shutil.rmtree(scratch, ignore_errors=True)
scratch.mkdir(parents=True)

# The file that docs/library.md shows.
page = (pathlib.Path(__file__).resolve().parents[2] / "docs/library.md").read_text(encoding="utf-8")
[shown] = [block for block in page.split("```json\n")[1:] if "plumb.ops/1" in block]
[SHOWN] = json.loads(shown.split("```")[0])["ops"]
SWISH, SCHEMA = SHOWN["body"], SHOWN["schema"]


def run(code, *words):
    """What plumb says, which ends with this code."""
    done = subprocess.run([*launcher, plumb, *map(str, words)], cwd=scratch, text=True, capture_output=True)
    if done.returncode == 77 and code != 77 and not launcher:
        print(done.stderr)
        sys.exit(77)
    assert done.returncode == code, f"{words}: exit {done.returncode}, wanted {code}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr


def write(name, content):
    (scratch / name).write_text(json.dumps(content), encoding="utf-8")
    return name


def rows(report):
    [case] = json.loads((scratch / report).read_text(encoding="utf-8"))["cases"]
    return {row["node"]: row for row in case["nodes"]}


def says(text, *words):
    for word in words:
        assert word in text, f"wanted '{word}' in:\n{text}"


def graph(*nodes, results=("y",)):
    return {"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[5, 33]"}}, "nodes": list(nodes),
            "results": list(results)}


swish = {"label": "h", "op": "acme.swish2", "inputs": ["x"]}
cube = {"label": "y", "op": "acme.cube", "inputs": ["h"], "beta": 0.75}
both = write("both.json", graph(swish, cube))

# K1: verified on both executors, in `plumb ops` and in results files; a fault is noticed.
said = run(0, "verify", both, "--ops", ops, "--json", "r.json", "-o", "r.h5", "--require-verified")
made = rows("r.json")
assert made["h"]["op"] == "acme.swish2" and made["h"]["group"] == 4, made["h"]
assert made["y"]["op"] == "acme.cube" and made["y"]["kernel"] == "acme.cube", made["y"]
says(said, "acme.cube is what its author's code makes of it")
run(0, "verify", both, "--ops", ops, "--candidate", "cpu")
run(0, "verify", both, "--ops", ops, "--no-fuse")
run(1, "verify", both, "--ops", faulty, "--json", "f.json")
assert {label for label, row in rows("f.json").items() if row["verdict"] == "failed"} == {"h", "y"}
says(run(0, "inspect", "r.h5", "--ops", ops), "acme.swish2", "acme.cube")
assert b"acme.swish2" in (scratch / "r.h5").read_bytes(), "who does not have the op can read its name"
run(0, "judge", "r.h5", "--ops", ops)
says(run(0, "ops", "--ops", ops), "acme.swish2", "acme.cube", "a scaled cube")
says(run(0, "ops", "acme.cube", "--ops", ops), "y = beta x^3", "attribute `beta`: real = 1.5: the factor")
[listed] = [one for one in json.loads(run(0, "ops", "--json", "--ops", ops)) if one["op"] == "acme.cube"]
assert listed["inputs"][0]["name"] == "x" and listed["attributes"][0]["default"] == 1.5, listed
assert listed["ref_cpu"] and listed["gpu_vulkan"] and listed["error_class"] == "comp", listed
(scratch / "m.onnx").write_bytes(one_node("acme", "swish2", (5, 33)))
run(0, "verify", "m.onnx", "--ops", ops, "--json", "o.json")
assert rows("o.json")["y"]["op"] == "acme.swish2"
says(run(77, "verify", "m.onnx"), "swish2")
run(0, "check", "--op", "acme.swish2", "--ops", ops, "--in", "f32[3,5]")

says(run(0, "check", "--op", "acme.cube", "--ops", ops), "12 checks passed")

# A file of ops needs no compiler.
swish_file = write("swish.json", {"format": "plumb.ops/1", "ops": [SHOWN]})
alone = write("alone.json", graph(dict(swish, label="y", beta=2.5)))
run(0, "verify", alone, "--ops", swish_file)

# K2: by what somebody else shows of the results alone, the op is judged as the written-out graph in every digit.
nodes = json.loads(json.dumps(SWISH["nodes"]).replace('"$x.dtype"', '"f32"').replace('"$beta"', "2.5"))
written = write("written.json", graph(*nodes))
run(0, "run", alone, "--ops", swish_file, "--on", "cpu", "--save-inputs", "in.npz", "-o", "out.npz")
for name, *flags in ((alone, "--ops", swish_file), (written,)):
    run(0, "verify", name, *flags, "--candidate", "file:out.npz", "--load-inputs", "in.npz", "--json", name + ".r")
numbers = [{key: rows(name + ".r")["y"][key] for key in ("group", "local", "allowed") if key in rows(name + ".r")["y"]}
           for name in (alone, written)]
assert numbers[0] == numbers[1] and numbers[0]["group"] == 4, numbers

# K3, and the rules of L for libraries: one error that names it, exit 2.
says(run(2, "verify", both), "acme.swish2")
says(run(2, "verify", both, "--ops", ops, "--ops", ops), "'acme.cube' is registered already")
past = write("past.json", graph({"label": "y", "op": "acme.too_far", "inputs": ["x"]}))
says(run(2, "verify", past, "--ops", ops, "--candidate", "cpu"), "acme.too_far: cpu writes outside of result 0")
for change, words in (
        ({"name": "swish2"}, "'swish2' has no dot"),
        ({"schema": dict(SCHEMA, tier=1)}, "its schema: has no field 'tier'"),
        ({"body": dict(SWISH, results=["x", "y"])}, "its body has 2 results"),
        ({"code": "x"}, "has no field 'code'")):
    one = {"name": "acme.swish2", "schema": SCHEMA, "body": SWISH, **change}
    says(run(2, "verify", alone, "--ops", write("wrong.json", {"format": "plumb.ops/1", "ops": [one]})), words)
copy = scratch / "copy.so"
shutil.copy(ops, copy)
says(run(2, "ops", "--ops", "copy.so"), "is not searched for")
copy.chmod(0o777)
says(run(2, "ops", "--ops", copy), "everybody may write to it")
copy.write_text("no library")
copy.chmod(0o755)
says(run(2, "ops", "--ops", copy), "cannot be loaded")
print("ops from outside: all as they should be")
