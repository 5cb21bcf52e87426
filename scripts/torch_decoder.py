#!/usr/bin/env python3
"""A language model of PyTorch decodes with its cache on the device: torch_decoder.py [--on vulkan|cpu] [--plumb PATH]
    [--capacity ROWS] [--dtype f32|f16] [--time]

A small Llama of transformers with random weights is exported with its static cache as inputs and outputs. It decodes 64
tokens twice, by the same executor: the cache fed back on the device, and through the host. Every step has the same bits
both ways, nothing but a token, its place and a row of logits crosses, `plumb plan` says that each scatter is in place,
PyTorch's own loop picks the same tokens where its logits are not tied, and `plumb verify` passes the steps it is given.
`--time` puts a step beside PyTorch's, of a CUDA graph that writes its static cache in place. Wants torch, transformers,
onnx and onnxscript, and plumbline beside them (docs/python.md). Ends 1 where anything else comes out.
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
import transformers

import plumbline as pl

VOCABULARY, WIDTH, HEADS, KEY_HEADS, LAYERS = 512, 128, 8, 2, 4
HEAD = WIDTH // HEADS


class StaticCache(transformers.cache_utils.Cache):
    """Keys and values of all places, of which a step replaces its own: in new tensors, or in place."""

    def __init__(self, tensors, position, is_in_place):
        self.tensors, self.position, self.is_in_place = list(tensors), position, is_in_place

    def update(self, key, value, layer, *_, **__):
        for slot, new in ((2 * layer, key), (2 * layer + 1, value)):
            if self.is_in_place:
                self.tensors[slot].index_copy_(2, self.position, new)
            else:
                place = self.position.reshape(1, 1, 1, 1).expand_as(new)
                self.tensors[slot] = self.tensors[slot].scatter(2, place, new)
        return self.tensors[2 * layer], self.tensors[2 * layer + 1]

    def get_seq_length(self, *_, **__):
        return 0


class Step(torch.nn.Module):
    """One token in, its logits and the new cache out."""

    def __init__(self, capacity, dtype):
        super().__init__()
        config = transformers.LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
            num_key_value_heads=KEY_HEADS, intermediate_size=2 * WIDTH, max_position_embeddings=capacity,
            attn_implementation="eager")
        self.model = transformers.LlamaForCausalLM(config).eval().to(dtype)
        self.capacity, self.dtype, self.is_in_place = capacity, dtype, False

    def cache(self, device="cpu"):
        shape = (1, KEY_HEADS, self.capacity, HEAD)
        return [torch.zeros(shape, dtype=self.dtype, device=device) for _ in range(2 * LAYERS)]

    def forward(self, token, position, *cache):
        tensors = StaticCache(cache, position, self.is_in_place)
        seen = torch.arange(self.capacity, device=token.device) <= position
        mask = torch.where(seen, 0.0, torch.finfo(self.dtype).min).to(self.dtype).reshape(1, 1, 1, -1)
        logits = self.model(input_ids=token, attention_mask=mask, position_ids=position.reshape(1, 1),
                            cache_position=position, past_key_values=tensors, use_cache=True).logits
        return (logits[0, 0], *tensors.tensors)


def export(step, path):
    names = [f"{what}{layer}" for layer in range(LAYERS) for what in ("keys", "values")]
    example = (torch.ones(1, 1, dtype=torch.int64), torch.zeros(1, dtype=torch.int64), *step.cache())
    with torch.no_grad():
        torch.onnx.export(step, example, path, input_names=["token", "position", *names],
                          output_names=["logits", *(f"new_{name}" for name in names)], dynamo=True)
    return names


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


def same_tokens(step, first, rows, problems):
    """PyTorch picks the same tokens, unless two logits of its own are as good as equal."""
    picked, logits = by_torch(step, first, len(rows))
    apart = next((at for at, row in enumerate(rows) if int(row.argmax()) != picked[at]), None)
    if apart is None:
        return problems.expect(True, f"PyTorch picks the same {len(rows)} tokens")
    gap = float(np.diff(np.sort(logits[apart].astype(np.float64))[-2:])[0])
    problems.expect(gap < (1e-4 if step.dtype == torch.float32 else 1e-2),
                    f"PyTorch picks another token at step {apart}, of two whose logits are {gap:.2g} apart")


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
    torch.manual_seed(1)
    step = Step(options.capacity, {"f32": torch.float32, "f16": torch.float16}[options.dtype])
    first, problems = 7, Problems()
    executor = pl.Vulkan() if options.on == "vulkan" else pl.Cpu()
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder) / "step.onnx"
        names = export(step, model)
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
        if options.time:
            time_of_ours(executable, names, step.capacity, first)
    if options.time:
        time_of_torch(step, first)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
