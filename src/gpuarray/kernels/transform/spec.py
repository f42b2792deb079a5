"""Before and behind Fourier transforms: from a specification to CUDA C++ (`transform.cuh`)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import cpp_name
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import Field, declared, names, number, pointer, structure
from gpuarray.kernels.generator.source import INDEX_BYTES, KernelSource, check_choice

BLOCK = 256

#: What an element of the target is made of, by the kinds of source and target ('r' real,
#: 'c' complex); see `transform.cuh`.
RULES = {
    "copy": ("rr", "rc", "cc"),
    "conjugate": ("cc",),
    "hermitian": ("cc",),
    "hermitian_conjugate": ("cc",),
    "whole": ("cc",),
    "whole_conjugate": ("cc",),
    "fold": ("rr",),
    "cosine": ("cr",),
    "uncosine": ("rc",),
    "unfold": ("rr",),
    "even": ("rr",),
    "odd": ("rr",),
    "real_part": ("cr",),
    "imaginary_part": ("cr",),
    "pairs": ("rc",),
    "unpairs": ("cr",),
    "turned": ("rc",),
    "unturned": ("cr",),
}

_DTYPES = {"f4": "r", "f8": "r", "c8": "c", "c16": "c"}
#: What only the rule 'copy' reads: its elements become floats.
_INTEGERS = ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
_PARTS = {"f4": "float", "f8": "double", "c8": "float", "c16": "double"}


@dataclass(frozen=True, slots=True)
class TransformSpec:
    """An array that is made of another of the same precision, along one axis."""

    rule: str
    source: str
    target: str
    ndim: int
    axis: int  # among the dimensions
    sine: bool = False  # the rule's form for sine transforms
    padded: bool = False  # there may be elements that the source has not, which are 0
    index: str = "int32"
    mirrored: int = 0  # 'hermitian', 'whole': a bit for each other axis that is transformed as well

    def __post_init__(self) -> None:
        check_choice("rule", self.rule, RULES)
        check_choice("index", self.index, INDEX_BYTES)
        check_choice("source", self.source, (*_DTYPES, *_INTEGERS))
        check_choice("target", self.target, _DTYPES)
        kinds = _DTYPES.get(self.source, "r") + _DTYPES[self.target]
        part = _PARTS.get(self.source, _PARTS[self.target])
        integer = self.source in _INTEGERS and self.rule != "copy"
        if kinds not in RULES[self.rule] or part != _PARTS[self.target] or integer:
            raise ValueError(f"{self.rule}: from {self.source} to {self.target}")
        if not 0 <= self.axis < self.ndim:
            raise ValueError(f"axis {self.axis} of {self.ndim}")


_SOURCE = """\
#include "gpuarray/transform.cuh"

namespace gpuarray {{

typedef Transform<{target}, {source}, {part}, {index}, {ndim}, {axis}, {rule}, {sine}, {padded},
    {mirrored}> Kernel;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Kernel::run({arguments});
}}

}}  // namespace gpuarray
"""

#: The members of `Kernel::Dimensions`, each with a number for each axis.
DIMENSIONS = ("shape", "multipliers", "shifts", "lengths", "source", "target")


def render(spec: TransformSpec) -> KernelSource:
    """Return the CUDA C++ of a specification."""
    index = f"{spec.index}_t"
    parameters = (
        pointer("target", cpp_name(spec.target)),
        pointer("source", f"const {cpp_name(spec.source)}"),
        number("size", index),
        number("n", index),
        # Two factors, as the bits of double.
        number("factor", "int64_t"),
        number("edge_factor", "int64_t"),
        structure(
            "dimensions",
            "Kernel::Dimensions",
            [Field(name, index, spec.ndim) for name in DIMENSIONS],
        ),
    )
    symbol = f"gpuarray_transform_{spec.rule}__{spec.source}_{spec.target}_{spec.ndim}d"
    symbol += f"_{spec.axis}" + ("_sine" if spec.sine else "") + ("_padded" if spec.padded else "")
    symbol += f"_mirrored{spec.mirrored}" if spec.mirrored else ""
    symbol += "_wide" if spec.index == "int64" else ""
    source = _SOURCE.format(
        target=cpp_name(spec.target),
        source=cpp_name(spec.source),
        part=_PARTS[spec.target],
        index=index,
        ndim=spec.ndim,
        axis=spec.axis,
        rule=spec.rule.upper(),
        sine="true" if spec.sine else "false",
        padded="true" if spec.padded else "false",
        mirrored=spec.mirrored,
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        arguments=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
