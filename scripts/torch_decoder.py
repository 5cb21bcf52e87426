#!/usr/bin/env python3
"""A language model of PyTorch decodes with its cache on the device: torch_decoder.py [--on vulkan|cpu] [--plumb PATH]
    [--capacity ROWS] [--dtype f32|f16] [--time]

A small Llama of transformers with random weights is exported with its static cache as inputs and outputs. It decodes 64
tokens twice, by the same executor: the cache fed back on the device, and through the host. Every step has the same bits
both ways, nothing but a token, its place and a row of logits crosses, `plumb plan` says that each scatter is in place,
PyTorch's own loop picks the same tokens where its logits are not tied, and `plumb verify` passes the steps it is given.
Prompts of 1 to 200 tokens are taken by Buckets of 32, 64, 128 and 256 rows, which compile four graphs: the token behind
each prompt is the one that PyTorch picks for a prompt that is not padded, and so are those that steps on the prompt's
cache go on with. Exported once with an open number of rows, the model passes `plumb verify --bucket`. `--time` puts a
step beside PyTorch's, of a CUDA graph that writes its static cache in place. Wants torch, transformers, onnx and
onnxscript, and plumbline beside them (docs/python.md). Ends 1 where anything else comes out.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch

import plumbline as pl
from torch_llama import LAYERS, VOCABULARY, Step, cache_names, export_prompt, export_step

ROWS = (32, 64, 128, 256)  # of the graphs that take prompts
LONGEST = 200


def by_torch(step, first, steps):
    """The tokens that PyTorch picks, and its logits."""
    cache, token, picked, rows = step.cache(), first, [], []
    with torch.no_grad():
        for at in range(steps):
            logits, *cache = step(torch.tensor([[token]]), torch.tensor([at]), *cache)
            token = int(logits.argmax())
            picked.append(token)
            rows.append(logits.numpy())
    return picked, rows


def fed(token, at):
    return {"token": np.array([[token]]), "position": np.array([at])}


def through_host(executable, names, step, first, steps):
    """For each step the inputs and what it makes."""
    cache, token = {name: one.numpy() for name, one in zip(names, step.cache())}, first
    for at in range(steps):
        inputs = {**fed(token, at), **cache}
        results = executable.run(inputs)
        yield inputs, results
        cache = {name: results[f"new_{name}"] for name in names}
        token = int(results["logits"].argmax())


class Problems(list):
    def expect(self, is_so, what):
        print(("   " if is_so else "NOT"), what)
        if not is_so:
            self.append(what)


def feeding(executable, names):
    context = executable.context()
    for name in names:
        context.feed(f"new_{name}", name)
    return context


def resident(executable, names, first, steps, row_bytes, problems):
    context = feeding(executable, names)
    hows = {context.how(f"new_{name}") for name in names}
    problems.expect(hows == {"in place"}, f"the cache is fed back {', '.join(sorted(hows))}")
    token, rows, moved = first, [], set()
    for at in range(steps):
        context.submit(fed(token, at)).wait()
        rows.append(context.buffer("logits")[:])
        moved.add(context.traffic())
        token = int(rows[-1].argmax())
    problems.expect(moved == {(16, row_bytes)},
                    f"a step moves {', '.join(f'{up} bytes up and {down} down' for up, down in moved)}")
    return rows, {name: context.buffer(name)[:] for name in names}


def plan_says_in_place(plumb, model, problems):
    done = subprocess.run([plumb, "plan", model], capture_output=True, text=True)
    if done.returncode != 0:
        return problems.expect(False, f"plumb plan: {done.stderr.strip()}")
    scatters = [line for line in done.stdout.splitlines() if re.search(r"scatter_(elements|nd)", line)]
    written = sum("[in place]" in line for line in scatters)
    problems.expect(written >= 2 * LAYERS and not any("[copy" in line for line in scatters),
                    f"plumb plan: {written} scatters in place of {2 * LAYERS}")


def gap_of(logits):
    """How far the largest logit is from the next."""
    return float(np.diff(np.sort(logits.astype(np.float64))[-2:])[0])


def tied(step):
    """Logits that are as near to each other as this are as good as equal."""
    return 1e-4 if step.dtype == torch.float32 else 1e-2


def same_tokens(step, first, rows, problems):
    """PyTorch picks the same tokens, unless two logits of its own are as good as equal."""
    picked, logits = by_torch(step, first, len(rows))
    apart = next((at for at, row in enumerate(rows) if int(row.argmax()) != picked[at]), None)
    if apart is None:
        return problems.expect(True, f"PyTorch picks the same {len(rows)} tokens")
    gap = gap_of(logits[apart])
    problems.expect(gap < tied(step),
                    f"PyTorch picks another token at step {apart}, of two whose logits are {gap:.2g} apart")


class Counting:
    """An executor, and how often it compiled."""

    def __init__(self, executor):
        self.compiled, self._executor = 0, executor

    def compile(self, *arguments):
        self.compiled += 1
        return self._executor.compile(*arguments)


class Prompts:
    """Takes prompts of any length by a few graphs, each with a context whose cache is fed back to it: it is full of the
    prompt before, of which a prompt sees nothing."""

    def __init__(self, executor, step, folder):
        self.executor, self.step, self.folder = Counting(executor), step, folder
        self.buckets = pl.Buckets(self.executor, self._graph, sizes={"rows": ROWS}, most=len(ROWS))
        self.contexts = {}

    def path(self, rows):
        return self.folder / f"prompt{rows}.onnx"

    def _graph(self, extents):
        export_prompt(self.step, extents["rows"], self.path(extents["rows"]))
        return pl.Graph.read(self.path(extents["rows"]))

    def take(self, prompt):
        """The context that took it, its inputs and its bucket."""
        bucket = self.buckets.at({"rows": len(prompt)})
        rows = bucket.extents["rows"]
        if rows not in self.contexts:
            self.contexts[rows] = feeding(bucket.executable, cache_names())
        tokens = np.zeros((1, rows), np.int64)
        tokens[0, :len(prompt)] = prompt
        inputs = {"tokens": tokens, "last": np.array([len(prompt) - 1])}
        self.contexts[rows].submit(inputs).wait()
        return self.contexts[rows], inputs, bucket


def behind_prompt(step, prompt, steps):
    """PyTorch's logits behind a prompt that is not padded, and behind the tokens that it goes on with."""
    tokens, cache, rows = torch.tensor([prompt]), step.cache(), []
    with torch.no_grad():
        logits, cache = step.run(tokens, torch.arange(len(prompt)), cache)
        rows.append(logits[-1].numpy())
        for at in range(len(prompt), len(prompt) + steps):
            logits, *cache = step(torch.tensor([[int(rows[-1].argmax())]]), torch.tensor([at]), *cache)
            rows.append(logits.numpy())
    return rows


