"""Lets plumb call one Python function and judge what it does: python3 -m plumbline.function FILE.py::FUNCTION DIR

DIR holds a request of schema plumb.exec/1 (docs/foreign_backends.md) and gets the answer. FUNCTION is called with the
operands of the graph's node and then with outputs that it has to fill; where the graph has several nodes, with the
graph's inputs, its params and outputs for its results, each in the order of the graph. It is called several times for
one run, with other memory around its arrays each time:

  1  after a call on other inputs in the same memory: outputs hold NaN, and NaN is around every tensor, in guard zones
     of 4 KiB that are inspected afterwards
  2  outputs hold a finite pattern, and that is around every tensor
  3  as 1
  4  on the CPU: the last byte of every tensor is the last of a page, and nobody may touch the next page
  5  on the CPU: the first byte of every tensor is the first of a page, and nobody may touch the page before

Calls 1 to 3 must give the same bits, 4 and 5 must end. With --framework jax there is no call 4 or 5 and nothing around
a tensor, since JAX decides where its arrays are. Where DIR is -, folders come from stdin, a line each, which is
repeated on stdout when that folder has its answer: plumb asks so for functions of a device.
"""
import argparse
import hashlib
import importlib.util
import os
import pathlib
import re
import sys
import time
import traceback

from . import edges, exchange
from .exchange import Failed, Problem, Unsupported


def arguments_of_program():
    program = argparse.ArgumentParser(prog="python3 -m plumbline.function", description=__doc__.split("\n\n")[0],
                                      allow_abbrev=False)
    program.add_argument("spec", metavar="FILE.py::FUNCTION", help="a file and a function in it")
    program.add_argument("folder", metavar="DIR", help="holds request.json; - reads such folders from stdin")
    program.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    program.add_argument("--framework", default="", choices=("", "numpy", "torch", "cupy", "jax"),
                         help="whose arrays the function takes (default: numpy on the CPU, torch elsewhere)")
    program.add_argument("--returns", action="store_true", help="the function returns its outputs")
    program.add_argument("--args", default="", help="the order of the arguments: x0,x1,alpha,x0.shape[1],0.5,y0")
    program.add_argument("--align", type=int, default=1, help="bytes: where tensors begin at least, a power of two")
    options = program.parse_args()
    options.file, separator, options.function = options.spec.rpartition("::")
    if not separator or not options.file or not options.function:
        program.error(f"'{options.spec}' is not FILE.py::FUNCTION")
    if not re.fullmatch(r"cpu|cuda(:[0-9]{1,3})?", options.device):
        program.error(f"--device {options.device}: it is cpu, cuda or cuda:N")
    if not 1 <= options.align <= 4096 or options.align & (options.align - 1):
        program.error(f"--align {options.align}: it is a power of two, at most 4096")
    options.framework = options.framework or ("numpy" if options.device == "cpu" else "torch")
    if options.framework == "jax" and not options.returns:
        program.error("a function of JAX cannot fill outputs: --returns")
    return options


