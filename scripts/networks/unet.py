"""A U-Net: group norms, SiLU, pooling, and bilinear and nearest resizing beside the skips."""

import torch
from torch import nn
from torch.nn import functional

EXPORT = {"dynamo": True, "opset_version": 18}


class Block(nn.Module):
    def __init__(self, fan_in, fan_out):
        super().__init__()
        self.conv0, self.conv1 = nn.Conv2d(fan_in, fan_out, 3, padding=1), nn.Conv2d(fan_out, fan_out, 3, padding=1)
        self.norm0, self.norm1 = nn.GroupNorm(4, fan_out), nn.GroupNorm(2, fan_out)
        self.skip = nn.Conv2d(fan_in, fan_out, 1)

    def forward(self, x):
        y = self.norm1(self.conv1(functional.silu(self.norm0(self.conv0(x)))))
        return functional.silu(y + self.skip(x))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.down0, self.down1 = Block(3, 8), Block(8, 16), Block(16, 16)
        self.up0, self.up1 = Block(32, 16), Block(24, 8)
        self.wider = nn.ConvTranspose2d(8, 4, 3, stride=2, padding=1)
        self.leave = nn.Conv2d(4, 2, 1)

    def forward(self, x):
        a = self.enter(x)
        b = self.down0(functional.max_pool2d(a, 2))
        c = self.down1(functional.avg_pool2d(b, 2))
        c = functional.interpolate(c, size=(9, 9), mode="bilinear", align_corners=False)
        b = self.up0(torch.cat((c, b), 1))
        b = functional.interpolate(b, scale_factor=2, mode="bilinear", align_corners=True)
        a = self.up1(torch.cat((b, a), 1))
        fine = self.leave(functional.relu(self.wider(a)))
        return fine, functional.interpolate(fine, scale_factor=2, mode="nearest")


def network():
    return UNet(), [torch.randn(1, 3, 18, 18)]
