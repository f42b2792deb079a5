"""Texture fetches by the formulas of the CUDA Programming Guide, and what tests make them of."""

from __future__ import annotations

import itertools
import math

import numpy as np

import gpuarray as cp
from gpuarray.cuda import runtime, texture

WRAP, CLAMP, MIRROR, BORDER = (
    runtime.cudaAddressModeWrap,
    runtime.cudaAddressModeClamp,
    runtime.cudaAddressModeMirror,
    runtime.cudaAddressModeBorder,
)
POINT, LINEAR = runtime.cudaFilterModePoint, runtime.cudaFilterModeLinear
ELEMENT, FRACTION = runtime.cudaReadModeElementType, runtime.cudaReadModeNormalizedFloat
KINDS = {
    "i": runtime.cudaChannelFormatKindSigned,
    "u": runtime.cudaChannelFormatKindUnsigned,
    "f": runtime.cudaChannelFormatKindFloat,
}


def channels(dtype, count=1):
    """The descriptor of elements of so many channels of a dtype."""
    dtype = np.dtype(dtype)
    bits = [8 * dtype.itemsize] * count + [0] * (4 - count)
    return texture.ChannelFormatDescriptor(*bits, KINDS[dtype.kind])


def cuda_array(host, count=1, flags=0):
    """A CUDA array with the elements of a host array; `count` columns are an element."""
    *outer, columns = host.shape
    height, depth = [*outer[::-1], 0, 0][:2]
    if flags & runtime.cudaArrayLayered and len(outer) == 1:
        height, depth = 0, height
    made = texture.CUDAarray(channels(host.dtype, count), columns // count, height, depth, flags)
    made.copy_from(host)
    return made


def texture_of(array, **how):
    """A texture object on a CUDA array."""
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    return texture.TextureObject(resource, texture.TextureDescriptor(**how))


def surface_of(array):
    """A surface object on a CUDA array."""
    resource = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, cuArr=array)
    return texture.SurfaceObject(resource)


FETCH = r"""
extern "C" __global__ void fetch1(cudaTextureObject_t t, const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<float>(t, x[i]);
}
extern "C" __global__ void fetch2(cudaTextureObject_t t, const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(t, x[i], x[n + i]);
}
extern "C" __global__ void fetch3(cudaTextureObject_t t, const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<float>(t, x[i], x[n + i], x[2 * n + i]);
}
"""
module = cp.RawModule(code=FETCH)


def fetch(tex, coordinates):
    """The values of a texture of floats at coordinates, an array of a row for each of x, y, z."""
    coordinates = np.ascontiguousarray(coordinates, "f")
    dimensions, n = coordinates.shape
    out = cp.empty(n, "f")
    kernel = module.get_function(f"fetch{dimensions}")
    kernel((-(-n // 64),), (64,), (tex, cp.asarray(coordinates), out, np.int32(n)))
    return out.get()


def reference(elements, coordinates, modes, filtered, normalized, border=0.0):
    """The same by the formulas, one coordinate after the other."""
    sizes = elements.shape[::-1]
    found = []
    for point in np.asarray(coordinates, np.float64).T:
        low, weights = [], []
        for x, size, mode in zip(point, sizes, modes, strict=True):
            if normalized:
                if mode == WRAP:
                    x = x - math.floor(x)
                elif mode == MIRROR:
                    whole = math.floor(x)
                    x = x - whole if whole % 2 == 0 else 1 - (x - whole)
                x = x * size
            at = x - 0.5 if filtered else x
            low.append(math.floor(at))
            weights.append(round((at - math.floor(at)) * 256) / 256)
        if not filtered:
            found.append(element(elements, low, modes, border))
            continue
        total = 0.0
        for corner in itertools.product((0, 1), repeat=len(low)):
            share = math.prod(w if c else 1 - w for w, c in zip(weights, corner, strict=True))
            place = [i + c for i, c in zip(low, corner, strict=True)]
            total += share * element(elements, place, modes, border)
        found.append(total)
    return np.array(found)


def element(elements, place, modes, border):
    """The element at indices in the order x, y, z that may lie beyond the edges by one."""
    index = []
    for i, size, mode in zip(place, elements.shape[::-1], modes, strict=True):
        if mode == BORDER and not 0 <= i < size:
            return border
        if mode == WRAP:
            i %= size
        elif mode == MIRROR and i == -1:
            i = 0
        elif mode == MIRROR and i == size:
            i = size - 1
        index.append(min(max(i, 0), size - 1))
    return float(elements[tuple(index[::-1])])
