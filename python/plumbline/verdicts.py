"""Verdicts: on one op, and on every node of a model."""
import ctypes
import dataclasses
import json
import math
import os

from plumbline import _abi, arrays
from plumbline.errors import Error, Failed, Unsupported
from plumbline.executors import executor_of, raising
from plumbline.graph import Graph, attributes_json
from plumbline.native import Handle, check as check_error, lib, text


@dataclasses.dataclass(frozen=True)
class Row:
    """One output of one node. Numbers that were not computed are NaN."""

    label: str
    op: str
    verdict: str
    why: str
    error: float    # the largest absolute error
    ratio: float    # the largest error over its limit: above 1 fails
    allowed: float  # the limit of the element with that ratio
    ulp: float      # the largest error in units of the last place
    worst: int      # that element, in row-major order; -1: none
    got: float      # its number, and the true one
    truth: float
    group: int      # nodes that were judged as one: this one, and those whose values nobody has
    paired: str     # how the value was found among the candidate's
    kernel: str
    repro: str
    is_guilty: bool
    is_result: bool


class Result:
    """The verdict on a graph. `exit` is the program's exit code (docs/ci.md), `ok` whether it is 0; `rows` has a Row
    for each output of each node; printed, it is the table of `plumb verify`."""

    def __init__(self, make):
        self._handle = Handle(lib().plumb_result_free, make)
        pointer = self._handle.pointer
        self.exit = lib().plumb_result_exit(pointer)
        self.verdict = lib().plumb_result_verdict(pointer).decode()
        self.message = lib().plumb_result_message(pointer).decode()
        self.rows = [self._row(k) for k in range(lib().plumb_result_rows(pointer))]

    @property
    def ok(self):
        return self.exit == 0

    @property
    def first_guilty(self):
        """The first node whose own error is more than it may be; None where there is none."""
        return next((row for row in self.rows if row.is_guilty), None)

    @property
    def ratio(self):
        """The largest error over its limit; NaN where nothing was compared."""
        return max((row.ratio for row in self.rows if not math.isnan(row.ratio)), default=math.nan)

    def json(self):
        """The report of `plumb verify --json`, as Python has it."""
        return json.loads(lib().plumb_result_json(self._handle.pointer).decode())

    def explain(self, row):
        """All that is known of a row, or of the row of this label, as `plumb inspect --node` prints it: the limit and
        how it came about, the worst elements, findings of samples; and the rules of a policy that were asked."""
        label = row if isinstance(row, str) else row.label
        at = next((k for k, one in enumerate(self.rows) if one.label == label), None)
        if at is None:
            raise Error(f"the result has no row '{label}'; it has {', '.join(one.label for one in self.rows[:8])}")
        made = Handle(lib().plumb_text_free,
                      lambda place: lib().plumb_result_explain(self._handle.pointer, at, place))
        return lib().plumb_text_get(made.pointer).decode()

    def save(self, path):
        """Writes a results file (docs/results.md) of this one run, in place of an earlier results file and of no other
        file. `plumb merge` joins several."""
        check_error(lib().plumb_result_save(self._handle.pointer, text(path)))

    def to_pandas(self):
        import pandas
        return pandas.DataFrame([dataclasses.asdict(row) for row in self.rows],
                                columns=[field.name for field in dataclasses.fields(Row)])

    def require(self):
        """Raises Failed unless it passed, Unsupported where it could not be judged. Returns itself."""
        if self.verdict == "unsupported" and self.exit == 77:
            raise Unsupported(self.message)
        if not self.ok:
            raise Failed(self.reason(), self)
        return self

    def reason(self):
        """Why it did not pass: the first node that failed, or the case's own message."""
        for row in self.rows:
            if row.verdict not in ("passed", "skipped"):
                place = f"; allowed {row.allowed:.3g}" if row.worst >= 0 and not math.isnan(row.allowed) else ""
                return f"{row.label} ({row.op}): {row.verdict}: {row.why}{place}"
        return f"{self.verdict}: {self.message}" if self.message else self.verdict

    def __str__(self):
        return lib().plumb_result_text(self._handle.pointer).decode()

    def __repr__(self):
        return f"<plumbline result {self.verdict}, {len(self.rows)} rows, largest ratio {self.ratio:.3g}>"

    def _repr_html_(self):
        from html import escape
        columns = ["label", "op", "error", "ratio", "allowed", "verdict"]
        cell = lambda value: f"{value:.3g}" if isinstance(value, float) else escape(str(value))
        line = lambda row: "".join(f"<td>{cell(getattr(row, column))}</td>" for column in columns)
        head = "".join(f"<th>{column}</th>" for column in columns)
        worst = sorted(self.rows, key=lambda row: -row.ratio if not math.isnan(row.ratio) else 0)
        body = "".join(f"<tr>{line(row)}</tr>" for row in worst[:50])
        return f"<p>{escape(self.verdict)}</p><table><tr>{head}</tr>{body}</table>"

    def _row(self, k):
        row = _abi.plumb_row(struct_size=ctypes.sizeof(_abi.plumb_row))
        check_error(lib().plumb_result_row(self._handle.pointer, k, ctypes.byref(row)))
        value = lambda one: one.decode() if isinstance(one, bytes) else one
        made = {name: value(getattr(row, name)) for name, _ in row._fields_ if name != "struct_size"}
        return Row(**{**made, "is_guilty": bool(row.is_guilty), "is_result": bool(row.is_result)})


