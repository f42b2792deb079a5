"""How results are compared: bit for bit, or within the error an instruction is documented with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tests.isa.exact import FORMATS, is_nan
from tests.isa.rows import Row


@dataclass(frozen=True)
class Bound:
    """The largest documented error; where several are given, a result has to meet one."""

    ulps: float = 0
    relative: float = 0
    absolute: float = 0
    #: f(*operands) -> lanes for which the manual gives the bound; None: all.
    domain: Callable | None = None


def bits(values: np.ndarray) -> np.ndarray:
    """Results as unsigned integers."""
    return values.view(f"u{values.itemsize}")


def _elements(values: np.ndarray, type_: str) -> tuple[np.ndarray, str]:
    """Pairs taken apart."""
    return (values.view("u2"), type_[:-2]) if type_.endswith("x2") else (values, type_)


def _as_double(values: np.ndarray, type_: str) -> np.ndarray:
    if type_ == "bf16":
        return (values.astype("u4") << np.uint32(16)).view("f4").astype("f8")
    return (values.view("f2") if type_ == "f16" else values).astype("f8")


@np.errstate(all="ignore")
def unlike_exact(row: Row, operands: list[np.ndarray], results: list[np.ndarray]) -> np.ndarray:
    """Lanes whose results are not what mathematics expects (any NaN is as good as another)."""
    if isinstance(row.compare, Bound):
        return _outside(row, operands, results[0])
    expected = row.expected(*operands)
    expected = expected if isinstance(expected, list) else [expected]
    wrong = np.zeros(len(results[0]), bool)
    for type_, found, want in zip(row.outputs, results, expected, strict=False):
        different = bits(found) != bits(want)
        (single, single_type), (other, _) = (
            _elements(bits(found), type_),
            _elements(bits(want), type_),
        )
        if single_type in FORMATS:
            both_nan = is_nan(single, single_type) & is_nan(other, single_type)
            different = ((single != other) & ~both_nan).reshape(len(found), -1).any(1)
        wrong |= different
    if row.mask is not None:
        wrong &= row.mask(*operands)
    return wrong


def _errors(row: Row, operands, result) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(values, exact values, allowed error, lanes within the domain), of elements of pairs too."""
    bound = row.compare
    values, type_ = _elements(result, row.outputs[0])
    operands = [_elements(o, t)[0] for o, t in zip(operands, row.inputs, strict=True)]
    exact = row.expected(*operands)
    inside = np.ones(len(values), bool) if bound.domain is None else bound.domain(*operands)
    _, fraction, least = FORMATS[type_]
    size = np.abs(exact)
    exponent = np.floor(np.log2(np.where((size > 0) & np.isfinite(size), size, 1.0)))
    ulp = 2.0 ** (np.maximum(exponent, least) - fraction)
    allowed = np.maximum(bound.ulps * ulp, bound.relative * size)
    allowed = np.maximum(allowed, bound.absolute)
    # Half a unit in the last place for the rounding that no format can avoid.
    return _as_double(values, type_), exact, np.maximum(allowed, ulp), inside


def _outside(row: Row, operands, result) -> np.ndarray:
    values, exact, allowed, inside = _errors(row, operands, result)
    type_ = _elements(result, row.outputs[0])[1]
    largest = float(2.0 ** (1 - FORMATS[type_][2]) * (2 - 2.0 ** -FORMATS[type_][1]))
    infinite = np.isinf(exact) | (np.abs(exact) > largest)
    same = np.isnan(exact) & np.isnan(values)
    same |= infinite & (np.abs(values) >= largest) & (np.signbit(values) == np.signbit(exact))
    same |= np.isfinite(values) & np.isfinite(exact) & (np.abs(values - exact) <= allowed)
    return (~same & inside).reshape(len(result), -1).any(1)


@np.errstate(all="ignore")
def unlike_recorded(
    row: Row, operands: list[np.ndarray], results: list[np.ndarray], recorded: list[np.ndarray]
) -> np.ndarray:
    """Lanes whose results differ from those of another device."""
    wrong = np.zeros(len(results[0]) if row.outputs else len(recorded[0]), bool)
    for number, (found, want) in enumerate(zip(results, recorded, strict=True)):
        different = bits(found) != bits(want)
        if isinstance(row.compare, Bound) and number == 0:
            different &= _further_apart(row, operands, found, want)
        wrong |= different.reshape(len(wrong), -1).any(1)
    return wrong


def _further_apart(row: Row, operands, found, want) -> np.ndarray:
    """Two approximations: the same specials, else apart by no more than both errors."""
    values, _, allowed, inside = _errors(row, operands, found)
    others, type_ = _elements(want, row.outputs[0])
    others = _as_double(others, type_)
    special = ~np.isfinite(values) | ~np.isfinite(others)
    same = np.where(
        special,
        (np.isnan(values) & np.isnan(others)) | (values == others),
        np.abs(values - others) <= 2 * allowed,
    )
    return (~same & inside).reshape(len(found), -1).any(1)
