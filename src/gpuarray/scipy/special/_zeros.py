"""How zeros of functions are found: starting values on the host, Newton's method on the device."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import gpuarray as cp
from gpuarray._fusion import fuse

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__: list[str] = []

#: Newton's steps. The starting values have two digits or more, which four steps make sixteen.
STEPS = 6

Step = Callable[..., tuple[Any, Any]]


@cache
def _newton(function: Step) -> Any:
    """A step of Newton's method as one kernel."""

    @fuse(kernel_name=f"gpuarray_newton_{function.__name__.strip('_')}")
    def step(x: Any, *operands: Any) -> Any:
        value, slope = function(x, *operands)
        return x - value / slope

    return step


def number_of_zeros(nt: Any, name: str) -> int:
    """How many zeros are wanted: a positive whole number."""
    if np.ndim(nt) or nt != math.floor(nt) or nt <= 0:
        raise ValueError(f"{name}: nt must be a positive integer, not {nt!r}")
    return int(nt)


def refined(function: Step, guess: np.ndarray, *others: np.ndarray) -> ndarray:
    """Zeros near the starting values, of a function that returns its value and its derivative."""
    x: ndarray = cp.asarray(guess)
    operands = [cp.asarray(other) for other in others]
    for _ in range(STEPS):
        x = _newton(function)(x, *operands)
    return x


def airy_zeros_near(count: int, shift: int, of_slope: bool) -> np.ndarray:
    """Zeros of Ai (shift 1), Bi (3) or their derivatives (3 and 1) to a few digits: DLMF 9.9.6."""
    t = 3 * np.pi * (4 * np.arange(1, count + 1) - shift) / 8
    if of_slope:
        series = 1 - 7 / 48 / t**2 + 35 / 288 / t**4
    else:
        series = 1 + 5 / 48 / t**2 - 5 / 36 / t**4
    return np.asarray(-(t ** (2 / 3)) * series)


def stretched(order: Any, airy_zeros: np.ndarray) -> np.ndarray:
    """Zeros of Bessel functions near those of Airy functions: the first term of DLMF 10.21.41."""
    phase = 2 / 3 * (-airy_zeros) ** 1.5 / order
    s = phase + np.pi / 2
    for _ in range(50):  # s - atan(s) is convex: Newton's method from above
        s -= (s - np.arctan(s) - phase) * (1 + 1 / s**2)
    return np.asarray(order * np.sqrt(1 + s * s))
