#!/usr/bin/env python3
"""Judges ONNX Runtime on networks, ops and planted faults; scripts/onnxruntime.sh prepares what it needs and explains.

usage: onnxruntime_verdicts.py networks|ops|faults WORK [--only TEXT] [--runs N] [--untimed] [--places N] [--seed N]
                               [--keep FOLDER]
"""
import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from library import verifying

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLUMB = pathlib.Path(os.environ["PLUMB"]).resolve()
MOST_TIME = 3
UNSUPPORTED = 77
FACTOR = 1 + 2**-10
RECOGNISER = "ch_PP-OCRv4_rec_infer"
Run = collections.namedtuple("Run", "report code wall cpu said")


def library_in(work):
    return next((work / "node_modules/onnxruntime-node").rglob("libonnxruntime.so.1"))


def run(model, flags, candidate, report, *more):
    """plumb verify, and what it took: seconds by the clock and of processors, its own and its children's."""
    command = [PLUMB, "verify", model, *flags, "--candidate", candidate, "--json", report, "--force", *more]
    report.unlink(missing_ok=True)
    before, start = os.times(), time.monotonic()
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wall, after = time.monotonic() - start, os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(verifying.case_of(report), done.returncode, wall, cpu, done.stdout)


def listed(work, only):
    for line in (work / "onnxruntime.txt").read_text().splitlines():
        name, model, *flags = line.split("\t")
        if only in name:
            yield name, model, flags


def section(title):
    """A section of docs/measurements/onnxruntime.md, which lists what fails."""
    return (ROOT / "docs/measurements/onnxruntime.md").read_text().split(f"\n## {title}\n")[1].split("\n## ")[0]


def known_failures():
    """For each network the values that fail."""
    known = collections.defaultdict(set)
    for line in section("Verdicts").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and len(cells) >= 2:
            for name in cells[0].split(", "):
                known[name].update(re.findall(r"`([^`]*)`", cells[1]))
    return known


def problems_of(name, result, known):
    """What does not hold of a network's run."""
    case = result.report
    if case is None or result.code not in (0, 1):
        yield f"exit {result.code}: {result.said.strip()[-300:]}"
        return
    if case["plain_run"]["bits"] != "equal":
        yield f"the plain run is {case['plain_run']['bits']}: {case['plain_run']['why']}"
    for node in case["nodes"]:
        if node["verdict"] not in ("passed", "failed") and not node["why"]:
            yield f"{node['node']} is {node['verdict']} and does not say why"
    failed = {node["node"] for node in case["nodes"] if node["verdict"] == "failed"}
    expected = known.get(name.rpartition("+")[2], set())
    for node in sorted(failed ^ expected):
        yield f"{node} {'fails and is not listed' if node in failed else 'is listed and does not fail'}"


def row_of(name, case, code, times):
    nodes = case["nodes"]
    judged = [node for node in nodes if node["verdict"] in ("passed", "failed")]
    groups = [node for node in judged if node["group"] > 1]
    inside = sum(node["why"] == "the candidate does not show it" for node in nodes)
    told = collections.Counter(node["verdict"] for node in nodes if node["verdict"] in ("mistrusted", "unsupported"))
    failed = [f"`{node['node']}`" for node in nodes if node["verdict"] == "failed"]
    largest = f", the largest of {max(node['group'] for node in groups)}" if groups else ""
    return [name, str(len(nodes)), str(len(judged) - len(groups)), f"{len(groups)}{largest}", str(inside),
            ", ".join(f"{count} {verdict}" for verdict, count in told.items()) or "-",
            f"{case['verified']['flops']:.0%}", case["plain_run"]["bits"], str(code), ", ".join(failed) or "-", times]


def timed(runs):
    """The fastest of runs, by the clock."""
    return min(runs, key=lambda one: one.wall)


def networks(arguments, work, folder):
    library = library_in(work)
    known, wrong, sums, slow = known_failures(), [], [0.0, 0.0], 0
    print("| network | nodes | judged alone | as groups | in groups | neither | FLOPs | plain | exit | fails | "
          "seconds, and of `cpu` |\n" + "|---" * 11 + "|")
    for name, model, flags in listed(work, arguments.only):
        reports = [folder / f"{name}.json", folder / f"{name}.cpu.json"]
        count = 1 if arguments.untimed else arguments.runs
        theirs = timed([run(model, flags, f"onnxruntime:{library},threads=1", reports[0]) for _ in range(count)])
        wrong += [f"{name}: {one}" for one in problems_of(name, theirs, known)]
        times = f"{theirs.wall:.2f}"
        if not arguments.untimed:
            ours = timed([run(model, flags, "cpu", reports[1]) for _ in range(count)])
            sums = [sums[0] + theirs.wall, sums[1] + ours.wall]
            times += f", {ours.wall:.2f}; {theirs.cpu:.2f}, {ours.cpu:.2f} of processors"
            slow += theirs.wall > MOST_TIME * ours.wall
        if theirs.report is not None:
            print("| " + " | ".join(row_of(name, theirs.report, theirs.code, times)) + " |", flush=True)
    if not arguments.untimed:
        print(f"\nall: {sums[0]:.1f} s, by `cpu` {sums[1]:.1f} s; {slow} take more than {MOST_TIME} times as long")
        if sums[0] > MOST_TIME * sums[1]:
            wrong.append(f"all networks take {sums[0] / sums[1]:.1f} times as long as by `cpu`")
    return wrong


