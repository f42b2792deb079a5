"""A Python function as a C++ function, for given types of its arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit import conditions, expressions, loops, returns, statements
from gpuarray._jit.functions import JitFunction
from gpuarray._jit.identifiers import identifier
from gpuarray._jit.source import FunctionSource
from gpuarray._jit.translation import Retranslate, Translation, Translators
from gpuarray._jit.translation_unit import CodeLine, TranslatedFunction, TranslationUnit
from gpuarray._jit.values import (
    PURE,
    LiteralType,
    NumberType,
    PythonConstant,
    Term,
    TupleTerm,
    Value,
    bare,
)


def translate_function(
    unit: TranslationUnit, source: FunctionSource, types: Sequence[Any], kernel: bool
) -> TranslatedFunction:
    """Translate a function and add it to the unit.

    Parameters
    ----------
    unit : TranslationUnit
        The kernel with its device functions.
    source : FunctionSource
        The function.
    types : sequence
        Of its arguments: `NumberType`, `ArrayType`, `SharedArrayType`, `LiteralType`, or a tuple
        of these.
    kernel : bool
        Whether it is launched, or called by other functions.
    """
    t = Translation(unit, source, types, kernel, _TRANSLATORS)
    outer = unit.math.conversions  # of the function that calls this one
    while True:
        unit.math.conversions = {}
        try:
            lines = _definition(t)
            break
        except Retranslate:
            t.restart()
    unit.add(source.file, lines)
    written = [i for i, x in enumerate(source.parameters) if t.names.get(x) in t.written]
    narrowed = {}
    for i, name in enumerate(source.parameters):
        if (dtype := _narrowed(t, name)) is not None:
            narrowed[i] = dtype
    unit.math.conversions = outer
    return TranslatedFunction(t.name, t.result, t.effect, frozenset(written), narrowed)


def _narrowed(t: Translation, name: str) -> str | None:
    """The narrowest integer dtype that the value of a parameter is converted to, if any."""
    given = t.names.get(f"{name} given")
    if given is None and t.assignments.get(name):
        return None  # it has other values, too
    found = t.math.conversions.get(given or t.names.get(name, ""))
    return min(found, key=lambda x: np.iinfo(_dtypes.dtype_of(x)).max) if found else None


def _device_function(
    unit: TranslationUnit, function: JitFunction, types: tuple[Any, ...]
) -> TranslatedFunction:
    return translate_function(unit, function.source, types, False)


_TRANSLATORS = Translators(
    expressions={**expressions.EXPRESSIONS, **conditions.EXPRESSIONS},
    statements={**statements.STATEMENTS, **loops.STATEMENTS, **returns.STATEMENTS},
    function=_device_function,
)


def _definition(t: Translation) -> list[CodeLine]:
    """The lines of the function."""
    parameters: list[str] = []
    if len(t.types) != len(t.source.parameters):
        raise t.source.error(
            TypeError,
            None,
            f"{t.source.name}() takes {len(t.source.parameters)} arguments, not {len(t.types)}",
        )
    for name, kind in zip(t.source.parameters, t.types):
        t.variables[name] = _parameter(t, name, kind, parameters)
        t.assigned.add(name)
    ends = t.block(t.source.body)
    declared = list(t.declarations)
    if t.kernel:
        declared = _narrow_parameters(t, parameters) + declared
    if t.returns and t.result is not None and not ends:
        raise t.source.error(
            TypeError,
            t.source.body[-1],
            f"{t.source.name} may end without a return, where Python returns None; add "
            "one at the end",
        )
    head: list[str] = []
    result = "void"
    if isinstance(t.result, tuple):
        members = " ".join([f"{x.cpp} item{i};" for i, x in enumerate(t.result)])
        head.append(f"struct {t.name}_result {{ {members} }};")
        result = f"{t.name}_result"
    elif t.result is not None:
        result = t.result.cpp
    start = 'extern "C" __global__' if t.kernel else "GPUARRAY_DEVICE"
    head.append(f"{start} {result} {t.name}({', '.join(parameters)}) {{")
    first = t.source.node.lineno
    return [
        *[CodeLine(text, 0, first) for text in head],
        *[CodeLine(text, 1, first) for text in declared],
        *t.lines,
        CodeLine("}", 0, t.source.node.end_lineno or first),
    ]


def _narrow_parameters(t: Translation, parameters: list[str]) -> list[str]:
    """Let Python's integers come as narrow as they are used, so that a launch checks their range.

    Returns the declarations of the variables that the function reads in their place.
    """
    declared: list[str] = []
    for name, kind in zip(t.source.parameters, t.types):
        dtype = _narrowed(t, name) if isinstance(kind, NumberType) else None
        if dtype is None or dtype == kind.dtype:
            continue
        given = t.names.get(f"{name} given") or t.cpp_name(name)
        at = parameters.index(f"{kind.cpp} {given}")
        if f"{name} given" not in t.names:
            passed = identifier(f"{name}_given", t.names.values())
            declared.append(f"const {kind.cpp} {given} = {passed};")
            given = passed
        parameters[at] = f"{t.math.cpp(dtype)} {given}"
    return declared


def _parameter(t: Translation, name: str, kind: Any, parameters: list[str]) -> Term:
    """A parameter as a term, whose declaration is added to the parameters of the C++."""
    if isinstance(kind, LiteralType):
        return PythonConstant(kind.value)
    if isinstance(kind, tuple):
        for i, _ in enumerate(kind):
            t.names[f"{name}.{i}"] = identifier(f"{name}_{i}", t.names.values())
        return TupleTerm(
            [_parameter(t, f"{name}.{i}", x, parameters) for i, x in enumerate(kind)]  # type: ignore[misc]
        )
    t.math.cpp(kind.dtype)
    cpp_name = t.cpp_name(name)
    wanted = t.adopted.get(name)
    if wanted is None:
        parameters.append(f"{kind.cpp} {cpp_name}")
        return Value(kind, cpp_name, PURE, True)
    given = identifier(f"{name}_given", t.names.values())
    t.names[f"{name} given"] = given
    parameters.append(f"{kind.cpp} {given}")
    value = t.math.cast(Value(kind, given, PURE, True), wanted.dtype)
    t.emit(f"{wanted.cpp} {cpp_name} = {bare(value.text)};")
    return Value(wanted, cpp_name, PURE, True)