def load(options):
    """The function. Throws Problem with the last line of the traceback."""
    path = pathlib.Path(options.file)
    if not path.is_file():
        raise Problem(f"there is no file '{options.file}'")
    sys.path.insert(0, str(path.resolve().parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None:
        raise Problem(f"'{options.file}' is not a file of Python: its name ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
        function = module
        for name in options.function.split("."):
            function = getattr(function, name)
    except (Exception, SystemExit) as problem:
        raise Problem(f"{options.file}: {last_line(problem)}") from problem
    if not callable(function):
        raise Problem(f"{options.file}: {options.function} is not a function")
    return function


def last_line(problem):
    return "".join(traceback.format_exception_only(type(problem), problem)).strip().splitlines()[-1][:2000]


def order_of_arguments(options, graph, operands, outputs):
    """The arguments as Call has them. Throws Problem where --args names what is not there."""
    tensors = {f"x{number}": ("x", number) for number in range(len(operands))}
    if not options.returns:
        tensors.update((f"y{number}", ("y", number)) for number in range(len(outputs)))
    if not options.args:
        return list(tensors.values())
    order = []
    for name in (word.strip() for word in options.args.split(",")):
        extent = re.fullmatch(r"([xy])([0-9]{1,4})\.shape\[([0-9]{1,2})\]", name)
        if name in tensors:
            order.append(tensors[name])
        elif extent:
            types, which, axis = (operands if extent[1] == "x" else outputs), int(extent[2]), int(extent[3])
            if which >= len(types) or axis >= len(types[which].shape):
                raise Problem(f"--args: there is no {name}")
            order.append(("value", types[which].shape[axis]))
        elif name in ("true", "false"):
            order.append(("value", name == "true"))
        elif re.fullmatch(r"-?[0-9]+", name):
            order.append(("value", int(name)))
        elif re.fullmatch(r"-?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?", name):
            order.append(("value", float(name)))
        else:
            order.append(("value", attribute(graph, name, [*tensors, *graph.attributes])))
    missing = [name for name, tensor in tensors.items() if tensor not in order and name[0] == "y"]
    if missing:
        raise Problem(f"--args has no {missing[0]}: the function needs a place for each output, or --returns")
    return order


def attribute(graph, name, names):
    """The value of an attribute as a function takes it."""
    if name not in graph.attributes:
        raise Problem(f"--args: there is no '{name}'; there are {', '.join(names)}")
    value = graph.attributes[name]
    if value in ("inf", "-inf", "nan"):
        return float(value)
    if not isinstance(value, (bool, int, float, str)):
        raise Problem(f"--args: attribute '{name}' is a {type(value).__name__}, not a number or a text")
    return value


def content_of(request, entry):
    """The bytes of an input, little-endian and row-major, which the request has in a file."""
    import numpy
    declared = exchange.type_of(entry)
    path = request.path(entry["file"])
    if path.suffix == ".bin":
        content = numpy.fromfile(path, dtype=numpy.uint8)
    else:
        array = numpy.load(path, allow_pickle=False)
        content = numpy.frombuffer(array.tobytes(), dtype=numpy.uint8)
    if len(content) != declared.bytes:
        raise Problem(f"{entry['file']} has {len(content)} bytes, '{declared.name}' has {declared.bytes}")
    return content


class Job:
    """A graph with runs of it, as (call, contents) each; `function` is still to be loaded."""

    def __init__(self, request, json, options):
        try:
            from .memory import FRAMEWORKS
            from .runs import Call
        except ImportError as missing:
            raise Problem(f"plumbline.function: {missing}") from missing
        self.json, self.runs = json, []
        self.framework = framework = FRAMEWORKS[options.framework](options.device)
        graph = exchange.Graph(request.path(json["model"]["plumb.graph/1"]))
        self.outputs = exchange.result_types(json, graph)
        for run in json["runs"]:
            given = {entry["name"]: entry for entry in run["inputs"]}
            for name in graph.operands:
                if name not in given:
                    raise Problem(f"the request has no input '{name}'")
            operands = [exchange.type_of(given[name]) for name in graph.operands]
            for tensor_type in [*operands, *self.outputs]:
                framework.dtype(tensor_type.dtype)
            order = order_of_arguments(options, graph, operands, self.outputs)
            contents = [content_of(request, given[name]) for name in graph.operands]
            self.runs.append((Call(None, framework, operands, self.outputs, order, options.returns), contents))


def judged_runs(request, job, function, faults, raised, options):
    """Calls the function for all runs of a job. Returns what it gives as the answer has it."""
    from . import runs as judging
    answers = []
    for number, (call, contents) in enumerate(job.runs):
        call.function = function
        results, seconds = judging.judged(call, contents)
        if number in faults:
            raise Failed(faults[number])
        if number in raised:
            raise Problem(raised[number])
        values, nodes = [], []
        for which, (tensor_type, content) in enumerate(results):
            name = f"out/{job.json['id']}_{number}_{which}.bin"
            request.path("out").mkdir(exist_ok=True)
            content.tofile(request.path(name))
            values.append({"name": tensor_type.name, "dtype": tensor_type.dtype, "shape": list(tensor_type.shape),
                           "file": name})
            nodes.append({"value": tensor_type.name, "kernel": options.function,
                          "ns": 0 if which else int(seconds * 1e9)})
        answers.append({"values": values, "nodes": nodes})
    return answers


def guarded(identity, work):
    """Does the work. Returns the answer of a job that ends with an exception, and whatever the work gives."""
    try:
        return None, work()
    except (Unsupported, NotImplementedError) as refusal:
        status, message = "unsupported", str(refusal) or "not implemented"
    except Failed as failure:
        status, message = "failed", str(failure)
    except Problem as problem:
        status, message = "error", str(problem)
    except (Exception, SystemExit) as problem:
        traceback.print_exc()
        status, message = "error", last_line(problem)
    return {"id": identity, "status": status, "message": message}, None


def run(request, options, load):
    """Does all jobs; what one ends with does not keep others from being done. Page edges are tried first, while nothing
    has run here: threads of a framework do not survive in a copy of a process."""
    jobs = []
    for json in request.jobs:
        failure, job = guarded(json["id"], lambda: Job(request, json, options))
        faults = raised = {}
        if failure is None and job.framework.on_host:
            faults, raised = edges.faults(load, job.runs, options.align)
        jobs.append((json["id"], failure, job, faults, raised))
    function, answers = None, []
    for identity, failure, job, faults, raised in jobs:
        began = time.perf_counter()
        if failure is None and function is None:
            failure, function = guarded(identity, load)
        seconds = time.perf_counter() - began
        if failure is None:
            failure, runs = guarded(identity, lambda: judged_runs(request, job, function, faults, raised, options))
        answers.append(failure or {"id": identity, "status": "ok", "seconds": {"compile": seconds}, "runs": runs})
    return answers


def answer(folder, options, load):
    """Does what is asked in a folder and answers there. Whether all went well."""
    request = exchange.Request(folder)
    path = pathlib.Path(options.file)
    version = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else ""
    # Edges of host memory take copies of a process in which nothing ran; a framework's device takes seconds to open.
    made = {"candidate": {"name": options.function, "version": version, "device": options.device,
                          "models": ["plumb.graph/1"], "taps": ["results"], "serves": options.device != "cpu"}}
    if request.action == "run":
        made["jobs"] = run(request, options, load)
    elif request.action == "supports":
        made["jobs"] = [{"id": json["id"], "status": "ok", "refused": []} for json in request.jobs]
    elif request.action != "describe":
        raise Problem(f"the request has an unknown action: {request.action!r}")
    request.answer(made)
    return all(job["status"] == "ok" for job in made.get("jobs", []))


def serve(options):
    """Answers requests in the folders that stdin names, until one goes wrong: where a function had a device fault, only
    another process can use it again."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the function prints is no answer
    loaded = []

    def load_once():
        if not loaded:
            loaded.append(load(options))
        return loaded[0]

    for line in sys.stdin:
        folder = line.rstrip("\n")
        is_good = answer(folder, options, load_once)
        print(f"\n{folder}", file=answers, flush=True)  # a line of its own, whatever was printed before it
        if not is_good:
            break
    sys.stdout.flush()
    os._exit(0)  # a framework whose device had a fault may crash where it is taken down


def main():
    options = arguments_of_program()
    if options.folder == "-":
        serve(options)
    else:
        answer(options.folder, options, lambda: load(options))


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        sys.exit(f"plumbline.function: {problem}")
