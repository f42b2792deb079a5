"""Variables: what they are given, and the dtype that each keeps."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from gpuarray import _dtypes
from gpuarray._jit.expressions import Expressions
from gpuarray._jit.program import identifier
from gpuarray._jit.values import (
    PURE,
    Constant,
    Items,
    Nothing,
    Number,
    Term,
    Value,
    bare,
    describe,
    is_number,
)

_KINDS = "biufc"


class Again(Exception):
    """What a variable is has become known too late: translate the function once more."""


class Variables(Expressions):
    """The translation of assignments to names.

    Attributes
    ----------
    variables : dict
        What each name means at the statement at hand.
    names : dict of str to str
        The names in C++.
    declarations : list of str
        Of variables whose first value is given in a branch or a loop.
    adopted : dict of str to Number
        Types of variables that begin as Python's numbers and meet a dtype later.
    """

    variables: dict[str, Term]
    names: dict[str, str]
    declarations: list[str]
    adopted: dict[str, Number]
    _stores: dict[str, int]

    def local(self, name: str) -> Term | None:
        return self.variables.get(name)

    def is_local(self, name: str) -> bool:
        return name in self._stores

    def cpp_name(self, name: str) -> str:
        found = self.names.get(name)
        if found is None:
            found = identifier(name, self.names.values())
            self.names[name] = found
        return found

    def _declare(self, name: str, kind: Any, text: str | None) -> Value:
        """A new variable; with its first value where that is not in a branch or a loop."""
        cpp_name = self.cpp_name(name)
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
            raise Again
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
            x = Items(self.kept(x.items))
        found: list[Any] = []
        for i, item in enumerate(x.items):
            part = f"{name}.{i}"
            self.names.setdefault(part, identifier(f"{name}_{i}", self.names.values()))
            self._stores[part] = self._stores.get(name, 0)
            self.assign(part, item, node)
            found.append(self.variables[part])
        self.variables[name] = Items(found)

    def kept(self, items: Sequence[Any]) -> list[Any]:
        """Values that stay what they are while variables change."""
        return [self.hoist(x) if isinstance(x, Value) else x for x in items]


def _same(a: Any, b: Any) -> bool:
    try:
        return a is b or bool(a == b)
    except (TypeError, ValueError):
        return False
