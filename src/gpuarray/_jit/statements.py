"""Statements of Python as C++: a function for given types of its arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit.expressions import BINARY, Expressions, Line
from gpuarray._jit.intrinsics import range as jit_range
from gpuarray._jit.operations import as_items
from gpuarray._jit.program import Compiled, Program, identifier
from gpuarray._jit.source import FunctionSource
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    READS,
    Array,
    Constant,
    Fixed,
    Items,
    Nothing,
    Number,
    Shared,
    Term,
    Value,
    bare,
    describe,
    is_number,
)

_REFUSED = {
    ast.With: "with",
    ast.Try: "try; a kernel has no exceptions",
    ast.Raise: "raise; a kernel has no exceptions: use assert, or store a flag",
    ast.FunctionDef: "a function inside of it; define it outside with @jit.rawkernel(device=True)",
    ast.ClassDef: "a class",
    ast.Delete: "del",
    ast.Global: "global; store in an array",
    ast.Nonlocal: "nonlocal; store in an array",
    ast.Import: "import; import outside of it",
    ast.ImportFrom: "import; import outside of it",
    ast.Match: "match; use if and elif",
}
_KINDS = "biufc"


class _Again(Exception):
    """What a variable is has become known too late: translate the function once more."""


class FunctionTranslator(Expressions):
    """The translation of one function.

    Parameters
    ----------
    program : Program
        What it becomes a part of.
    source : FunctionSource
        The function.
    types : tuple
        Of its arguments: `Number`, `Array`, `Shared`, `Fixed`, or a tuple of these.
    kernel : bool
        Whether it is launched, or called by other functions.
    """

    def __init__(
        self, program: Program, source: FunctionSource, types: Sequence[Any], kernel: bool
    ):
        self.program = program
        self.math = program.math
        self.source = source
        self.types = types
        self.kernel = kernel
        self.name = program.name(f"jit_{source.name}" if kernel else source.name)
        #: Types of variables that begin as Python's numbers and meet a dtype later.
        self.adopted: dict[str, Number] = {}
        self.result: Number | tuple[Number, ...] | None = None
        self.returns = False
        self._stores: dict[str, int] = {}
        self._private = _private_counters(source.body) - set(source.parameters)
        for node in [x for statement in source.body for x in ast.walk(statement)]:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._stores[node.id] = self._stores.get(node.id, 0) + 1

    # ---- variables ------------------------------------------------------------------------------

    def local(self, name: str) -> Term | None:
        return self.variables.get(name)

    def is_local(self, name: str) -> bool:
        return name in self._stores

    def _cpp_name(self, name: str) -> str:
        found = self.names.get(name)
        if found is None:
            found = identifier(name, self.names.values())
            self.names[name] = found
        return found

    def _declare(self, name: str, kind: Any, text: str | None) -> Value:
        """A new variable; with its first value where that is not in a branch or a loop."""
        cpp_name = self._cpp_name(name)
        if isinstance(kind, Number):
            self.math.cpp(kind.dtype)
        if text is not None and self.depth == 1:
            self.emit(f"{kind.cpp} {cpp_name} = {text};")
        else:
            self.declarations.append(f"{kind.cpp} {cpp_name};")
            if text is not None:
                self.emit(f"{cpp_name} = {text};")
        found = Value(kind, cpp_name, PURE, True)
        return found

    def assign(self, name: str, x: Term, node: ast.AST) -> None:
        """Give a variable a value."""
        old = self.variables.get(name)
        if isinstance(x, Nothing):
            raise TypeError(f"{name} is given the result of a function that has none")
        if isinstance(x, Items):
            self._assign_items(name, x, node)
            return
        if isinstance(x, Constant) and not is_number(x.value):
            if old is not None and not (isinstance(old, Constant) and _same(old.value, x.value)):
                raise TypeError(
                    f"the variable {name} is {describe(old)} above and {describe(x)} here; use "
                    "two names"
                )
            self.variables[name] = x
            return
        if isinstance(x, Constant) and old is None and self._fixed(name):
            self.variables[name] = x
            return
        if isinstance(x, Value) and not isinstance(x.type, Number):
            if old is None:
                self.variables[name] = self._declare(name, x.type, bare(x.text))
            elif isinstance(old, Value) and old.type == x.type:
                self.emit(f"{old.text} = {bare(x.text)};")
            else:
                raise TypeError(
                    f"the variable {name} is {describe(old)} above and {describe(x)} here; use "
                    "two names"
                )
            return
        self._assign_number(name, x, old)

    def _fixed(self, name: str) -> bool:
        """Whether a variable keeps the first value that it is given."""
        return self.depth == 1 and self._stores.get(name) == 1 and name not in self.adopted

    def _assign_number(self, name: str, x: Term, old: Term | None) -> None:
        kind = self.math.number(x)
        if old is None:
            kind = self.adopted.get(name, kind)
            self.variables[name] = self._declare(
                name, kind, bare(self.math.value(x, kind.dtype).text)
            )
            return
        if not (isinstance(old, Value) and isinstance(old.type, Number)):
            raise TypeError(
                f"the variable {name} is {describe(old)} above and {describe(x)} here; use two "
                "names"
            )
        declared = old.type
        greater = _KINDS.index(kind.kind.replace("u", "i")) > _KINDS.index(
            declared.kind.replace("u", "i")
        )
        if declared.weak and (greater or not kind.weak) and not self._keeps(declared, kind):
            if "b" in (declared.kind, kind.kind) or not (
                greater or _KINDS.index(kind.kind) >= _KINDS.index(declared.kind)
            ):
                self._mismatch(name, declared, kind)
            self.adopted[name] = kind
            raise _Again
        if kind.weak:
            lower = _KINDS.index(kind.kind) <= _KINDS.index(declared.kind.replace("u", "i"))
            if not lower or declared.kind == "b":
                self._mismatch(name, declared, kind)
        elif kind.dtype != declared.dtype:
            self._mismatch(name, declared, kind)
        self.emit(f"{old.text} = {bare(self.math.value(x, declared.dtype).text)};")

    @staticmethod
    def _keeps(declared: Number, kind: Number) -> bool:
        return declared == kind

    @staticmethod
    def _mismatch(name: str, declared: Number, kind: Number) -> None:
        wanted = _dtypes.dtype_of(declared.dtype).name
        raise TypeError(
            f"the variable {name} is {declared} above, but the value here is {kind}: a variable "
            f"keeps its dtype. Convert the value, {wanted}(...), begin with "
            f"{_dtypes.dtype_of(kind.dtype).name}, or use two names"
        )

    def _assign_items(self, name: str, x: Items, node: ast.AST) -> None:
        old = self.variables.get(name)
        if old is not None:
            if not isinstance(old, Items) or len(old.items) != len(x.items):
                raise TypeError(
                    f"the variable {name} is {describe(old)} above and {describe(x)} here; use "
                    "two names"
                )
            x = Items(self._kept(x.items))
        found: list[Any] = []
        for i, item in enumerate(x.items):
            part = f"{name}.{i}"
            self.names.setdefault(part, identifier(f"{name}_{i}", self.names.values()))
            self._stores[part] = self._stores.get(name, 0)
            self.assign(part, item, node)
            found.append(self.variables[part])
        self.variables[name] = Items(found)

    def _kept(self, items: Sequence[Any]) -> list[Any]:
        """Values that stay what they are while variables change."""
        return [self.hoist(x) if isinstance(x, Value) else x for x in items]

    # ---- the function ---------------------------------------------------------------------------

    def translate(self) -> Compiled:
        """Translate, and add the function to the program."""
        while True:
            try:
                lines = self._once()
                break
            except _Again:
                continue
        self.program.add(self.source.file, lines)
        return Compiled(self.name, self.result, self.effect)

    def _once(self) -> list[Line]:
        self.variables: dict[str, Term] = {}
        self.names: dict[str, str] = {}
        self.declarations: list[str] = []
        self.effect = PURE
        self.written = set()
        self.counts = {}
        self.depth = 1
        self.line_number = self.source.node.lineno
        self.lines = []
        parameters: list[str] = []
        if len(self.types) != len(self.source.parameters):
            raise self.source.error(
                TypeError,
                None,
                f"{self.source.name}() takes {len(self.source.parameters)} arguments, not "
                f"{len(self.types)}",
            )
        for name, kind in zip(self.source.parameters, self.types):
            self.variables[name] = self._parameter(name, kind, parameters)
        ends = self.block(self.source.body)
        if self.returns and self.result is not None and not ends:
            raise self.source.error(
                TypeError,
                self.source.body[-1],
                f"{self.source.name} may end without a return, where Python returns None; add "
                "one at the end",
            )
        head: list[str] = []
        result = "void"
        if isinstance(self.result, tuple):
            members = " ".join([f"{x.cpp} item{i};" for i, x in enumerate(self.result)])
            head.append(f"struct {self.name}_result {{ {members} }};")
            result = f"{self.name}_result"
        elif self.result is not None:
            result = self.result.cpp
        start = 'extern "C" __global__' if self.kernel else "GPUARRAY_DEVICE"
        head.append(f"{start} {result} {self.name}({', '.join(parameters)}) {{")
        first = self.source.node.lineno
        return [
            *[Line(text, 0, first) for text in head],
            *[Line(text, 1, first) for text in self.declarations],
            *self.lines,
            Line("}", 0, self.source.node.end_lineno or first),
        ]

    def _parameter(self, name: str, kind: Any, parameters: list[str]) -> Term:
        """A parameter as the function's body sees it."""
        if isinstance(kind, Fixed):
            return Constant(kind.value)
        if isinstance(kind, tuple):
            for i, _ in enumerate(kind):
                self.names[f"{name}.{i}"] = identifier(f"{name}_{i}", self.names.values())
            return Items(
                [self._parameter(f"{name}.{i}", x, parameters) for i, x in enumerate(kind)]  # type: ignore[misc]
            )
        self.math.cpp(kind.dtype)
        cpp_name = self._cpp_name(name)
        wanted = self.adopted.get(name)
        if wanted is None:
            parameters.append(f"{kind.cpp} {cpp_name}")
            return Value(kind, cpp_name, PURE, True)
        given = identifier(f"{name}_given", self.names.values())
        self.names[f"{name} given"] = given
        parameters.append(f"{kind.cpp} {given}")
        value = self.math.cast(Value(kind, given, PURE, True), wanted.dtype)
        self.emit(f"{wanted.cpp} {cpp_name} = {bare(value.text)};")
        return Value(wanted, cpp_name, PURE, True)

    def block(self, body: Sequence[ast.stmt]) -> bool:
        """Translate statements; whether the function never goes on behind them."""
        return any(self.statement(node) for node in body)

    def statement(self, node: ast.stmt) -> bool:
        """Translate a statement; whether the function never goes on behind it."""
        if isinstance(node, ast.Pass) or (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            return False
        method = getattr(self, f"_{type(node).__name__.lower()}_statement", None)
        if method is None:
            what = _REFUSED.get(type(node), type(node).__name__)
            raise self.source.error(NotImplementedError, node, f"a kernel cannot have {what}")
        self.line_number = node.lineno
        start = len(self.lines)
        depth = self.depth
        try:
            ends = bool(method(node))
        except (
            TypeError, ValueError, ArithmeticError, LookupError, NameError, NotImplementedError,
            AttributeError, RecursionError,
        ) as error:  # fmt: skip
            raise self._located(error, node) from error.__cause__
        if len(self.lines) > start and self.lines[start].depth == depth:
            comment = self.source.lines[node.lineno - 1].strip()
            self.lines[start] = self.lines[start]._replace(comment=comment, number=node.lineno)
        return ends

    # ---- assignments ----------------------------------------------------------------------------

    def _assign_statement(self, node: ast.Assign) -> None:
        x = self.expression(node.value)
        if len(node.targets) > 1 and isinstance(x, Value) and not x.simple:
            x = self.hoist(x)
        for target in node.targets:
            self._store(target, x)

    def _annassign_statement(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            raise NotImplementedError("a kernel has no declarations without a value")
        x = self.expression(node.value)
        dtype = self.expression(node.annotation)
        if isinstance(dtype, Constant) and isinstance(dtype.value, type | np.dtype):
            declared = dtype.value
            if declared not in (int, float, complex):
                x = self.math.value(x, _dtypes.code(declared))
        self._store(node.target, x)

    def _store(self, target: ast.expr, x: Term) -> None:
        if isinstance(target, ast.Name):
            self.assign(target.id, x, target)
        elif isinstance(target, ast.Tuple | ast.List):
            items = as_items(x)
            if len(items) != len(target.elts):
                raise ValueError(f"{len(target.elts)} names are given {len(items)} values")
            for k, one in enumerate(target.elts[:-1]):
                if not isinstance(one, ast.Name) or any(
                    re.search(rf"\b{re.escape(self._cpp_name(one.id))}\b", later.text)
                    or later.effect
                    for later in items[k + 1 :]
                    if isinstance(later, Value)
                ):
                    items = self._kept(items)
                    break
            for one, item in zip(target.elts, items):
                self._store(one, item)
        elif isinstance(target, ast.Subscript):
            base = self.expression(target.value)
            place = self._stored_place(base, target, False)
            assert isinstance(place.type, Number)
            value = self.math.store(x, place.type.dtype)
            self.emit(f"{place.text} = {bare(value.text)};")
        else:
            raise NotImplementedError(
                "a kernel assigns to variables and elements of arrays; "
                f"{ast.unparse(target)} is neither"
            )

    def _stored_place(self, base: Term, target: ast.Subscript, twice: bool) -> Value:
        if not isinstance(base, Value) or not isinstance(base.type, Array | Shared):
            raise TypeError(f"{describe(base)} has no elements to assign to")
        place = self.element(base, target.slice, store=True, twice=twice)
        if not isinstance(place.type, Number):
            raise TypeError(
                f"{describe(base)} needs {base.type.ndim} indices to assign to an element; loop "
                "over the others"
            )
        return place

    def _augassign_statement(self, node: ast.AugAssign) -> None:
        name = BINARY.get(type(node.op))
        if name is None:
            raise NotImplementedError("a kernel multiplies matrices by loops; @= is not available")
        if isinstance(node.target, ast.Name):
            load = ast.copy_location(ast.Name(id=node.target.id, ctx=ast.Load()), node.target)
            left, right = self.terms([load, node.value])
            if not isinstance(left, Constant | Value) or (
                isinstance(left, Value) and not isinstance(left.type, Number)
            ):
                raise TypeError(
                    f"{node.target.id} is {describe(left)}, which has no {ast.unparse(node)!r} in "
                    "a kernel; change its elements"
                )
            found = self.math.apply(name, [left, right], python=True)
            self.assign(node.target.id, found, node)
            return
        if not isinstance(node.target, ast.Subscript):
            raise NotImplementedError("a kernel assigns to variables and elements of arrays")
        base = self.expression(node.target.value)
        place = self._stored_place(base, node.target, True)
        assert isinstance(place.type, Number)
        text = f"({place.text} != 0)" if place.type.dtype == "b1" else place.text
        loaded = Value(place.type, text, READS)
        start = len(self.lines)
        right = self.expression(node.value)
        if len(self.lines) > start or (isinstance(right, Value) and right.effect == CHANGES):
            loaded = self.hoist(loaded, start)
        found = self.math.apply(name, [loaded, right], python=True)
        value = self.math.store(found, place.type.dtype)
        self.emit(f"{place.text} = {bare(value.text)};")

    # ---- decisions and loops --------------------------------------------------------------------

    def _if_statement(self, node: ast.If) -> bool:
        condition = self.truth(node.test)
        if isinstance(condition, Constant):
            return self.block(node.body if condition.value else node.orelse)
        self.emit(f"if ({bare(condition.text)}) {{")
        ends = self._inner(node.body)
        orelse = node.orelse
        while len(orelse) == 1 and isinstance(orelse[0], ast.If):
            self.line_number = orelse[0].lineno
            with self.captured(1) as lines:
                condition = self.truth(orelse[0].test)
            if lines or isinstance(condition, Constant):
                break
            self.emit(f"}} else if ({bare(condition.text)}) {{")
            ends = self._inner(orelse[0].body) and ends
            orelse = orelse[0].orelse
        if orelse:
            self.emit("} else {")
            ends = self._inner(orelse) and ends
        self.emit("}")
        return ends and bool(orelse)

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
        counter = self._cpp_name(name) if direct else self.temporary("counter")
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

    # ---- the rest -------------------------------------------------------------------------------

    def _return_statement(self, node: ast.Return) -> bool:
        if self.kernel:
            if node.value is not None and not (
                isinstance(node.value, ast.Constant) and node.value.value is None
            ):
                raise TypeError("a kernel returns nothing; store results in an array")
            self.emit("return;")
            return True
        x: Term = Constant(None) if node.value is None else self.expression(node.value)
        nothing = isinstance(x, Nothing) or (isinstance(x, Constant) and x.value is None)
        if self.returns and nothing != (self.result is None):
            raise TypeError(
                f"{self.source.name} returns a value in one place and None in another; return a "
                "value everywhere"
            )
        if nothing:
            self.returns = True
            self.emit("return;")
            return True
        if isinstance(x, Constant) and isinstance(x.value, tuple):
            x = Items(as_items(x))
        if isinstance(x, Items):
            kinds = tuple(
                [self._unified(item, i if self.returns else None) for i, item in enumerate(x.items)]
            )
            self._results(kinds)
            texts = [
                bare(self.math.value(item, kind.dtype).text) for item, kind in zip(x.items, kinds)
            ]
            self.emit(f"return {self.name}_result{{{', '.join(texts)}}};")
            return True
        kind = self._unified(x, None)
        if self.returns:
            if not isinstance(self.result, Number):
                raise TypeError(f"{self.source.name} returns a tuple in one place, a number here")
            kind = self._joined(self.result, kind)
        self._results(kind)
        self.emit(f"return {bare(self.math.value(x, kind.dtype).text)};")
        return True

    def _unified(self, x: Term, place: int | None) -> Number:
        kind = self.math.number(x)
        if place is None:
            return kind
        if not isinstance(self.result, tuple) or place >= len(self.result):
            raise TypeError(f"{self.source.name} returns tuples of different lengths")
        return self._joined(self.result[place], kind)

    def _joined(self, a: Number, b: Number) -> Number:
        """The type of a result that is returned as two; a Python number takes on the other."""
        if a == b:
            return a
        if a.weak or b.weak:
            zero = [
                Constant(_dtypes.dtype_of(x.dtype).type(0)) if not x.weak else Value(x, "0")
                for x in (a, b)
            ]
            found = self.math.unify(zero)
            if found.weak or found.dtype in (a.dtype, b.dtype):
                return found
        raise TypeError(
            f"{self.source.name} returns {a} in one place and {b} in another; convert one of them"
        )

    def _results(self, kinds: Number | tuple[Number, ...]) -> None:
        """Note what is returned; what was returned before may have to be converted to it."""
        if self.returns and isinstance(self.result, tuple) != isinstance(kinds, tuple):
            raise TypeError(f"{self.source.name} returns a tuple in one place, a number in another")
        if (
            self.returns
            and isinstance(kinds, tuple)
            and isinstance(self.result, tuple)
            and len(kinds) != len(self.result)
        ):
            raise TypeError(f"{self.source.name} returns tuples of different lengths")
        again = self.returns and self.result != kinds
        self.returns = True
        self.result = kinds
        for kind in kinds if isinstance(kinds, tuple) else (kinds,):
            self.math.cpp(kind.dtype)
        if again:
            raise _Again

    def _assert_statement(self, node: ast.Assert) -> None:
        condition = self.truth(node.test)
        text = "false" if isinstance(condition, Constant) else bare(condition.text)
        if isinstance(condition, Constant) and condition.value:
            return
        message = self.source.text(node.test)
        if isinstance(node.msg, ast.Constant) and isinstance(node.msg.value, str):
            message = node.msg.value
        quoted = message.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        self.changes()
        self.emit(f'assert(({text}) && "{quoted}");')

    def _expr_statement(self, node: ast.Expr) -> None:
        x = self.expression(node.value)
        for item in x.items if isinstance(x, Items) else [x]:
            if isinstance(item, Value) and item.effect == CHANGES:
                self.emit(f"{bare(item.text)};")


def _same(a: Any, b: Any) -> bool:
    try:
        return a is b or bool(a == b)
    except (TypeError, ValueError):
        return False


def _private_counters(body: Sequence[ast.stmt]) -> frozenset[str]:
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
