"""A candidate in NumPy: plumb verify graph.json --candidate 'exec:python3 docs/example/numpy_candidate.py'"""
import json, os, sys
import numpy as np


def softmax(node, x):
    e = np.exp(x - x.max(axis=node.get("axis", -1), keepdims=True))
    return e / e.sum(axis=node.get("axis", -1), keepdims=True)


def matmul(node, a, b):
    return np.matmul(a.swapaxes(-1, -2) if node.get("transpose_a") else a,
                     b.swapaxes(-1, -2) if node.get("transpose_b") else b)


KNOWN = {("unary", "relu"): lambda node, x: np.maximum(x, 0), ("binary", "add"): lambda node, a, b: a + b,
         ("matmul", ""): matmul, ("softmax", ""): softmax}
DTYPES = {"f32": np.float32, "f64": np.float64}


def run(folder, job):
    values = {i["name"]: np.load(f"{folder}/{i['file']}") for i in job["runs"][0]["inputs"]}
    for node in json.load(open(f"{folder}/{job['model']['plumb.graph/1']}"))["nodes"]:
        compute = KNOWN.get((node["op"], node.get("function", "")))
        if compute is None or "output_dtype" in node:
            raise NotImplementedError(f"{node['label']}: no {node['op']} {node.get('function', '')} here")
        values[node["label"]] = compute(node, *(values[name] for name in node["inputs"]))
    answers = []
    for k, wanted in enumerate(w for w in job["wanted"] if w["name"] in values):
        if wanted["dtype"] not in DTYPES:
            raise NotImplementedError(f"{wanted['name']}: no {wanted['dtype']} here")
        value = np.asarray(values[wanted["name"]], DTYPES[wanted["dtype"]], order="C")
        np.save(f"{folder}/out/{k}.npy", value)
        answers.append({"name": wanted["name"], "dtype": wanted["dtype"], "shape": value.shape, "file": f"out/{k}.npy"})
    return [{"values": answers}]


folder = sys.argv[-1]
request = json.load(open(f"{folder}/request.json"))
answer = {"schema": "plumb.exec/1", "jobs": [],
          "candidate": {"name": "numpy", "version": np.__version__, "device": "cpu", "models": ["plumb.graph/1"]}}
for job in request.get("jobs", []):
    try:
        answer["jobs"].append({"id": job["id"], "status": "ok", "runs": run(folder, job)})
    except NotImplementedError as refusal:
        answer["jobs"].append({"id": job["id"], "status": "unsupported", "message": str(refusal).strip()})
json.dump(answer, open(f"{folder}/response.part", "w"))
os.rename(f"{folder}/response.part", f"{folder}/response.json")
