"""A convnet as MobileNetV3 is: inverted bottlenecks with squeeze-excite, hard-swish, batch norms that stay nodes."""

import torch
from torch import nn
from torch.nn import functional

EXPORT = {"dynamo": False, "opset_version": 17, "training": torch.onnx.TrainingMode.PRESERVE}


class SqueezeExcite(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.down, self.up = nn.Conv2d(channels, channels // 4, 1), nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x):
        y = functional.relu(self.down(functional.adaptive_avg_pool2d(x, 1)))
        return x * functional.hardsigmoid(self.up(y))


def conv(fan_in, fan_out, kernel, stride=1, groups=1):
    return [nn.Conv2d(fan_in, fan_out, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(fan_out)]


class Block(nn.Module):
    def __init__(self, fan_in, fan_out, wide, kernel, stride):
        super().__init__()
        self.body = nn.Sequential(*conv(fan_in, wide, 1), nn.Hardswish(), *conv(wide, wide, kernel, stride, wide),
                                  nn.Hardswish(), SqueezeExcite(wide), *conv(wide, fan_out, 1))
        self.keeps = fan_in == fan_out and stride == 1

    def forward(self, x):
        return x + self.body(x) if self.keeps else self.body(x)


def network():
    stem = [*conv(3, 12, 3, 2), nn.Hardswish()]
    body = [Block(12, 12, 24, 3, 1), Block(12, 20, 40, 5, 2), Block(20, 20, 64, 5, 1), *conv(20, 64, 1)]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 64), nn.Hardswish(), nn.Linear(64, 10)]
    return nn.Sequential(*stem, *body, nn.Hardswish(), *head), [torch.randn(2, 3, 30, 30)]
