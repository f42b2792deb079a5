"""What differs between what NumPy did and what gpuarray did."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.fuzz.case import Case, Outcome, Raised
from tests.fuzz.tolerances import tolerance_of, within


class Difference(NamedTuple):
    """A difference: its kind, and what to know about it."""

    kind: str
    detail: str
    #: Positions of the elements that differ, and the dtype that they have.
    wrong: np.ndarray | None = None
    dtype: np.dtype | None = None


class Fetched(NamedTuple):
    """A device array on the host, and how it lay in memory."""

    values: np.ndarray
    strides: tuple[int, ...]


#: No operation on arrays may end with these, unless NumPy does: they come from the inside.
_INTERNAL = (
    AttributeError, KeyError, StopIteration, SystemError, NameError, AssertionError, RecursionError,
    UnicodeError, BufferError, ImportError, OSError,
)  # fmt: skip
_PUBLIC_MODULES = ("builtins", "numpy.exceptions", "gpuarray.errors")


def fetch(x: Any, array_class: type) -> Any:
    """A result with its device arrays on the host."""
    if isinstance(x, array_class):
        return Fetched(x.get(), x.strides)
    if isinstance(x, (tuple, list)) and not isinstance(x, Raised):
        return [fetch(item, array_class) for item in x]
    return x


def internal(error: BaseException) -> bool:
    """Whether an exception is one that a user should never see."""
    module = type(error).__module__
    if module not in _PUBLIC_MODULES and not module.startswith("numpy."):
        return True
    return isinstance(error, _INTERNAL) or type(error) in (RuntimeError, Exception)


def public_type(error: BaseException) -> type:
    """The public type that an exception of NumPy's derives from."""
    return next(x for x in type(error).__mro__ if x.__module__ in _PUBLIC_MODULES)


def compare(case: Case, expected: Outcome, actual: Outcome) -> Difference | None:
    """The first difference; the actual outcome has been fetched."""
    if not case.stateful:
        found = compare_results(case, expected.result, actual.result)
        if found is None:
            found = _compare_views(expected, actual)
        if found is not None:
            return found
    for step, (theirs, ours) in enumerate(zip(expected.memory, actual.memory)):
        if case.stateful:
            error = theirs.get("") or ours.get("")
            if error:
                found = compare_results(case, theirs.get(""), ours.get(""))
                if found is not None:
                    return found._replace(detail=f"{case.program[step]}: {found.detail}")
        for name in case.watched:
            found = _compare_arrays(case, _values(ours[name]), theirs[name])
            if found is not None:
                where = f"memory of {name}"
                if case.stateful:
                    where += f" after {case.program[step]}"
                return Difference("memory", f"{where}: {found.detail}")
    return None


def _compare_views(expected: Outcome, actual: Outcome) -> Difference | None:
    """Whether results share the memory of operands; a scalar of NumPy's never does."""
    results = expected.result if isinstance(expected.result, (tuple, list)) else [expected.result]
    if len(expected.views) != len(actual.views) or len(results) != len(expected.views):
        return None
    for result, theirs, ours in zip(results, expected.views, actual.views):
        if isinstance(result, np.ndarray) and result.size and theirs != ours:
            names = {True: "a view", False: "a copy"}
            return Difference("sharing", f"{names[ours]}, NumPy {names[theirs]}")
    return None


def _values(x: Any) -> np.ndarray:
    return x.values if isinstance(x, Fetched) else x


def compare_results(case: Case, expected: Any, actual: Any) -> Difference | None:
    """The difference of two results, or of what was raised."""
    if isinstance(actual, Raised) or isinstance(expected, Raised):
        return _compare_errors(case, expected, actual)
    if isinstance(expected, (tuple, list)) and isinstance(actual, list):
        if len(expected) != len(actual):
            return Difference("shape", f"{len(actual)} results, NumPy {len(expected)}")
        for one, other in zip(expected, actual):
            found = compare_results(case, one, other)
            if found is not None:
                return found
        return None
    if not isinstance(actual, Fetched):
        return _compare_objects(expected, actual)
    if not isinstance(expected, (np.ndarray, np.generic)):
        return Difference("type", f"an array, NumPy {type(expected).__name__} {expected!r:.60}")
    found = _compare_arrays(case, actual.values, np.asarray(expected))
    if found is None and isinstance(expected, np.ndarray) and _order_is_defined(case):
        found = _compare_order(actual, expected)
    return found


def _compare_objects(expected: Any, actual: Any) -> Difference | None:
    if isinstance(expected, (np.ndarray, np.generic)) and type(expected) is not type(actual):
        return Difference("type", f"{type(actual).__name__} {actual!r:.60}, NumPy an array")
    if type(expected) is not type(actual):
        return Difference("type", f"{type(actual).__name__}, NumPy {type(expected).__name__}")
    try:
        same = expected == actual or repr(expected) == repr(actual)
        if same:
            return None
    except Exception:
        return None
    return Difference("values", f"{actual!r:.80}, NumPy {expected!r:.80}")


