"""What calls in a kernel become: functions of CUDA's, ufuncs, conversions, device functions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes, _ufunc
from gpuarray._jit.expressions import Expressions
from gpuarray._jit.intrinsics import Dim3, Intrinsic
from gpuarray._jit.kernel import Kernel
from gpuarray._jit.operations import as_items
from gpuarray._jit.thread_calls import HANDLERS, Handler, arguments, handles, text_of
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    Array,
    Constant,
    Items,
    Nothing,
    Number,
    Shared,
    Term,
    Value,
    bare,
    is_number,
)
from gpuarray.kernels.generator import operations


def call(t: Expressions, called: Any, node: ast.Call) -> Term:
    """Translate a call of an object that is known."""
    if isinstance(called, Intrinsic):
        if t.program.elements and called.__name__ not in ("min", "max", "range"):
            raise TypeError(
                f"jit.{called.__name__} is for threads, but vectorize applies a function to "
                "elements; write a kernel with gpuarray.jit.rawkernel"
            )
        return HANDLERS[called.__name__](t, node)
    if isinstance(called, Kernel):
        return _device_function(t, called, node)
    if isinstance(called, _ufunc.ufunc):
        return _ufunc_call(t, called.operation, node)
    if isinstance(called, np.ufunc):
        return _ufunc_call(t, called.__name__, node)
    if isinstance(called, Dim3):
        raise TypeError(f"jit.{called.__name__} is no function; it has x, y and z")
    module = getattr(called, "__module__", None) or ""
    name = getattr(called, "__name__", "")
    if isinstance(called, np.dtype) or (isinstance(called, type) and called not in (tuple, range)):
        if isinstance(called, np.dtype) or issubclass(
            called, np.generic | bool | int | float | complex
        ):
            return _convert(t, called, node)
    if module == "math":
        return _mathematics(t, called, node)
    key: Any = name
    if called is getattr(builtins, name, None):
        key = f"builtins.{name}"
    elif module.partition(".")[0] not in ("numpy", "gpuarray"):
        key = None
    handler = HANDLERS.get(key)
    if handler is not None:
        return handler(t, node)
    if t.foldable(called):
        values = [t.known(x) for x in t.terms(node.args)]
        keywords = {str(x.arg): t.known(t.expression(x.value)) for x in node.keywords}
        return Constant(called(*values, **keywords))
    remedy = "ufuncs, where, clip, min, max, abs, len, dtypes and gpuarray.jit's functions can"
    if hasattr(called, "__code__") and key is None:
        remedy = "decorate it with gpuarray.jit.rawkernel(device=True)"
    elif module.partition(".")[0] in ("numpy", "gpuarray"):
        remedy = f"{name} works on whole arrays, outside of kernels; in them {remedy}"
    raise NotImplementedError(f"{name or repr(called)} cannot be called in a kernel: {remedy}")


def method(t: Expressions, base: Value, node: ast.Call) -> Term:
    """Translate a call of a method of a number."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    if isinstance(base.type, Number):
        if name in ("conj", "conjugate"):
            arguments(t, node, name)
            return t.math.apply("conjugate", [base], python=True)
        if name == "astype":
            (dtype,) = arguments(t, node, name, "dtype")
            return t.math.cast(base, _dtypes.code(t.known(dtype)))
        if name == "item":
            arguments(t, node, name)
            return Value(Number(base.type.dtype, base.type.kind in "ifc"), base.text, base.effect)
        what = "a number has the methods astype, conj, conjugate and item"
    else:
        what = "an array has no methods; loop over its elements"
    raise AttributeError(f"{name!r} cannot be called in a kernel: {what}")


# ---- NumPy's functions and Python's --------------------------------------------------------------


def _ufunc_call(t: Expressions, name: str, node: ast.Call) -> Term:
    if node.keywords:
        raise NotImplementedError(f"{name}() takes no {node.keywords[0].arg}= in a kernel")
    try:
        row = operations.operation(name)
    except KeyError:
        raise NotImplementedError(f"{name}() has no device code") from None
    found = t.math.apply_all(row.name, t.terms(node.args))
    return found[0] if len(found) == 1 else Items(list(found))


