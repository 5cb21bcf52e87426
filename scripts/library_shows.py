#!/usr/bin/env python3
"""Shows of the library's specification that no test shows, since they are long, timed, or want other packages.

usage: library_shows.py [SHOW]... [--build FOLDER] [--full] [--only OPS] [--runs N] [--list]

A1 to A4, B1, B3 to B5, C2, C3, D4, F1, F2, G3, J1, J3, L1: all unless some are named. --full takes every dtype and 100
seeds, which takes hours; --only has B1 take ops whose name is this expression; --runs says how often a time is measured
(3). FLASHINFER_BENCH names a checkout for F2, and FLASHINFER_PYTHON a Python that has pydantic, unless this one does.
--list prints which test or script shows what.
exit code: 0 all hold; 1 one does not; 2 usage; 77 none could be run, or there is no build
"""
import argparse
import pathlib
import sys
import tempfile
import time

from shows import candidates, costs, functions, others
from shows.context import ROOT, Context, Skipped

SHOWS = {**candidates.SHOWS, **functions.SHOWS, **costs.SHOWS, **others.SHOWS}
HERE = "scripts/library_shows.py"
ABI, FOREIGN = "tests/library/abi", "tests/parity/foreign"
# Where each Show is shown: a test that ctest runs, or a script or a page of measurements on request.
PLACES = {
    "A1 A2 A3 A4": HERE, "A5": "tests/parity/verify/foreign_test.cpp", "A6": f"{FOREIGN}/pairing_test.cpp",
    "A7": "scripts/fuzz.sh 100000 answers", "B1 B3 B4 B5": HERE, "B2": "docs/measurements/pytorch.md, on a GPU",
    "C1": f"{FOREIGN}/exec_candidate_test.cpp, tests/commands/candidates/conformance.sh", "C2 C3": HERE,
    "D1 D2 D3": "scripts/onnxruntime.sh", "D4": HERE,
    "E1 E2": "tests/commands/on_host/probe.sh, tests/parity/profile/probe/trees_test.cpp",
    "E3": "docs/measurements/onnxruntime.md", "E4": "docs/measurements/pytorch.md, on a GPU",
    "E5": "tests/commands/candidates/verify.sh", "F1 F2": HERE,
    "F3": "tests/python/kernelbench_test.py, flashinfer_test.py",
    "G1": "tests/attacks/run.sh", "G2": "tests/commands/on_host/attack.sh", "G3": HERE,
    "H1": "tests/install/run.sh, scripts/package_without_vulkan.sh", "H2": f"{ABI}/caller.c", "H3": "scripts/tsan.sh",
    "H4": f"{ABI}/guest.c", "I1 I2": f"{ABI}/run.sh", "I3 I4": f"{ABI}/misuse.c, residency_misuse.c",
    "I5": "tests/python/agreement_test.py", "J1 J3": HERE, "J2": "scripts/wheel.sh", "J4": "tests/python/ops_test.py",
    "J5": "tests/python/pytest_test.py", "J6 J7": "tests/python/package_test.py, pages_test.py",
    "J8": "tests/python/torch_test.py, docs/measurements/pytorch.md",
    "K1 K2 K3": "tests/library/ops_test.py, register_op_test.cpp, tests/python/package_test.py",
    "L1": HERE, "L2 L3": f"{FOREIGN}/spec_test.cpp, exec_candidate_test.cpp, tests/library/host_test.py"}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("shows", nargs="*", metavar="SHOW")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if arguments.list:
        for shows, place in PLACES.items():
            print(f"{shows}: {place}")
        return 0
    unknown = [name for name in arguments.shows if name not in SHOWS]
    if unknown:
        parser.error(f"there is no Show {unknown[0]} here; there are {', '.join(SHOWS)}")
    build = arguments.build.resolve()
    if not (build / "bin/plumb").exists() or not (build / "lib/libplumbline.so.1").exists():
        print(f"library_shows: skipped, {build} has no bin/plumb and lib/libplumbline.so.1")
        return 77
    ended, worst = 0, 0
    with tempfile.TemporaryDirectory(prefix="plumb_shows_") as folder:
        context = Context(build, pathlib.Path(folder), "full" if arguments.full else "usual", arguments.runs,
                          arguments.only)
        for name in arguments.shows or SHOWS:
            start = time.monotonic()
            context.problems.clear()
            try:
                told = SHOWS[name](context)
            except Skipped as reason:
                print(f"{name}: skipped: {reason}", flush=True)
                continue
            except Exception as problem:  # of a Show, which leaves the others
                told = "stopped"
                context.problems.append(f"{type(problem).__name__}: {problem}")
            ended += 1
            worst |= bool(context.problems)
            state = f"{len(context.problems)} problems" if context.problems else "holds"
            print(f"{name}: {state}: {told} ({time.monotonic() - start:.0f} s)", flush=True)
            for problem in context.problems:
                print(f"  {problem}", flush=True)
    return worst if ended else 77


if __name__ == "__main__":
    sys.exit(main())
