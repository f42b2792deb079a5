"""The headers of special functions stand in one kernel: fused functions may need any of them."""

from __future__ import annotations

import re

import pytest

from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.source import OPTIONS
from gpuarray.kernels.special import ROWS


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


@pytest.mark.parametrize("name", ["gammaln", "logit", "log_expit", "entr", "rel_entr", "kl_div"])
def test_usual_functions_reach_few_headers(name):
    # What the compiler reads counts in the first call.
    headers = cuda_headers()
    reached, left = set(), {ROWS[name].codes["float"][0].header}
    while left:
        reached |= left
        included = {x for one in left for x in re.findall(r'#include "(.*)"', headers[one])}
        left = included - reached
    assert "gpuarray/complex_math.cuh" not in reached
    assert sum([len(headers[x]) for x in reached]) < 45_000
