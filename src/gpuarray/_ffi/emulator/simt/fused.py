"""Exact fused multiply-add on arrays, and the error terms of sums and products.

NumPy has no fma, but its complex multiplication is compiled with fused instructions where the
processor has them: the imaginary part of ``(x + iz) * (1 + iy)`` is ``fma(x, y, z * 1)``. That
is probed at import; without it error-free transformations with rounding to odd take over.
"""

from __future__ import annotations

import numpy as np

from .exact import fma64_exact
from .registry import runtime

nd = np.ndarray
f4, f8, i8 = np.float32, np.float64, np.int64
_SPLITTER = 134217729.0  # 2**27 + 1


def _complex_fma(x, y, z, real, pair):
    if type(x) is not nd:
        x, y = y, x
    n = len(x) if type(x) is nd else len(z) if type(z) is nd else 1
    size = max(n, 4)  # shorter loops take another path in NumPy
    left = np.empty((size, 2), real)
    if size != n:
        left[:] = 0
    left[:n, 0] = x
    left[:n, 1] = z
    product = left.view(pair)
    if type(y) is nd:
        right = np.empty((size, 2), real)
        right[:, 0] = 1
        right[:n, 1] = y
        if size != n:
            right[n:] = 0
        np.multiply(product, right.view(pair), out=product)
    else:  # a constant factor, as in most polynomials, needs no second array
        np.multiply(product, pair(complex(1.0, y)), out=product)
    if type(x) is nd or type(z) is nd:
        return left[:n, 1]
    return left[0, 1]


def two_sum(a, b):
    """(s, e) with s = fl(a + b) and s + e = a + b exactly."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def two_product(a, b):
    """(p, e) with p = fl(a * b) and p + e = a * b, barring overflow and underflow."""
    p = a * b
    t = _SPLITTER * a
    a_high = t - (t - a)
    a_low = a - a_high
    t = _SPLITTER * b
    b_high = t - (t - b)
    b_low = b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def to_odd(value, error):
    """``value + error`` (|error| at most half an ulp) rounded to odd: safe to round again."""
    value = np.asarray(value, f8)
    error = np.asarray(error, f8)
    fix = (error != 0) & np.isfinite(value) & np.isfinite(error)
    if not fix.any():
        return value
    value, error, fix = np.broadcast_arrays(value, error, fix)
    bits = np.ascontiguousarray(value).view(i8).reshape(value.shape)
    toward_zero = np.signbit(error) != np.signbit(value)
    # One step toward zero gives truncation; the last bit marks that something was cut off.
    return np.where(fix, (bits - toward_zero) | 1, bits).view(f8)


def _fma64_by_parts(a, b, c):
    a, b, c = (np.asarray(v, f8) for v in (a, b, c))
    p_high, p_low = two_product(a, b)
    t_high, t_low = two_sum(c, p_low)
    v_high, v_low = two_sum(p_high, t_high)
    z, e = two_sum(t_low, v_low)
    result = v_high + to_odd(z, e)
    plain = a * b + c
    safe = np.isfinite(result) & (np.abs(plain) > 1e-290) & (np.abs(p_high) > 1e-250)
    safe &= (np.abs(a) < 1e300) & (np.abs(b) < 1e300)
    if safe.all():
        return result[()]
    result = np.where(safe, result, plain)
    # A finite product does not overflow before an infinity is added.
    result = np.where(np.isinf(c) & np.isfinite(a) & np.isfinite(b), c, result)
    return fma64_exact(a, b, c, result, ~safe & np.isfinite(a) & np.isfinite(b) & np.isfinite(c))


def _fma32_by_parts(a, b, c):
    product = np.asarray(a, f8) * np.asarray(b, f8)
    return to_odd(*two_sum(product, np.asarray(c, f8))).astype(f4)[()]


def _probe(real, pair) -> bool:
    """Whether complex multiplication is fused, for loops of any length."""
    random = np.random.default_rng(1)
    for n in (*range(1, 18), 37, 1000):
        a, b = random.standard_normal((2, n)).astype(real)
        for factor in (b, b[0]):
            product = a * factor
            error = _complex_fma(a, factor, -product, real, pair)
            if real is f4:
                expected = a.astype(f8) * factor.astype(f8) - product.astype(f8)
            else:
                expected = two_product(a, factor)[1]
            if not (error == expected).all():
                return False
    return True


with np.errstate(all="ignore"):
    FUSED = _probe(f4, np.complex64) and _probe(f8, np.complex128)


@runtime
def fma32(x, y, z):
    """x * y + z in binary32 with one rounding."""
    return _complex_fma(x, y, z, f4, np.complex64) if FUSED else _fma32_by_parts(x, y, z)


@runtime
def fma64(x, y, z):
    """x * y + z in binary64 with one rounding."""
    return _complex_fma(x, y, z, f8, np.complex128) if FUSED else _fma64_by_parts(x, y, z)
