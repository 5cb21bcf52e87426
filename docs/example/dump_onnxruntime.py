"""Values that ONNX Runtime computes: python3 dump_onnxruntime.py MODEL.onnx INPUTS.npz DUMP.npz

    plumb verify MODEL.onnx --candidate file:DUMP.npz

Needs the packages onnxruntime and onnx, and a model in one file.
"""
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

PROVIDERS = ["CPUExecutionProvider"]


def computed(graph):
    return [name for node in graph.node for name in node.output if name]


def watched(file, taps="surviving"):
    """A session whose outputs are the file's results and further values, and one as it ships.

    "surviving": ONNX Runtime saves the model as it optimised it. The names that are still in there become outputs, and
    that model runs with optimisations off, so that what is looked at is what runs anyway. "all": every value of the
    file becomes an output before it is optimised, so that less is fused. "results": nothing more.
    """
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.optimized_model_filepath = f"{folder}/optimised.onnx"
        plain = onnxruntime.InferenceSession(file, options, providers=PROVIDERS)
        if taps == "results":
            return plain, plain
        ours, model = onnx.load(file), onnx.load(f"{folder}/optimised.onnx" if taps == "surviving" else file)
    stored = {tensor.name for tensor in model.graph.initializer}
    present, results = stored.union(computed(model.graph)), {result.name for result in model.graph.output}
    for name in computed(ours.graph):
        if name in present and name not in results:
            model.graph.output.append(onnx.ValueInfoProto(name=name))
    # Files of old versions list stored tensors as inputs, too; folding removes these tensors, but not the inputs.
    needed = stored.union(value.name for value in plain.get_inputs())
    for value in [value for value in model.graph.input if value.name not in needed]:
        model.graph.input.remove(value)
    options = onnxruntime.SessionOptions()
    if taps == "surviving":
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=PROVIDERS), plain


def run(session, inputs):
    """Tensors of numbers by name; sequences and texts are left out."""
    feeds = {value.name: inputs[value.name] for value in session.get_inputs()}
    names = [value.name for value in session.get_outputs()]
    values = dict(zip(names, session.run(names, feeds)))
    return {name: value for name, value in values.items() if getattr(value, "dtype", np.dtype(object)).kind in "biuf"}


def main(model, given, dump):
    inputs = dict(np.load(given))
    session, plain = watched(model)
    values, results = run(session, inputs), run(plain, inputs)
    np.savez(dump, **inputs, **values)
    same = all(values[name].tobytes() == result.tobytes() for name, result in results.items())
    print(f"{len(values)} values; results {'equal' if same else 'unlike'} those of a run that nobody looks at")


if __name__ == "__main__":
    main(*sys.argv[1:])
