"""Calls with every tensor at the edge of a page, made in processes of their own since a fault ends them."""
import os
import resource
import signal

EDGES = {"end": "behind", "start": "before"}


class Ended:
    """How a process ended: the signal, 0 for none, and the lines that it said."""

    def __init__(self, number, lines):
        self.signal, self.lines = number, lines


def in_child(work):
    """Does work(say) in a copy of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            work(lambda text: os.write(writing, (text.replace("\n", " ")[:500] + "\n").encode()))
        except BaseException:  # the call between guard zones says what is wrong with the function
            pass
        finally:
            os._exit(0)
    os.close(writing)
    said = []
    with os.fdopen(reading, "rb") as pipe:
        for line in pipe:
            said.append(line.decode(errors="replace").rstrip("\n"))
    _, status = os.waitpid(child, 0)
    return Ended(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, said)


def faults(load, runs, align):
    """Tries all runs, a list of (call, contents), at page edges, with the function that load() gives in a process of
    its own. Returns two dicts by the number of a run: what the function did there that it must not, and what it
    raised."""
    found, raised = {}, {}
    begin = 0
    while True:
        ended = in_child(lambda say: every(load(), runs, begin, align, say))
        for line in ended.lines:
            run, edge, *words = line.split(" ", 2)
            if words:
                raised[int(run)] = f"{words[0]} (where its tensors are at the {edge} of a page)"
        if ended.signal == 0 or not ended.lines:
            return found, raised
        run, edge = int(ended.lines[-1].split()[0]), ended.lines[-1].split()[1]
        reason = blamed(load, runs[run], edge, align, ended.signal)
        if not reason:  # it dies wherever its tensors are: the call between guard zones will show it
            return found, raised
        found[run] = reason
        begin = run + 1


def every(function, runs, begin, align, say):
    for number in range(begin, len(runs)):
        call, contents = runs[number]
        call.function = function
        call.on_others(contents)  # what it keeps of its first call, in a file for one, is not of these inputs
        for edge in EDGES:
            say(f"{number} {edge}")
            try:
                call.at_edges(contents, edge, align)
            except Exception as problem:
                say(f"{number} {edge} {type(problem).__name__}: {problem}")


def blamed(load, run, edge, align, number):
    """Finds the tensor at whose edge alone the function dies, and whether it reads or writes there; "" where the
    function dies with none at an edge."""
    call, contents = run

    def only(which, readable):
        def work(_):
            call.function = load()
            call.at_edges(contents, edge, align, which, readable)
        return in_child(work).signal != 0

    if only(-1, False):
        return ""
    for which, (tensor_type, _) in enumerate(call.typed(contents)):
        if only(which, False):
            return f"{'writes' if only(which, True) else 'reads'} {EDGES[edge]} {tensor_type.name}"
    return (f"was ended by {signal.Signals(number).name} where its tensors are at the {edge} of a page: it reads or "
            f"writes {EDGES[edge]} one of them")
