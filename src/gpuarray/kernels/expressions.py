"""What a kernel computes for one element: an immutable tree that all kernel families share.

Dtypes in it are codes ('f4'); the nodes are hashable, so that a specification that holds them can
key a cache of launch plans and compiled kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from gpuarray._dtypes import category, dtype_of
from gpuarray.kernels.operations import Operation


@dataclass(frozen=True, slots=True)
class Input:
    """Operand number `index` of the specification, read from memory."""

    index: int
    dtype: str
    operands: ClassVar[tuple[Expression, ...]] = ()


@dataclass(frozen=True, slots=True)
class Scalar:
    """Operand number `index` of the specification, passed by value."""

    index: int
    dtype: str
    operands: ClassVar[tuple[Expression, ...]] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is part of the code.

    Equal only if the bits are: 0.0 and -0.0 differ, NaN equals itself, and 1 is not 1.0.
    """

    value: object = field(compare=False)
    dtype: str
    bits: bytes = field(init=False, repr=False)
    operands: ClassVar[tuple[Expression, ...]] = ()

    def __post_init__(self) -> None:
        scalar = np.array(self.value, dtype=dtype_of(self.dtype))[()]
        object.__setattr__(self, "value", scalar.item())
        object.__setattr__(self, "bits", scalar.tobytes())


@dataclass(frozen=True, slots=True)
class Cast:
    """A conversion with the rules of NumPy's ``astype(casting='unsafe')``."""

    dtype: str
    operand: Expression

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The one operand, as a tuple like every node's."""
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Apply:
    """One output of an operation on operands that already have the dtypes of its loop."""

    operation: Operation
    operands: tuple[Expression, ...]
    dtype: str
    output: int = 0

    def __post_init__(self) -> None:
        if len(self.operands) != self.operation.nin:
            raise TypeError(
                f"{self.operation.name} takes {self.operation.nin} operands, "
                f"got {len(self.operands)}"
            )
        if not 0 <= self.output < self.operation.nout:
            raise TypeError(f"{self.operation.name} has no output number {self.output}")
        self.operation.code(self.category, self.output)

    @property
    def category(self) -> str:
        """The category of the loop, which chooses the code."""
        dtypes = [operand.dtype for operand in self.operands]
        if "mixed" in self.operation.codes and set(dtypes) == {"i8", "u8"}:
            return "mixed"
        dtype = dtypes[self.operation.category_operand]
        if dtype == "f2" and "half" in self.operation.codes:
            return "half"
        return category(dtype)


Expression = Input | Scalar | Constant | Cast | Apply


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield every node once per place where it occurs, operands first."""
    for operand in expression.operands:
        yield from walk(operand)
    yield expression
