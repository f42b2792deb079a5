"""Operators and functions of numbers in kernels: the same function in Python is the oracle."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _dtypes, jit
from gpuarray._jit.arithmetic import Arithmetic
from gpuarray._jit.values import NumberType, Value
from tests.array.arrays import DTYPES, WIDTHS
from tests.jit.oracle import check_all, compare, elementwise, function_of, kernel_of, kernel_of_all
from tests.slow import slow_except

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f2", "f4", "f8"]
COMPLEX = ["c8", "c16"]


def operands(dtype):
    """Pairs of numbers with the corners of a dtype."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        values = [False, True]
    elif dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = [0, 1, 2, 3, 7, limits.max, limits.max - 1, limits.min]
        values += [-1, -2, -7] if dtype.kind == "i" else [5]
    elif dtype.kind == "f":
        values = [0.0, -0.0, 1.0, -1.5, 2.5, 7.0, -7.0, np.inf, -np.inf, np.nan]
    else:
        values = [0, 1, -1.5 + 2j, 2.5j, 3 - 4j]
    a, b = np.meshgrid(np.array(values, dtype), np.array(values, dtype))
    return a.ravel().copy(), b.ravel().copy()


def check(expressions: list[str], dtype: str, *, rtol=0.0):
    a, b = operands(dtype)
    wanted = {
        expression: elementwise(function_of(f"def f(a, b):\n    return {expression}\n"), a, b)
        for expression in expressions
    }
    check_all(wanted, a, b, rtol=rtol)


@pytest.mark.parametrize("dtype", slow_except(["i4", "u1"], INTEGERS))
def test_integers(dtype):
    expressions = [
        "a + b", "a - b", "a * b", "a // b", "a % b", "a & b", "a | b", "a ^ b", "~a", "-a", "+a",
        "abs(a)", "a << 3", "a >> 2", "a >> (b & 15)", "a ** 2", "a ** 3", "a + 1", "a // 2", "a % 3",
    ]  # fmt: skip
    check(expressions, dtype)


