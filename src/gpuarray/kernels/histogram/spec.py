"""The histogram family: to CUDA C++ (`histogram.cuh`, `histogram_grid.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import cpp_name, info
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.keys import key_type
from gpuarray.kernels.generator.parameters import KernelParameter, declared, number, pointer
from gpuarray.kernels.generator.source import KernelSource, check_choice

BLOCK = 512

#: Bytes of the elements that a thread reads at once.
BYTES = 64

#: Bins that shared memory has room for: the sizes that kernels are made for.
SHARED_BINS = (256, 2048, 8192)

#: Weights are twice as wide as counts.
SHARED_WEIGHTS = (256, 1024, 4096)

#: Most bins whose edges have room beside them.
STAGED_BINS = 2048

_MODES = ("value", "width", "edges", "ends")


@dataclass(frozen=True, slots=True)
class HistogramSpec:
    """A histogram: bins by value, of one width, between edges, or between the ends.

    The ends are the least and the greatest element, found by `EndsSpec`; 'ends' makes the edges.
    """

    mode: str
    dtype: str
    edges: str = ""  # the dtype in which elements are compared with edges
    weighted: bool = False  # by float64 weights
    shared: int = 0  # bins that shared memory has room for; 0: all are counted in the result
    greatest: bool = False  # 'value': find the greatest element as well
    alone: bool = False  # 'ends': by one block, which finds the ends as well

    def __post_init__(self) -> None:
        check_choice("mode", self.mode, _MODES)
        if (self.mode == "value") == bool(self.edges):
            raise ValueError("edges have a dtype where elements are compared with edges")
        if self.mode == "ends" and not 0 < self.shared <= STAGED_BINS:
            raise ValueError(f"edges are made for at most {STAGED_BINS} bins in shared memory")
        if self.greatest and (self.mode != "value" or self.weighted):
            raise ValueError("the greatest element is found while values are counted")
        if self.alone and self.mode != "ends":
            raise ValueError("one block alone counts between the ends")


@dataclass(frozen=True, slots=True)
class EndsSpec:
    """Finds the least and the greatest element."""

    dtype: str


#: How many elements and bins there are.
_NUMBERS = (number("size", "uint64_t"), number("bins", "uint64_t"))

_SOURCE = """\
#include "gpuarray/histogram.cuh"
{include}
namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {body};
}}

}}  // namespace gpuarray
"""


def render(spec: HistogramSpec) -> KernelSource:
    """Return the CUDA C++ of a histogram.

    ``totals`` is the result: uint64 counts or float64 sums, which are added to, and behind them the
    greatest element, or for 'ends' the three words of `render_ends`.
    """
    element = cpp_name(spec.dtype)
    parameters = [pointer("elements", f"const Stored<{element}>::type")]
    if spec.weighted:
        parameters.append(pointer("weights", "const double"))
    bins = f"ByValue<{element}>{{bins}}"
    if spec.edges:
        edge = cpp_name(spec.edges)
        index = "int32_t" if spec.shared else "int64_t"
        parameters.append(pointer("edges", edge if spec.mode == "ends" else f"const {edge}"))
        kind = "ByWidth" if spec.mode == "width" else "ByEdges"
        bins = f"{kind}<{element}, {edge}, {index}>{{bins, edges}}"
        if spec.mode == "ends":
            keys = key_type(spec.dtype)
            bins = f"BetweenEnds<{element}, {keys}, {edge}, {index}>(bins, edges, totals + bins)"
    total = "double" if spec.weighted else "uint64_t"
    parameters += [pointer("totals", total), *_NUMBERS]
    weight = "double" if spec.weighted else "uint32_t"
    staged = "true" if spec.edges and 0 < spec.shared <= STAGED_BINS else "false"
    greatest = "true" if spec.greatest else "false"
    weights = "weights" if spec.weighted else "static_cast<const uint32_t*>(nullptr)"
    body = (
        f"count_bins<{element}, {weight}, {total}, {BLOCK}, {spec.shared}, {staged}, {greatest}>("
    )
    body += f"\n        {bins}, elements, {weights}, totals, size)"
    if spec.alone:
        types = f"{element}, {key_type(spec.dtype)}, {edge}, {index}"
        body = f"count_alone<{types}, {BLOCK}, {spec.shared}>(elements, edges, totals, size, bins)"
    symbol = f"gpuarray_histogram_{spec.mode}__{spec.dtype}{'_alone' if spec.alone else ''}"
    symbol += ("_weighted" if spec.weighted else "") + ("_greatest" if spec.greatest else "")
    symbol += f"_{spec.shared}" if spec.shared else ""
    return _kernel(symbol, spec.dtype, parameters, body)


def render_ends(spec: EndsSpec) -> KernelSource:
    """Return the CUDA C++ that finds the least and the greatest element.

    Behind the bins of the histogram's result are three words that are zero: the first two become
    the key of the greatest element and, inverted, that of the least one; the third is not zero once
    edges between them have been found not to increase.
    """
    keys = key_type(spec.dtype)
    elements = pointer("elements", f"const {keys}::Word")
    parameters = [elements, pointer("totals", "uint64_t"), *_NUMBERS]
    body = f"find_ends<{keys}, {BLOCK}>(elements, totals + bins, size)"
    symbol = f"gpuarray_histogram_ends__{spec.dtype}"
    return _kernel(symbol, spec.dtype, parameters, body)


def _kernel(symbol: str, dtype: str, parameters: list[KernelParameter], body: str) -> KernelSource:
    header = info(dtype).header
    source = _SOURCE.format(
        include=f'#include "{header}"\n' if header else "",
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        body=body,
    )
    return KernelSource(symbol, source, cuda_headers(), tuple(parameters), 1, BLOCK)


#: The axes of the grid: the elements' dtype, that in which they are compared with edges, and
#: whether these are equally far from one another but for the rounding of their dtype.
Axis = tuple[str, str, bool]


@dataclass(frozen=True, slots=True)
class GridSpec:
    """A histogram of several dimensions."""

    axes: tuple[Axis, ...]
    weighted: bool = False  # by float64 weights
    shared: int = 0  # bins that shared memory has room for; 0: all are counted in the result


_GRID = """\
#include "gpuarray/histogram_grid.cuh"
#include "gpuarray/float16.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    count_grid<{block}, {shared}>({weights}, totals, size, bins,
        {axes});
}}

}}  // namespace gpuarray
"""


def render_grid(spec: GridSpec) -> KernelSource:
    """Return the CUDA C++ of a histogram of several dimensions."""
    points, edges, numbers, axes = [], [], [], []
    for i, (element, edge, uniform) in enumerate(spec.axes):
        kind = "ByWidth" if uniform else "ByEdges"
        one, other = cpp_name(element), cpp_name(edge)
        points.append(pointer(f"points{i}", f"const Stored<{one}>::type"))
        edges.append(pointer(f"edges{i}", f"const {other}"))
        numbers += [number(f"bins{i}", "uint64_t"), number(f"step{i}", "int64_t")]
        functor = f"{kind}<{one}, {other}, int64_t>"
        axes.append(
            f"GridAxis<{one}, {functor}>{{{functor}{{bins{i}, edges{i}}}, points{i}, step{i}}}"
        )
    weights = [pointer("weights", "const double")] if spec.weighted else []
    parameters = (
        *points, *edges, *weights, pointer("totals", "double" if spec.weighted else "uint64_t"),
        number("size", "uint64_t"), number("bins", "uint64_t"), *numbers,
    )  # fmt: skip
    symbol = "gpuarray_histogram_grid__" + "__".join(
        [f"{element}_{edge}{'_uniform' if uniform else ''}" for element, edge, uniform in spec.axes]
    )
    symbol += ("_weighted" if spec.weighted else "") + f"_{spec.shared}"
    source = _GRID.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        shared=spec.shared,
        weights="weights" if spec.weighted else "static_cast<const uint32_t*>(nullptr)",
        axes=",\n        ".join(axes),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