def check(op, *inputs, got, raises=True, keeps_subnormals=False, threads=0, strict=False, policy=None, profile=None,
          sums=None, **attributes):
    """Judges results of one op: `got` is an array, or a list of them for several outputs.

    Shapes and attributes are those of `plumb ops OP`; an attribute that is called as an argument of this function goes
    into attributes={...}. `sums` says how the op was summed, as the rows of result.json() have it, and is tested by
    replays. Returns the Result. Raises Failed, with the worst element, its limit and the reason, unless
    raises=False; Unsupported where nothing can judge it; Error where the op refuses the inputs.

    >>> import numpy as np
    >>> check("unary", np.float32([-1, 2]), function="abs", got=np.float32([1, 2])).verdict
    'passed'
    """
    attributes = {**attributes.pop("attributes", {}), **attributes}
    operands = arrays.Tensors(inputs)
    given = arrays.Tensors(got if isinstance(got, (list, tuple)) else [got])
    options = _abi.plumb_check_options(struct_size=ctypes.sizeof(_abi.plumb_check_options), policy=text(policy),
                                       keeps_subnormals=int(keeps_subnormals), threads=threads, strict=int(strict),
                                       profile=text(profile), sums=json.dumps(sums).encode() if sums else None)
    result = Result(lambda place: lib().plumb_check(
        op.encode(), attributes_json(attributes), operands.pointer(), operands.count, given.pointer(), given.count,
        ctypes.byref(options), place))
    return result.require() if raises else result


def verify(model, candidate, *, inputs=None, shapes=None, seed=1, expected=None, filter=None, mode=None, fill=None,
           dtype=None, storage=None, policy=None, profile=None, repeat=1, plain=True, metamorphic=False, strict=False,
           require_verified=False, min_verified=None, threads=0, progress=None):
    """Judges a candidate on a model, node by node on the candidate's own operands, and returns the Result.

    `model` is a path or a Graph. `candidate` is a spec of `plumb verify --candidate`, an executor, a function
    f(inputs, wanted) -> {name: array}, or an object with run(inputs). Of a dict of several, by name, each is judged as
    if alone, on the same inputs, and the results are a dict, too. Values that it does not give are judged with those
    that follow. `inputs` are arrays by name, drawn from `seed` otherwise; the other keywords are the command's flags
    (`plumb verify --help`). What a function raises passes through, but Unsupported, which is a verdict.
    """
    several = candidate if isinstance(candidate, dict) else {"": candidate}
    if not several:
        raise Error("there is no candidate in the dict")
    if inputs is None:  # an adapter's examples
        inputs = next((one.inputs for one in several.values() if getattr(one, "inputs", None) is not None), None)
    if not isinstance(model, Graph):
        model = Graph.read(os.fspath(model), shapes, inputs)
    elif shapes:
        raise Error("shapes are for a model that is read, and this Graph is read already")
    work, elements = min_verified or (0, 0)
    given, told = arrays.Tensors.by_name(inputs or {}), arrays.Tensors.by_name(expected or {})
    judged = [executor_of(one, model.path or model, storage) for one in several.values()]
    follow = dict(_abi.plumb_verify_options._fields_)["progress"](follower(judged[0], progress))
    options = _abi.plumb_verify_options(
        struct_size=ctypes.sizeof(_abi.plumb_verify_options), repeat=repeat, seed=seed, threads=threads,
        dtype=arrays.dtype_number(dtype) if dtype else 0, strict=int(strict), verified=int(require_verified),
        no_plain=int(not plain), metamorphic=int(metamorphic), filter=text(filter), mode=text(mode), fill=text(fill),
        policy=text(policy), expected=told.pointer(), expected_count=told.count, min_verified_work=work,
        min_verified_elements=elements, progress=follow, profile=text(profile))
    asked = model.handle.pointer, given.pointer(), given.count
    with raising(*judged):
        if not isinstance(candidate, dict):
            return Result(lambda place: lib().plumb_verify(*asked, judged[0].handle.pointer, ctypes.byref(options),
                                                           place))
        handles = (ctypes.c_void_p * len(judged))(*(one.handle.pointer for one in judged))
        made = (ctypes.c_void_p * len(judged))()
        check_error(lib().plumb_verify_each(*asked, handles, len(judged), ctypes.byref(options), made))
    return {name: Result(_handed_over(made, k)) for k, name in enumerate(several)}


def _handed_over(results, k):
    """Makes a handle of one that is there already."""
    def make(place):
        ctypes.cast(place, ctypes.POINTER(ctypes.c_void_p))[0] = results[k]
    return make


def follower(judged, progress):
    """Calls progress(what, done, steps); what it raises, an interruption too, ends the verification and goes on."""
    def follow(_user, what, done, steps):
        try:
            if progress is not None:
                progress(what.decode(), done, steps)
            return 0
        except BaseException as problem:
            judged.pending = problem
            return 1
    return follow
