"""Directed rounding, exactly: against rational arithmetic, for any operands."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gpuarray._ffi.emulator.simt import fused
from gpuarray._ffi.emulator.simt.exact import round_fraction

pytestmark = pytest.mark.emulator

FORMATS = {"f32": (np.float32, 24, -149, 128), "f64": (np.float64, 53, -1074, 1024)}
MODES = ("rn", "rz", "rm", "rp")


def rounded(x: Fraction, mode: str, format_: str) -> float:
    """A non-zero rational rounded to a format, by the definition of the modes."""
    _, digits, lowest, limit = FORMATS[format_]
    size, sign = abs(x), -1.0 if x < 0 else 1.0
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    unit = Fraction(2) ** max(exponent - digits + 1, lowest)
    below = math.floor(x / unit)
    rest = x / unit - below
    if mode == "rn":
        below += rest > Fraction(1, 2) or (rest == Fraction(1, 2) and below % 2 == 1)
    elif mode == "rp" or (mode == "rz" and x < 0):
        below += rest > 0
    value = below * unit
    if abs(value) >= Fraction(2) ** limit:
        largest = (2 - Fraction(2) ** (1 - digits)) * Fraction(2) ** (limit - 1)
        inward = mode == "rz" or mode == ("rm" if x > 0 else "rp")
        return sign * (float(largest) if inward else math.inf)
    return sign * abs(float(value))


def root_fraction(x: float, format_: str) -> Fraction:
    """A rational close enough to the root to round like it."""
    scale = 2 ** (2 * 1200)
    whole = math.isqrt(Fraction(x).numerator * scale // Fraction(x).denominator)
    exact = whole * whole * Fraction(x).denominator == Fraction(x).numerator * scale
    return Fraction(2 * whole + (not exact), 2 * 2**1200)


def floats(width: int):
    usual = st.floats(width=width, allow_nan=False, allow_infinity=False)
    near_one = st.floats(0.5, 4, width=width)
    whole = st.integers(-(2**20), 2**20).map(float)
    return st.one_of(usual, near_one, whole)


ANY = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def bits(x, format_: str) -> int:
    dtype = FORMATS[format_][0]
    return int(np.array([x], dtype).view(f"u{np.dtype(dtype).itemsize}")[0])


def check(evaluate, operation, format_, exact, *operands) -> None:
    dtype = FORMATS[format_][0]
    arrays = [np.array([x], dtype) for x in operands]
    names = ", ".join(f"%{n}" for n in "abc"[: len(operands)])
    for mode in MODES:
        code = f"{operation}.{mode}.{format_} %d, {names};"
        result = evaluate(code, dtype, *arrays)[0]
        if exact:
            expected = rounded(exact, mode, format_)
            assert bits(result, format_) == bits(expected, format_), (code, operands, result)
        else:
            assert result == 0, (code, operands, result)


@pytest.mark.parametrize("format_", FORMATS)
class TestOperations:
    @ANY
    @given(data=st.data())
    def test_sum(self, evaluate, format_, data):
        a, b = (data.draw(floats(int(format_[1:]))) for _ in range(2))
        check(evaluate, "add", format_, Fraction(a) + Fraction(b), a, b)
        check(evaluate, "sub", format_, Fraction(a) - Fraction(b), a, b)

    @ANY
    @given(data=st.data())
    def test_product(self, evaluate, format_, data):
        a, b = (data.draw(floats(int(format_[1:]))) for _ in range(2))
        check(evaluate, "mul", format_, Fraction(a) * Fraction(b), a, b)

    @ANY
    @given(data=st.data())
    def test_quotient(self, evaluate, format_, data):
        a, b = (data.draw(floats(int(format_[1:]))) for _ in range(2))
        if b:
            check(evaluate, "div", format_, Fraction(a) / Fraction(b), a, b)
            check(evaluate, "rcp", format_, 1 / Fraction(b), b)

    @ANY
    @given(data=st.data())
    def test_root(self, evaluate, format_, data):
        a = abs(data.draw(floats(int(format_[1:]))))
        check(evaluate, "sqrt", format_, root_fraction(a, format_) if a else Fraction(0), a)

    @ANY
    @given(data=st.data())
    def test_fused(self, evaluate, format_, data):
        a, b, c = (data.draw(floats(int(format_[1:]))) for _ in range(3))
        if data.draw(st.booleans()):  # cancel most of it
            with np.errstate(all="ignore"):
                c = float(-FORMATS[format_][0](a) * FORMATS[format_][0](b))
            if not math.isfinite(c):
                return
        check(evaluate, "fma", format_, Fraction(a) * Fraction(b) + Fraction(c), a, b, c)


@pytest.mark.parametrize("format_", FORMATS)
def test_zeros_keep_their_sign(evaluate, format_):
    dtype = FORMATS[format_][0]
    one, zero = np.array([1, 0, -0.0, 0, -0.0], dtype), np.array([-1, 0, 0, -0.0, -0.0], dtype)
    for mode in MODES:
        result = evaluate(f"add.{mode}.{format_} %d, %a, %b;", dtype, one, zero)
        down = mode == "rm"
        assert np.signbit(result).tolist() == [down, False, down, down, True], mode


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("operation", ["add", "mul", "div"])
def test_infinities_and_nan(evaluate, format_, operation):
    dtype = FORMATS[format_][0]
    a = np.array([np.inf, np.inf, -np.inf, np.nan, 1], dtype)
    b = np.array([1, -np.inf, -2, 1, np.nan], dtype)
    plain = {"add": np.add, "mul": np.multiply, "div": np.divide}[operation]
    with np.errstate(all="ignore"):
        expected = plain(a, b)
    for mode in MODES:
        result = evaluate(f"{operation}.{mode}.{format_} %d, %a, %b;", dtype, a, b)
        np.testing.assert_array_equal(result, expected, err_msg=mode)


def many(seed: int, n: int, dtype):
    random = np.random.default_rng(seed)
    return (random.standard_normal(n) * 2.0 ** random.integers(-20, 20, n)).astype(dtype)


@pytest.mark.parametrize("mode", ["rz", "rm", "rp"])
def test_long_arrays_take_the_fast_way_to_the_same_result(evaluate, mode):
    a, b, c = (many(k, 4096, np.float32) for k in range(3))
    result = evaluate(f"fma.{mode}.f32 %d, %a, %b, %c;", np.float32, a, b, c)
    for k in range(0, 4096, 64):
        exact = Fraction(float(a[k])) * Fraction(float(b[k])) + Fraction(float(c[k]))
        assert result[k] == np.float32(rounded(exact, mode, "f32"))


@ANY
@given(a=floats(64), b=floats(64), c=floats(64))
@example(a=1 + 2**-52, b=1 + 2**-52, c=-1.0)
def test_fma_by_parts_agrees_with_rationals(a, b, c):
    """The way taken where the processor's complex multiplication is not fused."""
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    with np.errstate(all="ignore"):
        result = float(np.asarray(fused._fma64_by_parts(a, b, c)))
    if exact:
        assert result == rounded(exact, "rn", "f64")
    else:
        assert result == 0


