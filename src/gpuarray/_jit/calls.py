"""What calls in a kernel become: functions of CUDA's, ufuncs, conversions, device functions."""

from __future__ import annotations

import ast
import builtins
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes, _ufunc
from gpuarray._jit.expressions import Expressions
from gpuarray._jit.intrinsics import Dim3, Intrinsic
from gpuarray._jit.kernel import Kernel
from gpuarray._jit.operations import as_items
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
    describe,
    is_number,
)
from gpuarray.kernels import operations

_Handler = Callable[[Expressions, ast.Call], Term]
_HANDLERS: dict[Any, _Handler] = {}

_WHOLE = ("i4", "i8", "u4", "u8")
_NUMBERS = (*_WHOLE, "f4", "f8")
_ATOMICS: dict[str, tuple[str, ...]] = {
    "add": (*_NUMBERS, "f2", "c8", "c16"),
    "sub": _NUMBERS,
    "exch": _NUMBERS,
    "min": _NUMBERS,
    "max": _NUMBERS,
    "inc": ("u4",),
    "dec": ("u4",),
    "cas": _NUMBERS,
    "and": _WHOLE,
    "or": _WHOLE,
    "xor": _WHOLE,
}


def _handles(*keys: Any) -> Callable[[_Handler], _Handler]:
    def register(handler: _Handler) -> _Handler:
        for key in keys:
            _HANDLERS[key] = handler
        return handler

    return register


def call(t: Expressions, called: Any, node: ast.Call) -> Term:
    """Translate a call of an object that is known."""
    if isinstance(called, Intrinsic):
        if t.program.elements and called.__name__ not in ("min", "max", "range"):
            raise TypeError(
                f"jit.{called.__name__} is for threads, but vectorize applies a function to "
                "elements; write a kernel with gpuarray.jit.rawkernel"
            )
        return _HANDLERS[called.__name__](t, node)
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
    handler = _HANDLERS.get(key)
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
            _arguments(t, node, name)
            return t.math.apply("conjugate", [base], python=True)
        if name == "astype":
            (dtype,) = _arguments(t, node, name, "dtype")
            return t.math.cast(base, _dtypes.code(t.known(dtype)))
        if name == "item":
            _arguments(t, node, name)
            return Value(Number(base.type.dtype, base.type.kind in "ifc"), base.text, base.effect)
        what = "a number has the methods astype, conj, conjugate and item"
    else:
        what = "an array has no methods; loop over its elements"
    raise AttributeError(f"{name!r} cannot be called in a kernel: {what}")


def _arguments(
    t: Expressions, node: ast.Call, called: str, *names: str, **defaults: Any
) -> list[Any]:
    """The arguments of a call in the order of a signature; given defaults are Python objects."""
    order = [*names, *defaults]
    if len(node.args) > len(order):
        raise TypeError(f"{called}() takes {len(order)} arguments, not {len(node.args)}")
    given: dict[str, Term] = dict(zip(order, t.terms(node.args)))
    for keyword in node.keywords:
        name = str(keyword.arg)
        if name not in order:
            raise TypeError(f"{called}() got an unexpected keyword argument {name!r}")
        if name in given:
            raise TypeError(f"{called}() got multiple values for argument {name!r}")
        given[name] = t.expression(keyword.value)
    missing = [name for name in names if name not in given]
    if missing:
        raise TypeError(f"{called}() misses the argument {missing[0]!r}")
    return [given[name] if name in given else Constant(defaults[name]) for name in order]


def _text(t: Expressions, x: Term, dtype: str) -> str:
    """An argument as C++ of a dtype."""
    return bare(t.math.value(x, dtype).text)


def _integer(t: Expressions, x: Term, dtype: str, what: str) -> str:
    """An integer argument as C++, in whose bits a constant may reach the highest."""
    if isinstance(x, Constant) and type(x.value) is int and dtype == "u4":
        x = Constant(x.value & 0xFFFFFFFF)
    if t.math.number(x).kind not in "iu":
        raise TypeError(f"{what} is an integer, not {describe(x)}")
    return _text(t, x, dtype)


# ---- where a thread is ---------------------------------------------------------------------------


def _dimensions(t: Expressions, node: ast.Call, name: str, form: str) -> Term:
    (ndim,) = _arguments(t, node, name, "ndim")
    count = t.known(ndim)
    if count not in (1, 2, 3):
        raise ValueError(f"{name}() is for 1, 2 or 3 dimensions, not {count!r}")
    found = [Value(Number("u4"), form.replace("?", axis)) for axis in "xyz"[:count]]
    return found[0] if count == 1 else Items(list(found))


@_handles("grid")
def _grid(t: Expressions, node: ast.Call) -> Term:
    return _dimensions(t, node, "grid", "(blockIdx.? * blockDim.? + threadIdx.?)")


