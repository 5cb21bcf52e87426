"""A module of PyTorch as a candidate, judged by the modules in it."""
import contextlib
import importlib.util
import os
import tempfile
import warnings

from plumbline import arrays
from plumbline.errors import Error, Unsupported


class Torch:
    """Exports a module to ONNX and runs it with PyTorch, where `plumbline.verify(t.model, t)` judges it.

    `args` are example inputs, tensors, on which it is judged unless others of their shapes are given. With
    taps="modules" the output of every module that has no others in it is an output of the exported model, called by its
    path ("encoder.0.linear"), so that a fault is named by its module; so is what such a module is given, "norm.input",
    where no module gave it: a sum of two, say. Of a linear layer with a bias these are matrices: "linear.rows" in,
    "linear" out, and "linear.output" in the shape that others see. With "results" there are only the module's own
    outputs. Paths that begin with a digit have "module." before them; modules of dropout, which do nothing here, are
    passed over. Where nobody looks at modules, the module runs as it is; where somebody does, without PyTorch's fast
    paths, which compute several modules at once. `compile`, a function such as torch.compile, makes what runs of the
    module, which then gives results alone. The module runs in evaluation mode on `device`; weights are exported as they
    are.
    """

    def __init__(self, module, args, device="cpu", taps="modules", compile=None, names=None):
        import torch
        if taps not in ("modules", "results"):
            raise ValueError(f"taps is modules or results, got '{taps}'")
        if compile is not None and taps == "modules":
            raise ValueError("what is compiled gives results alone: taps='results'")
        self._torch, self._device = torch, device
        args = tuple(args)
        self.input_names = list(names or [f"x{k}" for k in range(len(args))])
        self.inputs = dict(zip(self.input_names, args))
        self._module = module.eval().to(device)
        self._tapped, self._paths = _tapped(torch, self._module, taps == "modules")
        self._plain = compile(self._module) if compile is not None else self._module
        self._run = self._plain
        self._folder = tempfile.TemporaryDirectory()
        self.model = os.path.join(self._folder.name, "model.onnx")
        self._export(args)

    def describe(self):
        torch = self._torch
        if self._device == "cpu":
            return {"name": f"torch {torch.__version__} on cpu", "taps": "results"}
        allowed = [what for what, switch in (("products", torch.backends.cuda.matmul),
                                             ("convolutions", torch.backends.cudnn)) if _allows_tf32(switch)]
        where = torch.cuda.get_device_name(self._device)
        return {"name": f"torch {torch.__version__} on {where}" +
                        (f", TF32 allowed in {' and '.join(allowed)}" if allowed else ""), "taps": "results"}

    def compile(self, model, wanted):
        """Looks at modules only where their values are wanted: otherwise the module itself runs."""
        self._run = self._tapped if set(wanted) & set(self.output_names[self._results:]) else self._plain

    def run(self, inputs):
        torch = self._torch
        given = [self.tensor(inputs[name]) for name in self.input_names]
        is_plain = self._run is self._plain
        with torch.no_grad(), contextlib.nullcontext() if is_plain else _without_fast_paths(torch):
            made = self._run(*given)
        return dict(zip(self.output_names, _results(torch, made)))

    def tensor(self, array):
        """A tensor of its own on the device, with the elements of an array."""
        torch = self._torch
        if isinstance(array, arrays.Bits16):
            return torch.from_numpy(array.bits.view("int16").copy()).view(torch.bfloat16).to(self._device)
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view("int16").copy()).view(torch.bfloat16).to(self._device)
        return torch.from_numpy(array.copy()).to(self._device)

    def _export(self, args):
        torch = self._torch
        given = tuple(one.to(self._device) for one in args)
        with torch.no_grad(), _without_fast_paths(torch):
            made = self._tapped(*given)
        paths = list(self._paths)
        count = len(made) - len(paths)
        self._results = count
        self.output_names = [f"result{k}" if count > 1 else "result" for k in range(count)] + paths
        if set(self.output_names) & set(self.input_names):
            raise Error("an input is called as an output is; give names=[...] for the inputs")
        words = {"input_names": self.input_names, "output_names": self.output_names}
        reasons = []
        for exporter in ({"dynamo": True, "external_data": False, "verbose": False},
                         {"dynamo": False, "do_constant_folding": True, "opset_version": 17}):
            if exporter["dynamo"] and importlib.util.find_spec("onnxscript") is None:
                continue
            try:
                with torch.no_grad(), _without_fast_paths(torch), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    torch.onnx.export(self._tapped, given, self.model, **words, **exporter)
                self._require_outputs()
                return
            except Exception as problem:  # of any kind: exporters raise what they meet
                reasons.append(f"{type(problem).__name__}: {problem}")
        raise Unsupported("torch.onnx.export does not read the module: " + "; ".join(reasons))

    def _require_outputs(self):
        """Throws where the exporter made one output of two that have the same numbers, as optimisers do."""
        import onnx
        written = [one.name for one in onnx.load(self.model).graph.output]
        if written != self.output_names:
            lost = [name for name in self.output_names if name not in written]
            raise Error(f"it wrote {len(written)} outputs of {len(self.output_names)}; {', '.join(lost)} are missing")


