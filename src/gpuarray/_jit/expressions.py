"""Expressions of Python as C++: names, attributes, subscripts, operators, calls."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _array
from gpuarray._jit import calls, conditions, indexing, intrinsics
from gpuarray._jit.arithmetic import as_items
from gpuarray._jit.translation import Translation
from gpuarray._jit.values import (
    PURE,
    ArrayType,
    NumberType,
    PythonConstant,
    SharedArrayType,
    Term,
    TupleTerm,
    Value,
    describe,
    is_number,
)
from gpuarray._ufunc import operator_table

#: The ufunc of each binary operator in a syntax tree.
BINARY_UFUNCS = {getattr(ast, x.node): x.ufunc for x in operator_table.BINARY if x.node}
_UNARY_UFUNCS = {getattr(ast, x.node): x.ufunc for x in operator_table.UNARY if x.node}


# ---- names and literals --------------------------------------------------------------------------


def _constant(t: Translation, node: ast.Constant) -> Term:
    if node.value is Ellipsis or isinstance(node.value, bytes):
        raise NotImplementedError("a kernel has no such object; it has numbers and arrays")
    return PythonConstant(node.value)


def _name(t: Translation, node: ast.Name) -> Term:
    found = t.variables.get(node.id)
    if found is not None and node.id not in t.assigned and node.id not in t.carried:
        if t.loops and node.id not in t.partly:
            t.carried.add(node.id)
            return found
        lines = t.source.lines_of_assignments(node.id)
        raise NameError(
            f"{node.id!r} may have no value here: it is assigned in one branch only (line "
            f"{' and '.join(map(str, lines))}); give it a value before the if, or in the other "
            "branch, too"
        )
    if found is not None:
        return found
    if node.id in t.assignments:
        raise NameError(
            f"{node.id!r} is read before a line above assigns to it; give it a value first "
            "(outside of the loop, if it is assigned in one)"
        )
    return _outside(t.source.lookup(node.id), node.id)


def _outside(value: Any, name: str) -> Term:
    """An object from outside of the function."""
    if isinstance(value, _array.ArrayBase | np.ndarray):
        raise TypeError(f"{name} is an array from outside of the function; pass it as an argument")
    return PythonConstant(value)


def _tuple(t: Translation, node: ast.Tuple) -> Term:
    return TupleTerm(t.terms(node.elts))  # type: ignore[arg-type]


# ---- attributes and indices ----------------------------------------------------------------------


def _attribute(t: Translation, node: ast.Attribute) -> Term:
    base = t.expression(node.value)
    name = node.attr
    if isinstance(base, PythonConstant):
        value = base.value
        if isinstance(value, intrinsics.Dim3):
            if name not in ("x", "y", "z"):
                raise AttributeError(f"jit.{value.__name__} has x, y and z, but no {name!r}")
            if t.unit.elementwise:
                raise TypeError(
                    f"jit.{value.__name__} is for threads, but vectorize applies a function "
                    "to elements; write a kernel with gpuarray.jit.rawkernel"
                )
            return Value(NumberType("u4"), f"{value.__name__}.{name}", PURE, True)
        if is_number(value) and name in ("real", "imag"):
            return PythonConstant(getattr(value, name))
        return _outside(getattr(value, name), f"{ast.unparse(node)}")
    if isinstance(base, Value):
        if isinstance(base.type, NumberType):
            return indexing.number_attribute(t, base, name)
        return indexing.array_attribute(base, name)
    raise AttributeError(f"{describe(base)} has no attribute {name!r} in a kernel")


def _subscript(t: Translation, node: ast.Subscript) -> Term:
    base = t.expression(node.value)
    if isinstance(base, Value) and isinstance(base.type, ArrayType | SharedArrayType):
        return indexing.element(t, base, node.slice)
    items = as_items(base)
    index = t.expression(node.slice)
    if not isinstance(index, PythonConstant) or type(index.value) is not int:
        raise TypeError(
            "the index into a tuple has to be known when the kernel is translated; use an "
            "array for indices that are computed"
        )
    return items[index.value]


# ---- operators -----------------------------------------------------------------------------------


def _binop(t: Translation, node: ast.BinOp) -> Term:
    name = BINARY_UFUNCS.get(type(node.op))
    if name is None:
        raise NotImplementedError("a kernel multiplies matrices by loops; @ is not available in it")
    left, right = t.terms([node.left, node.right])
    if name == "add" and _is_tuple(left) and _is_tuple(right):
        return TupleTerm([*as_items(left), *as_items(right)])
    return t.math.apply(name, [left, right], python=True)


def _unaryop(t: Translation, node: ast.UnaryOp) -> Term:
    if isinstance(node.op, ast.Not):
        return conditions.negated(t, conditions.truth(t, node.operand))
    return t.math.apply(_UNARY_UFUNCS[type(node.op)], [t.expression(node.operand)], python=True)


# ---- calls ---------------------------------------------------------------------------------------


def _call(t: Translation, node: ast.Call) -> Term:
    if any(isinstance(x, ast.Starred) for x in node.args) or any(
        x.arg is None for x in node.keywords
    ):
        raise NotImplementedError("a kernel calls functions without * and **")
    if isinstance(node.func, ast.Attribute):
        base = t.expression(node.func.value)
        if isinstance(base, Value):
            return calls.method_call(t, base, node)
    called = t.expression(node.func)
    if not isinstance(called, PythonConstant):
        raise TypeError(f"{describe(called)} cannot be called")
    return calls.call(t, called.value, node)


def _is_tuple(x: Term) -> bool:
    return isinstance(x, TupleTerm) or (
        isinstance(x, PythonConstant) and isinstance(x.value, tuple)
    )


EXPRESSIONS: dict[type[ast.expr], Callable[[Translation, Any], Term]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Tuple: _tuple,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.BinOp: _binop,
    ast.UnaryOp: _unaryop,
    ast.Call: _call,
}