@ANY
@given(a=floats(32), b=floats(32), c=floats(32))
def test_fma32_by_parts_agrees_with_rationals(a, b, c):
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    with np.errstate(all="ignore"):
        result = fused._fma32_by_parts(*(np.array([v], np.float32) for v in (a, b, c)))[0]
    assert result == (rounded(exact, "rn", "f32") if exact else 0)


@pytest.mark.parametrize("format_", FORMATS)
def test_round_to_nearest_fma_of_arrays(evaluate, format_):
    dtype = FORMATS[format_][0]
    a, b = many(1, 500, dtype), many(2, 500, dtype)
    c = (-a * b * (1 + np.arange(500) % 5 * np.finfo(dtype).eps)).astype(dtype)
    result = evaluate(f"fma.rn.{format_} %d, %a, %b, %c;", dtype, a, b, c)
    for k in range(500):
        exact = Fraction(float(a[k])) * Fraction(float(b[k])) + Fraction(float(c[k]))
        assert result[k] == (rounded(exact, "rn", format_) if exact else 0)


def test_narrowing_conversion_in_every_direction(evaluate):
    x = np.concatenate([many(3, 300, np.float64), [1e300, -1e300, 1e-46, -1e-46, 1e-300, 5e-324]])
    for mode in MODES:
        result = evaluate(f"cvt.{mode}.f32.f64 %d, %a;", np.float32, x)
        expected = [rounded(Fraction(v), mode, "f32") for v in x.tolist()]
        assert result.view("u4").tolist() == np.array(expected, np.float32).view("u4").tolist()


