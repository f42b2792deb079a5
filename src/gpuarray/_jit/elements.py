"""A Python function of numbers as the C++ of an `ElementwiseKernel`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit.arithmetic import Arithmetic
from gpuarray._jit.functions import JitFunction
from gpuarray._jit.translation_unit import CodeLine, TranslatedFunction, TranslationUnit
from gpuarray._jit.translator import translate_function
from gpuarray._jit.values import LiteralType, NumberType, PythonConstant, Value, bare


class ElementFunction(NamedTuple):
    """What an `ElementwiseKernel` is made of."""

    inputs: list[np.dtype]
    outputs: list[np.dtype]
    operation: str
    preamble: str
    single: bool  # one output, and no tuple
    speculatable: bool  # may be executed for elements that do not exist, as zeros


def translate(
    function: JitFunction, given: Sequence[tuple[str, Any]], otypes: Sequence[np.dtype] | None
) -> ElementFunction:
    """Translate a function.

    Parameters
    ----------
    function : JitFunction
        The function.
    given : sequence of (str, object)
        Of each argument: ``('dtype', code)``, ``('python', type)`` for a number without a dtype,
        or ``('value', object)``, which is part of the code.
    otypes : sequence of numpy.dtype, optional
        What results are converted to.
    """
    unit = TranslationUnit("numpy", elementwise=True)
    types: list[Any] = []
    for category, x in given:
        if category == "value":
            types.append(LiteralType(x))
        elif category == "dtype":
            types.append(NumberType(x))
        else:
            types.append(unit.math.number_type(PythonConstant(x(0))))
    source = function.source
    translated = translate_function(unit, source, types, False)
    result = translated.result
    if result is None:
        raise TypeError(
            f"vectorize: {source.name} returns nothing, but has to return a number or a tuple of "
            "numbers"
        )
    results = [result] if isinstance(result, NumberType) else list(result)
    outputs = [_dtypes.dtype_of(x.dtype) for x in results]
    if otypes is not None:
        if len(otypes) != len(outputs):
            raise ValueError(
                f"vectorize: otypes has {len(otypes)} dtypes, but {source.name} returns "
                f"{len(outputs)} numbers"
            )
        outputs = list(otypes)
    # A Python integer comes as narrow as it is used, so that a launch checks its range.
    passed = [
        NumberType(translated.narrowed.get(i, x.dtype))
        for i, x in enumerate(types)
        if isinstance(x, NumberType)
    ]
    codes = [_dtypes.code(x) for x in outputs]
    lines = _element_lines(unit.math, translated, passed, codes)
    unit.add(source.file, [CodeLine(text, 0) for text in lines])
    arguments = [_as_package_type(f"x{i}", x.dtype, "") for i, x in enumerate(passed)]
    arguments += [_as_package_type(f"y{i}", code, "&") for i, code in enumerate(codes)]
    operation = f"::gpuarray::translated::{translated.name}_element({', '.join(arguments)})"
    return ElementFunction(
        [_dtypes.dtype_of(x.dtype) for x in passed],
        outputs,
        operation,
        unit.render(""),
        isinstance(result, NumberType),
        unit.speculatable,
    )


def _element_lines(
    math: Arithmetic,
    translated: TranslatedFunction,
    passed: Sequence[NumberType],
    codes: Sequence[str],
) -> list[str]:
    """The C++ that calls the function for an element and converts its results."""
    parameters = [f"{x.cpp} x{i}" for i, x in enumerate(passed)]
    parameters += [f"{math.cpp(code)}& y{i}" for i, code in enumerate(codes)]
    call = f"{translated.name}({', '.join([f'x{i}' for i in range(len(passed))])})"
    if isinstance(translated.result, NumberType):
        result_type = translated.result.cpp
        values = [Value(translated.result, "result", simple=True)]
    else:
        assert translated.result is not None
        result_type = f"{translated.name}_result"
        values = [Value(x, f"result.item{i}", simple=True) for i, x in enumerate(translated.result)]
    lines = [
        f"GPUARRAY_DEVICE void {translated.name}_element({', '.join(parameters)}) {{",
        f"    const {result_type} result = {call};",
    ]
    for i, (value, code) in enumerate(zip(values, codes)):
        lines.append(f"    y{i} = {bare(math.store(value, code).text)};")
    lines.append("}")
    return lines


def _as_package_type(name: str, code: str, reference: str) -> str:
    """A variable of an `ElementwiseKernel` as this package's type of the same bytes."""
    if code != "f2" and code[0] != "c":
        return name
    type_name = f"::gpuarray::{_dtypes.cpp_name(code)}"
    if reference:
        return f"reinterpret_cast<{type_name}&>({name})"
    return f"::gpuarray::as<{type_name}>({name})"
