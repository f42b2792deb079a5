"""Functions of CUDA's in kernels: where a thread is, waiting, shared memory, atomics, warps."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit.expressions import Expressions
from gpuarray._jit.values import (
    CHANGES,
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
)

Handler = Callable[[Expressions, ast.Call], Term]
HANDLERS: dict[Any, Handler] = {}

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


def handles(*keys: Any) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for key in keys:
            HANDLERS[key] = handler
        return handler

    return register


def arguments(
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


def text_of(t: Expressions, x: Term, dtype: str) -> str:
    """An argument as C++ of a dtype."""
    return bare(t.math.value(x, dtype).text)


def _integer(t: Expressions, x: Term, dtype: str, what: str) -> str:
    """An integer argument as C++, in whose bits a constant may reach the highest."""
    if isinstance(x, Constant) and type(x.value) is int and dtype == "u4":
        x = Constant(x.value & 0xFFFFFFFF)
    if t.math.number(x).kind not in "iu":
        raise TypeError(f"{what} is an integer, not {describe(x)}")
    return text_of(t, x, dtype)


# ---- where a thread is ---------------------------------------------------------------------------


def _dimensions(t: Expressions, node: ast.Call, name: str, form: str) -> Term:
    (ndim,) = arguments(t, node, name, "ndim")
    count = t.known(ndim)
    if count not in (1, 2, 3):
        raise ValueError(f"{name}() is for 1, 2 or 3 dimensions, not {count!r}")
    found = [Value(Number("u4"), form.replace("?", axis)) for axis in "xyz"[:count]]
    return found[0] if count == 1 else Items(list(found))


@handles("grid")
def _grid(t: Expressions, node: ast.Call) -> Term:
    return _dimensions(t, node, "grid", "(blockIdx.? * blockDim.? + threadIdx.?)")


@handles("gridsize")
def _gridsize(t: Expressions, node: ast.Call) -> Term:
    return _dimensions(t, node, "gridsize", "(blockDim.? * gridDim.?)")


@handles("laneid")
def _laneid(t: Expressions, node: ast.Call) -> Term:
    arguments(t, node, "laneid")
    return Value(Number("u4"), "jit::laneid()")


@handles("range", "builtins.range")
def _range(t: Expressions, node: ast.Call) -> Term:
    raise NotImplementedError("range() stands in a for statement only")


# ---- waiting, memory -----------------------------------------------------------------------------


@handles("syncthreads", "threadfence")
def _wait(t: Expressions, node: ast.Call) -> Term:
    name = ast.unparse(node.func).rpartition(".")[2]
    called = t.known(t.expression(node.func)).__name__
    arguments(t, node, name)
    t.emit(f"__{called}();")
    t.changes()
    return Nothing()


@handles("syncwarp")
def _syncwarp(t: Expressions, node: ast.Call) -> Term:
    (mask,) = arguments(t, node, "syncwarp", mask=0xFFFFFFFF)
    t.emit(f"__syncwarp({_integer(t, mask, 'u4', 'the mask')});")
    t.changes()
    return Nothing()


@handles("shared_memory")
def _shared_memory(t: Expressions, node: ast.Call) -> Term:
    dtype, size, alignment = arguments(t, node, "shared_memory", "dtype", "size", alignment=None)
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


def _atomic(name: str) -> Handler:
    def handler(t: Expressions, node: ast.Call) -> Term:
        names = ["array", "index", "value"] + ["alt_value"] * (name == "cas")
        called = f"atomic_{name}"
        array, index, *values = arguments(t, node, called, *names)
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
    HANDLERS[f"atomic_{_name}"] = _atomic(_name)


# ---- warps ---------------------------------------------------------------------------------------


def _shuffle(name: str) -> Handler:
    delta = "u4" if name in ("up", "down") else "i4"
    called = f"shfl_{name}_sync" if name else "shfl_sync"

    def handler(t: Expressions, node: ast.Call) -> Term:
        mask, var, lane, width = arguments(t, node, called, "mask", "var", "val_id", width=32)
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
    HANDLERS[f"shfl_{_name}_sync" if _name else "shfl_sync"] = _shuffle(_name)


def _vote(name: str, dtype: str) -> Handler:
    def handler(t: Expressions, node: ast.Call) -> Term:
        mask, predicate = arguments(t, node, f"{name}_sync", "mask", "predicate")
        texts = [_integer(t, mask, "u4", "the mask"), bare(t.math.value(predicate, "b1").text)]
        t.changes()
        text = f"__{name}_sync({', '.join(texts)})"
        return Value(Number(dtype), f"({text} != 0)" if dtype == "b1" else text, CHANGES)

    return handler


HANDLERS |= {
    "ballot_sync": _vote("ballot", "u4"),
    "all_sync": _vote("all", "b1"),
    "any_sync": _vote("any", "b1"),
}


@handles("activemask")
def _activemask(t: Expressions, node: ast.Call) -> Term:
    arguments(t, node, "activemask")
    t.changes()
    return Value(Number("u4"), "__activemask()", CHANGES)
