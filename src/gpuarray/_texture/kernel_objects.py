"""Texture and surface objects, which kernels take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from gpuarray._ffi import driver_textures
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.stream import Stream
from gpuarray._texture.descriptors import ResourceDescriptor, TextureDescriptor
from gpuarray._texture.handles import Handle


class KernelObject:
    """A texture or surface object: kernels take its handle, which `ptr` is."""

    __slots__ = ("ResDesc", "__weakref__", "_handle", "ptr")

    #: The type of the parameters that take it, by which kernels know it.
    parameter_type: ClassVar[str]

    def __init__(
        self, resource: ResourceDescriptor, create: Callable[..., int], destroy: str, *args: Any
    ):
        if not isinstance(resource, ResourceDescriptor):
            raise TypeError(
                f"{type(self).__name__}: ResDesc is a ResourceDescriptor, not "
                f"{type(resource).__name__}"
            )
        self.ResDesc = resource
        self._handle = Handle(create, destroy, resource.ptr, *args, keeps=resource)
        #: The handle, which kernels take.
        self.ptr = self._handle.number

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.ptr:#x} of {self.ResDesc!r}>"

    def used_by(self, stream: Stream) -> None:
        """Note that a kernel which is launched on a stream uses the object.

        Parameters
        ----------
        stream : Stream
            The stream.
        """
        if self._handle.used_by(stream, f"a {type(self).__name__}"):
            self.ResDesc._used_by(stream)

    def argument(self) -> np.uint64:
        """The handle for a kernel that is launched on the current stream."""
        self.used_by(current.stream)
        return np.uint64(self.ptr)


class TextureObject(KernelObject):
    """A texture object, which kernels take as a ``cudaTextureObject_t``.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        What it reads. It is kept alive, and so is the array.
    TexDesc : TextureDescriptor
        How it reads.

    Attributes
    ----------
    ptr : int
        The handle.
    ResDesc, TexDesc
        The arguments.

    Raises
    ------
    CUDARuntimeError
        There is no such texture: linear filtering of integers that are read as such, say, or an
        address or a pitch that is not aligned.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray.cuda import runtime, texture
    >>> x = cp.arange(4, dtype="f")
    >>> floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, 2)
    >>> source = texture.ResourceDescriptor(2, arr=x, chDesc=floats, sizeInBytes=x.nbytes)
    >>> tex = texture.TextureObject(source, texture.TextureDescriptor())
    >>> fetch = cp.RawKernel(r'''
    ... extern "C" __global__ void fetch(cudaTextureObject_t tex, float* y) {
    ...     y[threadIdx.x] = tex1Dfetch<float>(tex, 3 - threadIdx.x);
    ... }''', "fetch")
    >>> y = cp.empty_like(x)
    >>> fetch((1,), (4,), (tex, y))
    >>> y
    array([3., 2., 1., 0.], dtype=float32)
    """

    __slots__ = ("TexDesc",)

    parameter_type = "cudaTextureObject_t"

    def __init__(self, ResDesc: ResourceDescriptor, TexDesc: TextureDescriptor):
        if not isinstance(TexDesc, TextureDescriptor):
            raise TypeError(
                f"TextureObject: TexDesc is a TextureDescriptor, not {type(TexDesc).__name__}"
            )
        self.TexDesc = TexDesc
        super().__init__(
            ResDesc, driver_textures.texture_create, "texture_object_destroy", TexDesc.ptr
        )


class SurfaceObject(KernelObject):
    """A surface object, which kernels take as a ``cudaSurfaceObject_t``.

    Parameters
    ----------
    ResDesc : ResourceDescriptor
        A CUDA array that was made with ``cudaArraySurfaceLoadStore``. It is kept alive.

    Attributes
    ----------
    ptr : int
        The handle.
    ResDesc
        The argument.

    Raises
    ------
    CUDARuntimeError
        The resource is no such array.
    """

    __slots__ = ()

    parameter_type = "cudaSurfaceObject_t"

    def __init__(self, ResDesc: ResourceDescriptor):
        super().__init__(ResDesc, driver_textures.surface_create, "surface_object_destroy")
