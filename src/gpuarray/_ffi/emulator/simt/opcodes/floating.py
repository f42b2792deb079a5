"""binary32 and binary64 arithmetic (PTX ISA, "Floating Point Instructions")."""

from __future__ import annotations

import numpy as np

from ..emitter import Emitter, UnsupportedForm
from ..fused import two_sum
from ..registry import handles, runtime
from ..types import code_of
from . import half

nd = np.ndarray
f4, f8, i8, u8 = np.float32, np.float64, np.int64, np.uint64
DIRECTED = ("rz", "rm", "rp")


class Form:
    """Modifiers that most floating instructions share."""

    def __init__(self, i):
        flags = i.opcode.flags
        self.code = code_of(i.opcode.types[-1])
        self.ftz = "ftz" in flags and self.code == "f4"
        self.saturates = "sat" in flags
        self.direction = i.opcode.first_of(*DIRECTED)
        self.approximate = "approx" in flags or "full" in flags

    def read(self, e: Emitter, operand) -> str:
        value = e.value(operand, self.code, raw=True)
        return f"flush({value})" if self.ftz else value

    def write(self, e: Emitter, operand, expression: str) -> None:
        if self.ftz:
            expression = f"flush({expression})"
        if self.saturates:
            expression = f"saturate({expression})"
        e.assign(operand, expression, self.code, computed=True)


def arithmetic(e: Emitter, i) -> None:
    """The opcodes that :mod:`.integer` hands over for float types."""
    form = Form(i)
    values = [form.read(e, o) for o in i.operands[1:]]
    ufunc = _UFUNCS.get(i.name)
    if ufunc and not (form.ftz or form.saturates or form.direction):
        # Of two NaN the processor keeps the first operand's, the hardware the second's.
        first, second = values if i.name == "sub" else reversed(values)
        if e.defer(i.operands[0], form.code, ufunc, first, second):
            return
    form.write(e, i.operands[0], _ARITHMETIC[i.name](e, i, form, values))


_UFUNCS = {"add": "np.add", "sub": "np.subtract", "mul": "np.multiply"}


def _add_sub(e, i, form, values) -> str:
    a, b = values
    if form.direction:
        result = f"add_directed({a},{'-' if i.name == 'sub' else ''}{b},{form.direction!r})"
        return f"nan_in_order({result},{b},{a})" if form.code == "f8" else result
    if i.name == "sub":
        return f"({a}-{b})"
    # Of two NaN the processor keeps the first operand's, the hardware the second's.
    return f"({b}+{a})"


def _multiply(e, i, form, values) -> str:
    a, b = values
    result = f"mul_directed({a},{b},{form.direction!r})" if form.direction else f"({b}*{a})"
    if form.ftz:
        return f"flush_product({result},{a},{b},None,{form.direction!r})"
    return f"nan_in_order({result},{b},{a})" if form.code == "f8" and form.direction else result


def _fused(e, i, form, values) -> str:
    a, b, c = values
    if form.direction:
        result = f"fma_directed({a},{b},{c},{form.direction!r})"
    else:
        result = f"{'fma32' if form.code == 'f4' else 'fma64'}({a},{b},{c})"
    if form.ftz:
        return f"flush_product({result},{a},{b},{c},{form.direction!r})"
    return f"nan_in_order({result},{b},{c},{a})" if form.code == "f8" else result


def _divide(e, i, form, values) -> str:
    a, b = values
    result = f"div_directed({a},{b},{form.direction!r})" if form.direction else f"({a}/{b})"
    return f"flush_quotient({result},{a},{b})" if form.ftz and form.direction else result


def _min_max(e, i, form, values) -> str:
    flags = i.opcode.flags
    expression = values[0]
    if "xorsign" in flags:
        expression = f"abs({values[0]})"
        for value in values[1:]:
            expression = f"float_{i.name}({expression},abs({value}),{'NaN' in flags})"
        return f"xor_sign({expression},{','.join(values)})"
    for value in values[1:]:
        expression = f"float_{i.name}({expression},{value},{'NaN' in flags})"
    return expression


