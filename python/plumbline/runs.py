"""The calls of a function by which plumb judges what it does with memory, and the verdict on them."""
import time

import numpy

from .exchange import Failed
from .memory import AtEdge, Guarded, preset


class Call:
    """A function with the types of its operands and outputs, and the order of its arguments."""

    def __init__(self, function, framework, operands, outputs, order, returns):
        self.function, self.framework = function, framework
        self.operands, self.outputs = operands, outputs
        self.order, self.returns = order, returns

    def arguments(self, operands, outputs):
        """The arguments in order: `order` has a letter and a number for a tensor, or another value as it is."""
        tensors = {"x": operands, "y": outputs}
        return [tensors[what][which].array if what in tensors else which for what, which in self.order]

    def at_edges(self, contents, edge, align, only=None, readable=False):
        """Calls the function with all its tensors at the edge of a page, or with one of them: that of number `only`
        among operands and outputs."""
        tensors = []
        for number, (tensor_type, content) in enumerate(self.typed(contents)):
            if only is None or only == number:
                tensors.append(AtEdge(self.framework, tensor_type, content, edge, align, readable))
            else:
                tensors.append(Guarded(self.framework, tensor_type, "nan", content))
        self.function(*self.arguments(tensors[:len(self.operands)], tensors[len(self.operands):]))

    def typed(self, contents):
        outputs = [] if self.returns else self.outputs
        return [*zip(self.operands, contents), *((tensor_type, None) for tensor_type in outputs)]

    def call_on(self, contents, tensors):
        """Calls the function in these tensors' memory on other inputs, which it may refuse: nobody asked about them."""
        for tensor, (_, content) in zip(tensors, self.typed(contents)):
            tensor.refill(content)
        try:
            self.function(*self.arguments(tensors[:len(self.operands)], tensors[len(self.operands):]))
            self.framework.wait()
        except Exception:
            pass

    def guarded(self, contents, kind):
        return [Guarded(self.framework, tensor_type, kind, content) for tensor_type, content in self.typed(contents)]

    def on_others(self, contents):
        """Calls the function on other inputs than these, and looks at nothing of what it does."""
        self.call_on(other_inputs(self.operands, contents), self.guarded(contents, "nan"))

    def once(self, contents, kind, before=None):
        """Calls the function between guard zones, after a call on inputs `before` in the same memory, if there are
        such. Returns the bytes of its outputs, their types and the seconds."""
        tensors = self.guarded(contents, kind)
        if before is not None:
            self.call_on(before, tensors)
            for tensor, (_, content) in zip(tensors, self.typed(contents)):
                tensor.refill(content)
        operands, outputs = tensors[:len(self.operands)], tensors[len(self.operands):]
        arguments = self.arguments(operands, outputs)
        self.framework.wait()
        began = time.perf_counter()
        returned = self.function(*arguments)
        self.framework.wait()
        seconds = time.perf_counter() - began
        if self.returns:
            results = self.taken(returned)
        written = [tensor.written() for tensor in tensors]
        for (_, where), tensor in zip(written, tensors):
            if where:
                raise Failed(where)
        for (now, _), content, tensor in zip(written, contents, operands):
            if not numpy.array_equal(now, content):
                element = int(numpy.flatnonzero(now != content)[0]) // tensor.type.item_bytes
                raise Failed(f"changed its operand {tensor.type.name}, {tensor.type.place(element)}")
        if not self.returns:
            results = [(output.type, now) for output, (now, _) in zip(outputs, written[len(operands):])]
        return results, seconds, returned is not None

    def taken(self, returned):
        """Types and bytes of what the function returned, copied: it may return what it writes into again."""
        if isinstance(returned, dict):
            returned = [returned[output.name] for output in self.outputs if output.name in returned]
        elif not isinstance(returned, (tuple, list)):
            returned = [] if returned is None else [returned]
        if len(returned) != len(self.outputs):
            raise Failed(f"returned {counted(len(returned), 'array')}, where the graph has "
                         f"{counted(len(self.outputs), 'result')}")
        results = []
        for array, output in zip(returned, self.outputs):
            dtype, shape, content = self.framework.result(array)
            results.append((type(output)(output.name, dtype, shape), content))
        return results


def counted(count, noun):
    return f"{count} {noun}" + ("" if count == 1 else "s")


