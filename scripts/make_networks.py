#!/usr/bin/env python3
"""Writes the networks of fixtures/networks: usage: make_networks.py FOLDER [NAME...]

Each is a PyTorch module of scripts/networks with random weights, exported by torch.onnx. What is expected of it is what
PyTorch gives for the same weights and inputs in float64; onnxruntime has to agree with that, or nothing is written.
Needs torch, onnx, onnxscript and onnxruntime: fixtures/networks/README.md says which versions made what is there.
"""

import copy
import importlib
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper

NAMES = "encoder decoder convnet unet window_attention experts conformer linear_attention".split()


def randomise(module):
    """A new module's norms scale by 1 and shift by 0, so that nobody would see them left out."""
    for parameter in module.parameters():
        if parameter.ndim == 1:
            parameter.data += 0.2 * torch.randn_like(parameter)
    for name, buffer in module.named_buffers():
        if name.endswith("running_mean"):
            buffer += 0.3 * torch.randn_like(buffer)
        if name.endswith("running_var"):
            buffer *= torch.exp(0.5 * torch.randn_like(buffer))


def in_f64(module, inputs):
    wide = [x.double() if x.is_floating_point() else x for x in inputs]
    outputs = copy.deepcopy(module).double()(*wide)
    return outputs if isinstance(outputs, tuple) else (outputs,)


def forget(part):
    """Exporters note where in which file each node comes from."""
    for field in ("doc_string", "metadata_props"):
        part.ClearField(field)


def export(module, inputs, outputs, options, file):
    names = {"input_names": [f"in{k}" for k in range(len(inputs))],
             "output_names": [f"out{k}" for k in range(len(outputs))]}
    if options["dynamo"]:
        options = options | {"external_data": False}
    torch.onnx.export(module, tuple(inputs), str(file), **names, **options)
    model = onnx.load(file)
    graph = model.graph
    graph.ClearField("value_info")
    for part in [model, graph, *graph.node, *graph.initializer, *graph.input, *graph.output]:
        forget(part)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, file)
    return model


def require_agreement(file, inputs, outputs):
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    feeds = {one.name: x.numpy() for one, x in zip(session.get_inputs(), inputs, strict=True)}
    errors = []
    for found, wanted in zip(session.run(None, feeds), outputs, strict=True):
        wanted = wanted.numpy()
        errors.append(np.max(np.abs(found - wanted)) / np.sqrt(np.mean(wanted**2)))
    worst = np.max(errors)
    if not worst <= 1e-4:
        raise RuntimeError(f"onnxruntime is {worst:.2g} of the rms away")
    return worst


def write_tensors(folder, file, name, tensors):
    for k, x in enumerate(tensors):
        array = x.float().numpy() if x.is_floating_point() else x.numpy()
        tensor = numpy_helper.from_array(array, f"{name}{k}")
        (folder / f"{file}_{k}.pb").write_bytes(tensor.SerializeToString())


def make(name, folder):
    torch.manual_seed(1)
    source = importlib.import_module(f"networks.{name}")
    module, inputs = source.network()
    randomise(module.eval())
    data = folder / name / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    file = folder / name / "model.onnx"
    with torch.no_grad():
        outputs = in_f64(module, inputs)
        model = export(module, inputs, outputs, source.EXPORT, file)
    worst = require_agreement(file, inputs, outputs)
    write_tensors(data, "input", "in", inputs)
    write_tensors(data, "output", "out", outputs)
    size = file.stat().st_size
    print(f"{name}: {len(model.graph.node)} nodes, {size} bytes, onnxruntime within {worst:.2g} of the rms")


def main():
    folder, *names = sys.argv[1:]
    for name in names or NAMES:
        make(name, pathlib.Path(folder))


if __name__ == "__main__":
    main()
