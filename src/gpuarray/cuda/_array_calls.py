"""The CUDA runtime's functions for CUDA arrays, their copies, and texture and surface objects."""

from __future__ import annotations

import operator

from gpuarray._ffi import driver, driver_textures
from gpuarray._runtime.current_stream import need_context
from gpuarray.cuda._runtime_constants import (
    memcpyDefault,
    memcpyDeviceToDevice,
    memcpyDeviceToHost,
    memcpyHostToDevice,
    memcpyHostToHost,
)

#: Where target and source are, by the kind of a copy.
_PLACES = {
    memcpyHostToHost: ("host", "host"),
    memcpyHostToDevice: ("device", "host"),
    memcpyDeviceToHost: ("host", "device"),
    memcpyDeviceToDevice: ("device", "device"),
    memcpyDefault: ("unified", "unified"),
}


def _places(name: str, kind: int) -> tuple[str, str]:
    try:
        return _PLACES[kind]
    except (KeyError, TypeError):
        raise ValueError(
            f"{name}: kind={kind!r} is none of the constants memcpyHostToHost, "
            "memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice and memcpyDefault"
        ) from None


# --- CUDA arrays


def mallocArray(descPtr: int, width: int, height: int, flags: int = 0) -> int:
    """Allocate a CUDA array of one or two dimensions.

    It is nobody's: `freeArray` gives it back. `gpuarray.cuda.texture.CUDAarray` frees itself.

    Parameters
    ----------
    descPtr : int
        The address of a ``cudaChannelFormatDesc``, such as `ChannelFormatDescriptor.ptr`.
    width, height : int
        Elements in each direction; with a height of 0 there is one dimension.
    flags : int, optional
        The sum of constants ``cudaArray...``.

    Returns
    -------
    int
        Its handle.
    """
    return malloc3DArray(descPtr, width, height, 0, flags)


def malloc3DArray(descPtr: int, width: int, height: int, depth: int, flags: int = 0) -> int:
    """Allocate a CUDA array of up to three dimensions.

    Parameters
    ----------
    descPtr : int
        The address of a ``cudaChannelFormatDesc``, such as `ChannelFormatDescriptor.ptr`.
    width, height, depth : int
        Elements in each direction; 0 for a direction that there is not.
    flags : int, optional
        The sum of constants ``cudaArray...``.

    Returns
    -------
    int
        Its handle.
    """
    need_context()
    sizes = map(operator.index, (width, height, depth, flags))
    return driver_textures.array_create("cudaMalloc3DArray", _structure(descPtr), *sizes)


def freeArray(ptr: int) -> None:
    """Free a CUDA array; the handle 0 is none.

    Parameters
    ----------
    ptr : int
        Its handle.
    """
    need_context()
    if ptr:
        driver.array_destroy(operator.index(ptr))


# --- copies


