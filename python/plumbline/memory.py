"""Tensors in memory with something else around them, for functions that read or write more than is theirs."""
import ctypes
import mmap

import numpy

from .exchange import Problem, Unsupported

GUARD = 4096

NUMPY = {"bool": "?", "u8": "u1", "i8": "i1", "i16": "<i2", "u16": "<u2", "i32": "<i4", "u32": "<u4", "i64": "<i8",
         "f16": "<f2", "f32": "<f4", "f64": "<f8", "c64": "<c8", "c128": "<c16"}
OTHERS = {"bool": "bool", "u8": "uint8", "i8": "int8", "i16": "int16", "u16": "uint16", "i32": "int32", "u32": "uint32",
          "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "c64": "complex64",
          "c128": "complex128"}

# One element of what is in outputs before a call and around every tensor. Integers have no NaN: any two bytes that
# differ do. A finite pattern besides is needed since a maximum or a comparison hides NaN.
NAN = {"f16": b"\x00\x7e", "bf16": b"\xc0\x7f", "f32": b"\x00\x00\xc0\x7f", "f64": b"\0\0\0\0\0\0\xf8\x7f"}
FINITE = {"f16": numpy.float16(24576).tobytes(), "bf16": numpy.float32(2.0**100).tobytes()[2:],
          "f32": numpy.float32(2.0**100).tobytes(), "f64": numpy.float64(2.0**100).tobytes()}
for _presets in (NAN, FINITE):
    _presets["c64"], _presets["c128"] = 2 * _presets["f32"], 2 * _presets["f64"]


def preset(kind, tensor_type):
    """An element of the pattern `kind`, "nan" or "finite"."""
    table, byte = (NAN, b"\xa5") if kind == "nan" else (FINITE, b"\x5a")
    return table.get(tensor_type.dtype, byte * tensor_type.item_bytes)


