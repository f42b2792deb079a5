"""What a kernel computes for one element: an immutable tree that all kernel families share.

Dtypes in it are codes ('f4'); the nodes are hashable, so that a specification that holds them can
key a cache of launch plans and compiled kernels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gpuarray._dtypes import category, dtype_of, narrow_float
from gpuarray.kernels.generator.operations import Operation, operation


class Node:
    """An immutable record of its slots: equal, and equally hashed, where they are.

    A dataclass by hand: importing the package makes these classes, and making dataclasses (and
    importing what makes them) takes longer than all the rest of the import.
    """

    __slots__ = ("_hash",)

    _hash: int
    dtype: str
    operands: tuple[Expression, ...] = ()

    def _set(self, *values: Any) -> None:
        for name, value in zip(self.__slots__, values, strict=True):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "_hash", hash((type(self), self._key())))

    def _key(self) -> tuple[Any, ...]:
        return tuple([getattr(self, name) for name in self.__slots__])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; make a new one")

    __delattr__ = __setattr__  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            type(other) is type(self)
            and isinstance(other, Node)
            and other._hash == self._hash
            and other._key() == self._key()
        )

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join([repr(x) for x in self._key()])})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._key()


class Input(Node):
    """Operand number `index` of the specification, read from memory."""

    __slots__ = ("index", "dtype")
    index: int

    def __init__(self, index: int, dtype: str):
        self._set(index, dtype)


class Scalar(Node):
    """Operand number `index` of the specification, passed by value."""

    __slots__ = ("index", "dtype")
    index: int

    def __init__(self, index: int, dtype: str):
        self._set(index, dtype)


class Constant(Node):
    """A value that is part of the code.

    Equal only if the bits are: 0.0 and -0.0 differ, NaN equals itself, and 1 is not 1.0.
    """

    __slots__ = ("value", "dtype", "bits")
    value: Any
    bits: bytes

    def __init__(self, value: object, dtype: str):
        # A number of units of time is an integer here.
        given = np.dtype(np.int64) if category(dtype) == "time" else dtype_of(dtype)
        scalar = np.array(value, dtype=given)[()]
        self._set(scalar.item(), dtype, scalar.tobytes())

    def _key(self) -> tuple[Any, ...]:
        return self.dtype, self.bits

    def __repr__(self) -> str:
        return f"Constant({self.value!r}, {self.dtype!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Constant, (self.value, self.dtype)


class Cast(Node):
    """A conversion with the rules of NumPy's ``astype(casting='unsafe')``."""

    __slots__ = ("dtype", "operand")
    operand: Expression

    def __init__(self, dtype: str, operand: Expression):
        self._set(dtype, operand)

    @property
    def operands(self) -> tuple[Expression, ...]:  # type: ignore[override]
        """The one operand, as a tuple like every node's."""
        return (self.operand,)


class Apply(Node):
    """One output of an operation on operands that already have the dtypes of its loop."""

    __slots__ = ("operation", "operands", "dtype", "output")
    operation: Operation
    operands: tuple[Expression, ...]
    output: int

    def __init__(
        self, operation: Operation, operands: tuple[Expression, ...], dtype: str, output: int = 0
    ):
        self._set(operation, operands, dtype, output)
        if len(operands) != operation.nin:
            raise TypeError(f"{operation.name} takes {operation.nin} operands, got {len(operands)}")
        if not 0 <= output < operation.nout:
            raise TypeError(f"{operation.name} has no output number {output}")
        operation.code(self.category, output)

    @property
    def category(self) -> str:
        """The category of the loop, which chooses the code."""
        dtypes = [operand.dtype for operand in self.operands]
        if "mixed" in self.operation.codes and set(dtypes) == {"i8", "u8"}:
            return "mixed"
        dtype = dtypes[self.operation.category_operand]
        if narrow_float(dtype) and "half" in self.operation.codes:
            return "half"
        if "scaled" in self.operation.codes:
            times = [category(x) == "time" for x in dtypes]
            if any(times) and not all(times):
                return "scaled" if times[0] else "scaling"
        return category(dtype)


Expression = Input | Scalar | Constant | Cast | Apply


def apply(name: str, dtype: str, *operands: Expression) -> Expression:
    """An operation by its name, on operands of its loop's dtypes."""
    return Apply(operation(name), operands, dtype)


def cast(dtype: str, expression: Expression) -> Expression:
    """An expression in a dtype: itself where it has it."""
    return expression if expression.dtype == dtype else Cast(dtype, expression)


def walk(expression: Expression) -> Iterator[Expression]:
    """Yield every node once per place where it occurs, operands first."""
    for operand in expression.operands:
        yield from walk(operand)
    yield expression
