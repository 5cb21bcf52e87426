#!/usr/bin/env python3
"""Hides half of the values of clean runs from the verdict, and looks for false alarms:

    scripts/hidden_values.py build/release/bin/plumb [SEEDS]

The host's own values of every small graph of fixtures/graphs, in f32 and f16, are saved, half of them are left out at
random (results stay), and `plumb verify --candidate file:` judges the rest, the nodes between as groups. Every run has
to end with 0. Needs NumPy. Prints how many runs and groups there were; ends with 1 where a run ended otherwise.
"""
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

LARGE = {"bert_base", "eeg_encoder", "resnet18"}


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600, check=False)


def hide(dump, kept, results, seed):
    """Writes half of the tensors of an archive, and those of the results, to another."""
    draw = random.Random(seed)
    with np.load(dump) as all_values:
        names = [name for name in all_values.files if name.startswith("cpu/")]
        chosen = [name for name in names if draw.random() < 0.5 or name.removeprefix("cpu/") in results]
        np.savez(kept, **{name: all_values[name] for name in chosen})


def main():
    plumb, seeds = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 10
    graphs = sorted((pathlib.Path(__file__).resolve().parent.parent / "fixtures/graphs").glob("*.json"))
    runs = groups = alarms = 0
    with tempfile.TemporaryDirectory() as folder:
        dump, kept = pathlib.Path(folder) / "all.npz", pathlib.Path(folder) / "kept.npz"
        for graph in (graph for graph in graphs if graph.stem not in LARGE):
            results = set(json.loads(graph.read_text())["results"])
            for seed, dtype in ((seed, dtype) for seed in range(1, seeds + 1) for dtype in ("f32", "f16")):
                flags = ("--seed", seed, "--dtype", dtype)
                run(plumb, "dump", graph, "--from", "cpu", "-o", dump, "--force", *flags).check_returncode()
                hide(dump, kept, results, seed)
                found = run(plumb, "verify", graph, "--candidate", f"file:{kept}#cpu", "-v", *flags)
                runs, groups = runs + 1, groups + found.stdout.count(" nodes)")
                if found.returncode != 0:
                    alarms += 1
                    print(f"{graph.stem}, seed {seed}, {dtype}: exit {found.returncode}\n{found.stdout}{found.stderr}")
    print(f"{runs} runs, {groups} groups of hidden values, {alarms} false alarms")
    return 0 if runs > 0 and alarms == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
