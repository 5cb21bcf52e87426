#!/usr/bin/env python3
"""Judges models of PyTorch module by module and prints tables: torch_models.py [--device cuda] [--only REGEX]

A transformer block of ours, small BERT, GPT-2 and Llama of transformers and a convolutional network, with random
weights, each in f32, in f32 with TF32 allowed, in f16 and in bf16, by plumbline.adapters.Torch; and what was exported
by Python's onnxruntime. Wants torch, transformers, onnx and onnxscript, and plumbline beside them (docs/python.md).
Ends 1 where a model ends otherwise than its arithmetic should, with all that failed.
"""
import argparse
import re
import sys
import time
import traceback

import torch
from torch import nn

import plumbline as pl

VOCABULARY, WIDTH, HEADS = 99, 64, 4


class Block(nn.Module):
    """Attention and a network of two layers, with norms before and sums behind them."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.gelu, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        self.softmax = nn.Softmax(-1)

    def forward(self, x):
        batch, length, _ = x.shape
        parts = self.qkv(self.norm1(x)).chunk(3, -1)
        q, k, v = (one.reshape(batch, length, HEADS, -1).transpose(1, 2) for one in parts)
        weights = self.softmax(q @ k.transpose(-2, -1) / (WIDTH // HEADS) ** 0.5)
        x = x + self.out((weights @ v).transpose(1, 2).reshape(batch, length, WIDTH))
        return x + self.down(self.gelu(self.up(self.norm2(x))))


def convolutions(bias):
    return nn.Sequential(nn.Conv2d(64, 64, 3, padding=1, bias=bias), nn.ReLU(), nn.Conv2d(64, 64, 3, bias=bias),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))


class Hidden(nn.Module):
    """The last hidden state of a model of transformers, given tokens."""

    def __init__(self, name, **settings):
        import transformers
        super().__init__()
        config = getattr(transformers, f"{name}Config")(vocab_size=VOCABULARY, **settings)
        self.model = getattr(transformers, f"{name}Model")(config)
        self.is_causal = name != "Bert"

    def forward(self, tokens):
        options = {"use_cache": False} if self.is_causal else {}
        return self.model(input_ids=tokens, **options).last_hidden_state


def tokens():
    return torch.randint(3, VOCABULARY, (2, 24))


MODELS = {
    "block": (Block, lambda: torch.randn(2, 24, WIDTH)),
    "bert": (lambda: Hidden("Bert", hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=HEADS,
                            intermediate_size=128, max_position_embeddings=64), tokens),
    "gpt2": (lambda: Hidden("GPT2", n_embd=WIDTH, n_layer=2, n_head=HEADS, n_positions=64), tokens),
    "llama": (lambda: Hidden("Llama", hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=HEADS,
                             num_key_value_heads=2, intermediate_size=128, max_position_embeddings=64), tokens),
    "convolutions": (lambda: convolutions(False), lambda: torch.randn(8, 64, 32, 32)),
    "convolutions with biases": (lambda: convolutions(True), lambda: torch.randn(8, 64, 32, 32)),
}
# Kernels of PyTorch's that are coarser than their limits, by model and mode (docs/measurements/pytorch.md).
COARSE = {("block", "f32"): r"^gelu$", ("block", "as PyTorch starts"): r"^gelu$",
          ("convolutions with biases", "f16"): r"^module\.[02]$",
          ("convolutions with biases", "bf16"): r"^module\.[02]$"}
# The dtype, and which of products and convolutions may use TF32: by default PyTorch's convolutions do.
MODES = {"f32": (torch.float32, False, False), "as PyTorch starts": (torch.float32, False, True),
         "TF32": (torch.float32, True, True), "f16": (torch.float16, False, False),
         "bf16": (torch.bfloat16, False, False)}
TF32_NAMED = re.compile("operands (keep|of products kept) 11 of 24 bits")


def randomised(module):
    """Vectors that start as zeros or ones get noise, so that leaving them out is seen."""
    with torch.no_grad():
        for parameter in module.parameters():
            if parameter.ndim == 1:
                parameter += 0.1 * torch.randn_like(parameter)
    return module


def adapter(name, mode, device, **options):
    make, draw = MODELS[name]
    dtype, products, convolutions = MODES[mode]
    torch.backends.cuda.matmul.allow_tf32 = products
    torch.backends.cudnn.allow_tf32 = convolutions
    torch.manual_seed(1)
    module, x = randomised(make()), draw()
    return pl.adapters.Torch(module.to(dtype), [x.to(dtype) if x.is_floating_point() else x], device, **options)


def expected_of(name, mode):
    """Whether TF32 has to be found."""
    return mode == "TF32" or (mode == "as PyTorch starts" and name.startswith("convolutions"))


def row_of(name, how, result, seconds, wants_tf32):
    """A line of the table, and whether the verdict is what it should be."""
    judged = [row for row in result.rows if row.verdict != "skipped"]
    failed = [row for row in judged if row.verdict == "failed"]
    named = [row for row in failed if TF32_NAMED.search(row.why)]
    passed = sum(row.verdict == "passed" for row in judged)
    known = COARSE.get((name, how), "$^")
    is_expected = bool(named) if wants_tf32 else all(re.search(known, row.label) for row in failed)
    is_right = passed + len(failed) > 0 and is_expected
    says = ", ".join(f"{row.label} {row.ratio:.3g}" for row in failed[:3]) or result.message
    if named:
        says += f"; 11 of 24 bits in {len(named)} of {len(failed)}"
    cells = [name, how, result.verdict, f"{passed} of {len(judged)}", f"{result.ratio:.3g}", says, f"{seconds:.1f} s"]
    return "| " + " | ".join(cells) + " |", is_right


def run(name, how, verify, wants_tf32, log):
    began = time.perf_counter()
    try:
        result = verify()
    except Exception as problem:
        traceback.print_exc()
        what = f"{type(problem).__name__}: {str(problem).splitlines()[0][:160]}"
        print(f"| {name} | {how} | {what} | | | | |", flush=True)
        return False
    line, is_right = row_of(name, how, result, time.perf_counter() - began, wants_tf32)
    print(line, flush=True)
    print(f"== {name} {how}\n{result}\n" + "".join(f"{row.label}: {row.verdict}: {row.why}\n" for row in result.rows
                                                   if row.verdict not in ("passed", "skipped")), file=log, flush=True)
    return is_right


def main():
    program = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    program.add_argument("--device", default="cuda")
    program.add_argument("--only", default="", help="models whose names this finds")
    program.add_argument("--log", default="/dev/stderr", help="a file for the whole reports")
    options = program.parse_args()
    print(f"torch {torch.__version__} on {options.device}\n\n"
          "| model | in | verdict | outputs passed | largest ratio | failed: ratio | time |\n" + 7 * "|---" + "|")
    is_right = True
    with open(options.log, "a", encoding="utf-8") as log:
        for name in (one for one in MODELS if re.search(options.only, one)):
            for mode in MODES:
                if mode == "as PyTorch starts" and not name.startswith("convolutions"):
                    continue

                def judged():
                    one = adapter(name, mode, options.device)
                    return pl.verify(one.model, one)
                is_right &= run(name, mode, judged, expected_of(name, mode) and options.device != "cpu", log)

            def compiled():
                one = adapter(name, "f32", options.device, taps="results", compile=torch.compile)
                return pl.verify(one.model, one)

            def by_onnxruntime():
                one = adapter(name, "f32", options.device)
                return pl.verify(one.model, pl.adapters.OnnxRuntime(), inputs=one.inputs)
            is_right &= run(name, "f32, torch.compile", compiled, False, log)
            is_right &= run(name, "f32, by onnxruntime on the CPU", by_onnxruntime, False, log)
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
