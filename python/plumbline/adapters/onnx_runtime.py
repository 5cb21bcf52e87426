"""Python's onnxruntime as a candidate."""
import os
import tempfile

from plumbline.errors import Unsupported

_TAPS = ("results", "surviving", "all")


class OnnxRuntime:
    """Runs the model's own file with onnxruntime.

    With taps="surviving" the values of the optimised model are looked at: it is saved, its values are made outputs, and
    it runs without further optimisation, so that the model that is looked into is the one that runs. With "all" every
    value of the file is an output, which may change what the optimiser does; with "results" there are only those.
    """

    def __init__(self, providers=("CPUExecutionProvider",), taps="surviving", session_options=None):
        import onnxruntime
        if taps not in _TAPS:
            raise ValueError(f"taps is one of {', '.join(_TAPS)}, got '{taps}'")
        self._ort, self._taps, self._providers = onnxruntime, taps, list(providers)
        self._options = session_options

    def describe(self):
        return {"name": f"onnxruntime {self._ort.__version__}", "taps": self._taps}

    def compile(self, model, wanted):
        if not isinstance(model, (str, os.PathLike)) or not os.fspath(model).endswith(".onnx"):
            raise Unsupported("onnxruntime takes ONNX models alone, and what runs here is none")
        self._session, self._outputs = self._session_of(os.fspath(model), wanted)

    def run(self, inputs):
        names = {one.name for one in self._session.get_inputs()}
        made = self._session.run(self._outputs, {name: value for name, value in inputs.items() if name in names})
        return dict(zip(self._outputs, made))

    def _session_of(self, path, wanted):
        plain = self._session_options()
        session = self._ort.InferenceSession(path, plain, providers=self._providers)
        results = [one.name for one in session.get_outputs()]
        inner = [name for name in wanted if name not in results]
        if not inner or self._taps == "results":
            return session, results
        import onnx
        options = self._session_options()
        with tempfile.TemporaryDirectory() as folder:
            if self._taps == "surviving":
                saved = os.path.join(folder, "optimised.onnx")
                plain = self._session_options()
                plain.optimized_model_filepath = saved
                self._ort.InferenceSession(path, plain, providers=self._providers)
                options.graph_optimization_level = self._ort.GraphOptimizationLevel.ORT_DISABLE_ALL
            else:
                saved = path
            model = onnx.load(saved)
            made = {name for node in model.graph.node for name in node.output}
            shown = [name for name in inner if name in made]
            model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in shown)
            exposed = os.path.join(folder, "exposed.onnx")
            onnx.save(model, exposed, save_as_external_data=model.ByteSize() > 2**31 - 2**20)
            return self._ort.InferenceSession(exposed, options, providers=self._providers), results + shown

    def _session_options(self):
        made = self._ort.SessionOptions()
        made.log_severity_level = 3  # that an optimised model is for this machine alone is what is wanted of it
        if self._options is not None:
            for name in ("intra_op_num_threads", "inter_op_num_threads", "graph_optimization_level", "execution_mode"):
                setattr(made, name, getattr(self._options, name))
        return made
