"""Differences from NumPy that are intended, each with where the documentation says so.

A difference that one of these explains is counted under its name; everything else is a finding.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tests.fuzz.case import Case, Interpreter
from tests.fuzz.comparison import Difference


class Known(NamedTuple):
    """An intended difference."""

    name: str
    #: What has the documentation: a dotted name of gpuarray, or a file below docs/.
    documented: str
    #: Words of it that say so.
    words: str
    #: Whether it explains a difference.
    explains: Callable[[Case, Difference], bool]


#: What NumPy makes of what is no number.
_OBJECTS = re.compile(r"; NumPy: dtype (object|[<>|]?[USVMm]|datetime|str|bytes|\[\()")


_REFUSALS = ("TypeError", "UnsupportedDTypeError", "HostArrayError", "ValueError", "IndexError")


def _text(case: Case) -> str:
    return "; ".join(case.program)


def _before_the_cast(case: Case) -> np.ndarray | None:
    """The numbers that NumPy casts to the integers of a result."""
    text, operands = case.program[-1], case.operands
    if case.function == "astype":
        return Interpreter(np).names(case).get(operands[0].name)
    stored = re.search(r"out=(\w+)", text)
    if stored:
        operands = tuple(
            x._replace(dtype="f8") if x.name == stored[1] else x for x in case.operands
        )
    else:
        text = re.sub(r", dtype='[iu]\d'", "", text)
    result = Interpreter(np).run(case._replace(operands=operands, program=(text,))).result
    return result if isinstance(result, (np.ndarray, np.generic)) else None


def _beyond_the_range(case: Case, difference: Difference) -> bool:
    """Whether all elements that differ were floats that no integer of the dtype stands for."""
    if difference.wrong is None or difference.dtype.kind not in "iu":
        return False
    numbers = _before_the_cast(case)
    if numbers is None or numbers.dtype.kind not in "fc" or numbers.size <= difference.wrong.max():
        return False
    numbers = np.asarray(numbers).real.ravel()[difference.wrong].astype("f8")
    info = np.iinfo(difference.dtype)
    return not ((numbers > info.min - 1) & (numbers < info.max + 1)).any()


KNOWN: list[Known] = [
    Known(
        "the order 'K' of einsum",
        "einsum",
        "that in which a product of matrices is stored best",
        lambda case, difference: case.function == "einsum" and difference.kind == "memory order",
    ),
    Known(
        "floats beyond the range of integers",
        "astype",
        "NumPy leaves to the machine what becomes of a float that an integer dtype does not hold",
        _beyond_the_range,
    ),
    Known(
        "no arrays of objects, strings and dates",
        "errors.md",
        "also where NumPy makes an array of objects of it or asks whether it is true",
        lambda case, x: (
            x.kind.startswith("raises ")
            and x.kind.endswith(_REFUSALS)
            and (
                "UnsupportedDType" in x.kind
                or _OBJECTS.search(x.detail) is not None
                or "unsupported operand type" in x.detail
                or "an object" in case.notes
            )
        ),
    ),
    Known(
        "results without dimensions are arrays",
        "ndarray",
        "Elements and results without dimensions are arrays, not scalars.",
        lambda case, x: (
            x.kind == "type"
            and re.match("an array, NumPy (int|float|complex|bool) ", x.detail) is not None
        ),
    ),
    Known(
        "integers that no dtype holds",
        "errors.md",
        "an integer that no dtype holds raises `OverflowError`",
        lambda case, x: (
            x.kind == "raises OverflowError" and "out of bounds for int64 and uint64" in x.detail
        ),
    ),
    Known(
        "numbers that where does not wrap",
        "where",
        "NumPy wraps a Python integer that does not fit",
        lambda case, x: x.kind == "raises OverflowError" and "xp.where(" in _text(case),
    ),
    Known(
        "views with elements at any address",
        "ndarray.view",
        "in which elements would not be at multiples of their size raises ValueError",
        lambda case, x: x.kind == "raises ValueError" and "is no multiple of" in x.detail,
    ),
    Known(
        "indices out of bounds in device memory",  # the emulator raises
        "ndarray",
        "indices in device memory cannot raise on a GPU: indices out of bounds wrap around",
        lambda case, x: (
            x.kind == "accepts, NumPy IndexError"
            and "is out of bounds for axis" in x.detail
            and any(
                re.search(rf"[\[(, ]{operand.name}[\]), ]", _text(case))
                for operand in case.operands[1:]
            )
        ),
    ),
    Known(
        "negative exponents in an integer array",
        "power",
        "Negative exponents in an integer array give 1 / x truncated",
        lambda case, x: (
            x.kind == "accepts, NumPy ValueError" and "negative integer powers" in x.detail
        ),
    ),
    Known(
        "slices of nothing but NaN",
        "nanargmax",
        "Where there is nothing but NaN the result is the first index",
        lambda case, x: x.kind == "accepts, NumPy ValueError" and "All-NaN slice" in x.detail,
    ),
    Known(
        "weights that sum to zero",
        "average",
        "Where weights sum to zero the result is NaN or infinite",
        lambda case, x: x.kind == "accepts, NumPy ZeroDivisionError" and "average" in case.function,
    ),
    Known(
        "numbers that do not fit an integer dtype",
        "ndarray",
        "one that does not fit an integer dtype raises",
        lambda case, x: (
            x.kind in ("raises OverflowError", "raises ValueError", "raises TypeError")
            and re.search(r"cannot be stored as u?int\d", x.detail) is not None
        ),
    ),
    Known(
        "histograms of complex numbers",
        "histogram",
        "Complex numbers are refused",
        lambda case, x: (
            x.kind == "raises TypeError" and "bins of complex numbers are not defined" in x.detail
        ),
    ),
]


def known_difference(case: Case, difference: Difference) -> Known | None:
    """The entry that explains a difference, if there is one."""
    for known in KNOWN:
        if known.explains(case, difference):
            return known
    return None
