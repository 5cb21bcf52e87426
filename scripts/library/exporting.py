"""Makes one model, exports it to ONNX, and writes it with what PyTorch gives for it in float64.

FOLDER/NAME then has model.onnx, test_data_set_0 (inputs, and expected outputs where they can be held against others),
inputs (without outputs), and export.json: how it went. It is made as FOLDER/NAME.part and renamed when it is whole.
"""
import contextlib
import copy
import json
import math
import os
import shutil

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper

from library import agreement, all_models

DYNAMO = {"dynamo": True, "opset_version": 18, "external_data": False, "verbose": False}
TORCHSCRIPT = {"dynamo": False, "opset_version": 17}


class ExportError(Exception):
    """No exporter took the model."""


def one_line(text, most=200):
    text = " ".join(str(text).split())
    return text if len(text) <= most else text[:most - 3] + "..."


def cause_of(failure):
    """What was raised first; exporters wrap it in pages of advice."""
    while failure.__cause__ is not None:
        failure = failure.__cause__
    lines = [line for line in str(failure).splitlines() if line.strip()]
    return one_line(f"{type(failure).__name__}: {lines[0] if lines else ''}")


def is_telling(parameter):
    """Whether its numbers differ: zeros and constants (of GRN, relative positions, layer scales) prove nothing."""
    return parameter.numel() > 1 and bool((parameter != parameter.flatten()[0]).any())


def randomise(module):
    """Adds noise to vectors and to what a new module leaves at zero or constant, so that leaving them out is seen."""
    for parameter in module.parameters():
        if not parameter.is_floating_point() or parameter.numel() == 0:
            continue
        is_scalar = parameter.ndim == 0 and bool(parameter != 0)  # a temperature, say, which has its value
        if parameter.ndim == 1 or not (is_scalar or is_telling(parameter)):
            parameter += 0.1 * torch.randn_like(parameter)
    for name, buffer in module.named_buffers():
        if name.endswith("running_mean"):
            buffer += 0.2 * torch.randn_like(buffer)
        if name.endswith("running_var"):
            buffer *= torch.exp(0.3 * torch.randn_like(buffer))


def to_onnx(module, inputs, file):
    """By the exporter of today, or by the one before it; gives which and why."""
    names = [f"in{k}" for k in range(len(inputs))]
    try:
        torch.onnx.export(module, tuple(inputs), str(file), input_names=names, **DYNAMO)
        return {"exporter": "dynamo", "opset": DYNAMO["opset_version"], "dynamo_failure": ""}
    except Exception as failure:  # whatever it is, the other exporter may do
        dynamo_failure = cause_of(failure)
    try:
        torch.onnx.export(module, tuple(inputs), str(file), input_names=names, **TORCHSCRIPT)
    except Exception as failure:
        raise ExportError(f"dynamo: {dynamo_failure}; TorchScript: {cause_of(failure)}") from failure
    return {"exporter": "torchscript", "opset": TORCHSCRIPT["opset_version"], "dynamo_failure": dynamo_failure}


def outputs_of(module, inputs):
    outputs = module(*inputs)
    outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]
    for k, output in enumerate(outputs):
        if not isinstance(output, torch.Tensor):
            raise TypeError(f"its output {k} is a {type(output).__name__}, not a tensor")
    return outputs


@contextlib.contextmanager
def f64_by_default():
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def in_f64(module, inputs):
    """The module's outputs in float64, and why there are none."""
    try:
        with f64_by_default():
            wide = [x.double() if x.is_floating_point() else x for x in inputs]
            outputs = [y.numpy() for y in outputs_of(copy.deepcopy(module).double(), wide)]
    except Exception as failure:  # some models cast to f32 on their way, each fails in its own manner
        return None, f"torch has no f64 result: {cause_of(failure)}"
    if agreement.has_nan(outputs):
        return None, "torch's f64 result has NaN"
    return outputs, ""


def in_onnxruntime(file, feeds):
    """What onnxruntime makes of the file as it is, nothing fused, and why it gives nothing."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        return session.run(None, feeds), ""
    except Exception as failure:
        return None, cause_of(failure)


def feeds_of(graph, inputs):
    """The inputs that the exporter kept, by their names."""
    tensors = {f"in{k}": x.numpy() for k, x in enumerate(inputs)}
    strange = [one.name for one in graph.input if one.name not in tensors]
    if strange:
        raise ExportError(f"the exported model has an input {strange[0]}; ours are {', '.join(tensors)}")
    return {one.name: tensors[one.name] for one in graph.input}


def write_tensors(folder, kind, names, arrays):
    folder.mkdir(exist_ok=True)
    for k, (name, array) in enumerate(zip(names, arrays, strict=True)):
        array = np.asarray(array)
        narrow = array.astype(np.float32) if array.dtype == np.float64 else array
        (folder / f"{kind}_{k}.pb").write_bytes(numpy_helper.from_array(narrow, name).SerializeToString())


def number(x):
    """For JSON, which has no infinity."""
    return x if x is None or math.isfinite(x) else str(x)


def write_model(model, folder):
    """All files of a model; gives what export.json says."""
    torch.manual_seed(1)
    module = model.make()
    inputs = [draw(torch) for draw in model.inputs]
    randomise(module.eval())
    file = folder / "model.onnx"
    said = to_onnx(module, inputs, file)
    graph = onnx.load(file).graph
    feeds = feeds_of(graph, inputs)
    narrow = [y.numpy() for y in outputs_of(module, inputs)]
    expected, why = in_f64(module, inputs)
    found, trouble = in_onnxruntime(file, feeds)
    torch_f32 = runtime = None
    if expected is not None:
        torch_f32 = agreement.largest_distance(narrow, expected)
        runtime = None if found is None else agreement.largest_distance(found, expected)
        why = agreement.why_no_expected(torch_f32, runtime)
        if len(graph.output) != len(expected):
            why = f"exported as another network: with {len(graph.output)} outputs of {len(expected)}"
    for data in ("test_data_set_0", "inputs"):
        write_tensors(folder / data, "input", feeds, feeds.values())
    if not why:
        write_tensors(folder / "test_data_set_0", "output", [one.name for one in graph.output], expected)
    return said | {"bytes": file.stat().st_size, "nodes": len(graph.node), "torch_f32": number(torch_f32),
                   "onnxruntime": number(runtime), "onnxruntime_failure": trouble, "why_no_expected": why}


def export(name, folder):
    """Writes FOLDER/NAME as a whole, or nothing; gives what export.json says."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # random weights need no download
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    whole, part = folder / name, folder / f"{name}.part"
    for old in (whole, part):
        shutil.rmtree(old, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        said = {"name": name} | write_model(all_models()[name], part)
        (part / "export.json").write_text(json.dumps(said, indent=1) + "\n")
        part.rename(whole)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return said
