"""Capsules in which Python hands tensors of DLPack on (https://dmlc.github.io/dlpack)."""
import ctypes
import functools

import numpy as np

from plumbline import _abi
from plumbline.errors import Error
from plumbline.native import check, lib

CPU = (1, 0)  # a device's type and number
VERSION = (1, 0)


def _of_python(name, result, *arguments):
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


_new = _of_python("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_is_valid = _of_python("PyCapsule_IsValid", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_pointer = _of_python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
_rename = _of_python("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_destructor = _of_python("PyCapsule_GetDestructor", ctypes.c_void_p, ctypes.py_object)


class _Form:
    """Capsules of tensors as version 1 has them, or of before. Who takes a tensor out renames the capsule."""

    def __init__(self, name, asked_by, give, take):
        self._name, self._used = name, b"used_" + name
        self._asked_by, self._give, self._take = asked_by, give, take
        for text in (self._name, self._used):  # capsules point at them, and may outlive this module
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(text))

    @functools.cached_property
    def destructor(self):
        """Calls the deleter of a tensor that nobody took. It is NumPy's, which is in C: a capsule may end while an
        exception is under way, where no code of Python can run. None where this NumPy does not know the form."""
        try:
            capsule = np.empty(1).__dlpack__(**self._asked_by)
        except (AttributeError, TypeError):
            return None
        return _destructor(capsule) if _is_valid(capsule, self._name) else None

    def capsule_of(self, buffer, *options):
        place = ctypes.c_void_p()
        check(getattr(lib(), self._give)(buffer.pointer, *options, ctypes.byref(place)))
        return _new(place, self._name, self.destructor)

    def is_of(self, capsule):
        return bool(_is_valid(capsule, self._name))

    def take(self, executor, capsule, allow_copy, place):
        """The tensor as a buffer of C. Nothing is left in the capsule, also where this fails."""
        tensor = _pointer(capsule, self._name)
        _rename(capsule, self._used)
        how = _abi.IMPORT_ALLOW_COPY if allow_copy else _abi.IMPORT_REQUIRE
        return getattr(lib(), self._take)(executor.pointer, tensor, how, place)


_versioned = _Form(b"dltensor_versioned", {"max_version": VERSION}, "plumb_buffer_to_dlpack",
                   "plumb_buffer_from_dlpack")
_unversioned = _Form(b"dltensor", {}, "plumb_buffer_to_dlpack_unversioned", "plumb_buffer_from_dlpack_unversioned")


def capsule_of(buffer, read_only, max_version):
    """A buffer's memory, in the form that the consumer and NumPy know."""
    if max_version is not None and tuple(max_version) >= VERSION and _versioned.destructor:
        return _versioned.capsule_of(buffer, int(read_only))
    if read_only:
        raise BufferError("a param may only be read, which tensors of DLPack say since version 1")
    return _unversioned.capsule_of(buffer)


def taken(executor, array, allow_copy):
    """What makes a buffer of C of an array's memory."""
    if not hasattr(array, "__dlpack__"):
        raise Error(f"an array with __dlpack__ is wanted, got {type(array).__name__}")
    try:
        capsule = array.__dlpack__(max_version=VERSION)
    except TypeError:  # it knows no versions
        capsule = array.__dlpack__()
    for form in (_versioned, _unversioned):
        if form.is_of(capsule):
            return lambda place: form.take(executor, capsule, allow_copy, place)
    raise Error(f"__dlpack__ of {type(array).__name__} gave no capsule with a tensor")
