"""Whoever runs graphs: ours, those that `plumb verify --candidate` names, and functions of Python."""
import ctypes
import dataclasses
import inspect

from plumbline import _abi, arrays, dlpack, residency
from plumbline.errors import Error, Unsupported
from plumbline.native import Handle, check, lib, text
from plumbline.residency import Buffer, Context, Params

_MISTAKE = 1  # plumb_call.fail: the candidate did what it must not


class Executor:
    """Runs graphs. `name` is what reports call it."""

    def __init__(self, make):
        self.handle = Handle(lib().plumb_executor_free, make)
        self.name = lib().plumb_executor_name(self.handle.pointer).decode()
        self.pending = None  # what a function of Python raised, on its way through C

    def compile(self, graph, params=None, wanted=None, replaceable=()):
        """Makes the graph ready for many runs that give these values, its results unless said. Params that are not
        given are the file's; those of `params(...)` are shared, and are all; of these the `replaceable` ones may be
        replaced afterwards, "*" for all, and no pass reads their values."""
        params = {} if params is None else params
        if replaceable and not isinstance(params, Params):
            raise Error("params that are replaced are those of params(...)")
        return Executable(self, graph, params, list(wanted) if wanted is not None else None, list(replaceable))

    def params(self, values):
        """Arrays by name as params that several graphs share, uploaded once."""
        return Params(self, values)

    def buffer(self, kind):
        """A tensor of zeros in this executor's memory, of a Type or of "f32[2, 3]"."""
        types = arrays.Tensors.of_types([kind])
        return Buffer(lambda place: lib().plumb_buffer_new(self.handle.pointer, types.pointer(), place))

    def imported(self, array, allow_copy=False):
        """A NumPy array, or Bits16, as a Buffer in its own memory: what runs and the host write there, the other sees.
        It is kept as long as that. Raises Unsupported where it cannot be used where it is, unless it may be copied."""
        return residency.imported(self, array, allow_copy)

    def from_dlpack(self, array, allow_copy=False):
        """Likewise of whatever has __dlpack__ on the host, as PyTorch's tensors do."""
        return Buffer(dlpack.taken(self.handle, array, allow_copy))

    def run(self, graph, feeds, wanted=None):
        """Runs once: arrays by name for inputs and, where they are not the file's, params."""
        params = {name: value for name, value in feeds.items() if name in graph.params}
        inputs = {name: value for name, value in feeds.items() if name not in graph.params}
        return self.compile(graph, params, wanted).run(inputs)

    def __repr__(self):
        return f"<plumbline executor {self.name}>"


class Executable:
    """A graph made ready; one thread at a time."""

    def __init__(self, executor, graph, params, wanted, replaceable):
        known = {**graph.values, **graph.results}
        for name in wanted or []:
            if name not in known:
                raise Error(f"the graph computes no value '{name}'")
        self.types = {name: known[name] for name in (wanted if wanted is not None else graph.results)}
        wanted = _texts(self.types) if wanted is not None else (None, 0)
        self._executor = executor
        if isinstance(params, Params):
            make = lambda place: lib().plumb_compile_held(
                executor.handle.pointer, graph.handle.pointer, params.handle.pointer, *wanted, *_texts(replaceable),
                place)
        else:
            given = arrays.Tensors.by_name(params)
            make = lambda place: lib().plumb_compile(executor.handle.pointer, graph.handle.pointer, given.pointer(),
                                                     given.count, *wanted, place)
        self.handle = Handle(lib().plumb_executable_free, make)

    def run(self, inputs):
        """Arrays by name in, arrays by name out."""
        given = arrays.Tensors.by_name(inputs)
        made = {name: arrays.empty(kind) for name, kind in self.types.items()}
        results = arrays.Tensors.over(made.values(), self.types.values())
        with raising(self._executor):
            check(lib().plumb_run(self.handle.pointer, given.pointer(), given.count, results.pointer(), results.count))
        return {name: arrays.presented(array, self.types[name]) for name, array in made.items()}

    @property
    def bytes(self):
        """Bytes of tensors that are freed with it: of its own runs, of constants, and of params that nobody else holds.
        Raises Unsupported where an executor does not know."""
        count = ctypes.c_uint64()
        check(lib().plumb_executable_bytes(self.handle.pointer, ctypes.byref(count)))
        return count.value

    def context(self):
        """Memory for runs whose tensors stay with the executor. Raises Unsupported where an executor has none."""
        return Context(self)


class Cpu(Executor):
    """The CPU reference; 0 threads: one for every core."""

    def __init__(self, threads=0):
        given, count = _settings({"threads": threads})
        super().__init__(lambda place: lib().plumb_cpu(given, count, place))


class Vulkan(Executor):
    """The Vulkan executor, on the device of this index, UUID or name, with the knobs of `plumb options` by name. Raises
    Unsupported where there is none."""

    def __init__(self, device=None, **settings):
        given, count = _settings({**({} if device is None else {"device": device}), **settings})
        super().__init__(lambda place: lib().plumb_vulkan(given, count, place))


@dataclasses.dataclass(frozen=True)
class Device:
    """A Vulkan device of this machine."""

    name: str
    driver: str
    uuid: str
    memory: int       # bytes of its own
    is_software: bool
    refusal: str      # why it cannot be used; "" where it can


def devices():
    """The Vulkan devices of this machine, as `plumb devices` lists them; none where there is no Vulkan."""
    handle = Handle(lib().plumb_devices_free, lib().plumb_devices_list)
    found = []
    for k in range(lib().plumb_devices_count(handle.pointer)):
        one = _abi.plumb_device(struct_size=ctypes.sizeof(_abi.plumb_device))
        check(lib().plumb_devices_device(handle.pointer, k, ctypes.byref(one)))
        found.append(Device(one.name.decode(), one.driver.decode(), one.uuid.decode(), one.memory,
                            bool(one.is_software), one.refusal.decode()))
    return found