@pytest.mark.parametrize("source", ["s32", "u32", "s64", "u64"])
@pytest.mark.parametrize("target", ["f32", "f64"])
def test_integers_to_floats_in_every_direction(evaluate, source, target):
    dtype = np.dtype(source[0].replace("s", "i") + str(int(source[1:]) // 8))
    info = np.iinfo(dtype)
    random = np.random.default_rng(4)
    x = random.integers(info.min, info.max, 300, dtype, endpoint=True)
    x[:8] = [info.min, info.max, info.max - 1, 0, 1, 2**24 + 1, 2**31 - 65, 7]
    for mode in MODES:
        result = evaluate(f"cvt.{mode}.{target}.{source} %d, %a;", FORMATS[target][0], x)
        expected = [rounded(Fraction(v), mode, target) if v else 0.0 for v in x.tolist()]
        np.testing.assert_array_equal(result, np.array(expected, FORMATS[target][0]), mode)


def test_flush_to_zero(evaluate):
    tiny = np.array([1e-40, -1e-40, 1.5e-38, -1.5e-38, 1], np.float32)
    half = np.full(5, 0.5, np.float32)
    result = evaluate("mul.rn.ftz.f32 %d, %a, %b;", np.float32, tiny, half)
    assert result.tolist() == [0, 0, 0, 0, 0.5]
    assert np.signbit(result).tolist() == [False, True, False, True, False]
    assert evaluate("mul.rn.f32 %d, %a, %b;", np.float32, tiny, half)[2] == np.float32(0.75e-38)


def test_saturation(evaluate):
    a = np.array([-1, -0.0, 0.25, 7, np.nan, np.inf, -np.inf], np.float32)
    result = evaluate("add.sat.f32 %d, %a, %b;", np.float32, a, np.zeros(7, np.float32))
    assert result.tolist() == [0, 0, 0.25, 1, 0, 1, 0]
    assert not np.signbit(result).any()


def test_nan_of_binary32_is_canonical(evaluate):
    strange = np.array([0xFFC00001, 0x7F800001, 0xFFFFFFFF], "u4").view("f4")
    one = np.ones(3, "f4")
    result = evaluate("add.f32 %d, %a, %b;", "f4", strange, one)
    assert (result.view("u4") == 0x7FFFFFFF).all()
    inf = np.full(2, np.inf, "f4")
    result = evaluate("sub.f32 %f1, %a, %b; mov.b32 %d, %f1;", "u4", inf, inf)
    assert (result == 0x7FFFFFFF).all()


def test_copies_keep_the_bits_of_nan(evaluate):
    strange = np.array([0xFFC00001, 0x7F800001, 0xFFFFFFFF], "u4").view("f4")
    assert (evaluate("mov.f32 %d, %a;", "f4", strange).view("u4") == strange.view("u4")).all()


def test_round_fraction_is_exact_at_the_edges():
    assert round_fraction(Fraction(1, 3), "rm") < 1 / 3 + 1e-16
    assert round_fraction(Fraction(2) ** 1024, "rz") == np.finfo(float).max
    assert round_fraction(Fraction(2) ** 1024, "rn") == math.inf
    assert round_fraction(Fraction(1, 2**1080), "rp") == 5e-324