@pytest.mark.parametrize("dtype", WIDTHS)
def test_comparisons(dtype):
    signs = ("<", "<=", ">", ">=", "==", "!=")
    terms = [f"(a {sign} b) * {2**k}" for k, sign in enumerate(signs)]
    if dtype not in COMPLEX:
        terms += [f"(1 {sign} a) * {64 * 2**k}" for k, sign in enumerate(signs)]
    check([" + ".join(terms)], dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(dtype):
    # A product that is added is not rounded in between: one operation each is compared.
    expressions = [
        "a + b", "a - b", "a * b", "a / b", "a // b", "a % b", "-a", "abs(a)", "a * 2",
        "a + 0.5", "1 / a", "2 - a",
    ]  # fmt: skip
    check(expressions, dtype)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_squares(dtype):
    a, b = operands(dtype)
    result = cp.empty(len(a), dtype)
    kernel_of("a ** 2", 2)[1, len(a)](cp.asarray(a), cp.asarray(b), result)
    compare(result, a * a)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex(dtype):
    expressions = [
        "a + b", "a - b", "a * b", "a * 2", "a + 1j", "a.real", "b.imag", "a.conjugate()",
        "-a", "abs(a)", "np.conj(a)",
    ]  # fmt: skip
    check(expressions, dtype, rtol=1e-6)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_quotients(dtype):
    a, b = operands(dtype)
    keep = b != 0
    a, b = a[keep], b[keep]
    result = cp.empty(len(a), dtype)
    kernel_of("a / b", 2)[1, len(a)](cp.asarray(a), cp.asarray(b), result)
    compare(result, a / b, 1e-6 if dtype == "c8" else 1e-14)


def test_bools():
    expressions = [
        "a & b", "a | b", "a ^ b", "~a", "not a", "a and b", "a or b", "a + b", "a * b",
        "a == b", "a + 1", "a * 2.5", "a < b",
    ]  # fmt: skip
    check(expressions, "?")


@pytest.mark.parametrize("dtype", ["i4", "u4", "i8", "f4"])
def test_true_division(dtype):
    check(["a / b", "a / 2"], dtype)


@pytest.mark.parametrize("name", ["add", "divide", "power", "less", "maximum", "arctan2"])
def test_promotion(name):
    """The dtypes of a loop's operands and of its result are NumPy's."""
    for a in DTYPES:
        for b in DTYPES:
            operands = [
                Value(NumberType(a.replace("?", "b1")), "a"),
                Value(NumberType(b.replace("?", "b1")), "b"),
            ]
            try:
                wanted = getattr(np, name).resolve_dtypes((np.dtype(a), np.dtype(b), None))[-1]
            except TypeError:
                with pytest.raises(TypeError):
                    Arithmetic("numpy").apply(name, operands)
                continue
            found = Arithmetic("numpy").apply(name, operands).type
            assert _dtypes.dtype_of(found.dtype) == wanted, (a, b)
            assert not found.weak


@pytest.mark.parametrize("dtype", WIDTHS)
def test_python_numbers_take_on_the_dtype_they_meet(dtype):
    numbers = {"half": 0.5, "two": 2, "imaginary": 1j}
    wanted = {f"{name}_wanted": (np.ones(1, dtype) + x).dtype for name, x in numbers.items()}
    right = {f"(a + {x}).dtype == {x}_wanted": np.array([True]) for x in numbers}
    check_all(right, np.ones(1, dtype), **numbers, **wanted)
    # The same for an argument of the launch.
    lines = [f"def f(x, {', '.join(numbers)}, out):"]
    lines += [f"    out[{k}] = (x[0] + {x}).dtype == {x}_wanted" for k, x in enumerate(numbers)]
    passed = jit.rawkernel(function_of("\n".join(lines) + "\n", **wanted))
    out = cp.zeros(3, bool)
    passed[1, 1](cp.ones(1, dtype), *numbers.values(), out)
    assert out.all()


def test_comparisons_with_python_integers_beyond_the_dtype():
    a = np.array([0, 100, 255], "u1")
    expressions = ["a < 300", "a > -1", "a == 256", "a != -1", "300 > a", "a >= 256"]
    check_all({x: eval(x, {"a": a}) for x in expressions}, a)


def test_counted_integers_compare_as_they_are():
    """A loop's number is not cut to the dtype of what it is compared with."""

    @jit.rawkernel
    def count(limit, out):
        for k in range(300):
            if k > limit[0]:
                out[0] += 1

    limit, out = np.array([100], "i1"), cp.zeros(1, "i4")
    count[1, 1](cp.asarray(limit), out)
    assert int(out[0]) == 199


def test_ufuncs():
    a = np.linspace(0.1, 3, 20, dtype="f4")
    names = ["sin", "exp", "log1p", "sqrt", "tanh", "floor", "rint", "cbrt"]
    wanted = {f"{module}.{x}(a)": getattr(np, x)(a) for x in names for module in ("cp", "np")}
    check_all(wanted, a, rtol=1e-6)


def test_ufuncs_of_several_numbers():
    expressions = [
        "np.maximum(a, b)", "np.minimum(a, b)", "cp.fmax(a, b)", "np.copysign(a, b)", "min(a, b)",
        "jit.max(a, b)", "cp.where(a > b, a, b)", "np.where(a > b, a, 0)",
        "np.isnan(a)", "np.signbit(b)", "cp.clip(a, -1, 1)", "divmod(a, b)[0]", "np.modf(a)[1]",
        "np.sign(a)", "np.clip(a, None, 1)",
    ]  # fmt: skip
    a, b = operands("f8")
    names = {"np": np, "a": a, "b": b}

    def wanted(expression):
        text = expression.replace("cp.", "np.")
        text = text.replace("min(a", "np.minimum(a").replace("jit.max", "np.maximum")
        with np.errstate(all="ignore"):
            return eval(text, names)

    check_all({x: wanted(x) for x in expressions}, a, b)
    rounded = ["np.hypot(a, b)", "np.arctan2(a, b)"]
    check_all({x: wanted(x) for x in rounded}, a, b, rtol=1e-14)


def test_mathematics_of_python():
    a = np.linspace(0.1, 3, 20)
    expressions = ["math.sqrt(a)", "math.sin(a)", "math.floor(a)", "a * math.pi", "math.pow(a, 2)"]
    wanted = {x: np.array([eval(x, {"math": math, "a": one}) for one in a]) for x in expressions}
    check_all(wanted, a, rtol=1e-15, math=math)


@pytest.mark.parametrize("dtype", WIDTHS)
def test_conversions(dtype):
    a = np.array([0, 1, 2, 3, 100], dtype)
    forms = itertools.cycle(["np.dtype('{0}').type(x[i])", "x[i].astype('{0}')", "cp.{0}(x[i])"])
    # NumPy warns that parts of complex numbers are lost.
    names = [np.dtype(to).name for to in DTYPES if a.dtype.kind != "c" or np.dtype(to).kind in "cb"]
    lines = [f"def f(x, {', '.join(f'y{k}' for k in range(len(names)))}):", "    i = jit.grid(1)"]
    lines += [f"    y{k}[i] = {next(forms).format(name)}" for k, name in enumerate(names)]
    results = [cp.empty(5, name) for name in names]
    jit.rawkernel(function_of("\n".join(lines) + "\n"))[1, 5](cp.asarray(a), *results)
    for name, found in zip(names, results, strict=True):
        compare(found, a.astype(name))


def test_pythons_conversions():
    a = np.array([-2.7, -0.5, 0, 1.5, 3.99])
    expressions = ["int(a)", "float(int(a))", "bool(a)", "int(a > 0) + 1", "complex(a, 1)"]
    check_all({x: np.array([eval(x, {"a": one}) for one in a.tolist()]) for x in expressions}, a)


def test_decisions_in_expressions():
    expressions = [
        "a if a > b else b", "0 < a < 2", "a < b or a > 1 and not b", "(a > 0) == (b > 0)", "a and b",
        "a or b", "1 if a > 0 else 0.5", "a < b != True",
    ]  # fmt: skip
    check(expressions, "f8")


def test_constants_are_computed_by_python():
    wanted = {
        "2 ** 62 + 7 // 2 - (-7 // 2)": 2**62 + 3 + 4,
        "-7 % 3 + (1 << 5)": 2 + 32,
        "len((1, 2, 3)) + np.iinfo(np.int8).max": 130,
        "(4, 5, 6)[-1]": 6,
        "max(3, 4) + min((1, 2))": 5,
        "~(1 < 2) + ~3": -2 - 4,
    }
    results = [cp.empty(1, "i8") for _ in wanted]
    kernel_of_all([*wanted], 0)[1, 1](*results)
    assert [int(x[0]) for x in results] == [*wanted.values()]


def test_mode_cuda():
    text = (
        "def f(a, b, out):\n"
        "    out[0] = (a[0] * b[0]).dtype == np.float32\n"
        "    out[1] = (a[0] / 3).dtype == np.float32\n"
        "    out[2] = np.sqrt(a[0]).dtype == np.float32\n"
        "    s = 0.5\n"
        "    s += 1\n"
        "    out[3] = s.dtype == np.float32\n"
        "    out[4] = (a[0] + np.uint32(1)).dtype == np.uint32\n"
        "    n = 1\n"
        "    n += 1\n"
        "    out[5] = n.dtype == np.int32\n"
    )
    out = cp.zeros(6, bool)
    jit.rawkernel(function_of(text), mode="cuda")[1, 1](cp.ones(1, "i4"), cp.ones(1, "f4"), out)
    assert out.tolist() == [True] * 6
    out = cp.zeros(6, bool)
    jit.rawkernel(function_of(text))[1, 1](cp.ones(1, "i4"), cp.ones(1, "f4"), out)
    assert out.tolist() == [False] * 6
    with pytest.raises(ValueError, match="mode is 'numpy' or 'cuda', not 'c'"):
        jit.rawkernel(function_of(text), mode="c")
