"""Kernel source as all families make it: operands, index types, and what the compiler is handed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from gpuarray.kernels.generator.parameters import KernelParameter

#: Bytes of the types of index arithmetic.
INDEX_BYTES = {"int32": 4, "int64": 8}

_WORDS = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t", 16: "Pair"}


def word(itemsize: int) -> tuple[str, str]:
    """Return the type that elements of a size are moved as, and the header it needs beside others.

    Elements are moved as bits, so one kernel serves all dtypes of a size.
    """
    found = _WORDS.get(itemsize)
    return (f"Bytes<{itemsize}>", "gpuarray/bytes.cuh") if found is None else (found, "")


#: NumPy rounds after every operation. A contracted multiply-add would not, and a fused expression
#: would differ from its parts; the CUDA maths library says fma where it means it.
#: Without textures and the runtime API, which no kernel here uses, NVRTC reads 4 to 7 ms less of
#: declarations; the machine code is the same.
OPTIONS = ("--fmad=false", "--minimal")


def check_choice(name: str, value: str, choices: Collection[str]) -> None:
    """Refuse a field's value that is not one of those that there are."""
    if value not in choices:
        raise ValueError(f"{name} {value!r} is not one of {', '.join(choices)}")


_KINDS = ("array", "repeated", "transposed", "broadcast", "scalar", "index", "coordinates")


@dataclass(frozen=True, slots=True)
class OperandSpec:
    """An input: its dtype, and where its elements come from.

    'array' is memory, gapless where the variant says so; 'repeated' is one element of memory for
    a row, 'broadcast' one for all; 'transposed' is memory read along the last dimension but one;
    'scalar' is a value; 'index' is the element's own number in the memory order of contiguous
    outputs; 'coordinates' is a sum of multiples of its coordinates.
    """

    dtype: str
    kind: str = "array"

    def __post_init__(self) -> None:
        check_choice("operand kind", self.kind, _KINDS)


@dataclass(frozen=True, slots=True)
class KernelSource:
    """A kernel ready for the compiler, and how to launch it.

    :func:`gpuarray.kernels.elementwise.variants.geometry` says how many blocks to launch.
    """

    name: str  # extern "C" symbol
    source: str
    headers: Mapping[str, str]
    parameters: tuple[KernelParameter, ...]
    items_per_thread: int
    block: int
    options: tuple[str, ...] = OPTIONS
    vector: int = 1  # elements of one access

    @property
    def sizes(self) -> tuple[int, ...]:
        """The bytes of each parameter."""
        return tuple([parameter.nbytes for parameter in self.parameters])
