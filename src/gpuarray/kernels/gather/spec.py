"""The gather family: from a specification to CUDA C++ (`gather.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import cpp_name
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    declared,
    names,
    number,
    pointer,
    structure,
)
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice, word

BLOCK = 256

#: What becomes of indices out of bounds. 'raise' wraps where a kernel cannot raise; 'check' is the
#: same where negative ones are out of bounds.
MODES = ("raise", "wrap", "clip", "check")


@dataclass(frozen=True, slots=True)
class TransferSpec:
    """A gather (``dense[i] = indexed[at i]``) or a scatter (the reverse, or of one scalar)."""

    scatter: bool
    itemsize: int
    indices: tuple[str, ...]  # dtype codes of the index arrays
    ndim: int  # after collapsing
    index: str = "int32"
    scalar: bool = False  # scatter a number, passed by value, instead of an array
    mode: str = "raise"  # what becomes of indices out of bounds

    def __post_init__(self) -> None:
        if not self.indices:
            raise ValueError("a gather or scatter needs at least one index array")
        if self.scalar and not self.scatter:
            raise ValueError("a gather writes to an array, not to a scalar")
        check_choice("index", self.index, INDEX_BYTES)
        check_choice("mode", self.mode, MODES)


_TRANSFER = """\
{extra}#include "gpuarray/gather.cuh"

namespace gpuarray {{

typedef Transfer<{index}_t, {word}, {block}, {items}, {ndim}, {arrays}, {scatter}{mode}> Kernel;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Kernel::run(size, dimensions, dense, indexed, {names});
}}

}}  // namespace gpuarray
"""


def render_transfer(spec: TransferSpec) -> KernelSource:
    """Return the CUDA C++ of a gather or scatter."""
    name = "scatter" if spec.scatter else "gather"
    symbol = f"gpuarray_{name}__{8 * spec.itemsize}__{'_'.join(spec.indices)}__{spec.ndim}d"
    if spec.scalar:
        symbol += "__scalar"
    if spec.mode != "raise":
        symbol += f"_{spec.mode}"
    if spec.index == "int64":
        symbol += "_wide"
    # On an H200, four elements a thread move rows and columns a sixth faster than two, and random
    # elements of one dimension 2 % slower.
    items = 4 if spec.ndim == 2 else 2
    name_of_word, header = word(spec.itemsize)
    parameters = _parameters(spec)
    arrays = parameters[2 : 2 + len(spec.indices)]
    source = _TRANSFER.format(
        index=spec.index,
        word=name_of_word,
        extra=f'#include "{header}"\n' if header else "",
        block=BLOCK,
        items=items,
        ndim=spec.ndim,
        arrays=len(spec.indices),
        scatter="true" if spec.scatter else "false",
        mode="" if spec.mode == "raise" else f", {spec.mode.upper()}",
        symbol=symbol,
        parameters=declared(parameters),
        names=names(arrays),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, items, BLOCK)


def _parameters(spec: TransferSpec) -> tuple[KernelParameter, ...]:
    """The dense operand or the scalar, the indexed one, the index arrays, and the numbers."""
    index, arrays = f"{spec.index}_t", len(spec.indices)
    element, _ = word(spec.itemsize)
    dense = pointer("dense", element)
    if spec.scalar:
        dense = KernelParameter("dense", element, spec.itemsize, "scalar")
    fields = [
        Field("shape", index, spec.ndim),
        Field("strides", index, (2 + arrays) * spec.ndim),
        Field("lengths", index, arrays),
        Field("steps", index, arrays),
    ]
    return (
        dense,
        pointer("indexed", element),
        *[pointer(f"index{i}", f"const {cpp_name(code)}") for i, code in enumerate(spec.indices)],
        number("size", index),
        structure("dimensions", "Kernel::Dimensions", fields),
    )
