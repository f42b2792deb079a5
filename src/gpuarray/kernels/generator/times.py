"""Casts to times and differences of times, between units, as C++."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from gpuarray._dtypes import category, dtype_of, narrow_float

_HEADER = "gpuarray/datetime.cuh"

#: Seconds of the units that have a fixed length. A year and a month have one only as differences of
#: times: the mean of the calendar, whose 400 years have 146097 days.
_DAY = 86400
_SECONDS = {
    "W": Fraction(7 * _DAY),
    "D": Fraction(_DAY),
    "h": Fraction(3600),
    "m": Fraction(60),
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
    "ps": Fraction(1, 10**12),
    "fs": Fraction(1, 10**15),
    "as": Fraction(1, 10**18),
}
_MONTHS = {"Y": 12, "M": 1}
_MEAN_MONTH = Fraction(146097 * _DAY, 4800)


def time_code(operand: str, source: str, target: str) -> tuple[str, str]:
    """Return the code that converts a value to a dtype of times, and the header it needs."""
    kind = category(source)
    if kind == "complex":
        operand, kind = f"{operand}.real", "float"
    if kind == "float":
        value = f"float({operand})" if narrow_float(source) else operand
        return f"gpuarray::datetime::from_float({value})", _HEADER
    if kind != "time":
        return f"int64_t({operand})", ""
    (from_unit, from_count), (to_unit, to_count) = [
        np.datetime_data(dtype_of(code)) for code in (source, target)
    ]
    if "generic" in (from_unit, to_unit) or (from_unit, from_count) == (to_unit, to_count):
        return operand, ""
    if source[0] == target[0] == "M" and (from_unit in _MONTHS) != (to_unit in _MONTHS):
        return _by_calendar(operand, (from_unit, from_count), (to_unit, to_count)), _HEADER
    factor = _length(from_unit) * from_count / (_length(to_unit) * to_count)
    return _rescaled(operand, factor), _HEADER


def _by_calendar(operand: str, given: tuple[str, int], wanted: tuple[str, int]) -> str:
    """Years or months as days and what is shorter, or the reverse."""
    unit, count = given
    if unit in _MONTHS:
        months = _rescaled(operand, Fraction(_MONTHS[unit] * count))
        days = f"gpuarray::datetime::days_of_months({months})"
        return _rescaled(days, _DAY / (_length(wanted[0]) * wanted[1]))
    days = _rescaled(operand, _length(unit) * count / _DAY)
    months = f"gpuarray::datetime::months_of_days({days})"
    return _rescaled(months, Fraction(1, _MONTHS[wanted[0]] * wanted[1]))


def _length(unit: str) -> Fraction:
    """The seconds of a unit."""
    return _MEAN_MONTH * _MONTHS[unit] if unit in _MONTHS else _SECONDS[unit]


def _rescaled(operand: str, factor: Fraction) -> str:
    if factor == 1:
        return operand
    if max(factor.numerator, factor.denominator) >= 2**63:
        raise OverflowError(
            f"Integer overflow getting a conversion factor between units of time: {factor}"
        )
    return (
        f"gpuarray::datetime::rescaled({operand}, int64_t({factor.numerator}ll), "
        f"int64_t({factor.denominator}ll))"
    )
