"""Expressions of Python as C++."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes
from gpuarray._jit import intrinsics
from gpuarray._jit.decisions import Decisions
from gpuarray._jit.operations import as_items
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    READS,
    Array,
    Constant,
    Items,
    Number,
    Shared,
    Term,
    Value,
    bare,
    describe,
    is_number,
    is_simple,
)

if TYPE_CHECKING:
    pass
BINARY = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder",
    ast.Pow: "power",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
}
_UNARY = {ast.USub: "negative", ast.UAdd: "positive", ast.Invert: "invert"}


class Expressions(Decisions):
    """The translation of names, attributes, indices, operators and calls."""

    # ---- names and literals ---------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Term:
        if node.value is Ellipsis or isinstance(node.value, bytes):
            raise NotImplementedError("a kernel has no such object; it has numbers and arrays")
        return Constant(node.value)

    def _name(self, node: ast.Name) -> Term:
        found = self.local(node.id)
        if found is not None:
            return found
        if self.is_local(node.id):
            raise NameError(
                f"{node.id!r} is read before a line above assigns to it; give it a value first "
                "(outside of the loop, if it is assigned in one)"
            )
        return self.outside(self.source.lookup(node.id), node.id)

    def outside(self, value: Any, name: str) -> Term:
        """An object from outside of the function."""
        if isinstance(value, _array.ArrayBase | np.ndarray):
            raise TypeError(
                f"{name} is an array from outside of the function; pass it as an argument"
            )
        return Constant(value)

    def _tuple(self, node: ast.Tuple) -> Term:
        return Items(self.terms(node.elts))  # type: ignore[arg-type]

    # ---- attributes and indices -----------------------------------------------------------------

    def _attribute(self, node: ast.Attribute) -> Term:
        base = self.expression(node.value)
        name = node.attr
        if isinstance(base, Constant):
            value = base.value
            if isinstance(value, intrinsics.Dim3):
                if name not in ("x", "y", "z"):
                    raise AttributeError(f"jit.{value.__name__} has x, y and z, but no {name!r}")
                if self.program.elements:
                    raise TypeError(
                        f"jit.{value.__name__} is for threads, but vectorize applies a function "
                        "to elements; write a kernel with gpuarray.jit.rawkernel"
                    )
                return Value(Number("u4"), f"{value.__name__}.{name}", PURE, True)
            if is_number(value) and name in ("real", "imag"):
                return Constant(getattr(value, name))
            return self.outside(getattr(value, name), f"{ast.unparse(node)}")
        if isinstance(base, Value):
            if isinstance(base.type, Number):
                return self.part(base, name)
            return self.array_attribute(base, name)
        raise AttributeError(f"{describe(base)} has no attribute {name!r} in a kernel")

    def part(self, base: Value, name: str) -> Term:
        assert isinstance(base.type, Number)
        if name == "dtype":
            return Constant(_dtypes.dtype_of(base.type.dtype))
        if name not in ("real", "imag"):
            raise AttributeError(
                f"a number has real, imag, dtype and the methods astype and conjugate in a "
                f"kernel, but no {name!r}"
            )
        if base.type.kind != "c":
            return base if name == "real" else Constant(_dtypes.dtype_of(base.type.dtype).type(0))
        part = Number("f4" if base.type.dtype == "c8" else "f8", base.type.weak)
        return Value(part, f"{self.math.operand(base)}.{name}", base.effect)

    def array_attribute(self, base: Value, name: str) -> Term:
        array = base.type
        assert isinstance(array, Array | Shared)
        if name == "dtype":
            return Constant(_dtypes.dtype_of(array.dtype))
        if name == "ndim":
            return Constant(array.ndim)
        if name == "itemsize":
            return Constant(_dtypes.itemsize(array.dtype))
        if isinstance(array, Shared):
            if name in ("shape", "size"):
                if array.shape is None:
                    raise AttributeError(
                        f"dynamic shared memory has no {name}: the launch says how much there "
                        "is; pass the number as an argument"
                    )
                size = 1
                for length in array.shape:
                    size *= length
                return Constant(array.shape if name == "shape" else size)
        else:
            whole = Number("i8", True)
            if name == "size":
                return Value(whole, f"{base.text}.size()", PURE, True)
            if name in ("shape", "strides"):
                return Items(
                    [
                        Value(whole, f"{base.text}.{name}({i})", PURE, True)
                        for i in range(array.ndim)
                    ]
                )
        raise AttributeError(
            f"an array has shape, size, ndim, strides, dtype and itemsize in a kernel, but no "
            f"{name!r}"
        )

    def _subscript(self, node: ast.Subscript) -> Term:
        base = self.expression(node.value)
        if isinstance(base, Value) and isinstance(base.type, Array | Shared):
            return self.element(base, node.slice)
        items = as_items(base)
        index = self.expression(node.slice)
        if not isinstance(index, Constant) or type(index.value) is not int:
            raise TypeError(
                "the index into a tuple has to be known when the kernel is translated; use an "
                "array for indices that are computed"
            )
        return items[index.value]

    def element(
        self, base: Value, index: ast.expr | Term, store: bool = False, twice: bool = False
    ) -> Value:
        """An element of an array, or the part that is left when not all dimensions are indexed.

        Parameters
        ----------
        base : Value
            The array.
        index : ast.expr or Term
            The index.
        store : bool
            As what can be assigned to.
        twice : bool
            The text will be used twice: indices that take work are computed before.
        """
        array = base.type
        assert isinstance(array, Array | Shared)
        if isinstance(index, ast.Tuple):
            found = self.terms(index.elts)
        else:
            found = [self.expression(index) if isinstance(index, ast.expr) else index]
        indices: list[Term] = [
            item for x in found for item in (x.items if isinstance(x, Items) else [x])
        ]
        if len(indices) == 1 and isinstance(indices[0], Constant):
            value = indices[0].value
            if isinstance(value, tuple):
                indices = [Constant(item) for item in value]
        if len(indices) > array.ndim:
            raise IndexError(
                f"too many indices: {describe(base)} is {array.ndim}-dimensional, but "
                f"{len(indices)} were indexed"
            )
        if twice:
            indices = [
                self.hoist(x) if isinstance(x, Value) and not is_simple(x.text) else x
                for x in indices
            ]
        texts = [self._place(base, axis, x) for axis, x in enumerate(indices)]
        effect = max([READS, *[x.effect for x in indices if isinstance(x, Value)]])
        if len(indices) < array.ndim:
            if isinstance(array, Shared):
                raise IndexError(
                    f"{describe(base)} needs {array.ndim} indices, but {len(indices)} were given"
                )
            part = Array(array.dtype, array.ndim - len(indices), array.contiguous, array.narrow)
            return Value(part, f"{base.text}.part({', '.join(texts)})", effect)
        text = f"{base.text}({', '.join(texts)})"
        self.math.cpp(array.dtype)
        self.effect = max(self.effect, CHANGES if store else READS)
        if store:
            self.written.add(base.text)
        if array.dtype == "b1" and not store:
            text = f"({text} != 0)"
        return Value(Number(array.dtype), text, effect)

    def _place(self, base: Value, axis: int, x: Term) -> str:
        """An index; a negative constant counts from the end."""
        if isinstance(x, Constant) and isinstance(x.value, int | np.integer):
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
            if isinstance(base.type, Shared):
                raise IndexError("dynamic shared memory has no end to count from")
            return f"{base.text}.shape({axis}) - {-index}"
        if isinstance(x, Constant) and x.value in (None, Ellipsis):
            raise NotImplementedError(f"{x.value} as an index; a kernel takes elements by integers")
        return bare(self.math.index(x).text)

    # ---- operators ------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> Term:
        name = BINARY.get(type(node.op))
        if name is None:
            raise NotImplementedError(
                "a kernel multiplies matrices by loops; @ is not available in it"
            )
        left, right = self.terms([node.left, node.right])
        if name == "add" and _is_tuple(left) and _is_tuple(right):
            return Items([*as_items(left), *as_items(right)])
        return self.math.apply(name, [left, right], python=True)

    def _unaryop(self, node: ast.UnaryOp) -> Term:
        if isinstance(node.op, ast.Not):
            found = self.truth(node.operand)
            if isinstance(found, Constant):
                return Constant(not found.value)
            return Value(Number("b1"), f"!{self.math.operand(found)}", found.effect)
        return self.math.apply(_UNARY[type(node.op)], [self.expression(node.operand)], python=True)

    # ---- calls ----------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Term:
        from gpuarray._jit import calls

        if any(isinstance(x, ast.Starred) for x in node.args) or any(
            x.arg is None for x in node.keywords
        ):
            raise NotImplementedError("a kernel calls functions without * and **")
        if isinstance(node.func, ast.Attribute):
            base = self.expression(node.func.value)
            if isinstance(base, Value):
                return calls.method(self, base, node)
        called = self.expression(node.func)
        if not isinstance(called, Constant):
            raise TypeError(f"{describe(called)} cannot be called")
        return calls.call(self, called.value, node)


def _is_tuple(x: Term) -> bool:
    return isinstance(x, Items) or (isinstance(x, Constant) and isinstance(x.value, tuple))
