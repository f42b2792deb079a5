"""Assignments to variables, each of which keeps its dtype."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from gpuarray import _dtypes
from gpuarray._jit.identifiers import identifier
from gpuarray._jit.translation import Retranslate, Translation
from gpuarray._jit.values import (
    PURE,
    NumberType,
    PythonConstant,
    Term,
    TupleTerm,
    Value,
    ValueType,
    Void,
    bare,
    describe,
    is_number,
    leading_name,
)

_KINDS = "biufc"


def assign(t: Translation, name: str, x: Term) -> None:
    """Assign to a variable.

    Raises
    ------
    TypeError
        The value is of another type than the variable's earlier ones.
    Retranslate
        The variable began as a Python number and meets its dtype here.
    """
    t.assigned.add(name)
    old = t.variables.get(name)
    if isinstance(x, Void):
        raise TypeError(f"{name} is given the result of a function that has none")
    if isinstance(x, TupleTerm):
        _assign_items(t, name, x)
        return
    if isinstance(x, PythonConstant) and not is_number(x.value):
        if old is not None and not (isinstance(old, PythonConstant) and _same(old.value, x.value)):
            raise _other_meaning(name, old, x)
        t.variables[name] = x
        return
    if isinstance(x, PythonConstant) and old is None and _is_constant(t, name):
        t.variables[name] = x
        return
    if isinstance(x, Value) and not isinstance(x.type, NumberType):
        # One source is enough: of another one, the type alone could be the same.
        t.sources.setdefault(t.cpp_name(name), leading_name(x.text))
        if old is None:
            t.variables[name] = _declare(t, name, x.type, bare(x.text))
        elif isinstance(old, Value) and old.type == x.type:
            t.emit(f"{old.text} = {bare(x.text)};")
        else:
            raise _other_meaning(name, old, x)
        return
    _assign_number(t, name, x, old)


def _declare(t: Translation, name: str, kind: ValueType, text: str) -> Value:
    """Declare a variable: where it is assigned, or above where that is in a branch or a loop."""
    cpp_name = t.cpp_name(name)
    if isinstance(kind, NumberType):
        t.math.cpp(kind.dtype)
    if t.depth == 1:
        t.emit(f"{kind.cpp} {cpp_name} = {text};")
    else:
        t.declarations.append(f"{kind.cpp} {cpp_name};")
        t.emit(f"{cpp_name} = {text};")
    return Value(kind, cpp_name, PURE, True)


def _is_constant(t: Translation, name: str) -> bool:
    """Whether a variable is assigned once, outside of branches and loops."""
    return t.depth == 1 and t.assignments.get(name) == 1 and name not in t.adopted


def _assign_number(t: Translation, name: str, x: Term, old: Term | None) -> None:
    kind = t.math.number_type(x)
    if old is None:
        kind = t.adopted.get(name, kind)
        t.variables[name] = _declare(t, name, kind, bare(t.math.value(x, kind.dtype).text))
        return
    if not (isinstance(old, Value) and isinstance(old.type, NumberType)):
        raise _other_meaning(name, old, x)
    declared = old.type
    greater = _KINDS.index(kind.kind.replace("u", "i")) > _KINDS.index(
        declared.kind.replace("u", "i")
    )
    if declared.weak and (greater or not kind.weak) and declared != kind:
        if "b" in (declared.kind, kind.kind) or not (
            greater or _KINDS.index(kind.kind) >= _KINDS.index(declared.kind)
        ):
            _raise_mismatch(name, declared, kind)
        t.adopted[name] = kind
        raise Retranslate
    if kind.weak:
        lower = _KINDS.index(kind.kind) <= _KINDS.index(declared.kind.replace("u", "i"))
        if not lower or declared.kind == "b":
            _raise_mismatch(name, declared, kind)
    elif kind.dtype != declared.dtype:
        _raise_mismatch(name, declared, kind)
    t.emit(f"{old.text} = {bare(t.math.value(x, declared.dtype).text)};")


def _other_meaning(name: str, old: Term, x: Term) -> TypeError:
    return TypeError(
        f"the variable {name} is {describe(old)} above and {describe(x)} here; use two names"
    )


def _raise_mismatch(name: str, declared: NumberType, kind: NumberType) -> NoReturn:
    wanted = _dtypes.dtype_of(declared.dtype).name
    raise TypeError(
        f"the variable {name} is {declared} above, but the value here is {kind}: a variable "
        f"keeps its dtype. Convert the value, {wanted}(...), begin with "
        f"{_dtypes.dtype_of(kind.dtype).name}, or use two names"
    )


def _assign_items(t: Translation, name: str, x: TupleTerm) -> None:
    old = t.variables.get(name)
    if old is not None:
        if not isinstance(old, TupleTerm) or len(old.items) != len(x.items):
            raise _other_meaning(name, old, x)
        x = TupleTerm(hoisted(t, x.items))
    found: list[Any] = []
    for i, item in enumerate(x.items):
        part = f"{name}.{i}"
        t.names.setdefault(part, identifier(f"{name}_{i}", t.names.values()))
        t.assignments[part] = t.assignments.get(name, 0)
        assign(t, part, item)
        found.append(t.variables[part])
    t.variables[name] = TupleTerm(found)


def hoisted(t: Translation, items: Sequence[Any]) -> list[Any]:
    """Values that no later assignment changes."""
    return [t.hoist(x) if isinstance(x, Value) else x for x in items]


def _same(a: Any, b: Any) -> bool:
    try:
        return a is b or bool(a == b)
    except (TypeError, ValueError):
        return False
