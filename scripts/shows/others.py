"""Shows of parts F and G: traces that FlashInfer-Bench's own classes read, references by PyTorch, and a killed attack."""
import os
import pathlib
import signal
import subprocess
import sys
import time

from shows.context import ROOT, Skipped, processes_with

REFERENCES = ROOT / "scripts/flashinfer_references.py"
EXAMPLE = ROOT / "docs/example/flashinfer"
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
        c.run("check", "--def", EXAMPLE / f"definitions/{name}.json", "--workloads", EXAMPLE / f"workloads/{name}.jsonl",
              "--solution", function, "--candidate", f"py:{SOLUTIONS}::{function}", "--trace", file)
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
            process = subprocess.Popen([str(c.plumb), "attack", "--filter", "honest|zeros|exec_"], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=scratch,
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


SHOWS = {"F1": f1, "F2": f2, "G3": g3}
