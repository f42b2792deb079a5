"""Texture fetches by the formulas of the CUDA Programming Guide, and what tests make them of."""

from __future__ import annotations

import math
from fractions import Fraction

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
    """The same by the formulas, one coordinate after the other.

    What the guide leaves open is an H200's way. Normalized coordinates are rounded down to
    multiples of 2**-21, and places between elements to the nearest 1/256. A row by itself is the
    only one of an image and read at its edge, y = 0, so that a border above it counts half.
    """
    if elements.ndim == 1 and filtered:
        elements, modes = elements[None], modes * 2
        coordinates = [*coordinates, np.zeros_like(coordinates[0])]
    sizes = elements.shape[::-1]
    found = []
    for point in np.asarray(coordinates, np.float64).T:
        low, weights = [], []
        for x, size, mode in zip(point, sizes, modes, strict=True):
            if normalized:
                x = Fraction(math.floor(x * 2**21), 2**21) * size
            steps = math.floor((Fraction(x) - Fraction(1, 2)) * 256 + Fraction(1, 2))
            below, weight = divmod(steps, 256)
            if mode == CLAMP and not 0 <= below < size - 1:
                weight, below = 0, min(max(below, 0), size - 1)
            low.append(below if filtered else math.floor(x))
            weights.append(weight)
        if not filtered:
            found.append(element(elements, low, modes, border))
            continue
        total = 0.0
        for corner, share in shares(*weights).items():
            place = [i + c for i, c in zip(low, corner, strict=False)]
            if share:
                total += share / 256 * element(elements, place, modes, border)
        found.append(total)
    return np.array(found)


def half_up(x):
    return math.floor(x + Fraction(1, 2))


def shares(x, y=0, z=0):
    """What eight elements weigh, in 256ths, by their place below or above in x, y, z.

    Each product of weights is a whole number: the layers' shares are divided in x, those in y.
    """
    found = {}
    for k, layer in ((0, 256 - z), (1, z)):
        right = half_up(Fraction(layer * x, 256))
        left = layer - right
        found[1, 1, k] = half_up(Fraction(right * y, 256))
        found[1, 0, k] = right - found[1, 1, k]
        found[0, 0, k] = half_up(Fraction(left * (256 - y), 256))
        found[0, 1, k] = left - found[0, 0, k]
    return found


def element(elements, place, modes, border):
    """The element at indices in the order x, y, z, which address modes bring within the edges."""
    index = []
    for i, size, mode in zip(place, elements.shape[::-1], modes, strict=True):
        if mode == BORDER and not 0 <= i < size:
            return border
        if mode == WRAP:
            i %= size
        elif mode == MIRROR:  # every second image is reversed
            i = i % size if i // size % 2 == 0 else size - 1 - i % size
        index.append(min(max(i, 0), size - 1))
    return float(elements[tuple(index[::-1])])
