"""Two layers of a transformer encoder in primitives: GELU by erf and by tanh, padded keys masked by -10000."""

import math

import torch
from torch import nn

EXPORT = {"dynamo": False, "opset_version": 14}  # in this opset layer norms are primitives, too
WIDTH, HEADS, LENGTH = 32, 4, 24


def gelu_erf(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


def gelu_tanh(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


class Layer(nn.Module):
    def __init__(self, gelu):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.norm0, self.norm1 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.gelu = gelu

    def heads(self, x):
        return x.view(x.shape[0], LENGTH, HEADS, -1).transpose(1, 2)

    def forward(self, x, bias):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(x)), self.heads(self.v(x))
        scores = q @ k.transpose(-1, -2) / math.sqrt(WIDTH // HEADS) + bias
        y = (scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape)
        x = self.norm0(x + self.o(y))
        return self.norm1(x + self.down(self.gelu(self.up(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(50, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.layer0, self.layer1 = Layer(gelu_erf), Layer(gelu_tanh)

    def forward(self, tokens, mask):
        x = self.norm(self.tokens(tokens) + self.places(torch.arange(LENGTH)))
        bias = (1 - mask.to(x.dtype))[:, None, None, :] * -10000.0
        return self.layer1(self.layer0(x, bias), bias)


def network():
    mask = torch.ones(2, LENGTH, dtype=torch.int64)
    mask[1, 17:] = 0
    return Encoder(), [torch.randint(0, 50, (2, LENGTH)), mask]
