"""Executables of one model for several extents, of which few are kept (docs/python.md)."""
import bisect
import collections
import threading
import weakref

from plumbline.errors import Error

Bucket = collections.namedtuple("Bucket", ["extents", "graph", "executable"])


class Buckets:
    """Keeps executables by their extents, each of which is rounded up to the next of its symbol's `sizes`; a symbol
    without any is taken exactly. `make(extents)` gives the graph for rounded extents, as Graph.read("model.onnx",
    shapes=extents) does; params, wanted and replaceable are those of `executor.compile`. The caller pads inputs, and
    masks what is padded: results are those of the larger graph. One thread at a time."""

    def __init__(self, executor, make, params=None, sizes=None, most=8, wanted=None, replaceable=()):
        if most < 1:
            raise Error(f"buckets keep 1 executable at least, and most is {most}")
        self._make = make
        self._compile = lambda graph: executor.compile(graph, params, wanted, replaceable)
        self._sizes = {symbol: sorted(_extent(symbol, size) for size in of) for symbol, of in (sizes or {}).items()}
        self._most = most
        self._kept = collections.OrderedDict()  # by rounded extents; what was used last is the last
        self._lock = threading.Lock()

    def at(self, extents):
        """The Bucket for extents by symbol: its rounded extents, graph and executable, which is one that is kept, or a
        new one. Then those used least recently go while there are more than `most`, but none of which somebody has the
        executable, a context or a fence. Raises Error for an extent above its symbol's largest size; that, and an
        error of `make` or of compiling, changes nothing."""
        if not self._lock.acquire(blocking=False):
            raise Error("buckets are used by two threads at once")
        try:
            rounded = self._round_up(extents)
            key = tuple(sorted(rounded.items()))
            if key not in self._kept:
                graph = self._make(dict(rounded))
                self._kept[key] = (graph, self._compile(graph))
            self._kept.move_to_end(key)
            bucket = Bucket(rounded, *self._kept[key])
            self._drop_unused()
            return bucket
        finally:
            self._lock.release()

    def __len__(self):
        """How many executables are kept."""
        return len(self._kept)

    def _round_up(self, extents):
        rounded = {symbol: _extent(symbol, extent) for symbol, extent in extents.items()}
        for symbol, sizes in self._sizes.items():
            if not sizes:
                continue
            if symbol not in rounded:
                raise Error(f"symbol '{symbol}' has sizes, and was given no extent")
            at = bisect.bisect_left(sizes, rounded[symbol])
            if at == len(sizes):
                raise Error(f"symbol '{symbol}' has the extent {rounded[symbol]}, which is above the largest of its "
                            f"sizes, {sizes[-1]}")
            rounded[symbol] = sizes[at]
        return rounded

    def _drop_unused(self):
        """An executable is in use if it lives on without this."""
        for key in list(self._kept):
            if len(self._kept) <= self._most:
                return
            graph, executable = self._kept[key]
            alive = weakref.ref(executable)
            self._kept[key] = executable = None
            if alive() is None:
                del self._kept[key]
            else:
                self._kept[key] = (graph, alive())


def _extent(symbol, extent):
    if extent < 0:
        raise Error(f"symbol '{symbol}' has the extent {extent}, which is negative")
    return int(extent)