def ops(arguments, work, folder):
    """Each file of fixtures/ops; where ONNX Runtime does not have all of its nodes, each node by itself."""
    library = library_in(work)
    candidate = f"onnxruntime:{library},threads=1"
    listed_there = set(re.findall(r"`([a-z0-9_]+/[^`]*)`", section("Single ops")))
    counts, wrong = collections.Counter(), []
    for path in sorted((ROOT / "fixtures/ops").rglob("*.json")):
        name = f"{path.parent.name}/{path.stem}"
        if arguments.only not in name:
            continue
        result = run(path, [], candidate, folder / "op.json")
        if result.code == UNSUPPORTED:
            result = run(path, [], candidate, folder / "op.json", "--mode", "isolate")
        counts[result.code] += 1
        if result.code not in (0, UNSUPPORTED):
            print(f"{name}: {result.code}", flush=True)
        if (result.code not in (0, UNSUPPORTED)) != (name in listed_there):
            wrong.append(f"{name}: exit {result.code}, and it is {'' if name in listed_there else 'not '}listed")
    print(f"exit codes: {dict(sorted(counts.items()))}")
    return wrong


def places(shown, count, seed):
    """Some of the values that ONNX Runtime still computes, drawn by a seed."""
    return random.Random(seed).sample(shown, min(count, len(shown)))


def with_fault(work, model, out, *value):
    done = subprocess.run(["node", ROOT / "scripts/onnxruntime_fault.cjs", work / "node_modules", model, out, *value],
                          capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def faults(arguments, work, folder):
    library = library_in(work)
    name, model, flags = next(listed(work, RECOGNISER))
    # What the network fails at without a fault is no finding here: these values are allowed what its Sigmoid is off by.
    policy = folder / "known.toml"
    rules = [f'[[rule]]\nid = "known-{k}"\nmatch = {{ node = "{value}" }}\nrequire = {{ max_abs = 2e-6 }}\n'
             for k, value in enumerate(sorted(known_failures()[RECOGNISER]))]
    policy.write_text('schema = "plumb-policy/1"\n' + "".join(rules))
    faulty, report = folder / "faulty.onnx", folder / "fault.json"
    wrapper = f"exec:python3 {ROOT}/scripts/onnxruntime_wrapper.py {PLUMB.parent}/candidate-host " \
              f"{PLUMB.parent.parent}/lib/libplumb_candidate_onnxruntime.so {library},opt=off,threads=1 {faulty}"
    computed = set(with_fault(work, model, faulty))
    clean = run(model, flags, wrapper, report, "--policy", policy)
    if clean.report is None:
        return [f"without a fault: exit {clean.code}: {clean.said.strip()[-300:]}"]
    shown = [node["node"] for node in clean.report["nodes"] if node["node"] in computed and node["paired"] != "none"]
    print(f"{name}: {len(clean.report['nodes'])} values, {len(shown)} shown and computed; without a fault exit "
          f"{clean.code}")
    wrong = [] if clean.code == 0 else [f"without a fault: exit {clean.code}"]
    right = 0
    for value in places(shown, arguments.places, arguments.seed):
        with_fault(work, model, faulty, value, str(FACTOR))
        case = run(model, flags, wrapper, report, "--policy", policy).report
        if case is None:
            wrong.append(f"{value}: there is no report")
            continue
        guilty = (case["first_guilty"] or {}).get("node", "none")
        row = next(node for node in case["nodes"] if node["node"] == value)
        right += guilty == value
        print(f"{value} ({row['op']}, {row['group']} nodes): {row['verdict']}, first guilty {guilty}", flush=True)
        if guilty != value:
            wrong.append(f"{value}: the first guilty node is {guilty}; {row['verdict']}: {row['why']}")
    print(f"{right} right")
    return wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("what", choices=("networks", "ops", "faults"))
    parser.add_argument("work", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--untimed", action="store_true")
    parser.add_argument("--places", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        wrong = {"networks": networks, "ops": ops, "faults": faults}[arguments.what](arguments, arguments.work, folder)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
