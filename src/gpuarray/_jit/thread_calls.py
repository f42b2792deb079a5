"""Calls of CUDA's functions: indices of threads, barriers, shared memory, atomics, warps."""

from __future__ import annotations

import ast
import math

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit import indexing
from gpuarray._jit.call_arguments import CallTranslator, argument_text, arguments
from gpuarray._jit.translation import Translation
from gpuarray._jit.values import (
    CHANGES,
    ArrayType,
    NumberType,
    PythonConstant,
    SharedArrayType,
    Term,
    TupleTerm,
    Value,
    Void,
    bare,
    describe,
)

_INTEGERS = ("i4", "i8", "u4", "u8")
_NUMBERS = (*_INTEGERS, "f4", "f8")
_ATOMICS: dict[str, tuple[str, ...]] = {
    "add": (*_NUMBERS, "f2", "c8", "c16"),
    "sub": _NUMBERS,
    "exch": _NUMBERS,
    "min": _NUMBERS,
    "max": _NUMBERS,
    "inc": ("u4",),
    "dec": ("u4",),
    "cas": _NUMBERS,
    "and": _INTEGERS,
    "or": _INTEGERS,
    "xor": _INTEGERS,
}


def _integer(t: Translation, x: Term, dtype: str, description: str) -> str:
    """An integer argument as C++; a constant of uint32 may be given as a negative number."""
    if isinstance(x, PythonConstant) and type(x.value) is int and dtype == "u4":
        x = PythonConstant(x.value & 0xFFFFFFFF)
    if t.math.number_type(x).kind not in "iu":
        raise TypeError(f"{description} is an integer, not {describe(x)}")
    return argument_text(t, x, dtype)


# ---- indices of threads --------------------------------------------------------------------------


def _dimensions(t: Translation, node: ast.Call, name: str, form: str) -> Term:
    (ndim,) = arguments(t, node, name, "ndim")
    count = t.known(ndim)
    if count not in (1, 2, 3):
        raise ValueError(f"{name}() is for 1, 2 or 3 dimensions, not {count!r}")
    found = [Value(NumberType("u4"), form.replace("?", axis)) for axis in "xyz"[:count]]
    return found[0] if count == 1 else TupleTerm(list(found))


def _grid(t: Translation, node: ast.Call) -> Term:
    return _dimensions(t, node, "grid", "(blockIdx.? * blockDim.? + threadIdx.?)")


def _gridsize(t: Translation, node: ast.Call) -> Term:
    return _dimensions(t, node, "gridsize", "(blockDim.? * gridDim.?)")


def _laneid(t: Translation, node: ast.Call) -> Term:
    arguments(t, node, "laneid")
    return Value(NumberType("u4"), "jit::laneid()")


# ---- barriers and shared memory ------------------------------------------------------------------


def _barrier(t: Translation, node: ast.Call) -> Term:
    name = ast.unparse(node.func).rpartition(".")[2]
    called = t.known(t.expression(node.func)).__name__
    arguments(t, node, name)
    t.emit(f"__{called}();")
    t.changes()
    return Void()


def _syncwarp(t: Translation, node: ast.Call) -> Term:
    (mask,) = arguments(t, node, "syncwarp", mask=0xFFFFFFFF)
    t.emit(f"__syncwarp({_integer(t, mask, 'u4', 'the mask')});")
    t.changes()
    return Void()


def _shared_memory(t: Translation, node: ast.Call) -> Term:
    dtype, size, alignment = arguments(t, node, "shared_memory", "dtype", "size", alignment=None)
    code = _dtypes.code(t.known(dtype))
    shape = t.known(size)
    align = t.known(alignment)
    if align is not None and (type(align) is not int or align < 1 or align & (align - 1)):
        raise ValueError(f"alignment is a power of two, not {align!r}")
    element = "uint8_t" if code == "b1" else t.math.cpp(code)
    if shape is None:
        array = SharedArrayType(code, None)
        return Value(
            array, f"{array.cpp}{{reinterpret_cast<{element}*>({t.unit.dynamic_shared_memory()})}}"
        )
    lengths = tuple(shape) if isinstance(shape, tuple | list) else (shape,)
    for length in lengths:
        if not isinstance(length, int | np.integer) or length < 1:
            raise ValueError(
                f"the size of shared memory is a positive int, a tuple of them, or None for what "
                f"the launch says, not {shape!r}"
            )
    lengths = tuple([int(x) for x in lengths])
    array = SharedArrayType(code, lengths)
    name = t.temporary("shared")
    aligned = f"__align__({align}) " if align else ""
    t.emit(f"__shared__ {aligned}{element} {name}[{math.prod(lengths)}];")
    return Value(array, f"{array.cpp}{{{name}}}")


