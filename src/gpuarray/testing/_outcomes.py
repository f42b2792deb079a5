"""What a test does with NumPy and with gpuarray: results and errors, and whether they agree."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import gpuarray
from gpuarray._array import ArrayBase
from gpuarray.testing._assertions import on_host
from gpuarray.testing._loops import FLOATS, SIGNED, UNSIGNED, Decorator, skips, without


class Names(NamedTuple):
    """The test's parameters for modules."""

    xp: str
    sparse: str | None
    scipy: str | None

    def modules(self, ours: bool) -> dict[str, Any]:
        """The modules of one library by the parameters' names."""
        given = {self.xp: gpuarray if ours else np}
        if self.sparse:
            given[self.sparse] = importlib.import_module(_SPARSE[ours])
        if self.scipy:
            given[self.scipy] = importlib.import_module(_SCIPY[ours])
        return given


_SPARSE = {True: "gpuarray.scipy.sparse", False: "scipy.sparse"}
_SCIPY = {True: "gpuarray.scipy", False: "scipy"}


class _Outcome(NamedTuple):
    result: Any
    error: BaseException | None


def _run(test: Callable[..., Any], args: Any, kwargs: Any) -> _Outcome:
    caught: tuple[type[BaseException], ...] = (Exception, *skips())
    try:
        return _Outcome(test(*args, **kwargs), None)
    except caught as error:
        if error.__traceback__ is None or error.__traceback__.tb_next is None:
            raise  # the call is wrong, and the test was not entered
        return _Outcome(None, error)


def run_both(
    test: Callable[..., Any], names: Names, args: Any, kwargs: Any
) -> tuple[_Outcome, _Outcome]:
    """What the test does with gpuarray, and with NumPy."""
    ours = _run(test, args, kwargs | names.modules(True))
    return ours, _run(test, args, kwargs | names.modules(False))


#: The classes by which a program can tell errors apart.
_CLASSES = (
    AttributeError, IndexError, TypeError, ValueError, NotImplementedError, DeprecationWarning,
    np.exceptions.AxisError, np.linalg.LinAlgError,
)  # fmt: skip


def _text(error: BaseException | None) -> str:
    return "".join(traceback.format_exception(error)) if error is not None else "no error"


def check_errors(ours: BaseException | None, theirs: BaseException | None, accepted: Any) -> None:
    """Both raise errors of the same classes, which are accepted."""
    __tracebackhide__ = True
    if isinstance(ours, skips()) and isinstance(theirs, skips()):
        raise theirs
    allowed = Exception if accepted is True else accepted or ()
    if ours is None and theirs is None:
        raise AssertionError("neither gpuarray nor NumPy raises an error")
    if ours is None or theirs is None:
        which = "NumPy" if ours is None else "gpuarray"
        message = f"only {which} raises an error"
    elif any(isinstance(ours, one) != isinstance(theirs, one) for one in _CLASSES):
        message = "gpuarray and NumPy raise errors of different classes"
    elif not (isinstance(ours, allowed) and isinstance(theirs, allowed)):
        message = "gpuarray and NumPy raise errors"
    else:
        return
    first = theirs if ours is None else ours
    text = f"{message}\n\ngpuarray:\n{_text(ours)}\nNumPy:\n{_text(theirs)}"
    raise AssertionError(text).with_traceback(first.__traceback__ if first else None)


def as_arrays(ours: Any, theirs: Any, check_format: bool = True) -> tuple[Any, Any]:
    """A result of each library as an array of it."""
    if isinstance(ours, ArrayBase) and isinstance(theirs, np.ndarray | np.generic):
        return ours, theirs
    if isinstance(theirs, np.poly1d) and hasattr(ours, "coeffs"):
        assert ours.variable == theirs.variable
        return ours.coeffs, theirs.coeffs
    if hasattr(theirs, "toarray") and hasattr(ours, "toarray"):  # sparse matrices
        if check_format:
            assert ours.format == theirs.format
        return ours.toarray(), theirs.toarray()
    if isinstance(ours, np.generic) and isinstance(theirs, np.generic):
        return ours, theirs
    if np.isscalar(ours) and np.isscalar(theirs):
        return np.array(ours), np.array(theirs)
    raise AssertionError(
        f"gpuarray returns a {type(ours).__name__}, NumPy a {type(theirs).__name__}"
    )


def _check_contiguity(ours: Any, theirs: Any) -> None:
    if isinstance(theirs, np.ndarray) and isinstance(ours, ArrayBase):
        layout = ours._layout
        for name in ("c_contiguous", "f_contiguous"):
            if getattr(theirs.flags, name) and not getattr(layout, name):
                raise AssertionError(f"NumPy's result is {name}, gpuarray's is not")


def _positive(
    test: Callable[..., Any], names: Names, args: Any, kwargs: Any, results: Sequence[Any]
) -> list[Any]:
    """Where unsigned results are not from negative numbers, of which a GPU makes other ones.

    None where all are compared: only a test with signed and unsigned dtypes can have such.
    """
    dtypes = [x for x in kwargs.values() if isinstance(x, type) and issubclass(x, np.generic)]
    mixed = any(x in UNSIGNED for x in dtypes) and any(x in SIGNED + FLOATS for x in dtypes)
    if not mixed or not any(x.dtype.kind == "u" for x in results):
        return [None] * len(results)
    signed = {
        name: np.dtype(np.dtype(x).char.lower()).type if x in dtypes and x in UNSIGNED else x
        for name, x in kwargs.items()
    }
    found = _run(test, args, signed | names.modules(True)).result
    found = found if isinstance(found, list | tuple) else [found]
    return [
        on_host(x) >= 0 if one.dtype.kind == "u" else None
        for one, x in zip(results, found, strict=True)
    ]


def compared(
    check: Callable[[Any, Any], None],
    names: Names,
    type_check: bool,
    contiguous_check: bool,
    accept_error: Any,
    check_format: bool = True,
) -> Decorator:
    """A decorator that compares the arrays which a test returns."""

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @without(test, names)
        def comparing(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            ours, theirs = run_both(test, names, args, kwargs)
            if ours.error is not None or theirs.error is not None:
                check_errors(ours.error, theirs.error, accept_error)
                return
            assert ours.result is not None, "the test returns nothing to compare"
            assert theirs.result is not None, "the test returns nothing to compare"
            mine, wanted = [
                x.result if isinstance(x.result, list | tuple) else [x.result]
                for x in (ours, theirs)
            ]
            assert len(mine) == len(wanted), (len(mine), len(wanted))
            pairs = [as_arrays(x, y, check_format) for x, y in zip(mine, wanted, strict=True)]
            for x, y in pairs:
                if type_check and x.dtype != y.dtype:
                    raise AssertionError(f"gpuarray's dtype is {x.dtype}, NumPy's {y.dtype}")
                assert x.shape == y.shape, (x.shape, y.shape)
            if contiguous_check:
                for x, y in zip(mine, wanted, strict=True):
                    _check_contiguity(x, y)
            masks = _positive(test, names, args, kwargs, [x for x, _ in pairs])
            for (x, y), mask in zip(pairs, masks, strict=True):
                if mask is None:
                    check(x, y)
                else:
                    check(on_host(x)[mask], np.asarray(y)[mask])

        return comparing

    return decorator
