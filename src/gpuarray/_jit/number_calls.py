"""Calls of functions of numbers: ufuncs, conversions, Python's functions and those of `math`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit import indexing
from gpuarray._jit.arithmetic import as_items
from gpuarray._jit.call_arguments import CallTranslator, argument_text, arguments
from gpuarray._jit.translation import Translation
from gpuarray._jit.values import (
    ArrayType,
    NumberType,
    PythonConstant,
    SharedArrayType,
    Term,
    TupleTerm,
    Value,
    Void,
    bare,
    is_number,
)
from gpuarray.kernels.generator import operations


def ufunc_call(t: Translation, name: str, node: ast.Call) -> Term:
    """A ufunc of numbers."""
    if node.keywords:
        raise NotImplementedError(f"{name}() takes no {node.keywords[0].arg}= in a kernel")
    try:
        row = operations.operation(name)
    except KeyError:
        raise NotImplementedError(f"{name}() has no device code") from None
    found = t.math.apply_all(row.name, t.terms(node.args))
    return found[0] if len(found) == 1 else TupleTerm(list(found))


def math_call(t: Translation, called: Any, node: ast.Call) -> Term:
    """A function of the module `math`, which computes in double precision."""
    name = called.__name__
    whole = name in ("floor", "ceil", "trunc")
    if not (whole or name in operations.OPERATIONS or name in operations.ALIASES):
        raise NotImplementedError(f"math.{name}() has no device code")
    terms = t.terms(node.args)
    if all(isinstance(x, PythonConstant) for x in terms):
        return PythonConstant(called(*[t.known(x) for x in terms]))
    if name in ("gcd", "lcm"):
        return t.math.apply(name, terms, python=True)
    code = t.math.weak["f"]
    found = t.math.apply(name, [t.math.value(x, code) for x in terms])
    assert isinstance(found, Value)
    assert isinstance(found.type, NumberType)
    if whole:
        found = t.math.cast(found, t.math.weak["i"])
    found.type = NumberType(found.type.dtype, found.type.dtype != "b1")  # type: ignore[union-attr]
    return found


def conversion(t: Translation, called: Any, node: ast.Call) -> Term:
    """A conversion to a dtype or one of Python's types, as ``float32(x)`` and ``int(x)``."""
    if node.keywords or len(node.args) > 1 + (called is complex):
        raise TypeError(f"{ast.unparse(node.func)}() takes one number in a kernel")
    weak = called in (int, float, complex)
    code = t.math.weak[np.dtype(called).kind] if weak else _dtypes.code(called)
    terms = t.terms(node.args)
    if all(isinstance(x, PythonConstant) for x in terms):
        function = called.type if isinstance(called, np.dtype) else called
        found = function(*[t.known(x) for x in terms])
        return PythonConstant(
            found if weak or isinstance(found, bool) else _dtypes.dtype_of(code).type(found)
        )
    if len(terms) == 2:
        part = "f8" if code == "c16" else "f4"
        parts = [argument_text(t, x, part) for x in terms]
        return Value(NumberType(code, True), f"{t.math.cpp(code)}({', '.join(parts)})")
    value = t.math.value(terms[0])
    assert isinstance(value.type, NumberType)
    if weak and value.type.kind == "c" and called is not complex:
        raise TypeError(f"{called.__name__}() takes no complex number; use its .real")
    if weak and value.type.weak and value.type.kind == code[0]:
        return value
    found_value = t.math.cast(value, code)
    return Value(NumberType(code, weak), found_value.text, found_value.effect, found_value.simple)


def _len(t: Translation, node: ast.Call) -> Term:
    (x,) = arguments(t, node, "len", "x")
    if isinstance(x, Value) and isinstance(x.type, ArrayType | SharedArrayType):
        if not x.type.ndim:
            raise TypeError("len() of an array without dimensions")
        return as_items(indexing.array_attribute(x, "shape"))[0]
    return PythonConstant(len(as_items(x)))


