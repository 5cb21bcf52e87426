"""Any module with the functions of onnx.backend as a candidate."""
import os

from plumbline.errors import Unsupported


class OnnxBackend:
    """Runs the model's file by `module.prepare(model).run(inputs)`, as onnx.backend.base.Backend has them: results
    alone."""

    def __init__(self, module, device="CPU"):
        self._module, self._device, self._rep = module, device, None

    def describe(self):
        return {"name": getattr(self._module, "__name__", type(self._module).__name__), "taps": "results"}

    def compile(self, model, wanted):
        import onnx
        if not isinstance(model, (str, os.PathLike)) or not os.fspath(model).endswith(".onnx"):
            raise Unsupported("an ONNX backend takes ONNX models alone, and what runs here is none")
        loaded = onnx.load(os.fspath(model))
        initialised = {one.name for one in loaded.graph.initializer}
        self._inputs = [one.name for one in loaded.graph.input if one.name not in initialised]
        self._results = [one.name for one in loaded.graph.output]
        self._rep = self._module.prepare(loaded, self._device)

    def run(self, inputs):
        return dict(zip(self._results, self._rep.run([inputs[name] for name in self._inputs])))
