"""Causal linear attention by cumulative sums, queries and keys of length 1 before their feature map, a gated output."""

import torch
from torch import nn
from torch.nn import functional

EXPORT = {"dynamo": False, "opset_version": 17}
WIDTH, HEADS, LENGTH = 32, 4, 16


def features(x):
    return functional.elu(functional.normalize(x, dim=-1)) + 1


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.q, self.k, self.v, self.o, self.gate = (nn.Linear(WIDTH, WIDTH) for _ in range(5))

    def forward(self, x):
        y = self.norm(x)
        q, k, v = (f(y).view(1, LENGTH, HEADS, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        q, k = features(q), features(k)
        memory = torch.einsum("bhtd,bhte->bhtde", k, v).cumsum(2)
        found = torch.einsum("bhtd,bhtde->bhte", q, memory) / (q * k.cumsum(2)).sum(-1, keepdim=True)
        return x + self.o(torch.sigmoid(self.gate(y)) * found.transpose(1, 2).reshape(x.shape))


def network():
    layers = [nn.Linear(20, WIDTH), Layer(), Layer()]
    head = [nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 10), nn.LogSoftmax(-1)]
    return nn.Sequential(*layers, *head), [torch.randn(1, LENGTH, 20)]
