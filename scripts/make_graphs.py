#!/usr/bin/env python3
"""Writes the model graphs of fixtures/graphs: usage: make_graphs.py [--check] [FOLDER]

With --check nothing is written; the files that differ from what would be are named,
and the exit status is 1 when there are any.
"""

import argparse
import math
import pathlib
import random
import sys

sys.dont_write_bytecode = True  # a run leaves nothing beside the scripts
from graph_writer import Graph  # noqa: E402


def bert(why, layers, width, heads, hidden, batch, length, words, vocabulary):
    """BERT (Devlin et al. 2019): embeddings, post-norm encoder, pooler. `words` tokens of
    `length` are words, the rest is padding that no token attends to."""
    g = Graph(why)
    tokens = f"i32[{batch}, {length}]"
    g.input("token_ids", tokens, fill={"distribution": "uniform_int", "low": 0, "high": vocabulary})
    g.input("type_ids", tokens, fill={"distribution": "uniform_int", "low": 0, "high": 2})
    g.input("attention_mask", tokens, values=([1] * words + [0] * (length - words)) * batch)
    tables = {name: g.param(f"embeddings/{name}.table", [rows, width], scale=1.0)
              for name, rows in (("words", vocabulary), ("positions", 512), ("types", 2))}
    word = g.node("embeddings/words", "gather", tables["words"], "token_ids")
    types = g.node("embeddings/types", "gather", tables["types"], "type_ids")
    positions = g.node("embeddings/positions", "slice", tables["positions"], axes=[0], starts=[0], sizes=[length])
    x = g.add("embeddings/sum", g.add("embeddings/words_and_types", word, types), positions)
    x = g.layer_norm("embeddings/norm", x, width, 1e-12)
    mask = g.reshape("mask", g.node("mask/bool", "cast", "attention_mask", to="bool"), batch, 1, 1, length)
    for layer in range(layers):
        name = f"layer{layer}"
        y = bert_attention(g, f"{name}/attn", x, mask, width, heads, batch, length)
        x = g.layer_norm(f"{name}/attn/norm", g.add(f"{name}/attn/residual", x, y), width, 1e-12)
        y = g.feed_forward(f"{name}/ff", x, width, hidden)
        x = g.layer_norm(f"{name}/ff/norm", g.add(f"{name}/ff/residual", x, y), width, 1e-12)
    first = g.node("pooler/first", "slice", x, axes=[1], starts=[0], sizes=[1])
    pooled = g.linear("pooler/linear", g.reshape("pooler/row", first, batch, width), width, width)
    g.results = [x, g.unary("pooler", "tanh", pooled)]
    return g


