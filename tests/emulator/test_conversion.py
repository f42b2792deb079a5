"""cvt, moves and half precision."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

ODD_FLOATS = [
    0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 0.49, -2.51, 1e9, -1e9, 3e9, 5e9, -5e9, 1e20, -1e20,
    np.inf, -np.inf, 127.5, 255.5, -128.5, 32767.5, 65535.5, 9.3e18, 1.8e19,
]  # fmt: skip
ROUND = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
INTEGERS = {"s8": "i1", "u8": "u1", "s16": "i2", "u16": "u2", "s32": "i4", "u32": "u4",
            "s64": "i8", "u64": "u8"}  # fmt: skip


@pytest.mark.parametrize("target", INTEGERS)
@pytest.mark.parametrize("source", ["f32", "f64"])
@pytest.mark.parametrize("mode", ROUND)
def test_float_to_integer_rounds_and_clamps(evaluate, source, target, mode):
    x = np.array(ODD_FLOATS, {"f32": "f4", "f64": "f8"}[source])
    dtype = INTEGERS[target]
    info = np.iinfo(dtype)
    expected = []
    for value in x.astype("f8").tolist():
        whole = ROUND[mode](value)
        if np.isinf(whole):
            expected.append(info.max if whole > 0 else info.min)
        else:
            expected.append(min(max(int(whole), info.min), info.max))
    result = evaluate(f"cvt.{mode}.{target}.{source} %d, %a;", dtype, x)
    np.testing.assert_array_equal(result, np.array(expected, dtype))


def test_nan_to_integer(evaluate):
    """Zero, but the top bit where a 64-bit type takes part."""
    for source, code in (("f32", "f4"), ("f64", "f8")):
        x = np.array([np.nan], code)
        for target, dtype in INTEGERS.items():
            result = evaluate(f"cvt.rzi.{target}.{source} %d, %a;", dtype, x)
            bits = 8 * np.dtype(dtype).itemsize
            expected = 1 << bits - 1 if 64 in (bits, int(source[1:])) else 0
            assert int(result.view(f"u{bits // 8}")[0]) == expected, (source, target)


@pytest.mark.parametrize("source", INTEGERS)
@pytest.mark.parametrize("target", INTEGERS)
def test_integer_to_integer(evaluate, source, target):
    have, want = INTEGERS[source], INTEGERS[target]
    info = np.iinfo(have)
    x = np.random.default_rng(0).integers(info.min, info.max, 64, have, endpoint=True)
    result = evaluate(f"cvt.{target}.{source} %d, %a;", want, x)
    np.testing.assert_array_equal(result, x.astype(want))
    result = evaluate(f"cvt.sat.{target}.{source} %d, %a;", want, x)
    to = np.iinfo(want)
    expected = [min(max(v, to.min), to.max) for v in x.tolist()]
    np.testing.assert_array_equal(result, np.array(expected, want))


def test_rounding_within_a_float_type(evaluate):
    for code, type_ in (("f4", "f32"), ("f8", "f64")):
        x = np.array(ODD_FLOATS, code)
        for mode, function in ROUND.items():
            result = evaluate(f"cvt.{mode}.{type_}.{type_} %d, %a;", code, x)
            np.testing.assert_array_equal(result, function(x))
            np.testing.assert_array_equal(np.signbit(result), np.signbit(function(x)))


def test_pack_and_unpack(evaluate):
    a = np.arange(64, dtype="u4") * 0x01030507
    b = a[::-1].copy()
    result = evaluate("mov.b64 %d, {%a, %b};", "u8", a, b)
    np.testing.assert_array_equal(result, a.astype("u8") | b.astype("u8") << np.uint64(32))
    result = evaluate("mov.b64 {%t3, %d}, %a;", "u4", result)
    np.testing.assert_array_equal(result, b)
    result = evaluate("mov.b32 {%h1, %h2}, %a; mov.b32 %d, {%h2, %h1};", "u4", a)
    np.testing.assert_array_equal(result, a >> np.uint32(16) | a << np.uint32(16))


def test_bits_of_floats(evaluate):
    x = np.array([1.5, -0.0, np.inf], "f4")
    np.testing.assert_array_equal(evaluate("mov.b32 %d, %a;", "u4", x), x.view("u4"))
    np.testing.assert_array_equal(evaluate("mov.b32 %d, %a;", "f4", x.view("u4")), x)
    result = evaluate("mov.b32 %f1, 0x40000000; mul.f32 %d, %a, %f1;", "f4", x)
    np.testing.assert_array_equal(result, x * 2)


# ------------------------------------------------------------------ halves

ALL_HALVES = np.arange(0, 65536, 7, dtype="u2")


def as_float(bits, format_):
    if format_ == "f16":
        return bits.view("f2").astype("f8")
    return (bits.astype("u4") << np.uint32(16)).view("f4").astype("f8")


def as_bits(values, format_):
    """Rounded to nearest from values that binary64 holds exactly."""
    values = np.asarray(values, "f8")
    if format_ == "f16":
        bits = values.astype("f2").view("u2")
    else:
        single = values.astype("f4")
        with np.errstate(all="ignore"):
            odd = single.view("u4") - (abs(single.astype("f8")) > abs(values))
        inexact = np.isfinite(values) & (single != values)
        raw = np.where(inexact, odd | 1, single.view("u4")).astype("u8")
        bits = ((raw + 0x7FFF + (raw >> 16 & 1)) >> 16).astype("u2")
    return np.where(np.isnan(values), 0x7FFF, bits).astype("u2")


@pytest.mark.parametrize("format_", ["f16", "bf16"])
@pytest.mark.parametrize("operation", ["add", "sub", "mul"])
def test_half_arithmetic(evaluate, format_, operation):
    a = ALL_HALVES
    b = np.random.default_rng(1).permutation(a)
    x, y = as_float(a, format_), as_float(b, format_)
    function = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[operation]
    with np.errstate(all="ignore"):
        exact = function(x.astype("longdouble"), y.astype("longdouble"))
        single = exact.astype("f8")
    # Where binary64 is inexact the result is far from a tie of these formats but for its sign.
    usable = exact == single
    result = evaluate(f"{operation}.{format_} %d, %a, %b;", "u2", a, b)
    usable |= np.isnan(single)
    np.testing.assert_array_equal(result[usable], as_bits(single, format_)[usable])
    pair = evaluate(
        f"mov.b32 %t3, {{%a, %b}}; mov.b32 %t4, {{%b, %a}};"
        f"{operation}.{format_}x2 %t5, %t3, %t4; mov.b32 {{%d, %h3}}, %t5;", "u2", a, b,
    )  # fmt: skip
    np.testing.assert_array_equal(pair, result)


@pytest.mark.parametrize("format_", ["f16", "bf16"])
def test_half_fma(evaluate, format_):
    a = ALL_HALVES
    random = np.random.default_rng(2)
    b, c = random.permutation(a), random.permutation(a)
    result = evaluate(f"fma.rn.{format_} %d, %a, %b, %c;", "u2", a, b, c)
    x, y, z = (as_float(v, format_) for v in (a, b, c))
    with np.errstate(all="ignore"):
        product = x * y  # exact
        single = product + z
        exact = (single - product == z) & (single - z == product)
    usable = exact | np.isnan(single)
    assert usable.mean() > 0.2
    np.testing.assert_array_equal(result[usable], as_bits(single, format_)[usable])


@pytest.mark.parametrize("format_", ["f16", "bf16"])
def test_half_extremes_and_signs(evaluate, format_):
    a = ALL_HALVES
    b = np.random.default_rng(3).permutation(a)
    x, y = as_float(a, format_), as_float(b, format_)
    for name, skip, spread in (("min", np.fmin, np.minimum), ("max", np.fmax, np.maximum)):
        result = evaluate(f"{name}.{format_} %d, %a, %b;", "u2", a, b)
        np.testing.assert_array_equal(result, as_bits(skip(x, y), format_))
        result = evaluate(f"{name}.NaN.{format_} %d, %a, %b;", "u2", a, b)
        np.testing.assert_array_equal(result, as_bits(spread(x, y), format_))
    for name, signed in (("neg", -x), ("abs", np.abs(x))):  # an H200 writes the canonical NaN
        result = evaluate(f"{name}.{format_} %d, %a;", "u2", a)
        np.testing.assert_array_equal(result, as_bits(signed, format_))


@pytest.mark.parametrize("format_", ["f16", "bf16"])
def test_half_comparisons(evaluate, format_):
    a = ALL_HALVES
    b = np.random.default_rng(4).permutation(a)
    b[::5] = a[::5]
    x, y = as_float(a, format_), as_float(b, format_)
    unordered = np.isnan(x) | np.isnan(y)
    for how, expected in (
        ("eq", x == y), ("lt", x < y), ("geu", (x >= y) | unordered), ("nan", unordered),
        ("num", ~unordered), ("ne", (x != y) & ~unordered), ("neu", x != y),
    ):  # fmt: skip
        code = f"setp.{how}.{format_} %p1, %a, %b; selp.b16 %d, 1, 0, %p1;"
        np.testing.assert_array_equal(evaluate(code, "u2", a, b), expected, how)


@pytest.mark.parametrize("format_", ["f16", "bf16"])
def test_half_conversions(evaluate, format_):
    single = evaluate(f"cvt.f32.{format_} %d, %a;", "f4", ALL_HALVES)
    np.testing.assert_array_equal(single, as_float(ALL_HALVES, format_).astype("f4"))
    random = np.random.default_rng(5)
    x = (random.standard_normal(3000) * 2.0 ** random.integers(-30, 18, 3000)).astype("f4")
    x[:6] = [0, -0.0, np.inf, np.nan, 1e38, -1e-45]
    result = evaluate(f"cvt.rn.{format_}.f32 %d, %a;", "u2", x)
    np.testing.assert_array_equal(result, as_bits(x, format_))
    down = as_float(evaluate(f"cvt.rz.{format_}.f32 %d, %a;", "u2", x), format_)
    good = np.isfinite(x)
    assert (abs(down) <= abs(x))[good].all()
    nearest = as_float(result, format_)
    assert ((down == nearest) | (abs(nearest) > abs(x)))[good].all()
    whole = evaluate(f"cvt.rni.s32.{format_} %d, %a;", "i4", ALL_HALVES)
    values = as_float(ALL_HALVES, format_)
    finite = np.isfinite(values)
    expected = np.clip(np.rint(values[finite]), -(2**31), 2**31 - 1)
    np.testing.assert_array_equal(whole[finite], expected)
    numbers = random.integers(-(2**31), 2**31, 1000).astype("i4") >> 12
    result = evaluate(f"cvt.rn.{format_}.s32 %d, %a;", "u2", numbers)
    np.testing.assert_array_equal(result, as_bits(numbers, format_))


def test_minimum_and_maximum_of_floats(evaluate):
    a = np.array([1, -0.0, 0.0, np.nan, np.nan, -np.inf, 5], "f4")
    b = np.array([2, 0.0, -0.0, 3, np.nan, 1, np.nan], "f4")
    low = evaluate("min.f32 %d, %a, %b;", "f4", a, b)
    high = evaluate("max.f32 %d, %a, %b;", "f4", a, b)
    np.testing.assert_array_equal(low, [1, 0, 0, 3, np.nan, -np.inf, 5])
    np.testing.assert_array_equal(high, [2, 0, 0, 3, np.nan, 1, 5])
    assert np.signbit(low[1:3]).all()
    assert not np.signbit(high[1:3]).any()
    assert low.view("u4")[4] == 0x7FFFFFFF
    spread = evaluate("min.NaN.f32 %d, %a, %b;", "f4", a, b)
    np.testing.assert_array_equal(np.isnan(spread), np.isnan(a) | np.isnan(b))


def test_rounding_to_tf32(evaluate):
    x = np.array([1 + 2**-11, 1 + 2**-10, -1 - 2**-11, 3.14159], "f4")
    result = evaluate("cvt.rna.tf32.f32 %d, %a;", "u4", x).view("f4")
    np.testing.assert_array_equal(result[:3], np.array([1 + 2**-10, 1 + 2**-10, -1 - 2**-10], "f4"))
    assert result.view("u4")[3] & 0x1FFF == 0
