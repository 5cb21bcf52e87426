#!/usr/bin/env python3
"""Verifies the architectures of PyTorch's libraries, which are other people's: about 200 models with random weights.

usage: scripts/library_models.py list
       scripts/library_models.py export NAME FOLDER
       scripts/library_models.py verify [--jobs N] [--dtypes f32,f16,bf16] [--filter REGEX] [--work FOLDER]
                                        [--plumb PROGRAM] [--json FILE] [NAME...]

list prints the names: models of torchvision, torchaudio, torch.nn and transformers in small configurations
(scripts/library). export writes FOLDER/NAME: model.onnx by torch.onnx, and inputs with what PyTorch gives for them in
float64. verify exports each NAME (all of them unless given; those of which --filter finds a part) to FOLDER/models and
runs `plumb verify --strict` on it in each dtype, with expected outputs in f32; N models at a time. FOLDER is
build/library_models unless given, and keeps what each process said in FOLDER/logs.

Expected outputs are held against plumb only where onnxruntime, on the exported model, and torch in f32 agree with torch
in f64 (scripts/library/agreement.py): exporters change some networks. `incomplete` means that nothing failed or was
mistrusted, but that not every node was judged on the device.

Ends 0 when nothing failed, 1 when a model failed or ended in an error, 2 when nothing could be judged or the command
is wrong. What was not exported is no failure of plumb: it is named, with the exporters' words.
"""
import argparse
import importlib.metadata
import importlib.util
import os
import pathlib
import re
import shutil
import sys
import traceback

sys.dont_write_bytecode = True  # a run leaves nothing beside the scripts
from library import all_models, telling, verifying  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
DTYPES = ("f32", "f16", "bf16")
EXPORTERS = ("numpy", "torch", "onnx", "onnxscript", "onnxruntime")


def regex(text):
    try:
        return re.compile(text)
    except re.error as failure:
        raise argparse.ArgumentTypeError(f"'{text}' is no regular expression: {failure}") from failure


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    commands = parser.add_subparsers(dest="command", required=True, prog="library_models.py")
    commands.add_parser("list")
    export = commands.add_parser("export")
    export.add_argument("names", nargs=1, metavar="NAME")
    export.add_argument("folder", type=verifying.folder_of, metavar="FOLDER")
    verify = commands.add_parser("verify")
    verify.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) - 1))
    verify.add_argument("--dtypes", default=",".join(DTYPES))
    verify.add_argument("--filter", type=regex, default="")
    verify.add_argument("--work", type=verifying.folder_of, default=ROOT / "build/library_models")
    verify.add_argument("--plumb", default=str(ROOT / "build/release/bin/plumb"))
    verify.add_argument("--json", type=verifying.folder_of)
    verify.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    unknown = [name for name in getattr(options, "names", []) if name not in all_models()]
    if unknown:
        parser.error(f"no model is called {', '.join(unknown)}; `library_models.py list` has the names")
    return parser, options


def libraries_of(names):
    return list(dict.fromkeys([*EXPORTERS, *(all_models()[name].library for name in names)]))


def versions_of(libraries):
    """A package need not have the name of what is imported: onnxruntime is in onnxruntime-gpu, too."""
    packages = importlib.metadata.packages_distributions()
    return {library: importlib.metadata.version(packages[library][0]) if library in packages else "of unknown version"
            for library in libraries}


def require_libraries(parser, names):
    """Names what this Python lacks before any model fails for it."""
    needed = libraries_of(names)
    lacking = [library for library in needed if importlib.util.find_spec(library) is None]
    if lacking:
        parser.error(f"{sys.executable} lacks {', '.join(lacking)}, which these models need: "
                     f"install them (pip install {' '.join(lacking)})")


def export(parser, options):
    name = options.names[0]
    require_libraries(parser, options.names)
    from library import exporting
    try:
        said = exporting.export(name, options.folder)
    except Exception as failure:
        traceback.print_exc()
        cause = failure if isinstance(failure, exporting.ExportError) else exporting.cause_of(failure)
        print(f"{name}: not exported: {cause}", file=sys.stderr)
        return 1
    expected = said["why_no_expected"] or "with expected outputs"
    within = [x if x is None or isinstance(x, str) else f"{x:.1e}" for x in (said["torch_f32"], said["onnxruntime"])]
    print(f"{name}: {said['nodes']} nodes, {said['bytes']} bytes, by {said['exporter']}, torch in f32 within "
          f"{within[0]} and onnxruntime within {within[1]} of the rms; {expected}")
    return 0


def verify(parser, options):
    names = [name for name in dict.fromkeys(options.names or sorted(all_models())) if options.filter.search(name)]
    if not names:
        parser.error("--filter finds none of the models")
    if options.jobs < 1:
        parser.error("--jobs has to be at least 1")
    options.dtypes = options.dtypes.split(",")
    unknown = [dtype for dtype in options.dtypes if dtype not in DTYPES]
    if unknown:
        parser.error(f"--dtypes knows {', '.join(DTYPES)}, not {', '.join(unknown)}")
    plumb = shutil.which(options.plumb)
    if not plumb:
        parser.error(f"there is no program {options.plumb}: build it, or say --plumb PROGRAM")
    options.plumb = str(pathlib.Path(plumb).absolute())
    options.program = pathlib.Path(__file__).resolve()
    require_libraries(parser, names)
    options.work.mkdir(parents=True, exist_ok=True)
    versions = versions_of(libraries_of(names))
    plumb_version, devices = verifying.what_runs(options.plumb)
    print(f"{len(names)} models, " + ", ".join(f"{library} {version}" for library, version in versions.items()))
    print(f"plumb {plumb_version}", devices, sep="\n", end="\n\n", flush=True)
    judged = verifying.judge_all(options, names, telling.say_ends)
    telling.say_all(options.dtypes, judged)
    if options.json:
        verifying.write_json(options.json, {"versions": versions, "plumb": plumb_version, "devices": devices}, judged)
    endings = {run.ending for one in judged for run in one.runs}
    if endings & {"failed", "error"}:
        return 1
    return 0 if endings & {"passed", "mistrusted", "incomplete"} else 2


def main():
    parser, options = parse()
    if options.command == "list":
        print("\n".join(sorted(all_models())))
        return 0
    return {"export": export, "verify": verify}[options.command](parser, options)


if __name__ == "__main__":
    sys.exit(main())