def bert_attention(g, name, x, mask, width, heads, batch, length):
    def projected(part):
        y = g.linear(f"{name}/{part}", x, width, width)
        y = g.reshape(f"{name}/{part}/split", y, batch, length, heads, width // heads)
        return g.transpose(f"{name}/{part}/heads", y, 0, 2, 1, 3)
    q, k, v = (projected(part) for part in "qkv")
    y = g.node(f"{name}/attention", "attention", q, k, v, mask, has_mask=True)
    y = g.transpose(f"{name}/merge", y, 0, 2, 1, 3)
    return g.linear(f"{name}/out", g.reshape(f"{name}/joined", y, batch, length, width), width, width)


def eeg_encoder():
    """EEG-DINO small (Wang et al. 2025): one second patches of 19 channels, embedded in time and in
    frequency, then 12 pre-norm blocks; the class token joins after the first."""
    channels, patches, length, width, heads, hidden, layers = 19, 10, 200, 200, 8, 512, 12
    g = Graph("an EEG encoder after EEG-DINO small: are convolutional patches, a spectrum, mid-axis broadcasts, "
              "heads of 25 and 191 tokens right in one graph?")
    samples = g.input("samples", f"f32{[1, channels, patches, length]}",
                      fill={"distribution": "normal", "mean": 0, "scale": 1})
    x = g.add("patch/embedding", eeg_time(g, samples, channels, patches, length),
              eeg_spectrum(g, samples, length, width))
    x = g.add("patch/with_channel", x, g.param("channel_embedding", [1, channels, 1, width]))
    across = g.transpose("time/channels_first", x, 0, 3, 1, 2)
    across = g.node("time/conv", "conv", across, g.param("time/conv.weight", [width, 1, 1, 5], scale=5**-0.5),
                    g.param("time/conv.bias", [width]), pads=[0, 2, 0, 2], group=width, has_bias=True)
    x = g.add("tokens/embedding", x, g.transpose("time/embedding", across, 0, 2, 3, 1))
    count = channels * patches
    x = g.reshape("tokens", x, 1, count, width)
    for layer in range(layers):
        name = f"layer{layer}"
        y = g.layer_norm(f"{name}/attn/norm", x, width, 1e-5)
        x = g.add(f"{name}/attn/residual", x, eeg_attention(g, f"{name}/attn", y, count, width, heads))
        y = g.layer_norm(f"{name}/ff/norm", x, width, 1e-5)
        x = g.add(f"{name}/ff/residual", x, g.feed_forward(f"{name}/ff", y, width, hidden))
        if layer == 0:
            x = g.node("tokens/with_class", "concat", g.param("class_token", [1, 1, width]), x, axis=1)
            count += 1
    g.node("out", "split", x, axis=1, sizes=[1, count - 1])
    g.results = ["out", "out:1"]
    return g


def eeg_time(g, samples, channels, patches, length):
    x = g.reshape("patch/rows", samples, 1, 1, channels * patches, length)
    planes, before = 25, 1
    for i, (kernel, stride) in enumerate(((49, 25), (3, 1), (3, 1))):
        name, pad = f"patch/conv{i}", kernel // 2
        weight = g.param(f"{name}.weight", [planes, before, 1, kernel], scale=(before * kernel)**-0.5)
        x = g.node(name, "conv", x, weight, g.param(f"{name}.bias", [planes]), strides=[1, stride],
                   pads=[0, pad, 0, pad], has_bias=True)
        scale = g.param(f"{name}/norm.scale", [planes], mean=1.0, scale=0.1)
        x = g.node(f"{name}/norm", "group_norm", x, scale, g.param(f"{name}/norm.bias", [planes]), num_groups=5)
        x, before = g.unary(f"{name}/gelu", "gelu", x), planes
    x = g.reshape("patch/planes", x, 1, planes, channels, patches, length // 25)
    x = g.transpose("patch/planes_last", x, 0, 2, 3, 1, 4)
    return g.reshape("patch/time", x, 1, channels, patches, length)


def eeg_spectrum(g, samples, length, width):
    """The magnitudes of the real Fourier transform of every patch, over `length`, projected."""
    spectrum = g.node("spectrum", "rfft", samples, norm="forward")
    magnitude = g.node("spectrum/magnitude", "complex_part", spectrum, function="abs")
    return g.linear("patch/frequency", magnitude, length // 2 + 1, width)


def eeg_attention(g, name, x, count, width, heads):
    """Queries and values have a bias, keys have none."""
    qkv = g.linear(f"{name}/qkv", x, width, 3 * width, bias=False)
    g.node(f"{name}/parts", "split", qkv, axis=2, sizes=[width] * 3)
    q = g.add(f"{name}/q", f"{name}/parts", g.param(f"{name}/q.bias", [width]))
    v = g.add(f"{name}/v", f"{name}/parts:2", g.param(f"{name}/v.bias", [width]))
    split = [g.reshape(f"{name}/{part}/heads", y, 1, count, heads, width // heads)
             for part, y in (("q", q), ("k", f"{name}/parts:1"), ("v", v))]
    y = g.node(f"{name}/attention", "attention", *split, layout="bshd")
    return g.linear(f"{name}/out", g.reshape(f"{name}/joined", y, 1, count, width), width, width)


def llama_block():
    """One block of Llama (Touvron et al. 2023) with grouped keys and values."""
    length, width, heads, groups, hidden = 64, 256, 8, 2, 688
    extent = width // heads
    g = Graph("a decoder block after Llama: are rms_norm, rope by halves, grouped causal attention and SwiGLU right "
              "in one graph?")
    x = g.input("x", f"f32{[1, length, width]}", fill={"distribution": "normal", "mean": 0, "scale": 1})
    frequency = g.unary("rope/frequency", "exp",
                        g.count("rope/log_frequency", [1, extent // 2], 0, round(-2 / extent * math.log(10000), 9)))
    angle = g.binary("rope/angle", "multiply", g.count("rope/position", [length, 1]), frequency)
    tables = [g.unary(f"rope/{function}", function, angle) for function in ("cos", "sin")]
    y = g.rms_norm("attn/norm", x, width, 1e-5)
    def projected(part, count):
        z = g.linear(f"attn/{part}", y, width, count * extent, bias=False)
        z = g.reshape(f"attn/{part}/split", z, 1, length, count, extent)
        return g.transpose(f"attn/{part}/heads", z, 0, 2, 1, 3)
    q = g.node("attn/q/rope", "rope", projected("q", heads), *tables)
    k = g.node("attn/k/rope", "rope", projected("k", groups), *tables)
    z = g.node("attn/attention", "attention", q, k, projected("v", groups), causal=True)
    z = g.reshape("attn/joined", g.transpose("attn/merge", z, 0, 2, 1, 3), 1, length, width)
    x = g.add("attn/residual", x, g.linear("attn/out", z, width, width, bias=False))
    y = g.rms_norm("ff/norm", x, width, 1e-5)
    gate = g.unary("ff/silu", "silu", g.linear("ff/gate", y, width, hidden, bias=False))
    y = g.binary("ff/gated", "multiply", gate, g.linear("ff/up", y, width, hidden, bias=False))
    g.results = [g.add("ff/residual", x, g.linear("ff/down", y, hidden, width, bias=False))]
    return g


def vit_block():
    """One block of a vision transformer (Dosovitskiy et al. 2021) whose queries, keys and values are one product."""
    batch, count, width, heads, hidden = 2, 50, 96, 6, 192
    g = Graph("a block of a vision transformer, queries, keys and values from one product: are they taken apart right, "
              "or read right where they lie?")
    x = g.input("x", f"f32{[batch, count, width]}", fill={"distribution": "normal", "mean": 0, "scale": 1})
    y = g.linear("attn/qkv", g.layer_norm("attn/norm", x, width, 1e-6), width, 3 * width)
    y = g.transpose("attn/parts", g.reshape("attn/heads", y, batch, count, 3, heads, width // heads), 2, 0, 3, 1, 4)
    def part(name, index):
        z = g.node(f"attn/{name}/part", "slice", y, axes=[0], starts=[index], sizes=[1])
        return g.reshape(f"attn/{name}", z, batch, heads, count, width // heads)
    z = g.node("attn/attention", "attention", *(part(name, i) for i, name in enumerate("qkv")))
    z = g.reshape("attn/joined", g.transpose("attn/merge", z, 0, 2, 1, 3), batch, count, width)
    x = g.add("attn/residual", x, g.linear("attn/out", z, width, width))
    y = g.feed_forward("ff", g.layer_norm("ff/norm", x, width, 1e-6), width, hidden)
    g.results = [g.add("ff/residual", x, y)]
    return g


def short_conv(g, name, x, batch, length, width):
    """A causal convolution of every channel with its own four taps."""
    y = g.transpose(f"{name}/channels_first", x, 0, 2, 1)
    y = g.node(name, "conv", y, g.param(f"{name}.weight", [width, 1, 4], scale=0.5), g.param(f"{name}.bias", [width]),
               pads=[3, 3], group=width, has_bias=True)
    y = g.node(f"{name}/causal", "slice", y, axes=[2], starts=[0], sizes=[length])
    return g.transpose(f"{name}/channels_last", y, 0, 2, 1)


def mamba_block():
    """One block of Mamba (Gu and Dao 2023)."""
    batch, length, width, inner, states, rank = 2, 100, 64, 128, 16, 4
    g = Graph("a block of Mamba: are the selective scan, its step sizes by softplus and its gate right in one graph?")
    x = g.input("x", f"f32{[batch, length, width]}", fill={"distribution": "normal", "mean": 0, "scale": 1})
    y = g.linear("in", g.rms_norm("norm", x, width, 1e-5), width, 2 * inner, bias=False)
    g.node("parts", "split", y, axis=2, sizes=[inner, inner])
    u = g.unary("conv/silu", "silu", short_conv(g, "conv", "parts", batch, length, inner))
    g.node("selection", "split", g.linear("select", u, inner, rank + 2 * states, bias=False), axis=2,
           sizes=[rank, states, states])
    step = g.unary("step", "softplus", g.add("step/sum", g.linear("step/product", "selection", rank, inner, bias=False),
                                             g.param("step.bias", [inner], mean=-3.0, scale=1.0)))
    # The logarithms of 1 to 16 for every channel, as S4D-Real begins.
    row = g.unary("rate/log", "log", g.count("rate/count", [1, states], 1))
    rate = g.unary("rate/exp", "exp", g.add("rate/noisy", row, g.param("rate.noise", [inner, states], scale=0.1)))
    rate = g.unary("rate", "negate", rate)
    skip = g.param("skip", [inner], mean=1.0)
    y = g.node("scan", "selective_scan", u, step, rate, "selection:1", "selection:2", skip, has_skip=True)
    y = g.binary("gated", "multiply", y, g.unary("gate", "silu", "parts:1"))
    g.results = [g.add("residual", x, g.linear("out", y, inner, width, bias=False)), "scan:1"]
    return g


def gated_delta_block():
    """One block of a gated delta net (Yang, Kautz and Hatamizadeh 2024)."""
    batch, length, width, heads, extent = 1, 100, 128, 4, 32
    g = Graph("a block of a gated delta net: are normalised keys, strengths, decays and the gated norm right in one "
              "graph?")
    x = g.input("x", f"f32{[batch, length, width]}", fill={"distribution": "normal", "mean": 0, "scale": 1})
    y = g.rms_norm("norm", x, width, 1e-5)
    def projected(part):
        z = short_conv(g, f"{part}/conv", g.linear(part, y, width, width, bias=False), batch, length, width)
        return g.reshape(f"{part}/heads", g.unary(f"{part}/silu", "silu", z), batch, length, heads, extent)
    q, k = (g.node(f"{part}/unit", "lp_norm", projected(part), axis=3) for part in "qk")
    beta = g.unary("beta", "sigmoid", g.linear("strength", y, width, heads, bias=False))
    step = g.unary("step", "softplus", g.add("step/sum", g.linear("step/product", y, width, heads, bias=False),
                                             g.param("step.bias", [heads], mean=-4.5, scale=1.0)))
    rate = g.unary("rate", "negate", g.unary("rate/exp", "exp", g.param("rate.log", [heads], mean=1.0, scale=1.0)))
    decay = g.binary("decay", "multiply", step, rate)
    z = g.node("rule", "gated_delta_net", q, k, projected("v"), decay, beta)
    gate = g.unary("gate/silu", "silu", g.linear("gate", y, width, width, bias=False))
    z = g.reshape("joined", g.rms_norm("rule/norm", z, extent, 1e-5), batch, length, width)
    z = g.binary("gated", "multiply", z, gate)
    g.results = [g.add("residual", x, g.linear("out", z, width, width, bias=False)), "rule:1"]
    return g


def resnet18():
    """ResNet-18 (He et al. 2015) for one image."""
    g = Graph("ResNet-18, one image of 224 x 224: does a whole convolutional network agree everywhere?")
    x = g.input("image", "f32[1, 3, 224, 224]", fill={"distribution": "normal", "mean": 0, "scale": 1})
    x = g.conv("stem/conv", x, 3, 64, 7, stride=2)
    x = g.unary("stem/relu", "relu", g.batch_norm("stem/norm", x, 64))
    x = g.node("stem/pool", "pool", x, function="max", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for stage, filters in enumerate((64, 128, 256, 512)):
        for block in range(2):
            stride = 2 if stage > 0 and block == 0 else 1
            x = resnet_block(g, f"stage{stage}/block{block}", x, channels, filters, stride)
            channels = filters
    x = g.node("head/pool", "reduce", x, function="mean", axes=[2, 3], keep_dims=False)
    weight, bias = g.param("head.weight", [512, 1000], scale=512**-0.5), g.param("head.bias", [1000])
    g.results = [g.node("head/gemm", "gemm", x, weight, bias, has_c=True)]
    return g


def resnet_block(g, name, x, channels, filters, stride):
    y = g.conv(f"{name}/conv0", x, channels, filters, 3, stride)
    y = g.unary(f"{name}/relu0", "relu", g.batch_norm(f"{name}/norm0", y, filters))
    y = g.batch_norm(f"{name}/norm1", g.conv(f"{name}/conv1", y, filters, filters, 3), filters)
    if stride > 1:
        x = g.batch_norm(f"{name}/short/norm", g.conv(f"{name}/short/conv", x, channels, filters, 1, stride), filters)
    return g.unary(f"{name}/relu1", "relu", g.add(f"{name}/residual", x, y))


def lstm_tagger():
    """A tagger of words (Huang, Xu and Yu 2015): embeddings, two bidirectional layers, a label for each word."""
    length, batch, words, width, units, labels = 12, 3, 50, 16, 24, 9
    g = Graph("a tagger of words by two bidirectional LSTM layers, of sentences of three lengths")
    g.input("token_ids", f"i32[{length}, {batch}]", fill={"distribution": "uniform_int", "low": 0, "high": words})
    g.input("lengths", f"i32[{batch}]", values=[length, length - 3, length - 5])
    x = g.node("embeddings", "gather", g.param("embeddings.table", [words, width], scale=1.0), "token_ids")
    for layer in range(2):
        label, inputs = f"layer{layer}/lstm", width if layer == 0 else 2 * units
        w = g.param(f"{label}.w", [2, 4 * units, inputs], scale=inputs**-0.5)
        r = g.param(f"{label}.r", [2, 4 * units, units], scale=units**-0.5)
        bias = g.param(f"{label}.bias", [2, 8 * units], scale=0.1)
        y = g.node(label, "lstm", x, w, r, bias, "lengths", direction="bidirectional", has_bias=True, has_lengths=True)
        y = g.transpose(f"layer{layer}/directions_last", y, 0, 2, 1, 3)
        x = g.reshape(f"layer{layer}/joined", y, length, batch, 2 * units)
    scores = g.linear("labels", x, 2 * units, labels)
    g.results.append(g.node("labels/log_softmax", "log_softmax", scores, axis=-1))
    return g


def log_mel_front_end():
    """What an encoder of speech is given (Radford et al. 2022): 0.3 s at 16 kHz in windows of 25 ms every 10 ms."""
    samples, size, hop, bands = 4800, 400, 160, 80
    g = Graph("the log-mel spectrogram of a speech recogniser: frames, window, real transform, power, bands")
    g.input("audio", f"f32[2, {samples}]", fill={"distribution": "normal", "scale": 0.1})
    frames = g.node("frames", "frame", "audio", size=size, hop=hop)
    window = g.node("window", "window", size=size, function="hann")
    spectrum = g.node("spectrum", "rfft", g.binary("windowed", "multiply", frames, window))
    power = g.node("power", "complex_part", spectrum, function="norm_squared")
    g.params["filters"] = {"type": f"f32[{bands}, {size // 2 + 1}]", "fill": {"distribution": "uniform"}}
    g.results.append(g.node("log_mel", "log_mel", power, "filters"))
    return g


def short_time_round_trip():
    """The short-time Fourier transform and back (Griffin and Lim 1984). Its hann windows add up to no constant, so that
    what is divided by matters; the half window that reflects at each end is dropped before. The signal's numbers are
    the same in every float, and are what is expected."""
    channels, length, size, hop = 2, 480, 80, 32
    centre, count = size // 2, 1 + length // hop
    draw = random.Random(1)
    signal = [draw.randrange(-2047, 2048) / 1024 for _ in range(channels * length)]
    g = Graph("a short-time transform of real lines and back, overlaps added and divided by the squared windows: the "
              "signal again?")
    g.input("signal", f"f32{[channels, length]}", values=signal)
    padded = g.node("padded", "pad", "signal", pads=[0, centre, 0, centre], mode="reflect")
    window = g.node("window", "window", size=size, function="hann")
    frames = g.binary("windowed", "multiply", g.node("frames", "frame", padded, size=size, hop=hop), window)
    lines = g.node("lines", "irfft", g.node("spectra", "rfft", frames))
    def added(name, x, axis):
        y = g.node(name, "overlap_add", x, hop=hop, length=length + 2 * centre)
        return g.node(f"{name}/inner", "slice", y, axes=[axis], starts=[centre], sizes=[length])
    total = added("sum", g.binary("lines/windowed", "multiply", lines, window), 1)
    squares = g.node("squares/frames", "expand", g.unary("squares", "square", window), shape=[count, size])
    g.results = {g.binary("again", "divide", total, added("weight", squares, 0)): {"values": signal}}
    return g


def graphs():
    return {
        "bert_tiny": bert("BERT-tiny, two sequences of 32 tokens with padding: does a small encoder agree everywhere?",
                          layers=2, width=128, heads=2, hidden=512, batch=2, length=32, words=27, vocabulary=1000),
        "bert_base": bert("BERT-base, 128 tokens: does a whole encoder of real size agree everywhere?",
                          layers=12, width=768, heads=12, hidden=3072, batch=1, length=128, words=111,
                          vocabulary=30522),
        "eeg_encoder": eeg_encoder(),
        "gated_delta_block": gated_delta_block(),
        "llama_block": llama_block(),
        "log_mel_front_end": log_mel_front_end(),
        "lstm_tagger": lstm_tagger(),
        "mamba_block": mamba_block(),
        "resnet18": resnet18(),
        "short_time_round_trip": short_time_round_trip(),
        "vit_block": vit_block(),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; name the files that differ")
    usual = pathlib.Path(__file__).resolve().parent.parent / "fixtures" / "graphs"
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=usual)
    arguments = parser.parse_args()
    differing = []
    for name, graph in graphs().items():
        path, text = arguments.folder / f"{name}.json", graph.text()
        if not arguments.check:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            differing.append(str(path))
    for path in differing:
        print(f"{path} is not what scripts/make_graphs.py writes", file=sys.stderr)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
