"""Comparisons, ``and``, ``or`` and conditional expressions as C++."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from gpuarray._jit.operations import as_items
from gpuarray._jit.translation import Translation
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    Constant,
    Items,
    Number,
    Term,
    Value,
    bare,
    is_number,
)

if TYPE_CHECKING:
    pass
_COMPARE = {
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
}


class Decisions(Translation):
    """The translation of expressions of which not every part is always evaluated."""

    def truth(self, node: ast.expr) -> Value | Constant:
        """Translate a condition; a constant where it is known."""
        if isinstance(node, ast.BoolOp):
            return self._conditions(node)
        found = self.expression(node)
        if isinstance(found, Constant):
            return Constant(bool(found.value))
        if isinstance(found, Items):
            return Constant(bool(found.items))
        try:
            return self.math.truth(found)
        except TypeError as error:
            raise self._located(error, node) from None

    def _compare(self, node: ast.Compare) -> Term:
        found = self.terms([node.left, *node.comparators])
        for i, x in enumerate(found[1:-1], 1):  # compared twice, computed once
            if isinstance(x, Value) and x.effect == CHANGES:
                found[i] = self.hoist(x)
        results = [self._compared(sign, found[i], found[i + 1]) for i, sign in enumerate(node.ops)]
        return self._all(results)

    def _compared(self, sign: ast.cmpop, left: Term, right: Term) -> Value | Constant:
        if type(sign) in _COMPARE:
            name = _COMPARE[type(sign)]
            if isinstance(left, Constant) and isinstance(right, Constant):
                if not (is_number(left.value) and is_number(right.value)):
                    if name not in ("equal", "not_equal"):
                        raise TypeError("a kernel orders numbers only")
                    return Constant((left.value == right.value) == (name == "equal"))
            return self.math.apply(name, [left, right], python=True)
        if isinstance(sign, ast.Is | ast.IsNot):
            same = isinstance(left, Constant) and isinstance(right, Constant)
            same = same and left.value is right.value  # type: ignore[union-attr]
            if not (isinstance(right, Constant) and right.value is None):
                raise NotImplementedError("a kernel knows 'is' for None only; compare with ==")
            return Constant(same == isinstance(sign, ast.Is))
        items = as_items(right)
        equal = [self._compared(ast.Eq(), left, x) for x in items]
        inverse = [self._not(x) for x in equal]
        none = self._all(inverse)
        return none if isinstance(sign, ast.NotIn) else self._not(none)

    def _not(self, x: Value | Constant) -> Value | Constant:
        if isinstance(x, Constant):
            return Constant(not x.value)
        return Value(Number("b1"), f"!{self.math.operand(x)}", x.effect)

    def _all(self, parts: Sequence[Value | Constant]) -> Value | Constant:
        """Whether all of several conditions hold."""
        kept: list[Value] = []
        for x in parts:
            if isinstance(x, Constant):
                if not x.value:
                    return Constant(False)
            else:
                kept.append(x)
        if not kept:
            return Constant(True)
        if len(kept) == 1:
            return kept[0]
        text = " && ".join([self.math.operand(x) for x in kept])
        return Value(Number("b1"), f"({text})", max([x.effect for x in kept]))

    def _boolop(self, node: ast.BoolOp) -> Term:
        """``and`` and ``or`` as values: one of the operands."""
        first = self.expression(node.values[0])
        if len(node.values) == 1:
            return first
        rest: ast.expr = node.values[1]
        if len(node.values) > 2:
            rest = ast.copy_location(ast.BoolOp(op=node.op, values=node.values[1:]), node.values[1])
        conjunction = isinstance(node.op, ast.And)
        if isinstance(first, Constant):
            return self.expression(rest) if bool(first.value) == conjunction else first
        if self.math.number(first).dtype == "b1":
            with self.captured(1) as lines:
                second = self.expression(rest)
            if not lines and isinstance(second, Value) and second.type == Number("b1"):
                sign = "&&" if conjunction else "||"
                a, b = self.math.operand(self.math.value(first)), self.math.operand(second)
                effect = max(self.math.value(first).effect, second.effect)
                return Value(Number("b1"), f"({a} {sign} {b})", effect)
        value = self.math.value(first)
        kept = value if value.simple else self.hoist(value)
        condition = self.math.truth(kept)
        branches: list[Callable[[], Term]] = [lambda: self.expression(rest), lambda: kept]
        return self._either(condition, *(branches if conjunction else branches[::-1]))

    def _conditions(self, node: ast.BoolOp) -> Value | Constant:
        """``and`` and ``or`` where only their truth matters."""
        conjunction = isinstance(node.op, ast.And)
        found: Value | Constant = self.truth(node.values[0])
        for operand in node.values[1:]:
            if isinstance(found, Constant):
                if bool(found.value) != conjunction:
                    return found
                found = self.truth(operand)
                continue
            with self.captured(1) as lines:
                second = self.truth(operand)
            if isinstance(second, Constant):
                # What comes before is still computed, for what it does.
                if bool(second.value) == conjunction:
                    continue
                if found.effect != CHANGES:
                    return second
                second = Value(Number("b1"), "true" if second.value else "false", PURE, True)
            a, b = self.math.operand(found), self.math.operand(second)
            if not lines:
                sign = "&&" if conjunction else "||"
                effect = max(found.effect, second.effect)
                found = Value(Number("b1"), f"({a} {sign} {b})", effect)
                continue
            name = self.temporary()
            self.emit(f"bool {name} = {bare(found.text)};")
            self.emit(f"if ({name if conjunction else '!' + name}) {{")
            self.lines += lines
            self.depth += 1
            self.emit(f"{name} = {bare(second.text)};")
            self.depth -= 1
            self.emit("}")
            found = Value(Number("b1"), name, PURE, True)
        return found

    def _ifexp(self, node: ast.IfExp) -> Term:
        condition = self.truth(node.test)
        if isinstance(condition, Constant):
            return self.expression(node.body if condition.value else node.orelse)
        return self._either(
            condition,
            lambda: self.expression(node.body),
            lambda: self.expression(node.orelse),
        )

    def _either(
        self, condition: Value, first: Callable[[], Term], second: Callable[[], Term]
    ) -> Value:
        """The value of one of two branches, of which only that one is evaluated."""
        with self.captured(1) as first_lines:
            a = first()
        with self.captured(1) as second_lines:
            b = second()
        found = self.math.unify([a, b])
        if not first_lines and not second_lines:
            return self._typed(self.math.choose(condition, [a, b]), found)
        name = self.temporary()
        self.emit(f"{found.cpp} {name};")
        self.emit(f"if ({bare(condition.text)}) {{")
        for lines, x in ((first_lines, a), (second_lines, b)):
            if lines is second_lines:
                self.emit("} else {")
            self.lines += lines
            self.depth += 1
            self.emit(f"{name} = {bare(self.math.value(x, found.dtype).text)};")
            self.depth -= 1
        self.emit("}")
        return Value(found, name, PURE, True)

    @staticmethod
    def _typed(x: Value, found: Number) -> Value:
        x.type = found
        return x
