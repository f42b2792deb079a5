"""Polynomials for float64 results of special functions, and the table of logarithms.

    python docs/generate/special_double_fits.py            prints the headers
    python docs/generate/special_double_fits.py --write    puts them among the device code

A row of `FITS` is a function, the interval of its argument, and the degree. The polynomial goes
through the function's values at Chebyshev's nodes, computed by mpmath with 50 digits, and is near
minimax; coefficients are rounded once. The header says the error that is left, in float64
coefficients and exact arithmetic.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
from special_fits import FOLDER, function_of, listed

_HEAD = """\
// Polynomials for float64 results, made by docs/generate/special_double_fits.py from values of
// mpmath's.
//
// Each says what it is near to, where, and its greatest error: relative, or as the script says.
#pragma once

#include "gpuarray/special.cuh"

namespace gpuarray {
namespace special {
"""


class Fit(NamedTuple):
    """A polynomial: what it approximates, where, and by what the error is weighted."""

    name: str
    text: str
    function: Callable[[Any], Any]
    low: Any
    high: Any
    degree: int
    weight: Callable[[Any], Any] | None = None  # by default the error is relative
    crowding: float = 1  # nodes crowd at the lower end, of functions that are small there


class Quotient(NamedTuple):
    """Two polynomials of one degree, whose quotient is the function of (0, 1]."""

    name: str
    text: str
    function: Callable[[Any], Any]
    degree: int


class LogFit(NamedTuple):
    """Two polynomials: the function of (0, 1] is the first one less log(t) times the second.

