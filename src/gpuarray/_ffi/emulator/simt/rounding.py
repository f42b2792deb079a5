"""Directed rounding (.rz, .rm, .rp), flushing of subnormals, and canonical NaNs.

Nothing here depends on the processor's rounding mode. A binary32 operation is done in
binary64, rounded to odd, and narrowed in the wanted direction. A binary64 operation is done to
nearest, and the sign of the rounding error, computed on scaled operands so that it cannot
underflow, tells whether to step to the neighbour.
"""

from __future__ import annotations

import numpy as np

from .exact import fma64_exact
from .fused import fma64, to_odd, two_sum
from .registry import NAMESPACE, runtime

nd = np.ndarray
f4, f8, i4, u4, i8 = np.float32, np.float64, np.int32, np.uint32, np.int64
_INFINITY = {f4: f4(np.inf), f8: f8(np.inf)}
_SMALLEST_NORMAL = f4(np.finfo(f4).tiny)
NAN32 = np.array([0x7FFFFFFF], u4).view(f4)[0]
NAMESPACE["NAN32"] = NAN32


@runtime
def canonical(x):
    """Give NaNs of binary32 results the pattern that the hardware writes.

    The host's patterns must not reach memory or integer code. A maximum tells cheaply whether
    there is any NaN.
    """
    if type(x) is nd:
        if x.size and (largest := np.maximum.reduce(x)) != largest:
            x = np.where(np.isnan(x), NAN32, x)
        return x
    return x if x == x else NAN32


@runtime
def flush(x):
    """Subnormal binary32 values become zeros of their sign."""
    if type(x) is not nd:
        return x if not abs(x) < _SMALLEST_NORMAL else np.copysign(f4(0), x)
    small = np.abs(x) < _SMALLEST_NORMAL
    return np.where(small, np.copysign(f4(0), x), x) if small.any() else x


@runtime
def saturate(x):
    """Clamp to [0, 1]; NaN and -0 become +0 (adding a zero gets rid of the sign)."""
    one, zero = x.dtype.type(1), x.dtype.type(0)
    return np.minimum(np.fmax(x, zero), one) + zero


def narrow(x, mode: str):
    """binary64 to binary32 in the given direction."""
    x = np.asarray(x, f8)
    r = x.astype(f4)
    wide = r.astype(f8)
    if x.ndim and x.size:
        size = np.abs(x)
        if size.min() > 1e-36 and size.max() < 1e38:  # away from zero and overflow
            return _narrow_normal(x, r, wide, mode)
    if mode == "rz":
        r = np.where(np.abs(wide) > np.abs(x), np.nextafter(r, f4(0)), r)
    elif mode == "rm":
        r = np.where(wide > x, np.nextafter(r, -_INFINITY[f4]), r)
    elif mode == "rp":
        r = np.where(wide < x, np.nextafter(r, _INFINITY[f4]), r)
    return r[()]


def _narrow_normal(x, r, wide, mode: str):
    """Neighbours of normal numbers differ by one in their bits."""
    bits = r.view(i4)
    if mode == "rz":
        return (bits - (np.abs(wide) > np.abs(x))).astype(i4, copy=False).view(f4)
    if mode == "rn":
        return r
    outward = (bits >> i4(31)) | i4(1)  # the sign: a step up in value for positive numbers
    if mode == "rm":
        return (bits - outward * (wide > x)).view(f4)
    return (bits + outward * (wide < x)).view(f4)


NAMESPACE["narrow"] = narrow


def step(z, sign, mode: str):
    """``z`` is to nearest and the exact result lies on side ``sign`` of it: round as asked."""
    z = np.asarray(z)
    inf = _INFINITY[z.dtype.type]
    if mode == "rz":
        toward_zero = (sign != 0) & ((sign < 0) != np.signbit(z))
        return np.where(toward_zero, np.nextafter(z, z.dtype.type(0)), z)[()]
    if mode == "rm":
        return np.where(sign < 0, np.nextafter(z, -inf), z)[()]
    return np.where(sign > 0, np.nextafter(z, inf), z)[()]


def _overflow_side(z, sign, finite):
    """A result that overflowed to infinity lies beyond every finite exact value."""
    over = np.isinf(z) & finite
    return np.where(over, -np.sign(z), np.where(np.isfinite(z), sign, 0.0))


def _zero_sum(total, exact_zero, mode: str, both_positive):
    """x - x is -0 when rounding down."""
    if mode != "rm":
        return total
    return np.where(exact_zero & ~both_positive, -np.abs(total), total)[()]


