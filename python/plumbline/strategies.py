"""Strategies of Hypothesis for the operands of a kernel: extents that are hard on kernels, small ones first.

    from hypothesis import given
    from plumbline import strategies

    @given(strategies.operands("[.., M, K]", "[.., K, N]"))
    def test_matmul(operands):
        pl.check("matmul", *operands, got=my_matmul(*operands))

Needs the package hypothesis. Numbers come of a seed that is drawn, so that examples are small and shrink by extents.
"""
import re

import numpy as np
from hypothesis import strategies as st

from plumbline.errors import Error

# As `plumb check` draws them: odd, prime, beside powers of two, and these.
EXTENTS = (1, 2, 3, 4, 5, 7, 8, 13, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 127, 128, 129, 255, 256, 257, 509)
_SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan)


def _axes(shape):
    """"[.., M, 3]" as ["..", "M", 3]."""
    found = re.fullmatch(r"\[(.*)\]", shape.strip())
    words = [word.strip() for word in found[1].split(",") if word.strip()] if found else [shape]
    for word in words:
        if not found or not re.fullmatch(r"\.\.|[A-Za-z_]\w*|\d+", word):
            raise Error(f"a shape is like [.., M, 3], got '{shape}'")
    if words.count("..") > 1 or ".." in words[1:]:
        raise Error(f"'..' stands once, in front, got '{shape}'")
    return [int(word) if word.isdigit() else word for word in words]


def _numbers(random, shape, dtype, special):
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -100, 101, shape).astype(dtype)
    x = (random.standard_normal(shape) * 10.0 ** random.integers(-2, 3)).astype(dtype)
    if special and x.size:
        finite = np.finfo(dtype)
        some = np.array([*_SPECIAL, finite.max, finite.tiny, finite.smallest_subnormal], dtype)
        at = random.integers(0, x.size, 1 + x.size // 16)
        x.reshape(-1)[at] = random.choice(some, at.size)
    return x


@st.composite
def _operands(draw, axes, dtype, most, special, extents):
    leading = draw(st.lists(st.sampled_from(extents[:4]), max_size=2)) if any(".." in one for one in axes) else []
    sizes = {}
    for name in sorted({word for one in axes for word in one if isinstance(word, str) and word != ".."}):
        sizes[name] = draw(st.sampled_from(extents))
    shapes = [[extent for word in one
               for extent in (leading if word == ".." else [sizes.get(word, word)])] for one in axes]
    # Too large an example is made smaller, not thrown away: extents are halved, the largest first.
    while sizes and max(int(np.prod(shape, dtype=np.int64)) for shape in shapes) > most:
        largest = max(sizes, key=sizes.get)
        if sizes[largest] == 1:
            break
        sizes[largest] //= 2
        shapes = [[extent for word in one
                   for extent in (leading if word == ".." else [sizes.get(word, word)])] for one in axes]
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return tuple(_numbers(random, shape, dtype, special) for shape in shapes)


def operands(*shapes, dtype="float32", most=1 << 16, special=False, extents=EXTENTS):
    """A tuple of arrays of these shapes, in which a letter is the same extent everywhere and `..` up to two leading
    axes. `most`: elements of the largest of them; `special`: some are infinite, NaN, subnormal or the largest. Raises
    Error for a shape that is none."""
    if not shapes:
        raise Error("there are no shapes")
    return _operands([_axes(shape) for shape in shapes], np.dtype(dtype), most, special, tuple(extents))