def ours_behind_prompt(prompts, context, prompt, steps):
    """The same of ours. The cache that the prompt made is copied to the context of the steps, without the host."""
    made = prompts.take(prompt)[0]
    rows = [made.buffer("logits")[:]]
    for name in cache_names():
        context.buffer(name).copy_from(made.buffer(f"new_{name}"))
    for at in range(len(prompt), len(prompt) + steps):
        context.submit(fed(int(rows[-1].argmax()), at)).wait()
        rows.append(context.buffer("logits")[:])
    return rows


def picks_alike(step, expected, rows):
    """Whether both pick the same tokens, up to one that is picked of two that are as good as equal."""
    for theirs, ours in zip(expected, rows):
        if int(theirs.argmax()) != int(ours.argmax()):
            return gap_of(theirs) < tied(step)
    return True


def but_for(lengths):
    return f", but for lengths {lengths}" if lengths else ""


def serve_prompts(executor, step, executable, folder, problems):
    """`executable` runs a step."""
    words = np.random.default_rng(3).integers(0, VOCABULARY, LONGEST).tolist()
    prompts, other, verdicts = Prompts(executor, step, folder), [], []
    zeros = {name: one.numpy() for name, one in zip(cache_names(), step.cache())}
    same_bits = True
    for length in range(1, LONGEST + 1):
        context, inputs, bucket = prompts.take(words[:length])
        logits = context.buffer("logits")[:]
        if not picks_alike(step, behind_prompt(step, words[:length], 0), [logits]):
            other.append(length)
        if length in (1, *ROWS[:-1], LONGEST):
            same_bits &= bucket.executable.run({**inputs, **zeros})["logits"].tobytes() == logits.tobytes()
            verdicts.append(pl.verify(prompts.path(bucket.extents["rows"]), executor,
                                      inputs={**inputs, **zeros}).verdict)
    problems.expect(prompts.executor.compiled == len(ROWS),
                    f"prompts of 1 to {LONGEST} tokens take {prompts.executor.compiled} compiles")
    problems.expect(not other, f"behind each of them PyTorch picks the same token{but_for(other)}")
    problems.expect(same_bits, "logits have the bits of `run` on an empty cache")
    problems.expect(set(verdicts) == {"passed"}, f"plumb verify of {len(verdicts)} prompts: {', '.join(verdicts)}")
    goes_on = feeding(executable, cache_names())
    lengths = (1, 31, 32, 33, 77, 128, LONGEST)
    other = [length for length in lengths
             if not picks_alike(step, behind_prompt(step, words[:length], 8),
                                ours_behind_prompt(prompts, goes_on, words[:length], 8))]
    problems.expect(not other, f"PyTorch goes on with the same 8 tokens behind {lengths}{but_for(other)}")