_ARITHMETIC = {
    "add": _add_sub,
    "sub": _add_sub,
    "mul": _multiply,
    "fma": _fused,
    "mad": _fused,
    "div": _divide,
    "min": _min_max,
    "max": _min_max,
    "neg": lambda e, i, form, values: _negative(e, form, values[0]),
    "abs": lambda e, i, form, values: f"{'abs64' if form.code == 'f8' else 'abs'}({values[0]})",
}


def _negative(e, form, value: str) -> str:
    """A binary64 NaN keeps its sign: the hardware subtracts from -0."""
    return f"({e.constant(-0.0, 'f8')}-{value})" if form.code == "f8" else f"(-{value})"


@handles("rcp", "sqrt")
def reciprocal_root(e: Emitter, i) -> None:
    form = Form(i)
    x = form.read(e, i.operands[1])
    if form.code == "f8" and form.approximate:
        if i.name != "rcp":
            raise UnsupportedForm("sqrt.approx.f64")
        e.assign(i.operands[0], f"coarse_reciprocal({x})", "f8")
        return
    if i.name == "rcp":
        one = e.constant(1.0, form.code)
        result = f"div_directed({one},{x},{form.direction!r})" if form.direction else f"({one}/{x})"
        if form.ftz and form.direction:
            result = f"flush_quotient({result},{one},{x})"
    elif form.direction:
        result = f"sqrt_directed({x},{form.direction!r})"
    else:
        result = f"np.sqrt({x})"
    form.write(e, i.operands[0], result)


@handles("rsqrt", "ex2", "lg2", "sin", "cos", "tanh")
def approximations(e: Emitter, i) -> None:
    """Instructions that hardware approximates and that are accurate here."""
    type_ = i.opcode.types[-1]
    if type_ not in ("f32", "f64"):
        half.approximations(e, i)
        return
    form = Form(i)
    x = form.read(e, i.operands[1])
    if form.code == "f8":
        if i.name != "rsqrt":
            raise UnsupportedForm(f"{i.name}.f64")
        coarse = "ftz" in i.opcode.flags  # only that form is as coarse as the hardware's
        one = e.constant(1.0, "f8")
        root = f"coarse_reciprocal_root({x})" if coarse else f"({one}/np.sqrt({x}))"
        e.assign(i.operands[0], root, "f8")
        return
    form.write(e, i.operands[0], f"approximate_{i.name}({x})")


