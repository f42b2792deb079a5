"""Return statements as C++, and the type of a function's result."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from gpuarray import _dtypes
from gpuarray._jit.arithmetic import as_items
from gpuarray._jit.translation import Retranslate, Translation
from gpuarray._jit.values import NumberType, PythonConstant, Term, TupleTerm, Value, Void, bare


def _return(t: Translation, node: ast.Return) -> bool:
    if t.kernel:
        if node.value is not None and not (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            raise TypeError("a kernel returns nothing; store results in an array")
        t.emit("return;")
        return True
    x: Term = PythonConstant(None) if node.value is None else t.expression(node.value)
    nothing = isinstance(x, Void) or (isinstance(x, PythonConstant) and x.value is None)
    if t.returns and nothing != (t.result is None):
        raise TypeError(
            f"{t.source.name} returns a value in one place and None in another; return a "
            "value everywhere"
        )
    if nothing:
        t.returns = True
        t.emit("return;")
        return True
    if isinstance(x, PythonConstant) and isinstance(x.value, tuple):
        x = TupleTerm(as_items(x))
    t.emit(f"return {_tuple_text(t, x) if isinstance(x, TupleTerm) else _number_text(t, x)};")
    return True


def _tuple_text(t: Translation, x: TupleTerm) -> str:
    """The returned tuple, a struct in C++."""
    types = tuple([_item_type(t, item, i) for i, item in enumerate(x.items)])
    _set_result(t, types)
    texts = [bare(t.math.value(item, kind.dtype).text) for item, kind in zip(x.items, types)]
    return f"{t.name}_result{{{', '.join(texts)}}}"


def _number_text(t: Translation, x: Term) -> str:
    """The returned number."""
    kind = t.math.number_type(x)
    if t.returns:
        if not isinstance(t.result, NumberType):
            raise TypeError(f"{t.source.name} returns a tuple in one place, a number here")
        kind = _result_type(t, t.result, kind)
    _set_result(t, kind)
    return bare(t.math.value(x, kind.dtype).text)


def _item_type(t: Translation, x: Term, position: int) -> NumberType:
    """The type of an item of a returned tuple."""
    kind = t.math.number_type(x)
    if not t.returns:
        return kind
    if not isinstance(t.result, tuple) or position >= len(t.result):
        raise TypeError(f"{t.source.name} returns tuples of different lengths")
    return _result_type(t, t.result[position], kind)


def _result_type(t: Translation, a: NumberType, b: NumberType) -> NumberType:
    """The type of results of two types; a Python number takes on the other's."""
    if a == b:
        return a
    if a.weak or b.weak:
        zero = [
            PythonConstant(_dtypes.dtype_of(x.dtype).type(0)) if not x.weak else Value(x, "0")
            for x in (a, b)
        ]
        found = t.math.common_type(zero)
        if found.weak or found.dtype in (a.dtype, b.dtype):
            return found
    raise TypeError(
        f"{t.source.name} returns {a} in one place and {b} in another; convert one of them"
    )


def _set_result(t: Translation, kinds: NumberType | tuple[NumberType, ...]) -> None:
    """Keep the result's type; earlier return statements may have to convert to it."""
    if t.returns and isinstance(t.result, tuple) != isinstance(kinds, tuple):
        raise TypeError(f"{t.source.name} returns a tuple in one place, a number in another")
    if (
        t.returns
        and isinstance(kinds, tuple)
        and isinstance(t.result, tuple)
        and len(kinds) != len(t.result)
    ):
        raise TypeError(f"{t.source.name} returns tuples of different lengths")
    again = t.returns and t.result != kinds
    t.returns = True
    t.result = kinds
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        t.math.cpp(kind.dtype)
    if again:
        raise Retranslate


STATEMENTS: dict[type[ast.stmt], Callable[[Translation, Any], bool | None]] = {
    ast.Return: _return,
}
