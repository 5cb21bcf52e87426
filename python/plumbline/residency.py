"""Tensors that stay with an executor: buffers, params, and the memory of one run (docs/python.md)."""
import collections
import ctypes
import itertools
import operator

import numpy as np

from plumbline import _abi, arrays, dlpack
from plumbline.errors import Error, Unsupported
from plumbline.native import Handle, check, lib

Traffic = collections.namedtuple("Traffic", ["up", "down"])  # bytes to the device, and back


class Buffer:
    """A tensor of this `type` in the memory of one executor. `buffer[0:1]` reads a part of it and `buffer[0:1] = row`
    writes one: these bytes are moved and no others. Indices are ints and slices in steps of 1; `buffer[...]` is all.
    What takes tensors of DLPack, as np.from_dlpack, takes its memory where the host sees that."""

    def __init__(self, make, is_param=False):
        self.handle = Handle(lib().plumb_buffer_free, make)
        self._is_param = is_param
        tensor = _empty_tensor()
        check(lib().plumb_buffer_type(self.handle.pointer, ctypes.byref(tensor)))
        self.type = arrays.type_of(tensor)

    def __getitem__(self, index):
        box = _Box(index, self.type)
        kind = arrays.Type(self.type.dtype, box.extents)
        array = arrays.empty(kind)
        into = arrays.Tensors.over([array], [kind])
        check(lib().plumb_buffer_read(self.handle.pointer, box.pointer(), into.pointer()))
        return arrays.presented(array.reshape(box.shape), kind)

    def __setitem__(self, index, value):
        box = _Box(index, self.type)
        given = arrays.Tensors([arrays.reshaped(value, box.shape, box.extents)])
        check(lib().plumb_buffer_write(self.handle.pointer, given.pointer(), box.pointer()))

    def copy_from(self, other, source=Ellipsis, target=Ellipsis):
        """Copies a part of a buffer of the same executor to a part of this one: indices, as np.s_[:, 0:3] makes them.
        The host does not wait."""
        check(lib().plumb_buffer_copy(self.handle.pointer, _pointer(other), _Box(source, other.type).pointer(),
                                      _Box(target, self.type).pointer()))

    def mapped(self):
        """An array that is the memory itself, to be used when no run uses it. Raises Unsupported where the host does
        not see it."""
        tensor = _empty_tensor()
        check(lib().plumb_buffer_mapped(self.handle.pointer, ctypes.byref(tensor)))
        return arrays.array_at(tensor.data, self.type, self.handle)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """The memory itself, to be used when no run uses it; a param's may only be read. Raises Unsupported where the
        host does not see it, and BufferError for a stream, another device or a copy."""
        if stream is not None or copy or dl_device not in (None, dlpack.CPU):
            raise BufferError("a buffer is given where it is: on the host, without a stream; a copy is buffer[...]")
        return dlpack.capsule_of(self.handle, self._is_param, max_version)

    def __dlpack_device__(self):
        return dlpack.CPU

    def __repr__(self):
        return f"Buffer({self.type})"


class _Owners:
    """Arrays whose memory the library uses, until it tells that it does no more."""

    def __init__(self):
        self._kept, self._numbers = {}, itertools.count(1)  # C hands 0 on as None
        self.release = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.drop)

    def keep(self, owner):
        number = next(self._numbers)
        self._kept[number] = owner
        return number

    def drop(self, number):
        self._kept.pop(number, None)


_owners = _Owners()


def imported(executor, array, allow_copy):
    """The memory of an array as a buffer, or a copy of it."""
    given, _ = arrays.as_numpy(array)
    is_its = given is getattr(array, "bits", array) or (
        isinstance(array, np.ndarray) and np.may_share_memory(given, array))
    why = "is no array of NumPy in native byte order" if not is_its else "may only be read"
    tensors = arrays.Tensors([array])
    if not is_its or not given.flags.writeable:
        if not allow_copy:
            raise Unsupported(f"{type(array).__name__} cannot stay where it is: it {why}")
        buffer = executor.buffer(arrays.type_of(tensors.pointer()[0]))
        buffer[...] = array
        return buffer
    number = _owners.keep((array, given))
    how = _abi.IMPORT_ALLOW_COPY if allow_copy else _abi.IMPORT_REQUIRE
    try:
        return Buffer(lambda place: lib().plumb_buffer_import(
            executor.handle.pointer, tensors.pointer(), how, _owners.release, number, place))
    except BaseException:
        _owners.drop(number)
        raise


class Params:
    """Params in the memory of one executor, for all graphs that it compiles with them. `params["w"]` is a Buffer, to be
    read. `params["w"] = array` replaces a param that all these graphs were compiled to have replaced."""

    def __init__(self, executor, values):
        given = arrays.Tensors.by_name(values)
        self.handle = Handle(lib().plumb_params_free, lambda place: lib().plumb_params_new(
            executor.handle.pointer, given.pointer(), given.count, place))

    def __getitem__(self, name):
        return Buffer(lambda place: lib().plumb_params_buffer(self.handle.pointer, name.encode(), place), is_param=True)

    def __setitem__(self, name, value):
        check(lib().plumb_params_set(self.handle.pointer, name.encode(), arrays.Tensors([value]).pointer()))


