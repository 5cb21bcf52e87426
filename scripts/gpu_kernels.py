#!/usr/bin/env python3
"""Has `plumb check` judge GPU kernels, right ones and ones with a planted fault, and prints tables.

usage: gpu_kernels.py [--plumb PLUMB] [--sweep quick|full] [--budget 5m] [--only REGEX] [--jobs N] [--log FOLDER]

Kernels are those of fixtures/kernels: Triton's and others of Python by py:, CUDA's by tvmffi:, built here with nvcc.
Ends 1 where a right kernel fails, or a planted fault is not found for its reason.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import time

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "fixtures/kernels"
OPS = ("softmax", "layer_norm", "matmul", "attention")
DTYPES = ("f32", "f16", "bf16")
FEWER_BITS = "operands keep 11 of 24 bits"

# By what a fault must be told from others.
REASONS = {
    "no_tail_mask": r"writes \d+ bytes behind|memory that it does not own|reads behind",
    "wrong_stride": r"\d+ of \d+ elements differ",
    "f16_accumulator": r"\d+ of \d+ elements differ",
    "cached_result": r"two runs .* reuses old results",
    "reads_behind": r"reads behind|memory that it does not own",
    "race": r"two runs .* or races",
    "tf32": FEWER_BITS,
}
# Kernels of others that are coarser than their op's limit (docs/measurements/pytorch.md).
COARSE = {("attention", "PyTorch", "f16"), ("attention", "PyTorch", "bf16"), ("softmax", "JAX", "f16"),
          ("softmax", "JAX", "bf16")}

# A product names its sums; behind exponentials and roots they are one error of several.
SUMS_IN_F16 = "every product summed, in f16"

# Faults are planted at one shape each, of no even extent where a tail or a stride shows; races where many add up.
SHAPES = {"softmax": ["[33,257]"], "layer_norm": ["[33,257]", "[257]", "[257]"], "matmul": ["[33,257]", "[257,65]"],
          "attention": ["[2,4,33,40]", "[2,2,65,40]", "[2,2,65,72]"]}
RACING = {"softmax": ["[64,4096]"], "matmul": ["[64,509]", "[509,64]"]}


def types(dtype, shapes):
    return [word for shape in shapes for word in ("--in", dtype + shape)]


def cases(options):
    """(op, kernels, dtype, fault, words) of every run of plumb check."""
    full = ["--sweep", options.sweep, "--budget", options.budget]
    triton = lambda name: ["--candidate", f"py:{KERNELS}/triton_kernels.py::{name}", "--device", "cuda"]
    cuda = lambda name: ["--candidate", f"tvmffi:{options.library}::{name}", "--memory", "cuda:0"]
    kinds = {"Triton": triton, "CUDA": cuda}
    for kind, words in kinds.items():
        for op in OPS:
            for dtype in DTYPES:
                yield op, kind, dtype, "", [*words(op), *full, "--dtype", dtype]
    for kind, words in kinds.items():
        for op in OPS:
            for fault in REASONS:
                if fault == "race" and (op not in RACING or (kind, op) == ("Triton", "softmax")):
                    continue
                if fault == "tf32" and (kind, op) != ("Triton", "matmul"):
                    continue
                dtypes = ("f32", "f16") if fault == "f16_accumulator" and op == "matmul" else ("f32",)
                for dtype in dtypes:
                    shapes = RACING[op] if fault == "race" else SHAPES[op]
                    yield op, kind, dtype, fault, [*words(f"{op}_{fault}"), *types(dtype, shapes)]
    quick = ["--sweep", "quick"]
    other = lambda name, *more: ["--candidate", f"py:{KERNELS}/other_functions.py::{name}", "--device", "cuda", *more]
    for dtype in DTYPES:
        for op in OPS:
            yield op, "PyTorch", dtype, "", [*other(f"torch_{op}"), *quick, "--dtype", dtype]
        for op in ("softmax", "matmul"):
            yield op, "JAX", dtype, "tf32" if (op, dtype) == ("matmul", "f32") else "", [
                *other(f"jax_{op}", "--framework", "jax", "--returns"), *types(dtype, SHAPES[op])]
            if dtype != "bf16":
                yield op, "CuPy", dtype, "", [*other(f"cupy_{op}", "--framework", "cupy"), *quick, "--dtype", dtype]
    yield "matmul", "JAX, highest", "f32", "", [*other("jax_matmul_highest", "--framework", "jax", "--returns"), *quick]
    yield "matmul", "PyTorch", "f32", "tf32", [*other("torch_matmul_tf32"), *types("f32", SHAPES["matmul"])]


def checked(options, op, kind, dtype, fault, words):
    began = time.perf_counter()
    try:
        done = subprocess.run([options.plumb, "check", "--op", op, *words, "--color", "never", "--threads",
                               options.threads],
                              capture_output=True, text=True, timeout=options.timeout, stdin=subprocess.DEVNULL)
        said, code = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired as late:
        said, code = (late.stdout or b"").decode() + "\nended: too late\n", -1
    name = re.sub(r"[^A-Za-z0-9]+", "_", f"{op}_{kind}_{dtype}_{fault or 'right'}")
    (options.log / f"{name}.txt").write_text(f"{' '.join(words)}\nexit code {code}\n{said}", encoding="utf-8")
    return said, code, time.perf_counter() - began


def told(said, code, op, fault):
    """What the run came to, and whether it is what it should."""
    summary = next((line for line in reversed(said.splitlines()) if re.search(r"\d+ checks?\b", line)), "no summary")
    ratios = [float(one) for one in re.findall(r"ratio ([0-9.e+-]+[0-9])\s", said)]
    if not fault:
        return f"{summary} | {max(ratios, default=float('nan')):.3g} |", code == 0
    reason = SUMS_IN_F16 if (op, fault) == ("matmul", "f16_accumulator") else REASONS[fault]
    # A sweep goes on behind the first failure: the fault's own reason has to be among them.
    lines = [line for line in said.splitlines() if re.search(r"failed: ", line)]
    own = [line[re.search(reason, line).start():] for line in lines if re.search(reason, line)]
    shown = (own or lines or said.splitlines() or ["nothing"])[0][:120]
    return f"{summary} | {shown} |", bool(own) and code == 1


def main():
    program = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    program.add_argument("--plumb", default="plumb")
    program.add_argument("--sweep", default="full", choices=("quick", "full"))
    program.add_argument("--budget", default="5m")
    program.add_argument("--only", default="", help="runs whose 'op kernels dtype fault' this finds")
    program.add_argument("--planted", action="store_true", help="only what has a fault")
    program.add_argument("--right", action="store_true", help="only what has none")
    program.add_argument("--jobs", type=int, default=8)
    program.add_argument("--threads", default="1", help="of each run's reference")
    program.add_argument("--timeout", type=int, default=600, help="seconds for each run")
    program.add_argument("--log", type=pathlib.Path, default=None, help="a folder for what plumb says")
    options = program.parse_args()
    scratch = tempfile.TemporaryDirectory()
    options.log = options.log or pathlib.Path(scratch.name)
    options.log.mkdir(parents=True, exist_ok=True)
    options.library = f"{scratch.name}/kernels.so"
    subprocess.run(["nvcc", "-shared", "-Xcompiler", "-fPIC", "-O2", "-arch=sm_90", "-o", options.library,
                    KERNELS / "cuda_kernels.cu"], check=True, stdin=subprocess.DEVNULL)
    wanted = [one for one in cases(options) if re.search(options.only, " ".join(one[:4]))
              and not (options.planted and not one[3]) and not (options.right and one[3])]
    print("| op | kernels | dtype | fault | checks | largest ratio, or the reason | time | as it should |\n"
          "|---|---|---|---|---|---|---|---|")
    is_right = True
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as workers:
        runs = [(one, workers.submit(checked, options, *one)) for one in wanted]
        for (op, kind, dtype, fault, _), run in runs:
            said, code, seconds = run.result()
            cells, is_so = told(said, code, op, fault)
            is_so |= code == 1 and (op, kind, dtype) in COARSE
            is_right &= is_so
            print(f"| {op} | {kind} | {dtype} | {fault} | {cells} {seconds:.0f} s | {'yes' if is_so else 'NO'} |",
                  flush=True)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