def by_element(content, tensor_type):
    """The bytes of a tensor with a row for each element."""
    return content.reshape(tensor_type.elements, tensor_type.item_bytes)


def unwritten(tensor_type, by_nan, by_finite):
    """Names the elements that still have what was in them before two calls: "rows 96 to 99 of y", or ""."""
    kept = numpy.ones(tensor_type.elements, dtype=bool)
    for content, kind in ((by_nan, "nan"), (by_finite, "finite")):
        element = numpy.frombuffer(preset(kind, tensor_type), dtype=numpy.uint8)
        kept &= (by_element(content, tensor_type) == element).all(axis=1)
    where = numpy.flatnonzero(kept)
    if len(where) == 0:
        return ""
    if len(where) == tensor_type.elements:
        return f"all of {tensor_type.name}"
    first, last = int(where[0]), int(where[-1])
    width = tensor_type.shape[-1]
    if last - first + 1 != len(where):
        return f"{len(where)} elements of {tensor_type.name}, the first of them {tensor_type.place(first)}"
    if len(tensor_type.shape) > 1 and first % width == 0 and (last + 1) % width == 0:
        return f"{span('row', first // width, last // width)} of {tensor_type.name}"
    return f"{span('element', first, last)} of {tensor_type.name}"


def span(noun, first, last):
    return f"{noun} {first}" if first == last else f"{noun}s {first} to {last}"


def difference(one, other):
    """The place of the first element in which results of two runs differ, as bits, or ""."""
    for (this_type, this), (that_type, that) in zip(one, other):
        if (this_type.dtype, this_type.shape) != (that_type.dtype, that_type.shape):
            return f"the type of {this_type.name}"
        changed = numpy.flatnonzero(this != that)
        if len(changed):
            return f"{this_type.place(int(changed[0]) // this_type.item_bytes)} of {this_type.name}"
    return ""


def other_inputs(types, contents):
    """Other inputs of the same types, for which hardly any function gives the same: the elements of the second half,
    each twice, from the last on, and floats with the other sign. Integers change only where there are no floats, since
    they may be indices that have to be in order."""
    parts = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "c64": 4, "c128": 8}  # bytes that have a sign
    chosen = [tensor_type.dtype in parts for tensor_type in types]

    def other(content, tensor_type):
        count = tensor_type.elements
        made = by_element(content, tensor_type)[count - 1 - numpy.arange(count) // 2].reshape(-1)
        if tensor_type.dtype in parts:
            made[parts[tensor_type.dtype] - 1::parts[tensor_type.dtype]] ^= 0x80
        return made

    return [other(content, tensor_type) if changes or not any(chosen) else content
            for tensor_type, content, changes in zip(types, contents, chosen)]


def require_bools(results):
    for tensor_type, content in results:
        if tensor_type.dtype == "bool" and len(content) and content.max() > 1:
            element = int(numpy.flatnonzero(content > 1)[0])
            raise Failed(f"{tensor_type.place(element)} of {tensor_type.name} is a bool of value {content[element]}, "
                         "neither 0 nor 1")


def judged(call, contents):
    """Calls the function in the first three ways and on other inputs. Returns its results and the seconds of its
    quickest call. Throws Failed with the reason where it did what it must not."""
    # Its first call is on other inputs, so that what it keeps of that is not what it is judged by.
    others = other_inputs(call.operands, contents)
    first, seconds, returned = call.once(contents, "nan", before=others)
    second, again, _ = call.once(contents, "finite")
    if not call.returns:
        for (tensor_type, by_nan), (_, by_finite) in zip(first, second):
            where = unwritten(tensor_type, by_nan, by_finite)
            if where:
                raise Failed(f"unwritten: {where}" +
                             (" (the function returned something: does it need --returns?)" if returned else ""))
    place = difference(first, second)
    if place:
        raise Failed(f"two runs with other memory around differ in {place}: it reads memory that it does not own, "
                     "reads its outputs before it writes them, reuses old results, or races")
    third, last, _ = call.once(contents, "nan", before=others)
    place = difference(first, third)
    if place:
        raise Failed(f"a run after one on other inputs differs in {place}: it reuses old results, keeps a state, "
                     "or races")
    require_bools(first)
    return first, min(seconds, again, last)
