#!/usr/bin/env python3
"""The logits of a language model in a GGUF file, in f64.

usage: forward.py MODEL.gguf[+PART.gguf..] TOKENS OUT [FAULT...]

Written from the published models (Llama, Qwen 2, Qwen 3, Mixtral), it shares nothing with plumb: neither the reader of
the file nor the formats of weights, which are scripts/packed_formats.py. TOKENS are ids, 1,2,3. OUT.npz
has the logits, and OUTFAULT.npz those with one step wrong.
"""

import pathlib
import struct
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from packed_formats import FORMATS, Block  # noqa: E402

PLAIN = {0: "<f4", 1: "<f2", 28: "<f8"}
BLOCKS = {2: "q4_0", 3: "q4_1", 6: "q5_0", 7: "q5_1", 8: "q8_0", 10: "q2_k", 11: "q3_k", 12: "q4_k", 13: "q5_k",
          14: "q6_k", 20: "iq4_nl", 23: "iq4_xs", 39: "mxfp4"}
SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}


def model_of(paths):
    """A model in one file, or the parts of one, whose metadata are the first's."""
    first, *others = [File(path) for path in paths]
    for other in others:
        first.tensors |= other.tensors
    for name in [name for name in first.tensors if name.endswith(".0.weight")]:
        prefix, banks = name.removesuffix(".0.weight"), []
        while f"{prefix}.{len(banks)}.weight" in first.tensors:
            banks.append(first.tensors[f"{prefix}.{len(banks)}.weight"])
        first.tensors[f"{prefix}_exps.weight"] = numpy.stack(banks)
    return first