@_handles("gridsize")
def _gridsize(t: Expressions, node: ast.Call) -> Term:
    return _dimensions(t, node, "gridsize", "(blockDim.? * gridDim.?)")


@_handles("laneid")
def _laneid(t: Expressions, node: ast.Call) -> Term:
    _arguments(t, node, "laneid")
    return Value(Number("u4"), "jit::laneid()")


@_handles("range", "builtins.range")
def _range(t: Expressions, node: ast.Call) -> Term:
    raise NotImplementedError("range() stands in a for statement only")


# ---- waiting, memory -----------------------------------------------------------------------------


@_handles("syncthreads", "threadfence")
def _wait(t: Expressions, node: ast.Call) -> Term:
    name = ast.unparse(node.func).rpartition(".")[2]
    called = t.known(t.expression(node.func)).__name__
    _arguments(t, node, name)
    t.emit(f"__{called}();")
    t.changes()
    return Nothing()


@_handles("syncwarp")
def _syncwarp(t: Expressions, node: ast.Call) -> Term:
    (mask,) = _arguments(t, node, "syncwarp", mask=0xFFFFFFFF)
    t.emit(f"__syncwarp({_integer(t, mask, 'u4', 'the mask')});")
    t.changes()
    return Nothing()


@_handles("shared_memory")
def _shared_memory(t: Expressions, node: ast.Call) -> Term:
    dtype, size, alignment = _arguments(t, node, "shared_memory", "dtype", "size", alignment=None)
    code = _dtypes.code(t.known(dtype))
    shape = t.known(size)
    align = t.known(alignment)
    if align is not None and (type(align) is not int or align < 1 or align & (align - 1)):
        raise ValueError(f"alignment is a power of two, not {align!r}")
    element = "uint8_t" if code == "b1" else t.math.cpp(code)
    if shape is None:
        array = Shared(code, None)
        return Value(array, f"{array.cpp}{{reinterpret_cast<{element}*>({t.program.dynamic()})}}")
    lengths = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    for length in lengths:
        if not isinstance(length, int | np.integer) or length < 1:
            raise ValueError(
                f"the size of shared memory is a positive int, a tuple of them, or None for what "
                f"the launch says, not {shape!r}"
            )
    lengths = tuple([int(x) for x in lengths])
    array = Shared(code, lengths)
    name = t.temporary("shared")
    aligned = f"__align__({align}) " if align else ""
    t.emit(f"__shared__ {aligned}{element} {name}[{math.prod(lengths)}];")
    return Value(array, f"{array.cpp}{{{name}}}")


# ---- atomic functions ----------------------------------------------------------------------------


def _atomic(name: str) -> _Handler:
    def handler(t: Expressions, node: ast.Call) -> Term:
        names = ["array", "index", "value"] + ["alt_value"] * (name == "cas")
        called = f"atomic_{name}"
        array, index, *values = _arguments(t, node, called, *names)
        if not isinstance(array, Value) or not isinstance(array.type, Array | Shared):
            raise TypeError(f"{called}() changes an element of an array, not {describe(array)}")
        code = array.type.dtype
        if code not in _ATOMICS[name]:
            known = ", ".join([_dtypes.dtype_of(x).name for x in _ATOMICS[name]])
            raise TypeError(
                f"{called}() has no form for {_dtypes.dtype_of(code).name}; it has for {known}"
            )
        place = t.element(array, index, store=True)
        if isinstance(place.type, Array):
            raise IndexError(f"{called}() needs an index for each of {array.type.ndim} dimensions")
        operands = [_same_kind(t, x, code, called) for x in values]
        t.changes()
        address = f"&{place.text}"
        if code[0] == "c":
            kept = operands[0] if operands[0].simple else t.hoist(operands[0])
            t.emit(f"::atomicAdd(&{place.text}.real, {kept.text}.real);")
            t.emit(f"::atomicAdd(&{place.text}.imag, {kept.text}.imag);")
            return Nothing()
        if code == "f2":
            t.math.headers.add("gpuarray/user_float16.cuh")
            value = f"as<::float16>({bare(operands[0].text)})"
            text = f"as<float16>(::atomicAdd(reinterpret_cast<::float16*>({address}), {value}))"
        else:
            text = f"jit::{called}({', '.join([address, *[bare(x.text) for x in operands]])})"
        return Value(Number(code), text, CHANGES)

    return handler


def _same_kind(t: Expressions, x: Term, code: str, called: str) -> Value:
    found = t.math.number(x)
    to = _dtypes.dtype_of(code)
    if not np.can_cast(_dtypes.dtype_of(found.dtype), to, "same_kind") and not (
        found.weak
        and "biufc".index(found.kind) <= "biufc".index("i" if to.kind == "u" else to.kind)
    ):
        raise TypeError(
            f"{called}() cannot convert {describe(x)} to the array's {to.name} without losing its "
            "kind; convert it first"
        )
    return t.math.value(x, code)


