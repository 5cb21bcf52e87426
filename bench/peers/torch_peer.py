#!/usr/bin/env python3
"""The cases of plumb_gpu_bench in PyTorch: usage: torch_peer.py [--filter REGEX] [-o OUT.json]

Times are medians of triton's do_bench, which writes 256 MB between runs, as plumb_gpu_bench does. True f32: no
TF32 anywhere. cuDNN chooses among its convolutions by trying them. Ends 1 when a case fails.
"""

import argparse
import json
import re
import statistics
import sys
import time

import torch
import torch.nn.functional as F
from triton.testing import do_bench

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def normal(dtype, *shape):
    return torch.randn(*shape, device="cuda").to(DTYPES[dtype])


def gpu_ms(run):
    return do_bench(run, warmup=20, rep=60, return_mode="median")


def captured(run):
    """`run` as a CUDA graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run()
    return graph


def latency_ms(run, budget=0.06):
    """Median of the host's time for a run and the wait for it."""
    def once():
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        return time.perf_counter() - start
    for _ in range(50):
        once()
    times = []
    while sum(times) < budget or len(times) < 7:
        times.append(once())
    return 1e3 * statistics.median(times)


def back_to_back_ms(run, count=100):
    """Time on the device of a run among others that follow at once."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    run()
    start.record()
    for _ in range(count):
        run()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / count


def products():
    def case(dtype, m, k, n):
        def make():
            a, b = normal(dtype, m, k), normal(dtype, k, n)
            return lambda: a @ b
        return make
    for n in (512, 1024, 2048, 4096, 8192):
        for dtype in DTYPES:
            yield f"mm_{dtype}_{n}", case(dtype, n, n, n)
    for m, k, n in ((512, 768, 768), (512, 768, 2304), (512, 768, 3072), (512, 3072, 768), (4096, 768, 3072),
                    (1, 4096, 4096), (1, 4096, 14336), (8, 4096, 4096)):
        for dtype in ("f32", "f16"):
            yield f"mm_{dtype}_{m}x{k}x{n}", case(dtype, m, k, n)


def memory_bound():
    def case(run):
        def make():
            x = normal("f32", 4096, 16384)
            return lambda: run(x)
        return make
    def with_more(run, *makers):
        def make():
            x, more = normal("f32", 4096, 16384), [maker() for maker in makers]
            return lambda: run(x, *more)
        return make
    def top(k, *shape):
        def make():
            x = normal("f32", *shape)
            return lambda: x.topk(k, -1)
        return make
    like, row = lambda: normal("f32", 4096, 16384), lambda: normal("f32", 16384)
    yield "copy_256MiB", case(lambda x: x.clone())
    yield "add_4096x16384", with_more(lambda x, y: x + y, like)
    yield "gelu_4096x16384", case(F.gelu)
    yield "softmax_4096x16384", case(lambda x: torch.softmax(x, -1))
    yield "layernorm_4096x16384", with_more(lambda x, g, b: F.layer_norm(x, (16384,), g, b), row, row)
    yield "rmsnorm_4096x16384", with_more(lambda x, g: F.rms_norm(x, (16384,), g), row)
    yield "sum_lastdim", case(lambda x: x.sum(-1))
    yield "sum_firstdim", case(lambda x: x.sum(0))
    yield "transpose", case(lambda x: x.t().contiguous())
    yield "cumsum", case(lambda x: x.cumsum(-1))
    yield "argmax", case(lambda x: x.argmax(-1))
    yield "topk64", case(lambda x: x.topk(64, -1))
    for k, *shape in ((40, 2048, 32768), (50, 64, 128256), (8, 100000, 64)):
        yield f"topk{k}_{shape[0]}x{shape[1]}", top(k, *shape)
    yield "gather_rows_8192x16384", with_more(lambda x, i: x[i], lambda: torch.randint(0, 4096, (8192,), device="cuda"))
    yield "where_4096x16384", with_more(lambda x, c, y: torch.where(c, x, y),
                                        lambda: torch.rand(4096, 16384, device="cuda") < 0.5, like)
    yield "cast_f32_f16_4096x16384", case(lambda x: x.half())


def attentions():
    def case(dtype, causal, *shape):
        def make():
            q, k, v = (normal(dtype, *shape) for _ in range(3))
            return lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal)
        return make
    def decode(dtype, batch, keys):
        def make():
            q = normal(dtype, batch, 32, 1, 128)
            k, v = (normal(dtype, batch, 8, keys, 128) for _ in range(2))
            return lambda: F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
        return make
    def packed(dtype):
        def make():
            qkv = normal(dtype, 8, 512, 3 * 768)
            def run():
                q, k, v = (x.view(8, 512, 12, 64).transpose(1, 2) for x in qkv.split(768, -1))
                return F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(8, 512, 768)
            return run
        return make
    for dtype in ("f32", "f16"):
        yield f"sdpa_packed_{dtype}_8x12x512x64", packed(dtype)
    for batch, keys in ((1, 8192), (16, 2048)):
        for dtype in ("f32", "f16"):
            yield f"sdpa_decode_{dtype}_{batch}x32x{keys}x128", decode(dtype, batch, keys)
    for shape in ((8, 12, 512, 64), (4, 32, 2048, 128), (1, 32, 8192, 128)):
        size = "x".join(map(str, shape))
        yield f"sdpa_f32_{size}", case("f32", False, *shape)
        yield f"sdpa_f16_{size}", case("f16", False, *shape)
        yield f"sdpa_f16_causal_{size}", case("f16", True, *shape)
        yield f"sdpa_bf16_{size}", case("bf16", False, *shape)


def convolutions():
    def case(dtype, images, channels, extent, filters, kernel):
        def make():
            x, w = normal(dtype, images, channels, extent, extent), normal(dtype, filters, channels, kernel, kernel)
            return lambda: F.conv2d(x, w, stride=2 if kernel == 7 else 1, padding=kernel // 2)
        return make
    for n, c, e, f, k in ((16, 64, 56, 64, 3), (16, 256, 56, 64, 1), (16, 256, 14, 256, 3), (8, 3, 224, 64, 7)):
        for dtype in ("f32", "f16"):
            yield f"conv2d_{dtype}_{n}x{c}x{e}_k{f}_r{k}", case(dtype, n, c, e, f, k)


class Encoder:
    """BERT without padding and pooler; gives the first token of every sequence."""

    def __init__(self, dtype, layers, width, heads, hidden, batch, length, vocabulary):
        self.heads, self.width = heads, width
        weight = lambda out, fan_in: (normal(dtype, out, fan_in) * fan_in**-0.5, normal(dtype, out) * 0.02)
        norm = lambda: (1 + 0.1 * normal(dtype, width), 0.02 * normal(dtype, width))
        self.ids = torch.randint(0, vocabulary, (batch, length), device="cuda")
        self.words, self.positions, self.norm = normal(dtype, vocabulary, width), normal(dtype, length, width), norm()
        self.layers = [dict(q=weight(width, width), k=weight(width, width), v=weight(width, width),
                            out=weight(width, width), attention=norm(), up=weight(hidden, width),
                            down=weight(width, hidden), ff=norm()) for _ in range(layers)]

    def __call__(self):
        norm = lambda x, p: F.layer_norm(x, (self.width,), *p, eps=1e-12)
        x = norm(F.embedding(self.ids, self.words) + self.positions, self.norm)
        split = lambda y: y.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        for p in self.layers:
            q, k, v = (split(F.linear(x, *p[part])) for part in "qkv")
            y = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
            x = norm(x + F.linear(y, *p["out"]), p["attention"])
            x = norm(x + F.linear(F.gelu(F.linear(x, *p["up"])), *p["down"]), p["ff"])
        return x[:, :1].contiguous()


def three_nodes(fed):
    """softmax(gelu(x + b)) as a CUDA graph; fed: with x copied from pinned memory and y to it, in the graph too."""
    x, b = normal("f32", 8, 128), normal("f32", 8, 128)
    x_host, y_host = (torch.randn(8, 128).pin_memory() for _ in range(2))
    def run():
        if fed:
            x.copy_(x_host, non_blocking=True)
        y = torch.softmax(F.gelu(x + b), -1)
        if fed:
            y_host.copy_(y, non_blocking=True)
    return captured(run)


def transforms():
    """By cuFFT, whose plans are made before anything is measured."""
    def case(run, dtype, *shape):
        def make():
            x = torch.randn(*shape, device="cuda", dtype=dtype)
            return lambda: run(x)
        return make
    lengths = [(16384, 1000), (32768, 509), (16384, 1013), (256, 65537)]
    lengths += [(2 ** (24 - bits), 2 ** bits) for bits in (6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 22, 24)]
    for lines, n in lengths:
        yield f"fft_c64_{lines}x{n}", case(torch.fft.fft, torch.complex64, lines, n)
    yield "fft_c128_8192x1024", case(torch.fft.fft, torch.complex128, 8192, 1024)
    yield "fft_c64_axis0_1024x16384", case(lambda x: torch.fft.fft(x, dim=0), torch.complex64, 1024, 16384)
    yield "fft2_c64_16x1024x1024", case(torch.fft.fft2, torch.complex64, 16, 1024, 1024)
    for lines, n in ((32768, 1024), (8192, 4096)):
        yield f"rfft_f32_{lines}x{n}", case(torch.fft.rfft, torch.float32, lines, n)
        yield f"irfft_f32_{lines}x{n}", case(lambda x, n=n: torch.fft.irfft(x, n), torch.complex64, lines, n // 2 + 1)


def uniform(low, high, *shape):
    return torch.rand(*shape, device="cuda") * (high - low) + low


def mel_filters():
    return uniform(0, 0.02, 80, 201)


def log_mel_of(audio, window, filters):
    """Whisper's front end, in the ops of PyTorch."""
    power = torch.stft(audio, 400, 160, window=window, center=False, return_complex=True).abs().square()
    logs = (filters @ power).clamp(min=1e-10).log10()
    return (torch.maximum(logs, logs.amax((-2, -1), keepdim=True) - 8) + 4) / 4


