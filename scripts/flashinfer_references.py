#!/usr/bin/env python3
"""Holds `plumb check --def` against FlashInfer-Bench itself (docs/flashinfer.md).

usage: flashinfer_references.py references [FOLDER] [--only TEXT] [--bench CHECKOUT]
       flashinfer_references.py corpus FOLDER [--only TEXT]
       flashinfer_references.py traces FILE... --bench CHECKOUT

references  runs the `reference` of each definition below FOLDER (docs/example/flashinfer) by PyTorch in f64, its
            results rounded once to the dtypes of the outputs, as a solution: it has to pass, or the graph that plumb
            makes of the definition is another function. Wants torch, and NumPy for plumbline
corpus      says how many definitions below FOLDER are read and built in, and why others are not
traces      reads traces with the classes of a checkout of flashinfer-bench, as its tools do; wants pydantic
environment:
  PLUMB     the program (default: build/release/bin/plumb)
exit code: 0 all holds; 1 something does not; 2 usage; 77 a package is missing, or the program
"""
import argparse
import collections
import concurrent.futures
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLUMB = pathlib.Path(os.environ.get("PLUMB", ROOT / "build/release/bin/plumb"))
NARROW = re.compile(r"torch\.(float32|float16|bfloat16|half|float)\b(?!64)")
SOLUTION = '''"""The reference of a definition, in f64."""
import json
import pathlib

import torch

definition = json.loads(pathlib.Path({path!r}).read_text())
names = {{}}
exec({source!r}, names)


def run(*inputs):
    torch.set_default_dtype(torch.float64)
    wide = [x.double() if torch.is_tensor(x) and x.is_floating_point() else x for x in inputs]
    made = names["run"](*wide)
    made = list(made.values()) if isinstance(made, dict) else list(made) if isinstance(made, (tuple, list)) else [made]
    dtypes = [getattr(torch, one["dtype"]) for one in definition["outputs"].values()]
    return tuple(y.to(dtype) for y, dtype in zip(made, dtypes))
'''


def definitions(folder, only):
    for path in sorted(folder.rglob("*.json")):
        if only in path.stem:
            try:
                one = json.loads(path.read_text(encoding="utf-8"))
            except ValueError:
                continue
            if isinstance(one, dict) and "op_type" in one and "reference" in one:
                yield path, one


def check(path, *words):
    done = subprocess.run([str(PLUMB), "check", "--def", str(path), *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, "PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]})
    return done.returncode, (done.stdout + done.stderr).strip()


def in_f64(reference):
    """The text of a reference with every float f64."""
    text = NARROW.sub("torch.float64", reference)
    return re.sub(r"\.(float|half|bfloat16)\(\)", ".double()", text)


def reference(trace, path, definition, scratch):
    """Runs one reference as a solution: the exit code, what was said, and what its traces lack."""
    solution, found = scratch / f"{path.stem}.py", scratch / f"{path.stem}.jsonl"
    solution.write_text(SOLUTION.format(path=str(path.resolve()), source=in_f64(definition["reference"])))
    workloads = path.parent.parent / "workloads" / f"{path.stem}.jsonl"
    words = ["--workloads", workloads] if workloads.exists() else []
    code, said = check(path, *words, "--candidate", f"py:{solution}::run", "--framework", "torch", "--returns",
                       "--trace", found)
    lacks = list(problems_of(found, trace)) if trace is not None and found.exists() else []
    return code, said, lacks


def references(arguments):
    try:
        importlib.import_module("torch")
    except ImportError:
        print("flashinfer_references: skipped, there is no torch")
        return 77
    wrong, counts = [], collections.Counter()
    trace = trace_of(arguments.bench) if arguments.bench else None
    # Each call of a solution is a process that imports torch, so that several definitions are tried at a time.
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        tried = [(definition["name"], pool.submit(reference, trace, path, definition, pathlib.Path(scratch)))
                 for path, definition in definitions(arguments.folder[0], arguments.only)]
        for name, one in tried:
            code, said, lacks = one.result()
            counts[code] += 1
            print(f"{name}: {said.splitlines()[-1] if code in (0, 77) and said else said}", flush=True)
            wrong += [f"{name}: {lack}" for lack in lacks] + ([f"{name}: exit {code}"] if code not in (0, 77) else [])
    print(f"exit codes: {dict(sorted(counts.items()))}", *wrong, sep="\n")
    return 1 if wrong or not counts[0] else 0


def corpus(arguments):
    reasons, read = collections.Counter(), 0
    for path, definition in definitions(arguments.folder[0], arguments.only):
        code, said = check(path, "--candidate", "cpu", "--seeds", "1")
        read += code == 0
        if code != 0:
            reasons[f"exit {code}, {definition['op_type']}: {said.splitlines()[-1][:120] if said else ''}"] += 1
    print(f"{read + sum(reasons.values())} definitions, {read} built in and passed by our CPU executor")
    for reason, count in reasons.most_common():
        print(f"{count}  {reason}")
    return 0


def trace_of(checkout):
    """The class Trace of a checkout, without what the package imports besides."""
    package = types.ModuleType("flashinfer_bench")
    package.__path__ = [str(checkout / "flashinfer_bench")]
    data = types.ModuleType("flashinfer_bench.data")
    data.__path__ = [str(checkout / "flashinfer_bench/data")]
    sys.modules.update({"flashinfer_bench": package, "flashinfer_bench.data": data})
    return importlib.import_module("flashinfer_bench.data.trace").Trace


def problems_of(path, trace):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            trace.model_validate_json(line)
        except ValueError as problem:
            yield f"{path}:{number}: {problem}"


def traces(arguments):
    if arguments.bench is None:
        print("flashinfer_references: traces wants --bench, a checkout of flashinfer-bench", file=sys.stderr)
        return 2
    try:
        trace = trace_of(arguments.bench)
    except ImportError as problem:
        print(f"flashinfer_references: skipped, {problem}")
        return 77
    wrong = [one for path in arguments.folder for one in problems_of(path, trace)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{sum(len(path.read_text().splitlines()) for path in arguments.folder)} traces, {len(wrong)} not accepted")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=("references", "corpus", "traces"))
    parser.add_argument("folder", nargs="*", type=pathlib.Path, default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--bench", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.what == "references" and not arguments.folder:
        arguments.folder = [ROOT / "docs/example/flashinfer"]
    if not arguments.folder:
        parser.error(f"{arguments.what} wants a folder or files")
    if arguments.what != "traces" and not PLUMB.exists():
        print(f"flashinfer_references: skipped, there is no {PLUMB}")
        return 77
    return {"references": references, "corpus": corpus, "traces": traces}[arguments.what](arguments)


if __name__ == "__main__":
    sys.exit(main())
