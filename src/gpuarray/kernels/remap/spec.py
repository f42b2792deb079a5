"""The remap family: from a specification to CUDA C++ (`remap.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

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

#: How an index along an axis of the result becomes one along the source's; see `remap.cuh`.
RULES = {
    "copy": "COPY",
    "constant": "CONSTANT",
    "edge": "EDGE",
    "wrap": "PERIODIC",
    "reflect": "REFLECT",
    "symmetric": "SYMMETRIC",
    "skip": "SKIP",
}


@dataclass(frozen=True, slots=True)
class RemapSpec:
    """A gapless result whose elements are a source's, or numbers where a rule says so."""

    itemsize: int
    rules: tuple[str, ...]  # of the result's axes, the fastest last
    fills: int = 0  # numbers: one, or two for each axis
    gapless: bool = True  # the source's elements lie behind one another along the last axis
    index: str = "int32"

    def __post_init__(self) -> None:
        if word(self.itemsize)[1]:
            raise ValueError(f"elements of {self.itemsize} bytes cannot be moved")
        check_choice("index", self.index, INDEX_BYTES)
        for rule in self.rules:
            check_choice("rule", rule, RULES)
        if self.fills not in (0, 1, 2 * len(self.rules)):
            raise ValueError(f"{self.fills} numbers for {len(self.rules)} axes")
        if self.fills == 0 and "constant" in self.rules:
            raise ValueError("the rule 'constant' needs a number")

    @property
    def moved(self) -> tuple[int, ...]:
        """The axes whose index is changed, each of which has a start."""
        return tuple([axis for axis, rule in enumerate(self.rules) if rule != "copy"])


_SOURCE = """\
#include "gpuarray/gather.cuh"
#include "gpuarray/remap.cuh"

namespace gpuarray {{

struct Rules {{
    GPUARRAY_DEVICE static constexpr Rule of(int axis) {{
        return {rules};
    }}
}};

typedef Remap<{index}_t, {word}, {block}, {vector}, {ndim}, {fills}, {gapless}, Rules> Kernel;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    const Kernel::Starts starts{{{{{starts}}}}};
    const Kernel::Fills fills{{{{{numbers}}}}};
    Kernel::run(result, source, starts, fills, size, dimensions);
}}

}}  // namespace gpuarray
"""


def render(spec: RemapSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    element, index, ndim = word(spec.itemsize)[0], f"{spec.index}_t", len(spec.rules)
    vector = 16 // spec.itemsize
    starts = [number(f"start{axis}", index) for axis in spec.moved]
    fills = [
        KernelParameter(f"fill{i}", element, spec.itemsize, "scalar") for i in range(spec.fills)
    ]
    fields = [Field(name, index, ndim) for name in DIMENSIONS]
    parameters = (
        pointer("result", element),
        pointer("source", f"const {element}"),
        *starts,
        *fills,
        number("size", index),
        structure("dimensions", "Kernel::Dimensions", fields),
    )
    symbol = f"gpuarray_remap__{8 * spec.itemsize}__{'_'.join(spec.rules)}"[:100]
    symbol += f"_{spec.fills}" if spec.fills else ""
    symbol += "" if spec.gapless else "_strided"
    symbol += "_wide" if spec.index == "int64" else ""
    cases = [f"axis == {axis} ? {RULES[rule]} : " for axis, rule in enumerate(spec.rules)]
    source = _SOURCE.format(
        rules="".join(cases) + "COPY",
        index=spec.index,
        word=element,
        block=BLOCK,
        vector=vector,
        ndim=ndim,
        fills=spec.fills,
        gapless="true" if spec.gapless else "false",
        symbol=symbol,
        parameters=declared(parameters),
        starts=", ".join([f"start{x}" if x in spec.moved else "0" for x in range(ndim)]),
        numbers=names(fills),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, vector, BLOCK)


#: The members of `Kernel::Dimensions`, each with a number for each axis.
DIMENSIONS = (
    "shape", "multipliers", "shifts", "lengths", "strides", "periods", "period_multipliers",
    "period_shifts", "counts",
)  # fmt: skip
