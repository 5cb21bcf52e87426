"""libplumbline.so.1: found, loaded, and its errors as exceptions."""
import ctypes
import os
import pathlib
import weakref

from plumbline import _abi
from plumbline.errors import DeviceError, Error, Unsupported

_KINDS = {_abi.ERROR_UNSUPPORTED: Unsupported, _abi.ERROR_DEVICE: DeviceError, _abi.ERROR_MEMORY: MemoryError}
_NAME = "libplumbline.so.1"


class Stopped(Exception):
    """A callback of ours ended it; what that raised is kept where it was called."""


def _places():
    """PLUMBLINE_LIBRARY; else a wheel's own copy, that of the installed or the built tree around, or the system's."""
    named = os.environ.get("PLUMBLINE_LIBRARY")
    if named:
        return [named]
    here = pathlib.Path(__file__).resolve().parent
    checkout = here.parent.parent  # of python/plumbline
    prefix = checkout.parent.parent  # of libexec/plumbline/python/plumbline
    folders = [here / "_lib", checkout / "build/release/lib", prefix / "lib", *prefix.glob("lib/*-linux-gnu")]
    return [*(folder / _NAME for folder in folders), _NAME]


def _load():
    problem = None
    for place in _places():
        if isinstance(place, pathlib.Path) and not place.exists():
            continue
        try:
            loaded = ctypes.CDLL(str(place))
        except OSError as error:
            problem = problem or error
            continue
        for name, (result, arguments) in _abi.FUNCTIONS.items():
            function = getattr(loaded, name)
            function.restype, function.argtypes = result, arguments
        return loaded
    raise Error(f"there is no {_NAME}: {problem or 'it is in none of the usual places'}; build plumbline, or name the "
                "file in PLUMBLINE_LIBRARY")


_lib = None


def lib():
    """The library, loaded when it is first needed."""
    global _lib
    if _lib is None:
        _lib = _load()
    return _lib


def check(error):
    """Raises what a function of the library handed back, if anything."""
    if not error:
        return
    kind, message = lib().plumb_error_kind(error), lib().plumb_error_message(error).decode()
    lib().plumb_error_free(error)
    if kind == _abi.ERROR_STOPPED:
        raise Stopped(message)
    raise _KINDS.get(kind, Error)(message)


class Handle:
    """Owns a handle of the library, which `free` ends."""

    def __init__(self, free, make):
        """`make` takes the place for the handle and returns an error or None."""
        place = ctypes.c_void_p()
        check(make(ctypes.byref(place)))
        self.pointer = place.value
        self._end = weakref.finalize(self, free, place.value)


def text(value):
    """A text for C, or NULL."""
    return None if value is None else os.fspath(value).encode()


_told = None  # what C calls must not be collected


def set_log(log):
    """Has log(text) told what is no error and ought to be known: remarks of a reader of models, doubts about a device,
    rules of a policy that have expired. There is one in a process; with None, as at first, nobody is told."""
    global _told
    kind = _abi.FUNCTIONS["plumb_set_log"][1][0]
    told = kind() if log is None else kind(lambda _user, said: log(said.decode()))
    lib().plumb_set_log(told, None)
    _told = told


def licence():
    """"MIT", or "GPL-2.0-or-later" where FFTW is linked in."""
    return lib().plumb_licence().decode()