class Context:
    """The memory of one run of an executable. One thread at a time."""

    def __init__(self, executable):
        self._executable = executable  # which Buckets keep as long as this is there
        self._handle = Handle(lib().plumb_context_free,
                              lambda place: lib().plumb_context_new(executable.handle.pointer, place))

    def bind(self, input, buffer):
        """Runs read the input in this buffer."""
        check(lib().plumb_context_bind(self._handle.pointer, input.encode(), _pointer(buffer)))

    def bind_result(self, result, buffer):
        """Runs write the result into this buffer. The one that an input is bound to is written in place, or refused."""
        check(lib().plumb_context_bind_result(self._handle.pointer, result.encode(), _pointer(buffer)))

    def feed(self, result, input):
        """The next run reads as input what this one makes as result. The first reads zeros, or what is written to
        `buffer(input)`."""
        check(lib().plumb_context_feed(self._handle.pointer, result.encode(), input.encode()))

    def how(self, result):
        """How a result that is fed becomes the input: "in place", "swap", or "copy: " and why."""
        text = ctypes.c_char_p()
        check(lib().plumb_context_how(self._handle.pointer, result.encode(), ctypes.byref(text)))
        return text.value.decode()

    def submit(self, inputs=None):
        """Begins a run on arrays by name for the inputs that are neither bound nor fed. Returns its Fence."""
        return Fence(self._executable, self._handle, inputs or {})

    def buffer(self, value):
        """The memory of an input or of a result, which means that until the next submit."""
        return Buffer(lambda place: lib().plumb_context_buffer(self._handle.pointer, value.encode(), place))

    def traffic(self):
        """Bytes that `submit` took and that went through `buffer(value)`, since the last submit began."""
        made = _abi.plumb_traffic(struct_size=ctypes.sizeof(_abi.plumb_traffic))
        check(lib().plumb_context_traffic(self._handle.pointer, ctypes.byref(made)))
        return Traffic(made.up, made.down)

    def blocks(self):
        """Whether `submit` returns when the run has ended."""
        return bool(lib().plumb_context_blocks(self._handle.pointer))


class Fence:
    """The end of one run, which any thread may wait for."""

    def __init__(self, executable, context, inputs):
        self._executable = executable
        given = arrays.Tensors.by_name(inputs)
        self._handle = Handle(lib().plumb_fence_free, lambda place: lib().plumb_submit(
            context.pointer, given.pointer(), given.count, place))

    def ready(self):
        """Whether the run has ended, well or not."""
        return bool(lib().plumb_fence_ready(self._handle.pointer))

    def wait(self, seconds=None):
        """Waits for the end, at most so long, and raises what the run raised. Returns whether it has ended."""
        if seconds is not None:
            ready = ctypes.c_int32()
            check(lib().plumb_fence_wait(self._handle.pointer, seconds, ctypes.byref(ready)))
            if not ready.value:
                return False
        check(lib().plumb_wait(self._handle.pointer))
        return True


class _Box:
    """Elements that an index means: how many along each axis, and the shape of them without the axes of ints."""

    def __init__(self, index, kind):
        parts = list(index) if isinstance(index, tuple) else [index]
        dots = [k for k, part in enumerate(parts) if part is Ellipsis]
        missing = len(kind.shape) + len(dots) - len(parts)
        if len(dots) > 1 or missing < 0:
            raise IndexError(f"a buffer of {kind} has no part {index}")
        at = dots[0] if dots else len(parts)
        parts[at:at + len(dots)] = [slice(None)] * missing
        spans = [_span(part, extent, kind) for part, extent in zip(parts, kind.shape)]
        self.extents = tuple(extent for _, extent in spans)
        self.shape = tuple(extent for part, (_, extent) in zip(parts, spans) if isinstance(part, slice))
        sized = ctypes.c_int64 * max(len(spans), 1)
        self._made = _abi.plumb_box(struct_size=ctypes.sizeof(_abi.plumb_box), rank=len(spans),
                                    starts=sized(*(start for start, _ in spans)), extents=sized(*self.extents))

    def pointer(self):
        return ctypes.byref(self._made)


def _span(part, extent, kind):
    """The first element along an axis, and how many."""
    if isinstance(part, slice):
        start, stop, step = part.indices(extent)
        if step == 1:
            return start, max(stop - start, 0)
    elif hasattr(part, "__index__") and not isinstance(part, bool):
        start = operator.index(part)
        if not -extent <= start < extent:
            raise IndexError(f"a buffer of {kind} has no element {start} along an axis of {extent}")
        return start % extent, 1
    raise Error(f"parts of a buffer are given by ints and slices in steps of 1, got {part!r}")


def _empty_tensor():
    return _abi.plumb_tensor(struct_size=ctypes.sizeof(_abi.plumb_tensor))


def _pointer(buffer):
    if not isinstance(buffer, Buffer):
        raise Error(f"a Buffer is wanted, got {type(buffer).__name__}")
    return buffer.handle.pointer
