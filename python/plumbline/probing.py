"""Experiments on how whoever is judged adds and rounds."""
import ctypes
import os

from plumbline import _abi
from plumbline.executors import executor_of, raising
from plumbline.graph import Graph
from plumbline.native import Handle, lib
from plumbline.verdicts import follower


def probe(candidate, model=None, *, shapes=None, progress=None):
    """What `plumb probe` finds of a spec or an executor: the text of a profile (docs/probe.md), which verify and check
    take as a file. With a model, a path or a Graph, also the order in which its products are summed. It may take
    minutes; progress(what, done, steps) is told how far it is, and what that raises ends it. Raises Error for a dump or
    a function, which compute no graphs of a probe's."""
    if model is not None and not isinstance(model, Graph):
        model = Graph.read(os.fspath(model), shapes)
    executor = executor_of(candidate, model and (model.path or model))
    follow = dict(_abi.plumb_probe_options._fields_)["progress"](follower(executor, progress))
    options = _abi.plumb_probe_options(struct_size=ctypes.sizeof(_abi.plumb_probe_options), progress=follow)
    with raising(executor):
        made = Handle(lib().plumb_text_free, lambda place: lib().plumb_probe(
            executor.handle.pointer, model and model.handle.pointer, ctypes.byref(options), place))
    return lib().plumb_text_get(made.pointer).decode()