def ask_for_padding(plumb, step, folder, problems, lengths=(2, 77, LONGEST)):
    """The model is exported once, with an open number of rows. Padding does not reach the logits behind a prompt."""
    model = folder / "prompt.onnx"
    export_prompt(step, ROWS[0], model, is_open=True)
    words = np.random.default_rng(4).integers(0, VOCABULARY, LONGEST).tolist()
    for length in lengths:
        rows = next(rows for rows in ROWS if rows >= length)
        done = subprocess.run([plumb, "verify", model, "--input", f"tokens=[{words[:length]}]", "--input",
                               f"last={length - 1}", "--bucket", f"rows={rows}", "--filter", "^logits$"],
                              capture_output=True, text=True)
        said = [line.strip() for line in done.stdout.splitlines() if "bucket" in line] or [done.stderr.strip()]
        problems.expect(done.returncode == 0, f"plumb verify --bucket: {'; '.join(said)}")


def timed(what, step, capacity, warm=0.5, most=1.0):
    """The median of a step, once the card has its clock rate."""
    began, seconds = time.perf_counter(), []
    while (now := time.perf_counter()) - began < warm + most:
        step(len(seconds) % capacity)
        seconds.append((now - began, time.perf_counter() - now))
    of = [spent for at, spent in seconds if at > warm]
    print(f"    {what}: {1e6 * float(np.median(of)):.0f} us a step, from the call to the logits")


def time_of_ours(executable, names, capacity, first):
    context, inputs = feeding(executable, names), fed(first, 0)

    def step(at):
        inputs["position"][0] = at
        context.submit(inputs).wait()
        return context.buffer("logits")[:]
    timed("plumbline, the cache in place", step, capacity)


def time_of_torch(step, first):
    """As a CUDA graph that is replayed, with the logits copied into the host's memory."""
    step.is_in_place = True
    step = step.cuda()
    token, position = torch.tensor([[first]], device="cuda"), torch.tensor([0], device="cuda")
    cache, there = step.cache("cuda"), torch.empty(VOCABULARY, dtype=step.dtype).pin_memory()
    run = lambda: there.copy_(step(token, position, *cache)[0], non_blocking=True)
    with torch.no_grad():
        aside = torch.cuda.Stream()
        with torch.cuda.stream(aside):
            for _ in range(3):
                run()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run()

        def replay(at):
            position.fill_(at)
            graph.replay()
            torch.cuda.synchronize()
        timed("PyTorch, a CUDA graph on a static cache", replay, step.capacity)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--on", choices=("vulkan", "cpu"), default="vulkan")
    parser.add_argument("--plumb", default="plumb")
    parser.add_argument("--capacity", type=int, default=256, help="rows of the cache")
    parser.add_argument("--dtype", choices=("f32", "f16"), default="f32")
    parser.add_argument("--time", action="store_true")
    parser.add_argument("--steps", type=int, default=64)
    parser.add_argument("--verified", type=int, default=4, help="steps that verify is given")
    options = parser.parse_args()
    if options.capacity < ROWS[-1]:
        parser.error(f"prompts want {ROWS[-1]} rows of the cache at least")
    torch.manual_seed(1)
    step = Step(options.capacity, {"f32": torch.float32, "f16": torch.float16}[options.dtype])
    first, problems = 7, Problems()
    executor = pl.Vulkan() if options.on == "vulkan" else pl.Cpu()
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "step.onnx"
        export_step(step, model)
        names = cache_names()
        executable = executor.compile(pl.Graph.read(model))
        verified = {round(at) for at in np.linspace(0, options.steps - 1, options.verified)}
        verdicts, host = [], []
        for at, (inputs, results) in enumerate(through_host(executable, names, step, first, options.steps)):
            host.append(results)
            if at in verified:
                verdicts.append(pl.verify(model, executor, inputs=inputs).verdict)
        problems.expect(set(verdicts) == {"passed"}, f"plumb verify of {len(verdicts)} steps: {', '.join(verdicts)}")
        rows, cache = resident(executable, names, first, options.steps, host[0]["logits"].nbytes, problems)
        problems.expect(all(one["logits"].tobytes() == row.tobytes() for one, row in zip(host, rows)),
                        f"all {len(rows)} rows of logits have the bits of the host's loop")
        problems.expect(all(host[-1][f"new_{name}"].tobytes() == cache[name].tobytes() for name in names),
                        "so has the cache")
        same_tokens(step, first, rows, problems)
        if options.on == "vulkan":
            plan_says_in_place(options.plumb, model, problems)
        serve_prompts(executor, step, executable, pathlib.Path(folder), problems)
        if options.on == "vulkan":
            ask_for_padding(options.plumb, step, pathlib.Path(folder), problems)
        if options.time:
            time_of_ours(executable, names, step.capacity, first)
    if options.time:
        time_of_torch(step, first)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
