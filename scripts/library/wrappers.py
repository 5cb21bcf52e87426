"""Modules around a library's model, so that it takes tensors in order and gives nothing but tensors."""
from torch import nn


class Named(nn.Module):
    """A model of transformers: arguments and results by name."""

    def __init__(self, model, names, results, has_cache):
        super().__init__()
        self.model, self.names, self.results, self.has_cache = model, names, results, has_cache

    def forward(self, *inputs):
        named = dict(zip(self.names, inputs))
        try:
            if self.has_cache:
                outputs = self.model(**named, use_cache=False, return_dict=True)
            else:
                outputs = self.model(**named, return_dict=True)
        except TypeError:  # few models do without these arguments
            outputs = self.model(**named)
        return tuple(outputs[key] for key in self.results)


class First(nn.Module):
    """The first of what a model gives: the outputs of a recurrence without its last state, say."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, *inputs):
        outputs = self.model(*inputs)
        return outputs[0] if isinstance(outputs, (tuple, list)) else outputs


class Entry(nn.Module):
    """One entry of the dictionary that a model gives."""

    def __init__(self, model, key):
        super().__init__()
        self.model, self.key = model, key

    def forward(self, *inputs):
        return self.model(*inputs)[self.key]
