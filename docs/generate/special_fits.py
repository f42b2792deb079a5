"""Polynomials for float32 results of special functions, from mpmath's values.

    python docs/generate/special_fits.py            prints the headers
    python docs/generate/special_fits.py --write    puts them among the device code

Those for float64 results are made by special_double_fits.py.

A row of `FITS` and its like is a function, the interval of its argument, and the degree. The
polynomial is near minimax: Lawson's algorithm (least squares whose weights grow where the error is
large) in Chebyshev's basis; then the coefficients are rounded to float32 one by one, the lowest
degree first, and what is left is fitted again by those that follow. The header says the error that
is left.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import mpmath as mp
import numpy as np
from numpy.polynomial import chebyshev

FOLDER = Path(__file__).resolve().parents[2] / "src/gpuarray/kernels/special"
_SAMPLES = 300
_HEAD = """\
// Polynomials for float32 results, made by docs/generate/special_fits.py from mpmath's values.
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


class LogFit(NamedTuple):
    """Two polynomials: the function of (0, 1] is the first one less log(t) times the second."""

    name: str
    text: str
    function: Callable[[Any], Any]
    degree: int


def _root(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function of the root of the argument."""
    return lambda t: function(mp.sqrt(t))


def _centred(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function on [0, 25] of the distance from the middle, so that terms do not cancel."""
    return lambda t: function(t + _HALF)


def _inverse(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function of the reciprocal of the argument."""
    return lambda t: function(1 / t)


def _inverse_root(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda t: function(1 / mp.sqrt(t))


def _envelope(x: Any) -> Any:
    """The amplitude of J and Y."""
    return mp.sqrt(0.5 / max(x, mp.mpf(0.5)))


def _waves(order: int, x: Any) -> tuple[Any, Any]:
    """P and Q of DLMF 10.17.3, 10.17.4, times sqrt(2 / pi)."""
    angle, size = x - (2 * order + 1) * mp.pi / 4, mp.sqrt(x)
    j, y = size * mp.besselj(order, x), size * mp.bessely(order, x)
    return j * mp.cos(angle) + y * mp.sin(angle), y * mp.cos(angle) - j * mp.sin(angle)


def _erfcx(x: Any) -> Any:
    if x > 1e3:
        return sum((-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(5)) / (
            x * mp.sqrt(mp.pi)
        )
    return mp.exp(x * x) * mp.erfc(x)


def _gammaln_quotient(x: Any) -> Any:
    """Without the zeros at 1 and 2."""
    for zero in (1, 2):
        if abs(x - zero) < 1e-20:
            return mp.digamma(zero) * (1 if zero == 2 else -1)
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def _gammaln_rest(x: Any) -> Any:
    return mp.loggamma(x) - (x - 0.5) * mp.log(x) + x - mp.log(2 * mp.pi) / 2


mp.mp.dps = 30
_TINY, _HALF = mp.mpf("1e-12"), mp.mpf(12.5)
_J0 = [mp.besseljzero(0, k) ** 2 for k in (1, 2)]
_J1 = mp.besseljzero(1, 1) ** 2
_PSI = mp.findroot(mp.digamma, 1.46)
_DEGREE = mp.pi / 180

# fmt: off
FITS = (
    Fit("exp2", "2^t", lambda t: 2**t, -0.5, 0.5, 6),
    Fit("exp2m1", "(2^t - 1) / t", lambda t: mp.expm1(t * mp.log(2)) / t, -0.5, 0.5, 6),
    Fit("atanh", "2 (atanh(s) - s) / s^3 of s^2",
        _root(lambda s: 2 * (mp.atanh(s) - s) / s**3), 1e-6, 0.12, 4),
    Fit("atanh_near", "The same",
        _root(lambda s: 2 * (mp.atanh(s) - s) / s**3), 1e-6, 0.0405, 2, lambda z: z),
    Fit("log1p", "(log(1 + t) - t) / t^2", lambda t: (mp.log1p(t) - t) / t**2, -0.2929, 0.4143, 8,
        lambda t: t**2 / abs(mp.log1p(t)) if abs(t) > 1e-6 else abs(t)),
    Fit("exp", "(exp(t) - 1 - t) / t^2", lambda t: (mp.expm1(t) - t) / t**2, -0.35, 0.35, 4,
        lambda t: t**2 / mp.exp(t)),
    Fit("sine", "(sin(t) - t) / t^3 of t^2",
        _root(lambda t: (mp.sin(t) - t) / t**3), _TINY, 0.8**2, 2, lambda z: z),
    Fit("cosine", "(cos(t) - 1 + t^2 / 2) / t^4 of t^2",
        _root(lambda t: (mp.cos(t) - 1 + t**2 / 2) / t**4), 1e-6, 0.8**2, 2, lambda z: z**2),
    Fit("sine_degrees", "(sin(t degrees) / t - pi / 180) / t^2 of t^2",
        _root(lambda t: (mp.sin(t * _DEGREE) / t - _DEGREE) / t**2), _TINY, 45**2, 2,
        lambda z: z / _DEGREE),
    Fit("sine_turns", "(sin(pi t) / pi - t) / t^3 of t^2",
        _root(lambda t: (mp.sin(mp.pi * t) / mp.pi - t) / t**3), _TINY, 0.25, 3, lambda z: z),
    Fit("cosine_degrees", "(cos(t degrees) - 1) / t^2 of t^2",
        _root(lambda t: -2 * mp.sin(t * _DEGREE / 2) ** 2 / t**2), _TINY, 45**2, 3, lambda z: z),
    Fit("erf", "erf(x) / x - 1 of x^2", _root(lambda x: mp.erf(x) / x - 1), _TINY, 0.921875**2, 5,
        _root(lambda x: x / mp.erf(x))),
    Fit("log2_erfc", "log2(erfc(t)) / t by its effect on erf(t)",
        lambda t: mp.log(mp.erfc(t), 2) / t, 0.921875, 4, 6,
        lambda t: t * mp.log(2) * mp.erfc(t) / mp.erf(t)),
    Fit("erfcx", "(1 + x) erfcx(x), x = 3 (1 + t) / (1 - t)",
        lambda t: (lambda x: (1 + x) * _erfcx(x))(3 * (1 + t) / (1 - t)), -1, 1 - 1e-9, 11),
    Fit("normal_tail", "(1 + x) erfcx(x / sqrt(2)) / 2, x = 4 (1 + t) / (1 - t)",
        lambda t: (lambda x: (1 + x) * _erfcx(x / mp.sqrt(2)) / 2)(4 * (1 + t) / (1 - t)),
        -1, 1 - 1e-9, 11),
    Fit("log_ndtr", "log_ndtr(t)", lambda t: mp.log(mp.erfc(-t / mp.sqrt(2)) / 2), -0.5, 0.55, 8),
    LogFit("ellipk", "K(1 - t)", lambda t: mp.ellipk(1 - t), 4),
    LogFit("ellipe", "E(1 - t)", lambda t: mp.ellipe(1 - t), 4),
)

#: Of the gamma function and its relatives, in a header of their own: what others include compiles
#: sooner.
GAMMA_FITS = (
    Fit("gamma", "gamma(1.5 + t)", lambda t: mp.gamma(1.5 + t), -0.5, 0.5, 9),
    Fit("gammaln", "gammaln(x) / ((x - 1) (x - 2)) of log2(x)",
        lambda t: _gammaln_quotient(mp.mpf(2) ** t), mp.log(0.3, 2), mp.log(6, 2), 9),
    Fit("gammaln_rest", "x times the rest of Stirling's formula (DLMF 5.11.1) of 1/x^2",
        _inverse_root(lambda x: x * _gammaln_rest(x)), _TINY, mp.mpf(1) / 9, 2),
    Fit("gammaln_rest_far", "The same from 6 on",
        _inverse_root(lambda x: x * _gammaln_rest(x)), _TINY, mp.mpf(1) / 36, 1),
    Fit("digamma", "digamma(1.5 + t) / (t - z), z its zero there",
        lambda t: mp.digamma(1.5 + t) / (1.5 + t - _PSI), -0.5, 0.5, 10),
    Fit("digamma_rest", "x^2 (log(x) - 1/(2x) - digamma(x)) of 1/x^2",
        _inverse_root(lambda x: x**2 * (mp.log(x) - 1 / (2 * x) - mp.digamma(x))), 1e-6, 0.25, 3,
        lambda z: z),
)

#: Of Bessel functions, for the same reason.
BESSEL_FITS = (
    Fit("j0", "J0(x) / ((x^2 - a^2) (x^2 - b^2)), a and b its zeros, of x^2 - 12.5",
        _centred(lambda t: mp.besselj(0, mp.sqrt(t)) / ((t - _J0[0]) * (t - _J0[1]))),
        -_HALF, _HALF, 6),
    Fit("j1", "J1(x) / (x (x^2 - a^2)), a its zero, of x^2 - 12.5",
        _centred(lambda t: mp.besselj(1, mp.sqrt(t)) / mp.sqrt(t) / (t - _J1)), -_HALF, _HALF, 7),
    Fit("y0", "Y0(x) - 2/pi log(x) J0(x) of x^2 - 12.5",
        _centred(_root(lambda x: mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x))),
        -_HALF, _HALF, 9, _centred(_root(lambda x: 1 / _envelope(x)))),
    Fit("y1", "(Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x of x^2 - 12.5",
        _centred(_root(
            lambda x: (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x
        )), -_HALF + 1e-6, _HALF, 9, _centred(_root(lambda x: x / _envelope(x)))),
    Fit("p0", "sqrt(2/pi) P of DLMF 10.17.3 for order 0, of 1/x^2",
        _inverse_root(lambda x: _waves(0, x)[0]), 1e-6, 0.04, 4),
    Fit("q0", "sqrt(2/pi) x Q of DLMF 10.17.3 for order 0, of 1/x^2",
        _inverse_root(lambda x: x * _waves(0, x)[1]), 1e-6, 0.04, 3, mp.sqrt),
    Fit("p1", "sqrt(2/pi) P of DLMF 10.17.3 for order 1, of 1/x^2",
        _inverse_root(lambda x: _waves(1, x)[0]), 1e-6, 0.04, 4),
    Fit("q1", "sqrt(2/pi) x Q of DLMF 10.17.3 for order 1, of 1/x^2",
        _inverse_root(lambda x: x * _waves(1, x)[1]), 1e-6, 0.04, 3, mp.sqrt),
    Fit("i0", "I0(x) of x^2", _root(lambda x: mp.besseli(0, x)), 0, 25, 8),
    Fit("i1", "I1(x) / x of x^2", _root(lambda x: mp.besseli(1, x) / x), _TINY, 25, 7),
    Fit("i0_scaled", "sqrt(x) exp(-x) I0(x) of 1/x",
        _inverse(lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(0, x)), 1e-5, 0.2, 7),
    Fit("i1_scaled", "sqrt(x) exp(-x) I1(x) of 1/x",
        _inverse(lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(1, x)), 1e-5, 0.2, 7),
    Fit("k0", "K0(x) + log(x/2) I0(x) of x^2",
        _root(lambda x: mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)), _TINY, 1, 4,
        _root(lambda x: 1 / mp.besselk(0, x))),
    Fit("k1", "(K1(x) - log(x/2) I1(x) - 1/x) / x of x^2",
        _root(lambda x: (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x) - 1 / x) / x),
        1e-6, 1, 4, _root(lambda x: x / mp.besselk(1, x))),
    Fit("i0_near", "I0(x) of x^2", _root(lambda x: mp.besseli(0, x)), 0, 1, 4),
    Fit("i1_near", "I1(x) / x of x^2", _root(lambda x: mp.besseli(1, x) / x), _TINY, 1, 4),
    Fit("k0_scaled", "sqrt(x) exp(x) K0(x) of 1/x",
        _inverse(lambda x: mp.sqrt(x) * mp.exp(x) * mp.besselk(0, x)), 1e-5, 1, 10),
    Fit("k1_scaled", "sqrt(x) exp(x) K1(x) of 1/x",
        _inverse(lambda x: mp.sqrt(x) * mp.exp(x) * mp.besselk(1, x)), 1e-5, 1, 10),
)
# fmt: on


def _solved(basis: np.ndarray, values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Lawson's weights of the samples."""
    lawson = np.ones(len(values))
    for _ in range(40):
        scale = np.sqrt(lawson) * weight
        solution = np.linalg.lstsq(basis * scale[:, None], values * scale, rcond=None)[0]
        error = np.abs((basis @ solution - values) * weight)
        lawson *= error + 1e-3 * error.max()
        lawson /= lawson.sum()
    return lawson


def _rounded(
    terms: np.ndarray, values: np.ndarray, weight: np.ndarray, lawson: np.ndarray
) -> tuple[list[float], float]:
    """The coefficients of the terms in their order as float32, and the greatest error."""
    sizes = np.abs(terms).max(0)
    terms = terms / sizes
    scale, rest, found = np.sqrt(lawson + 1e-4 * lawson.max()) * weight, values.copy(), []
    for i in range(terms.shape[1]):
        left = np.linalg.lstsq(terms[:, i:] * scale[:, None], rest * scale, rcond=None)[0]
        found.append(float(np.float32(left[0] / sizes[i])))
        rest -= terms[:, i] * found[-1] * sizes[i]
    return found, float(np.abs(rest * weight).max())


def coefficients(fit: Fit) -> tuple[list[float], float]:
    """The coefficients from the lowest degree, and the greatest error."""
    nodes = np.cos(np.pi * (np.arange(_SAMPLES) + 0.5) / _SAMPLES)
    low, high = mp.mpf(fit.low), mp.mpf(fit.high)
    exact = [(low + high) / 2 + (high - low) / 2 * mp.mpf(float(x)) for x in nodes]
    values = [fit.function(x) for x in exact]
    weight = np.array(
        [float(1 / abs(y) if fit.weight is None else fit.weight(x)) for x, y in zip(exact, values)]
    )
    t, y = np.array([float(x) for x in exact]), np.array([float(v) for v in values])
    lawson = _solved(chebyshev.chebvander(nodes, fit.degree), y, weight)
    return _rounded(np.vander(t, fit.degree + 1, increasing=True), y, weight, lawson)


def log_coefficients(fit: LogFit) -> tuple[list[float], list[float], float]:
    """The coefficients of both polynomials, and the greatest error."""
    nodes = 0.5 + 0.5 * np.cos(np.pi * (np.arange(_SAMPLES) + 0.5) / _SAMPLES)
    t = np.concatenate([nodes, nodes[nodes > 1e-3] ** 4])
    y = np.array([float(fit.function(mp.mpf(float(x)))) for x in t])
    powers = np.vander(t, fit.degree + 1, increasing=True)
    terms = np.stack([powers, -np.log(t)[:, None] * powers], 2).reshape(len(t), -1)
    found, error = _rounded(terms, y, 1 / y, _solved(terms, y, 1 / y))
    return found[::2], found[1::2], error


def function_of(name: str, comment: str, found: list[float], kind: str = "float") -> str:
    """A device function that is a polynomial."""
    head = f"GPUARRAY_DEVICE {kind} fit_{name}({kind} t) {{\n"
    if kind == "double":
        table = f"FIT_{name.upper()}"
        numbers = listed(f"inline __constant__ double {table}[] = {{", [repr(x) for x in found])
        return f"\n// {comment}\n{numbers}\n{head}    return polynomial({table}, t);\n}}\n"
    short = [f"{np.float32(x):.9g}" for x in found]
    text = listed(
        "    const float c[] = {", [f"{x if '.' in x or 'e' in x else x + '.0'}f" for x in short]
    )
    return f"\n// {comment}\n{head}{text}\n    return polynomial(c, t);\n}}\n"


def listed(head: str, numbers: list[str]) -> str:
    """The definition of an array that begins with a text."""
    lines, line = [], head
    for number in numbers:
        if len(line) + len(number) > 116:
            lines.append(line.rstrip())
            line = " " * (len(head) - len(head.lstrip()) + 4 if len(head) > 40 else len(head))
        line += number + ", "
    lines.append(line.rstrip(", ") + "};")
    return "\n".join(lines)


def text_of(fit: Fit | LogFit) -> str:
    """The functions of a row."""
    if isinstance(fit, Fit):
        found, error = coefficients(fit)
        where = f"t in [{float(fit.low):.4g}, {float(fit.high):.4g}]: {error:.1e}"
        return function_of(fit.name, f"{fit.text}; {where}", found)
    plain, log, error = log_coefficients(fit)
    comment = (
        f"{fit.text} as a first polynomial less log(t) times a second; t in (0, 1]: {error:.1e}"
    )
    return function_of(fit.name, comment, plain) + function_of(
        fit.name + "_log", "The second.", log
    )


def header(fits: Sequence[Fit | LogFit]) -> str:
    return (
        _HEAD
        + "".join([text_of(fit) for fit in fits])
        + "\n}  // namespace special\n}  // namespace gpuarray\n"
    )


if __name__ == "__main__":
    for name, text in (
        ("special_fits.cuh", header(FITS)),
        ("special_gamma_single_fits.cuh", header(GAMMA_FITS)),
        ("special_bessel_fits.cuh", header(BESSEL_FITS)),
    ):
        if "--write" in sys.argv:
            (FOLDER / name).write_text(text)
        else:
            sys.stdout.write(text)
