"""CUDA's mathematical library, compiled by NVRTC, in units of the last place."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

#: name -> (reference on binary64, largest error in ulps: binary32, binary64)
UNARY = {
    "sin": (np.sin, 2, 2), "cos": (np.cos, 2, 2), "tan": (np.tan, 4, 2),
    "asin": (np.arcsin, 2, 2), "acos": (np.arccos, 2, 2), "atan": (np.arctan, 2, 2),
    "sinh": (np.sinh, 3, 2), "cosh": (np.cosh, 2, 2), "tanh": (np.tanh, 2, 2),
    "asinh": (np.arcsinh, 3, 3), "acosh": (np.arccosh, 4, 3), "atanh": (np.arctanh, 3, 2),
    "exp": (np.exp, 2, 1), "exp2": (np.exp2, 2, 1), "exp10": (lambda x: 10.0**x, 3, 4),
    "expm1": (np.expm1, 2, 1), "log": (np.log, 1, 1), "log2": (np.log2, 1, 1),
    "log10": (np.log10, 2, 1), "log1p": (np.log1p, 1, 1), "sqrt": (np.sqrt, 0.5, 0.5),
    "cbrt": (np.cbrt, 1, 3), "rsqrt": (lambda x: 1 / np.sqrt(x), 2, 2),
    "erf": (np.vectorize(math.erf), 2, 2), "erfc": (np.vectorize(math.erfc), 4, 5),
    "tgamma": (None, 5, 10), "fabs": (np.fabs, 0, 0), "floor": (np.floor, 0, 0),
    "ceil": (np.ceil, 0, 0), "trunc": (np.trunc, 0, 0), "rint": (np.rint, 0, 0),
    "round": (lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x), 0, 0),
}  # fmt: skip
BINARY = {
    "pow": (np.power, 4, 2), "atan2": (np.arctan2, 3, 2), "hypot": (np.hypot, 3, 2),
    "fmod": (np.fmod, 0, 0), "fmin": (np.fmin, 0, 0), "fmax": (np.fmax, 0, 0),
    "copysign": (np.copysign, 0, 0),
    "remainder": (np.vectorize(lambda x, y: remainder(x, y)), 0, 0),
}  # fmt: skip


def remainder(x, y):
    """Where it is finite; other results are not compared."""
    return math.remainder(x, y) if y and abs(x) < 1e300 else math.nan


def gamma(x):
    def one(v):
        if v == 0:
            return math.copysign(math.inf, v)
        if math.isnan(v) or v == -math.inf or (v < 0 and v == int(v)):
            return math.nan
        try:
            return math.gamma(v)
        except OverflowError:
            return math.copysign(math.inf, v)

    return np.array([one(v) for v in x.tolist()])


def ulps(result, expected):
    dtype = result.dtype
    with np.errstate(all="ignore"):
        rounded = expected.astype(dtype)
        unit = np.spacing(np.maximum(np.abs(rounded), np.finfo(dtype).tiny)).astype("f8")
        distance = np.abs(result.astype("f8") - expected) / unit
    same = (result == rounded) | (np.isnan(result) & np.isnan(rounded))
    return np.where(same, 0.0, np.where(np.isfinite(distance), distance, 1e9))


def arguments(code):
    random = np.random.default_rng(0)
    tiny = 1e-40 if code == "f4" else 1e-310
    special = [0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 2, 0.5, tiny, -tiny, 1e30, 105615.0]
    wide = np.exp(random.standard_normal(700) * 20)
    return np.concatenate(
        [special, random.random(1000), random.standard_normal(1500) * 3,
         random.standard_normal(600) * 100, wide]
    ).astype(code)  # fmt: skip


@pytest.fixture(scope="module")
def library(nvrtc):
    def library(type_):
        suffix = "f" if type_ == "float" else ""
        source = ""
        for names, inputs in ((UNARY, "x"), (BINARY, "x, y")):
            for name in names:
                source += (
                    f'extern "C" __global__ void k_{name}(const {type_}* a, const {type_}* b,'
                    f" {type_}* o, int n) {{ int i = blockIdx.x * blockDim.x + threadIdx.x;"
                    f" if (i < n) {{ {type_} x = a[i], y = b[i]; (void)y;"
                    f" o[i] = {name}{suffix}({inputs}); }} }}\n"
                )
        return nvrtc.compile(source)

    return library


@pytest.mark.parametrize("type_, code, column", [("float", "f4", 1), ("double", "f8", 2)])
def test_functions(library, device, type_, code, column):
    module = device.load(library(type_))
    x = arguments(code)
    y = np.roll(x, 7)
    wide_x, wide_y = x.astype("f8"), y.astype("f8")
    too_far = []
    with np.errstate(all="ignore"):
        for table in (UNARY, BINARY):
            for name, row in table.items():
                out = np.zeros(len(x), code)
                module.run(f"k_{name}", -(-len(x) // 256), 256, x, y, out, len(x))
                if name == "tgamma":
                    expected = gamma(wide_x)
                elif table is UNARY:
                    expected = row[0](wide_x)
                else:
                    expected = row[0](wide_x, wide_y)
                error = ulps(out, expected)
                if name == "remainder":
                    error = error[np.isfinite(expected)]
                worst = float(error.max())
                if worst > row[column]:
                    k = int(error.argmax())
                    too_far.append((name, worst, x[k], out[k], expected[k]))
    assert not too_far


def test_fast_intrinsics(build):
    module = build("""
