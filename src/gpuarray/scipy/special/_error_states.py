"""SciPy's names for what happens at singularities, overflows and the like: nothing does."""

from __future__ import annotations

from types import TracebackType
from typing import Self

__all__ = ["SpecialFunctionError", "SpecialFunctionWarning", "errstate", "geterr", "seterr"]


class SpecialFunctionWarning(Warning):
    """What SciPy's special functions warn with; ours never do."""


class SpecialFunctionError(Exception):
    """What SciPy's special functions can raise; ours never do."""


#: SciPy's categories with their actions by default, which are all that there are here.
_ACTIONS = {
    "singular": "ignore",
    "underflow": "ignore",
    "overflow": "ignore",
    "slow": "ignore",
    "loss": "ignore",
    "no_result": "ignore",
    "domain": "ignore",
    "arg": "ignore",
    "other": "ignore",
    "memory": "raise",
}


def geterr() -> dict[str, str]:
    """What happens when a special function meets a singularity and the like.

    Returns
    -------
    dict
        The action of each of SciPy's categories: 'ignore', and 'raise' for 'memory'.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> cp.scipy.special.geterr()["singular"]
    'ignore'
    """
    return dict(_ACTIONS)


def seterr(**kwargs: str) -> dict[str, str]:
    """Accept the actions that there are: 'ignore'.

    Parameters
    ----------
    **kwargs : {'ignore', 'warn', 'raise'}
        Actions by category: all, singular, underflow, overflow, slow, loss, no_result, domain, arg,
        other, memory.

    Returns
    -------
    dict
        The actions, as `geterr` returns them.

    Raises
    ------
    KeyError
        If there is no such category or action.
    NotImplementedError
        If the action is 'warn' or 'raise', and not that of 'memory'.

    Differences from SciPy
    ----------------------
    Code on a device says nothing of what it met, so that nothing can warn or raise: look for NaN
    and infinities in the result.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> old = cp.scipy.special.seterr(all="ignore")
    """
    for category, action in kwargs.items():
        if category != "all" and category not in _ACTIONS:
            raise KeyError(f"{category} is not a valid error code")
        if action not in ("ignore", "warn", "raise"):
            raise KeyError(f"{action} is not a valid error action; there is 'ignore'")
        if category != "memory" and action != "ignore":
            raise NotImplementedError(
                f"seterr: {category}={action!r}: special functions on a device cannot warn or "
                "raise; look for NaN and infinities in the result"
            )
    return geterr()


class errstate:
    """A context in which actions hold: those that `seterr` takes.

    Parameters
    ----------
    **kwargs : {'ignore'}
        As of `seterr`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> import gpuarray.scipy.special
    >>> with cp.scipy.special.errstate(singular="ignore"):
    ...     cp.scipy.special.gammaln(cp.asarray([0.0]))
    array([inf])
    """

    def __init__(self, **kwargs: str) -> None:
        self._actions = kwargs

    def __repr__(self) -> str:
        return f"errstate({', '.join([f'{k}={v!r}' for k, v in self._actions.items()])})"

    def __enter__(self) -> Self:
        seterr(**self._actions)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        pass
