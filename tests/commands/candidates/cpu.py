# A candidate of plumb.exec/1 around our CPU executor, by the package plumbline. It answers as many jobs at once as its
# first word says.
import json, os, sys
import numpy as np
import plumbline as pl

most_jobs, folder = int(sys.argv[1]), sys.argv[-1]
cpu = pl.Cpu()


def tensor(given):
    array = np.load(f"{folder}/{given['file']}")
    return pl.Bits16(array.view(np.uint16)) if given["dtype"] == "bf16" else array


def run(job):
    graph = pl.Graph.read(f"{folder}/{job['model']['plumb.graph/1']}")
    (given,) = job["runs"]
    wanted = [one["name"] for one in job["wanted"]]
    results = cpu.run(graph, {one["name"]: tensor(one) for one in given["inputs"]}, wanted)
    values = []
    for k, wanted in enumerate(job["wanted"]):
        array = results[wanted["name"]]
        file = f"out/{job['id']}_{k}.bin"
        with open(f"{folder}/{file}", "wb") as out:
            out.write((array.bits if isinstance(array, pl.Bits16) else np.ascontiguousarray(array)).tobytes())
        values.append({"name": wanted["name"], "dtype": wanted["dtype"], "shape": wanted["shape"], "file": file})
    return {"id": job["id"], "status": "ok", "runs": [{"values": values}]}


def answered(job):
    try:
        return run(job)
    except pl.Unsupported as reason:
        return {"id": job["id"], "status": "unsupported", "message": str(reason)}


with open(f"{folder}/request.json") as file:
    request = json.load(file)
answer = {"schema": "plumb.exec/1", "candidate": {"name": "cpu", "device": "host", "jobs": most_jobs}}
if request["action"] == "run":
    answer["jobs"] = [answered(job) for job in request["jobs"]]
with open(f"{folder}/response.part", "w") as file:
    json.dump(answer, file)
os.rename(f"{folder}/response.part", f"{folder}/response.json")
