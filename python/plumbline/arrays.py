"""Arrays of others as tensors of the library, and back."""
import collections
import ctypes

import numpy as np

from plumbline import _abi
from plumbline.errors import Error

_BY_NAME = {"bool": _abi.BOOL, "uint8": _abi.U8, "int8": _abi.I8, "int16": _abi.I16, "uint16": _abi.U16,
            "int32": _abi.I32, "uint32": _abi.U32, "int64": _abi.I64, "float16": _abi.F16, "bfloat16": _abi.BF16,
            "float32": _abi.F32, "float64": _abi.F64, "complex64": _abi.C64, "complex128": _abi.C128}
_NAMES = {_abi.BOOL: "bool", _abi.U8: "u8", _abi.I8: "i8", _abi.I16: "i16", _abi.U16: "u16", _abi.I32: "i32",
          _abi.U32: "u32", _abi.I64: "i64", _abi.F16: "f16", _abi.BF16: "bf16", _abi.F32: "f32", _abi.F64: "f64",
          _abi.C64: "c64", _abi.C128: "c128"}
_NUMBERS = {name: number for number, name in _NAMES.items()}
_NUMPY = {number: name for name, number in _BY_NAME.items()}


class Bits16:
    """Numbers of bfloat16 as their bits: an array of uint16."""

    def __init__(self, bits):
        self.bits = np.asarray(bits, dtype=np.uint16)
        self.shape = self.bits.shape

    def __repr__(self):
        return f"Bits16({self.bits!r})"


class Type(collections.namedtuple("Type", ["dtype", "shape"])):
    """The dtype of a value, "f32", and its shape."""

    def __str__(self):
        return f"{self.dtype}{list(self.shape)}"

    @classmethod
    def parse(cls, text):
        """"f32[2, 3]" as a Type.

        >>> Type.parse("f32[2, 3]")
        Type(dtype='f32', shape=(2, 3))
        """
        name, _, rest = str(text).partition("[")
        if name not in _NUMBERS or not rest.endswith("]"):
            raise Error(f"a type is like f32[2, 3], got '{text}'")
        return cls(name, tuple(int(extent) for extent in rest[:-1].split(",") if extent.strip()))


def dtype_number(dtype):
    """The number of a dtype that is named as ours are, "f16", or as NumPy's."""
    name = getattr(dtype, "name", None) or str(dtype)
    number = _NUMBERS.get(name, _BY_NAME.get(name))
    if number is None:
        raise Error(f"there is no dtype '{dtype}'")
    return number


def as_numpy(value):
    """A NumPy array and the number of its dtype, without a copy where there is a way."""
    if isinstance(value, Bits16):
        return value.bits, _abi.BF16
    if hasattr(value, "detach"):  # PyTorch's
        value = value.detach().cpu().resolve_conj() if value.is_complex() else value.detach().cpu()
        if str(value.dtype) == "torch.bfloat16":
            import torch
            return value.contiguous().view(torch.int16).numpy().view(np.uint16), _abi.BF16
        value = value.numpy()
    elif hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
        value = np.from_dlpack(value)
    array = np.asarray(value)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.name not in _BY_NAME:
        raise Error(f"an array has dtype {array.dtype}, of which there is no tensor")
    return array, _BY_NAME[array.dtype.name]


class Tensors:
    """Tensors of C over arrays, which they keep alive."""

    def __init__(self, values, names=None):
        values = list(values)
        self.count = len(values)
        self._arrays = []
        self._made = (_abi.plumb_tensor * max(self.count, 1))()
        for k, value in enumerate(values):
            array, dtype = as_numpy(value)
            self._fill(self._made[k], array, dtype, names[k] if names else None)

    @classmethod
    def by_name(cls, values):
        return cls(values.values(), list(values))

    @classmethod
    def of_types(cls, types):
        """Types alone, without numbers: each a Type or "f32[2, 3]"."""
        types = [kind if isinstance(kind, Type) else Type.parse(kind) for kind in types]
        made = cls([])
        made.count = len(types)
        made._made = (_abi.plumb_tensor * max(made.count, 1))()
        for tensor, kind in zip(made._made, types):
            made._describe(tensor, dtype_number(kind.dtype), kind.shape)
        return made

    @classmethod
    def over(cls, made, kinds):
        """Places for C to write to, over arrays of `empty`."""
        return cls(Bits16(array) if kind.dtype == "bf16" else array for array, kind in zip(made, kinds))

    def _describe(self, tensor, dtype, shape):
        tensor.struct_size = ctypes.sizeof(tensor)
        tensor.dtype, tensor.rank = dtype, len(shape)
        tensor.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)

    def _fill(self, tensor, array, dtype, name):
        self._arrays.append(array)
        self._describe(tensor, dtype, array.shape)
        tensor.strides = (ctypes.c_int64 * max(array.ndim, 1))(*array.strides)
        tensor.data = array.ctypes.data
        tensor.name = None if name is None else str(name).encode()

    def pointer(self):
        return self._made if self.count else None


def type_of(tensor):
    """The Type of a tensor of C."""
    return Type(_NAMES[tensor.dtype], tuple(tensor.shape[axis] for axis in range(tensor.rank)))


def _bfloat16():
    try:
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    except ImportError:
        return None


def _storage(kind):
    number = dtype_number(kind.dtype)
    return np.uint16 if number == _abi.BF16 else _NUMPY[number]


def empty(kind):
    """An array for a value of this type, of uint16 for bfloat16."""
    return np.empty(kind.shape, _storage(kind))


def reshaped(value, before, after):
    """A value for Tensors, in shape `after` where it has shape `before`."""
    array, dtype = as_numpy(value)
    array = array.reshape(after) if array.shape == before else array
    return Bits16(array.view(np.uint16)) if dtype == _abi.BF16 else array


def presented(array, kind):
    """The array as its user sees it: bfloat16 by ml_dtypes where that is installed, else as Bits16."""
    if kind.dtype != "bf16":
        return array
    return array.view(_bfloat16()) if _bfloat16() is not None else Bits16(array)


def copy_of(tensor):
    """A copy of a tensor of C, which is row-major."""
    kind = type_of(tensor)
    array = empty(kind)
    if array.nbytes:
        ctypes.memmove(array.ctypes.data, tensor.data, array.nbytes)
    return presented(array, kind)


def array_at(address, kind, owner):
    """The memory there as an array, which keeps its owner."""
    if 0 in kind.shape:
        return presented(empty(kind), kind)
    memory = (ctypes.c_char * empty(kind).nbytes).from_address(address)
    memory.owner = owner
    return presented(np.frombuffer(memory, _storage(kind)).reshape(kind.shape), kind)


def view_of(tensor):
    """A tensor of C as a copy that may not be written."""
    made = copy_of(tensor)
    (made.bits if isinstance(made, Bits16) else made).flags.writeable = False
    return made
