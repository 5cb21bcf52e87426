"""Judges a pair of KernelBench: python3 -m plumbline.kernelbench PAIR.py [--new NEW.py] [--device cuda]

PAIR.py has Model, get_inputs and get_init_inputs, and ModelNew, unless that is in NEW.py. Model is exported to ONNX
with its weights, and is the truth, in f64; ModelNew, made from the same seed and with Model's weights where it has
parameters of the same names and shapes, is the candidate. Ends with the exit code of plumb verify: 0 passed, 1 failed,
2 for what is missing in a file, 77 where PyTorch is not installed or the model cannot be exported.
"""
import argparse
import ast
import difflib
import importlib.util
import pathlib
import sys

from plumbline.errors import Error, Unsupported

OF_MODEL, OF_NEW = ("Model", "get_inputs", "get_init_inputs"), ("ModelNew",)


def arguments_of_program(words):
    program = argparse.ArgumentParser(prog="python3 -m plumbline.kernelbench", description=__doc__.split("\n\n")[0],
                                      allow_abbrev=False)
    program.add_argument("pair", metavar="PAIR.py", help="has Model, get_inputs, get_init_inputs and ModelNew")
    program.add_argument("--new", metavar="NEW.py", default="", help="has ModelNew, where PAIR.py has not")
    program.add_argument("--device", default="cuda", help="cpu, cuda or cuda:N")
    program.add_argument("--seed", type=int, default=42, help="of weights and inputs (42, as KernelBench has it)")
    return program.parse_args(words)


def require_names(path, wanted):
    """Throws Error unless the file is one of Python that defines these names; it is read and not run."""
    try:
        tree = ast.parse(pathlib.Path(path).read_text(encoding="utf-8"), filename=str(path))
    except (OSError, ValueError, SyntaxError) as problem:
        raise Error(f"{path}: {problem}") from problem
    names = [node.name for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    names += [target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets
              if isinstance(target, ast.Name)]
    names += [alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom)
              for alias in node.names]
    for name in wanted:
        if name not in names:
            near = difflib.get_close_matches(name, names, 1)
            raise Error(f"{path}: defines no {name}" + (f"; did you mean {near[0]}?" if near else ""))


def load(path):
    """The file as a module. What it raises is an Error with the file's name."""
    path = pathlib.Path(path)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None:
        raise Error(f"{path}: is not a file of Python: its name ends in .py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        raise Error(f"{path}: {type(problem).__name__}: {problem}") from problem
    return module


class New:
    """ModelNew as a candidate of the graph that Model was exported to by adapters.Torch."""

    def __init__(self, torch, module, exported, device):
        self._torch, self._exported, self._device = torch, exported, device
        self._module = module.eval().to(device)

    def describe(self):
        return {"name": "ModelNew", "taps": "results"}

    def run(self, inputs):
        # The adapter knows how arrays become tensors; a scratch copy of each, since a kernel may write over it.
        given = [self._exported.tensor(inputs[name]) for name in self._exported.input_names]
        with self._torch.no_grad():
            made = self._module(*given)
        made = made if isinstance(made, (tuple, list)) else [made]
        return dict(zip(self._exported.output_names, made))


def judged(options):
    """The result of plumbline.verify on the pair."""
    import torch

    from plumbline import adapters, verify
    pair, new = load(options.pair), load(options.new or options.pair)

    def made(kind):
        torch.manual_seed(options.seed)
        return kind(*pair.get_init_inputs())

    model, candidate = made(pair.Model), made(new.ModelNew)
    weights, own = model.state_dict(), candidate.state_dict()
    if {name: value.shape for name, value in weights.items()} == {name: value.shape for name, value in own.items()}:
        candidate.load_state_dict(weights)
    torch.manual_seed(options.seed)
    given = pair.get_inputs()
    if not all(isinstance(one, torch.Tensor) for one in given):
        raise Unsupported("get_inputs gives something else than tensors")
    exported = adapters.Torch(model, given, options.device, taps="results")
    return verify(exported.model, New(torch, candidate, exported, options.device), inputs=exported.inputs)


def main(words=None):
    options = arguments_of_program(words)
    try:
        require_names(options.pair, OF_MODEL if options.new else OF_MODEL + OF_NEW)
        if options.new:
            require_names(options.new, OF_NEW)
        if importlib.util.find_spec("torch") is None:
            raise Unsupported("PyTorch is not installed, and a pair of KernelBench needs it")
        result = judged(options)
    except Unsupported as missing:
        print(f"plumbline.kernelbench: {missing}", file=sys.stderr)
        return 77
    except Error as problem:
        print(f"plumbline.kernelbench: {problem}", file=sys.stderr)
        return 2
    print(result)
    return result.exit


if __name__ == "__main__":
    sys.exit(main())
