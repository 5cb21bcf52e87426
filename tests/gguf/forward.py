#!/usr/bin/env python3
"""The logits of a language model in a GGUF file, or the hidden states of an encoder, in f64.

usage: forward.py MODEL.gguf[+PART.gguf..] TOKENS OUT [FAULT...]

Written from the published models (Llama, Mixtral, Qwen 2 and 3, Phi 3, Gemma 1 to 3, GPT-2, BERT, gpt-oss; DeepSeek V2
and V3, Qwen 3.5 and Gemma 4 in files of their own), it shares nothing with plumb: neither the reader of the file nor
the formats of weights, which are scripts/packed_formats.py. TOKENS are ids, 1,2,3. OUT.npz has the result, and
OUTFAULT.npz that with one step wrong.
The fault `padded` is none of an encoder where the last two tokens are padding.
"""

import math
import pathlib
import struct
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import deepseek  # noqa: E402
import gemma4  # noqa: E402
import qwen35  # noqa: E402
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
    for name in [name for name in first.tensors if "ffn_gate_up_exps" in name]:
        halves = numpy.split(first.tensors[name], 2, axis=1)
        for part, half in zip(("gate", "up"), halves):
            first.tensors[name.replace("gate_up", part)] = half
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


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def silu(x):
    return x * sigmoid(x)


def gelu(x):
    return x / 2 * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2)))