@contextlib.contextmanager
def _without_fast_paths(torch):
    """Keeps attention of several modules from being computed by one function, which no exporter knows."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


def _allows_tf32(switch):
    """Whether a switch of PyTorch's allows TF32. A program that uses the switches of 2.9 must not read older ones."""
    try:
        return bool(switch.allow_tf32)
    except RuntimeError:
        return switch.fp32_precision == "tf32"


def _results(torch, made):
    """The tensors of what a module returned, in their order. Throws Unsupported where something is none."""
    if isinstance(made, torch.Tensor):
        return [made]
    if isinstance(made, (list, tuple)) or hasattr(made, "values"):
        values = made.values() if hasattr(made, "values") else made
        return [tensor for one in values if one is not None for tensor in _results(torch, one)]
    raise Unsupported(f"the module gives a {type(made).__name__}, which is no tensor")


def _product_of_rows(torch, module):
    """What a layer of a product and a bias computes of rows, where it is one; PyTorch rounds it once. Of inputs of more
    than two axes exporters would write a product and a sum, each rounded."""
    if type(module) is torch.nn.Linear and module.bias is not None:
        return lambda rows: torch.nn.functional.linear(rows, module.weight, module.bias)
    if type(module).__name__ == "Conv1D" and hasattr(module, "nf"):  # of transformers, for GPT-2
        return lambda rows: torch.addmm(module.bias, rows, module.weight)
    return None


class _Taps:
    """What one run of a module shows: copies of tensors by name, since a module may write over one or hand it on."""

    def __init__(self, torch, args):
        self._torch, self._known = torch, list(args)
        self.seen = {}
        self._rows = []  # pairs of a tensor and its rows, which several layers may be given

    def rows(self, name, x):
        """A tensor as a matrix of its last axis."""
        for whole, rows in self._rows:
            if whole is x:
                return rows
        rows = x.reshape(-1, x.shape[-1])
        self._rows.append((x, rows))
        self.keep(f"{name}.rows", rows)
        return rows

    def keep(self, name, tensor):
        if isinstance(tensor, self._torch.Tensor) and name not in self.seen:
            self.seen[name] = tensor.clone()
            self._known.append(tensor)

    @contextlib.contextmanager
    def of(self, path, module):
        """Keeps what an innermost module gives, and what it is given where nobody gave that yet."""
        name = f"module.{path}" if path[0].isdigit() else path

        def before(_module, args):
            is_new = args and isinstance(args[0], self._torch.Tensor) and args[0].is_floating_point() and \
                all(args[0] is not tensor for tensor in self._known)
            if is_new:
                self.keep(f"{name}.input", args[0])

        def behind(_module, _args, output):
            self.keep(name if name not in self.seen else f"{name}.output", output)

        hooks = [module.register_forward_pre_hook(before), module.register_forward_hook(behind)]
        product = _product_of_rows(self._torch, module)

        def forward(x):
            if x.dim() == 2:
                return product(x)
            made = product(self.rows(name, x))
            self.keep(name, made)
            return made.reshape(*x.shape[:-1], made.shape[-1])

        if product is not None:
            module.forward = forward
        try:
            yield
        finally:
            if product is not None:
                del module.forward
            for hook in hooks:
                hook.remove()


def _tapped(torch, module, taps):
    """A module that returns what another does, and behind it the outputs of its innermost modules, in their order; and
    a list that has the paths of these from its first run on. Exporters refuse modules that change themselves."""
    paths = []
    idle = (torch.nn.Identity, torch.nn.modules.dropout._DropoutNd)

    class Tapped(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = module

        def forward(self, *args):
            shown = _Taps(torch, args)
            with contextlib.ExitStack() as hooks:
                for path, one in self.inner.named_modules():
                    if taps and path and not list(one.children()) and not isinstance(one, idle):
                        hooks.enter_context(shown.of(path, one))
                made = _results(torch, self.inner(*args))
            if not paths:  # an exporter's tensors may be others where those of a run are one
                paths.extend(shown.seen)
            return (*made, *(shown.seen[path] for path in paths))

    # Exporting sets the mode of the module back to what the wrapper's was.
    return Tapped().eval(), paths
