"""Instructions that hardware approximates, within the errors that the PTX ISA documents.

The bound holds between a result and the exact value. Infinities, NaN and zeros have to be the
recorded ones, and two results within their bounds may differ by their sum.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from tests.isa.comparison import Bound
from tests.isa.rows import Row


def _double(x: np.ndarray, type_: str) -> np.ndarray:
    """Operands as float64."""
    if type_ == "bf16":
        return (x.astype("u4") << np.uint32(16)).view("f4").astype("f8")
    return (x.view("f2") if type_ == "f16" else x).astype("f8")


def _flushed(x: np.ndarray, type_: str) -> np.ndarray:
    least = 2.0**-126 if type_ == "f32" else 2.0**-1022
    return np.where(np.abs(x) < least, np.copysign(0.0, x), x)


def _of(function, type_: str = "f32", ftz: bool = False):
    """The exact values (in float64) of a function of the operands."""

    def expected(*operands):
        with np.errstate(all="ignore"):
            values = [_double(o, type_) for o in operands]
            if ftz:
                values = [_flushed(v, type_) for v in values]
            result = function(*values)
            return _flushed(result, type_) if ftz else result

    return expected


def _single() -> list[Row]:
    rows: list[Row] = []
    tau = 2 * math.pi

    def add(name, function, bound, generators=(), count=1):
        rows.append(
            Row(name, ("f32",), ("f32",) * count, generators=generators, compare=bound,
                expected=_of(function, "f32", ".ftz" in name))
        )  # fmt: skip

    for ftz in ("", ".ftz"):
        # Quotients by divisors from 2^126 up are documented to vanish in div.approx.
        near = Bound(ulps=2, domain=lambda a, b: (abs(b) >= 2.0**-126) & (abs(b) <= 2.0**126))
        add(f"div.approx{ftz}.f32", np.divide, near, count=2)
        add(f"div.full{ftz}.f32", np.divide, Bound(ulps=2), count=2)
        add(f"rcp.approx{ftz}.f32", lambda x: 1 / x, Bound(ulps=1))
        add(f"sqrt.approx{ftz}.f32", np.sqrt, Bound(relative=2.0**-23))
        add(f"rsqrt.approx{ftz}.f32", lambda x: 1 / np.sqrt(x), Bound(relative=2.0**-22.4))
        add(f"lg2.approx{ftz}.f32", np.log2, Bound(relative=2.0**-22, absolute=2.0**-22))
        add(f"ex2.approx{ftz}.f32", np.exp2, Bound(relative=2.0**-22), ("exponent",))
        for name, function in (("sin", np.sin), ("cos", np.cos)):
            small = Bound(absolute=2.0**-20.5, domain=lambda x: abs(x) <= tau)
            large = Bound(absolute=2.0**-14.7, domain=lambda x: abs(x) <= 50 * tau)
            add(f"{name}.approx{ftz}.f32", function, small, ("angle",))
            add(f"{name}.approx{ftz}.f32 far", function, large, ("wide angle",))
    add("tanh.approx.f32", np.tanh, Bound(relative=2.0**-11), ("small",))
    return rows


def _double_rows() -> list[Row]:
    def row(name, function, bound):
        exact = _of(function, "f64", ".ftz" in name)
        # The coarse forms do not look at the lower half of their operand.
        coarse = lambda x: exact((x.view("u8") >> np.uint64(32) << np.uint64(32)).view("f8"))  # noqa: E731
        return Row(name, ("f64",), ("f64",), compare=bound,
                   expected=coarse if ".ftz" in name else exact)  # fmt: skip

    coarse = Bound(relative=2.0**-19)
    return [
        row("rcp.approx.ftz.f64", lambda x: 1 / x, coarse),
        row("rsqrt.approx.f64", lambda x: 1 / np.sqrt(x), coarse),
        row("rsqrt.approx.ftz.f64", lambda x: 1 / np.sqrt(x), coarse),
    ]


def _half() -> list[Row]:
    rows: list[Row] = []
    bounds = {
        ("ex2", "f16"): Bound(relative=2.0**-9.9), ("ex2", "bf16"): Bound(relative=2.0**-7),
        ("tanh", "f16"): Bound(absolute=2.0**-10.987), ("tanh", "bf16"): Bound(absolute=2.0**-8),
    }  # fmt: skip
    for ((name, type_), bound), pair in product(bounds.items(), ("", "x2")):
        ftz = ".ftz" if (name, type_) == ("ex2", "bf16") else ""
        function = np.exp2 if name == "ex2" else np.tanh
        full = type_ + pair
        rows.append(
            Row(f"{name}.approx{ftz}.{full}", (full,), (full,), compare=bound,
                expected=_of(function, type_))
        )  # fmt: skip
    return rows


ROWS = [*_single(), *_double_rows(), *_half()]
