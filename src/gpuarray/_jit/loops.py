"""Loops of Python as C++."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from gpuarray import _dtypes
from gpuarray._jit import conditions, name_usage, variables
from gpuarray._jit.intrinsics import range as jit_range
from gpuarray._jit.translation import Translation
from gpuarray._jit.values import PURE, NumberType, PythonConstant, Term, Value, bare, describe


def _refuse_else(t: Translation, node: ast.While | ast.For) -> None:
    if node.orelse:
        raise NotImplementedError(
            "a kernel's loops have no else; keep in a variable whether break was reached"
        )


def _while(t: Translation, node: ast.While) -> bool:
    _refuse_else(t, node)
    with t.captured(1) as lines:
        condition = conditions.truth(t, node.test)
    if isinstance(condition, PythonConstant):
        if not condition.value:
            return False
        t.emit("while (true) {")
    elif lines:
        t.emit("while (true) {")
        t.lines += lines
        t.emit(f"    if (!{t.math.operand(condition)}) break;")
    else:
        t.emit(f"while ({bare(condition.text)}) {{")
    t.unit.speculatable = False  # it may not end
    t.loops += 1
    t.inner_block(node.body)
    t.loops -= 1
    t.emit("}")
    # while True without a break ends with a return only.
    return isinstance(condition, PythonConstant) and not any(
        isinstance(x, ast.Break) for statement in node.body for x in ast.walk(statement)
    )


def _for(t: Translation, node: ast.For) -> None:
    _refuse_else(t, node)
    if not isinstance(node.target, ast.Name):
        raise NotImplementedError("a kernel's for has one variable")
    name = node.target.id
    start, stop, step, unroll = _range(t, node.iter)
    code = _counter_dtype(t, start, stop)
    counter_type = NumberType(code, True)
    begin = bare(t.math.value(start, code).text)
    end = _invariant(t, t.math.value(stop, code), stop)
    # A variable of this loop alone is the C++ counter; another one is assigned the counter.
    is_counter = (
        name in t.private_counters
        and name not in t.variables
        and name not in name_usage.count_assignments(node.body)
    )
    counter = t.cpp_name(name) if is_counter else t.temporary("counter")
    sign, advance = _step(t, step, code, counter)
    if sign is None:
        increment = _invariant(t, t.math.value(step, code), step)
        test = f"{increment} > 0 ? {counter} < {end} : {counter} > {end}"
        advance = f"{counter} += {increment}"
    else:
        test = f"{counter} {sign} {end}"
    if unroll is not None:
        t.emit(f"#pragma unroll{'' if unroll is True else f' {int(unroll)}'}")
    t.emit(f"for ({counter_type.cpp} {counter} = {begin}; {test}; {advance}) {{")
    t.depth += 1
    t.loops += 1
    if is_counter:
        t.assigned.add(name)
        t.variables[name] = Value(counter_type, counter, PURE, True)
    else:
        variables.assign(t, name, Value(counter_type, counter, PURE, True))
    t.block(node.body)
    t.depth -= 1
    t.loops -= 1
    if is_counter:
        del t.variables[name]
    t.emit("}")


def _counter_dtype(t: Translation, start: Term, stop: Term) -> str:
    if t.math.mode == "numpy":
        return "i8"
    types = [t.math.number_type(x) for x in (start, stop)]
    strong = [x.dtype for x in types if not x.weak]
    return max([t.math.weak["i"], *strong], key=_dtypes.itemsize)


def _invariant(t: Translation, x: Value, term: Term) -> str:
    """The text of a number that the loop's body cannot change."""
    if isinstance(term, PythonConstant) or re.fullmatch(r"\w+\.(size|shape)\([0-9]*\)", x.text):
        return bare(x.text)
    name = bare(x.text)
    if name in [t.names.get(y) for y in t.source.parameters if y not in t.assignments]:
        return name
    return t.hoist(x).text


def _step(t: Translation, step: Term, code: str, counter: str) -> tuple[str | None, str]:
    """The comparison that continues a loop and its increment; None for a step of unknown sign."""
    if isinstance(step, PythonConstant):
        value = int(step.value)
        if value == 0:
            raise ValueError("range() arg 3 must not be zero")
        if value in (1, -1):
            return ("<", f"++{counter}") if value > 0 else (">", f"--{counter}")
        return ("<", f"{counter} += {value}") if value > 0 else (">", f"{counter} -= {-value}")
    if t.math.number_type(step).kind == "u":
        increment = _invariant(t, t.math.value(step, code), step)
        return "<", f"{counter} += {increment}"
    return None, ""


def _range(t: Translation, node: ast.expr) -> tuple[Term, Term, Term, Any]:
    """Start, stop, step and unrolling of the range of a for statement."""
    called = None
    if isinstance(node, ast.Call):
        term = t.expression(node.func)
        called = term.value if isinstance(term, PythonConstant) else None
    if called is not range and called is not jit_range:
        raise NotImplementedError(
            "a kernel's for goes over range() or jit.range(); take elements by their indices"
        )
    assert isinstance(node, ast.Call)
    unroll = None
    for keyword in node.keywords:
        if keyword.arg != "unroll" or called is range:
            raise TypeError(f"range() takes no {keyword.arg}= here; jit.range() takes unroll=")
        unroll = _unroll_factor(t.known(t.expression(keyword.value)))
    found = t.terms(node.args)
    if not 1 <= len(found) <= 3:
        raise TypeError(f"range() takes 1 to 3 numbers, not {len(found)}")
    for x in found:
        if t.math.number_type(x).kind not in "iub":
            raise TypeError(f"range() takes integers, not {describe(x)}")
    if len(found) == 1:
        found = [PythonConstant(0), *found]
    return found[0], found[1], found[2] if len(found) == 3 else PythonConstant(1), unroll


def _unroll_factor(unroll: Any) -> int | bool | None:
    """The operand of ``#pragma unroll``; True leaves it to the compiler."""
    if unroll is not None and not isinstance(unroll, bool | int):
        raise TypeError(f"unroll is True, False or how often, not {unroll!r}")
    if unroll is False:
        return 1
    if unroll is not None and unroll is not True and unroll < 1:
        raise ValueError(f"unroll is a positive number, not {unroll}")
    return unroll


def _break(t: Translation, node: ast.Break) -> bool:
    t.emit("break;")
    return False


def _continue(t: Translation, node: ast.Continue) -> bool:
    t.emit("continue;")
    return False


STATEMENTS: dict[type[ast.stmt], Callable[[Translation, Any], bool | None]] = {
    ast.While: _while,
    ast.For: _for,
    ast.Break: _break,
    ast.Continue: _continue,
}
