"""Ops of one's own, for graphs that are read later."""
import ctypes
import json

import numpy as np

from plumbline import _abi, arrays
from plumbline.errors import Error
from plumbline.graph import attributes_json
from plumbline.native import check, lib, text

_KINDS = {bool: "bool", int: "int", float: "real", str: "string"}
_kept = []  # callbacks, which live as long as the process


def _attribute(name, default):
    """A default, or a declaration: {"kind": "enum", "choices": ["a", "b"], "default": "a"}."""
    if isinstance(default, dict):
        return {"name": name, **default}
    if isinstance(default, (list, tuple)):
        kind = "ints" if all(isinstance(one, int) for one in default) else "reals"
        return {"name": name, "kind": kind, "default": list(default)}
    if type(default) not in _KINDS:
        raise Error(f"attribute '{name}' is {type(default).__name__}: give a bool, int, float, str, list, or its "
                    "declaration as a dict")
    return {"name": name, "kind": _KINDS[type(default)], "default": default}


def _tensors(first, count):
    return [first[k] for k in range(count)]


def _write(made, tensors, what):
    """Copies arrays that a function gave into memory of the library."""
    made = list(made) if isinstance(made, (list, tuple)) else [made]
    if len(made) != len(tensors):
        raise Error(f"{what} gives {len(made)} arrays, and {len(tensors)} are wanted")
    for value, tensor in zip(made, tensors):
        kind = arrays.type_of(tensor)
        given, number = arrays.as_numpy(value)
        is_bits = (tensor.dtype, number) == (_abi.BF16, _abi.U16)
        if given.shape != kind.shape or not (number == tensor.dtype or is_bits):
            raise Error(f"{what} gives {given.dtype}{list(given.shape)}, and {kind} is wanted")
        given = np.ascontiguousarray(given)
        if given.nbytes:
            ctypes.memmove(tensor.data, given.ctypes.data, given.nbytes)


def _callback(field, answer):
    """A callback of C that calls answer(args, attributes); what that raises is the text of a failure."""
    def entry(args):
        args = args.contents
        try:
            answer(args, json.loads(args.attributes))
            return 0
        except BaseException as problem:  # nothing may go through C
            return args.fail(args.context, f"{type(problem).__name__}: {problem}".encode())
    made = dict(_abi.plumb_op_v1._fields_)[field](entry)
    _kept.append(made)
    return made


def _cpu(function):
    def answer(args, attributes):
        inputs = [arrays.view_of(one) for one in _tensors(args.inputs, args.input_count)]
        _write(function(*inputs, **attributes), _tensors(args.outputs, args.output_count), "cpu")
    return _callback("cpu", answer)


def _bounds(function):
    def answer(args, attributes):
        inputs = [arrays.view_of(one) for one in _tensors(args.inputs, args.input_count)]
        outputs = [arrays.view_of(one) for one in _tensors(args.outputs, args.output_count)]
        _write(function(inputs, outputs, args.unit, **attributes), _tensors(args.bounds, args.output_count), "bounds")
    return _callback("bounds", answer)


def _infer(function):
    def answer(args, attributes):
        inputs = [arrays.type_of(one) for one in _tensors(args.inputs, args.input_count)]
        made = function(*inputs, **attributes)
        types = arrays.Tensors.of_types(made if isinstance(made, list) else [made])
        for k in range(types.count):
            if args.give(args.context, ctypes.byref(types.pointer()[k])):
                raise Error("infer gives a type that is none")
    return _callback("infer", answer)


def _gpu(function):
    shown = []  # the text, which C reads after the call

    def answer(args, attributes):
        inputs = [arrays.type_of(one) for one in _tensors(args.inputs, args.input_count)]
        outputs = [arrays.type_of(one) for one in _tensors(args.outputs, args.output_count)]
        made = function(inputs, outputs, **attributes)
        if made is None:
            return
        push = list(made.get("push", []))
        shown[:] = [made["glsl"].encode()]
        args.glsl = shown[0]
        args.groups[:] = [*made["groups"], 1, 1][:3]
        args.push_count = len(push)
        args.push[:len(push)] = push
    return _callback("gpu", answer)


def register_op(name, inputs, outputs=None, attributes=None, body=None, cpu=None, bounds=None, gpu=None, infer=None,
                summary="", formula="", error_class=None):
    """Registers an op, "acme.swish2", for the life of the process; graphs that are read later may have it.

    `inputs` are names, or declarations {"name": "x", "dtypes": ["f32"]}; `outputs` likewise, {"name": "y", "type":
    "as x"} having the type of input x: by default one output y, of the first input's type unless there is a body.
    `attributes` are defaults by name. `body` is the op as a graph of plumb.graph/1, a dict or text, which is enough by
    itself. Without it `cpu` is the definition, cpu(*inputs, **attributes) -> array or list, and bounds(inputs, outputs,
    unit, **attributes) -> array or list says how far each element may be off. gpu(input types, output types,
    **attributes) -> {"glsl": ..., "groups": [..], "push": [..]}, or None. infer(*types, **attributes) -> type or list.

    Raises Error for a name without a dot or that is taken, and for parts that contradict each other."""
    inputs = [{"name": one} if isinstance(one, str) else one for one in inputs]
    if outputs is None:
        outputs = [{"name": "y"} if body is not None or infer is not None or not inputs else
                   {"name": "y", "type": f"as {inputs[0]['name']}"}]
    outputs = [{"name": one} if isinstance(one, str) else one for one in outputs]
    schema = {"summary": summary, "formula": formula, "inputs": inputs, "outputs": outputs,
              "attributes": [_attribute(*one) for one in (attributes or {}).items()]}
    if error_class is not None:
        schema["error_class"] = error_class
    op = _abi.plumb_op_v1(struct_size=ctypes.sizeof(_abi.plumb_op_v1), name=text(name),
                          schema=attributes_json(schema))
    if body is not None:
        op.body = (body if isinstance(body, str) else json.dumps(body)).encode()
    for field, made, function in (("infer", _infer, infer), ("cpu", _cpu, cpu), ("bounds", _bounds, bounds),
                                  ("gpu", _gpu, gpu)):
        if function is not None:
            setattr(op, field, made(function))
    check(lib().plumb_register_op(ctypes.byref(op)))
