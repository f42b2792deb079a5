"""Loops of Python as C++."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from gpuarray import _dtypes
from gpuarray._jit.intrinsics import range as jit_range
from gpuarray._jit.values import (
    PURE,
    Constant,
    Number,
    Term,
    Value,
    bare,
    describe,
)
from gpuarray._jit.variables import Variables


class Loops(Variables):
    """The translation of ``while`` and ``for``."""

    _private: frozenset[str]

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Translate statements; whether the function never goes on behind them."""
        raise NotImplementedError

    def _inner(self, body: Sequence[ast.stmt]) -> bool:
        self.depth += 1
        ends = self.block(body)
        self.depth -= 1
        return ends

    def _no_else(self, node: ast.While | ast.For) -> None:
        if node.orelse:
            raise NotImplementedError(
                "a kernel's loops have no else; keep in a variable whether break was reached"
            )

    def _while_statement(self, node: ast.While) -> bool:
        self._no_else(node)
        with self.captured(1) as lines:
            condition = self.truth(node.test)
        if isinstance(condition, Constant):
            if not condition.value:
                return False
            self.emit("while (true) {")
        elif lines:
            self.emit("while (true) {")
            self.lines += lines
            self.emit(f"    if (!{self.math.operand(condition)}) break;")
        else:
            self.emit(f"while ({bare(condition.text)}) {{")
        self.program.anywhere = False  # nobody knows that it ends
        self._inner(node.body)
        self.emit("}")
        # while True without a break ends with a return only.
        return isinstance(condition, Constant) and not any(
            isinstance(x, ast.Break) for statement in node.body for x in ast.walk(statement)
        )

    def _for_statement(self, node: ast.For) -> None:
        self._no_else(node)
        if not isinstance(node.target, ast.Name):
            raise NotImplementedError("a kernel's for has one variable")
        name = node.target.id
        start, stop, step, unroll = self._range(node.iter)
        if self.math.mode == "cuda":
            given = [x for x in (self.math.number(y) for y in (start, stop)) if not x.weak]
            code = max([self.math.weak["i"], *[x.dtype for x in given]], key=_dtypes.itemsize)
        else:
            code = "i8"
        counted = Number(code, True)
        begin = bare(self.math.value(start, code).text)
        end = self._limit(self.math.value(stop, code), stop)
        direct = (
            name in self._private
            and name not in self.variables
            and not self._stored_in(name, node.body)
        )
        counter = self.cpp_name(name) if direct else self.temporary("counter")
        sign, advance = self._step(step, code, counter)
        if sign is None:
            pace = self._limit(self.math.value(step, code), step)
            test = f"{pace} > 0 ? {counter} < {end} : {counter} > {end}"
            advance = f"{counter} += {pace}"
        else:
            test = f"{counter} {sign} {end}"
        if unroll is not None:
            self.emit(f"#pragma unroll{'' if unroll is True else f' {int(unroll)}'}")
        self.emit(f"for ({counted.cpp} {counter} = {begin}; {test}; {advance}) {{")
        self.depth += 1
        if direct:
            self.variables[name] = Value(counted, counter, PURE, True)
        else:
            self.assign(name, Value(counted, counter, PURE, True), node.target)
        self.block(node.body)
        self.depth -= 1
        if direct:
            del self.variables[name]
        self.emit("}")

    @staticmethod
    def _stored_in(name: str, body: Sequence[ast.stmt]) -> bool:
        return any(
            isinstance(x, ast.Name) and x.id == name and isinstance(x.ctx, ast.Store)
            for statement in body
            for x in ast.walk(statement)
        )

    def _limit(self, x: Value, term: Term) -> str:
        """A number that the loop's body cannot change."""
        if isinstance(term, Constant) or re.fullmatch(r"\w+\.(size|shape)\([0-9]*\)", x.text):
            return bare(x.text)
        name = bare(x.text)
        if name in [self.names.get(y) for y in self.source.parameters if y not in self._stores]:
            return name
        return self.hoist(x).text

    def _step(self, step: Term, code: str, counter: str) -> tuple[str | None, str]:
        """The comparison that goes on and how to count, where the sign of the step is known."""
        if isinstance(step, Constant):
            value = int(step.value)
            if value == 0:
                raise ValueError("range() arg 3 must not be zero")
            if value in (1, -1):
                return ("<", f"++{counter}") if value > 0 else (">", f"--{counter}")
            return ("<", f"{counter} += {value}") if value > 0 else (">", f"{counter} -= {-value}")
        if self.math.number(step).kind == "u":
            pace = self._limit(self.math.value(step, code), step)
            return "<", f"{counter} += {pace}"
        return None, ""

    def _range(self, node: ast.expr) -> tuple[Term, Term, Term, Any]:
        """Start, stop, step and unrolling of what a for goes over."""
        called = None
        if isinstance(node, ast.Call):
            term = self.expression(node.func)
            called = term.value if isinstance(term, Constant) else None
        if called is not range and called is not jit_range:
            raise NotImplementedError(
                "a kernel's for goes over range() or jit.range(); take elements by their indices"
            )
        assert isinstance(node, ast.Call)
        unroll = None
        for keyword in node.keywords:
            if keyword.arg != "unroll" or called is range:
                raise TypeError(f"range() takes no {keyword.arg}= here; jit.range() takes unroll=")
            unroll = self.known(self.expression(keyword.value))
            if unroll is not None and not isinstance(unroll, bool | int):
                raise TypeError(f"unroll is True, False or how often, not {unroll!r}")
            if unroll is False:
                unroll = 1
            elif unroll is not None and unroll is not True and unroll < 1:
                raise ValueError(f"unroll is a positive number, not {unroll}")
        found = self.terms(node.args)
        if not 1 <= len(found) <= 3:
            raise TypeError(f"range() takes 1 to 3 numbers, not {len(found)}")
        for x in found:
            if self.math.number(x).kind not in "iub":
                raise TypeError(f"range() takes integers, not {describe(x)}")
        if len(found) == 1:
            found = [Constant(0), *found]
        return found[0], found[1], found[2] if len(found) == 3 else Constant(1), unroll

    def _break_statement(self, node: ast.Break) -> bool:
        self.emit("break;")
        return False

    def _continue_statement(self, node: ast.Continue) -> bool:
        self.emit("continue;")
        return False


def private_counters(body: Sequence[ast.stmt]) -> frozenset[str]:
    """Variables of for statements that mean nothing outside of the loops."""
    inside: set[str] = set()
    outside: set[str] = set()

    def visit(node: ast.AST, loops: frozenset[str]) -> None:
        if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            inside.add(node.target.id)
            visit(node.iter, loops)
            for child in (*node.body, *node.orelse):
                visit(child, loops | {node.target.id})
            return
        if isinstance(node, ast.Name) and node.id not in loops:
            outside.add(node.id)
        for inner in ast.iter_child_nodes(node):
            visit(inner, loops)

    for statement in body:
        visit(statement, frozenset())
    return frozenset(inside - outside)
