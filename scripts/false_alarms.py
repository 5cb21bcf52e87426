#!/usr/bin/env python3
"""Counts how often `plumb verify` refuses a device with which nothing is wrong.

usage: scripts/false_alarms.py [--plumb PROGRAM] [--seconds N] [--jobs N] [--dtypes f32,f16,bf16]
                               [--fills usual,adversarial] [--first-seed N] [--kept FILE] [GRAPH...]

Verifies GRAPHs (files or folders; the folders of fixtures/ops unless given) on a device that is taken to be right, in
every dtype, with data as the files describe it (usual) and with the fills of docs/fills.md in turn (adversarial), with
seeds that no run had before, until the time is up. Every output that was held to a limit is a comparison; one that
`failed` or ended in `error` is a false alarm until somebody finds a fault of the device behind it.

Prints Markdown: counts by fill and by dtype, then each alarm with the command that repeats it. --kept FILE has every
alarm as JSON. Arguments of verify may follow after `--`.

Ends 0 when there was no alarm, 1 when there was one, 2 when nothing could be compared.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import json
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PATIENCE = 60
SEEDS = {"usual": 8, "adversarial": 21}  # of one run of the program: every adversarial fill once
ALARMS = ("failed", "error", "nondeterministic")
COMPARED = ("passed", "mistrusted", *ALARMS)
COLUMNS = ("compared", "alarms", "mistrusted", "replayed", "wide", "out of range")


def storage_of(case):
    return case["dtype"] if case["dtype"] != "as the graph" else "as written"


@dataclasses.dataclass
class Found:
    """What runs came to: counts by (dtype, fill), alarms, and what could not be run."""
    counts: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(collections.Counter))
    alarms: list = dataclasses.field(default_factory=list)
    broken: list = dataclasses.field(default_factory=list)

    def add_node(self, case, node):
        verdict, settled = node["verdict"], node.get("settled") or {}
        count = self.counts[storage_of(case), case["fill_name"] or "usual"]
        count["compared"] += verdict in COMPARED
        count["mistrusted"] += verdict == "mistrusted"
        count["out of range"] += verdict == "out_of_range"
        for name in ("replayed", "wide"):
            count[name] += settled.get(name, 0) > 0
        if verdict in ALARMS:
            count["alarms"] += 1
            ratio = float((node.get("local") or {}).get("ratio") or 0)  # JSON has "inf" and "nan" as texts
            self.alarms.append({"op": node["op"], "dtype": node["dtype"], "fill": case["fill_name"] or "usual",
                                "kernel": node["kernel"], "verdict": verdict, "ratio": ratio, "why": node["why"],
                                "repro": node["repro"]})

    def add_case(self, case):
        if not case["nodes"]:  # not every graph can be had in every dtype, nor run on every device
            self.broken.append(f"{case['graph']} in {case['dtype']}: {case['message']}")
            return
        for node in case["nodes"]:
            self.add_node(case, node)
        if case["verdict"] in ALARMS and not any(node["verdict"] in ALARMS for node in case["nodes"]):
            # The case as a whole: its device, its plain run, its coverage.
            self.counts[storage_of(case), case["fill_name"] or "usual"]["alarms"] += 1
            self.alarms.append({"op": "(case)", "dtype": case["dtype"], "fill": case["fill_name"] or "usual",
                                "kernel": "", "verdict": case["verdict"], "ratio": 0, "why": case["message"],
                                "repro": case["repro"]})


def run(options, graph, dtype, fill, seed, until):
    command = [options.plumb, "verify", str(graph), "--dtype", dtype, "--seed", str(seed), "--seeds",
               str(SEEDS[fill]), "--json", "-", "-q", "--threads", "1", *options.rest]
    if fill == "adversarial":
        command += ["--fill", "adversarial"]
    left = until - time.monotonic()
    if left <= 0:
        return [], None
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=left + PATIENCE)
    except subprocess.TimeoutExpired:
        return [], f"{' '.join(command)} was not done {PATIENCE} s after the time was up"
    try:
        return json.loads(done.stdout)["cases"], None
    except ValueError:
        return [], f"{' '.join(command)} ended {done.returncode}: {done.stderr.strip()[-300:]}"


def campaign(options):
    """All graphs in all dtypes with one stretch of seeds, then with the next, until the time is up."""
    found, until, seed = Found(), time.monotonic() + options.seconds, options.first_seed
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        while time.monotonic() < until:
            work = [(graph, dtype, fill) for fill in options.fills for dtype in options.dtypes
                    for graph in options.graphs]
            runs = [pool.submit(run, options, *one, seed, until) for one in work]
            for one in concurrent.futures.as_completed(runs):
                cases, trouble = one.result()
                found.broken += [trouble] if trouble else []
                for case in cases:
                    found.add_case(case)
            seed += max(SEEDS.values())
    return found


def row(name, count):
    return f"| {name} | " + " | ".join(str(count[column]) for column in COLUMNS) + " |"


def sums_by(found, place):
    sums = collections.defaultdict(collections.Counter)
    for key, count in found.counts.items():
        sums[key[place]].update(count)
    return sums


def print_found(found):
    total = sum(found.counts.values(), collections.Counter())
    alarms, compared = total["alarms"], total["compared"]
    print(f"{alarms} alarms in {compared} comparisons", end="")
    if alarms == 0 and compared > 0:
        print(f": at most one of {compared // 3} at 95 % confidence, for data of these kinds", end="")
    print(".\n")
    for place, what in ((1, "fill"), (0, "dtype")):
        print(f"| {what} | " + " | ".join(COLUMNS) + " |\n|---|" + "---|" * len(COLUMNS))
        for name, count in sorted(sums_by(found, place).items(), key=lambda one: str(one[0])):
            print(row(name, count))
        print()
    kinds = collections.defaultdict(list)
    for alarm in found.alarms:
        kinds[alarm["op"], alarm["dtype"], alarm["fill"], alarm["kernel"], alarm["verdict"]].append(alarm)
    for kind, alarms in sorted(kinds.items(), key=lambda one: -len(one[1])):
        worst = max(alarms, key=lambda one: one["ratio"])
        print(f"* {len(alarms)} x {' '.join(kind)}, ratio to {worst['ratio']}: {worst['why']}\n  `{worst['repro']}`")
    for trouble in sorted(set(found.broken)):
        print("not run:", trouble, file=sys.stderr)


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--plumb", default=str(ROOT / "build/release/bin/plumb"))
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dtypes", default="f32,f16,bf16")
    parser.add_argument("--fills", default="usual,adversarial")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--kept", type=pathlib.Path)
    parser.add_argument("graphs", nargs="*", type=pathlib.Path)
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:end])
    options.rest = sys.argv[end + 1:]
    options.dtypes, options.fills = options.dtypes.split(","), options.fills.split(",")
    unknown = [fill for fill in options.fills if fill not in SEEDS]
    if unknown:
        parser.error(f"--fills knows {', '.join(SEEDS)}, not {', '.join(unknown)}")
    options.graphs = options.graphs or sorted(p for p in (ROOT / "fixtures/ops").iterdir() if p.is_dir())
    return options


def main():
    options = parse()
    found = campaign(options)
    print_found(found)
    if options.kept:
        options.kept.write_text(json.dumps(found.alarms, indent=1) + "\n")
    if not any(count["compared"] for count in found.counts.values()):
        return 2
    return 1 if found.alarms else 0


if __name__ == "__main__":
    sys.exit(main())
