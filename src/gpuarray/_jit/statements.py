"""Statements of Python as C++: assignments, branches, assertions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit import conditions, indexing, variables
from gpuarray._jit.arithmetic import as_items
from gpuarray._jit.expressions import BINARY_UFUNCS
from gpuarray._jit.translation import Translation
from gpuarray._jit.values import (
    CHANGES,
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
)

# ---- assignments ---------------------------------------------------------------------------------


def _assign(t: Translation, node: ast.Assign) -> None:
    x = t.expression(node.value)
    if len(node.targets) > 1 and isinstance(x, Value) and not x.simple:
        x = t.hoist(x)
    for target in node.targets:
        _store(t, target, x)


def _annassign(t: Translation, node: ast.AnnAssign) -> None:
    if node.value is None:
        raise NotImplementedError("a kernel has no declarations without a value")
    x = t.expression(node.value)
    dtype = t.expression(node.annotation)
    if isinstance(dtype, PythonConstant) and isinstance(dtype.value, type | np.dtype):
        declared = dtype.value
        if declared not in (int, float, complex):
            x = t.math.value(x, _dtypes.code(declared))
    _store(t, node.target, x)


def _store(t: Translation, target: ast.expr, x: Term) -> None:
    if isinstance(target, ast.Name):
        variables.assign(t, target.id, x)
    elif isinstance(target, ast.Tuple | ast.List):
        items = as_items(x)
        if len(items) != len(target.elts):
            raise ValueError(f"{len(target.elts)} names are given {len(items)} values")
        for k, one in enumerate(target.elts[:-1]):
            if not isinstance(one, ast.Name) or any(
                re.search(rf"\b{re.escape(t.cpp_name(one.id))}\b", later.text) or later.effect
                for later in items[k + 1 :]
                if isinstance(later, Value)
            ):
                items = variables.hoisted(t, items)
                break
        for one, item in zip(target.elts, items):
            _store(t, one, item)
    elif isinstance(target, ast.Subscript):
        base = t.expression(target.value)
        element = _target_element(t, base, target, False)
        assert isinstance(element.type, NumberType)
        value = t.math.store(x, element.type.dtype)
        t.emit(f"{element.text} = {bare(value.text)};")
    else:
        raise NotImplementedError(
            "a kernel assigns to variables and elements of arrays; "
            f"{ast.unparse(target)} is neither"
        )


def _target_element(t: Translation, base: Term, target: ast.Subscript, twice: bool) -> Value:
    if not isinstance(base, Value) or not isinstance(base.type, ArrayType | SharedArrayType):
        raise TypeError(f"{describe(base)} has no elements to assign to")
    element = indexing.element(t, base, target.slice, store=True, twice=twice)
    if not isinstance(element.type, NumberType):
        raise TypeError(
            f"{describe(base)} needs {base.type.ndim} indices to assign to an element; loop "
            "over the others"
        )
    return element


def _augassign(t: Translation, node: ast.AugAssign) -> None:
    name = BINARY_UFUNCS.get(type(node.op))
    if name is None:
        raise NotImplementedError("a kernel multiplies matrices by loops; @= is not available")
    if isinstance(node.target, ast.Name):
        _augment_variable(t, name, node, node.target)
    elif isinstance(node.target, ast.Subscript):
        _augment_element(t, name, node, node.target)
    else:
        raise NotImplementedError("a kernel assigns to variables and elements of arrays")


def _augment_variable(t: Translation, ufunc: str, node: ast.AugAssign, target: ast.Name) -> None:
    load = ast.copy_location(ast.Name(id=target.id, ctx=ast.Load()), target)
    left, right = t.terms([load, node.value])
    if not isinstance(left, PythonConstant | Value) or (
        isinstance(left, Value) and not isinstance(left.type, NumberType)
    ):
        raise TypeError(
            f"{target.id} is {describe(left)}, which has no {ast.unparse(node)!r} in "
            "a kernel; change its elements"
        )
    found = t.math.apply(ufunc, [left, right], python=True)
    variables.assign(t, target.id, found)


def _augment_element(
    t: Translation, ufunc: str, node: ast.AugAssign, target: ast.Subscript
) -> None:
    base = t.expression(target.value)
    element = _target_element(t, base, target, True)
    assert isinstance(element.type, NumberType)
    text = f"({element.text} != 0)" if element.type.dtype == "b1" else element.text
    loaded = Value(element.type, text, READS)
    start = len(t.lines)
    right = t.expression(node.value)
    if len(t.lines) > start or (isinstance(right, Value) and right.effect == CHANGES):
        loaded = t.hoist(loaded, start)
    found = t.math.apply(ufunc, [loaded, right], python=True)
    value = t.math.store(found, element.type.dtype)
    t.emit(f"{element.text} = {bare(value.text)};")


# ---- branches ------------------------------------------------------------------------------------


def _if(t: Translation, node: ast.If) -> bool:
    condition = conditions.truth(t, node.test)
    if isinstance(condition, PythonConstant):
        return t.block(node.body if condition.value else node.orelse)
    t.emit(f"if ({bare(condition.text)}) {{")
    branches = _Branches(t)
    ends = branches.translate(node.body)
    orelse = node.orelse
    while len(orelse) == 1 and isinstance(orelse[0], ast.If):
        t.line_number = orelse[0].lineno
        with t.captured(1) as lines:
            condition = conditions.truth(t, orelse[0].test)
        if lines or isinstance(condition, PythonConstant):
            break
        t.emit(f"}} else if ({bare(condition.text)}) {{")
        ends = branches.translate(orelse[0].body) and ends
        orelse = orelse[0].orelse
    if orelse:
        t.emit("} else {")
    ends = branches.translate(orelse) and ends
    t.emit("}")
    branches.meet()
    return ends and bool(orelse)


class _Branches:
    """The branches of an ``if``, and which variables have a value behind all of them."""

    def __init__(self, t: Translation):
        self.t = t
        self.before = set(t.assigned)
        self.after: list[set[str]] = []  # of the branches that lead behind the ``if``

    def translate(self, body: list[ast.stmt]) -> bool:
        """Translate a branch; whether what is behind it is never reached."""
        t = self.t
        ends = bool(body) and t.inner_block(body)
        leaves = any(isinstance(x, ast.Return | ast.Break | ast.Continue) for x in body)
        if not ends and not leaves:
            self.after.append(t.assigned)
        t.assigned = set(self.before)  # for the next condition or branch
        return ends

    def meet(self) -> None:
        """Go on behind the branches."""
        t = self.t
        t.assigned = set.intersection(*self.after) if self.after else set(self.before)
        t.partly |= set.union(set(), *self.after) - t.assigned - t.carried


def _assert(t: Translation, node: ast.Assert) -> None:
    condition = conditions.truth(t, node.test)
    text = "false" if isinstance(condition, PythonConstant) else bare(condition.text)
    if isinstance(condition, PythonConstant) and condition.value:
        return
    message = t.source.text(node.test)
    if isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str):
        message = node.msg.value
    quoted = message.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    t.changes()
    t.emit(f'assert(({text}) && "{quoted}");')


def _expr(t: Translation, node: ast.Expr) -> None:
    x = t.expression(node.value)
    for item in x.items if isinstance(x, TupleTerm) else [x]:
        if isinstance(item, Value) and item.effect == CHANGES:
            t.emit(f"{bare(item.text)};")


STATEMENTS: dict[type[ast.stmt], Callable[[Translation, Any], bool | None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annassign,
    ast.AugAssign: _augassign,
    ast.If: _if,
    ast.Assert: _assert,
    ast.Expr: _expr,
}
