"""Reductions, cumulative operations and statistics."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.fuzz.case import Case, Interpreter
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.values import COMPLEX, DTYPES, FLOATS, INTEGERS

REDUCTIONS = [
    "sum", "prod", "max", "min", "amax", "amin", "mean", "any", "all", "count_nonzero", "ptp", "var", "std",
]  # fmt: skip
ONE_AXIS = ["argmax", "argmin", "cumsum", "cumprod"]
NAN = ["nansum", "nanprod", "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"]
NAN_ONE_AXIS = ["nancumsum", "nancumprod", "nanargmax", "nanargmin"]
ORDER = ["median", "nanmedian", "quantile", "percentile", "nanquantile", "nanpercentile"]
CUMULATIVE = ["cumulative_sum", "cumulative_prod"]
METHODS = ["sum", "prod", "max", "min", "mean", "any", "all", "var", "std", "argmax", "argmin",
           "cumsum", "cumprod"]  # fmt: skip
QUANTILE_METHODS = [
    "inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf",
    "hazen", "weibull", "linear", "median_unbiased", "normal_unbiased", "lower", "higher",
    "midpoint", "nearest",
]  # fmt: skip
TAKES_DTYPE = {
    "sum", "prod", "mean", "var", "std", "cumsum", "cumprod", "nansum", "nanprod", "nanmean",
    "nanvar", "nanstd", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod",
}  # fmt: skip
TAKES_WHERE = {"sum", "prod", "max", "min", "mean", "any", "all", "var", "std", "nansum", "nanprod",
               "nanmax", "nanmin", "nanmean", "nanvar", "nanstd"}  # fmt: skip
TAKES_INITIAL = {"sum", "prod", "max", "min", "nansum", "nanprod", "nanmax", "nanmin"}
NO_KEEPDIMS = {"cumsum", "cumprod", "nancumsum", "nancumprod", "cumulative_sum", "cumulative_prod"}


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """A reduction with a dtype, a layout and arguments."""
    group = draw.pick([REDUCTIONS] * 5 + [ONE_AXIS] * 2 + [NAN] * 2 + [NAN_ONE_AXIS, CUMULATIVE]
                      + [ORDER] * 2)  # fmt: skip
    function = draw.pick(group)
    dtype = draw.pick(DTYPES)
    if function.startswith("nan") and draw.chance(0.7):
        dtype = draw.pick(FLOATS + COMPLEX)
    if group is ORDER:
        dtype = draw.pick(INTEGERS + FLOATS)
    kind = "ties" if draw.chance(0.6) else "small"
    if "prod" in function:
        kind = "powers"
    elif function.removeprefix("nan") in ("max", "min", "argmax", "argmin", "any", "all", "median", "amax",
                                    "amin", "ptp", "count_nonzero"):  # fmt: skip
        kind = draw.pick(["ties", "wide", "corners"])
    elif function in ("var", "std", "mean", "nanvar", "nanstd", "nanmean"):
        kind = draw.pick(["ties", "plain"])
    layout, ndim = draw.pick(LAYOUTS), draw.ndim()
    method = function in METHODS and draw.chance(0.3)
    keepdims = draw.chance(0.3)
    asked = draw.pick(DTYPES) if function in TAKES_DTYPE and draw.chance(0.25) else ""
    where = function in TAKES_WHERE and draw.chance(0.2)
    initial = function in TAKES_INITIAL and draw.chance(0.2)
    out = draw.chance(0.15)
    out_layout = draw.pick(LAYOUTS)
    option = draw.chance(0.3)
    quantile_method = draw.pick(QUANTILE_METHODS) if option else ""
    one_axis = group in (ONE_AXIS, NAN_ONE_AXIS, CUMULATIVE)

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = draw.shape(ndim)
        name = make.array(shape, dtype, layout, kind)
        parts = []
        if "quantile" in function or "percentile" in function:
            parts.append(_fractions(draw, 100 if "percentile" in function else 1))
        axis = draw.axes(ndim)
        if one_axis and axis.startswith("(") and (group is CUMULATIVE or draw.chance(0.95)):
            axis = str(draw.axis(ndim))
        if group is CUMULATIVE:
            parts.append(f"axis={axis}" if ndim != 1 or draw.chance(0.5) else "")
            parts.append("include_initial=True" if option else "")
        elif draw.chance(0.85):
            parts.append(f"axis={axis}")
        else:
            axis = "None"
        if function not in NO_KEEPDIMS and keepdims:
            parts.append("keepdims=True")
        if function in ("var", "std", "nanvar", "nanstd") and option:
            parts.append(f"ddof={draw.pick(['1', '2', '0.5', '-1'])}")
        if asked:
            parts.append(f"dtype={asked!r}")
        if where:
            parts.append(f"where={make.array(shape, '?', layout, 'small')}")
        if initial:
            parts.append(f"initial={draw.pick(['0', '1', '-2', '2.5', 'True', 'nan'])}")
        if quantile_method and ("quantile" in function or "percentile" in function):
            parts.append(f"method={quantile_method!r}")
        if out and function != "count_nonzero":
            found = _expected(function, name, parts, make)
            if found is not None:
                result = found.dtype.str[1:].replace("b1", "?")
                if draw.chance(0.2):
                    result = draw.pick(DTYPES)
                parts.append(f"out={make.array(found.shape, result, out_layout, written=True)}")
        parts = [x for x in parts if x]
        if method:
            make.program.append(f"{name}.{function}({', '.join(parts)})")
        else:
            make.program.append(f"xp.{function}({', '.join([name, *parts])})")
        return make.done(function)

    return function, case


def _fractions(draw: Draw, of: int) -> str:
    """Text of an argument ``q``."""
    options = [0, 0.25, 0.5, 1, 0.1, 0.9999, 1 / 3]
    one = [of * draw.pick(options) for _ in range(3)]
    if draw.chance(0.02):
        return draw.pick(["-0.5", "101", "nan"])
    if draw.chance(0.5):
        return repr(one[0])
    return repr(one) if draw.chance(0.7) else f"xp.asarray({one})"


def _expected(function: str, name: str, parts: list[str], make: CaseMaker) -> np.ndarray | None:
    """What NumPy returns, for the shape of ``out``; None where it raises."""
    program = f"xp.{function}({', '.join([name, *filter(None, parts)])})"
    kept, make.program = make.program, [program]
    trial = make.done(function)
    make.program = kept
    result = Interpreter(np).run(trial).result
    return np.asarray(result) if isinstance(result, (np.ndarray, np.generic)) else None
