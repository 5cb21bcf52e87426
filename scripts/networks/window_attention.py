"""Attention in shifted windows: -1e9 is added in layer 0, filled in in layer 1; rows of padded queries are all -1e9."""

import torch
from torch import nn
from torch.nn import functional

EXPORT = {"dynamo": False, "opset_version": 17}
WIDTH, HEADS, WINDOW, SIDE = 32, 4, 4, 7
PADDED = 8


def windows(x):
    """[1, 8, 8, c] as [4, 16, c]"""
    x = x.view(1, PADDED // WINDOW, WINDOW, PADDED // WINDOW, WINDOW, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, WINDOW * WINDOW, x.shape[-1])


def image(x):
    x = x.view(1, PADDED // WINDOW, PADDED // WINDOW, WINDOW, WINDOW, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(1, PADDED, PADDED, x.shape[-1])


def allowed(shift):
    """[4, 1, 16, 16]: a query sees the keys that were its neighbours before the shift, and none that is padding."""
    side = torch.arange(PADDED)
    part = (side >= PADDED - WINDOW).int() + (side >= PADDED - shift).int() if shift else side * 0
    real = (torch.roll(side, -shift) < SIDE).int()
    region = windows(((part[:, None] * 3 + part) * 2 + real[:, None] * real).view(1, PADDED, PADDED, 1))[..., 0]
    there = windows((real[:, None] * real).view(1, PADDED, PADDED, 1))[..., 0] > 0
    return ((region[:, :, None] == region[:, None, :]) & there[:, None, :])[:, None]


class Layer(nn.Module):
    def __init__(self, shift):
        super().__init__()
        self.qkv, self.o = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.norm0, self.norm1 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.shift, self.near = shift, nn.Parameter(0.5 * torch.randn((2 * WINDOW - 1) ** 2, HEADS))
        at = torch.stack(torch.meshgrid(torch.arange(WINDOW), torch.arange(WINDOW), indexing="ij")).flatten(1)
        apart = at[:, :, None] - at[:, None, :] + WINDOW - 1
        self.register_buffer("apart", apart[0] * (2 * WINDOW - 1) + apart[1])
        self.register_buffer("allowed", allowed(shift))

    def attention(self, x):
        q, k, v = self.qkv(x).view(-1, WINDOW**2, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q * (WIDTH // HEADS) ** -0.5 @ k.transpose(-1, -2) + self.near[self.apart].permute(2, 0, 1)
        if self.shift:
            scores = scores.masked_fill(~self.allowed, -1e9)
        else:
            scores = scores + (~self.allowed).to(x.dtype) * -1e9
        y = scores.softmax(-1) @ v
        return self.o(y.transpose(1, 2).reshape(x.shape))

    def forward(self, x):
        y = functional.pad(self.norm0(x), (0, 0, 0, PADDED - SIDE, 0, PADDED - SIDE))
        y = torch.roll(y, (-self.shift, -self.shift), (1, 2)) if self.shift else y
        y = image(self.attention(windows(y)))
        y = torch.roll(y, (self.shift, self.shift), (1, 2)) if self.shift else y
        x = x + y[:, :SIDE, :SIDE]
        return x + self.down(functional.gelu(self.up(self.norm1(x))))


class WindowAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches, self.norm = nn.Conv2d(3, WIDTH, 4, 4), nn.LayerNorm(WIDTH)
        self.layer0, self.layer1 = Layer(0), Layer(2)
        self.head = nn.Linear(WIDTH, 10)

    def forward(self, x):
        x = self.layer1(self.layer0(self.patches(x).permute(0, 2, 3, 1)))
        return self.head(self.norm(x).mean((1, 2)))


def network():
    return WindowAttention(), [torch.randn(1, 3, 4 * SIDE, 4 * SIDE)]
