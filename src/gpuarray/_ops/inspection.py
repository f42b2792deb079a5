"""The array API standard: which version the main namespace has, and what can be asked of it."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from gpuarray import _arguments
from gpuarray._ffi import driver
from gpuarray._ops.placement import given_device
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["__array_api_version__", "__array_namespace_info__"]

#: The standard that the main namespace follows.
__array_api_version__ = "2025.12"

#: The standard has added functions and parameters from one version to the next.
_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")

_OF_KIND = {
    "bool": ("bool",),
    "signed integer": ("int8", "int16", "int32", "int64"),
    "unsigned integer": ("uint8", "uint16", "uint32", "uint64"),
    "real floating": ("float32", "float64"),
    "complex floating": ("complex64", "complex128"),
}
_OF_KIND["integral"] = _OF_KIND["signed integer"] + _OF_KIND["unsigned integer"]
_OF_KIND["numeric"] = (
    _OF_KIND["integral"] + _OF_KIND["real floating"] + _OF_KIND["complex floating"]
)
_ALL_KINDS = ("bool", "numeric")


def array_namespace(self: ndarray, /, *, api_version: str | None = None) -> ModuleType:
    """The module ``gpuarray``, whose functions work on the array (``__array_namespace__``).

    Parameters
    ----------
    api_version : str, optional
        A version of the array API standard, such as ``'2025.12'``.

    Raises
    ------
    ValueError
        If the version is none that the namespace follows.
    """
    if api_version is not None and api_version not in _VERSIONS:
        raise ValueError(
            f"__array_namespace__: version {api_version!r} of the array API standard is not "
            f"supported; ask for one of {', '.join(_VERSIONS)}, or for none"
        )
    return importlib.import_module("gpuarray")


class _Information:
    """What can be asked of the namespace; see `__array_namespace_info__`."""

    __slots__ = ()

    def capabilities(self) -> dict[str, bool | int | None]:
        """What the namespace can do, by the standard's names."""
        return {
            "boolean indexing": True,
            "data-dependent shapes": True,
            "max dimensions": _arguments.MAX_DIMENSIONS,
        }

    def default_device(self) -> Device:
        """The device that new arrays are on: the thread's current device."""
        return current.stream.device

    def default_dtypes(self, *, device: Device | None = None) -> dict[str, np.dtype]:
        """The dtypes of new arrays whose dtype nothing else decides, by the standard's kinds."""
        _check(device, "default_dtypes")
        return {
            "real floating": np.dtype(np.float64),
            "complex floating": np.dtype(np.complex128),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64),
        }

    def dtypes(
        self, *, device: Device | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype]:
        """The standard's dtypes of a kind or several, by name.

        Parameters
        ----------
        device : Device, optional
            All devices have the same dtypes.
        kind : str or tuple of str, optional
            As for `isdtype`, such as ``'real floating'``.
        """
        _check(device, "dtypes")
        kinds = _ALL_KINDS if kind is None else kind if isinstance(kind, tuple) else (kind,)
        found: dict[str, np.dtype] = {}
        for name in kinds:
            if name not in _OF_KIND:
                raise ValueError(
                    f"dtypes: {name!r} is no kind of dtypes; kinds are {', '.join(_OF_KIND)}, and "
                    "tuples of them"
                )
            found |= {dtype: np.dtype(dtype) for dtype in _OF_KIND[name]}
        return found

    def devices(self) -> tuple[Device, ...]:
        """The devices that arrays can be on."""
        driver.init()
        return tuple([Device(i) for i in range(driver.device_count())])


def _check(device: object, name: str) -> None:
    if device is not None:
        given_device(device, name)


_information = _Information()


def __array_namespace_info__() -> _Information:
    """What can be asked of the namespace, as the array API standard has it.

    Returns
    -------
    object
        With the methods ``capabilities()``, ``default_device()``, ``default_dtypes(device=None)``,
        ``devices()`` and ``dtypes(device=None, kind=None)``.

    Differences from NumPy
    ----------------------
    Devices are `gpuarray.cuda.Device` objects. There is no ``'cpu'``: `asnumpy` fetches an array.

    Examples
    --------
    >>> import gpuarray as cp
    >>> info = cp.__array_namespace_info__()
    >>> info.dtypes(kind="real floating")
    {'float32': dtype('float32'), 'float64': dtype('float64')}
    >>> info.default_device()
    <CUDA Device 0>
    """
    return _information