def selective_scan_of(x, delta, a, b, c, d):
    """As Mamba defines it: what does not depend on the state at once, then one step after the other."""
    decays = torch.exp(delta.unsqueeze(-1) * a)
    added = (delta * x).unsqueeze(-1) * b.unsqueeze(2)
    h, states = torch.zeros_like(decays[:, 0]), []
    for t in range(x.shape[1]):
        h = torch.addcmul(added[:, t], decays[:, t], h)
        states.append((h * c[:, t].unsqueeze(1)).sum(-1))
    return torch.stack(states, 1) + d * x, h


def mamba2_of(x, dt, a, b, c, d, block=64):
    """By blocks of steps (Dao and Gu, listing 1), with products within and between them."""
    batch, steps, heads, rows = x.shape
    cut = lambda y: y.unflatten(1, (steps // block, block))
    xs, bs, cs = cut(x * dt.unsqueeze(-1)), cut(b.squeeze(2)), cut(c.squeeze(2))
    logs = cut(dt * a).permute(0, 3, 1, 2).cumsum(-1)
    apart = logs.unsqueeze(-1) - logs.unsqueeze(-2)
    within = torch.exp(apart.masked_fill(~torch.ones(block, block, device="cuda", dtype=bool).tril(), -torch.inf))
    scores = torch.einsum("bkln,bksn->bkls", cs, bs).unsqueeze(1) * within
    y = torch.einsum("bhkls,bkshp->bklhp", scores, xs)
    ends = torch.einsum("bksn,bhks,bkshp->bkhpn", bs, torch.exp(logs[..., -1:] - logs), xs)
    decays, h, begun = torch.exp(logs[..., -1]), torch.zeros_like(ends[:, 0]), []
    for k in range(ends.shape[1]):
        begun.append(h)
        h = torch.addcmul(ends[:, k], decays[:, :, k, None, None], h)
    y = y + torch.einsum("bkln,bkhpn,bhkl->bklhp", cs, torch.stack(begun, 1), torch.exp(logs))
    return y.flatten(1, 2) + d[:, None] * x, h


def gated_delta_net_of(q, k, v, decay, beta, state):
    """One step after the other."""
    outputs, decays, scale = [], torch.exp(decay), q.shape[-1] ** -0.5
    for t in range(q.shape[1]):
        state = state * decays[:, t, :, None, None]
        known = torch.einsum("bhkv,bhk->bhv", state, k[:, t])
        change = beta[:, t, :, None] * (v[:, t] - known)
        state = state + k[:, t].unsqueeze(-1) * change.unsqueeze(-2)
        outputs.append(torch.einsum("bhkv,bhk->bhv", state, q[:, t]) * scale)
    return torch.stack(outputs, 1), state


def sequences():
    """Recurrent networks by cuDNN; scans, whose loops are CUDA graphs, so that no launch is waited for."""
    def network(kind, dtype, steps, batch, inputs, units, both_ways=False):
        def make():
            model = kind(inputs, units, bidirectional=both_ways, device="cuda", dtype=DTYPES[dtype])
            x = normal(dtype, steps, batch, inputs)
            return lambda: model(x)
        return make
    def scan(steps, channels, size):
        def make():
            x, delta = normal("f32", 1, steps, channels), uniform(0.001, 0.1, 1, steps, channels)
            a, d = uniform(-16, -1, channels, size), normal("f32", channels)
            b, c = (normal("f32", 1, steps, size) for _ in range(2))
            return captured(lambda: selective_scan_of(x, delta, a, b, c, d)).replay
        return make
    def mamba2(batch, steps, heads, rows, size):
        def make():
            x, dt = normal("f32", batch, steps, heads, rows), uniform(0.001, 0.1, batch, steps, heads)
            a, d = uniform(-16, -1, heads), normal("f32", heads)
            b, c = (normal("f32", batch, steps, 1, size) for _ in range(2))
            return captured(lambda: mamba2_of(x, dt, a, b, c, d)).replay
        return make
    def delta_net(batch, steps, heads, width):
        def make():
            q, k = (normal("f32", batch, steps, heads, width) * width**-0.5 for _ in range(2))
            v, state = normal("f32", batch, steps, heads, width), normal("f32", batch, heads, width, width)
            decay, beta = uniform(-0.1, -0.001, batch, steps, heads), uniform(0, 1, batch, steps, heads)
            return captured(lambda: gated_delta_net_of(q, k, v, decay, beta, state)).replay
        return make
    def log_mel(signals):
        def make():
            audio, window, filters = 0.1 * normal("f32", signals, 480000), torch.hann_window(400).cuda(), mel_filters()
            return lambda: log_mel_of(audio, window, filters)
        return make
    nn = torch.nn
    yield "lstm_f32_32x256x512", network(nn.LSTM, "f32", 256, 32, 512, 512)
    yield "lstm_f16_32x256x512", network(nn.LSTM, "f16", 256, 32, 512, 512)
    yield "lstm_f32_32x256x512_both_ways", network(nn.LSTM, "f32", 256, 32, 512, 512, True)
    yield "gru_f32_32x256x512", network(nn.GRU, "f32", 256, 32, 512, 512)
    yield "rnn_f32_32x256x512", network(nn.RNN, "f32", 256, 32, 512, 512)
    yield "lstm_f32_1x1000x64", network(nn.LSTM, "f32", 1000, 1, 64, 64)
    for steps in (512, 2048, 8192, 32768):
        yield f"selective_scan_f32_1x{steps}x1536x16", scan(steps, 1536, 16)
    yield "mamba2_f32_4x4096x24x64x128", mamba2(4, 4096, 24, 64, 128)
    yield "gated_delta_net_f32_1x4096x16x128", delta_net(1, 4096, 16, 128)
    yield "gated_delta_net_f32_32x1x16x128", delta_net(32, 1, 16, 128)
    for signals in (1, 16):
        yield f"log_mel_f32_{signals}x480000", log_mel(signals)

def overhead_ms(graph):
    return latency_ms(graph.replay) - back_to_back_ms(graph.replay)


def others():
    """Cases that time themselves."""
    base, tiny = (12, 768, 12, 3072, 8, 512, 30522), (2, 128, 2, 512, 1, 128, 1000)
    for dtype in ("f16", "f32"):
        name = f"bert_base_{dtype}_8x512"
        yield name, lambda dtype=dtype: gpu_ms(captured(Encoder(dtype, *base)).replay)
        yield f"{name}_eager", lambda dtype=dtype: gpu_ms(Encoder(dtype, *base))
        yield f"{name}_latency", lambda dtype=dtype: latency_ms(captured(Encoder(dtype, *base)).replay)
    yield "three_nodes_latency", lambda: latency_ms(three_nodes(False).replay)
    yield "three_nodes_fed_latency", lambda: latency_ms(three_nodes(True).replay)
    yield "three_nodes_resident_latency", lambda: latency_ms(three_nodes(False).replay)
    yield "three_nodes_overhead", lambda: overhead_ms(three_nodes(True))
    yield "bert_tiny_f32_1x128_overhead", lambda: overhead_ms(captured(Encoder("f32", *tiny)))


def all_cases():
    for group in (products, memory_bound, attentions, convolutions, transforms, sequences):
        for name, make in group():
            yield name, lambda make=make: gpu_ms(make())
    yield from others()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="", help="cases whose names match this regular expression somewhere")
    parser.add_argument("-o", "--output", help="JSON file")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "scale": "full", "cases": {}}
    chosen = [case for case in all_cases() if re.search(arguments.filter, case[0])]
    if not chosen:
        sys.exit(f"torch_peer: no case matches '{arguments.filter}'")
    with torch.no_grad():
        for name, measure in chosen:
            try:
                result["cases"][name] = {"ms": measure()}
                print(f"{name:42} {result['cases'][name]['ms']:10.4f} ms", flush=True)
            except Exception as error:  # the others can still be measured
                result.setdefault("failed", {})[name] = str(error)
                print(f"{name:42} FAILED: {error}", flush=True)
            torch.cuda.empty_cache()
    if arguments.output:
        with open(arguments.output, "w") as file:
            json.dump(result, file, indent=1)
    return 1 if "failed" in result else 0


if __name__ == "__main__":
    sys.exit(main())
