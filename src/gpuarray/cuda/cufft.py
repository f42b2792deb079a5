"""cuFFT's plans and constants, by CuPy's names.

Examples
--------
>>> import gpuarray as cp
>>> plan = cp.cuda.cufft.Plan1d(4, cp.cuda.cufft.CUFFT_C2C, 1)
>>> x = cp.ones(4, dtype="c8")
>>> out = plan.get_output_array(x)
>>> plan.check_output_array(x, out)
>>> plan.fft(x, out, -1)
>>> out.real
array([4., 0., 0., 0.], dtype=float32)
>>> with plan:
...     cp.cuda.cufft.get_current_plan() is plan
True
>>> cp.cuda.cufft.PlanNd((2, 4), cp.cuda.cufft.CUFFT_C2C, 1, None, 1, 8, None, 1, 8, "C", 1, 4)
<PlanNd of 1 transforms of (2, 4), complex64 to complex64>
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._ffi import cufft
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import current, need_context
from gpuarray.cuda._fft_plans import Plan1d, PlanNd, get_current_plan
from gpuarray.cuda._fft_type_plans import XtPlanNd
from gpuarray.errors import CuFFTError

__all__ = [
    "CuFFTError", "Plan1d", "PlanNd", "XtPlanNd", "get_current_plan", "check_result",
    "getVersion", "create", "setAutoAllocation", "XtExec", "execC2C", "execR2C", "execC2R",
    "execZ2Z", "execD2Z", "execZ2D", "CUFFT_FORWARD", "CUFFT_INVERSE", "CUFFT_C2C", "CUFFT_R2C",
    "CUFFT_C2R", "CUFFT_Z2Z", "CUFFT_D2Z", "CUFFT_Z2D", "CUFFT_CB_LD_COMPLEX",
    "CUFFT_CB_LD_COMPLEX_DOUBLE", "CUFFT_CB_LD_REAL", "CUFFT_CB_LD_REAL_DOUBLE",
    "CUFFT_CB_ST_COMPLEX", "CUFFT_CB_ST_COMPLEX_DOUBLE", "CUFFT_CB_ST_REAL",
    "CUFFT_CB_ST_REAL_DOUBLE",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

CUFFT_FORWARD = -1
CUFFT_INVERSE = 1
CUFFT_C2C = 0x29
CUFFT_R2C = 0x2A
CUFFT_C2R = 0x2C
CUFFT_Z2Z = 0x69
CUFFT_D2Z = 0x6A
CUFFT_Z2D = 0x6C
CUFFT_CB_LD_COMPLEX = 0
CUFFT_CB_LD_COMPLEX_DOUBLE = 1
CUFFT_CB_LD_REAL = 2
CUFFT_CB_LD_REAL_DOUBLE = 3
CUFFT_CB_ST_COMPLEX = 4
CUFFT_CB_ST_COMPLEX_DOUBLE = 5
CUFFT_CB_ST_REAL = 6
CUFFT_CB_ST_REAL_DOUBLE = 7


def check_result(result: int) -> None:
    """Raise the error for a status of cuFFT; 0 is none.

    Parameters
    ----------
    result : int
        A status.

    Raises
    ------
    CuFFTError
        The status is not 0.
    """
    if result:
        raise CuFFTError("a call of cuFFT", result, cufft.library.status_name(result))


def getVersion() -> int:
    """The version of cuFFT, 11404 for 11.4.4.

    Returns
    -------
    int
        The version.
    """
    return cufft.library.cufftGetVersion()


def create() -> int:
    """Make a plan on the current device.

    Returns
    -------
    int
        Its handle.
    """
    need_context()
    return cufft.library.cufftCreate()


def setAutoAllocation(plan: int, autoAllocate: int) -> None:
    """Set whether making a plan allocates its work area.

    Parameters
    ----------
    plan : int
        A handle of `create`.
    autoAllocate : int
        0 or 1.
    """
    cufft.library.cufftSetAutoAllocation(plan, autoAllocate)


def XtExec(plan: int, idata: int, odata: int, direction: int) -> None:
    """Transform by a plan of any types, on the current stream.

    Parameters
    ----------
    plan : int
        A handle of `create`.
    idata, odata : int
        Addresses on the device.
    direction : int
        `CUFFT_FORWARD` or `CUFFT_INVERSE`.
    """
    cufft.library.cufftSetStream(plan, current.stream.handle)
    cufft.library.cufftXtExec(plan, idata, odata, direction)


def execC2C(plan: int, idata: int, odata: int, direction: int) -> None:
    """Transform complex64, on the current stream.

    Parameters
    ----------
    plan : int
        A handle of `create`.
    idata, odata : int
        Addresses on the device.
    direction : int
        `CUFFT_FORWARD` or `CUFFT_INVERSE`.
    """
    cufft.library.cufftSetStream(plan, current.stream.handle)
    cufft.library.cufftExecC2C(plan, idata, odata, direction)


def execR2C(plan: int, idata: int, odata: int) -> None:
    """Transform float32 to complex64, on the current stream.

    Parameters
    ----------
    plan : int
        A handle of `create`.
    idata, odata : int
        Addresses on the device.
    """
    cufft.library.cufftSetStream(plan, current.stream.handle)
    cufft.library.cufftExecR2C(plan, idata, odata)


def execC2R(plan: int, idata: int, odata: int) -> None:
    """Transform complex64 to float32, on the current stream.

    Parameters
    ----------
    plan : int
        A handle of `create`.
    idata, odata : int
        Addresses on the device.
    """
    cufft.library.cufftSetStream(plan, current.stream.handle)
    cufft.library.cufftExecC2R(plan, idata, odata)


def execZ2Z(plan: int, idata: int, odata: int, direction: int) -> None:
    """Transform complex128, on the current stream.

    Parameters
    ----------
    plan : int
        A handle of `create`.
    idata, odata : int
        Addresses on the device.
    direction : int
        `CUFFT_FORWARD` or `CUFFT_INVERSE`.
    """
    cufft.library.cufftSetStream(plan, current.stream.handle)
    cufft.library.cufftExecZ2Z(plan, idata, odata, direction)


def execD2Z(plan: int, idata: int, odata: int) -> None:
    """Transform float64 to complex128, on the current stream.

    Parameters
    ----------
    plan : int
        A handle of `create`.
    idata, odata : int
        Addresses on the device.
    """
    cufft.library.cufftSetStream(plan, current.stream.handle)
    cufft.library.cufftExecD2Z(plan, idata, odata)


def execZ2D(plan: int, idata: int, odata: int) -> None:
    """Transform complex128 to float64, on the current stream.

    Parameters
    ----------
    plan : int
        A handle of `create`.
    idata, odata : int
        Addresses on the device.
    """
    cufft.library.cufftSetStream(plan, current.stream.handle)
    cufft.library.cufftExecZ2D(plan, idata, odata)


without_annotations(globals())
