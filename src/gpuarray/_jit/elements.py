"""A Python function of numbers as the C++ of an `ElementwiseKernel`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _dtypes
from gpuarray._jit.kernel import Kernel
from gpuarray._jit.program import Program
from gpuarray._jit.statements import FunctionTranslator
from gpuarray._jit.translation import Line
from gpuarray._jit.values import Constant, Fixed, Number, Value, bare


class Elements(NamedTuple):
    """What an `ElementwiseKernel` is made of."""

    inputs: list[np.dtype]
    outputs: list[np.dtype]
    operation: str
    preamble: str
    single: bool  # one output, and no tuple
    anywhere: bool  # may also run on zeros that stand for no element


def translate(
    kernel: Kernel, given: Sequence[tuple[str, Any]], otypes: Sequence[np.dtype] | None
) -> Elements:
    """Translate a function.

    Parameters
    ----------
    kernel : Kernel
        The function.
    given : sequence of (str, object)
        Of each argument: ``('dtype', code)``, ``('python', type)`` for a number without a dtype,
        or ``('value', object)``, which is part of the code.
    otypes : sequence of numpy.dtype, optional
        What results are converted to.
    """
    program = Program("numpy", elements=True)
    math = program.math
    types: list[Any] = []
    for how, x in given:
        if how == "value":
            types.append(Fixed(x))
        elif how == "dtype":
            types.append(Number(x))
        else:
            types.append(math.number(Constant(x(0))))
    source = kernel.source
    translator = FunctionTranslator(program, source, types, False)
    function = translator.translate()
    result = function.result
    if result is None:
        raise TypeError(
            f"vectorize: {source.name} returns nothing, but has to return a number or a tuple of "
            "numbers"
        )
    results = [result] if isinstance(result, Number) else list(result)
    outputs = [_dtypes.dtype_of(x.dtype) for x in results]
    if otypes is not None:
        if len(otypes) != len(outputs):
            raise ValueError(
                f"vectorize: otypes has {len(otypes)} dtypes, but {source.name} returns "
                f"{len(outputs)} numbers"
            )
        outputs = list(otypes)
    passed = [x for x in types if isinstance(x, Number)]
    codes = [_dtypes.code(x) for x in outputs]
    parameters = [f"{x.cpp} x{i}" for i, x in enumerate(passed)]
    parameters += [f"{math.cpp(code)}& y{i}" for i, code in enumerate(codes)]
    call = f"{function.name}({', '.join([f'x{i}' for i in range(len(passed))])})"
    single = isinstance(result, Number)
    kind = results[0].cpp if single else f"{function.name}_result"
    lines = [
        f"GPUARRAY_DEVICE void {function.name}_element({', '.join(parameters)}) {{",
        f"    const {kind} result = {call};",
    ]
    for i, (x, code) in enumerate(zip(results, codes)):
        name = "result" if single else f"result.item{i}"
        value = math.store(Value(x, name, simple=True), code)
        lines.append(f"    y{i} = {bare(value.text)};")
    lines.append("}")
    program.add(source.file, [Line(text, 0) for text in lines])
    arguments = [_as_ours(f"x{i}", x.dtype, "") for i, x in enumerate(passed)]
    arguments += [_as_ours(f"y{i}", code, "&") for i, code in enumerate(codes)]
    operation = f"::gpuarray::translated::{function.name}_element({', '.join(arguments)})"
    return Elements(
        [_dtypes.dtype_of(x.dtype) for x in passed],
        outputs,
        operation,
        program.render(""),
        single,
        program.anywhere,
    )


def _as_ours(name: str, code: str, reference: str) -> str:
    """A variable of user code's type as the project's, which has the same bytes."""
    if code != "f2" and code[0] != "c":
        return name
    ours = f"::gpuarray::{_dtypes.cpp_name(code)}"
    if reference:
        return f"reinterpret_cast<{ours}&>({name})"
    return f"::gpuarray::as<{ours}>({name})"
