"""Calls as C++: of functions of CUDA's, ufuncs, conversions, device functions and methods."""

from __future__ import annotations

import ast
import builtins
from typing import Any

import numpy as np

from gpuarray import _dtypes, _ufunc
from gpuarray._jit import number_calls, thread_calls
from gpuarray._jit.call_arguments import arguments
from gpuarray._jit.functions import JitFunction
from gpuarray._jit.intrinsics import Dim3, Intrinsic
from gpuarray._jit.translation import Translation, is_foldable
from gpuarray._jit.values import (
    CHANGES,
    PURE,
    LiteralType,
    NumberType,
    PythonConstant,
    Term,
    TupleTerm,
    Value,
    Void,
    bare,
    is_number,
)


def call(t: Translation, called: Any, node: ast.Call) -> Term:
    """Translate a call of an object that is known."""
    if isinstance(called, Intrinsic):
        return _intrinsic_call(t, called, node)
    if isinstance(called, JitFunction):
        return _device_function_call(t, called, node)
    if isinstance(called, _ufunc.ufunc):
        return number_calls.ufunc_call(t, called.__name__, node)
    if isinstance(called, np.ufunc):
        return number_calls.ufunc_call(t, called.__name__, node)
    if isinstance(called, Dim3):
        raise TypeError(f"jit.{called.__name__} is no function; it has x, y and z")
    if _is_number_type(called):
        return number_calls.conversion(t, called, node)
    module = getattr(called, "__module__", None) or ""
    if module == "math":
        return number_calls.math_call(t, called, node)
    name = getattr(called, "__name__", "")
    from_library = module.partition(".")[0] in ("numpy", "gpuarray")
    translate = None
    if called is getattr(builtins, name, None):
        translate = number_calls.BUILTINS.get(name)
    elif from_library:
        translate = number_calls.NUMPY_FUNCTIONS.get(name)
    elif hasattr(called, "__code__"):
        raise NotImplementedError(
            f"{name} cannot be called in a kernel: decorate it with "
            "gpuarray.jit.rawkernel(device=True)"
        )
    if translate is not None:
        return translate(t, node)
    if is_foldable(called):
        values = [t.known(x) for x in t.terms(node.args)]
        keywords = {str(x.arg): t.known(t.expression(x.value)) for x in node.keywords}
        return PythonConstant(called(*values, **keywords))
    remedy = "ufuncs, where, clip, min, max, abs, len, dtypes and gpuarray.jit's functions can"
    if from_library:
        remedy = f"{name} works on whole arrays, outside of kernels; in them {remedy}"
    raise NotImplementedError(f"{name or repr(called)} cannot be called in a kernel: {remedy}")


def _intrinsic_call(t: Translation, called: Intrinsic, node: ast.Call) -> Term:
    translate = number_calls.JIT_FUNCTIONS.get(called.__name__)
    if translate is None:
        if t.unit.elementwise:
            raise TypeError(
                f"jit.{called.__name__} is for threads, but vectorize applies a function to "
                "elements; write a kernel with gpuarray.jit.rawkernel"
            )
        translate = thread_calls.FUNCTIONS[called.__name__]
    return translate(t, node)


def _is_number_type(x: Any) -> bool:
    """Whether calling an object converts numbers: a dtype or a type of numbers."""
    return isinstance(x, np.dtype) or (
        isinstance(x, type) and issubclass(x, np.generic | bool | int | float | complex)
    )


def method_call(t: Translation, base: Value, node: ast.Call) -> Term:
    """Translate a call of a method of a number."""
    assert isinstance(node.func, ast.Attribute)
    name = node.func.attr
    if isinstance(base.type, NumberType):
        if name in ("conj", "conjugate"):
            arguments(t, node, name)
            return t.math.apply("conjugate", [base], python=True)
        if name == "astype":
            (dtype,) = arguments(t, node, name, "dtype")
            return t.math.cast(base, _dtypes.code(t.known(dtype)))
        if name == "item":
            arguments(t, node, name)
            return Value(
                NumberType(base.type.dtype, base.type.kind in "ifc"), base.text, base.effect
            )
        remedy = "a number has the methods astype, conj, conjugate and item"
    else:
        remedy = "an array has no methods; loop over its elements"
    raise AttributeError(f"{name!r} cannot be called in a kernel: {remedy}")


# ---- device functions ----------------------------------------------------------------------------


def _device_function_call(t: Translation, called: JitFunction, node: ast.Call) -> Term:
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
    translated = t.device_function(called, tuple(types))
    for i in translated.written:
        x = terms[i]
        if isinstance(x, Value):
            t.writes(x.text)
    for i, dtype in translated.narrowed.items():
        x = terms[i]
        if isinstance(x, Value) and x.simple:
            t.math.conversions.setdefault(x.text, set()).add(dtype)
    text = f"{translated.name}({', '.join(texts)})"
    if translated.effect == CHANGES:
        t.changes()
    effect = max([*effects, translated.effect])
    match translated.result:
        case None:
            t.emit(f"{text};")
            return Void()
        case NumberType():
            return Value(translated.result, text, effect)
    result = t.temporary()
    t.emit(f"const {translated.name}_result {result} = {text};")
    return TupleTerm(
        [Value(x, f"{result}.item{i}", PURE, True) for i, x in enumerate(translated.result)]
    )


def _passed(t: Translation, x: Term) -> tuple[Any, list[Value]]:
    """The type of an argument of a device function, and the values that are passed for it."""
    if isinstance(x, TupleTerm):
        parts = [_passed(t, item) for item in x.items]
        return tuple([kind for kind, _ in parts]), [v for _, values in parts for v in values]
    if isinstance(x, PythonConstant) and not is_number(x.value):
        return LiteralType(x.value), []
    if isinstance(x, Void):
        raise TypeError("a function without a result is no argument")
    value = x if isinstance(x, Value) else t.math.value(x)
    return value.type, [value]