for _name in _ATOMICS:
    _HANDLERS[f"atomic_{_name}"] = _atomic(_name)


# ---- warps ---------------------------------------------------------------------------------------


def _shuffle(name: str) -> _Handler:
    delta = "u4" if name in ("up", "down") else "i4"
    called = f"shfl_{name}_sync" if name else "shfl_sync"

    def handler(t: Expressions, node: ast.Call) -> Term:
        mask, var, lane, width = _arguments(t, node, called, "mask", "var", "val_id", width=32)
        value = t.math.value(var)
        texts = [
            _integer(t, mask, "u4", "the mask"),
            bare(value.text),
            _integer(t, lane, delta, "val_id"),
            _integer(t, width, "i4", "the width"),
        ]
        t.changes()
        return Value(value.type, f"jit::{called}({', '.join(texts)})", CHANGES)

    return handler


for _name in ("", "up", "down", "xor"):
    _HANDLERS[f"shfl_{_name}_sync" if _name else "shfl_sync"] = _shuffle(_name)


def _vote(name: str, dtype: str) -> _Handler:
    def handler(t: Expressions, node: ast.Call) -> Term:
        mask, predicate = _arguments(t, node, f"{name}_sync", "mask", "predicate")
        texts = [_integer(t, mask, "u4", "the mask"), bare(t.math.value(predicate, "b1").text)]
        t.changes()
        text = f"__{name}_sync({', '.join(texts)})"
        return Value(Number(dtype), f"({text} != 0)" if dtype == "b1" else text, CHANGES)

    return handler


_HANDLERS |= {
    "ballot_sync": _vote("ballot", "u4"),
    "all_sync": _vote("all", "b1"),
    "any_sync": _vote("any", "b1"),
}


@_handles("activemask")
def _activemask(t: Expressions, node: ast.Call) -> Term:
    _arguments(t, node, "activemask")
    t.changes()
    return Value(Number("u4"), "__activemask()", CHANGES)


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
        parts = [_text(t, x, part) for x in terms]
        return Value(Number(code, True), f"{t.math.cpp(code)}({', '.join(parts)})")
    value = t.math.value(terms[0])
    assert isinstance(value.type, Number)
    if weak and value.type.kind == "c" and called is not complex:
        raise TypeError(f"{called.__name__}() takes no complex number; use its .real")
    if weak and value.type.weak and value.type.kind == code[0]:
        return value
    found_value = t.math.cast(value, code)
    return Value(Number(code, weak), found_value.text, found_value.effect, found_value.simple)


@_handles("builtins.len")
def _len(t: Expressions, node: ast.Call) -> Term:
    (x,) = _arguments(t, node, "len", "x")
    if isinstance(x, Value) and isinstance(x.type, Array | Shared):
        if not x.type.ndim:
            raise TypeError("len() of an array without dimensions")
        return as_items(t.array_attribute(x, "shape"))[0]
    return Constant(len(as_items(x)))


def _extreme(name: str) -> _Handler:
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


_HANDLERS |= {"builtins.min": _extreme("minimum"), "builtins.max": _extreme("maximum")}
_HANDLERS |= {"min": _HANDLERS["builtins.min"], "max": _HANDLERS["builtins.max"]}


def _operator(name: str, count: int) -> _Handler:
    def handler(t: Expressions, node: ast.Call) -> Term:
        terms = _arguments(t, node, name, *"xyz"[:count])
        found = t.math.apply_all(name, terms, python=True)
        return found[0] if len(found) == 1 else Items(list(found))

    return handler


_HANDLERS |= {
    "builtins.abs": _operator("absolute", 1),
    "builtins.pow": _operator("power", 2),
    "builtins.divmod": _operator("divmod", 2),
}


@_handles("where")
def _where(t: Expressions, node: ast.Call) -> Term:
    condition, x, y = _arguments(t, node, "where", "condition", "x", "y")
    return t.math.choose(t.math.truth(condition), [x, y])


@_handles("clip")
def _clip(t: Expressions, node: ast.Call) -> Term:
    x, low, high = _arguments(t, node, "clip", "a", a_min=None, a_max=None)
    limits = [None if isinstance(k, Constant) and k.value is None else k for k in (low, high)]
    if limits[0] is None or limits[1] is None:
        for name, limit in zip(("maximum", "minimum"), limits):
            if limit is not None:
                x = t.math.apply(name, [x, limit])
        return x
    return t.math.uniform("clip", [x, low, high])


@_handles("real", "imag")
def _parts(t: Expressions, node: ast.Call) -> Term:
    name = t.known(t.expression(node.func)).__name__
    (x,) = _arguments(t, node, name, "val")
    return t.part(t.math.value(x), name)


@_handles("builtins.print")
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
                values.append(_text(t, value, "f8"))
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
    terms = _arguments(t, node, name, *required, **defaults)
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
