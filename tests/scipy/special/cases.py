"""Special functions compared with SciPy's, and with mpmath where SciPy's are not so accurate.

A row for each function:

    Case("erfc", linear(-5, 26), exact=lambda mp, x: mp.erfc(x))

compares all loops on the arguments and on `CORNERS`. Where a result is more than ``ulps`` away from
SciPy's, it has to be as near to ``exact``, so that SciPy's own errors need no wider bound.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
import scipy.special

import gpuarray as cp
from gpuarray.scipy import special
from tests.kernels.samples import ulps

#: Arguments at which functions have poles, limits and branches.
CORNERS = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, np.inf, -np.inf, np.nan)
#: Those of functions of several arguments, where SciPy has no rule for infinities.
FEWER_CORNERS = (0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5)


def linear(low: float, high: float, count: int = 40) -> np.ndarray:
    """Equidistant numbers with random last digits."""
    rng = np.random.default_rng(5)
    return np.sort(rng.uniform(low, high, count))


def powers(low: float, high: float, count: int = 40) -> np.ndarray:
    """Numbers whose logarithms to base 10 lie between two bounds."""
    return 10 ** linear(low, high, count)


def pairs(*columns: Sequence[float], count: int = 300, seed: int = 3) -> list[np.ndarray]:
    """Random combinations of the elements of several sets."""
    rng = np.random.default_rng(seed)
    return [rng.choice(np.asarray(column, float), count) for column in columns]


def joined(*parts: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Several sets of arguments as one."""
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


@dataclass
class Case:
    """A function and what it is compared on.

    Attributes
    ----------
    name : str
        The function.
    arguments : ndarray or sequence of ndarray
        Float64 arguments, one array for each operand.
    ulps : float
        The bound of float64.
    exact : callable, optional
        Takes mpmath and the arguments as its numbers, returns the value or a tuple of them.
    single : float
        The bound of float32 against SciPy's function of the same numbers in float64.
    corners : sequence of float
        All combinations of these are compared as well, by default `CORNERS` or, of several
        operands, `FEWER_CORNERS`.
    known : callable, optional
        Takes the operands, says which corners differ from SciPy's on purpose.
    relative : float
        The bound of complex results relative to the magnitude.
    complexes : sequence of ndarray
        Arguments of the complex loop.
    scale : callable or tuple of callable, optional
        Takes operands and SciPy's results; what errors are relative to where a result is smaller:
        near zeros, and where it is a difference that cancels. A tuple has one for each result.
    reason : str
        Why a bound is above 4.
    heavy : bool
        The emulator takes seconds for the function: only some of the arguments are compared quickly,
        all of them and the narrower loops in the slow session.
    """

    name: str
    arguments: Any
    ulps: float = 4
    exact: Callable[..., Any] | None = None
    single: float = 1
    corners: Sequence[float] | None = None
    known: Callable[..., Any] | None = None
    relative: float = 1e-14
    complexes: Sequence[np.ndarray] = ()
    scale: Callable[..., Any] | tuple[Callable[..., Any], ...] | None = None
    reason: str = ""
    heavy: bool = False
    operands: list[np.ndarray] = field(init=False)

    def __post_init__(self) -> None:
        given = self.arguments
        self.operands = [given] if isinstance(given, np.ndarray) else list(given)
        assert self.ulps <= 4 or self.reason, f"{self.name}: why is the bound {self.ulps}?"


def corners_of(case: Case) -> list[np.ndarray]:
    """All combinations of the corners as operands."""
    count = len(case.operands)
    corners = case.corners
    if corners is None:
        corners = CORNERS if count == 1 else FEWER_CORNERS
    rows = list(itertools.product(corners, repeat=count))
    return list(np.array(rows, float).reshape(-1, len(case.operands)).T)


def results(module: Any, name: str, operands: Sequence[np.ndarray]) -> list[np.ndarray]:
    """A function's results as host arrays, one for each output."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns where it truncates an order
        if module is special:
            found = getattr(special, name)(*[cp.asarray(x) for x in operands])
            found = found if isinstance(found, tuple) else (found,)
            return [x.get() for x in found]
        found = getattr(scipy.special, name)(*operands)
    return list(found) if isinstance(found, tuple) else [found]


def distances(case: Case, operands: Any, actual: Any, wanted: Any, number: int = 0) -> np.ndarray:
    """Errors in units of the last place of the result, or of the case's scale where that is larger."""
    plain = ulps(actual, wanted)
    if case.scale is None:
        return plain
    with np.errstate(all="ignore"):
        given = case.scale[number] if isinstance(case.scale, tuple) else case.scale
        scale = np.broadcast_to(given(*operands, wanted), wanted.shape).astype(wanted.dtype)
        unit = np.spacing(np.maximum(np.abs(wanted), scale))
        scaled = np.abs(actual.astype(float) - wanted) / unit
    return np.where(np.isfinite(scaled), np.minimum(plain, scaled), plain)


