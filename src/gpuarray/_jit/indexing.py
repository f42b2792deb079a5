"""Elements, parts and attributes of arrays and numbers as C++."""

from __future__ import annotations

import ast
import math

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit.translation import Translation
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    READS,
    ArrayType,
    NumberType,
    PythonConstant,
    SharedArrayType,
    Term,
    TupleTerm,
    Value,
    bare,
    describe,
    is_simple,
)


def number_attribute(t: Translation, base: Value, name: str) -> Term:
    """An attribute of a number."""
    assert isinstance(base.type, NumberType)
    if name == "dtype":
        return PythonConstant(_dtypes.dtype_of(base.type.dtype))
    if name not in ("real", "imag"):
        raise AttributeError(
            f"a number has real, imag, dtype and the methods astype and conjugate in a "
            f"kernel, but no {name!r}"
        )
    if base.type.kind != "c":
        return base if name == "real" else PythonConstant(_dtypes.dtype_of(base.type.dtype).type(0))
    part = NumberType("f4" if base.type.dtype == "c8" else "f8", base.type.weak)
    return Value(part, f"{t.math.operand(base)}.{name}", base.effect)


def array_attribute(base: Value, name: str) -> Term:
    """An attribute of an array."""
    array = base.type
    assert isinstance(array, ArrayType | SharedArrayType)
    if name == "dtype":
        return PythonConstant(_dtypes.dtype_of(array.dtype))
    if name == "ndim":
        return PythonConstant(array.ndim)
    if name == "itemsize":
        return PythonConstant(_dtypes.itemsize(array.dtype))
    if isinstance(array, SharedArrayType):
        if name in ("shape", "size"):
            if array.shape is None:
                raise AttributeError(
                    f"dynamic shared memory has no {name}: the launch says how much there "
                    "is; pass the number as an argument"
                )
            return PythonConstant(array.shape if name == "shape" else math.prod(array.shape))
    else:
        whole = NumberType("i8", True)
        if name == "size":
            return Value(whole, f"{base.text}.size()", PURE, True)
        if name in ("shape", "strides"):
            return TupleTerm(
                [Value(whole, f"{base.text}.{name}({i})", PURE, True) for i in range(array.ndim)]
            )
    raise AttributeError(
        f"an array has shape, size, ndim, strides, dtype and itemsize in a kernel, but no {name!r}"
    )


def element(
    t: Translation, base: Value, index: ast.expr | Term, store: bool = False, twice: bool = False
) -> Value:
    """An element of an array, or the array of fewer dimensions that is left by fewer indices.

    Parameters
    ----------
    base : Value
        The array.
    index : ast.expr or Term
        The index.
    store : bool
        Whether it is assigned to.
    twice : bool
        Whether its text is used twice: indices that take work are then computed before.
    """
    array = base.type
    assert isinstance(array, ArrayType | SharedArrayType)
    indices = _index_terms(t, base, array.ndim, index)
    if twice:
        indices = [
            t.hoist(x) if isinstance(x, Value) and not is_simple(x.text) else x for x in indices
        ]
    texts = [_index_text(t, base, axis, x) for axis, x in enumerate(indices)]
    effect = max([READS, *[x.effect for x in indices if isinstance(x, Value)]])
    if len(indices) < array.ndim:
        if isinstance(array, SharedArrayType):
            raise IndexError(
                f"{describe(base)} needs {array.ndim} indices, but {len(indices)} were given"
            )
        part = ArrayType(array.dtype, array.ndim - len(indices), array.contiguous, array.narrow)
        return Value(part, f"{base.text}.part({', '.join(texts)})", effect)
    text = f"{base.text}({', '.join(texts)})"
    t.math.cpp(array.dtype)
    t.effect = max(t.effect, CHANGES if store else READS)
    if store:
        t.writes(base.text)
    if array.dtype == "b1" and not store:
        text = f"({text} != 0)"
    return Value(NumberType(array.dtype), text, effect)


def _index_terms(t: Translation, base: Value, ndim: int, index: ast.expr | Term) -> list[Term]:
    """The indices into an array, each for an axis."""
    if isinstance(index, ast.Tuple):
        found = t.terms(index.elts)
    else:
        found = [t.expression(index) if isinstance(index, ast.expr) else index]
    indices: list[Term] = [
        item for x in found for item in (x.items if isinstance(x, TupleTerm) else [x])
    ]
    if len(indices) == 1 and isinstance(indices[0], PythonConstant):
        value = indices[0].value
        if isinstance(value, tuple):
            indices = [PythonConstant(item) for item in value]
    if len(indices) > ndim:
        raise IndexError(
            f"too many indices: {describe(base)} is {ndim}-dimensional, but "
            f"{len(indices)} were indexed"
        )
    return indices


def _index_text(t: Translation, base: Value, axis: int, x: Term) -> str:
    """An index along an axis as C++; a negative constant counts from the end."""
    if isinstance(x, PythonConstant) and isinstance(x.value, int | np.integer):
        index = int(x.value)
        shape = getattr(base.type, "shape", None)
        if shape is not None and not -shape[axis] <= index < shape[axis]:
            raise IndexError(
                f"index {index} is out of bounds for axis {axis} with size {shape[axis]}"
            )
        if index >= 0:
            return str(index)
        if shape is not None:
            return str(shape[axis] + index)
        if isinstance(base.type, SharedArrayType):
            raise IndexError("dynamic shared memory has no end to count from")
        return f"{base.text}.shape({axis}) - {-index}"
    if isinstance(x, PythonConstant) and x.value in (None, Ellipsis):
        raise NotImplementedError(f"{x.value} as an index; a kernel takes elements by integers")
    return bare(t.math.index(x).text)
