#!/usr/bin/env python3
"""Counts how often `plumb verify` refuses a device with which nothing is wrong.

usage: scripts/false_alarms.py [--plumb PROGRAM] [--seconds N] [--jobs N] [--dtypes f32,f16,bf16]
                               [--fills usual,adversarial] [--first-seed N] [--seeds N] [--kept FILE]
                               [--varied FOLDER | --counted FILE... | GRAPH...]

Verifies GRAPHs (files or folders; the folders of fixtures/ops unless given) on a device that is taken to be right, in
every dtype, with data as the files describe it (usual) and with the fills of docs/fills.md in turn (adversarial), with
seeds that no run had before, until the time is up. Every output that was held to a limit is a comparison; one that
`failed` or ended in `error` is a false alarm until somebody finds a fault of the device behind it.

--varied draws graphs in FOLDER by `plumb fuzz --write`, every op once in each round, and a process verifies all of a
round with --seeds N seeds (default: 42, each adversarial fill twice): the way to count by the million (verdict.md V54).

--counted takes what `plumb verify --counts` wrote, as a campaign's `counts = true` keeps it, and runs nothing.

Prints Markdown: counts by fill, dtype and op, the kernels that were reached, then each alarm with the command that
repeats it. --kept FILE has all counts and alarms as JSON. Arguments of verify may follow after `--`.

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
COLUMNS = ("compared", "alarms", "mistrusted", "out_of_range", "replayed", "wide", "apart")


@dataclasses.dataclass
class Found:
    """What runs came to: counts by what was compared, alarms, and what could not be run."""
    counts: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(collections.Counter))
    within: dict = dataclasses.field(default_factory=lambda: collections.defaultdict(float))
    alarms: list = dataclasses.field(default_factory=list)
    broken: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def add(self, counted):
        """The counts of one process, `plumb.counts/1`."""
        for one in counted["counts"]:
            key = tuple(one[name] for name in ("op", "dtype", "kernel", "tile", "fill", "storage"))
            self.counts[key].update({name: one[name] for name in (*COLUMNS, "replays_asked", "replays_equal")})
            self.within[key] = max(self.within[key], one["within"])
        self.alarms += counted["alarms"]
        self.broken.update(counted["not_run"])

    def by(self, place):
        """Sums and the largest ratio within, by one part of the key."""
        sums, within = collections.defaultdict(collections.Counter), collections.defaultdict(float)
        for key, count in self.counts.items():
            sums[key[place]].update(count)
            within[key[place]] = max(within[key[place]], self.within[key])
        return sorted((name, sums[name], within[name]) for name in sums)


def run(options, graphs, dtype, fill, seed, until):
    command = [options.plumb, "verify", *map(str, graphs), "--dtype", dtype, "--seed", str(seed), "--seeds",
               str(options.seeds or SEEDS[fill]), "--counts", "-", "-q", "--threads", "1", *options.rest]
    if fill == "adversarial":
        command += ["--fill", "adversarial"]
    left = until - time.monotonic()
    if left <= 0:
        return None, None
    said = f"{command[0]} verify {graphs[0]} ... --dtype {dtype} --seed {seed}"
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=left + PATIENCE)
    except subprocess.TimeoutExpired:
        return None, f"{said} was not done {PATIENCE} s after the time was up"
    try:
        return json.loads(done.stdout), None
    except ValueError:
        return None, f"{said} ended {done.returncode}: {done.stderr.strip()[-300:]}"


def drawn_graphs(options, seed):
    """Files of one op each, every op once."""
    listed = subprocess.run([options.plumb, "ops", "--json"], capture_output=True, text=True, check=True).stdout
    folder = options.varied / str(seed)
    options.varied.mkdir(parents=True, exist_ok=True)
    subprocess.run([options.plumb, "fuzz", "--single", "--seed", str(seed), "--count", str(2 * len(json.loads(listed))),
                    "--write", str(folder), "--force"], capture_output=True, check=True)
    return sorted(folder.glob("*.json"))


def rounds(options):
    """Lists of graphs, each for one process, with the seed of their numbers: without an end."""
    seed = options.first_seed
    while True:
        if options.varied:
            yield drawn_graphs(options, seed), seed
        else:
            for graph in options.graphs:
                yield [graph], seed
        seed += options.seeds or max(SEEDS.values())


def campaign(options):
    """Rounds in all dtypes and fills until the time is up."""
    found, until = Found(), time.monotonic() + options.seconds
    work = ((graphs, dtype, fill, seed) for graphs, seed in rounds(options) for fill in options.fills
            for dtype in options.dtypes)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = set()
        while running or time.monotonic() < until:
            while len(running) < options.jobs and time.monotonic() < until:
                running.add(pool.submit(run, options, *next(work), until))
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for one in done:
                counted, trouble = one.result()
                if trouble:
                    found.broken[trouble] += 1
                if counted:
                    found.add(counted)
    return found


def counted(files):
    """What runs of verify counted before."""
    found = Found()
    for file in files:
        found.add(json.loads(file.read_text()))
    return found


def print_table(what, rows):
    print(f"| {what} | " + " | ".join(COLUMNS) + " | within |\n|---|" + "---|" * (len(COLUMNS) + 1))
    for name, count, within in rows:
        print(f"| {name} | " + " | ".join(str(count[column]) for column in COLUMNS) + f" | {within:.2f} |")
    print()


def print_found(found):
    total = sum(found.counts.values(), collections.Counter())
    alarms, compared = total["alarms"], total["compared"]
    print(f"{alarms} alarms in {compared} comparisons", end="")
    if alarms == 0 and compared > 0:
        print(f": at most one of {compared // 3} at 95 % confidence, for data of these kinds", end="")
    print(f". The largest error of what passed by its limits alone is {max(found.within.values(), default=0):.2f} of "
          f"its limit, which sigma_max/λ is no larger than. Of {total['replays_asked']} sampled sums "
          f"{total['replays_equal']} are what the kernel's record gives.\n")
    for place, what in ((4, "fill"), (1, "dtype"), (0, "op")):
        print_table(what, found.by(place))
    reached = collections.defaultdict(set)
    for op, _, kernel, tile, *_ in found.counts:
        reached[op].add(f"{kernel} {tile}".strip())
    for op, kernels in sorted(reached.items()):
        print(f"* {op}: {', '.join(sorted(kernels))}")
    print()
    kinds = collections.defaultdict(list)
    for alarm in found.alarms:
        kinds[tuple(alarm[name] for name in ("op", "dtype", "fill", "kernel", "verdict"))].append(alarm)
    for kind, alarms in sorted(kinds.items(), key=lambda one: -len(one[1])):
        worst = max(alarms, key=lambda one: float(one["ratio"] or 0))  # JSON has "inf" as a text
        print(f"* {len(alarms)} x {' '.join(kind)}, ratio to {worst['ratio']}: {worst['why']}\n  `{worst['repro']}`")
    for trouble, times in sorted(found.broken.items()):
        print(f"not run, {times} times: {trouble}", file=sys.stderr)


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--plumb", default=str(ROOT / "build/release/bin/plumb"))
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dtypes", default="f32,f16,bf16")
    parser.add_argument("--fills", default="usual,adversarial")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--kept", type=pathlib.Path)
    parser.add_argument("--varied", type=pathlib.Path)
    parser.add_argument("--counted", nargs="+", type=pathlib.Path)
    parser.add_argument("graphs", nargs="*", type=pathlib.Path)
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:end])
    options.rest = sys.argv[end + 1:]
    options.dtypes, options.fills = options.dtypes.split(","), options.fills.split(",")
    unknown = [fill for fill in options.fills if fill not in SEEDS]
    if unknown:
        parser.error(f"--fills knows {', '.join(SEEDS)}, not {', '.join(unknown)}")
    if options.varied and options.graphs:
        parser.error("--varied makes the graphs: name none besides")
    if options.counted and (options.varied or options.graphs):
        parser.error("--counted runs nothing: name no graphs")
    if options.varied and not options.seeds:
        options.seeds = 2 * SEEDS["adversarial"]
    options.graphs = options.graphs or sorted(p for p in (ROOT / "fixtures/ops").iterdir() if p.is_dir())
    return options


def main():
    options = parse()
    found = counted(options.counted) if options.counted else campaign(options)
    print_found(found)
    if options.kept:
        counts = [dict(zip(("op", "dtype", "kernel", "tile", "fill", "storage"), key), **count,
                       within=found.within[key]) for key, count in sorted(found.counts.items())]
        options.kept.write_text(json.dumps({"counts": counts, "alarms": found.alarms}, indent=1) + "\n")
    if not any(count["compared"] for count in found.counts.values()):
        return 2
    return 1 if found.alarms else 0


if __name__ == "__main__":
    sys.exit(main())