def _summary(x: Any) -> str:
    """A result of NumPy's in a few words."""
    if isinstance(x, (np.ndarray, np.generic)):
        return f"dtype {x.dtype}, shape {x.shape}"
    if isinstance(x, (tuple, list)) and x:
        return _summary(x[0])
    return f"{x!r:.60}"


def _compare_errors(case: Case, expected: Any, actual: Any) -> Difference | None:
    if not isinstance(actual, Raised):
        error = expected.error
        if case.garbage and isinstance(error, _INTERNAL):
            return None  # NumPy stumbles: it refuses by accident
        return Difference(f"accepts, NumPy {public_type(error).__name__}", f"NumPy: {error!s:.160}")
    error = actual.error
    name = type(error).__name__
    text = f"{name}: {error!s:.160}"
    if internal(error) and not (
        isinstance(expected, Raised) and isinstance(error, public_type(expected.error))
    ):
        return Difference(f"internal {name}", text)
    if not isinstance(expected, Raised):
        return Difference(f"raises {name}", f"{text}; NumPy: {_summary(expected)}")
    if case.garbage or isinstance(error, public_type(expected.error)):
        return None
    theirs = public_type(expected.error).__name__
    return Difference(f"{name}, NumPy {theirs}", f"{text}; NumPy: {expected.error!s:.100}")


def _compare_arrays(case: Case, actual: np.ndarray, expected: np.ndarray) -> Difference | None:
    if actual.dtype != expected.dtype:
        return Difference("dtype", f"{actual.dtype}, NumPy {expected.dtype}")
    if actual.shape != expected.shape:
        return Difference("shape", f"{actual.shape}, NumPy {expected.shape}")
    if actual.tobytes() == expected.tobytes():
        return None
    if expected.dtype.kind in "fc":
        tolerance = tolerance_of(case.tolerance, expected.dtype)
        magnitude = _magnitude(case) if tolerance.of_operands else 0
        good = within(actual, expected, tolerance, magnitude, _epsilon(case))
    else:
        good = np.asarray(actual == expected)
    if good.all():
        return None
    wrong = np.flatnonzero(~good.ravel())
    first = wrong[0]
    return Difference(
        "values",
        f"{wrong.size} of {expected.size} differ, first at {first}: "
        f"{actual.ravel()[first]!r}, NumPy {expected.ravel()[first]!r}",
        wrong,
        expected.dtype,
    )


def _epsilon(case: Case) -> float:
    """The epsilon of the narrowest operand where a wider array may take the result."""
    if "out=" not in case.program[-1]:
        return 0
    floats = [np.result_type(x.dtype, "f2") for x in case.operands]
    return max(float(np.finfo(x).eps) for x in floats)


def _magnitude(case: Case) -> float:
    greatest = 1.0
    for operand in case.operands:
        memory = operand.memory()
        memory = memory.astype("c16" if memory.dtype.kind == "c" else "f8")
        greatest = np.abs(memory[np.isfinite(memory)]).max(initial=greatest)
    return float(greatest)


#: Results whose memory order NumPy's documentation leaves open, or that are views of a working
#: array of NumPy's implementation.
_ORDER_LEFT_OPEN = frozenset(
    [
        "nonzero", "argwhere", "histogram2d", "histogramdd", "median", "nanmedian", "quantile", "nanquantile",
        "percentile", "nanpercentile", "take_along_axis", "gradient", "intersect1d", "argsort", "unique", "round",
    ]
)  # fmt: skip


def _order_is_defined(case: Case) -> bool:
    if case.function == "getitem":
        # That of advanced indexing is whatever is quickest.
        return len(case.operands) == 1 and case.program[-1].count("[") == 1
    if case.function == "delete":  # indices and masks select what is kept by advanced indexing
        return False
    return case.tolerance not in _ORDER_LEFT_OPEN and not any(
        name in case.function for name in _ORDER_LEFT_OPEN
    )


def _compare_order(actual: Fetched, expected: np.ndarray) -> Difference | None:
    """Strides, but for axes of one element, which are arbitrary."""
    if expected.size == 0:
        return None
    axes = [i for i, n in enumerate(expected.shape) if n > 1]
    ours, theirs = [actual.strides[i] for i in axes], [expected.strides[i] for i in axes]
    if ours == theirs:
        return None
    return Difference(
        "memory order",
        f"shape {expected.shape}, strides {actual.strides}, NumPy {expected.strides}",
    )
