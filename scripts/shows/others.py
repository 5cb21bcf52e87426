"""Shows of parts F and G: traces that FlashInfer-Bench's own classes read, references by PyTorch, a killed attack."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from shows.context import ROOT, Skipped, processes_with

REFERENCES = ROOT / "scripts/flashinfer_references.py"
EXAMPLE = ROOT / "docs/example/flashinfer"
SCORES = ROOT / "tests/commands/graphs/scores.json"
SOLUTIONS = ROOT / "tests/python/flashinfer_solutions.py"


def f1(c):
    """Each built-in definition by its own reference, in f64."""
    done = c.run(pathlib.Path(sys.executable), REFERENCES, "references", PLUMB=str(c.plumb), timeout=3600)
    if done.code == 77:
        raise Skipped(done.said.strip())
    c.require(done.code == 0, "references", done)
    return done.said.strip().splitlines()[-1]


def f2(c):
    """Traces of right, wrong and broken solutions by the classes of flashinfer-bench, where a checkout is named."""
    bench = os.environ.get("FLASHINFER_BENCH")
    if not bench:
        raise Skipped("FLASHINFER_BENCH names no checkout of flashinfer-bench")
    traces, statuses = [], set()
    for name, function in (("gemm_n24_k40", "gemm"), ("gemm_n24_k40", "gemm_with_nan"), ("rmsnorm_h48", "rmsnorm"),
                           ("rmsnorm_h48", "rmsnorm_without_eps"), ("embedding_v50_d12", "embedding"),
                           ("gqa_paged_decode_h4_kv2_d16_ps4", "paged_decode"), ("gemm_n24_k40", "no_such_function")):
        file = c.folder / f"{function}.jsonl"
        c.run("check", "--def", EXAMPLE / f"definitions/{name}.json",
              "--workloads", EXAMPLE / f"workloads/{name}.jsonl", "--solution", function,
              "--candidate", f"py:{SOLUTIONS}::{function}", "--trace", file)
        if c.require(file.exists(), f"{function} leaves no trace"):
            traces.append(file)
            statuses |= {line.split('"status":')[1].split('"')[1] for line in file.read_text().splitlines()}
    python = pathlib.Path(os.environ.get("FLASHINFER_PYTHON", sys.executable))
    done = c.run(python, REFERENCES, "traces", *traces, "--bench", bench)
    if done.code == 77:
        raise Skipped(done.said.strip())
    c.require(done.code == 0, "traces", done)
    return f"{done.said.strip().splitlines()[-1]}; {', '.join(sorted(statuses))}"


def g3(c):
    """plumb attack that is killed, at many moments and by each signal: never 0, and nothing of it goes on."""
    counts = {}
    scratch = c.folder / "attacked"
    scratch.mkdir(exist_ok=True)
    for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        for wait in (0.02, 0.1, 0.3, 1, 2):
            process = subprocess.Popen([str(c.plumb), "attack", "--filter", "honest|zeros|exec_"], cwd=scratch,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**c.environment, "TMPDIR": str(scratch)}, start_new_session=True)
            time.sleep(wait)
            was_running = process.poll() is None
            process.send_signal(number)
            code = process.wait(timeout=60)
            if was_running:
                counts[code] = counts.get(code, 0) + 1
                c.require(code != 0, f"killed by {number.name} after {wait} s it ends with 0")
            else:
                c.require(False, f"it was over within {wait} s")
    until = time.monotonic() + 10
    while processes_with("fixtures/attacks") and time.monotonic() < until:
        time.sleep(0.1)
    left = processes_with("fixtures/attacks")
    c.require(not left, f"a second after its end still run: {left}")
    return f"exit codes {counts}"


def folders_of(owner):
    """Exchanges that a process has left."""
    return [path for place in ("/dev/shm", os.environ.get("TMPDIR", "/tmp"))
            for path in pathlib.Path(place).glob(f"plumb-exchange-{owner}-*")]


def c3(c):
    """plumb is killed while its candidate computes: neither that nor its child lives on, and the next start cleans."""
    sleeper = c.folder / "sleeper.sh"
    sleeper.write_text("sleep 77 &\nsleep 78\n")
    words = [str(c.plumb), "verify", str(SCORES), "--candidate", f"exec:sh {sleeper}"]
    process = subprocess.Popen(words, cwd=c.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    until = time.monotonic() + 30
    while not processes_with("sleep 78") and time.monotonic() < until:
        time.sleep(0.02)
    c.require(processes_with(str(sleeper)) and folders_of(process.pid), "the candidate did not start")
    process.kill()
    process.wait(timeout=60)
    time.sleep(1)
    left = [words for words in (str(sleeper), "sleep 77", "sleep 78") if processes_with(words)]
    c.require(not left, f"a second later still run: {left}")
    c.run("verify", words[2], "--candidate", "exec:true")
    c.require(not folders_of(process.pid), f"the next start leaves {folders_of(process.pid)}")
    return "the candidate and its child are gone after a second, their folder with the next start"


def l1(c):
    """Readers of graphs, policies, profiles, maps and lists have no field that would start a candidate."""
    graph = {"format": "plumb.graph/1", "plugin": "./x.so", "inputs": {"x": {"type": "f32[2]"}}, "results": ["y"],
             "nodes": [{"label": "y", "op": "unary", "function": "exp", "inputs": ["x"]}]}
    node = {**graph, "nodes": [{**graph["nodes"][0], "plugin": "x"}]}
    del node["plugin"]
    files = {"graph.json": json.dumps(graph), "node.json": json.dumps(node),
             "policy.toml": 'schema = "plumb-policy/1"\nplugin = "./x.so"\n',
             "profile.toml": 'schema = "plumb-profile/3"\nplugin = "./x.so"\n',
             "map.toml": 'schema = "plumb-map/1"\nplugin = { from = "x", exec = "./x.so" }\n',
             "list.toml": f'schema = "plumb-cases/1"\n[[case]]\nmodel = "{SCORES}"\ncandidate = "plugin:./x.so"\n'}
    for name, text in files.items():
        (c.folder / name).write_text(text)
    good = ("verify", SCORES, "--candidate")
    for name, words in {"graph.json": ("verify", "graph.json", "--candidate", "cpu"),
                        "node.json": ("verify", "node.json", "--candidate", "cpu"),
                        "policy.toml": (*good, "cpu", "--policy", "policy.toml"),
                        "profile.toml": (*good, "cpu", "--profile", "profile.toml"),
                        "map.toml": (*good, "file:none.npz", "--names", "map.toml"),
                        "list.toml": ("verify", "list.toml", "--candidate", "cpu")}.items():
        done = c.run(*words)
        is_refused = done.code == 2 and re.search("plugin|exec|candidate", done.said)
        c.require(is_refused, f"{name} is not refused by name", done)
    return f"{len(files)} readers"


SHOWS = {"C3": c3, "F1": f1, "F2": f2, "G3": g3, "L1": l1}
