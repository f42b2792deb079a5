"""Statements of Python as C++: a function for given types of its arguments."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit.expressions import BINARY
from gpuarray._jit.loops import Loops, private_counters
from gpuarray._jit.operations import as_items
from gpuarray._jit.program import Compiled, Program, identifier
from gpuarray._jit.source import FunctionSource
from gpuarray._jit.translation import Line
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
)
from gpuarray._jit.variables import Again

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


class FunctionTranslator(Loops):
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
        self._private = private_counters(source.body) - set(source.parameters)
        for node in [x for statement in source.body for x in ast.walk(statement)]:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._stores[node.id] = self._stores.get(node.id, 0) + 1

    # ---- the function ---------------------------------------------------------------------------

    def translate(self) -> Compiled:
        """Translate, and add the function to the program."""
        while True:
            try:
                lines = self._once()
                break
            except Again:
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
        cpp_name = self.cpp_name(name)
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
                    re.search(rf"\b{re.escape(self.cpp_name(one.id))}\b", later.text)
                    or later.effect
                    for later in items[k + 1 :]
                    if isinstance(later, Value)
                ):
                    items = self.kept(items)
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
            raise Again

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
