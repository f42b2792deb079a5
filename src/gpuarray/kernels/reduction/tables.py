"""What NumPy's reductions combine: dtypes, neutral values and combinations by ufunc.

Neutral values are those of the table of operations.
"""

from __future__ import annotations

from typing import NamedTuple

from gpuarray._dtypes import category, cpp_name, narrow_float
from gpuarray.kernels.generator.expressions import Apply, Constant, Expression, Input
from gpuarray.kernels.generator.operations import OPERATIONS, Extreme, operation


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


class Packed(NamedTuple):
    """C++ for elements of a byte, four at a time.

    ``word`` is what the four elements in ``word`` become together. The others are the types that
    combine the words of four neighbouring columns (`reduction_words.cuh`): ``columns`` to
    values, ``firsts`` to indices; a thread may have them meet ``most`` rows.
    """

    word: str
    columns: str = ""
    firsts: str = ""
    most: int = 2**24 - 1


_NONZERO_COUNT = Packed("__dp4a(nonzero_bytes(word) >> 7, 0x01010101u, 0u)", "CountsOfBytes")
_ANY = Packed("word != 0", "AnyOfBytes", "FirstExtremesOfBytes<uint32_t, true, bool>")
_ALL = Packed(
    "nonzero_bytes(word) == 0x80808080u",
    "AllOfBytes",
    "FirstExtremesOfBytes<uint32_t, false, bool>",
)


def _extreme_bytes(dtype: str, greatest: bool) -> Packed:
    order = f"{cpp_name(dtype)}, {'true' if greatest else 'false'}"
    return Packed(
        f"extreme_byte<{order}>(word)",
        f"ExtremesOfBytes<{order}>",
        f"FirstExtremesOfBytes<{order}>",
    )


#: What bytes become together, by ufunc and dtype. Integer instructions have half the rate of those
#: for floats: more than two or three for an element of a byte, and memory waits for them.
_PACKED = {
    ("add", "i1"): Packed("__dp4a(int32_t(word), 0x01010101, 0)", "SumsOfBytes<int32_t>"),
    ("add", "u1"): Packed("__dp4a(word, 0x01010101u, 0u)", "SumsOfBytes<uint32_t>"),
    ("add", "b1"): _NONZERO_COUNT,
    ("maximum", "i1"): _extreme_bytes("i4", True),
    ("maximum", "u1"): _extreme_bytes("u4", True),
    ("maximum", "b1"): _ANY,
    ("minimum", "i1"): _extreme_bytes("i4", False),
    ("minimum", "u1"): _extreme_bytes("u4", False),
    ("minimum", "b1"): _ALL,
} | {
    (name, dtype): packed
    for name, packed in (("logical_or", _ANY), ("logical_and", _ALL))
    for dtype in ("b1", "i1", "u1")
}

#: Sums of squares; those of 65536 bytes fit 32 bits.
_PACKED_SQUARES = {
    dtype: Packed(f"with_bytes<{name}>(word, {{0, 0}})", f"SquaresOfBytes<{name}>", "", 2**16 - 1)
    for dtype, name in (("i1", "int32_t"), ("u1", "uint32_t"), ("b1", "bool"))
}

#: Narrow integers are compared as the registers that hold them.
_COMPARED = {"i1": "i4", "u1": "u4", "i2": "i4", "u2": "u4"}
_EXTREMA = frozenset([x.name for x in OPERATIONS.values() if isinstance(x.neutral, Extreme)])


#: Of a single element, too, these give what it gives with the neutral value: its magnitude.
OF_MAGNITUDES = frozenset(["gcd", "hypot"])


def accumulator(dtype: str, name: str = "") -> str:
    """Return the dtype that values of a loop's dtype are combined in, by the ufunc ``name``."""
    if name in _EXTREMA and dtype in _COMPARED:
        return _COMPARED[dtype]
    return "f4" if narrow_float(dtype) else dtype


def partial(name: str, source: str, loop: str) -> Partial | None:
    """Return what a thread combines elements of a source's dtype in, if not in the loop's."""
    if name == "add" and loop in ("i8", "u8", "f8"):
        return _NARROW_SUMS.get(source)
    return None


def packed(name: str, source: str, loop: str) -> Packed | None:
    """Return C++ for four elements of a byte at once, None where there is none."""
    if name == "add" and partial(name, source, loop) is None:
        return None
    if name in _EXTREMA and loop != source:
        return None
    return _PACKED.get(({"fmax": "maximum", "fmin": "minimum"}.get(name, name), source))


def packed_squares(source: str) -> Packed | None:
    """Return C++ for the sum and the squares of four elements of a byte at once."""
    return _PACKED_SQUARES.get(source)


def real(dtype: str) -> str:
    """Return the dtype of a complex dtype's parts, or the dtype itself."""
    return {"c8": "f4", "c16": "f8"}.get(dtype, dtype)


def neutral(name: str, dtype: str) -> Constant:
    """Return what changes nothing under a ufunc's reduction."""
    return Constant(operation(name).neutral_value(dtype), dtype)


def pairwise(name: str, dtype: str) -> Expression:
    """Return the combination of two values by a ufunc."""
    return Apply(operation(name), (Input(0, dtype), Input(1, dtype)), dtype)


def beats(greatest: bool, dtype: str, nan: bool = False) -> Expression:
    """Return whether Input 0 comes before Input 1 in argmax or argmin.

    NaN comes before all else, or with ``nan`` behind all else.
    """
    x, y = Input(0, dtype), Input(1, dtype)
    strict = Apply(operation("greater" if greatest else "less"), (x, y), "b1")
    if category(dtype) not in ("float", "complex", "time"):
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
