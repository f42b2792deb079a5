"""The headers of special functions stand in one kernel: fused functions may need any of them."""

from __future__ import annotations

from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.source import OPTIONS


def test_all_headers_compile_together():
    headers = cuda_headers()
    names = [name for name in headers if name.startswith("gpuarray/special")]
    assert len(names) > 10
    source = "".join(f'#include "{name}"\n' for name in names)
    source += 'extern "C" __global__ void k(double* x) { *x = gpuarray::special::gammaln(*x); }\n'
    image = compiler.compile(
        source, name="k", headers=headers, options=OPTIONS, architecture="sm_90", kind="ptx"
    )
    assert image.data
