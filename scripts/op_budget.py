#!/usr/bin/env python3
"""What an op adds to building and testing, in processor time, held against its budget.

usage: scripts/op_budget.py BUILD_FOLDER [--all] [--compile SECONDS] [--test SECONDS] [OP...]

Without names: the ops that are not listed in tests/op_budget/measured.txt, which are the new ones, and `rope`, so that
something is measured every time. --all takes every op, slowest first.

Compiling: each file of the op alone, with the flags of BUILD_FOLDER and without ccache, less seven eighths of what its
#includes take alone, since builds compile files by the eight; and its shaders. Testing: fixtures.OP on the first
device, with empty caches of the driver. Both are user and system time, which another program's work does not count
in but still stretches where processors share a core: up to ALLOWANCE times the budget passes.

Ends 0 when all are within, 1 when an op is over, 2 when nothing could be measured.
"""
import argparse
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import tempfile

ALLOWANCE = 1.5
SHARED = 7 / 8  # of what includes take, in a build of eight files at a time
ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = {"ref_cpu/ops": "plumb_ref_cpu_kernels", "gpu_vulkan/ops": "plumb_gpu_vulkan",
           "parity/bounds/ops": "plumb_parity", "parity/checks/exact/ops": "plumb_parity",
           "parity/element/terms/ops": "plumb_parity", "parity/settle/ops": "plumb_parity",
           "parity/checks/relations/ops": "plumb_parity", "parity/element/ops": "plumb_parity",
           "parity/judges/ops": "plumb_parity", "parity/judges/definitions/ops": "plumb_parity"}


class CannotMeasure(Exception):
    pass


def processor_time(command, **options):
    """User and system time of a command and what it starts, which must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise CannotMeasure(f"{command}: ends with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compilers(build):
    """For each library the command that compiles one of its files, without launcher, source and output."""
    found = {}
    entries = json.loads((build / "compile_commands.json").read_text())
    # First those of unity builds, since a file that is compiled alone may have options of its own.
    for entry in sorted(entries, key=lambda each: "/Unity/" not in each["file"]):
        target = re.search(r"CMakeFiles/(\w+)\.dir/.*\.(cxx|cpp)\.o", entry["command"])
        if target is None or target[1] in found or "/generated/" in entry["file"]:
            continue
        words = shlex.split(entry["command"])
        words = words[next(i for i, word in enumerate(words) if re.search(r"(\+\+)(-\d+)?$", word)):]
        output = words.index("-o")
        found[target[1]] = words[:output]
    return found


def compile_time(command, source, scratch):
    includes = scratch / "includes.cpp"
    includes.write_text("".join(line for line in source.open() if line.startswith("#include")))
    alone, shared = [processor_time([*command, "-o", str(scratch / "o.o"), "-c", str(file)], cwd=ROOT)
                     for file in (source, includes)]
    return max(0.0, alone - SHARED * shared)


def shader_time(build, op, scratch):
    target = f"generated/gpu_vulkan/shaders/{op}.s"
    if not (ROOT / "gpu_vulkan/ops" / f"{op}.comp").exists():
        return 0.0
    command = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", target], capture_output=True, text=True,
                             check=True).stdout.splitlines()[-1]
    shaders = scratch / "shaders"
    shaders.mkdir(exist_ok=True)
    return processor_time(command.replace(str(build / "generated/gpu_vulkan/shaders"), str(shaders)), shell=True,
                          cwd=build)


def costs_of_compiling(build, op, commands, scratch):
    costs = {folder: compile_time(commands[target], ROOT / folder / f"{op}.cpp", scratch)
             for folder, target in TARGETS.items() if (ROOT / folder / f"{op}.cpp").exists()}
    costs["shaders"] = shader_time(build, op, scratch)
    return costs


def cost_of_testing(build, op, scratch):
    """None where there are no fixtures, or no device to run them on."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1", "-R", rf"^fixtures\.{op}$"],
                            capture_output=True, text=True, check=True).stdout
    tests = json.loads(listed)["tests"]
    if not tests:
        return None
    environment = dict(os.environ)
    for item in tests[0]["properties"]:
        if item["name"] == "ENVIRONMENT":
            environment.update(value.split("=", 1) for value in item["value"])
    with tempfile.TemporaryDirectory(dir=scratch) as caches:
        environment["XDG_CACHE_HOME"] = environment["MESA_SHADER_CACHE_DIR"] = caches
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(tests[0]["command"], env=environment, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode == 77:
        return None
    if done.returncode != 0:
        raise CannotMeasure(f"fixtures.{op} fails: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def asked_for(arguments):
    every = sorted(path.stem for path in (ROOT / "ir/ops").glob("*.hpp"))
    if arguments.all:
        return every
    if arguments.ops:
        return arguments.ops
    measured = (ROOT / "tests/op_budget/measured.txt").read_text().split()
    return ["rope", *(op for op in every if op not in measured)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda folder: pathlib.Path(folder).resolve())
    parser.add_argument("ops", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--compile", type=float, default=4.0)
    parser.add_argument("--test", type=float, default=2.0)
    arguments = parser.parse_intermixed_args()
    os.environ["CCACHE_DISABLE"] = "1"
    commands = compilers(arguments.build)
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for op in asked_for(arguments):
            if not (ROOT / "ir/ops" / f"{op}.hpp").exists():
                raise CannotMeasure(f"there is no op {op}")
            costs = costs_of_compiling(arguments.build, op, commands, scratch)
            rows.append((op, sum(costs.values()), cost_of_testing(arguments.build, op, scratch), costs))
    over = 0
    for op, compiling, testing, costs in sorted(rows, key=lambda row: -row[1]):
        is_over = compiling > ALLOWANCE * arguments.compile or (testing or 0) > ALLOWANCE * arguments.test
        over += is_over
        tests = "no test ran" if testing is None else f"{testing:.1f} s"
        details = ", ".join(f"{part} {seconds:.1f}" for part, seconds in costs.items())
        print(f"{'OVER' if is_over else 'ok':4} {op:22} compiling {compiling:.1f} s ({details}); testing {tests}")
    print(f"{len(rows)} ops, {over} over {arguments.compile:g} s of compiling or {arguments.test:g} s of testing"
          f" (processor time; {ALLOWANCE:g} times as much is allowed)")
    return 1 if over else 0 if rows else 2


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (CannotMeasure, OSError, KeyError, subprocess.CalledProcessError) as error:
        print(f"op_budget: {error}", file=sys.stderr)
        sys.exit(2)
