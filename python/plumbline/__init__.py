"""A verdict for every node of a tensor program, from arithmetic and data (docs/python.md).

    import numpy as np, plumbline as pl
    pl.check("softmax", x, axis=-1, got=y)                   # Failed unless y is a softmax of x
    result = pl.verify("model.onnx", candidate=my_runtime)   # my_runtime(inputs, wanted) -> {name: array}
    print(result)

`python3 -m plumbline.function` lets the program plumb call and judge one Python function (docs/check.md).
"""
import importlib

__version__ = "0.1.0"

# Modules are imported when one of their names is asked for: importing the package alone takes milliseconds.
_MODULES = {
    "errors": ["DeviceError", "Error", "Failed", "Unsupported"],
    "arrays": ["Bits16", "Type"],
    "graph": ["Graph"],
    "executors": ["Candidate", "Cpu", "Device", "Executable", "Executor", "Vulkan", "devices"],
    "buckets": ["Bucket", "Buckets"],
    "residency": ["Buffer", "Context", "Fence", "Params"],
    "verdicts": ["Result", "Row", "check", "verify"],
    "probing": ["probe"],
    "ops": ["register_op"],
    "native": ["licence", "set_log"],
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}
__all__ = ["__version__", "adapters", *_HOMES]


def __getattr__(name):
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    if name == "adapters":
        return importlib.import_module(f"{__name__}.adapters")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__():
    return sorted(__all__)