def _sum_to_odd(a, b):
    """(a + b rounded to odd, the rounding error)."""
    s = a + b
    rest = (s - a) - b
    if not np.any(rest) and not np.any((s - b) - a):  # the usual case: exact
        return s, rest
    s, e = two_sum(a, b)
    return to_odd(s, e), e


@runtime
def add_directed(a, b, mode: str):
    a, b = np.asarray(a), np.asarray(b)
    positive_zeros = (a == 0) & (b == 0) & ~np.signbit(a) & ~np.signbit(b)
    if a.dtype == f4:
        s, e = _sum_to_odd(a.astype(f8), b.astype(f8))
        result = narrow(s, mode)
        if mode != "rm" or s.all():
            return result
        return _zero_sum(result, (s == 0) & (e == 0), mode, positive_zeros)
    s, e = two_sum(a, b)
    result = step(s, _overflow_side(s, e, np.isfinite(a) & np.isfinite(b)), mode)
    return _zero_sum(result, s == 0, mode, positive_zeros)


@runtime
def mul_directed(a, b, mode: str):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype == f4:
        return narrow(a.astype(f8) * b.astype(f8), mode)
    z = a * b
    (ma, ea), (mb, eb) = np.frexp(a), np.frexp(b)
    scaled = np.ldexp(z, -(ea + eb))
    # An operand that is the same for all lanes has one element.
    factors = np.broadcast_arrays(np.atleast_1d(ma), np.atleast_1d(mb))
    side = np.sign(fma64(*factors, -np.atleast_1d(scaled)))
    side = side.reshape(np.shape(z))
    return step(z, _overflow_side(z, np.nan_to_num(side), np.isfinite(a) & np.isfinite(b)), mode)


@runtime
def div_directed(a, b, mode: str):
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype == f4:
        wide_a, wide_b = np.atleast_1d(a.astype(f8)), np.atleast_1d(b.astype(f8))
        q = wide_a / wide_b
        rest = fma64(-q, wide_b, wide_a) * np.copysign(1.0, wide_b)
        rest = np.where(np.isfinite(rest) & np.isfinite(q), rest, 0.0)
        out = narrow(to_odd(q, np.sign(rest) * np.spacing(np.abs(q)) * 0.25), mode)
        return out.reshape(np.broadcast(a, b).shape)[()]
    z = a / b
    (ma, ea), (mb, eb) = np.frexp(a), np.frexp(b)
    scaled = np.atleast_1d(np.ldexp(z, eb - ea))
    rest = fma64(-scaled, np.atleast_1d(mb), np.atleast_1d(ma)) * np.copysign(1.0, mb)
    side = np.nan_to_num(np.sign(rest)).reshape(np.shape(z))
    finite = np.isfinite(a) & np.isfinite(b) & (b != 0)
    return step(z, np.where(finite, _overflow_side(z, side, finite), 0.0), mode)


@runtime
def sqrt_directed(x, mode: str):
    x = np.asarray(x)
    wide = np.atleast_1d(x.astype(f8))
    mantissa, exponent = np.frexp(wide)
    odd = exponent & 1
    mantissa, exponent = np.ldexp(mantissa, odd), exponent - odd  # [0.5, 2) and an even exponent
    root = np.sqrt(mantissa)
    side = np.sign(fma64(-root, root, mantissa))
    side = np.where(np.isfinite(root) & (root > 0), side, 0.0)
    if x.dtype == f4:
        exact = np.ldexp(to_odd(root, side * np.spacing(root) * 0.25), exponent // 2)
        return narrow(exact, mode).reshape(x.shape)[()]
    return np.ldexp(step(root, side, mode), exponent // 2).reshape(x.shape)[()]


@runtime
def fma_directed(a, b, c, mode: str):
    a, b, c = np.asarray(a), np.asarray(b), np.asarray(c)
    if a.dtype == f4:
        product, wide_c = a.astype(f8) * b.astype(f8), c.astype(f8)
        s, e = _sum_to_odd(product, wide_c)
        result = narrow(s, mode)
        if mode != "rm" or s.all():
            return result
        positive = (s == 0) & ~np.signbit(product) & ~np.signbit(wide_c)
        negative = (s == 0) & np.signbit(product) & np.signbit(wide_c)
        return _zero_sum(result, (s == 0) & (e == 0) & ~negative, mode, positive)
    a, b, c = np.broadcast_arrays(a, b, c)
    factors = np.isfinite(a) & np.isfinite(b)
    # A finite product does not overflow before an infinity is added.
    rough = np.where(factors & np.isinf(c), c, a * b + c)
    return fma64_exact(a, b, c, rough, factors & np.isfinite(c), mode)