extern "C" __global__ void k(const float* a, const float* b, float* o) {
  int i = threadIdx.x; float x = a[i], y = b[i];
  o[8 * i] = __sinf(x); o[8 * i + 1] = __expf(x); o[8 * i + 2] = __logf(y);
    o[8 * i + 3] = __powf(y, x);
  o[8 * i + 4] = __fdividef(x, y); o[8 * i + 5] = rsqrtf(y); o[8 * i + 6] = __saturatef(x);
  o[8 * i + 7] = __tanf(x);
}""", "--use_fast_math")  # fmt: skip
    random = np.random.default_rng(0)
    a = random.uniform(-3, 3, 128).astype("f4")
    b = random.uniform(0.1, 5, 128).astype("f4")
    out = np.zeros((128, 8), "f4")
    module.run("k", 1, 128, a, b, out)
    x, y = a.astype("f8"), b.astype("f8")
    expected = [np.sin(x), np.exp(x), np.log(y), y**x, x / y, 1 / np.sqrt(y), np.clip(x, 0, 1)]
    for k, right in enumerate(expected):
        np.testing.assert_allclose(out[:, k], right, rtol=2e-5, atol=2e-6)


def test_half_functions(build):
    names = ["hsin", "hcos", "hexp", "hexp2", "hlog", "hsqrt", "hrsqrt", "hrcp", "hfloor", "htanh"]
    formats = (("__half", "cuda_fp16.h", 11), ("__nv_bfloat16", "cuda_bf16.h", 8))
    for type_, header, digits in formats:
        source = f"#include <{header}>\n" + "".join(
            f'extern "C" __global__ void k_{n}(const {type_}* a, {type_}* o)'
            f"{{int i = threadIdx.x; o[i] = {n}(a[i]);}}\n"
            for n in names
        )
        module = build(source)
        x = np.random.default_rng(0).uniform(0.1, 4, 256)
        if digits == 11:
            bits = x.astype("f2").view("u2")
            values = bits.view("f2").astype("f8")
        else:
            bits = (x.astype("f4").view("u4") >> np.uint32(16)).astype("u2")
            values = (bits.astype("u4") << np.uint32(16)).view("f4").astype("f8")
        reference = [
            np.sin, np.cos, np.exp, np.exp2, np.log, np.sqrt, lambda v: 1 / np.sqrt(v),
            lambda v: 1 / v, np.floor, np.tanh,
        ]  # fmt: skip
        for name, function in zip(names, reference, strict=True):
            out = np.zeros(256, "u2")
            module.run(f"k_{name}", 1, 256, bits, out)
            if digits == 11:
                result = out.view("f2").astype("f8")
            else:
                result = (out.astype("u4") << np.uint32(16)).view("f4").astype("f8")
            expected = function(values)
            unit = 2.0 ** (np.floor(np.log2(np.abs(expected) + 1e-30)) - digits + 1)
            tolerance = np.maximum(unit, 2.0**-24)
            assert (abs(result - expected) <= 1.1 * tolerance).all(), (type_, name)
