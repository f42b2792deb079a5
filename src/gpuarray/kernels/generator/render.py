"""Expressions to C++: one statement per node, shared nodes once."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from gpuarray._dtypes import category, cpp_name, info, narrow_float
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input, Scalar
from gpuarray.kernels.generator.operations import LIGHT, Code
from gpuarray.kernels.generator.times import time_code

#: What a function's head begins with: GPUARRAY_DEVICE is inlined wherever it is called. A heavy
#: operation that a thread applies to many elements one after another is not: its code, repeated
#: for each, would take seconds to compile.
DEVICE, CALLED = "GPUARRAY_DEVICE", "__device__ __noinline__"

_TOKEN = re.compile(r"\b(in[0-9]|[TRVW])\b")
_CASTS = "gpuarray/casts.cuh"


class Body:
    """Statements that compute expressions from the variables ``in0``, ``in1``, ...

    Attributes
    ----------
    lines : list of str
        The statements.
    headers : set of str
        What they need.
    weight : int
        That of the heaviest operation.
    long : int
        How many operations are not light.
    lean : bool
        Whether all of these are lean: see `Code`.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.headers: set[str] = set()
        self.weight = LIGHT
        self.long = 0
        self.lean = True
        self._names: dict[Expression, str] = {}

    def value(self, expression: Expression) -> str:
        """Return the name (or literal) that holds the expression's value."""
        name = self._names.get(expression)
        if name is None:
            name = self._add(expression)
            self._names[expression] = name
        return name

    def _add(self, expression: Expression) -> str:
        self.type_of(expression.dtype)
        match expression:
            case Input() | Scalar():
                return f"in{expression.index}"
            case Constant():
                return literal(expression)
            case Cast():
                return self._cast(expression)
            case Apply():
                return self._apply(expression)

    def type_of(self, dtype: str) -> str:
        """Return the C++ name of a dtype and see that its header is included."""
        header = info(dtype).header
        if header:
            self.headers.add(header)
        return info(dtype).cpp_name

    def _declare(self, dtype: str, code: str) -> str:
        name = f"t{len(self.lines)}"
        self.lines.append(f"const {self.type_of(dtype)} {name} = {code};")
        return name

    def _cast(self, node: Cast) -> str:
        source = node.operand.dtype
        operand = self.value(node.operand)
        if source == node.dtype:
            return operand
        code, header = cast_code(operand, source, node.dtype)
        if header:
            self.headers.add(header)
        return self._declare(node.dtype, code)

    def _apply(self, node: Apply) -> str:
        code = apply_code(node, [self.value(operand) for operand in node.operands])
        if code.header:
            self.headers.add(code.header)
        self.weight = max(self.weight, code.weight)
        if code.weight > LIGHT:
            self.long += 1
            self.lean = self.lean and code.lean
        return self._declare(node.dtype, f"{cpp_name(node.dtype)}({code.text})")


def is_heavy(expression: Expression) -> bool:
    """Whether code that is repeated for many elements would be long."""
    body = Body()
    body.value(expression)
    return body.weight > LIGHT


def apply_code(node: Apply, operands: Sequence[str]) -> Code:
    """Return an operation's code with its operands (names, or what else needs no parentheses)."""
    chosen = node.category
    code = node.operation.code(chosen, node.output)
    if chosen == "float":
        # Floats of 16 bits compute in float32 and are rounded when the result is converted.
        operands = [
            f"float({name})" if narrow_float(operand.dtype) else name
            for name, operand in zip(operands, node.operands, strict=True)
        ]
    tokens = _types(node, chosen)
    tokens.update({f"in{i}": name for i, name in enumerate(operands)})
    return code._replace(text=_TOKEN.sub(lambda match: tokens[match[1]], code.text))


def _types(node: Apply, chosen: str) -> dict[str, str]:
    """What the type letters in a row's code stand for."""
    loop = info(node.operands[node.operation.category_operand].dtype)
    result = {"R": cpp_name(node.dtype)}
    narrow = narrow_float(loop.code) and chosen == "float"
    result["T"] = "float" if narrow else loop.cpp_name
    if loop.category == "complex":
        result["V"] = "float" if loop.code == "c8" else "double"
    if loop.category in ("signed", "unsigned"):
        # Narrower ones would be promoted to int, whose overflow is undefined.
        result["W"] = "uint64_t" if loop.itemsize == 8 else "uint32_t"
    return result


def cast_code(operand: str, source: str, target: str) -> tuple[str, str]:
    """Return the code that converts a value as NumPy's astype does, and the header it needs."""
    to = cpp_name(target)
    from_category, to_category = category(source), category(target)
    if "raw" in (from_category, to_category):
        raise TypeError(f"elements of dtype {source} are moved, and not converted to {target}")
    if to_category == "time":
        return time_code(operand, source, target)
    if to_category == "bool":
        if from_category == "complex":
            return f"{operand}.real != 0 || {operand}.imag != 0", ""
        return (f"float({operand}) != 0" if narrow_float(source) else f"{operand} != 0"), ""
    if from_category == "complex":
        part = "f4" if source == "c8" else "f8"
        if to_category == "complex":
            value = "float" if target == "c8" else "double"
            return f"{to}({value}({operand}.real), {value}({operand}.imag))", ""
        # The imaginary part is dropped, as NumPy does with a warning.
        if part == target:
            return f"{operand}.real", ""
        return cast_code(f"{operand}.real", part, target)
    if to_category == "complex":
        part = "f4" if target == "c8" else "f8"
        real = operand if source == part else cast_code(operand, source, part)[0]
        return f"{to}({real}, 0)", ""
    if from_category == "float":
        if narrow_float(source):
            operand = f"float({operand})"
        if to_category in ("signed", "unsigned"):
            return f"gpuarray::to_integer<{to}>({operand})", _CASTS
        return f"{to}({operand})", ""
    if narrow_float(target):
        # NumPy, too, goes through float32 from integers.
        return f"{to}(float({operand}))", ""
    return f"{to}({operand})", ""


def literal(constant: Constant) -> str:
    """Return C++ for a constant, exact to the bit (but for the payload of a NaN)."""
    value = constant.value
    dtype = info(constant.dtype)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        suffix = "u" if dtype.category == "unsigned" else ""
        suffix += "ll" if dtype.itemsize == 8 else ""
        if value < 0:
            # The magnitude of the lowest integer has no literal of the signed type.
            return f"{dtype.cpp_name}({value + 1}{suffix} - 1)"
        return f"{dtype.cpp_name}({value}{suffix})"
    if isinstance(value, complex):
        part = "f4" if dtype.code == "c8" else "f8"
        real, imag = _float_literal(value.real, part), _float_literal(value.imag, part)
        return f"{dtype.cpp_name}({real}, {imag})"
    assert isinstance(value, float)
    if narrow_float(dtype.code):
        return f"{dtype.cpp_name}({_float_literal(value, 'f4')})"
    return _float_literal(value, dtype.code)


def _float_literal(value: float, dtype: str) -> str:
    if math.isfinite(value):
        # A float32's double has more digits than needed, and parses to the float32 exactly.
        return repr(value) + ("f" if dtype == "f4" else "")
    if dtype == "f4":
        bits = 0x7FC00000 if math.isnan(value) else 0x7F800000
        text = f"gpuarray::float_from_bits(0x{bits:08x}u)"
    else:
        bits = 0x7FF8 << 48 if math.isnan(value) else 0x7FF0 << 48
        text = f"gpuarray::float_from_bits(uint64_t(0x{bits:016x}ull))"
    return f"-{text}" if math.copysign(1.0, value) < 0 else text
