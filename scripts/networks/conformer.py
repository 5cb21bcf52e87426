"""A block of a conformer: half-step feed-forwards, attention, and a convolution with GLU, along time."""

import torch
from torch import nn
from torch.nn import functional

EXPORT = {"dynamo": False, "opset_version": 17, "training": torch.onnx.TrainingMode.PRESERVE}
WIDTH, HEADS = 24, 3


def feed_forward():
    return nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 2 * WIDTH), nn.SiLU(), nn.Linear(2 * WIDTH, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.leave = feed_forward(), feed_forward()
        self.norm0, self.norm1, self.norm2 = (nn.LayerNorm(WIDTH) for _ in range(3))
        self.qkv, self.o = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.wide, self.narrow = nn.Conv1d(WIDTH, 2 * WIDTH, 1), nn.Conv1d(WIDTH, WIDTH, 1)
        self.along, self.batch = nn.Conv1d(WIDTH, WIDTH, 7, padding=3, groups=WIDTH), nn.BatchNorm1d(WIDTH)

    def attention(self, x):
        q, k, v = (y.unflatten(-1, (HEADS, -1)).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        return self.o(functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))

    def convolution(self, x):
        y = self.along(functional.glu(self.wide(x.transpose(1, 2)), 1))
        return self.narrow(functional.silu(self.batch(y))).transpose(1, 2)

    def forward(self, x):
        x = x + 0.5 * self.enter(x)
        x = x + self.attention(self.norm0(x))
        x = x + self.convolution(self.norm1(x))
        return self.norm2(x + 0.5 * self.leave(x))


class Conformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.front, self.block = nn.Conv1d(20, WIDTH, 3, stride=2, padding=1), Block()
        self.classes = nn.Linear(WIDTH, 12)

    def forward(self, x):
        x = self.block(functional.relu(self.front(x)).transpose(1, 2))
        return functional.log_softmax(self.classes(x), -1)


def network():
    return Conformer(), [torch.randn(2, 20, 51)]