def _mathematics(t: Expressions, called: Any, node: ast.Call) -> Term:
    """A function of the module math: a double, as Python's float is."""
    name = called.__name__
    whole = name in ("floor", "ceil", "trunc")
    table = operations
    if not (whole or name in table.OPERATIONS or name in table.ALIASES):
        raise NotImplementedError(f"math.{name}() has no device code")
    terms = t.terms(node.args)
    if all(isinstance(x, Constant) for x in terms):
        return Constant(called(*[t.known(x) for x in terms]))
    if name in ("gcd", "lcm"):
        return t.math.apply(name, terms, python=True)
    code = t.math.weak["f"]
    found = t.math.apply(name, [t.math.value(x, code) for x in terms])
    assert isinstance(found, Value)
    assert isinstance(found.type, Number)
    if whole:
        found = t.math.cast(found, t.math.weak["i"])
    found.type = Number(found.type.dtype, found.type.dtype != "b1")  # type: ignore[union-attr]
    return found


def _convert(t: Expressions, called: Any, node: ast.Call) -> Term:
    """``float32(x)``, ``int(x)``."""
    if node.keywords or len(node.args) > 1 + (called is complex):
        raise TypeError(f"{ast.unparse(node.func)}() takes one number in a kernel")
    weak = called in (int, float, complex)
    code = t.math.weak[np.dtype(called).kind] if weak else _dtypes.code(called)
    terms = t.terms(node.args)
    if all(isinstance(x, Constant) for x in terms):
        function = called.type if isinstance(called, np.dtype) else called
        found = function(*[t.known(x) for x in terms])
        return Constant(
            found if weak or isinstance(found, bool) else _dtypes.dtype_of(code).type(found)
        )
    if len(terms) == 2:
        part = "f8" if code == "c16" else "f4"
        parts = [text_of(t, x, part) for x in terms]
        return Value(Number(code, True), f"{t.math.cpp(code)}({', '.join(parts)})")
    value = t.math.value(terms[0])
    assert isinstance(value.type, Number)
    if weak and value.type.kind == "c" and called is not complex:
        raise TypeError(f"{called.__name__}() takes no complex number; use its .real")
    if weak and value.type.weak and value.type.kind == code[0]:
        return value
    found_value = t.math.cast(value, code)
    return Value(Number(code, weak), found_value.text, found_value.effect, found_value.simple)


@handles("builtins.len")
def _len(t: Expressions, node: ast.Call) -> Term:
    (x,) = arguments(t, node, "len", "x")
    if isinstance(x, Value) and isinstance(x.type, Array | Shared):
        if not x.type.ndim:
            raise TypeError("len() of an array without dimensions")
        return as_items(t.array_attribute(x, "shape"))[0]
    return Constant(len(as_items(x)))


def _extreme(name: str) -> Handler:
    def handler(t: Expressions, node: ast.Call) -> Term:
        if node.keywords:
            raise NotImplementedError(f"{name[:3]}() takes no {node.keywords[0].arg}= in a kernel")
        terms = t.terms(node.args)
        if len(terms) == 1:
            terms = as_items(terms[0])
        if not terms:
            raise TypeError(f"{name[:3]}() needs numbers to choose from")
        if all(isinstance(x, Constant) for x in terms):
            choose = min if name == "minimum" else max
            return Constant(choose([t.known(x) for x in terms]))
        found = terms[0]
        for x in terms[1:]:
            found = t.math.apply(name, [found, x], python=True)
        return found

    return handler


HANDLERS |= {"builtins.min": _extreme("minimum"), "builtins.max": _extreme("maximum")}
HANDLERS |= {"min": HANDLERS["builtins.min"], "max": HANDLERS["builtins.max"]}


def _operator(name: str, count: int) -> Handler:
    def handler(t: Expressions, node: ast.Call) -> Term:
        terms = arguments(t, node, name, *"xyz"[:count])
        found = t.math.apply_all(name, terms, python=True)
        return found[0] if len(found) == 1 else Items(list(found))

    return handler