def described(case: Case, operands: Any, actual: Any, wanted: Any, distance: Any) -> str:
    """What is far away, the farthest first."""
    order = np.argsort(-np.where(np.isnan(distance), np.inf, distance))[:8]
    lines = [
        f"{[float(x[i]) for x in operands]}: {actual[i]!r}, not {wanted[i]!r}: {distance[i]:.4g}"
        for i in order
    ]
    return f"{case.name}\n" + "\n".join(lines)


def kind_of(x: np.ndarray) -> np.ndarray:
    """NaN, infinities by sign, zeros, and all others."""
    kinds = [np.isnan(x), x == np.inf, x == -np.inf, x == 0]
    return np.select(kinds, [1, 2, 3, 4], 0)


def check_double(case: Case) -> None:
    """Compare the float64 loop."""
    corners = corners_of(case)
    operands = [np.concatenate(x) for x in zip(case.operands, corners, strict=True)]
    ours, theirs = (
        results(special, case.name, operands),
        results(scipy.special, case.name, operands),
    )
    count = len(case.operands[0])
    for number, (actual, wanted) in enumerate(zip(ours, theirs, strict=True)):
        assert actual.dtype == np.float64
        distance = distances(case, operands, actual, wanted, number)
        far = distance > case.ulps
        far[(actual == 0) & (wanted == 0)] = False
        if case.known is not None:
            far[count:] &= ~np.broadcast_to(case.known(*corners), len(corners[0]))
        wanted = wanted.copy()
        if far.any() and case.exact is not None:
            mpmath = pytest.importorskip("mpmath")
            for i in np.flatnonzero(far):
                wanted[i] = exact_value(mpmath, case, [x[i] for x in operands], number, wanted[i])
            distance = distances(case, operands, actual, wanted, number)
            far &= distance > case.ulps
        where = np.flatnonzero(far)
        assert not far.any(), described(
            case, [x[where] for x in operands], actual[where], wanted[where], distance[where]
        )


def exact_value(mpmath: Any, case: Case, arguments: Any, output: int, otherwise: float) -> float:
    """mpmath's value at 40 digits, or SciPy's where mpmath has none."""
    if not np.isfinite(arguments).all():
        return otherwise
    mp = mpmath.mp
    with mpmath.workdps(40):
        try:
            found = case.exact(mp, *[mp.mpf(float(x)) for x in arguments])
        except (ValueError, ZeroDivisionError):
            return otherwise
        if isinstance(found, tuple):
            found = found[output]
        return float(mp.re(found))


