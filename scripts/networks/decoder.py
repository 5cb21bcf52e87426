"""Two layers of a decoder that has 9 cached keys and values and reads 5 tokens: RMS norm, RoPE, shared keys, SwiGLU."""

import torch
from torch import nn

EXPORT = {"dynamo": False, "opset_version": 17}
WIDTH, HEADS, KV_HEADS, HEAD, PAST, NEW = 32, 4, 2, 8, 9, 5


class RmsNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return self.scale * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def rotated(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


def for_every_head(x):
    x = x[:, :, None].expand(-1, -1, HEADS // KV_HEADS, -1, -1)
    return x.reshape(1, HEADS, PAST + NEW, HEAD)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(2))
        self.k, self.v = (nn.Linear(WIDTH, KV_HEADS * HEAD, bias=False) for _ in range(2))
        self.gate, self.up = (nn.Linear(WIDTH, 64, bias=False) for _ in range(2))
        self.down = nn.Linear(64, WIDTH, bias=False)
        self.norm0, self.norm1 = RmsNorm(), RmsNorm()

    def attention(self, x, past, angles, hidden):
        q, k, v = (f(x).view(1, NEW, -1, HEAD).transpose(1, 2) for f in (self.q, self.k, self.v))
        k, v = torch.cat((past[0], rotated(k, *angles)), 2), torch.cat((past[1], v), 2)
        scores = rotated(q, *angles) @ for_every_head(k).transpose(-1, -2) * HEAD**-0.5
        y = scores.masked_fill(hidden, float("-inf")).softmax(-1) @ for_every_head(v)
        return self.o(y.transpose(1, 2).reshape(1, NEW, WIDTH)), k, v

    def forward(self, x, past, angles, hidden):
        y, k, v = self.attention(self.norm0(x), past, angles, hidden)
        x = x + y
        y = self.norm1(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y)), k, v


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.norm = nn.Embedding(50, WIDTH), RmsNorm()
        self.layer0, self.layer1 = Layer(), Layer()
        angles = torch.arange(32.0)[:, None] * 10000 ** (-torch.arange(0, HEAD, 2) / HEAD)
        self.register_buffer("cos", torch.cat((angles, angles), -1).cos())
        self.register_buffer("sin", torch.cat((angles, angles), -1).sin())

    def forward(self, tokens, positions, k0, v0, k1, v1):
        angles = self.cos[positions], self.sin[positions]
        hidden = torch.arange(PAST + NEW) > positions[:, None]
        x, *first = self.layer0(self.tokens(tokens), (k0, v0), angles, hidden)
        x, *second = self.layer1(x, (k1, v1), angles, hidden)
        return self.norm(x) @ self.tokens.weight.T, *first, *second


def network():
    cache = [torch.randn(1, KV_HEADS, PAST, HEAD) for _ in range(4)]
    return Decoder(), [torch.randint(0, 50, (1, NEW)), torch.arange(PAST, PAST + NEW), *cache]
