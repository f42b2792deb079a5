"""Comparisons, ``and``, ``or`` and conditional expressions as C++."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from gpuarray._jit.arithmetic import as_items
from gpuarray._jit.translation import Translation
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    NumberType,
    PythonConstant,
    Term,
    TupleTerm,
    Value,
    bare,
    is_number,
)
from gpuarray._ufunc import operator_table

_COMPARISONS = {getattr(ast, x.node): x.ufunc for x in operator_table.COMPARISONS}


def truth(t: Translation, node: ast.expr) -> Value | PythonConstant:
    """Translate a condition; a constant where it is known."""
    if isinstance(node, ast.BoolOp):
        return _short_circuit(t, node)
    found = t.expression(node)
    if isinstance(found, PythonConstant):
        return PythonConstant(bool(found.value))
    if isinstance(found, TupleTerm):
        return PythonConstant(bool(found.items))
    try:
        return t.math.truth(found)
    except TypeError as error:
        raise t.located(error, node) from None


def _compare(t: Translation, node: ast.Compare) -> Term:
    found = t.terms([node.left, *node.comparators])
    for i, x in enumerate(found[1:-1], 1):  # compared twice, computed once
        if isinstance(x, Value) and x.effect == CHANGES:
            found[i] = t.hoist(x)
    results = [_compared(t, sign, found[i], found[i + 1]) for i, sign in enumerate(node.ops)]
    return _all_of(t, results)


def _compared(t: Translation, sign: ast.cmpop, left: Term, right: Term) -> Value | PythonConstant:
    name = _COMPARISONS.get(type(sign))
    if name is not None:
        if isinstance(left, PythonConstant) and isinstance(right, PythonConstant):
            if not (is_number(left.value) and is_number(right.value)):
                if name not in ("equal", "not_equal"):
                    raise TypeError("a kernel orders numbers only")
                return PythonConstant((left.value == right.value) == (name == "equal"))
        return t.math.apply(name, [left, right], python=True)
    if isinstance(sign, ast.Is | ast.IsNot):
        same = isinstance(left, PythonConstant) and isinstance(right, PythonConstant)
        same = same and left.value is right.value  # type: ignore[union-attr]
        if not (isinstance(right, PythonConstant) and right.value is None):
            raise NotImplementedError("a kernel knows 'is' for None only; compare with ==")
        return PythonConstant(same == isinstance(sign, ast.Is))
    items = as_items(right)
    equal = [_compared(t, ast.Eq(), left, x) for x in items]
    inverse = [negated(t, x) for x in equal]
    none = _all_of(t, inverse)
    return none if isinstance(sign, ast.NotIn) else negated(t, none)


def negated(t: Translation, x: Value | PythonConstant) -> Value | PythonConstant:
    """Whether a condition does not hold."""
    if isinstance(x, PythonConstant):
        return PythonConstant(not x.value)
    return Value(NumberType("b1"), f"!{t.math.operand(x)}", x.effect)


def _all_of(t: Translation, parts: Sequence[Value | PythonConstant]) -> Value | PythonConstant:
    """Whether all of several conditions hold."""
    kept: list[Value] = []
    for x in parts:
        if isinstance(x, PythonConstant):
            if not x.value:
                return PythonConstant(False)
        else:
            kept.append(x)
    if not kept:
        return PythonConstant(True)
    if len(kept) == 1:
        return kept[0]
    text = " && ".join([t.math.operand(x) for x in kept])
    return Value(NumberType("b1"), f"({text})", max([x.effect for x in kept]))


def _boolop(t: Translation, node: ast.BoolOp) -> Term:
    """``and`` and ``or`` as values: one of the operands."""
    first = t.expression(node.values[0])
    if len(node.values) == 1:
        return first
    rest: ast.expr = node.values[1]
    if len(node.values) > 2:
        rest = ast.copy_location(ast.BoolOp(op=node.op, values=node.values[1:]), node.values[1])
    conjunction = isinstance(node.op, ast.And)
    if isinstance(first, PythonConstant):
        return t.expression(rest) if bool(first.value) == conjunction else first
    if t.math.number_type(first).dtype == "b1":
        with t.captured(1) as lines:
            second = t.expression(rest)
        if not lines and isinstance(second, Value) and second.type == NumberType("b1"):
            sign = "&&" if conjunction else "||"
            a, b = t.math.operand(t.math.value(first)), t.math.operand(second)
            effect = max(t.math.value(first).effect, second.effect)
            return Value(NumberType("b1"), f"({a} {sign} {b})", effect)
    value = t.math.value(first)
    kept = value if value.simple else t.hoist(value)
    condition = t.math.truth(kept)
    branches: list[Callable[[], Term]] = [lambda: t.expression(rest), lambda: kept]
    return _either(t, condition, *(branches if conjunction else branches[::-1]))


def _short_circuit(t: Translation, node: ast.BoolOp) -> Value | PythonConstant:
    """``and`` and ``or`` where only their truth matters."""
    conjunction = isinstance(node.op, ast.And)
    found: Value | PythonConstant = truth(t, node.values[0])
    for operand in node.values[1:]:
        if isinstance(found, PythonConstant):
            if bool(found.value) != conjunction:
                return found
            found = truth(t, operand)
            continue
        with t.captured(1) as lines:
            second = truth(t, operand)
        if isinstance(second, PythonConstant):
            # The conditions before it are evaluated for their effects.
            if bool(second.value) == conjunction:
                continue
            if found.effect != CHANGES:
                return second
            second = Value(NumberType("b1"), "true" if second.value else "false", PURE, True)
        a, b = t.math.operand(found), t.math.operand(second)
        if not lines:
            sign = "&&" if conjunction else "||"
            effect = max(found.effect, second.effect)
            found = Value(NumberType("b1"), f"({a} {sign} {b})", effect)
            continue
        name = t.temporary()
        t.emit(f"bool {name} = {bare(found.text)};")
        t.emit(f"if ({name if conjunction else '!' + name}) {{")
        t.lines += lines
        t.depth += 1
        t.emit(f"{name} = {bare(second.text)};")
        t.depth -= 1
        t.emit("}")
        found = Value(NumberType("b1"), name, PURE, True)
    return found


def _ifexp(t: Translation, node: ast.IfExp) -> Term:
    condition = truth(t, node.test)
    if isinstance(condition, PythonConstant):
        return t.expression(node.body if condition.value else node.orelse)
    return _either(
        t,
        condition,
        lambda: t.expression(node.body),
        lambda: t.expression(node.orelse),
    )


def _either(
    t: Translation, condition: Value, first: Callable[[], Term], second: Callable[[], Term]
) -> Value:
    """One of two values, of which only that one is evaluated."""
    with t.captured(1) as first_lines:
        a = first()
    with t.captured(1) as second_lines:
        b = second()
    found = t.math.common_type([a, b])
    if not first_lines and not second_lines:
        chosen = t.math.choose(condition, [a, b])
        chosen.type = found
        return chosen
    name = t.temporary()
    t.emit(f"{found.cpp} {name};")
    t.emit(f"if ({bare(condition.text)}) {{")
    for lines, x in ((first_lines, a), (second_lines, b)):
        if lines is second_lines:
            t.emit("} else {")
        t.lines += lines
        t.depth += 1
        t.emit(f"{name} = {bare(t.math.value(x, found.dtype).text)};")
        t.depth -= 1
    t.emit("}")
    return Value(found, name, PURE, True)


EXPRESSIONS: dict[type[ast.expr], Callable[[Translation, Any], Term]] = {
    ast.Compare: _compare,
    ast.BoolOp: _boolop,
    ast.IfExp: _ifexp,
}