HANDLERS |= {
    "builtins.abs": _operator("absolute", 1),
    "builtins.pow": _operator("power", 2),
    "builtins.divmod": _operator("divmod", 2),
}


@handles("where")
def _where(t: Expressions, node: ast.Call) -> Term:
    condition, x, y = arguments(t, node, "where", "condition", "x", "y")
    return t.math.choose(t.math.truth(condition), [x, y])


@handles("clip")
def _clip(t: Expressions, node: ast.Call) -> Term:
    x, low, high = arguments(t, node, "clip", "a", a_min=None, a_max=None)
    limits = [None if isinstance(k, Constant) and k.value is None else k for k in (low, high)]
    if limits[0] is None or limits[1] is None:
        for name, limit in zip(("maximum", "minimum"), limits):
            if limit is not None:
                x = t.math.apply(name, [x, limit])
        return x
    return t.math.uniform("clip", [x, low, high])


@handles("real", "imag")
def _parts(t: Expressions, node: ast.Call) -> Term:
    name = t.known(t.expression(node.func)).__name__
    (x,) = arguments(t, node, name, "val")
    return t.part(t.math.value(x), name)


@handles("builtins.print")
def _print(t: Expressions, node: ast.Call) -> Term:
    if node.keywords:
        raise NotImplementedError(f"print() takes no {node.keywords[0].arg}= in a kernel")
    formats, values = [], []
    for x in _flat(t.terms(node.args)):
        if isinstance(x, Constant) and not is_number(x.value):
            text = str(x.value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            formats.append(text.replace("%", "%%"))
            continue
        value = t.math.value(x)
        assert isinstance(value.type, Number)
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
                values.append(text_of(t, value, "f8"))
            case _:
                kept = value if value.simple else t.hoist(value)
                formats.append("(%g%+gj)")
                values += [f"double({kept.text}.{part})" for part in ("real", "imag")]
    t.emit(f"printf({', '.join([_quoted(' '.join(formats)), *values])});")
    t.changes()
    return Nothing()


def _quoted(text: str) -> str:
    return f'"{text}\\n"'


def _flat(terms: Sequence[Term]) -> list[Term]:
    found: list[Term] = []
    for x in terms:
        found += _flat(x.items) if isinstance(x, Items) else [x]
    return found


# ---- device functions ----------------------------------------------------------------------------


def _device_function(t: Expressions, called: Kernel, node: ast.Call) -> Term:
    name = called.__name__
    if not called.device:
        raise TypeError(
            f"{name} is a kernel, which a kernel cannot call; decorate it with "
            "gpuarray.jit.rawkernel(device=True)"
        )
    source = called.source
    defaults = called.defaults()
    required = [x for x in source.parameters if x not in defaults]
    terms = arguments(t, node, name, *required, **defaults)
    types, texts, effects = [], [], [PURE]
    for x in terms:
        kind, passed = _passed(t, x)
        types.append(kind)
        texts += [bare(value.text) for value in passed]
        effects += [value.effect for value in passed]
    compiled = t.program.function(called, tuple(types))
    text = f"{compiled.name}({', '.join(texts)})"
    if compiled.effect == CHANGES:
        t.changes()
    effect = max([*effects, compiled.effect])
    match compiled.result:
        case None:
            t.emit(f"{text};")
            return Nothing()
        case Number():
            return Value(compiled.result, text, effect)
    result = t.temporary()
    t.emit(f"const {compiled.name}_result {result} = {text};")
    return Items([Value(x, f"{result}.item{i}", PURE, True) for i, x in enumerate(compiled.result)])


def _passed(t: Expressions, x: Term) -> tuple[Any, list[Value]]:
    """The type of an argument of a device function, and what is passed for it."""
    from gpuarray._jit.values import Fixed

    if isinstance(x, Items):
        parts = [_passed(t, item) for item in x.items]
        return tuple([kind for kind, _ in parts]), [v for _, values in parts for v in values]
    if isinstance(x, Constant) and not is_number(x.value):
        return Fixed(x.value), []
    if isinstance(x, Nothing):
        raise TypeError("a function without a result is no argument")
    value = x if isinstance(x, Value) else t.math.value(x)
    return value.type, [value]
