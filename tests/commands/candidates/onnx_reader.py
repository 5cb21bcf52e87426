"""A candidate that takes ONNX models alone and has plumb itself read and compute them on the host, as another program
would: onnx_reader.py PLUMB DIR"""
import json
import os
import subprocess
import sys
import zipfile

plumb, folder = sys.argv[1:]
with open(f"{folder}/request.json") as file:
    request = json.load(file)
candidate = {"name": "reader", "models": ["onnx"], "taps": ["results", "surviving"], "subnormals": "kept"}


def run(job):
    """Every value that is wanted and still there once the model is read."""
    inputs, outputs = f"{folder}/inputs.npz", f"{folder}/outputs.npz"
    with zipfile.ZipFile(inputs, "w") as archive:
        for one in job["runs"][0]["inputs"]:
            if not one.get("param"):
                archive.write(f"{folder}/{one['file']}", one["name"] + ".npy")
    subprocess.run([plumb, "dump", os.path.join(folder, job["model"]["onnx"]), "--from", "cpu", "--load-inputs", inputs,
                    "-o", outputs], check=True)
    values = []
    with zipfile.ZipFile(outputs) as archive:
        for one in job["wanted"]:
            entry = f"cpu/{one['name']}.npy"
            if entry in archive.namelist():
                one = {key: one[key] for key in ("name", "dtype", "shape")} | {"file": f"out/{len(values)}.npy"}
                with open(f"{folder}/{one['file']}", "wb") as file:
                    file.write(archive.read(entry))
                values.append(one)
    return {"id": job["id"], "status": "ok", "runs": [{"values": values}]}


response = {"schema": "plumb.exec/1", "candidate": candidate}
if request["action"] == "run":
    response["jobs"] = [run(job) for job in request["jobs"]]
with open(f"{folder}/response.part", "w") as file:
    json.dump(response, file)
os.rename(f"{folder}/response.part", f"{folder}/response.json")