def repeated(element, size):
    return numpy.frombuffer(element * (size // len(element)), dtype=numpy.uint8)


class Guarded:
    """A tensor between guard zones of 4 KiB, which are inspected afterwards. `bytes` are its elements in host memory,
    `None` for an output, which then has the pattern in it."""

    def __init__(self, framework, tensor_type, kind, content):
        self.type, self.framework = tensor_type, framework
        self.element = preset(kind, tensor_type)
        self.content = repeated(self.element, tensor_type.bytes) if content is None else content
        zone = repeated(self.element, GUARD)
        self.whole = numpy.concatenate([zone, self.content, zone])
        self.buffer = framework.buffer(self.whole)
        self.array = framework.view(self.buffer, GUARD, tensor_type)

    def refill(self, content):
        """Puts other numbers, or the pattern, into the same memory, and the pattern around them again."""
        self.content = repeated(self.element, self.type.bytes) if content is None else content
        zone = repeated(self.element, GUARD)
        self.whole = numpy.concatenate([zone, self.content, zone])
        self.buffer = self.framework.refilled(self.buffer, self.whole)
        self.array = self.framework.view(self.buffer, GUARD, self.type)

    def written(self):
        """Copies the elements back, and says how the memory around them was changed, "" where it was not."""
        now = self.framework.copied(self.buffer)
        changed = numpy.flatnonzero(now != self.whole)
        before = changed[changed < GUARD]
        behind = changed[changed >= GUARD + self.type.bytes]
        where = ""
        width = self.type.item_bytes  # a byte of an element may be as it was
        if len(behind):
            count = ((behind[-1] - GUARD - self.type.bytes) // width + 1) * width
            where = f"writes {count} bytes behind {self.type.name}"
        elif len(before):
            where = f"writes {GUARD - before[0] // width * width} bytes before {self.type.name}"
        return now[GUARD:GUARD + self.type.bytes].copy(), where


class AtEdge:
    """A tensor of host memory whose last byte is the last of a page, or its first the first, beside pages that nobody
    may touch, or where `readable` that nobody may write."""

    def __init__(self, framework, tensor_type, content, edge, align, readable=False):
        page = mmap.PAGESIZE
        size = -(-max(tensor_type.bytes, 1) // page) * page
        memory = mmap.mmap(-1, size + 2 * page)
        all_bytes = numpy.frombuffer(memory, dtype=numpy.uint8)
        element = preset("nan", tensor_type)
        all_bytes[:] = repeated(element, size + 2 * page)
        begin = page
        if edge == "end":
            step = max(align, tensor_type.item_bytes)
            begin += (size - tensor_type.bytes) // step * step
        place = slice(begin, begin + tensor_type.bytes)
        all_bytes[place] = repeated(element, tensor_type.bytes) if content is None else content
        address = all_bytes.ctypes.data
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for place in (address, address + page + size):
            if libc.mprotect(place, page, 1 if readable else 0) != 0:
                raise Problem("the system does not protect a page")
        self.type = tensor_type
        self.array = framework.view(framework.wrapped(all_bytes), begin, tensor_type)


class Numpy:
    """Arrays of NumPy, in host memory."""
    on_host = True

    def __init__(self, device):
        if device != "cpu":
            raise Problem(f"NumPy has no device {device}: --framework torch, cupy or jax has")

    def buffer(self, whole):
        """A copy of the bytes, in which the guard zone ends on a page, as the memory of large arrays does."""
        room = numpy.empty(len(whole) + GUARD, dtype=numpy.uint8)
        skip = -room.ctypes.data % GUARD
        room = room[skip:skip + len(whole)]
        room[:] = whole
        return self.wrapped(room)

    def refilled(self, buffer, whole):
        """The same memory with other bytes in it."""
        buffer[:] = whole
        return buffer

    def wrapped(self, array):
        return array

    def dtype(self, name):
        if name != "bf16":
            return numpy.dtype(NUMPY[name])
        try:
            import ml_dtypes
        except ImportError as missing:
            raise Unsupported("bf16 in NumPy needs the package ml_dtypes; or --framework torch") from missing
        return numpy.dtype(ml_dtypes.bfloat16)

    def view(self, buffer, begin, tensor_type):
        return buffer[begin:begin + tensor_type.bytes].view(self.dtype(tensor_type.dtype)).reshape(tensor_type.shape)

    def copied(self, buffer):
        return buffer.copy()

    def wait(self):
        pass

    def result(self, array):
        """The dtype, the shape and the bytes of what a function returned."""
        array = numpy.asarray(array)
        for name in OTHERS:
            if name in NUMPY and array.dtype == numpy.dtype(NUMPY[name]) or str(array.dtype) == OTHERS[name]:
                little = numpy.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))
                return name, array.shape, numpy.frombuffer(little.tobytes(), dtype=numpy.uint8)
        raise Problem(f"the function returned dtype {array.dtype}, which plumb has not")


class Torch(Numpy):
    """Tensors of PyTorch. Those of the CPU are in memory that NumPy made."""

    def __init__(self, device):
        self.torch = imported("torch")
        self.on_host = device == "cpu"
        self.device = self.torch.device(device)
        if not self.on_host and not self.torch.cuda.is_available():
            raise Unsupported("PyTorch finds no CUDA device")

    def wrapped(self, array):
        return self.torch.from_numpy(array)

    def buffer(self, whole):
        return super().buffer(whole) if self.on_host else self.torch.tensor(whole, device=self.device)

    def refilled(self, buffer, whole):
        return buffer.copy_(self.torch.from_numpy(whole))

    def dtype(self, name):
        found = getattr(self.torch, OTHERS[name], None)
        if found is None:
            raise Unsupported(f"this PyTorch has no {OTHERS[name]}")
        return found

    def copied(self, buffer):
        return buffer.cpu().numpy().copy()

    def wait(self):
        if not self.on_host:
            self.torch.cuda.synchronize(self.device)

    def result(self, array):
        if not isinstance(array, self.torch.Tensor):
            return super().result(array)
        array = array.detach().cpu().contiguous()
        for name, theirs in OTHERS.items():
            if array.dtype == getattr(self.torch, theirs, None):
                return name, tuple(array.shape), array.reshape(-1).view(self.torch.uint8).numpy().copy()
        raise Problem(f"the function returned dtype {array.dtype}, which plumb has not")


class Cupy(Numpy):
    """Arrays of CuPy, in memory of a CUDA device."""
    on_host = False

    def __init__(self, device):
        self.cupy = imported("cupy")
        if not device.startswith("cuda"):
            raise Problem("CuPy has no CPU: --device cuda")
        self.cupy.cuda.Device(int(device.partition(":")[2] or 0)).use()

    def buffer(self, whole):
        return self.cupy.asarray(whole)

    def refilled(self, buffer, whole):
        buffer[:] = self.cupy.asarray(whole)
        return buffer

    def copied(self, buffer):
        return self.cupy.asnumpy(buffer)

    def wait(self):
        self.cupy.cuda.Device().synchronize()

    def result(self, array):
        return super().result(self.cupy.asnumpy(array))


class Jax(Numpy):
    """Arrays of JAX, which nobody can write into and which have no guard zones: what a function reads and writes is
    only seen where two runs differ."""
    on_host = False

    def __init__(self, device):
        self.jax = imported("jax")
        self.jax.config.update("jax_enable_x64", True)
        platform, _, number = device.partition(":")
        self.device = self.jax.devices(platform)[int(number or 0)]

    def buffer(self, whole):
        return whole.copy()

    def refilled(self, buffer, whole):
        return whole.copy()  # an array of JAX is never written into: it gets another

    def view(self, buffer, begin, tensor_type):
        array = super().view(buffer, begin, tensor_type)
        return self.jax.device_put(array.copy(), self.device)

    def result(self, array):
        return super().result(numpy.asarray(array))


def imported(name):
    """A package by its name. Throws Problem where it is not installed."""
    import importlib
    try:
        return importlib.import_module(name)
    except ImportError as missing:
        raise Problem(f"--framework {name}: {missing}") from missing


FRAMEWORKS = {"numpy": Numpy, "torch": Torch, "cupy": Cupy, "jax": Jax}