# ---- atomic functions ----------------------------------------------------------------------------


def _atomic(name: str) -> CallTranslator:
    def translate(t: Translation, node: ast.Call) -> Term:
        names = ["array", "index", "value"] + ["alt_value"] * (name == "cas")
        called = f"atomic_{name}"
        array, index, *values = arguments(t, node, called, *names)
        if not isinstance(array, Value) or not isinstance(array.type, ArrayType | SharedArrayType):
            raise TypeError(f"{called}() changes an element of an array, not {describe(array)}")
        code = array.type.dtype
        if code not in _ATOMICS[name]:
            known = ", ".join([_dtypes.dtype_of(x).name for x in _ATOMICS[name]])
            raise TypeError(
                f"{called}() has no form for {_dtypes.dtype_of(code).name}; it has for {known}"
            )
        target = indexing.element(t, array, index, store=True)
        if isinstance(target.type, ArrayType):
            raise IndexError(f"{called}() needs an index for each of {array.type.ndim} dimensions")
        operands = [_same_kind(t, x, code, called) for x in values]
        t.changes()
        address = f"&{target.text}"
        if code[0] == "c":
            kept = operands[0] if operands[0].simple else t.hoist(operands[0])
            t.emit(f"::atomicAdd(&{target.text}.real, {kept.text}.real);")
            t.emit(f"::atomicAdd(&{target.text}.imag, {kept.text}.imag);")
            return Void()
        if code == "f2":
            t.math.headers.add("gpuarray/user_float16.cuh")
            value = f"as<::float16>({bare(operands[0].text)})"
            text = f"as<float16>(::atomicAdd(reinterpret_cast<::float16*>({address}), {value}))"
        else:
            text = f"jit::{called}({', '.join([address, *[bare(x.text) for x in operands]])})"
        return Value(NumberType(code), text, CHANGES)

    return translate


def _same_kind(t: Translation, x: Term, code: str, called: str) -> Value:
    found = t.math.number_type(x)
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


# ---- warps ---------------------------------------------------------------------------------------


def _shuffle(called: str, lane_dtype: str) -> CallTranslator:
    def translate(t: Translation, node: ast.Call) -> Term:
        mask, var, lane, width = arguments(t, node, called, "mask", "var", "val_id", width=32)
        value = t.math.value(var)
        texts = [
            _integer(t, mask, "u4", "the mask"),
            bare(value.text),
            _integer(t, lane, lane_dtype, "val_id"),
            _integer(t, width, "i4", "the width"),
        ]
        t.changes()
        return Value(value.type, f"jit::{called}({', '.join(texts)})", CHANGES)

    return translate


def _vote(called: str, dtype: str) -> CallTranslator:
    def translate(t: Translation, node: ast.Call) -> Term:
        mask, predicate = arguments(t, node, called, "mask", "predicate")
        texts = [_integer(t, mask, "u4", "the mask"), bare(t.math.value(predicate, "b1").text)]
        t.changes()
        text = f"__{called}({', '.join(texts)})"
        return Value(NumberType(dtype), f"({text} != 0)" if dtype == "b1" else text, CHANGES)

    return translate


def _activemask(t: Translation, node: ast.Call) -> Term:
    arguments(t, node, "activemask")
    t.changes()
    return Value(NumberType("u4"), "__activemask()", CHANGES)


#: Translators of `jit`'s functions for threads, by name.
FUNCTIONS: dict[str, CallTranslator] = {
    "grid": _grid,
    "gridsize": _gridsize,
    "laneid": _laneid,
    "syncthreads": _barrier,
    "threadfence": _barrier,
    "syncwarp": _syncwarp,
    "shared_memory": _shared_memory,
    **{f"atomic_{name}": _atomic(name) for name in _ATOMICS},
    "shfl_sync": _shuffle("shfl_sync", "i4"),
    "shfl_up_sync": _shuffle("shfl_up_sync", "u4"),
    "shfl_down_sync": _shuffle("shfl_down_sync", "u4"),
    "shfl_xor_sync": _shuffle("shfl_xor_sync", "i4"),
    "ballot_sync": _vote("ballot_sync", "u4"),
    "all_sync": _vote("all_sync", "b1"),
    "any_sync": _vote("any_sync", "b1"),
    "activemask": _activemask,
}
