"""Surface objects in kernels: byte coordinates, boundary modes, widths of accesses."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.cuda import runtime, texture
from gpuarray.cuda.runtime import CUDARuntimeError
from tests.compiler.texturing import CLAMP, channels, cuda_array, fetch, surface_of, texture_of

STORE = runtime.cudaArraySurfaceLoadStore
LAYERED = runtime.cudaArrayLayered


def contents(array, like):
    """The elements of a CUDA array."""
    found = np.empty_like(like)
    array.copy_to(found)
    return found


#: Declarations and calls by form: (coordinates, reading, writing).
FORMS = {
    "1d": ("x * s", "surf1Dread(&v, f, {0})", "surf1Dwrite(v, t, {0})"),
    "2d": ("x * s, y", "surf2Dread(&v, f, {0})", "surf2Dwrite(v, t, {0})"),
    "3d": ("x * s, y, z", "surf3Dread(&v, f, {0})", "surf3Dwrite(v, t, {0})"),
    "a1d": ("x * s, z", "surf1DLayeredread(&v, f, {0})", "surf1DLayeredwrite(v, t, {0})"),
    "a2d": ("x * s, y, z", "surf2DLayeredread(&v, f, {0})", "surf2DLayeredwrite(v, t, {0})"),
}
SHAPES = {"1d": (8,), "2d": (3, 8), "3d": (2, 3, 8), "a1d": (2, 8), "a2d": (2, 3, 8)}
TYPES = {
    ("u1", 1): "unsigned char", ("i2", 1): "short", ("f4", 1): "float", ("u1", 4): "uchar4",
    ("i2", 2): "short2", ("i4", 2): "int2", ("f4", 4): "float4",
}  # fmt: skip


def copying(form, type_):
    """A kernel that copies a surface, an element a thread."""
    at, read, write = FORMS[form]
    return cp.RawKernel(
        f"""
        extern "C" __global__ void copy(cudaSurfaceObject_t f, cudaSurfaceObject_t t) {{
            int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, s = sizeof({type_});
            {type_} v;
            {read.format(at)};
            {write.format(at)};
        }}""",
        "copy",
    )


@pytest.mark.parametrize(
    "form, dtype, count",
    [("2d", *key) for key in TYPES] + [(form, "f4", 1) for form in FORMS if form != "2d"],
)
def test_reading_and_writing(form, dtype, count, rng):
    shape = SHAPES[form]
    host = rng.integers(0, 100, (*shape[:-1], shape[-1] * count)).astype(dtype)
    flags = STORE | (LAYERED if form[0] == "a" else 0)
    source, target = (cuda_array(one, count, flags) for one in (host, np.zeros_like(host)))
    depth, height, width = (1,) * (3 - len(shape)) + shape
    if form == "a1d":
        depth, height = height, 1
    kernel = copying(form, TYPES[dtype, count])
    kernel((1,), (width, height, depth), (surface_of(source), surface_of(target)))
    np.testing.assert_array_equal(contents(target, host), host)


BOUNDARIES = r"""
extern "C" __global__ void read(cudaSurfaceObject_t s, int* out) {
    int x = (int)threadIdx.x - 2, y = (int)threadIdx.y - 2, v;
    surf2Dread(&v, s, x * 4, y, MODE);
    out[threadIdx.y * blockDim.x + threadIdx.x] = v;
}
extern "C" __global__ void write(cudaSurfaceObject_t s) {
    int x = (int)threadIdx.x - 2, y = (int)threadIdx.y - 2;
    if (x == -1 || (x == 2 && y == 1)) surf2Dwrite(100 + y, s, x * 4, y, MODE);
}
"""


@pytest.mark.parametrize("mode", ["Clamp", "Zero"])
def test_boundary_modes(mode):
    module = cp.RawModule(code=BOUNDARIES.replace("MODE", f"cudaBoundaryMode{mode}"))
    host = np.arange(1, 13, dtype="i4").reshape(3, 4)
    array = cuda_array(host, flags=STORE)
    surface = surface_of(array)
    out = cp.empty((7, 8), "i4")
    module.get_function("read")((1,), (8, 7), (surface, out))
    padded = np.pad(host, 2, mode="edge" if mode == "Clamp" else "constant")
    np.testing.assert_array_equal(out.get(), padded)
    module.get_function("write")((1,), (8, 5), (surface,))
    wanted = host.copy()
    wanted[1, 2] = 101
    if mode == "Clamp":
        wanted[1:, 0] = 101, 102
        # Rows -2 to 0 all write to the first element: which one is last, nobody says.
        found = contents(array, host)
        assert found[0, 0] in (98, 99, 100)
        wanted[0, 0] = found[0, 0]
    np.testing.assert_array_equal(contents(array, host), wanted)


def test_a_texture_reads_what_a_surface_wrote(rng):
    host = rng.normal(size=(3, 8)).astype("f")
    source, target = (cuda_array(one, 1, STORE) for one in (host, np.zeros_like(host)))
    copying("2d", "float")((1,), (8, 3), (surface_of(source), surface_of(target)))
    tex = texture_of(target, addressModes=(CLAMP, CLAMP))
    at = np.stack(np.meshgrid(np.arange(8) + 0.5, np.arange(3) + 0.5)).reshape(2, -1)
    assert fetch(tex, at).tolist() == host.ravel().tolist()


def test_surfaces_that_cannot_be():
    with pytest.raises(CUDARuntimeError, match="made without cudaArraySurfaceLoadStore"):
        surface_of(cuda_array(np.zeros(4, "f")))
    x = cp.zeros(16, "f")
    source = texture.ResourceDescriptor(2, arr=x, chDesc=channels("f"), sizeInBytes=64)
    with pytest.raises(CUDARuntimeError, match="needs a CUDA array"):
        texture.SurfaceObject(source)
    with pytest.raises(TypeError, match="ResDesc is a ResourceDescriptor, not CUDAarray"):
        texture.SurfaceObject(cuda_array(np.zeros(4, "f"), flags=STORE))
