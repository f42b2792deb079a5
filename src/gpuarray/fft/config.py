"""The cache of cuFFT's plans, by CuPy's names.

Examples
--------
>>> import gpuarray as cp
>>> cache = cp.fft.config.get_plan_cache()
>>> cp.fft.config.clear_plan_cache()
>>> cache.get_curr_size()
0
>>> before = cp.fft.config.get_plan_cache_size()
>>> cp.fft.config.set_plan_cache_size(4)
>>> cache.get_size()
4
>>> cp.fft.config.set_plan_cache_size(before)
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpuarray._ffi.library_kinds import COMPLEX_HALF
from gpuarray._libraries import fft_plans as _plans
from gpuarray._libraries.half_transforms import get_half_precision, set_half_precision
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import current, need_context
from gpuarray._runtime.device import Device

__all__ = [
    "PlanCache", "clear_plan_cache", "devices", "enable_nd_planning",
    "get_current_callback_manager", "get_half_precision", "get_plan_cache",
    "get_plan_cache_max_memsize",
    "get_plan_cache_size", "set_cufft_callbacks", "set_cufft_gpus", "set_half_precision",
    "set_plan_cache_max_memsize", "set_plan_cache_size", "show_plan_cache_info", "use_multi_gpus",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

#: Whether several axes are one plan where cuFFT can do it; they always are.
enable_nd_planning = True

#: Whether a transform is spread over several GPUs; there is no such transform.
use_multi_gpus = False

#: The GPUs over which a transform is spread: none.
devices = None


class PlanCache:
    """The cache of the plans of one device.

    Parameters
    ----------
    device : Device
        The device.

    Notes
    -----
    A plan is one of cuFFT for transforms of certain lengths and distances. It keeps tables and no
    work area: that is memory of the stream's pool while the transform runs. Of plans that are more
    than the cache's size, those that were not used for longest are given up.
    """

    def __init__(self, device: Device) -> None:
        if not isinstance(device, Device):
            raise TypeError(f"PlanCache: device is a gpuarray.cuda.Device, got {device!r}")
        self._cache: _plans.PlanCache = _plans.cache_of(device)

    def get_size(self) -> int:
        """How many plans are kept at most.

        Returns
        -------
        int
            The number; -1 for any number.
        """
        return self._cache.size if self._cache.size < _UNLIMITED else -1

    def set_size(self, size: int) -> None:
        """Set how many plans are kept at most.

        Parameters
        ----------
        size : int
            The number; with 0 each transform makes its plan, with -1 all are kept.
        """
        size = _limit(size, "size")
        self._cache.set_size(_UNLIMITED if size < 0 else size)

    def get_memsize(self) -> int:
        """How many bytes the work areas of the plans may need.

        Returns
        -------
        int
            The number; -1 for any number.
        """
        return self._cache.memsize

    def set_memsize(self, memsize: int) -> None:
        """Set how many bytes the work areas of the plans may need.

        Parameters
        ----------
        memsize : int
            The number; -1 for any number. They are not allocated meanwhile.
        """
        self._cache.set_memsize(_limit(memsize, "memsize"))

    def get_curr_size(self) -> int:
        """How many plans are kept.

        Returns
        -------
        int
            The number.
        """
        return len(self._cache.entries)

    def get_curr_memsize(self) -> int:
        """How many bytes the work areas of the plans that are kept need.

        Returns
        -------
        int
            The number.
        """
        return self._cache.current_memsize

    def get(self, key: Any, default: Any = None) -> Any:
        """A plan of a key, or the default: plans have no keys that are public.

        Parameters
        ----------
        key : object
            Of any kind.
        default : object, optional
            What is returned.

        Returns
        -------
        object
            The default.
        """
        return default

    def clear(self) -> None:
        """Give up all plans, and forget how often they were used."""
        self._cache.clear()

    def show_info(self) -> None:
        """Print the limits, and how often plans were found."""
        print(self)  # noqa: T201  # it is asked to

    def __repr__(self) -> str:
        cache = self._cache
        device = cache.device.id
        limit = "unlimited" if self.get_size() < 0 else str(cache.size)
        bytes_ = "unlimited" if cache.memsize < 0 else f"{cache.memsize} bytes"
        lines = [
            f"------------------- cuFFT plan cache (device {device}) -------------------",
            f"cache enabled? {bool(cache.size)}",
            f"current / max size   : {len(cache.entries)} / {limit} (counts)",
            f"current / max memsize: {cache.current_memsize} bytes / {bytes_} (work areas)",
            f"hits / misses: {cache.hits} / {cache.misses} (counts)",
        ]
        for entry in sorted([*cache.entries.values()], key=lambda entry: -entry.last):
            plan = entry.geometry
            source, target = _type_name(plan.inputtype), _type_name(plan.outputtype)
            lines.append(
                f"{source} to {target} {plan.n}, batch {plan.batch}, used {entry.uses} times"
            )
        return "\n".join(lines)


def _type_name(dtype: np.dtype) -> str:
    """What is printed for a dtype, of which pairs of float16 have no name."""
    return "complex of float16" if dtype == COMPLEX_HALF else str(dtype)


#: A size that no cache reaches.
_UNLIMITED = 1 << 62


def _limit(value: Any, name: str) -> int:
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"plan cache: {name} is an integer, got {value!r}") from None
    if found < -1:
        raise ValueError(f"plan cache: {name} must be -1, 0 or more, got {found}")
    return found


def get_plan_cache() -> PlanCache:
    """The cache of the current device's plans, which all threads share.

    Returns
    -------
    PlanCache
        The cache.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cache = cp.fft.config.get_plan_cache()
    >>> cache.clear()
    >>> x = cp.fft.fft(cp.fft.fft(cp.ones(8, "complex64")))
    >>> cache.get_curr_size()
    1
    """
    need_context()
    return PlanCache(current.stream.device)


def get_plan_cache_size() -> int:
    """How many plans of the current device are kept at most.

    Returns
    -------
    int
        16 at first; -1 for any number.
    """
    return get_plan_cache().get_size()


def set_plan_cache_size(size: int) -> None:
    """Set how many plans of the current device are kept at most.

    Parameters
    ----------
    size : int
        The number; with 0 each transform makes its plan, with -1 all are kept.
    """
    get_plan_cache().set_size(size)


def get_plan_cache_max_memsize() -> int:
    """How many bytes the work areas of the current device's plans may need.

    Returns
    -------
    int
        -1 at first, for any number.
    """
    return get_plan_cache().get_memsize()


def set_plan_cache_max_memsize(size: int) -> None:
    """Set how many bytes the work areas of the current device's plans may need.

    Parameters
    ----------
    size : int
        The number; -1 for any number.
    """
    get_plan_cache().set_memsize(size)


def clear_plan_cache() -> None:
    """Give up the plans of the current device."""
    get_plan_cache().clear()


def show_plan_cache_info() -> None:
    """Print what is known of the current device's plans."""
    get_plan_cache().show_info()


