"""The CUDA driver's functions for contexts, modules, kernels and linking, by CuPy's names.

Handles are integers. A failing call raises `CUDADriverError`.

Examples
--------
>>> import gpuarray as cp
>>> driver = cp.cuda.driver
>>> _ = cp.zeros(1)  # a context is current then
>>> driver.ctxGetCurrent() != 0
True
>>> driver.ctxGetDevice()
0
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from gpuarray._ffi import driver
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.current_stream import current, need_context
from gpuarray.cuda import _driver_constants
from gpuarray.cuda._driver_constants import *
from gpuarray.cuda._toolkit import get_local_runtime_version
from gpuarray.errors import DriverError
from gpuarray.kernels import compiler

__all__ = [
    "CUDADriverError", "check_status", "get_build_version",
    "ctxCreate", "ctxDestroy", "ctxGetCurrent", "ctxGetDevice", "ctxSetCurrent",
    "devicePrimaryCtxRelease", "streamGetCtx",
    "moduleGetFunction", "moduleGetGlobal", "moduleLoad", "moduleLoadData", "moduleUnload",
    "linkAddData", "linkAddFile", "linkComplete", "linkCreate", "linkDestroy",
    "funcGetAttribute", "funcSetAttribute", "launchCooperativeKernel", "launchKernel",
    "occupancyMaxActiveBlocksPerMultiprocessor", "occupancyMaxPotentialBlockSize",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

#: CuPy's name of `gpuarray.errors.DriverError`.
CUDADriverError = DriverError


def check_status(status: int) -> None:
    """Raise the error for a status of the driver; 0 is none.

    Parameters
    ----------
    status : int
        A status.

    Raises
    ------
    CUDADriverError
        The status is not 0.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.driver.check_status(0)
    """
    if status:
        raise driver.error_of("a call of the driver", status)


def get_build_version() -> int:
    """The version of the CUDA libraries that this process uses, 12090 for 12.9.

    This package is not built for a version: it is that of NVRTC.

    Returns
    -------
    int
        The version.
    """
    return get_local_runtime_version()


# --- contexts


def ctxCreate(device: int) -> int:
    """Create a context besides a device's primary one, and make it current.

    Arrays and streams of this package live in primary contexts.

    Parameters
    ----------
    device : int
        Its number.

    Returns
    -------
    int
        The context's handle.
    """
    return driver.context_create(driver.device_get(device))


def ctxDestroy(context: int) -> None:
    """Destroy a context that `ctxCreate` made.

    Parameters
    ----------
    context : int
        A handle.
    """
    driver.context_destroy(context)


def ctxGetCurrent() -> int:
    """The calling thread's current context.

    Returns
    -------
    int
        Its handle, or 0 if the thread has none yet.
    """
    return driver.context_get_current()


def ctxSetCurrent(context: int) -> None:
    """Make a context current in the calling thread.

    It is for other libraries' calls: what this package launches belongs to the device of the
    current stream, which `gpuarray.cuda.Device.use` changes.

    Parameters
    ----------
    context : int
        A handle, or 0 for none.
    """
    driver.context_set_current(context)


def ctxGetDevice() -> int:
    """The device of the current context.

    Returns
    -------
    int
        Its number.
    """
    return driver.context_get_device()


def devicePrimaryCtxRelease(device: int) -> None:
    """Give back one reference to a device's primary context.

    Parameters
    ----------
    device : int
        Its number.
    """
    driver.primary_context_release(driver.device_get(device))


def streamGetCtx(stream: int) -> int:
    """The context of a stream.

    Parameters
    ----------
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.

    Returns
    -------
    int
        The context's handle.
    """
    need_context()
    return driver.stream_get_context(stream)


# --- modules


def moduleLoad(filename: str) -> int:
    """Load a file with PTX, a cubin or a fatbin on the current device.

    Parameters
    ----------
    filename : str
        The file.

    Returns
    -------
    int
        The module's handle; `moduleUnload` frees it.
    """
    with open(filename, "rb") as file:
        return moduleLoadData(file.read())


def moduleLoadData(image: bytes) -> int:
    """Load PTX, a cubin or a fatbin on the current device.

    Parameters
    ----------
    image : bytes
        The code.

    Returns
    -------
    int
        The module's handle; `moduleUnload` frees it.
    """
    need_context()
    return driver.module_load_data(image)


def moduleUnload(module: int) -> None:
    """Unload a module.

    Parameters
    ----------
    module : int
        A handle.
    """
    driver.module_unload(module)


def moduleGetFunction(module: int, funcname: str) -> int:
    """A kernel of a module.

    Parameters
    ----------
    module : int
        A handle.
    funcname : str
        The kernel's symbol.

    Returns
    -------
    int
        The kernel's handle.
    """
    return driver.module_get_function(module, funcname)


def moduleGetGlobal(module: int, varname: str) -> int:
    """The address of a global variable of a module.

    Parameters
    ----------
    module : int
        A handle.
    varname : str
        The variable's symbol.

    Returns
    -------
    int
        Its address on the device.
    """
    return driver.module_get_global(module, varname)[0]


# --- linking, with nvJitLink


#: Pieces of code by the handle of what they will be linked to.
_links: dict[int, list[compiler.cache.Image | bytes | str]] = {}
_handles = itertools.count(1)


def linkCreate() -> int:
    """Begin to link pieces of code; nvJitLink links them.

    Returns
    -------
    int
        A handle; `linkDestroy` frees it.

    See Also
    --------
    gpuarray.cuda.compiler.link : The same in one call.
    """
    handle = next(_handles)
    _links[handle] = []
    return handle


def linkAddData(state: int, input_type: int, data: bytes, name: str) -> None:
    """Add a piece of code.

    Parameters
    ----------
    state : int
        The handle of `linkCreate`.
    input_type : int
        One of the constants ``CU_JIT_INPUT_...``; the linker sees for itself what it is.
    data : bytes
        The code.
    name : str
        What it is called in messages.
    """
    _inputs(state).append(data)


def linkAddFile(state: int, input_type: int, path: str) -> None:
    """Add a file.

    Parameters
    ----------
    state : int
        The handle of `linkCreate`.
    input_type : int
        One of the constants ``CU_JIT_INPUT_...``; the linker sees for itself what it is.
    path : str
        The file.
    """
    _inputs(state).append(path)


def linkComplete(state: int) -> bytes:
    """Link what was added.

    Parameters
    ----------
    state : int
        The handle of `linkCreate`.

    Returns
    -------
    bytes
        What `moduleLoadData` takes: a cubin, or PTX for the emulated device, which can be linked
        of LTO-IR only.

    Raises
    ------
    LinkError
        The pieces do not fit together.
    """
    architecture = current.stream.device.architecture
    return compiler.linker.link(
        _inputs(state), name="linked", architecture=architecture, kind=driver.image_kind
    ).data


def linkDestroy(state: int) -> None:
    """Forget what was added.

    Parameters
    ----------
    state : int
        The handle of `linkCreate`.
    """
    _inputs(state)
    del _links[state]


def _inputs(state: int) -> list[compiler.cache.Image | bytes | str]:
    try:
        return _links[state]
    except KeyError:
        raise DriverError(
            "a link", 400, "CUDA_ERROR_INVALID_HANDLE", f"{state!r} is no handle of linkCreate"
        ) from None


# --- kernels


def launchKernel(
    f: int,
    grid_dim_x: int,
    grid_dim_y: int,
    grid_dim_z: int,
    block_dim_x: int,
    block_dim_y: int,
    block_dim_z: int,
    shared_mem_bytes: int,
    stream: int,
    kernel_params: int,
    extra: int,
) -> None:
    """Launch a kernel.

    Parameters
    ----------
    f : int
        The kernel's handle.
    grid_dim_x, grid_dim_y, grid_dim_z : int
        Blocks of the grid.
    block_dim_x, block_dim_y, block_dim_z : int
        Threads of a block.
    shared_mem_bytes : int
        Dynamic shared memory of a block.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    kernel_params : int
        The host's address of an array of pointers, one to each argument; or 0.
    extra : int
        The host's address of the driver's other form of arguments; or 0.

    See Also
    --------
    gpuarray.RawKernel : Takes arrays and numbers.
    """
    driver.launch_kernel(
        f,
        grid_dim_x, grid_dim_y, grid_dim_z,
        block_dim_x, block_dim_y, block_dim_z,
        shared_mem_bytes, stream, kernel_params or None, extra or None,
    )  # fmt: skip


def launchCooperativeKernel(
    f: int,
    grid_dim_x: int,
    grid_dim_y: int,
    grid_dim_z: int,
    block_dim_x: int,
    block_dim_y: int,
    block_dim_z: int,
    shared_mem_bytes: int,
    stream: int,
    kernel_params: int,
) -> None:
    """Launch a kernel whose blocks all run at once, so that the grid can synchronise.

    Parameters
    ----------
    f : int
        The kernel's handle.
    grid_dim_x, grid_dim_y, grid_dim_z : int
        Blocks of the grid.
    block_dim_x, block_dim_y, block_dim_z : int
        Threads of a block.
    shared_mem_bytes : int
        Dynamic shared memory of a block.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    kernel_params : int
        The host's address of an array of pointers, one to each argument; or 0.
    """
    driver.launch_cooperative_kernel(
        f,
        grid_dim_x, grid_dim_y, grid_dim_z,
        block_dim_x, block_dim_y, block_dim_z,
        shared_mem_bytes, stream, kernel_params or None,
    )  # fmt: skip


def funcGetAttribute(attribute: int, f: int) -> int:
    """An attribute of a kernel.

    Parameters
    ----------
    attribute : int
        One of the constants ``CU_FUNC_ATTRIBUTE_...``.
    f : int
        The kernel's handle.

    Returns
    -------
    int
        Its value.
    """
    return driver.function_attribute(attribute, f)


def funcSetAttribute(f: int, attribute: int, value: int) -> None:
    """Set an attribute of a kernel.

    Parameters
    ----------
    f : int
        The kernel's handle.
    attribute : int
        One of the constants ``CU_FUNC_ATTRIBUTE_...``.
    value : int
        Its value.
    """
    driver.function_set_attribute(f, attribute, value)


def occupancyMaxActiveBlocksPerMultiprocessor(
    func: int, blockSize: int, dynamicSMemSize: int
) -> int:
    """How many blocks of a kernel a multiprocessor runs at once.

    Parameters
    ----------
    func : int
        The kernel's handle.
    blockSize : int
        Threads of a block.
    dynamicSMemSize : int
        Dynamic shared memory of a block, in bytes.

    Returns
    -------
    int
        Blocks.
    """
    return driver.occupancy_max_active_blocks(func, blockSize, dynamicSMemSize)


def occupancyMaxPotentialBlockSize(
    func: int, dynamicSMemSize: int, blockSizeLimit: int
) -> tuple[int, int]:
    """The block that fills most of the device, and the grid that it takes.

    Parameters
    ----------
    func : int
        The kernel's handle.
    dynamicSMemSize : int
        Dynamic shared memory of a block, in bytes.
    blockSizeLimit : int
        Threads of a block at most; 0 for no limit.

    Returns
    -------
    tuple of int
        Blocks of the grid, threads of a block.
    """
    return driver.occupancy_max_potential_block_size(func, dynamicSMemSize, blockSizeLimit)


without_annotations(globals())
__all__ += [name for name in vars(_driver_constants) if not name.startswith("_")]
