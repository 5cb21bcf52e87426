"""Graphs: files of plumb.graph/1, ONNX models, and single ops."""
import ctypes
import json

from plumbline import _abi, arrays
from plumbline.native import Handle, check, lib, text


def attributes_json(attributes):
    """Attributes of an op as a JSON object; NumPy's numbers and arrays are taken as lists."""
    return json.dumps(attributes, default=lambda value: value.tolist()).encode() if attributes else None


class Graph:
    """A graph, read: `inputs`, `params`, `results` and `values` are types by name, `notes` the reader's remarks."""

    def __init__(self, make, path=None):
        self.handle = Handle(lib().plumb_graph_free, make)
        self.path = path
        self.inputs, self.params, self.results, self.values = (
            self._types(which) for which in (_abi.INPUTS, _abi.PARAMS, _abi.RESULTS, _abi.COMPUTED))
        count = lib().plumb_graph_note_count(self.handle.pointer)
        self.notes = [lib().plumb_graph_note(self.handle.pointer, k).decode() for k in range(count)]

    @classmethod
    def read(cls, path, shapes=None, inputs=None):
        """Reads a file. `shapes` settles what an ONNX model leaves open: {"batch": 8, "x": (1, 3)}, {"*": 1} for all
        that is open still; so do `inputs`, arrays by name. Raises Error and Unsupported, with the place."""
        given = arrays.Tensors.by_name(inputs or {})
        options = _abi.plumb_read_options(
            struct_size=ctypes.sizeof(_abi.plumb_read_options), given_count=given.count, given=given.pointer(),
            shapes=";".join(f"{name}={_extents(shape)}" for name, shape in (shapes or {}).items()).encode())
        return cls(lambda place: lib().plumb_graph_read(text(path), ctypes.byref(options), place), path)

    @classmethod
    def parse(cls, source, folder="."):
        """Takes a plumb.graph/1 as text, or as what json.loads makes of it."""
        source = source if isinstance(source, str) else json.dumps(source)
        return cls(lambda place: lib().plumb_graph_parse(source.encode(), text(folder), place))

    @classmethod
    def of(cls, op, *types, **attributes):
        """One op on inputs x0, x1, ... of these types ("f32[2, 3]"); its outputs are y, y:1, ...

        >>> {name: str(kind) for name, kind in Graph.of("matmul", "f32[2, 3]", "f32[3, 4]").results.items()}
        {'y': 'f32[2, 4]'}
        """
        operands = arrays.Tensors.of_types(types)
        return cls(lambda place: lib().plumb_graph_of_op(op.encode(), attributes_json(attributes), operands.pointer(),
                                                         operands.count, place))

    def feeds(self, seed=1):
        """Arrays for all inputs and params: the file's own, and drawn from the seed where it has none."""
        handle = Handle(lib().plumb_feeds_free,
                        lambda place: lib().plumb_graph_feeds(self.handle.pointer, seed, place))
        made, tensor = {}, _abi.plumb_tensor(struct_size=ctypes.sizeof(_abi.plumb_tensor))
        for k in range(lib().plumb_feeds_count(handle.pointer)):
            check(lib().plumb_feeds_tensor(handle.pointer, k, ctypes.byref(tensor)))
            made[tensor.name.decode()] = arrays.copy_of(tensor)
        return made

    def _types(self, which):
        made, tensor = {}, _abi.plumb_tensor(struct_size=ctypes.sizeof(_abi.plumb_tensor))
        for k in range(lib().plumb_graph_count(self.handle.pointer, which)):
            check(lib().plumb_graph_value(self.handle.pointer, which, k, ctypes.byref(tensor)))
            made[tensor.name.decode()] = arrays.type_of(tensor)
        return made

    def __repr__(self):
        types = lambda values: ", ".join(f"{name} {kind}" for name, kind in values.items())
        return f"Graph({types(self.inputs)} -> {types(self.results)}, {len(self.values)} values)"


def _extents(shape):
    return ",".join(str(int(extent)) for extent in shape) if hasattr(shape, "__iter__") else str(int(shape))