    ``first`` and ``second`` are their lowest coefficients, where these are known.
    """

    name: str
    text: str
    function: Callable[[Any], Any]
    degree: int
    first: Any
    second: Any


mp.mp.dps = 50
_TINY = mp.mpf("1e-20")
_PSI = mp.findroot(mp.digamma, mp.mpf("1.4616321449683622"))
_EI = mp.findroot(mp.ei, mp.mpf("0.37250741078136663"))
_DEGREE = mp.pi / 180


def _mapped(function: Callable[[Any], Any], low: Any, high: Any) -> Callable[[Any], Any]:
    """The function of [low, high] on [-1, 1]."""
    middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    return lambda t: function(middle + half * t)


def _inverse(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function of the reciprocal of the argument."""
    return lambda t: function(1 / t)


def _root(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function of the root of the argument."""
    return lambda t: function(mp.sqrt(t))


def _stirling_rest(x: Any) -> Any:
    return mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2


def _i_small(order: int) -> Callable[[Any], Any]:
    """I(x) (2 / x)^order of x^2 / 4."""
    return _root(lambda y: mp.besseli(order, 2 * y) / y**order if y > _TINY else mp.mpf(1))


def _i_scaled(order: int, x: Any) -> Any:
    return mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)


def _ei_rest(x: Any) -> Any:
    return (mp.ei(x) - mp.log(x / _EI)) / (x - _EI)


def _ei_scaled(x: Any) -> Any:
    return x * mp.exp(-x) * mp.ei(x)


def _normal_tail(t: Any) -> Any:
    x = 4 * (1 + t) / (1 - t)
    y = x / mp.sqrt(2)
    if y > 100:
        series = sum((-1) ** k * mp.fac2(2 * k - 1) / (2 * y * y) ** k for k in range(9))
        return (1 + x) * series / (2 * y * mp.sqrt(mp.pi))
    return (1 + x) * mp.exp(y * y) * mp.erfc(y) / 2


# fmt: off
#: Of logarithms and exponentials, in a header of their own: it is in the reach of most functions.
LOGARITHM_FITS = (
    Fit("exp_wide", "(exp(t) - 1 - t) / t^2",
        lambda t: (mp.expm1(t) - t) / t**2, -0.3466, 0.3467, 9, lambda t: t**2 / mp.exp(t)),
    Fit("atanh_wide", "2 (atanh(s) - s) / s^3 of s^2",
        _root(lambda s: 2 * (mp.atanh(s) - s) / s**3), 1e-8, 0.2, 13),
    Fit("atanh_near", "The same", _root(lambda s: 2 * (mp.atanh(s) - s) / s**3), 1e-8, 0.0405, 7),
    Fit("atanh_third", "The same",
        _root(lambda s: 2 * (mp.atanh(s) - s) / s**3), 1e-8, mp.mpf(1) / 9, 10),
)

#: Of the gamma function and its relatives, for the same reason.
GAMMA_FITS = (
    Fit("digamma_wide", "digamma(1.5 + t) / (t - z), z its zero there",
        lambda t: mp.digamma(1.5 + t) / (1.5 + t - _PSI), -0.5, 0.5, 22),
    Fit("stirling_wide", "x times the rest of Stirling's formula (DLMF 5.11.1) of 1/x^2",
        _inverse(_root(lambda x: x * _stirling_rest(x))), 1e-6, mp.mpf(1) / 16, 10),
    Fit("stirling_far", "The same from 6 on, for float32",
        _inverse(_root(lambda x: x * _stirling_rest(x))), 1e-6, mp.mpf(1) / 36, 5),
    Fit("gammaln_wide", "gammaln(2 + t) / (t (1 + t))",
        lambda t: mp.loggamma(2 + t) / (t * (1 + t)), -1, 1, 29),
    Fit("gammaln_rest_wide", "x times the rest of Stirling's formula (DLMF 5.11.1) of 1/x^2",
        _inverse(_root(lambda x: x * _stirling_rest(x))), 1e-6, mp.mpf(1) / 9, 13),
    Fit("sine_of_turns", "sin(pi t) / t of t^2, for float32",
        _root(lambda t: mp.sin(mp.pi * t) / t), 1e-12, 0.25, 6),
)

FITS = (
    Fit("sine_degrees_wide", "(sin(t degrees) / t - pi / 180) / t^2 of t^2",
        _root(lambda t: (mp.sin(t * _DEGREE) / t - _DEGREE) / t**2), 1e-6, 45**2, 6,
        lambda z: z / _DEGREE),
    Fit("cosine_degrees_wide", "(cos(t degrees) - 1) / t^2 of t^2",
        _root(lambda t: -2 * mp.sin(t * _DEGREE / 2) ** 2 / t**2), 1e-6, 45**2, 6, lambda z: z),
    Fit("normal_tail_wide", "(1 + x) erfcx(x / sqrt(2)) / 2, x = 4 (1 + t) / (1 - t)",
        _normal_tail, -1, 1 - mp.mpf("1e-9"), 25),
    Fit("ei_small", "(Ei(x) - log(x / z)) / (x - z), z Ei's zero, x = 3 + t",
        lambda t: _ei_rest(3 + t), -3 + _TINY, 3, 20, lambda t: abs((3 + t - _EI) / mp.ei(3 + t))),
    Fit("ei_middle", "x exp(-x) Ei(x), 1/x = (5 + 2 t) / 42: x in [6, 14]",
        _mapped(_inverse(_ei_scaled), mp.mpf(1) / 14, mp.mpf(1) / 6), -1, 1, 22),
    Fit("ei_large", "x exp(-x) Ei(x), 1/x = (27 + 13 t) / 560: x in [14, 40]",
        _mapped(_inverse(_ei_scaled), mp.mpf(1) / 40, mp.mpf(1) / 14), -1, 1, 20),
    Fit("ei_great", "x exp(-x) Ei(x), 1/x = (1 + t) / 80: x > 40",
        _mapped(_inverse(_ei_scaled), 0, mp.mpf(1) / 40), -1 + _TINY, 1, 15),
    Fit("e1_small", "E1(1 + t) + log(1 + t)",
        lambda t: mp.e1(1 + t) + mp.log(1 + t), -1 + _TINY, 0, 13, lambda t: 1 / mp.e1(1 + t)),
    Quotient("e1_large", "x (x exp(x) E1(x) - 1) of 1/x",
        _inverse(lambda x: x * (x * mp.exp(x) * mp.e1(x) - 1)), 14),
    Fit("lambertw_near", "the two real W((t^2 / 2 - 1) / e): -1 for t < 0, 0 for t > 0",
        lambda t: mp.re(mp.lambertw((t * t / 2 - 1) / mp.e, 0 if t > 0 else -1)) if t else -1,
        mp.mpf("-0.45"), mp.mpf("0.45"), 21),
    Fit("i0_wide", "I0(x) of x^2 / 4", _i_small(0), 0, mp.mpf(225) / 4, 20, crowding=1.6),
    Fit("i1_wide", "2 I1(x) / x of x^2 / 4", _i_small(1), 0, mp.mpf(225) / 4, 19, crowding=1.3),
    Fit("i0_scaled_wide", "sqrt(x) exp(-x) I0(x), 1/x = (1 + t) / 30: x > 15",
        _mapped(_inverse(lambda x: _i_scaled(0, x)), 0, mp.mpf(1) / 15), -1 + _TINY, 1, 12),
    Fit("i1_scaled_wide", "sqrt(x) exp(-x) I1(x), 1/x = (1 + t) / 30: x > 15",
        _mapped(_inverse(lambda x: _i_scaled(1, x)), 0, mp.mpf(1) / 15), -1 + _TINY, 1, 12),
    LogFit("ellipk_wide", "K(1 - t)", lambda t: mp.ellipk(1 - t), 10, None, mp.mpf(0.5)),
    LogFit("ellipe_wide", "E(1 - t)", lambda t: mp.ellipe(1 - t), 10, mp.mpf(1), mp.mpf(0)),
)
# fmt: on


def _nodes(low: Any, high: Any, count: int) -> list[Any]:
    """Chebyshev's nodes."""
    half = mp.pi / (2 * count)
    return [
        (mp.mpf(low) + high) / 2 + (mp.mpf(high) - low) / 2 * mp.cos((2 * k + 1) * half)
        for k in range(count)
    ]


def _solved(rows: list[list[Any]], values: list[Any]) -> list[Any]:
    return list(mp.lu_solve(mp.matrix(rows), mp.matrix(values)))


def _value(coefficients: list[float], t: Any) -> Any:
    return mp.polyval([mp.mpf(x) for x in reversed(coefficients)], t)


def _of_fit(fit: Fit) -> str:
    nodes = [
        fit.low + (mp.mpf(fit.high) - fit.low) * t ** mp.mpf(fit.crowding)
        for t in _nodes(0, 1, fit.degree + 1)
    ]
    rows = [[t**k for k in range(fit.degree + 1)] for t in nodes]
    found = [float(x) for x in _solved(rows, [fit.function(t) for t in nodes])]
    error = 0.0
    for t in _nodes(fit.low, fit.high, 150):
        y = fit.function(t)
        weight = 1 / abs(y) if fit.weight is None else fit.weight(t)
        error = max(error, float(abs(_value(found, t) - y) * weight))
    where = f"t in [{float(fit.low):.4g}, {float(fit.high):.4g}]: {error:.1e}"
    return function_of(fit.name, f"{fit.text}; {where}", found, "double")


def _of_quotient(fit: Quotient) -> str:
    low, n = mp.mpf("1e-3"), fit.degree
    nodes = _nodes(low, 1, 2 * n + 1)
    values = [fit.function(t) for t in nodes]
    rows = [
        [t**k for k in range(n + 1)] + [-y * t**k for k in range(1, n + 1)]
        for t, y in zip(nodes, values, strict=True)
    ]
    found = [float(x) for x in _solved(rows, values)]
    top, bottom = found[: n + 1], [1.0, *found[n + 1 :]]
    error = 0.0
    for t in _nodes(low, 1, 150):
        quotient = _value(top, t) / _value(bottom, t)
        error = max(error, float(abs(quotient / fit.function(t) - 1)))
    text = f"{fit.text} as a quotient; t in [0.001, 1]: {error:.1e}"
    return function_of(fit.name + "_top", text, top, "double") + function_of(
        fit.name + "_bottom", "The divisor.", bottom, "double"
    )


def _of_log(fit: LogFit) -> str:
    columns = [
        (part, k)
        for part, known in ((0, fit.first), (1, fit.second))
        for k in range(known is not None, fit.degree + 1)
    ]
    nodes = [t**2 for t in _nodes(0, 1, len(columns))]
    rows, values = [], []
    for t in nodes:
        log = -mp.log(t)
        rows.append([t**k * (log if part else 1) for part, k in columns])
        values.append(fit.function(t) - (fit.first or 0) - log * (fit.second or 0))
    found: tuple[list[float], list[float]] = ([], [])
    for part, known in enumerate((fit.first, fit.second)):
        found[part].extend([] if known is None else [float(known)])
    for (part, _), x in zip(columns, _solved(rows, values), strict=True):
        found[part].append(float(x))
    error = 0.0
    for t in [x**3 for x in _nodes(0, 1, 150)]:
        value = _value(found[0], t) - mp.log(t) * _value(found[1], t)
        error = max(error, float(abs(value / fit.function(t) - 1)))
    comment = (
        f"{fit.text} as a first polynomial less log(t) times a second; t in (0, 1]: {error:.1e}"
    )
    return function_of(fit.name, comment, found[0], "double") + function_of(
        fit.name + "_log", "The second.", found[1], "double"
    )


def text_of(fit: Fit | Quotient | LogFit) -> str:
    """The functions of a row."""
    if isinstance(fit, Fit):
        return _of_fit(fit)
    return _of_quotient(fit) if isinstance(fit, Quotient) else _of_log(fit)


def header(fits: Sequence[Fit | Quotient | LogFit]) -> str:
    return (
        _HEAD
        + "".join([text_of(fit) for fit in fits])
        + "\n}  // namespace special\n}  // namespace gpuarray\n"
    )


def log_table() -> str:
    """The header of the logarithms that those of two doubles start from."""
    columns: list[list[str]] = [[], [], []]
    for cell in range(32):
        # The upper words of the cell's doubles are from base + 2^15 cell on.
        ends = [0x3FE6A09E + 2**15 * (cell + i) for i in (0, 1)]
        low, high = np.array([end << 32 for end in ends], np.int64).view(np.float64)
        # With so few bits r m - 1 has no rounding.
        units = 32 if high <= 1 else 64
        inverse = 1.0 if low < 1 < high else round(2 * units / float(low + high)) / units
        exact = -mp.log(mp.mpf(inverse))
        first = float(mp.nint(exact * 2**42) / 2**42)
        for column, number in zip(columns, (inverse, first, float(exact - first)), strict=True):
            column.append(repr(number))
    tables = [
        listed(f"__device__ const double LOG_{name}[32] = {{", column) + "\n"
        for name, column in zip(("RECIPROCALS", "FIRSTS", "SECONDS"), columns, strict=True)
    ]
    return (
        "// For each of 32 parts of [sqrt(1/2), sqrt(2)) a number r of few bits near the\n"
        "// reciprocal of its middle, 1 in that about 1, and -log(r) in two parts, the first a\n"
        "// multiple of 2^-42. Lanes find theirs in few lines. Made by special_double_fits.py.\n"
        "#pragma once\n\n"
        '#include "gpuarray/types.cuh"\n\n'
        "namespace gpuarray {\nnamespace special {\n\n"
        + "\n".join(tables)
        + "\n}  // namespace special\n}  // namespace gpuarray\n"
    )


if __name__ == "__main__":
    for name, text in (
        ("special_logarithm_fits.cuh", header(LOGARITHM_FITS)),
        ("special_gamma_fits.cuh", header(GAMMA_FITS)),
        ("special_double_fits.cuh", header(FITS)),
        ("special_log_table.cuh", log_table()),
    ):
        if "--write" in sys.argv:
            (FOLDER / name).write_text(text)
        else:
            sys.stdout.write(text)