def _extreme(name: str) -> CallTranslator:
    def translate(t: Translation, node: ast.Call) -> Term:
        if node.keywords:
            raise NotImplementedError(f"{name[:3]}() takes no {node.keywords[0].arg}= in a kernel")
        terms = t.terms(node.args)
        if len(terms) == 1:
            terms = as_items(terms[0])
        if not terms:
            raise TypeError(f"{name[:3]}() needs numbers to choose from")
        if all(isinstance(x, PythonConstant) for x in terms):
            choose = min if name == "minimum" else max
            return PythonConstant(choose([t.known(x) for x in terms]))
        found = terms[0]
        for x in terms[1:]:
            found = t.math.apply(name, [found, x], python=True)
        return found

    return translate


def _ufunc_of_python(name: str, count: int) -> CallTranslator:
    def translate(t: Translation, node: ast.Call) -> Term:
        terms = arguments(t, node, name, *"xyz"[:count])
        found = t.math.apply_all(name, terms, python=True)
        return found[0] if len(found) == 1 else TupleTerm(list(found))

    return translate


def _where(t: Translation, node: ast.Call) -> Term:
    condition, x, y = arguments(t, node, "where", "condition", "x", "y")
    return t.math.choose(t.math.truth(condition), [x, y])


def _clip(t: Translation, node: ast.Call) -> Term:
    x, low, high = arguments(t, node, "clip", "a", a_min=None, a_max=None)
    limits = [None if isinstance(k, PythonConstant) and k.value is None else k for k in (low, high)]
    if limits[0] is None or limits[1] is None:
        for name, limit in zip(("maximum", "minimum"), limits):
            if limit is not None:
                x = t.math.apply(name, [x, limit])
        return x
    return t.math.uniform("clip", [x, low, high])


def _real_or_imag(t: Translation, node: ast.Call) -> Term:
    name = t.known(t.expression(node.func)).__name__
    (x,) = arguments(t, node, name, "val")
    return indexing.number_attribute(t, t.math.value(x), name)


def _print(t: Translation, node: ast.Call) -> Term:
    if node.keywords:
        raise NotImplementedError(f"print() takes no {node.keywords[0].arg}= in a kernel")
    formats, values = [], []
    for x in _flat(t.terms(node.args)):
        if isinstance(x, PythonConstant) and not is_number(x.value):
            text = str(x.value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            formats.append(text.replace("%", "%%"))
            continue
        value = t.math.value(x)
        assert isinstance(value.type, NumberType)
        text = t.math.operand(value)
        match value.type.kind:
            case "b":
                formats.append("%s")
                values.append(f'{text} ? "True" : "False"')
            case "i":
                formats.append("%lld")
                values.append(f"int64_t({bare(text)})")
            case "u":
                formats.append("%llu")
                values.append(f"uint64_t({bare(text)})")
            case "f":
                formats.append("%g")
                values.append(argument_text(t, value, "f8"))
            case _:
                kept = value if value.simple else t.hoist(value)
                formats.append("(%g%+gj)")
                values += [f"double({kept.text}.{part})" for part in ("real", "imag")]
    t.emit(f"printf({', '.join([_quoted(' '.join(formats)), *values])});")
    t.changes()
    return Void()


def _quoted(text: str) -> str:
    return f'"{text}\\n"'


def _flat(terms: Sequence[Term]) -> list[Term]:
    found: list[Term] = []
    for x in terms:
        found += _flat(x.items) if isinstance(x, TupleTerm) else [x]
    return found


def _range(t: Translation, node: ast.Call) -> Term:
    raise NotImplementedError("range() stands in a for statement only")


_minimum, _maximum = _extreme("minimum"), _extreme("maximum")

#: Translators of Python's own functions, by name.
BUILTINS: dict[str, CallTranslator] = {
    "abs": _ufunc_of_python("absolute", 1),
    "divmod": _ufunc_of_python("divmod", 2),
    "len": _len,
    "max": _maximum,
    "min": _minimum,
    "pow": _ufunc_of_python("power", 2),
    "print": _print,
    "range": _range,
}

#: Translators of functions of NumPy and this package that are no ufuncs.
NUMPY_FUNCTIONS: dict[str, CallTranslator] = {
    "clip": _clip,
    "imag": _real_or_imag,
    "max": _maximum,
    "min": _minimum,
    "real": _real_or_imag,
    "where": _where,
}

#: Translators of `jit`'s functions of numbers.
JIT_FUNCTIONS: dict[str, CallTranslator] = {"max": _maximum, "min": _minimum, "range": _range}
