"""A mixture of experts by masks: each of 20 tokens chooses 2 of 6 experts, which take so many of them and no more."""

import torch
from torch import nn
from torch.nn import functional

EXPORT = {"dynamo": True, "opset_version": 18}
WIDTH, INNER, EXPERTS, TOKENS = 32, 24, 6, 20


class Experts(nn.Module):
    def __init__(self, capacity):
        super().__init__()
        self.gate, self.norm = nn.Linear(WIDTH, EXPERTS, bias=False), nn.LayerNorm(WIDTH)
        self.up = nn.Parameter(torch.randn(EXPERTS, WIDTH, INNER) * WIDTH**-0.5)
        self.down = nn.Parameter(torch.randn(EXPERTS, INNER, WIDTH) * INNER**-0.5)
        self.capacity = capacity

    def shares(self, x):
        """Of each token and expert; 0 where the token did not choose it, or came too late."""
        values, chosen = torch.topk(self.gate(x), 2, -1)
        picked = (chosen[..., None] == torch.arange(EXPERTS)).to(x.dtype)
        place = picked.sum(1).cumsum(0)
        share = (picked * values.softmax(-1)[..., None]).sum(1)
        return torch.where(place <= self.capacity, share, torch.zeros_like(share))

    def forward(self, x):
        normal = self.norm(x)
        inner = functional.silu(torch.einsum("td,edh->eth", normal, self.up))
        y = torch.einsum("eth,ehd->etd", inner, self.down)
        return x + torch.einsum("te,etd->td", self.shares(normal), y)


def network():
    net = nn.Sequential(nn.Linear(16, WIDTH), Experts(TOKENS), Experts(6), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 10))
    return net, [torch.randn(TOKENS, 16)]
