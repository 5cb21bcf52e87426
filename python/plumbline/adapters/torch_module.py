"""A module of PyTorch as a candidate, judged by the modules in it."""
import contextlib
import os
import tempfile

from plumbline import arrays
from plumbline.errors import Error, Unsupported


class Torch:
    """Exports a module to ONNX and runs it with PyTorch, where `plumbline.verify(t.model, t)` judges it.

    `args` are example inputs, tensors, on which it is judged unless others of their shapes are given. With
    taps="modules" the output of every module that has no others in it is an output of the exported model, called by its
    path ("encoder.0.linear"), so that a fault is named by its module; with "results" there are only the module's own.
    Paths that begin with a digit have "module." before them. PyTorch's fused fast paths, which compute several modules
    at once, are off where modules are looked at. `compile`, a function such as torch.compile, makes what runs of the
    module, which then gives results alone. The module runs in evaluation mode on `device`; weights are exported as they
    are.
    """

    def __init__(self, module, args, device="cpu", taps="modules", compile=None, names=None):
        import torch
        if taps not in ("modules", "results"):
            raise ValueError(f"taps is modules or results, got '{taps}'")
        if compile is not None and taps == "modules":
            raise ValueError("what is compiled gives results alone: taps='results'")
        self._torch, self._device, self._taps = torch, device, taps == "modules"
        args = tuple(args)
        self.input_names = list(names or [f"x{k}" for k in range(len(args))])
        self.inputs = dict(zip(self.input_names, args))
        self._module = module.eval().to(device)
        self._tapped = _Tapped(torch, self._module, self._taps)
        # Exporting sets the mode of the module back to what the wrapper's was.
        self._tapped.eval()
        self._run = compile(self._module) if compile is not None else self._tapped
        self._folder = tempfile.TemporaryDirectory()
        self.model = os.path.join(self._folder.name, "model.onnx")
        self._export(args)

    def describe(self):
        torch = self._torch
        tf32 = torch.backends.cuda.matmul.allow_tf32 if self._device != "cpu" else False
        where = torch.cuda.get_device_name(self._device) if self._device != "cpu" else "cpu"
        return {"name": f"torch {torch.__version__} on {where}" + (", TF32 allowed" if tf32 else ""), "taps": "results"}

    def run(self, inputs):
        torch = self._torch
        given = [self.tensor(inputs[name]) for name in self.input_names]
        with torch.no_grad(), self._paths_as_they_run():
            made = self._run(*given)
        made = made if isinstance(made, tuple) else tuple(_results(torch, made))
        return dict(zip(self.output_names, made))

    def tensor(self, array):
        """A tensor of its own on the device, with the elements of an array."""
        torch = self._torch
        if isinstance(array, arrays.Bits16):
            return torch.from_numpy(array.bits.view("int16").copy()).view(torch.bfloat16).to(self._device)
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view("int16").copy()).view(torch.bfloat16).to(self._device)
        return torch.from_numpy(array.copy()).to(self._device)

    def _paths_as_they_run(self):
        return _without_fast_paths(self._torch) if self._taps else contextlib.nullcontext()

    def _export(self, args):
        torch = self._torch
        given = tuple(one.to(self._device) for one in args)
        with torch.no_grad(), self._paths_as_they_run():
            made = self._tapped(*given)
        count = len(made) - len(self._tapped.paths)
        if any(not isinstance(one, torch.Tensor) for one in made):
            raise Unsupported("the module gives something else than tensors")
        self.output_names = [f"result{k}" if count > 1 else "result" for k in range(count)] + self._tapped.paths
        if set(self.output_names) & set(self.input_names):
            raise Error("an input is called as an output is; give names=[...] for the inputs")
        with torch.no_grad(), _without_fast_paths(torch):
            torch.onnx.export(self._tapped, given, self.model, input_names=self.input_names,
                              output_names=self.output_names, dynamo=False, do_constant_folding=True, opset_version=17)


@contextlib.contextmanager
def _without_fast_paths(torch):
    """Keeps attention of several modules from being computed by one function, which no exporter knows."""
    before = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        yield
    finally:
        torch.backends.mha.set_fastpath_enabled(before)


def _results(torch, made):
    """The tensors of what a module returned, in their order."""
    if isinstance(made, torch.Tensor):
        return [made]
    values = made.values() if hasattr(made, "values") else made
    return [tensor for one in values if one is not None for tensor in _results(torch, one)]


def _Tapped(torch, module, taps):
    """A module that returns what another does, and behind it the outputs of its innermost modules, in their order."""

    class Tapped(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = module
            self.paths = []
            self._seen = {}

        def _tap(self, path):
            name = f"module.{path}" if path[0].isdigit() else path

            def keep(_module, _inputs, output):
                # A copy: the module behind may write over it, and one that does nothing hands on what it was given.
                if isinstance(output, torch.Tensor) and name not in self._seen:
                    self._seen[name] = output.clone()
            return keep

        def forward(self, *args):
            self._seen = {}
            hooks = []
            if taps:
                for path, one in self.inner.named_modules():
                    if path and not list(one.children()):
                        hooks.append(one.register_forward_hook(self._tap(path)))
            try:
                made = _results(torch, self.inner(*args))
            finally:
                for hook in hooks:
                    hook.remove()
            seen, self._seen = self._seen, {}
            self.paths = list(seen)
            return (*made, *seen.values())

    return Tapped()
