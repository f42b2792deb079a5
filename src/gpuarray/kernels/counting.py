"""The counting family: elements or weights in each bin (`cuda/histogram.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import cpp_name, info
from gpuarray.kernels.elementwise import KernelSource
from gpuarray.kernels.headers import cuda_headers

BLOCK = 512
UNROLL = 8

#: Bins that shared memory has room for: the sizes that kernels are made for.
SHARED_BINS = (256, 2048, 8192)

#: Weights are twice as wide as counts.
SHARED_WEIGHTS = (256, 1024, 4096)

_MODES = ("value", "width", "edges")


@dataclass(frozen=True, slots=True)
class CountSpec:
    """A histogram: bins by value, of one width, or between edges."""

    mode: str
    dtype: str
    edges: str = ""  # the dtype in which elements are compared with edges
    weighted: bool = False  # by float64 weights
    shared: int = 0  # bins that shared memory has room for; 0: all are counted in the result

    def __post_init__(self) -> None:
        if self.mode not in _MODES:
            raise ValueError(f"mode {self.mode!r} is not one of {', '.join(_MODES)}")
        if (self.mode == "value") == bool(self.edges):
            raise ValueError("edges have a dtype where elements are compared with edges")


_SOURCE = """\
#include "gpuarray/histogram.cuh"
{include}
namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    const {bin} bin{{{members}}};
    count_bins<{element}, {weight}, {total}, {bin}, {block}, {unroll}, {shared}>(
        bin, elements, {weights}, totals, size);
}}

}}  // namespace gpuarray
"""


def render(spec: CountSpec) -> KernelSource:
    """Return the CUDA C++ of a histogram.

    Parameters of the kernel: the elements; the weights, if there are any; the edges, unless bins
    are values; the result (uint64 counts or float64 sums, added to); for bins of one width their
    number over the width of all (float64); the number of elements and that of bins.
    """
    element = cpp_name(spec.dtype)
    parameters = [f"const Stored<{element}>::type* elements"]
    sizes = [8]
    if spec.weighted:
        parameters.append("const double* weights")
        sizes.append(8)
    kind, members = f"ByValue<{element}>", "bins"
    if spec.edges:
        parameters.append(f"const {cpp_name(spec.edges)}* edges")
        sizes.append(8)
        name = "ByWidth" if spec.mode == "width" else "ByEdges"
        kind, members = f"{name}<{element}, {cpp_name(spec.edges)}>", "bins, edges"
    total = "double" if spec.weighted else "uint64_t"
    parameters.append(f"{total}* totals")
    if spec.mode == "width":
        parameters.append("double scale")
        members += ", scale"
        sizes.append(8)
    parameters += ["uint64_t size", "uint64_t bins"]
    sizes += [8, 8, 8]
    symbol = f"gpuarray_histogram_{spec.mode}__{spec.dtype}"
    symbol += ("_weighted" if spec.weighted else "") + (f"_{spec.shared}" if spec.shared else "")
    header = info(spec.dtype).header
    source = _SOURCE.format(
        include=f'#include "{header}"\n' if header else "",
        block=BLOCK,
        symbol=symbol,
        parameters=",\n    ".join(parameters),
        bin=kind,
        members=members,
        element=element,
        weight="double" if spec.weighted else "uint32_t",
        total=total,
        unroll=UNROLL,
        shared=spec.shared,
        weights="weights" if spec.weighted else "static_cast<const uint32_t*>(nullptr)",
    )
    return KernelSource(symbol, source, cuda_headers(), tuple(sizes), UNROLL, BLOCK)
