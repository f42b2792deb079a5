"""Values that operations store: numbers and lists as arrays of a dtype, or as numbers it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _dtypes, _interchange
from gpuarray._array import ArrayBase
from gpuarray._namespace.called_name import called_name
from gpuarray._ops.conversion import array
from gpuarray.errors import HostArrayError, UnsupportedDTypeError

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, ndarray


def as_values(value: ArrayLike, name: str, dtype: np.dtype | None = None) -> ndarray:
    """Values to store: an array, or nested lists of numbers; host arrays are refused.

    Numbers are converted to the dtype if there is one; device arrays keep their own.
    """
    if isinstance(value, list | tuple | range):
        try:
            return array(value, dtype)
        except (HostArrayError, UnsupportedDTypeError):
            raise
        except (OverflowError, ValueError, TypeError) as error:
            if dtype is None:
                raise
            raise _not_stored(name, value, dtype, error) from None
    if isinstance(value, str) and dtype is not None and dtype.kind in "mM":
        return array(value, dtype)
    if not isinstance(value, ArrayBase) and dtype is not None and _dtypes.is_raw(dtype):
        return array(value, dtype)
    value = _interchange.as_operand(value, name)
    if isinstance(value, ArrayBase):
        return value
    return array(value) if dtype is None else array(as_host_scalar(value, dtype, name), dtype)


#: What Python's own types convert to without a loss or an error.
_EXACT = {"b": bool, "f": float, "c": complex}
#: Between which integers convert to a dtype without a loss or an error.
_LIMITS = {char: (int(np.iinfo(char).min), int(np.iinfo(char).max)) for char in "bBhHiIlLqQ"}
_LIMITS |= {"?": (0, 1)} | dict.fromkeys("efdFD", (-2048, 2048))
_LIMITS |= dict.fromkeys("mMVE", (1, 0))  # times, structures and bfloat16: none


def as_host_scalar(value: Any, dtype: np.dtype, name: str = "assignment") -> Any:
    """A number as a Python number that the dtype holds.

    Raises
    ------
    OverflowError, ValueError, TypeError
        As NumPy for a Python number: an integer out of range or an infinity, a NaN for an integer,
        a complex number for a real one. NumPy's own numbers are converted as Python's.
    """
    if type(value) is _EXACT.get(dtype.kind):
        return value
    if type(value) is int:
        low, high = _LIMITS[dtype.char]
        if low <= value <= high:
            return value if dtype.kind in "iu" else _EXACT[dtype.kind](value)
    if isinstance(value, np.ndarray) and not value.ndim:
        value = value[()]
    if dtype.kind in "iu" and isinstance(value, np.floating | np.integer):
        value = value.item()
    host = np.empty((), dtype)
    try:
        with np.errstate(all="ignore"):
            host[()] = value
    except (OverflowError, ValueError, TypeError) as error:
        raise _not_stored(name, value, dtype, error) from None
    # Python has no time of every unit, and no structure.
    return host[()] if dtype.kind in "mM" or _dtypes.is_raw(dtype) else host.item()


def _not_stored(name: str, value: Any, dtype: np.dtype, error: Exception) -> Exception:
    """NumPy's error, with the operation and the value in front of its message."""
    text = repr(value)
    shown = text if len(text) < 60 else f"a {type(value).__name__}"
    return type(error)(f"{called_name(name)}: {shown} cannot be stored as {dtype}: {error}")
