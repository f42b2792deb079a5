"""What PTX and cubins say about their kernels."""

from __future__ import annotations

import pytest

from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.compiler.images import kernel_names, parameter_sizes

SOURCE = """
struct S { int a[5]; };
extern "C" __global__ void f(float* x, int n, S s, char c, double d, short h, float4 v) {
    x[threadIdx.x] = n + s.a[2] + c + d + h + v.x;
}
extern "C" __global__ void g() {}
template <class T> __global__ void h(T t, T* x) { *x = t; }
"""


@pytest.mark.parametrize("kind", ["ptx", "cubin"])
@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_kernels_and_parameters(kind, architecture):
    image = compiler.compile(
        SOURCE, name="f", architecture=architecture, kind=kind, name_expressions=("h<float>",)
    )
    lowered = image.lowered_names["h<float>"]
    assert set(kernel_names(image.data)) == {"f", "g", lowered}
    assert parameter_sizes(image.data, "f") == (8, 4, 20, 1, 8, 2, 16)
    assert parameter_sizes(image.data, lowered) == (4, 8)
    assert parameter_sizes(image.data, "g") in ((), None)
    assert parameter_sizes(image.data, "missing") is None


@pytest.mark.parametrize("image", [b"", b"nonsense", b"\x7fELF", b"\x7fELF" + bytes(100)])
def test_images_that_cannot_be_read(image):
    assert kernel_names(image) == []
    assert parameter_sizes(image, "f") is None
