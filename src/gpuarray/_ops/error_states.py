"""How errors on the device are handled: failed decompositions raise, or give NaN."""

from __future__ import annotations

import contextlib
import threading
from typing import Any

from gpuarray._libraries.checks import error_state

__all__ = ["errstate", "geterr", "seterr"]

#: Floating-point errors, of which a device does not tell.
_FLOATING = ("divide", "over", "under", "invalid")


def geterr() -> dict[str, str]:
    """How errors on the device are handled in the calling thread.

    Returns
    -------
    dict
        ``'linalg'`` is 'raise' or 'ignore', see `seterr`. ``'divide'``, ``'over'``, ``'under'`` and
        ``'invalid'`` are always 'ignore'.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.geterr()["linalg"]
    'raise'
    """
    return {**dict.fromkeys(_FLOATING, "ignore"), "linalg": error_state.linalg}


def seterr(
    all: str | None = None,
    divide: str | None = None,
    over: str | None = None,
    under: str | None = None,
    invalid: str | None = None,
    *,
    linalg: str | None = None,
) -> dict[str, str]:
    """Set how errors on the device are handled in the calling thread.

    Parameters
    ----------
    all, divide, over, under, invalid : {'ignore'}, optional
        Floating-point errors. A device does not tell of them, so nothing else can be chosen.
    linalg : {'raise', 'ignore'}, optional
        Decompositions that fail, such as the inverse of a singular matrix. 'raise' waits for the
        device and raises ``numpy.linalg.LinAlgError``. With 'ignore' nothing waits, and the results
        of matrices that fail are NaN. Unchanged by default.

    Returns
    -------
    dict
        The settings before.

    Raises
    ------
    NotImplementedError
        If a floating-point error should be something else than ignored.

    Notes
    -----
    Differences from NumPy: there is `linalg`, and floating-point errors are ignored.

    Examples
    --------
    >>> import gpuarray as cp
    >>> before = cp.seterr(linalg="ignore")
    >>> cp.geterr()["linalg"]
    'ignore'
    >>> _ = cp.seterr(**before)
    """
    given = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    for name, value in given.items():
        if value is not None and not _is_one_of(value, ("ignore",)):
            raise NotImplementedError(
                f"seterr: {name}={value!r} is not supported, a device does not tell of "
                "floating-point errors; leave it out, and look for NaN with isfinite"
            )
    if linalg is not None and not _is_one_of(linalg, ("raise", "ignore")):
        raise ValueError(f"seterr: linalg must be 'raise' or 'ignore'; got {linalg!r}")
    before = geterr()
    if linalg is not None:
        error_state.linalg = linalg
    return before


def _is_one_of(value: object, modes: tuple[str, ...]) -> bool:
    # An array with the text is equal to it as well.
    return isinstance(value, str) and value in modes


class _Entered(threading.local):
    """The settings before each context that a thread has entered; threads may share a context."""

    def __init__(self) -> None:
        self.settings: list[dict[str, str]] = []


class errstate(contextlib.ContextDecorator):
    """A context in which errors on the device are handled in another way.

    It can decorate a function as well.

    Parameters
    ----------
    all, divide, over, under, invalid, linalg : str, optional
        As of `seterr`.

    Notes
    -----
    As `seterr`, it differs from NumPy's in `linalg`, and floating-point errors are ignored.

    Examples
    --------
    >>> import gpuarray as cp
    >>> with cp.errstate(linalg="ignore"):
    ...     print(cp.geterr()["linalg"])
    ignore
    """

    def __init__(
        self,
        *,
        all: str | None = None,
        divide: str | None = None,
        over: str | None = None,
        under: str | None = None,
        invalid: str | None = None,
        linalg: str | None = None,
    ) -> None:
        self._given = {
            "all": all, "divide": divide, "over": over, "under": under, "invalid": invalid,
            "linalg": linalg,
        }  # fmt: skip
        self._before = _Entered()

    def __repr__(self) -> str:
        given = [f"{name}={value!r}" for name, value in self._given.items() if value is not None]
        return f"errstate({', '.join(given)})"

    def __enter__(self) -> None:
        self._before.settings.append(seterr(**self._given))  # type: ignore[arg-type]  # linalg by name

    def __exit__(self, *exception: Any) -> None:
        seterr(linalg=self._before.settings.pop()["linalg"])