def set_cufft_gpus(gpus: int | Sequence[int]) -> NoReturn:
    """Transforms over several GPUs: there are none.

    Parameters
    ----------
    gpus : int or sequence of int
        Which devices.

    Returns
    -------
    None
        Never: it raises.

    Raises
    ------
    NotImplementedError
        Always: an array is on one device. Batches can be divided among devices, and transformed
        there.
    """
    raise NotImplementedError(
        "set_cufft_gpus: a transform runs on one GPU; divide a batch among devices, and transform "
        "each part where it is"
    )


def set_cufft_callbacks(*args: Any, **kwargs: Any) -> NoReturn:
    """Callbacks of cuFFT: there are none.

    Parameters
    ----------
    *args, **kwargs : object
        As of CuPy's.

    Returns
    -------
    None
        Never: it raises.

    Raises
    ------
    NotImplementedError
        Always. A function of `gpuarray.fuse` before or behind the transform is one kernel.
    """
    raise NotImplementedError(
        "set_cufft_callbacks: cuFFT's callbacks are not used; what comes before or behind a "
        "transform can be one kernel by gpuarray.fuse"
    )


def get_current_callback_manager() -> None:
    """The callbacks that are active: none.

    Returns
    -------
    None
        Always.
    """
    return None


without_annotations(globals())
