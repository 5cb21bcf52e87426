"""Other frameworks as candidates, each imported when it is asked for (docs/python.md)."""
import importlib

_HOMES = {"OnnxRuntime": "onnx_runtime", "OnnxBackend": "onnx_backend", "Torch": "torch_module"}
__all__ = list(_HOMES)


def __getattr__(name):
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
