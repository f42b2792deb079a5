"""What NumPy's reductions combine: dtypes, neutral values and combinations by ufunc."""

from __future__ import annotations

from typing import NamedTuple

from gpuarray._dtypes import category, info
from gpuarray.kernels.expressions import Apply, Constant, Expression, Input
from gpuarray.kernels.operations import operation


class Partial(NamedTuple):
    """What a thread combines its own elements in, where that is narrower than the result."""

    dtype: str
    most: int  # elements, so that nothing overflows


#: Sums of narrow integers in 32 bits: additions of 64 bits take two instructions, and those of
#: float64 are as slow on many devices as 64 of float32.
_NARROW_SUMS = {
    "b1": Partial("i4", 2**31 - 1),
    "i1": Partial("i4", 2**24 - 1),
    "u1": Partial("u4", 2**24),
    "i2": Partial("i4", 2**16 - 1),
    "u2": Partial("u4", 2**16),
}

_NONZERO_COUNT = "__dp4a(nonzero_bytes(word) >> 7, 0x01010101u, 0u)"
_ANY, _ALL = "word != 0", "nonzero_bytes(word) == 0x80808080u"

#: What the four bytes of a `word` become together, by ufunc and dtype. Integer instructions have
#: half the rate of those for floats: more than two or three for an element of a byte, and memory
#: waits for them.
_PACKED = {
    ("add", "i1"): "__dp4a(int32_t(word), 0x01010101, 0)",
    ("add", "u1"): "__dp4a(word, 0x01010101u, 0u)",
    ("add", "b1"): _NONZERO_COUNT,
    ("maximum", "i1"): "extreme_byte<int32_t, true>(word)",
    ("maximum", "u1"): "extreme_byte<uint32_t, true>(word)",
    ("maximum", "b1"): _ANY,
    ("minimum", "i1"): "extreme_byte<int32_t, false>(word)",
    ("minimum", "u1"): "extreme_byte<uint32_t, false>(word)",
    ("minimum", "b1"): _ALL,
} | {
    (name, dtype): text
    for name, text in (("logical_or", _ANY), ("logical_and", _ALL))
    for dtype in ("b1", "i1", "u1")
}

#: Narrow integers are compared as the registers that hold them.
_COMPARED = {"i1": "i4", "u1": "u4", "i2": "i4", "u2": "u4"}
_EXTREMA = ("maximum", "minimum", "fmax", "fmin")


def accumulator(dtype: str, name: str = "") -> str:
    """Return the dtype that values of a loop's dtype are combined in, by the ufunc ``name``."""
    if name in _EXTREMA and dtype in _COMPARED:
        return _COMPARED[dtype]
    return "f4" if dtype == "f2" else dtype


def partial(name: str, source: str, loop: str) -> Partial | None:
    """Return what a thread combines elements of a source's dtype in, if not in the loop's."""
    if name == "add" and loop in ("i8", "u8", "f8"):
        return _NARROW_SUMS.get(source)
    return None


def packed(name: str, source: str, loop: str) -> str:
    """Return C++ for four elements of a byte at once, '' where there is none."""
    if name == "add" and partial(name, source, loop) is None:
        return ""
    if name in _EXTREMA and loop != source:
        return ""
    return _PACKED.get(({"fmax": "maximum", "fmin": "minimum"}.get(name, name), source), "")


def real(dtype: str) -> str:
    """Return the dtype of a complex dtype's parts, or the dtype itself."""
    return {"c8": "f4", "c16": "f8"}.get(dtype, dtype)


def neutral(name: str, dtype: str) -> Constant:
    """Return what changes nothing under a ufunc's reduction."""
    kind = category(dtype)
    if name in ("add", "bitwise_or", "bitwise_xor", "logical_or"):
        return Constant(0, dtype)
    if name in ("multiply", "logical_and"):
        return Constant(1, dtype)
    if name == "bitwise_and":
        return Constant(-1 if kind == "signed" else _extreme(dtype, True), dtype)
    if name in ("fmax", "fmin") and kind in ("float", "complex"):
        return Constant(float("nan"), dtype)  # any number wins against NaN
    if name in ("maximum", "fmax"):
        return Constant(_extreme(dtype, False), dtype)
    if name in ("minimum", "fmin"):
        return Constant(_extreme(dtype, True), dtype)
    raise KeyError(f"no reduction by an operation named {name!r}")


def _extreme(dtype: str, greatest: bool) -> object:
    kind = category(dtype)
    bits = 8 * info(dtype).itemsize
    if kind == "bool":
        return greatest
    if kind == "unsigned":
        return 2**bits - 1 if greatest else 0
    if kind == "signed":
        return 2 ** (bits - 1) - 1 if greatest else -(2 ** (bits - 1))
    infinity = float("inf") if greatest else -float("inf")
    return complex(infinity, infinity) if kind == "complex" else infinity


def pairwise(name: str, dtype: str) -> Expression:
    """Return the combination of two values by a ufunc."""
    return Apply(operation(name), (Input(0, dtype), Input(1, dtype)), dtype)


def beats(greatest: bool, dtype: str, nan: bool = False) -> Expression:
    """Return whether Input 0 comes before Input 1 in argmax or argmin.

    NaN comes before all else, or with ``nan`` behind all else.
    """
    x, y = Input(0, dtype), Input(1, dtype)
    strict = Apply(operation("greater" if greatest else "less"), (x, y), "b1")
    if category(dtype) not in ("float", "complex"):
        return strict
    if nan:
        only = Apply(operation("logical_and"), (number(dtype), _not(number(dtype, 1))), "b1")
        return Apply(operation("logical_or"), (strict, only), "b1")
    # A comparison with NaN is false.
    behind = Apply(operation("less_equal" if greatest else "greater_equal"), (x, y), "b1")
    return Apply(
        operation("logical_and"), (_not(behind), Apply(operation("equal"), (y, y), "b1")), "b1"
    )


def number(dtype: str, index: int = 0) -> Expression:
    """Return whether an input is not NaN."""
    return _not(Apply(operation("isnan"), (Input(index, dtype),), "b1"))


def _not(expression: Expression) -> Expression:
    return Apply(operation("logical_not"), (expression,), "b1")
