"""The CUDA runtime's functions for devices, memory, streams and events, by CuPy's names.

Examples
--------
>>> import gpuarray as cp
>>> runtime = cp.cuda.runtime
>>> stream = runtime.streamCreate()
>>> address = runtime.malloc(16)
>>> runtime.memsetAsync(address, 0, 16, stream)
>>> runtime.streamSynchronize(stream)
>>> runtime.free(address)
>>> runtime.streamDestroy(stream)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray.cuda import _runtime_constants
from gpuarray.cuda._array_calls import (
    createSurfaceObject,
    createTextureObject,
    destroySurfaceObject,
    destroyTextureObject,
    freeArray,
    malloc3DArray,
    mallocArray,
    memcpy2D,
    memcpy2DAsync,
    memcpy2DFromArray,
    memcpy2DFromArrayAsync,
    memcpy2DToArray,
    memcpy2DToArrayAsync,
    memcpy3D,
    memcpy3DAsync,
)
from gpuarray.cuda._device_calls import (
    deviceCanAccessPeer,
    deviceDisablePeerAccess,
    deviceEnablePeerAccess,
    deviceGetAttribute,
    deviceGetByPCIBusId,
    deviceGetLimit,
    deviceGetPCIBusId,
    deviceReset,
    deviceSetLimit,
    deviceSynchronize,
    driverGetVersion,
    getDevice,
    getDeviceCount,
    getDeviceProperties,
    memGetInfo,
    setDevice,
)
from gpuarray.cuda._graph_calls import (
    graphDebugDotPrint,
    graphDestroy,
    graphExecDestroy,
    graphInstantiate,
    graphLaunch,
    graphUpload,
    streamBeginCapture,
    streamEndCapture,
)
from gpuarray.cuda._ipc_calls import (
    ipcCloseMemHandle,
    ipcGetEventHandle,
    ipcGetMemHandle,
    ipcOpenEventHandle,
    ipcOpenMemHandle,
)
from gpuarray.cuda._memory_calls import (
    free,
    freeAsync,
    freeHost,
    hostAlloc,
    hostRegister,
    hostUnregister,
    malloc,
    mallocAsync,
    mallocManaged,
    memcpy,
    memcpyAsync,
    memcpyPeer,
    memcpyPeerAsync,
    memset,
    memsetAsync,
)
from gpuarray.cuda._memory_pool_calls import (
    MemPoolProps,
    deviceGetDefaultMemPool,
    deviceGetMemPool,
    deviceSetMemPool,
    mallocFromPoolAsync,
    memPoolCreate,
    memPoolDestroy,
    memPoolGetAttribute,
    memPoolSetAttribute,
    memPoolTrimTo,
)
from gpuarray.cuda._pointer_calls import (
    PointerAttributes,
    memAdvise,
    memPrefetchAsync,
    pointerGetAttributes,
    pointerGetMemoryType,
)
from gpuarray.cuda._profiler_calls import profilerStart, profilerStop
from gpuarray.cuda._runtime_constants import *
from gpuarray.cuda._runtime_errors import raise_runtime_errors
from gpuarray.cuda._stream_calls import (
    eventCreate,
    eventCreateWithFlags,
    eventDestroy,
    eventElapsedTime,
    eventQuery,
    eventRecord,
    eventSynchronize,
    launchHostFunc,
    streamAddCallback,
    streamCreate,
    streamCreateWithFlags,
    streamCreateWithPriority,
    streamDestroy,
    streamGetFlags,
    streamGetPriority,
    streamIsCapturing,
    streamQuery,
    streamSynchronize,
    streamWaitEvent,
)
from gpuarray.cuda._toolkit import get_local_runtime_version
from gpuarray.errors import CUDARuntimeError

__all__ = [
    "graphDebugDotPrint", "graphDestroy", "graphExecDestroy", "graphInstantiate", "graphLaunch",
    "graphUpload", "streamBeginCapture", "streamEndCapture",
    "CUDARuntimeError", "check_status", "is_hip", "runtimeGetVersion",
    "deviceCanAccessPeer", "deviceDisablePeerAccess", "deviceEnablePeerAccess",
    "deviceGetAttribute", "deviceGetByPCIBusId", "deviceGetLimit", "deviceGetPCIBusId",
    "deviceReset", "deviceSetLimit", "deviceSynchronize", "driverGetVersion", "getDevice",
    "getDeviceCount", "getDeviceProperties", "memGetInfo", "profilerStart", "profilerStop",
    "setDevice",
    "ipcCloseMemHandle", "ipcGetEventHandle", "ipcGetMemHandle", "ipcOpenEventHandle",
    "ipcOpenMemHandle",
    "free", "freeAsync", "freeHost", "hostAlloc", "hostRegister", "hostUnregister", "malloc",
    "mallocAsync", "mallocManaged", "memcpy", "memcpyAsync", "memcpyPeer", "memcpyPeerAsync",
    "memset", "memsetAsync",
    "MemPoolProps", "deviceGetDefaultMemPool", "deviceGetMemPool", "deviceSetMemPool",
    "mallocFromPoolAsync", "memPoolCreate", "memPoolDestroy", "memPoolGetAttribute",
    "memPoolSetAttribute", "memPoolTrimTo",
    "PointerAttributes", "memAdvise", "memPrefetchAsync", "pointerGetAttributes",
    "pointerGetMemoryType",
    "createSurfaceObject", "createTextureObject", "destroySurfaceObject", "destroyTextureObject",
    "freeArray", "malloc3DArray", "mallocArray", "memcpy2D", "memcpy2DAsync", "memcpy2DFromArray",
    "memcpy2DFromArrayAsync", "memcpy2DToArray", "memcpy2DToArrayAsync", "memcpy3D",
    "memcpy3DAsync",
    "eventCreate", "eventCreateWithFlags", "eventDestroy", "eventElapsedTime", "eventQuery",
    "eventRecord", "eventSynchronize", "streamCreate", "streamCreateWithFlags",
    "streamCreateWithPriority", "streamDestroy", "streamGetFlags", "streamGetPriority",
    "streamQuery", "streamSynchronize", "streamWaitEvent", "streamAddCallback", "streamIsCapturing",
    "launchHostFunc",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)


#: Whether the device is AMD's, as CuPy's programs ask.
is_hip = False


def check_status(status: int) -> None:
    """Raise the error for a status of the runtime; 0 is none.

    Parameters
    ----------
    status : int
        A status.

    Raises
    ------
    CUDARuntimeError
        The status is not 0.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.check_status(0)
    """
    if status:
        raise CUDARuntimeError(status)


def runtimeGetVersion() -> int:
    """The version of the CUDA libraries that this process uses, 12090 for 12.9.

    There is no CUDA runtime in this package, which does its work by the driver: it is the version
    of NVRTC.

    Returns
    -------
    int
        The version.

    Raises
    ------
    LibraryNotFoundError
        There is no NVRTC.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.runtimeGetVersion() >= 12000
    True
    """
    return get_local_runtime_version()


raise_runtime_errors(globals())
without_annotations(globals())
__all__ += [name for name in vars(_runtime_constants) if not name.startswith("_")]
