#!/usr/bin/env python3
"""Verifies products with packed weights in every format, of few rows and many, dense and by experts.

usage: scripts/packed_sweep.py [--plumb PROGRAM] [--candidate SPEC] [--each-kernel] [--jobs N] [--quick]
                               [--formats q4_k,q8_0] [--only RE] [--precisions f32,f16acc32,q8acc32] [--shard I/N]
                               [--seconds N] [--graphs FOLDER] [--kept FILE] [-- ARGUMENTS of verify]
       scripts/packed_sweep.py --counted FILE...

A case is a node. It has
  n rows of x: 1 to 17, 31, 32, 33, 64, 65; these in one product, or sent to experts in one of six ways;
  a format; K of one block, two and three, and of formats with blocks of 32 also 576 and 2880; 1, 31, 33 or 129 columns;
  usual weights, or hard ones: rows whose scales are 0, subnormal, the largest, of both signs, NaN, infinite, equal,
  2^10 times the others, in the last block alone, or cancel with minima, and every other x has mean 4;
  a precision. With --each-kernel, the kernels that the plan passes over are further comparisons of it.

--quick has one graph a format, n to 17. --shard I/N takes every N-th run from the I-th on. --seconds begins no run
after that time, and ends those under way a minute later. --graphs writes the graphs of the runs there, to repeat one
alone. --kept FILE has all counts as JSON; --counted prints the table of such files together, and runs nothing. --only
takes the graphs whose name, FORMAT.kLENGTH.usual or .hard, has the expression. PROGRAM may be several words.

Prints Markdown: cases that passed by format and n, then what did not. Counted apart are mistrusted cases, and those
whose numbers leave the range of their type on the host as well.

exit code: 0 all cases passed or are mistrusted, and none is missing; 1 one failed, or was not run; 2 usage; 77 there is
no device
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import packed_cases

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRECISIONS = ("f32", "f16acc32", "q8acc32")
LABEL = re.compile(r"(\w+)\.n(\d+)\.N(\d+)\.(usual|hard)$")
PROVES_NOTHING = ("mistrusted", "out_of_range")  # verdicts that are no failure and no proof
SHOWN = 20  # of what failed
GRAPHS = "GRAPHS"  # what stands for the folder of the graphs in commands that repeat a case
LONGEST, PATIENCE = 86400, 60  # seconds of a run, and how long one may take after the time is up


@dataclasses.dataclass(frozen=True)
class Task:
    """One run of the program: graphs of a format at one precision."""
    name: str
    graphs: tuple  # (length, kind) of each, or nothing for the quick graph
    precision: str

    def labels(self):
        return [f"{self.name}.k{length}.{kind}" for length, kind in self.graphs] or [f"{self.name}.quick"]

    def cost(self):
        return packed_cases.multiplications([length for length, _ in self.graphs])

    def cases(self):
        """How many nodes of each n its graphs have."""
        if not self.graphs:
            return collections.Counter({n: 2 for n in packed_cases.QUICK_ROWS})
        each = len(packed_cases.COLUMNS) * len(packed_cases.ARRANGEMENTS) * len(self.graphs)
        return collections.Counter({n: each for n in packed_cases.ROWS})


@dataclasses.dataclass
class Found:
    """What runs came to. Counters of cases are by "format n": a case counts once, by the worst of its comparisons."""
    wanted: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    passed: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    mistrusted: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    compared: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    kernels: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    without_device: int = 0
    failed: list = dataclasses.field(default_factory=list)
    not_run: list = dataclasses.field(default_factory=list)
    ratio: float = 0.0

    def add(self, other):
        self.without_device += other.without_device
        for name in ("wanted", "passed", "mistrusted", "compared", "kernels", "failed", "not_run"):
            mine = getattr(self, name)
            (mine.update if isinstance(mine, collections.Counter) else mine.extend)(getattr(other, name))
        self.ratio = max(self.ratio, other.ratio)

    @staticmethod
    def read(path):
        kept = json.loads(path.read_text(encoding="utf-8"))
        return Found(**{key: collections.Counter(value) if isinstance(value, dict) else value
                        for key, value in kept.items()})


def tasks_of(options):
    """All runs, the longest first, so that the last ones are short."""
    made = []
    for name in options.formats:
        if options.quick:
            made += [Task(name, (), precision) for precision in options.precisions]
            continue
        lengths = packed_cases.lengths(name)
        for kind in ("usual", "hard"):
            for group in (lengths[:3], *((length,) for length in lengths[3:])):
                graphs = tuple((length, kind) for length in group
                               if options.only.search(f"{name}.k{length}.{kind}"))
                made += [Task(name, graphs, precision) for precision in options.precisions if graphs]
    made.sort(key=lambda task: -task.cost())
    part, parts = options.shard
    return made[part - 1::parts]


def seen(task, report, found):
    """Puts what a report says of a run into `found`; returns whether all of its cases are there."""
    worst, order = {}, ("passed", "mistrusted", "other")
    for case in report["cases"]:
        if case["verdict"] == "unsupported":
            found.without_device += 1
            found.not_run.append(f"{case['id']}: {case['message']}")
            continue
        graph = pathlib.Path(case["graph"]).stem
        bad = 0
        for node in case["nodes"]:
            verdict = "mistrusted" if node["verdict"] in PROVES_NOTHING else node["verdict"]
            verdict = verdict if verdict in order else "other"
            skipped = node["verdict"] == "skipped" and not LABEL.match(node["node"])
            if verdict == "other" and not skipped:
                bad += 1
                found.failed.append({"graph": graph, "precision": task.precision, "node": node["node"],
                                     "verdict": node["verdict"], "kernel": node["kernel"], "why": node["why"],
                                     "ratio": (node["local"] or {}).get("ratio"), "repro": node["repro"]})
            label = LABEL.match(node["node"])
            if label:
                key = graph, node["node"]
                worst[key] = max(worst.get(key, "passed"), verdict, key=order.index)
                found.compared[verdict] += 1
                found.kernels[" ".join((node["op"], node["kernel"], node["tile"])).strip()] += 1
                ratio = (node["local"] or {}).get("ratio")
                found.ratio = max(found.ratio, ratio if isinstance(ratio, (int, float)) else 0.0)
        if not bad and case["verdict"] not in ("passed", *PROVES_NOTHING):
            found.failed.append({"graph": graph, "precision": task.precision, "node": "", "verdict": case["verdict"],
                                 "kernel": "", "why": case["message"], "ratio": None, "repro": case["repro"]})
    for (_, label), verdict in worst.items():
        counter = {"passed": found.passed, "mistrusted": found.mistrusted}.get(verdict)
        if counter is not None:
            counter[f"{task.name} {LABEL.match(label)[2]}"] += 1
    return len(worst) == sum(task.cases().values())


def run(task, options, folder, until):
    """One run of the program, whose graphs are made for it and deleted behind it."""
    found = Found(wanted=collections.Counter({f"{task.name} {n}": count for n, count in task.cases().items()}))
    left = until - time.monotonic()
    if left <= 0:
        found.not_run.append(f"{', '.join(task.labels())} at {task.precision}: the time was up")
        return found
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        here = pathlib.Path(scratch)
        graphs = [packed_cases.whole_graph(here, task.name, *graph) for graph in task.graphs]
        graphs = graphs or [packed_cases.quick_graph(here, task.name)]
        command = [*options.program, "verify", *map(str, graphs), "--precision", task.precision, "--json", "-", "-q",
                   "--threads", "1", *options.rest]
        command += ["--candidate", options.candidate] if options.candidate else []
        command += ["--each-kernel"] if options.each_kernel else []
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
                                  timeout=min(left, LONGEST) + PATIENCE)
        except subprocess.TimeoutExpired:
            found.not_run.append(f"{shlex.join(command)} did not end in time")
            return found
    try:
        whole = seen(task, json.loads(done.stdout.replace(str(here), GRAPHS)), found)
    except (ValueError, KeyError) as broken:
        found.not_run.append(f"{shlex.join(command)} ended {done.returncode} ({broken!r}): {done.stderr[-500:]}")
        return found
    if not whole and not found.failed and not found.not_run:
        found.not_run.append(f"{shlex.join(command)} ended {done.returncode} without all cases: {done.stderr[-500:]}")
    return found


def swept(options):
    """All runs, several at a time; says on stderr how far it is."""
    found, until, tasks = Found(), time.monotonic() + options.seconds, tasks_of(options)
    folder = options.graphs
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        for task in tasks:
            for graph in task.graphs:
                packed_cases.whole_graph(folder, task.name, *graph)
            if not task.graphs:
                packed_cases.quick_graph(folder, task.name)
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        running = {pool.submit(run, task, options, folder, until): task for task in tasks}
        for number, one in enumerate(concurrent.futures.as_completed(running), 1):
            found.add(one.result())
            if number % max(len(tasks) // 20, 1) == 0:
                print(f"{number} of {len(tasks)} runs, {len(found.failed)} failed", file=sys.stderr, flush=True)
    return found


def missing(found):
    """How many cases of each "format n" neither passed nor are mistrusted."""
    return collections.Counter({key: count - found.passed[key] - found.mistrusted[key]
                                for key, count in found.wanted.items()
                                if count != found.passed[key] + found.mistrusted[key]})


def print_found(found):
    """The table has what passed; a cell with anything else says that, too."""
    rows = sorted({int(key.split()[1]) for key in found.wanted})
    names = [name for name in packed_cases.NAMES if any(key.split()[0] == name for key in found.wanted)]
    bad = missing(found)
    print("| format \\ n | " + " | ".join(map(str, rows)) + " |\n|---|" + "---|" * len(rows))
    for name in names:
        cells = []
        for n in rows:
            key = f"{name} {n}"
            cells.append(str(found.passed[key]) + (f" + {found.mistrusted[key]} mistrusted" if found.mistrusted[key]
                                                   else "") + (f", {bad[key]} bad" if bad[key] else ""))
        print(f"| {name} | " + " | ".join(cells) + " |")
    print(f"\n{sum(found.wanted.values())} cases: {sum(found.passed.values())} passed, "
          f"{sum(found.mistrusted.values())} mistrusted, {sum(bad.values())} failed or not run; "
          f"{sum(found.compared.values())} comparisons, of which {found.compared['mistrusted']} prove nothing; the "
          f"largest error is {found.ratio:.3f} of its limit.\n")
    for kernel, count in sorted(found.kernels.items()):
        print(f"* {kernel}: {count}")
    for one in found.failed[:SHOWN]:
        print(f"* {one['verdict']}: {one['graph']} {one['node']} at {one['precision']}, {one['kernel']}, ratio "
              f"{one['ratio']}: {one['why']}\n  `{one['repro']}`")
    if len(found.failed) > SHOWN:
        print(f"* ... {len(found.failed) - SHOWN} more failed")
    for line in found.not_run:
        print(f"not run: {line}", file=sys.stderr)


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 1)[1].split("\n\n")[0].removeprefix("usage: "))
    parser.add_argument("--plumb", default=str(ROOT / "build/release/bin/plumb"))
    parser.add_argument("--candidate", default="")
    parser.add_argument("--each-kernel", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--formats", default=",".join(packed_cases.NAMES))
    parser.add_argument("--only", default="")
    parser.add_argument("--precisions", default=",".join(PRECISIONS))
    parser.add_argument("--shard", default="1/1")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--graphs", type=pathlib.Path)
    parser.add_argument("--kept", type=pathlib.Path)
    parser.add_argument("--counted", nargs="+", type=pathlib.Path)
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:end])
    options.rest, options.program = sys.argv[end + 1:], shlex.split(options.plumb)
    options.formats, options.precisions = options.formats.split(","), options.precisions.split(",")
    for given, known in ((options.formats, packed_cases.NAMES), (options.precisions, PRECISIONS)):
        unknown = [one for one in given if one not in known]
        if unknown:
            parser.error(f"'{unknown[0]}' is none of {', '.join(known)}")
    share = re.fullmatch(r"(\d+)/(\d+)", options.shard)
    if not share or not 1 <= int(share[1]) <= int(share[2]):
        parser.error(f"--shard wants I/N with 1 <= I <= N, not '{options.shard}'")
    options.shard = int(share[1]), int(share[2])
    if options.jobs < 1:
        parser.error("--jobs wants 1 or more")
    try:
        options.only = re.compile(options.only)
    except re.error as wrong:
        parser.error(f"--only '{options.only}' is no regular expression: {wrong}")
    if not options.counted and not (options.program and shutil.which(options.program[0])):
        parser.error(f"there is no program '{options.plumb}'")
    return options


def main():
    options = parse()
    found = Found()
    if options.counted:
        for path in options.counted:
            try:
                found.add(Found.read(path))
            except (OSError, ValueError, TypeError) as broken:
                print(f"packed_sweep: {path} is no file of --kept: {broken}", file=sys.stderr)
                return 2
    else:
        found = swept(options)
    if not found.wanted:
        print("packed_sweep: no graph has that name", file=sys.stderr)
        return 2
    if found.without_device and not found.passed and not found.failed:
        print(f"packed_sweep: {found.not_run[0]}", file=sys.stderr)
        return 77
    print_found(found)
    if options.kept:
        options.kept.write_text(json.dumps(vars(found), indent=1) + "\n", encoding="utf-8")
    return 1 if found.failed or found.not_run or missing(found) else 0


if __name__ == "__main__":
    sys.exit(main())
