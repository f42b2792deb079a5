"""cuSOLVER's handles, by CuPy's names.

Linear algebra is in `gpuarray`'s functions; handles are for calls of the library by other means.

Examples
--------
>>> import gpuarray as cp
>>> handle = cp.cuda.device.get_cusolver_handle()
>>> cp.cuda.cusolver.setStream(handle, cp.cuda.get_current_stream().ptr)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._ffi import cusolver
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import need_context
from gpuarray.errors import CUSOLVERError

__all__ = [
    "CUSOLVERError", "check_status", "getProperty", "create", "destroy", "spCreate",
    "spDestroy", "setStream", "getStream", "spSetStream", "spGetStream", "createParams",
    "destroyParams", "CUSOLVER_EIG_TYPE_1", "CUSOLVER_EIG_TYPE_2", "CUSOLVER_EIG_TYPE_3",
    "CUSOLVER_EIG_MODE_NOVECTOR", "CUSOLVER_EIG_MODE_VECTOR",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

CUSOLVER_EIG_TYPE_1 = 1
CUSOLVER_EIG_TYPE_2 = 2
CUSOLVER_EIG_TYPE_3 = 3
CUSOLVER_EIG_MODE_NOVECTOR = 0
CUSOLVER_EIG_MODE_VECTOR = 1


def check_status(status: int) -> None:
    """Raise the error for a status of cuSOLVER; 0 is none.

    Parameters
    ----------
    status : int
        A status.

    Raises
    ------
    CUSOLVERError
        The status is not 0.
    """
    if status:
        raise CUSOLVERError("a call of cuSOLVER", status, cusolver.library.status_name(status))


def getProperty(type: int) -> int:
    """A part of the version of cuSOLVER.

    Parameters
    ----------
    type : int
        0 for the major version, 1 for the minor one, 2 for the patch level.

    Returns
    -------
    int
        Its number.
    """
    return cusolver.library.cusolverGetProperty(type)


def _getVersion() -> tuple[int, int, int]:
    """The version of cuSOLVER, as three numbers."""
    return getProperty(0), getProperty(1), getProperty(2)


def create() -> int:
    """Make a handle for dense matrices.

    Returns
    -------
    int
        A handle, for the current device.
    """
    need_context()
    return cusolver.library.cusolverDnCreate()


def destroy(handle: int) -> None:
    """Free a handle.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    """
    cusolver.library.cusolverDnDestroy(handle)


def setStream(handle: int, stream: int) -> None:
    """Set the stream of a handle's work.

    Parameters
    ----------
    handle : int
        A handle of `create`.
    stream : int
        A stream's handle, such as `Stream.ptr`.
    """
    cusolver.library.cusolverDnSetStream(handle, stream)


def getStream(handle: int) -> int:
    """The stream of a handle's work.

    Parameters
    ----------
    handle : int
        A handle of `create`.

    Returns
    -------
    int
        The stream's handle.
    """
    return cusolver.library.cusolverDnGetStream(handle)


def spCreate() -> int:
    """Make a handle for sparse matrices.

    Returns
    -------
    int
        A handle, for the current device.
    """
    need_context()
    return cusolver.library.cusolverSpCreate()


def spDestroy(handle: int) -> None:
    """Free a handle.

    Parameters
    ----------
    handle : int
        A handle of `spCreate`.
    """
    cusolver.library.cusolverSpDestroy(handle)


def spSetStream(handle: int, stream: int) -> None:
    """Set the stream of a handle's work.

    Parameters
    ----------
    handle : int
        A handle of `spCreate`.
    stream : int
        A stream's handle, such as `Stream.ptr`.
    """
    cusolver.library.cusolverSpSetStream(handle, stream)


def spGetStream(handle: int) -> int:
    """The stream of a handle's work.

    Parameters
    ----------
    handle : int
        A handle of `spCreate`.

    Returns
    -------
    int
        The stream's handle.
    """
    return cusolver.library.cusolverSpGetStream(handle)


def createParams() -> int:
    """Make options of functions with 64-bit sizes.

    Returns
    -------
    int
        A handle.
    """
    need_context()
    return cusolver.library.cusolverDnCreateParams()


def destroyParams(params: int) -> None:
    """Free options.

    Parameters
    ----------
    params : int
        A handle of `createParams`.
    """
    cusolver.library.cusolverDnDestroyParams(params)


without_annotations(globals())