def memcpy2D(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    """Copy rows on the default stream, and wait.

    Parameters
    ----------
    dst, src : int
        The addresses of the target and the source.
    dpitch, spitch : int
        The distance of their rows in bytes.
    width : int
        Bytes of a row to copy.
    height : int
        How many rows.
    kind : int
        One of the constants ``memcpy...``.
    """
    need_context()
    places = _places("memcpy2D", kind)
    numbers = map(operator.index, (dst, dpitch, src, spitch, width, height))
    driver.memcpy_2d(*numbers, kinds=places)


def memcpy2DAsync(
    dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Queue a copy of rows on a stream.

    Parameters
    ----------
    dst, src : int
        The addresses of the target and the source.
    dpitch, spitch : int
        The distance of their rows in bytes.
    width : int
        Bytes of a row to copy.
    height : int
        How many rows.
    kind : int
        One of the constants ``memcpy...``.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    places = _places("memcpy2DAsync", kind)
    numbers = map(operator.index, (dst, dpitch, src, spitch, width, height))
    driver.memcpy_2d(*numbers, kinds=places, stream=operator.index(stream))


def memcpy2DToArray(
    dst: int, wOffset: int, hOffset: int, src: int, spitch: int, width: int, height: int, kind: int
) -> None:
    """Copy rows into a CUDA array on the default stream, and wait.

    Parameters
    ----------
    dst : int
        The handle of the array.
    wOffset, hOffset : int
        Where in it: bytes in the row, row.
    src : int
        The address of the source.
    spitch : int
        The distance of its rows in bytes.
    width : int
        Bytes of a row to copy.
    height : int
        How many rows.
    kind : int
        One of the constants ``memcpy...``.
    """
    _to_array("memcpy2DToArray", dst, wOffset, hOffset, src, spitch, width, height, kind, None)


def memcpy2DToArrayAsync(
    dst: int,
    wOffset: int,
    hOffset: int,
    src: int,
    spitch: int,
    width: int,
    height: int,
    kind: int,
    stream: int,
) -> None:
    """Queue a copy of rows into a CUDA array on a stream.

    Parameters
    ----------
    dst : int
        The handle of the array.
    wOffset, hOffset : int
        Where in it: bytes in the row, row.
    src : int
        The address of the source.
    spitch : int
        The distance of its rows in bytes.
    width : int
        Bytes of a row to copy.
    height : int
        How many rows.
    kind : int
        One of the constants ``memcpy...``.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    queue = operator.index(stream)
    _to_array(
        "memcpy2DToArrayAsync", dst, wOffset, hOffset, src, spitch, width, height, kind, queue
    )


def _to_array(
    name: str,
    dst: int,
    left: int,
    top: int,
    src: int,
    spitch: int,
    width: int,
    height: int,
    kind: int,
    stream: int | None,
) -> None:
    need_context()
    places = _places(name, kind)
    driver.memcpy_2d(
        *map(operator.index, (dst, 0, src, spitch, width, height)),
        kinds=("array", places[1]),
        places=((operator.index(left), operator.index(top), 0), (0, 0, 0)),
        stream=stream,
    )


def memcpy2DFromArray(
    dst: int, dpitch: int, src: int, wOffset: int, hOffset: int, width: int, height: int, kind: int
) -> None:
    """Copy rows out of a CUDA array on the default stream, and wait.

    Parameters
    ----------
    dst : int
        The address of the target.
    dpitch : int
        The distance of its rows in bytes.
    src : int
        The handle of the array.
    wOffset, hOffset : int
        Where in it: bytes in the row, row.
    width : int
        Bytes of a row to copy.
    height : int
        How many rows.
    kind : int
        One of the constants ``memcpy...``.
    """
    _from_array("memcpy2DFromArray", dst, dpitch, src, wOffset, hOffset, width, height, kind, None)


def memcpy2DFromArrayAsync(
    dst: int,
    dpitch: int,
    src: int,
    wOffset: int,
    hOffset: int,
    width: int,
    height: int,
    kind: int,
    stream: int,
) -> None:
    """Queue a copy of rows out of a CUDA array on a stream.

    Parameters
    ----------
    dst : int
        The address of the target.
    dpitch : int
        The distance of its rows in bytes.
    src : int
        The handle of the array.
    wOffset, hOffset : int
        Where in it: bytes in the row, row.
    width : int
        Bytes of a row to copy.
    height : int
        How many rows.
    kind : int
        One of the constants ``memcpy...``.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    queue = operator.index(stream)
    _from_array(
        "memcpy2DFromArrayAsync", dst, dpitch, src, wOffset, hOffset, width, height, kind, queue
    )


def _from_array(
    name: str,
    dst: int,
    dpitch: int,
    src: int,
    left: int,
    top: int,
    width: int,
    height: int,
    kind: int,
    stream: int | None,
) -> None:
    need_context()
    places = _places(name, kind)
    driver.memcpy_2d(
        *map(operator.index, (dst, dpitch, src, 0, width, height)),
        kinds=(places[0], "array"),
        places=((0, 0, 0), (operator.index(left), operator.index(top), 0)),
        stream=stream,
    )


def memcpy3D(Memcpy3DParmsPtr: int) -> None:
    """Copy up to three dimensions on the default stream, and wait.

    Parameters
    ----------
    Memcpy3DParmsPtr : int
        The address of a ``cudaMemcpy3DParms``.
    """
    need_context()
    driver_textures.memcpy_3d_as_described(_structure(Memcpy3DParmsPtr), None)


def memcpy3DAsync(Memcpy3DParmsPtr: int, stream: int) -> None:
    """Queue a copy of up to three dimensions on a stream.

    Parameters
    ----------
    Memcpy3DParmsPtr : int
        The address of a ``cudaMemcpy3DParms``.
    stream : int
        A handle, such as `Stream.ptr`; 0 is the default stream.
    """
    need_context()
    driver_textures.memcpy_3d_as_described(_structure(Memcpy3DParmsPtr), operator.index(stream))


# --- texture and surface objects


def createTextureObject(ResDescPtr: int, TexDescPtr: int) -> int:
    """Create a texture object.

    `destroyTextureObject` gives it back. `gpuarray.cuda.texture.TextureObject` does so itself.

    Parameters
    ----------
    ResDescPtr : int
        The address of a ``cudaResourceDesc``, such as `ResourceDescriptor.ptr`.
    TexDescPtr : int
        The address of a ``cudaTextureDesc``, such as `TextureDescriptor.ptr`.

    Returns
    -------
    int
        The handle, which kernels take as a ``cudaTextureObject_t``.
    """
    need_context()
    return driver_textures.texture_create(_structure(ResDescPtr), _structure(TexDescPtr))


def destroyTextureObject(texObject: int) -> None:
    """Destroy a texture object.

    Parameters
    ----------
    texObject : int
        Its handle.
    """
    need_context()
    driver.texture_object_destroy(operator.index(texObject))


def createSurfaceObject(ResDescPtr: int) -> int:
    """Create a surface object on a CUDA array that was made with ``cudaArraySurfaceLoadStore``.

    Parameters
    ----------
    ResDescPtr : int
        The address of a ``cudaResourceDesc``, such as `ResourceDescriptor.ptr`.

    Returns
    -------
    int
        The handle, which kernels take as a ``cudaSurfaceObject_t``.
    """
    need_context()
    return driver_textures.surface_create(_structure(ResDescPtr))


def destroySurfaceObject(surfObject: int) -> None:
    """Destroy a surface object.

    Parameters
    ----------
    surfObject : int
        Its handle.
    """
    need_context()
    driver.surface_object_destroy(operator.index(surfObject))


def _structure(address: int) -> int:
    """The address of a structure, which is read here and must not be null."""
    number = operator.index(address)
    if not number:
        raise ValueError("the address of the description is null")
    return number
