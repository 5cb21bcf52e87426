#!/usr/bin/env python3
"""The candidate onnxruntime: around which something is wrapped: as a program, it runs another model in place of yours.

    plumb verify m.onnx --candidate 'exec:scripts/onnxruntime_wrapper.py HOST PLUGIN.so LIB[,KEY=VALUE].. OTHER.onnx'

HOST is libexec/plumbline/candidate-host, PLUGIN.so lib/plumbline/candidates/onnxruntime.so. OTHER.onnx has inputs and
values by the names of m.onnx, as a model that was changed on purpose has.
"""
import json
import os
import pathlib
import sys


def main():
    host, plugin, library, other, folder = sys.argv[1:]
    path = pathlib.Path(folder) / "request.json"
    request = json.loads(path.read_text())
    for job in request.get("jobs", []):
        job["model"]["onnx"] = str(pathlib.Path(other).resolve())
    path.write_text(json.dumps(request))
    os.execv(host, [host, "plugin", f"{plugin}:{library}", folder])


if __name__ == "__main__":
    main()