@handles("testp")
def test_property(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    x = e.value(i.operands[1], code, raw=True)
    property_ = i.opcode.first_of(
        "finite", "infinite", "number", "notanumber", "normal", "subnormal"
    )
    e.assign(i.operands[0], f"float_property({x},{property_!r})", "b1")


@handles("copysign")
def copy_sign(e: Emitter, i) -> None:
    code = code_of(i.opcode.types[-1])
    sign, magnitude = (e.value(o, code) for o in i.operands[1:3])
    e.assign(i.operands[0], f"np.copysign({magnitude},{sign})", code)


# ------------------------------------------------------------------ at run time


@runtime
def nan_in_order(result, *operands):
    """A binary64 result with the NaN of the first of the operands that is one, made quiet."""
    if type(result) is not nd:
        if result == result:
            return result
    elif not (result.size and np.isnan(np.maximum.reduce(result))):
        return result
    for operand in reversed(operands):
        quiet = (np.asarray(operand).view(u8) | u8(1 << 51)).view(f8)
        result = np.where(np.isnan(operand), quiet, result)
    return result[()]


@runtime
def abs64(x):
    """A NaN keeps its sign."""
    return nan_in_order(np.abs(x), x)


_TINY = f4(np.finfo(f4).tiny)
#: What rounds to less than the least normal number, with as many bits as that has: to nearest
#: below the first, away from zero up to the second.
_BELOW_TINY = f8(_TINY) * (1 - 2.0**-25)
_AWAY_BELOW_TINY = f8(_TINY) * (1 - 2.0**-24)


@runtime
def flush_product(result, a, b, c, direction: str | None):
    """.ftz rounds to 24 bits first: what only a subnormal's rounding makes normal is flushed."""
    at = np.abs(result) == _TINY
    if not np.any(at):
        return result
    exact, rest = np.asarray(a, f8) * np.asarray(b, f8), f8(0)
    if c is not None:
        exact, rest = two_sum(exact, np.asarray(c, f8))
    size, more = np.abs(exact), rest * np.sign(exact)
    if direction is None:
        below = (size < _BELOW_TINY) | ((size == _BELOW_TINY) & (more < 0))
    else:
        below = (size < _AWAY_BELOW_TINY) | ((size == _AWAY_BELOW_TINY) & (more <= 0))
    return np.where(at & below, np.copysign(f4(0), result), result)[()]


@runtime
def flush_quotient(result, a, b):
    at = np.abs(result) == _TINY
    if not np.any(at):
        return result
    below = np.abs(np.asarray(a, f8)) <= np.abs(np.asarray(b, f8)) * _AWAY_BELOW_TINY
    return np.where(at & below, np.copysign(f4(0), result), result)[()]


@runtime
def float_min(a, b, propagate: bool):
    """min: a NaN loses (or wins, with .NaN), and -0 is less than +0."""
    return _extreme(a, b, propagate, np.fmin, np.minimum, lambda x, y: x | y)


@runtime
def float_max(a, b, propagate: bool):
    return _extreme(a, b, propagate, np.fmax, np.maximum, lambda x, y: x & y)


def _extreme(a, b, propagate, skipping, spreading, of_signs):
    result = (spreading if propagate else skipping)(b, a)  # of two NaN the second
    if result.dtype == f8 and np.any(np.isnan(result)):
        quiet = (np.asarray(result).view(u8) | u8(1 << 51)).view(f8)
        result = np.where(np.isnan(result), quiet, result)[()]
    zeros = result == 0
    if np.any(zeros):
        both = zeros & (a == b)
        integer = np.int32 if result.dtype == f4 else i8
        bits = of_signs(np.asarray(a).view(integer), np.asarray(b).view(integer))
        result = np.where(both, bits.view(result.dtype), result)[()]
    return result


@runtime
def xor_sign(magnitude, *values):
    negative = np.signbit(values[0])
    for value in values[1:]:
        negative = negative ^ np.signbit(value)
    return np.where(negative, -magnitude, magnitude)[()]


@runtime
def float_property(x, property_: str):
    if property_ == "finite":
        return np.isfinite(x)
    if property_ == "infinite":
        return np.isinf(x)
    if property_ == "notanumber":
        return np.isnan(x)
    if property_ == "number":
        return ~np.isnan(x)
    tiny = np.finfo(x.dtype).tiny
    if property_ == "normal":  # zeros count as normal, by the manual too
        return np.isfinite(x) & ((np.abs(x) >= tiny) | (x == 0))
    return (np.abs(x) < tiny) & (x != 0)


def _upper_word(x):
    """The value with its lower 32 bits cleared."""
    return (np.asarray(x).view(u8) & u8(0xFFFFFFFF00000000)).view(f8)


def _without_subnormals(x):
    return np.where(np.abs(x) < np.finfo(f8).tiny, np.copysign(0.0, x), x)


@runtime
def coarse_reciprocal(x):
    """rcp.approx.ftz.f64 looks at upper words only, and its result has no more than that."""
    x = _without_subnormals(_upper_word(x))
    return _upper_word(_without_subnormals(1.0 / x))[()]


@runtime
def coarse_reciprocal_root(x):
    x = _without_subnormals(_upper_word(x))
    return _upper_word(1.0 / np.sqrt(x))[()]


@runtime
def approximate_rsqrt(x):
    return (f8(1) / np.sqrt(x.astype(f8))).astype(f4)


@runtime
def approximate_ex2(x):
    return np.exp2(x)


@runtime
def approximate_lg2(x):
    return np.log2(x)


@runtime
def approximate_sin(x):
    return np.sin(x.astype(f8)).astype(f4)


@runtime
def approximate_cos(x):
    return np.cos(x.astype(f8)).astype(f4)


@runtime
def approximate_tanh(x):
    return np.tanh(x.astype(f8)).astype(f4)