def gelu_tanh(x):
    return x / 2 * (1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


FUNCTIONS = {"gemma": gelu_tanh, "gemma2": gelu_tanh, "gemma3": gelu_tanh, "gemma4": gelu_tanh, "gpt2": gelu_tanh,
             "bert": gelu}
PERIODS = {"gemma2": 2, "gemma3": 6, "gemma4": None, "gpt-oss": 2}


class Model:
    def __init__(self, file, fault, rows=None):
        """`rows`: of plumb's caches, where they are not 4 more than there are tokens."""
        self.file, self.fault, self.tensors, self.rows = file, fault, file.tensors, rows
        self.name = file.metadata["general.architecture"]
        self.epsilon = self.key("attention.layer_norm_rms_epsilon") or self.key("attention.layer_norm_epsilon")

    def key(self, key, usual=None):
        return self.file.metadata.get(f"{self.name}.{key}", usual)

    def linear(self, x, tensor):
        y = x @ self.tensors[f"{tensor}.weight"].T
        bias = self.tensors.get(f"{tensor}.bias")
        return y if bias is None or (self.fault == "bias" and "attn_output" in tensor) else y + bias

    def norm(self, x, tensor):
        weight, bias = self.tensors[f"{tensor}.weight"], self.tensors.get(f"{tensor}.bias")
        if bias is None:
            return rms(x, weight, self.epsilon)
        centred = x if self.fault == "norm_mean" else x - x.mean(axis=-1, keepdims=True)
        return rms(centred, weight, self.epsilon) + bias

    def window(self, block):
        """How many keys a query sees; none: all."""
        period = self.key("attention.sliding_window_pattern", PERIODS.get(self.name))
        window = self.key("attention.sliding_window")
        if self.name not in PERIODS or not window:
            return None
        has_window = period[block] if isinstance(period, list) else block % period < period - 1
        if has_window == (self.fault == "parity"):
            return None
        return window + (self.fault == "window")

    def divisors(self, tokens, window):
        if self.name == "llama" and "rope_freqs.weight" in self.tensors:
            return self.tensors["rope_freqs.weight"]
        if self.name == "gemma4" and not window and self.fault != "divisors":
            return self.tensors["rope_freqs.weight"]
        if self.name == "phi3" and "rope_factors_long.weight" in self.tensors:
            rows = self.rows or tokens + 4
            is_long = rows > self.key("rope.scaling.original_context_length")
            return self.tensors[f"rope_factors_{'long' if is_long != (self.fault == 'factors') else 'short'}.weight"]
        return 1.0

    def angles(self, tokens, window):
        """Cosines and sines [tokens, 1, n/2], which tables hold in f32."""
        n, base = self.key("rope.dimension_count"), self.key("rope.freq_base")
        has_own = self.name == "gemma3" and window and self.fault != "window_base"
        base = 10000.0 if has_own else base
        if self.name == "gemma4" and window:
            n = self.key("rope.dimension_count_swa")
            base = base if self.fault == "window_base" else self.key("rope.freq_base_swa")
        i = numpy.arange(n // 2)
        angle = base ** (-2.0 * i / n) / self.divisors(tokens, window)
        grown = 1.0 if self.fault == "attention_factor" else self.key("rope.scaling.attn_factor", 1.0)
        scaling, factor = self.key("rope.scaling.type"), self.key("rope.scaling.factor")
        if scaling == "linear" and not has_own:
            angle = angle / factor
        if scaling == "yarn" and self.fault != "yarn":
            first = self.key("rope.scaling.original_context_length")
            scale = n / (2 * numpy.log(base))
            pair = lambda turns: scale * numpy.log(first / (turns * 2 * numpy.pi))
            low, high = max(0, numpy.floor(pair(32))), min(n - 1, numpy.ceil(pair(1)))
            kept = 1 - numpy.clip((i - low) / max(0.001, high - low), 0, 1)
            angle = angle / factor * (1 - kept) + angle * kept
            if (self.name == "deepseek2") == (self.fault == "magnitude"):
                grown = 1 + 0.1 * numpy.log(factor)
        position = numpy.arange(tokens) + (1 if self.fault == "positions" else 0)
        turned = position[:, None, None] * angle
        return [numpy.float32(grown * part(turned)).astype(float) for part in (numpy.cos, numpy.sin)]

    def rotate(self, x, cosines, sines):
        x = x.copy()
        n = 2 * cosines.shape[-1]
        is_interleaved = (self.name in ("llama", "deepseek2")) != (self.fault == "halves")
        first, second = (slice(0, n, 2), slice(1, n, 2)) if is_interleaved else (slice(0, n // 2), slice(n // 2, n))
        a, b = x[..., first].copy(), x[..., second].copy()
        x[..., first], x[..., second] = a * cosines - b * sines, a * sines + b * cosines
        return x

    def heads(self, x, prefix):
        """q, k and v, [tokens, heads, length] each."""
        length = self.key("attention.key_length")
        if f"{prefix}attn_qkv.weight" in self.tensors:
            q, k = (self.key(f"attention.head_count{one}") * length for one in ("", "_kv"))
            parts = numpy.split(self.linear(x, f"{prefix}attn_qkv"), [q, q + k], axis=-1)
        else:
            parts = [self.linear(x, f"{prefix}attn_{name}") for name in "qkv"]
        if self.fault == "qkv_order":
            parts = [parts[0], parts[2], parts[1]]
        return [part.reshape(len(x), -1, length) for part in parts]

    def hidden_keys(self, tokens, window):
        """Which keys (columns) a query (row) does not see."""
        hidden, ones = numpy.zeros((tokens, tokens), bool), numpy.ones((tokens, tokens), bool)
        if self.name != "bert":
            hidden |= numpy.triu(ones, 0 if self.fault == "causality" else 1)
        elif self.fault == "causality":
            hidden |= numpy.triu(ones, 1)
        if window:
            hidden |= numpy.tril(ones, -window)
        if self.fault == "padded":
            hidden[:, -2:] = True
        return hidden

    def attention(self, x, prefix, window):
        if self.name == "deepseek2":
            return deepseek.attention(self, x, prefix)
        gate = 1.0
        q, k, v = self.heads(x, prefix)
        if self.name.startswith("qwen35"):
            q, gate = qwen35.gated_heads(self, x, prefix)
        if f"{prefix}attn_q_norm.weight" in self.tensors and self.fault != "head_norms":
            q, k = self.norm(q, f"{prefix}attn_q_norm"), self.norm(k, f"{prefix}attn_k_norm")
        if self.key("rope.dimension_count"):
            cosines, sines = self.angles(len(x), window)
            q, k = self.rotate(q, cosines, sines), self.rotate(k, cosines, sines)
        heads = numpy.arange(q.shape[1])
        shared = heads % k.shape[1] if self.fault == "tiled_heads" else heads * k.shape[1] // q.shape[1]
        scores = numpy.einsum("ihd,jhd->hij", q, k[:, shared]) / numpy.sqrt(q.shape[-1])
        if self.name == "gemma2" and self.fault != "softcap":
            scores = 50 * numpy.tanh(scores / 50)
        scores[:, self.hidden_keys(len(x), window)] = -1e300
        if f"{prefix}attn_sinks.weight" in self.tensors and self.fault != "sinks":
            sinks = numpy.broadcast_to(self.tensors[f"{prefix}attn_sinks.weight"][:, None, None], scores[..., :1].shape)
            scores = softmax(numpy.concatenate([scores, sinks], axis=-1))[..., :-1]
        else:
            scores = softmax(scores)
        y = (numpy.einsum("hij,jhd->ihd", scores, v[:, shared]) * gate).reshape(len(x), -1)
        return self.linear(y, f"{prefix}attn_output")

    def opened(self, gate, up):
        """A gate times what it lets through."""
        if self.name == "gpt-oss":
            limit = numpy.inf if self.fault == "limit" else 7
            gate, up = numpy.minimum(gate, limit), numpy.clip(up, -limit, limit)
            alpha = float(numpy.float32(1.702))  # as f32 has it
            return gate * sigmoid(alpha * gate) * (up + (self.fault != "offset"))
        function = {"gate": lambda x: x, "silu": silu}.get(self.fault, FUNCTIONS.get(self.name, silu))
        return function(gate) * up

    def expert(self, x, prefix, expert):
        of = lambda name: self.tensors[f"{prefix}ffn_{name}_exps.weight"][expert]
        bias = lambda name: 0 if self.fault == "expert_bias" else self.tensors.get(
            f"{prefix}ffn_{name}_exps.bias", {expert: 0})[expert]
        hidden = self.opened(x @ of("gate").T + bias("gate"), x @ of("up").T + bias("up"))
        return hidden @ of("down").T + bias("down")

    def mixture(self, x, prefix):
        if self.name == "deepseek2":
            return deepseek.mixture(self, x, prefix)
        scores = softmax(self.linear(x, f"{prefix}ffn_gate_inp"))
        y = numpy.zeros_like(x)
        for row, score in enumerate(scores):
            chosen = numpy.argsort(-score, kind="stable")[:self.key("expert_used_count")]
            is_whole = (self.name == "qwen2moe") != (self.fault == "gate_sum")
            weights = score[chosen] / (1 if is_whole else score[chosen].sum())
            for expert, weight in zip(chosen, weights):
                if self.fault == "expert":
                    expert = (expert + 1) % len(score)
                y[row] += weight * self.expert(x[row], prefix, expert)
        if self.name not in ("qwen2moe", "qwen35moe") or self.fault == "shared":
            return y
        hidden = self.opened(self.linear(x, f"{prefix}ffn_gate_shexp"), self.linear(x, f"{prefix}ffn_up_shexp"))
        gate = sigmoid(x @ self.tensors[f"{prefix}ffn_gate_inp_shexp.weight"])[:, None]
        return y + self.linear(hidden, f"{prefix}ffn_down_shexp") * (1 if self.fault == "shared_gate" else gate)

    def feed_forward(self, x, prefix):
        if f"{prefix}ffn_gate_inp.weight" in self.tensors:
            return self.mixture(x, prefix)
        up = self.linear(x, f"{prefix}ffn_up")
        if self.name in ("gpt2", "bert"):
            function = {"erf": gelu, "tanh": gelu_tanh}.get(self.fault, FUNCTIONS[self.name])
            return self.linear(function(up), f"{prefix}ffn_down")
        if self.name == "phi3":
            halves = numpy.split(up, 2, axis=-1)
            gate, up = halves[::-1] if self.fault == "gate_order" else halves
        else:
            gate = self.linear(x, f"{prefix}ffn_gate")
        return self.linear(self.opened(gate, up), f"{prefix}ffn_down")

    def encoded(self, tokens):
        of = self.tensors
        x = of["token_embd.weight"][tokens] + of["token_types.weight"][1 if self.fault == "type" else 0]
        x = x + of["position_embd.weight"][:len(tokens)]
        x = x if self.fault == "embedding_norm" else self.norm(x, "token_embd_norm")
        for i in range(self.key("block_count")):
            x = self.norm(x + self.attention(x, f"blk.{i}.", None), f"blk.{i}.attn_output_norm")
            x = self.norm(x + self.feed_forward(x, f"blk.{i}."), f"blk.{i}.layer_output_norm")
        return x

    def branch(self, y, norm):
        has_norm = self.name in ("gemma2", "gemma3") and self.fault != "post_norms"
        return self.norm(y, norm) if has_norm else y

    def mixer(self, x, block):
        if self.name.startswith("qwen35") and qwen35.is_linear(self, block):
            return qwen35.linear_attention(self, x, f"blk.{block}.")
        return self.attention(x, f"blk.{block}.", self.window(block))

    def blocks(self, x):
        for i in range(self.key("block_count") - self.key("nextn_predict_layers", 0)):
            prefix = f"blk.{i}."
            attended = self.mixer(self.norm(x, f"{prefix}attn_norm"), i)
            x = x + self.branch(attended, f"{prefix}post_attention_norm")
            is_behind = self.name in ("gpt-oss", "qwen35", "qwen35moe")
            norm = "post_attention_norm" if is_behind else "ffn_norm"
            fed = self.feed_forward(self.norm(x, f"{prefix}{norm}"), prefix)
            x = x + self.branch(fed, f"{prefix}post_ffw_norm")
        return x

    def logits(self, tokens, last=1):
        """Those of so many of the last tokens, [last, V]."""
        embeddings = self.tensors["token_embd.weight"]
        x = embeddings[tokens]
        if self.name.startswith("gemma") and self.fault != "embedding_scale":
            x = x * float(numpy.sqrt(numpy.float32(x.shape[-1])))
        if "position_embd.weight" in self.tensors:
            x = x + self.tensors["position_embd.weight"][numpy.arange(len(tokens)) + (self.fault == "positions")]
        x = gemma4.blocks(self, x, tokens) if self.name == "gemma4" else self.blocks(x)
        x = x if self.fault == "last_norm" else self.norm(x, "output_norm")
        y = x[-last:] @ self.tensors.get("output.weight", embeddings).T
        cap = {"gemma2": 30, "gemma4": self.key("final_logit_softcapping")}.get(self.name)
        return cap * numpy.tanh(y / cap) if cap and self.fault != "logit_cap" else y


def main():
    path, tokens, out = sys.argv[1:4]
    file = model_of(path.split("+"))
    for fault in ["", *sys.argv[4:]]:
        model, ids = Model(file, fault), [int(one) for one in tokens.split(",")]
        if model.name == "bert":
            numpy.savez(f"{out}{fault}.npz", hidden=model.encoded(ids)[None])
        else:
            numpy.savez(f"{out}{fault}.npz", logits=model.logits(ids)[None])


if __name__ == "__main__":
    main()
