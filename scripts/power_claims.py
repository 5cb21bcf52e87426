#!/usr/bin/env python3
"""What share of the required faults `plumb power` catches, graph by graph, as Markdown (docs/power.md).

usage: scripts/power_claims.py [--plumb PROGRAM] [--dtypes f32,f16,bf16] [--on cpu|gpu] [--filter REGEX]
                               [--kept FOLDER] [--least SHARE] [GRAPH...] [-- ARGUMENT...]

Runs `plumb power` on each GRAPH (the networks and sums of verdict.md V77 unless given) in each dtype, and prints a line
for each: power, required faults caught of all, what caught them, faults below d = 4, the coarsest and finest resolution
of its nodes, nodes without a verdict. Below the table every missed fault is named. Sums made for f32 are run in f32.
--kept FOLDER keeps the JSON reports. Arguments of power may follow after `--`.

Ends 0 when every power reaches --least (0.98), 1 when one does not, 2 when a run ends without a report.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NETWORKS = ("bert_tiny", "eeg_encoder", "llama_block", "resnet18", "vit_block")
GRAPHS = [f"fixtures/graphs/{name}.json" for name in NETWORKS]
SUMS = ["fixtures/power"]


def files_of(paths):
    for path in paths:
        path = ROOT / path if not pathlib.Path(path).exists() else pathlib.Path(path)
        yield from sorted(path.glob("*.json")) if path.is_dir() else [path]


def report_of(arguments, graph, dtype, folder):
    report = folder / f"{graph.stem}-{dtype}.json"
    command = [arguments.plumb, "power", str(graph), "--on", arguments.on, "--json", str(report), "--force",
               "--min-power", "0", *arguments.more]
    command += [] if dtype == "f32" else ["--dtype", dtype]
    command += ["--filter", arguments.filter] if arguments.filter else []
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode not in (0, 77) or not report.exists():
        print(f"{graph.stem} in {dtype}: {ended.stdout.strip()[-400:]}", file=sys.stderr)
        return None
    return json.loads(report.read_text())["cases"][0]


def row_of(graph, dtype, case):
    trials = [trial for node in case["nodes"] for trial in node["faults"]]
    checks = collections.Counter(t["caught_by"] for t in trials if t["required"] and t["outcome"] == "caught")
    seen = sorted(node["resolution"] for node in case["nodes"] if node["resolution"] is not None)
    below = case["caught_below"] + case["missed_below"]
    power = "-" if case["power"] is None else f"{case['power']:.3f}"
    return [graph.stem, dtype, power, f"{case['caught']}/{case['caught'] + case['missed']}",
            ", ".join(f"{name} {count}" for name, count in checks.most_common()) or "-",
            f"{case['caught_below']}/{below}", f"2^-{seen[0]} to 2^-{seen[-1]}" if seen else "-",
            f"{case['nodes_without_verdict']} of {len(case['nodes'])}"]


def missed_of(graph, dtype, case):
    for node in case["nodes"]:
        for trial in node["faults"]:
            if trial["required"] and trial["outcome"] == "missed":
                inside = f"{trial['inside']}, fused into " if trial["inside"] else ""
                effect = trial["d"] if isinstance(trial["d"], str) else f"{trial['d']:.3g}"
                yield (f"* {graph.stem}, {dtype}: {trial['fault']} ({trial['place']}) at {inside}{node['node']} "
                       f"({node['op']}): d {effect}, {trial['size']['ratio']:.3g} of the bound, {trial['reason']}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--plumb", default=str(ROOT / "build/release/bin/plumb"))
    parser.add_argument("--dtypes", default="f32,f16,bf16")
    parser.add_argument("--on", default="gpu")
    parser.add_argument("--filter", default="")
    parser.add_argument("--kept")
    parser.add_argument("--least", type=float, default=0.98)
    parser.add_argument("graphs", nargs="*")
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[:own.index("--")], own[own.index("--") + 1:]
    arguments = parser.parse_args(own)
    arguments.more = more
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(arguments.kept or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        print("| graph | dtype | power | caught | by | d < 4 | resolution | without a verdict |")
        print("|---|---|---|---|---|---|---|---|")
        missed, ends = [], 0
        for graph in files_of(arguments.graphs or GRAPHS + SUMS):
            for dtype in arguments.dtypes.split(","):
                if graph.parent.name == "power" and dtype != "f32" and not graph.stem.startswith("b1"):
                    continue
                case = report_of(arguments, graph, dtype, folder)
                if case is None:
                    ends = 2
                    continue
                print("| " + " | ".join(row_of(graph, dtype, case)) + " |", flush=True)
                missed += missed_of(graph, dtype, case)
                if case["power"] is not None and case["power"] < arguments.least:
                    ends = max(ends, 1)
    print("", *missed, sep="\n")
    return ends


if __name__ == "__main__":
    sys.exit(main())
