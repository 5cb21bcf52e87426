"""ONNX Runtime, by its package for Python, as a candidate:

    plumb verify model.onnx --candidate 'exec:python3 docs/example/onnxruntime_candidate.py'

Needs the packages onnxruntime and onnx, and a model in one file.
"""
import json
import os
import sys

import numpy as np
import onnxruntime

import dump_onnxruntime

DTYPES = {"bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint32": "u32",
          "float16": "f16", "float32": "f32", "float64": "f64"}
CANDIDATE = {"name": "onnxruntime", "version": onnxruntime.__version__, "device": dump_onnxruntime.PROVIDERS[0],
             "models": ["onnx"], "taps": ["results", "surviving", "all"]}


def answer(folder, wanted, values):
    """Saves those values that are wanted, by any of their names."""
    saved = []
    for value in wanted:
        name = next((name for name in [value["name"], *value.get("also", [])] if name in values), None)
        if name is None or str(values[name].dtype) not in DTYPES:
            continue  # it was fused away, or has a type that plumb lacks
        array, file = values[name], f"out/{len(saved)}.npy"
        np.save(f"{folder}/{file}", np.asarray(array, order="C"))
        saved.append({"name": name, "dtype": DTYPES[str(array.dtype)], "shape": array.shape, "file": file})
    return {"values": saved}


def do(folder, job):
    """One job's entry in the response."""
    if "onnx" not in job["model"]:
        return {"id": job["id"], "status": "unsupported", "message": "runs nothing but whole ONNX files as they are"}
    session, _ = dump_onnxruntime.watched(os.path.join(folder, job["model"]["onnx"]), job["taps"])
    runs = []
    for one in job["runs"]:
        inputs = {tensor["name"]: np.load(f"{folder}/{tensor['file']}") for tensor in one["inputs"]}
        runs.append(answer(folder, job["wanted"], dump_onnxruntime.run(session, inputs)))
    return {"id": job["id"], "status": "ok", "runs": runs}


def main(folder):
    with open(f"{folder}/request.json") as file:
        request = json.load(file)
    response = {"schema": "plumb.exec/1", "candidate": CANDIDATE}
    if request["action"] == "run":
        response["jobs"] = [do(folder, job) for job in request["jobs"]]
    with open(f"{folder}/response.part", "w") as file:
        json.dump(response, file)
    os.rename(f"{folder}/response.part", f"{folder}/response.json")


if __name__ == "__main__":
    main(sys.argv[-1])
