#!/usr/bin/env python3
"""Writes GGUF files (ops.md J) with random weights.

usage: make_gguf.py FILE [--architecture NAME | --every-type] [OPTION...]

--every-type writes one tensor `x.TYPE` of shape (3, 2 blocks) of each type, random codes under factors of ordinary size
(ops.md J.5). An architecture is written with all tensors that its template wants, of sizes that options name, or of a
published shape (--shape 1b, 7b, 8b, moe), whose tensors are one random stretch of blocks, repeated. Equal options give
equal bytes.
"""

import argparse
import sys

from gguf_bytes import every_type, metadata, write
from gguf_models import ARCHITECTURES, metadata_of, tensors_of

# Width, blocks, heads, heads of k and v, length of a head, feed-forward, vocabulary, tied, experts.
SHAPES = {"1b": (2048, 16, 32, 8, 64, 8192, 128256, True, 0), "7b": (4096, 32, 32, 32, 128, 14336, 32000, False, 0),
          "8b": (4096, 32, 32, 8, 128, 14336, 128256, False, 0), "moe": (2048, 16, 16, 16, 128, 1024, 50304, False, 64)}


def published(o):
    """The options of a published shape: q4_k, with q6_k for attn_v, ffn_down and embeddings."""
    (o.width, o.blocks, o.heads, o.kv_heads, o.head_length, o.feed_forward, o.vocabulary, o.tied, o.experts) = SHAPES[
        o.shape]
    o.experts_used, o.expert_width, o.context, o.base, o.types = 8, o.feed_forward, 8192, 500000.0, ["q4_k"]
    o.type_of = ["attn_v=q6_k", "ffn_down=q6_k", "token_embd=q6_k", "output=q6_k", "attn_k=q8_0"]


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file")
    parser.add_argument("--architecture", default="llama", choices=ARCHITECTURES)
    parser.add_argument("--every-type", action="store_true")
    parser.add_argument("--shape", choices=SHAPES)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--types", default="f32", type=lambda text: text.split(","), help="types, by turns")
    parser.add_argument("--type-of", default=[], type=lambda text: text.split(","), help="NAME=TYPE,...: attn_v=q6_k")
    parser.add_argument("--base", default=10000.0, type=float)
    for name, what in (("yarn", "factor of rope scaling by yarn"), ("linear", "the same, linear"),
                       ("attention-factor", "factor of rotary tables"),
                       ("expert-scale", "factor of experts' weights"), ("log-multiplier", "yarn's, of scores")):
        parser.add_argument(f"--{name}", default=0.0, type=float, help=what)
    for name, usual in (("width", 64), ("blocks", 2), ("heads", 4), ("kv-heads", 2), ("head-length", 16),
                        ("feed-forward", 96), ("vocabulary", 96), ("context", 64), ("experts", 0), ("experts-used", 2),
                        ("expert-width", 32), ("shared-width", 64), ("rotary-columns", 0), ("window", 0),
                        ("window-period", 0), ("original-context", 0), ("kv-rank", 32), ("q-rank", 0),
                        ("value-length", 16), ("dense-blocks", 0), ("shared-experts", 1), ("groups", 0),
                        ("groups-used", 0), ("interval", 4), ("key-groups", 2), ("value-heads", 4), ("state", 16),
                        ("taps", 4), ("draft", 0), ("window-length", 8), ("sharing", 0), ("per-layer", 0)):
        parser.add_argument(f"--{name}", default=usual, type=int)
    parser.add_argument("--tied", action="store_true", help="without output.weight")
    parser.add_argument("--one-per-expert", action="store_true", help="a tensor for each expert, as in old files")
    parser.add_argument("--joint-kv", action="store_true", help="attn_kv_b, as in old files")
    parser.add_argument("--by-block", action="store_true", help="which blocks are linear in a list, as without it")
    parser.add_argument("--pattern", default="sf", help="gemma4: a letter a block, s with a window, f without")
    parser.add_argument("--values-of-keys", action="store_true", help="gemma4: no attn_v where there is no window")
    parser.add_argument("--joint-gate-up", action="store_true", help="ffn_gate_up_exps")
    parser.add_argument("--sigmoid", action="store_true", help="the gate of DeepSeek-V3; else that of V2")
    parser.add_argument("--parts", default=1, type=int, help="split FILE.gguf into FILE-00001-of-0000N.gguf, ...")
    parser.add_argument("--rope-freqs", action="store_true", help="with divisors of rotary angles")
    parser.add_argument("--rope-factors", action="store_true", help="with such for long and short contexts")
    return parser.parse_args()


def write_parts(o):
    """The files of a split model, of which the first has the metadata."""
    tensors, stem = tensors_of(o), o.file.removesuffix(".gguf")
    for part in range(o.parts):
        values = [metadata("split.no", "u16", part), metadata("split.count", "u16", o.parts),
                  metadata("split.tensors.count", "i32", len(tensors))]
        own = tensors[part * len(tensors) // o.parts:(part + 1) * len(tensors) // o.parts]
        if part == 0:
            values = [*metadata_of(o), *values]
        write(f"{stem}-{part + 1:05}-of-{o.parts:05}.gguf", values, own, f"{o.seed} part {part}")


def main():
    chosen = options()
    if chosen.shape:
        published(chosen)
    if chosen.every_type:
        write(chosen.file, [metadata("general.architecture", "string", "none")], list(every_type(chosen.seed)),
              chosen.seed)
    elif chosen.parts > 1:
        write_parts(chosen)
    else:
        write(chosen.file, list(metadata_of(chosen)), tensors_of(chosen), chosen.seed,
              1 << 12 if chosen.shape else 1 << 16)


if __name__ == "__main__":
    sys.exit(main())