class Candidate(Executor):
    """Whom `plumb verify --candidate SPEC` names: "file:dump.npz", "exec:COMMAND", "onnxruntime:LIB", ...; the options
    are its flags (docs/foreign_backends.md): taps, names, pair, storage, timeout, keep_exchange, framework, arguments,
    returns, align, device."""

    def __init__(self, spec, **options):
        super().__init__(_opener(spec, **options))


def _texts(names):
    """Texts as C has them, and how many."""
    return (ctypes.c_char_p * max(len(names), 1))(*[name.encode() for name in names]), len(names)


def _settings(settings):
    """Knobs as C has them, and how many."""
    word = lambda value: {True: "1", False: "0"}[value] if isinstance(value, bool) else str(value)
    made = [_abi.plumb_setting(struct_size=ctypes.sizeof(_abi.plumb_setting), name=text(name), value=text(word(value)))
            for name, value in settings.items()]
    return (_abi.plumb_setting * max(len(made), 1))(*made), len(made)


def _opener(spec, **options):
    given = _abi.plumb_candidate_options(struct_size=ctypes.sizeof(_abi.plumb_candidate_options))
    known = {name: kind for name, kind in _abi.plumb_candidate_options._fields_ if name not in ("struct_size", "flags")}
    for name, value in options.items():
        if name not in known:
            raise Error(f"a candidate has no option '{name}'; it has {', '.join(known)}")
        if value is not None:
            setattr(given, name, text(value) if known[name] is ctypes.c_char_p else int(value))
    return lambda place: lib().plumb_candidate(spec.encode(), ctypes.byref(given), place)


class Function(Executor):
    """A function of Python as a candidate: function(inputs, wanted) or function(inputs) gives arrays by name."""

    def __init__(self, function, name=None, taps=None, keeps_subnormals=False, storage=None):
        self._function = function
        self._takes_wanted = _takes_two(function)
        self._entry = dict(_abi.plumb_callback._fields_)["run"](self._answer)
        name = name or getattr(function, "__name__", type(function).__name__)
        callback = _abi.plumb_callback(struct_size=ctypes.sizeof(_abi.plumb_callback), run=self._entry,
                                       name=name.encode(), taps=text(taps), keeps_subnormals=int(keeps_subnormals),
                                       storage=text(storage))
        super().__init__(lambda place: lib().plumb_callbacks(ctypes.byref(callback), place))

    def _answer(self, _user, call):
        call = call.contents
        fail = lambda kind, words: call.fail(call.context, kind, words.encode())
        try:
            inputs = {one.name.decode(): arrays.view_of(one) for one in call.inputs[:call.input_count]}
            wanted = [one.name.decode() for one in call.asked[:call.asked_count]]
            made = self._function(inputs, wanted) if self._takes_wanted else self._function(inputs)
            if not hasattr(made, "items"):
                return fail(_MISTAKE, f"gave {type(made).__name__}, and a dict of arrays by name is wanted")
            return self._give(call, made, fail)
        except Unsupported as refusal:
            return fail(_abi.ERROR_UNSUPPORTED, str(refusal))
        except BaseException as problem:  # whatever it is, it goes on where plumbline was called
            self.pending = problem
            return fail(_abi.ERROR_STOPPED, "")

    @staticmethod
    def _give(call, made, fail):
        for name, value in made.items():
            try:
                tensors = arrays.Tensors([value], [name])
            except (Error, TypeError, ValueError) as problem:
                return fail(_MISTAKE, f"gave '{name}' as {type(value).__name__}: {problem}")
            code = call.give(call.context, tensors.pointer())
            if code:
                return code
        return 0


class _Judged:
    """An object with run(inputs), and maybe describe() and compile(model, wanted), as a function."""

    def __init__(self, object_, model):
        self._object, self._model, self._wanted = object_, model, None
        about = object_.describe() if hasattr(object_, "describe") else {}
        self.about = {"name": type(object_).__name__, **about}

    def __call__(self, inputs, wanted):
        if hasattr(self._object, "compile") and wanted != self._wanted:
            self._object.compile(self._model, wanted)
            self._wanted = wanted
        return self._object.run(inputs)


def _takes_two(function):
    try:
        inspect.signature(function).bind(None, None)
        return True
    except TypeError:
        return False
    except ValueError:  # it has none: built in
        return True


def executor_of(candidate, model, storage=None):
    """Whoever is meant: a spec, an executor, a function, or an object with run(inputs)."""
    if isinstance(candidate, Executor):
        if storage is not None:
            raise Error("storage is an option of Candidate(...), and this executor is there already")
        return candidate
    if isinstance(candidate, str):
        return Candidate(candidate, storage=storage)
    if hasattr(candidate, "run"):
        judged = _Judged(candidate, model)
        known = {key: judged.about[key] for key in ("name", "taps", "keeps_subnormals") if key in judged.about}
        return Function(judged, storage=storage, **known)
    if callable(candidate):
        return Function(candidate, storage=storage)
    raise Error(f"a candidate is a spec, an executor, a function or an object with run(inputs), got {candidate!r}")


class raising:
    """Raises what a function of Python raised, that of the first executor, in place of what came out of C for it."""

    def __init__(self, *executors):
        self._executors = executors

    def __enter__(self):
        for one in self._executors:
            one.pending = None

    def __exit__(self, kind, value, trace):
        pending = [one.pending for one in self._executors if one.pending is not None]
        self.__enter__()
        if pending:
            raise pending[0]
        return False