def check_single(case: Case) -> None:
    """Compare the float32 loop with SciPy's float64 loop of the same numbers."""
    some = [x[:: max(1, len(x) // 100)].astype(np.float32) for x in case.operands]
    ours = results(special, case.name, some)
    theirs = results(scipy.special, case.name, [x.astype(np.float64) for x in some])
    for number, (actual, wanted) in enumerate(zip(ours, theirs, strict=True)):
        with np.errstate(all="ignore"):
            wanted = wanted.astype(np.float32)
        assert actual.dtype == np.float32
        distance = distances(case, some, actual, wanted, number)
        far = distance > case.single
        far[(actual == 0) & (wanted == 0)] = False
        tiny = np.finfo(np.float32).tiny
        far &= ~((np.abs(wanted) < 2 * tiny) & (np.abs(actual) < 2 * tiny))
        if far.any() and case.exact is not None:
            mpmath = pytest.importorskip("mpmath")
            for i in np.flatnonzero(far):
                arguments = [x[i] for x in some]
                wanted[i] = exact_value(mpmath, case, arguments, number, wanted[i])
            distance = distances(case, some, actual, wanted, number)
            far &= distance > case.single
        where = np.flatnonzero(far)
        assert not far.any(), described(
            case, [x[where] for x in some], actual[where], wanted[where], distance[where]
        )


def check_complex(case: Case, dtype: str) -> None:
    """Compare a complex loop; the other operands of a mixed loop are real there."""
    loop = next(x for x in getattr(special, case.name).types if x.endswith(dtype))
    operands = [np.asarray(x).astype(y) for x, y in zip(case.complexes, loop)]
    ours = results(special, case.name, operands)
    theirs = results(scipy.special, case.name, [x.astype(x.dtype.char.upper().replace("F", "D")
                     if x.dtype.kind == "c" else float) for x in operands])  # fmt: skip
    bound = case.relative if dtype == "D" else max(case.relative, 4e-7)
    for actual, wanted in zip(ours, theirs, strict=True):
        assert actual.dtype == np.dtype(dtype)
        with np.errstate(all="ignore"):
            error = np.abs(actual - wanted) / np.abs(wanted)
        error[(actual == wanted) | (np.isnan(actual) & np.isnan(wanted))] = 0
        if dtype == "F":
            error[~np.isfinite(wanted.astype("F")) | (np.abs(wanted) < 1e-36)] = 0
        far = ~(error <= bound)
        where = np.flatnonzero(far)
        lines = [
            f"{[x[i] for x in operands]}: {actual[i]!r}, not {wanted[i]!r}: {error[i]:.3g}"
            for i in where[:8]
        ]
        assert not far.any(), f"{case.name}\n" + "\n".join(lines)


def scipys(name: str) -> Any:
    """SciPy's ufunc, which is behind a function where SciPy was imported for the array API."""
    return getattr(scipy.special._ufuncs, name, None) or getattr(scipy.special, name)


def check_loops(name: str) -> None:
    """The ufunc has SciPy's loops, and operands of every dtype find the same one.

    Which loop comes first differs between SciPy's releases, and with it what narrower dtypes are
    converted to: where the order is another one, these find the first of ours.
    """
    ours, theirs = getattr(special, name), scipys(name)
    types = [x for x in theirs.types if "g" not in x and "G" not in x]
    assert sorted(ours.types) == sorted(types), name
    assert (ours.nin, ours.nout) == (theirs.nin, theirs.nout), name
    exact = {x[: ours.nin] for x in types}
    for char in "?bBhHiIlLefdFD":
        given = (np.dtype(char),) * ours.nin + (None,) * ours.nout
        if ours.types == types or char * ours.nin in exact:
            expected = resolved(theirs, given)
        else:
            expected = first_of(ours.types, given[: ours.nin])
        assert resolved(ours, given) == expected, (name, char)


def first_of(types: Sequence[str], given: Sequence[np.dtype[Any]]) -> Any:
    """NumPy's rule: the first loop to which all operands can be cast safely."""
    for loop in types:
        operands, outputs = [[np.dtype(x) for x in part] for part in loop.split("->")]
        if all(map(np.can_cast, given, operands)):
            return (*operands, *outputs)
    return TypeError


def resolved(function: Any, given: Any) -> Any:
    """The loop of operands, or the type of the exception."""
    try:
        return function.resolve_dtypes(given)
    except TypeError:
        return TypeError


def thinned(case: Case) -> Case:
    """The case with a sixth of its arguments."""
    return replace(case, arguments=[x[1::6] for x in case.operands])


def against_scipy(cases: Sequence[Case]) -> Callable[[Case, str], None]:
    """A test with a case for each function and each of its kinds of loops.

    Narrow loops are instances of the templates of the wide ones: those of every sixth function are
    quick. Of every second heavy function some arguments are.
    """
    rows = []
    for number, case in enumerate(cases):
        loops = "dfDF" if len(case.complexes) else "df"
        for loop in loops:
            slow = loop == "F" or case.heavy or (loop == "f" and number % 6 > 0)
            marks = pytest.mark.slow if slow else ()
            rows += [pytest.param(case, loop, id=f"{case.name}-{loop}", marks=marks)]
            if case.heavy and loop == "d" and number % 2 == 0:
                rows += [pytest.param(thinned(case), loop, id=f"{case.name}-{loop}-some")]

    @pytest.mark.parametrize("case, dtype", rows)
    def test(case: Case, dtype: str) -> None:
        if dtype == "d":
            check_loops(case.name)
            check_double(case)
        elif dtype == "f":
            check_single(case)
        else:
            check_complex(case, dtype)

    return test


def check_inverse(
    name: str,
    operands: Sequence[np.ndarray],
    forward: Callable[..., Any],
    target: int,
    units: float = 6,
    rtol: float = 1e-7,
) -> None:
    """The inverse function lies between neighbours whose images lie around what was inverted.

    Parameters
    ----------
    name : str
        The function.
    operands : sequence of ndarray
        Its arguments.
    forward : callable
        Takes the result and the operands, and is compared with operand number ``target``.
    target : int
        Which operand is the function's value.
    units : float
        How far the neighbours are, and how exact the image is, in units of the last place.
    rtol : float
        Distance to SciPy's results, which many inverses compute to a few digits only.
    """  # fmt: skip
    found = results(special, name, operands)[0]
    theirs = results(scipy.special, name, operands)[0]
    known = np.isfinite(theirs) & (theirs != 0) & (np.abs(theirs) < 1e99)  # where it gave up
    np.testing.assert_allclose(found[known], theirs[known], rtol=rtol)
    some = np.isfinite(found) & (np.abs(found) > 1e-290)
    operands = [x[some] for x in operands]
    x, y = found[some], operands[target]
    width = units * np.finfo(float).eps
    images = [
        np.asarray(forward(cp.asarray(x * scale), *map(cp.asarray, operands)).get())
        for scale in (1 - width, 1 + width)
    ]
    low, high = np.minimum(*images), np.maximum(*images)
    far = ~((low <= y * (1 + width)) & (high >= y * (1 - width)))
    lines = [
        f"{[v[i] for v in operands]}: {x[i]!r}, {low[i]!r} {high[i]!r}" for i in np.flatnonzero(far)
    ]
    assert not far.any(), f"{name}, {len(lines)} of {len(x)}\n" + "\n".join(lines[:8])