class File:
    """Metadata by key, and tensors in f64 by name."""

    def __init__(self, path):
        self.data, self.at = pathlib.Path(path).read_bytes(), 8
        tensors, values = self.take("<Q"), self.take("<Q")
        self.metadata = {self.text(): self.value(self.take("<I")) for _ in range(values)}
        infos = []
        for _ in range(tensors):
            name = self.text()
            shape = [self.take("<Q") for _ in range(self.take("<I"))][::-1]
            infos.append((name, shape, self.take("<I"), self.take("<Q")))
        start = -(-self.at // 32) * 32
        self.tensors = {name: self.numbers(shape, kind, start + offset) for name, shape, kind, offset in infos}

    def take(self, form):
        number = struct.unpack_from(form, self.data, self.at)[0]
        self.at += struct.calcsize(form)
        return number

    def text(self):
        length = self.take("<Q")
        self.at += length
        return self.data[self.at - length:self.at].decode()

    def value(self, kind):
        if kind == 8:
            return self.text()
        if kind == 9:
            inner = self.take("<I")
            return [self.value(inner) for _ in range(self.take("<Q"))]
        return self.take(SCALARS[kind])

    def numbers(self, shape, kind, at):
        count = int(numpy.prod(shape))
        if kind in PLAIN:
            return numpy.frombuffer(self.data, PLAIN[kind], count, at).reshape(shape).astype(float)
        if kind == 30:
            words = numpy.frombuffer(self.data, "<u2", count, at).astype("<u4") << 16
            return words.view("<f4").reshape(shape).astype(float)
        elements, size, _, value = FORMATS[BLOCKS[kind]]
        blocks = (Block(self.data[at + k * size:at + (k + 1) * size]) for k in range(count // elements))
        decoded = [numpy.float32(float(value(block, e))) for block in blocks for e in range(elements)]
        return numpy.array(decoded, float).reshape(shape)


def rms(x, weight, epsilon):
    return x / numpy.sqrt(numpy.mean(x * x, axis=-1, keepdims=True) + epsilon) * weight


def softmax(x):
    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def silu(x):
    return x / (1 + numpy.exp(-x))


class Model:
    def __init__(self, file, fault):
        self.file, self.fault = file, fault
        self.name = file.metadata["general.architecture"]
        self.epsilon = self.key("attention.layer_norm_rms_epsilon")

    def key(self, key, usual=None):
        return self.file.metadata.get(f"{self.name}.{key}", usual)

    def linear(self, x, tensor):
        y = x @ self.file.tensors[f"{tensor}.weight"].T
        bias = self.file.tensors.get(f"{tensor}.bias")
        return y if bias is None else y + bias

    def norm(self, x, tensor):
        return rms(x, self.file.tensors[f"{tensor}.weight"], self.epsilon)

    def angles(self, tokens):
        """Cosines and sines [tokens, 1, n/2], which tables hold in f32."""
        n = self.key("rope.dimension_count")
        i = numpy.arange(n // 2)
        angle = self.key("rope.freq_base") ** (-2.0 * i / n)
        if self.name == "llama" and "rope_freqs.weight" in self.file.tensors:
            angle = angle / self.file.tensors["rope_freqs.weight"]
        grown = 1.0
        if self.key("rope.scaling.type") == "yarn":
            factor, first = self.key("rope.scaling.factor"), self.key("rope.scaling.original_context_length")
            scale = n / (2 * numpy.log(self.key("rope.freq_base")))
            pair = lambda turns: scale * numpy.log(first / (turns * 2 * numpy.pi))
            low, high = max(0, numpy.floor(pair(32))), min(n - 1, numpy.ceil(pair(1)))
            kept = 1 - numpy.clip((i - low) / max(0.001, high - low), 0, 1)
            angle, grown = angle / factor * (1 - kept) + angle * kept, 1 + 0.1 * numpy.log(factor)
        position = numpy.arange(tokens) + (1 if self.fault == "positions" else 0)
        turned = position[:, None, None] * angle
        return [numpy.float32(grown * part(turned)).astype(float) for part in (numpy.cos, numpy.sin)]

    def rotate(self, x, cosines, sines):
        x = x.copy()
        n = 2 * cosines.shape[-1]
        is_interleaved = (self.name == "llama") != (self.fault == "halves")
        first, second = (slice(0, n, 2), slice(1, n, 2)) if is_interleaved else (slice(0, n // 2), slice(n // 2, n))
        a, b = x[..., first].copy(), x[..., second].copy()
        x[..., first], x[..., second] = a * cosines - b * sines, a * sines + b * cosines
        return x

    def attention(self, x, prefix):
        tokens, length = len(x), self.key("attention.key_length")
        q, k, v = (self.linear(x, f"{prefix}attn_{name}").reshape(tokens, -1, length) for name in "qkv")
        if f"{prefix}attn_q_norm.weight" in self.file.tensors and self.fault != "head_norms":
            q, k = self.norm(q, f"{prefix}attn_q_norm"), self.norm(k, f"{prefix}attn_k_norm")
        cosines, sines = self.angles(tokens)
        q, k = self.rotate(q, cosines, sines), self.rotate(k, cosines, sines)
        heads = numpy.arange(q.shape[1])
        shared = heads % k.shape[1] if self.fault == "tiled_heads" else heads * k.shape[1] // q.shape[1]
        scores = numpy.einsum("ihd,jhd->hij", q, k[:, shared]) / numpy.sqrt(length)
        scores[:, numpy.triu(numpy.ones((tokens, tokens), bool), 0 if self.fault == "causality" else 1)] = -1e300
        y = numpy.einsum("hij,jhd->ihd", softmax(scores), v[:, shared]).reshape(tokens, -1)
        return self.linear(y, f"{prefix}attn_output")

    def gated(self, x, gate, up, down):
        opened = x @ gate.T
        return ((silu(opened) if self.fault != "gate" else opened) * (x @ up.T)) @ down.T

    def feed_forward(self, x, prefix):
        of = lambda name: self.file.tensors[f"{prefix}ffn_{name}.weight"]
        if f"{prefix}ffn_gate_inp.weight" not in self.file.tensors:
            return self.gated(x, of("gate"), of("up"), of("down"))
        scores = softmax(x @ of("gate_inp").T)
        y = numpy.zeros_like(x)
        for row, score in enumerate(scores):
            chosen = numpy.argsort(-score, kind="stable")[:self.key("expert_used_count")]
            weights = score[chosen] / (1 if self.fault == "gate_sum" else score[chosen].sum())
            for expert, weight in zip(chosen, weights):
                if self.fault == "expert":
                    expert = (expert + 1) % len(score)
                y[row] += weight * self.gated(x[row], of("gate_exps")[expert], of("up_exps")[expert],
                                              of("down_exps")[expert])
        return y

    def logits(self, tokens):
        embeddings = self.file.tensors["token_embd.weight"]
        x = embeddings[tokens]
        for i in range(self.key("block_count")):
            x = x + self.attention(self.norm(x, f"blk.{i}.attn_norm"), f"blk.{i}.")
            x = x + self.feed_forward(self.norm(x, f"blk.{i}.ffn_norm"), f"blk.{i}.")
        x = x if self.fault == "last_norm" else self.norm(x, "output_norm")
        return x[-1:] @ self.file.tensors.get("output.weight", embeddings).T


def main():
    path, tokens, out = sys.argv[1:4]
    file = model_of(path.split("+"))
    for fault in ["", *sys.argv[4:]]:
        logits = Model(file, fault).logits([int(one) for one in tokens.split(",")])
        numpy.savez(f"{out}{fault}.npz", logits=logits[None])


if __name__ == "__main__":
    main()
