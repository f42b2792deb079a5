"""How ufuncs are called: out, where, dtype, casting, weak scalars, overlap, layouts."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import (
    DTYPES,
    LAYOUTS,
    against_numpy,
    pair,
    raises_alike,
    raises_as_numpy,
    same,
    values,
)
from tests.slow import slow_except

test_operands_of_every_dtype_and_layout = against_numpy(
    lambda xp, x, y: (x + y, x == y, x * 2), layouts_of=DTYPES
)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("other", LAYOUTS)
def test_result_order(layout, other):
    host, x = pair(layout, "f4")
    host2, y = pair(other, "f4", seed=1)
    try:
        expected = np.asarray(host + host2)
    except ValueError:
        with pytest.raises(ValueError, match="broadcast"):
            x + y
        return
    actual = x + y
    same(actual, expected)
    if expected.size:
        assert actual.strides == expected.strides


def test_out():
    host = np.arange(6.0).reshape(2, 3)
    x = cp.asarray(host)
    for dtype in ("f8", "f4", "c16"):
        out = cp.empty((2, 3), dtype)
        assert cp.add(x, 1, out=out) is out
        assert cp.add(x, 1, out) is out
        assert cp.add(x, x, out=(out,)) is out
        same(out, (host + host).astype(dtype))
    wide = cp.empty((4, 2, 3))
    same(cp.multiply(x, 2, out=wide), np.multiply(host, 2, out=np.empty((4, 2, 3))))
    strided = cp.zeros((3, 2)).T
    same(cp.negative(x, out=strided), -host)
    first, second = cp.empty((2, 3)), cp.empty((2, 3))
    cp.modf(x / 4, first, second)
    same(first, np.modf(host / 4)[0])
    cp.modf(x / 4, out=(None, second))
    same(second, np.modf(host / 4)[1])
    for wrong in (
        lambda xp, a: xp.add(a, 1, out=xp.empty((2, 3), int)),
        lambda xp, a: xp.add(a, 1, out=xp.empty((2, 2))),
        lambda xp, a: xp.add(a, 1, out=xp.empty(3)),
        lambda xp, a: xp.add(a, 1, out=[1]),
        lambda xp, a: xp.add(a, 1, xp.empty((2, 3)), out=xp.empty((2, 3))),
        lambda xp, a: xp.add(a),
        lambda xp, a: xp.add(a, 1, bogus=1),
        lambda xp, a: xp.negative(a, out=xp.broadcast_to(xp.zeros(3), (2, 3))),
    ):
        raises_alike(lambda w=wrong: w(np, host), lambda w=wrong: w(cp, x))


def test_where():
    host = np.arange(12.0).reshape(3, 4)
    x = cp.asarray(host)
    for mask in (host % 3 == 0, host[:1] > 1, host[:, :1] > 3, np.array(True), True, False):
        expected = np.full((3, 4), -1.0)
        np.sqrt(host, out=expected, where=mask)
        out = cp.full((3, 4), -1.0)
        cp.sqrt(x, out=out, where=cp.asarray(mask) if isinstance(mask, np.ndarray) else mask)
        same(out, expected)
    raises_alike(
        lambda: np.sqrt(host, out=host.copy(), where=host), lambda: cp.sqrt(x, out=x, where=x)
    )
    raises_alike(
        lambda: np.sqrt(host, out=host.copy(), where=np.array(1)),
        lambda: cp.sqrt(x, out=x, where=np.array(1)),
    )
    # The mask takes part in broadcasting.
    assert cp.add(cp.ones(4), 1, where=cp.ones((3, 4), bool)).shape == (3, 4)


@pytest.mark.parametrize(
    "mask",
    [0, 1, -3, 2**70, 0.0, np.nan, 1j, np.int8(0), np.float32(2), np.bool(False), [1, 0, 2], (0.5, 0, 0)],
    ids=repr,
)  # fmt: skip
def test_masks_of_numbers(mask):
    def results(xp):
        x = xp.arange(3.0)
        out = xp.full(3, -1.0)
        xp.add(x, 1, out=out, where=mask)
        target = xp.full(3, -1.0)
        xp.copyto(target, x, where=mask)
        return out, target, xp.sum(x, where=mask), xp.max(x, where=mask, initial=-7.0)

    for result, expected in zip(results(cp), results(np), strict=True):
        same(result, np.asarray(expected))


test_arrays_that_are_no_masks = raises_as_numpy(
    lambda xp: xp.copyto(xp.zeros(2), 1, where=xp.ones(2, "i4")),
    lambda xp: xp.sum(xp.zeros(2), where=xp.ones(2, "i4")),
    lambda xp: xp.sum(xp.zeros(2), where=np.array(1)),
)


def test_dtype_and_casting():
    host = np.arange(5, dtype="i4")
    x = cp.asarray(host)
    same(cp.add(x, 1, dtype="f8"), np.add(host, 1, dtype="f8"))
    same(cp.sqrt(x, dtype="f4"), np.sqrt(host, dtype="f4"))
    out = cp.empty(5, "i2")
    same(
        cp.add(x, 1.5, out=out, casting="unsafe"),
        np.add(host, 1.5, out=np.empty(5, "i2"), casting="unsafe"),
    )
    for wrong in (
        lambda xp, a: xp.add(a, 1.5, out=xp.empty(5, "i4")),
        lambda xp, a: xp.add(a, 1, dtype="i2", casting="safe"),
        lambda xp, a: xp.sqrt(a, dtype="i4"),
        lambda xp, a: xp.bitwise_and(a, 1.5),
        lambda xp, a: xp.add(a, 1, casting="bogus"),
        lambda xp, a: xp.add(a, 1, order="X"),
        lambda xp, a: xp.subtract(a > 1, a > 2),
    ):
        raises_alike(lambda w=wrong: w(np, host), lambda w=wrong: w(cp, x))
    for order in "CFKA":
        flipped = np.ones((2, 3)).T
        expected = np.add(flipped, 1, order=order)
        assert cp.add(cp.ones((2, 3)).T, 1, order=order).strides == expected.strides


SCALARS = [
    2,
    -3,
    2.5,
    True,
    1j,
    np.float32(2),
    np.int8(3),
    np.float64(1.5),
    np.uint8(200),
    np.True_,
    np.complex64(1j),
]


@pytest.mark.parametrize("dtype", slow_except(["u1", "f4"], DTYPES))
def test_scalars_promote_as_numpys(dtype):
    host = values((4,), dtype)
    x = cp.asarray(host)
    for scalar in SCALARS:
        try:
            expected = host * scalar, scalar + host
        except OverflowError:
            with pytest.raises(OverflowError):
                x * scalar
            continue
        same(x * scalar, expected[0])
        same(scalar + x, expected[1])


def test_integers_out_of_bounds():
    for dtype in ("i1", "u8"):
        host = np.array([0, 1, 100], dtype)
        x = cp.asarray(host)
        for number in (300, -300, 2**70):
            if np.iinfo(dtype).min <= number <= np.iinfo(dtype).max:
                continue
            raises_alike(lambda h=host, n=number: h + n, lambda x=x, n=number: x + n)
            for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"):
                ours, theirs = getattr(cp, name), getattr(np, name)
                same(ours(x, number), theirs(host, number))
                same(ours(number, x), theirs(number, host))
        same(x + 1, host + np.array(1, dtype))  # the same plan still works


test_numbers_come_before_outputs = raises_as_numpy(
    lambda xp: xp.add(xp.ones(2, "?"), 2**64, out=xp.ones(2, "?")),
    lambda xp: xp.bitwise_and(xp.ones(2, "i4"), 2**31, out=xp.ones(2, "?")),
    lambda xp: xp.maximum(xp.ones(2, "u1"), 65536, out=xp.ones(2, "?"), where=xp.ones(2, "?")),
    lambda xp: xp.add(xp.ones(2, "c8"), 10**400, out=xp.ones(2, "?")),
    lambda xp: xp.subtract(xp.ones(2, "?"), 2**64 - 1, out=xp.ones(2, "?")),
    lambda xp: xp.add(xp.ones(2, "i4"), 2, out=xp.ones(2, "?")),  # the output alone
    lambda xp: xp.power(xp.ones(2, "i1"), -129),
    lambda xp: xp.power(xp.ones(2, "i1"), -128),
)

test_numbers_without_elements = raises_as_numpy(
    lambda xp: xp.ones((4, 0), "i4") << 10**400,
    lambda xp: xp.ones(0, "u8") | -1,
    lambda xp: xp.ones(0, "i1") * 128,
    lambda xp: xp.ones(0, "f4") + 10**400,
    lambda xp: xp.add(xp.ones(0, "i1"), 128, out=xp.ones(0, "i1"), where=xp.ones(0, "?")),
)


def test_comparisons_without_elements():
    same(cp.ones(0, "i1") < 300, np.ones(0, "i1") < 300)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
@pytest.mark.parametrize("dtype", ["?", "i1", "f4", "c8"])
def test_truth_of_integers(name, dtype):
    host = np.array([0, 1, 3], dtype)
    x = cp.asarray(host)
    for number in (0, 1, 256, -(2**63), 2**63 - 1):
        same(getattr(cp, name)(x, number), getattr(np, name)(host, number))
        same(getattr(cp, name)(number, x), getattr(np, name)(number, host))
    for number in (2**63, 2**64 - 1, -(2**63) - 1, 10**400):
        raises_alike(lambda n=number: getattr(np, name)(host, n),
                     lambda n=number: getattr(cp, name)(x, n))  # fmt: skip


def test_integers_out_of_bounds_under_a_mask():
    """Without NumPy, of which some versions crash here."""
    x, mask = cp.asarray(np.array([0, 1, 100], "i1")), cp.asarray([True, False, True])
    for name, expected in (("less", [True, False, True]), ("greater", [False, True, False])):
        out = cp.full(3, name == "greater")
        getattr(cp, name)(x, 300, out=out, where=mask)
        assert out.tolist() == expected
    with pytest.raises(OverflowError, match="add: Python integer 300 out of bounds for int8"):
        cp.add(x, 300, where=mask)


def test_in_place():
    host = np.arange(10, dtype="f4")
    x = cp.asarray(host)
    pointer = x.data.ptr
    for change in (
        lambda a: a.__iadd__(1), lambda a: a.__isub__(a), lambda a: a.__iadd__(a[::-1]), lambda a: a.__imul__(3.5),
        lambda a: a[2:].__iadd__(a[:-2]), lambda a: a[::-1].__isub__(a * 0.5), lambda a: a.__itruediv__(2), lambda a: a[1:].__imul__(a[:-1]),
    ):  # fmt: skip
        change(host)
        change(x)
        same(x, host)
        host += np.arange(10, dtype="f4")
        x += cp.arange(10, dtype="f4")
    assert x.data.ptr == pointer
    square = np.arange(9.0).reshape(3, 3)
    y = cp.asarray(square)
    square += square.T
    y += y.T
    same(y, square)
    ints = cp.arange(3)
    with pytest.raises(TypeError, match="same_kind"):
        ints += 1.5
    with pytest.raises(TypeError, match="same_kind"):
        ints /= 2
    same(ints, np.arange(3))


#: Views of one array as output, operands and mask, which overlap in any way.
OVERLAPPING = [
    (np.s_[1:], np.s_[:-1], np.s_[:-1]), (np.s_[:-1], np.s_[1:], np.s_[1:]), (np.s_[:], np.s_[::-1], np.s_[:]),
    (np.s_[:], np.s_[:], np.s_[::-1]), (np.s_[::2], np.s_[:50], np.s_[50:]), (np.s_[:], np.s_[3:4], np.s_[7]),
    (np.s_[2:98], np.s_[4:], np.s_[:96]), (np.s_[::-1], np.s_[:], np.s_[:]),
]  # fmt: skip


@pytest.mark.parametrize("dtype", slow_except(["f4"], ["f4", "i1", "f8"]))
def test_out_that_overlaps_with_where(dtype):
    base, chosen = values((100,), dtype), values((100,), "?", 1)
    for out, a, b in OVERLAPPING:
        for first in (lambda x, i: x[i], lambda x, i: 3):
            x, y = base.copy(), cp.asarray(base)
            mask = cp.asarray(chosen)
            np.add(x[a], first(x, b), out=x[out], where=chosen[out])
            cp.add(y[a], first(y, b), out=y[out], where=mask[out])
            same(y, x, context=(out, a, b))
    # The mask lies in the output, too.
    for out, a, b in OVERLAPPING:
        x, y = chosen.copy(), cp.asarray(chosen)
        np.logical_not(x[a], out=x[out], where=x[b])
        cp.logical_not(y[a], out=y[out], where=y[b])
        same(y, x, context=(out, a, b))


def _bits(x):
    """The signs of zeros beside the values; NaN has none."""
    return np.where(np.isnan(x), 0, np.signbit(x.real)), np.where(
        np.isnan(x), 0, np.signbit(x.imag)
    )


@pytest.mark.parametrize("dtype", slow_except(["c8"], ["f2", "f4", "f8", "c8", "c16"]))
def test_powers_of_corners(dtype):
    """NumPy's operator takes a root where the exponent is 0.5, a square where it is 2, and so on."""
    host = np.array([-np.inf, -0.0, 0.0, np.inf, np.nan, -1, -4, 2, 9, 1e-3], dtype)
    x = cp.asarray(host)
    with np.errstate(all="ignore"):
        for exponent in (0.5, 2, -1, 0, 1, 2.0, -1.0, np.float32(0.5)):
            if host.dtype.kind == "c" and not (type(exponent) is float and exponent == 0.5):
                continue
            expected = host**exponent
            actual = x**exponent
            exact = host.dtype.kind != "c"
            same(actual, expected, ulps=0 if exact else 2)
            if exact:
                np.testing.assert_array_equal(_bits(actual.get()), _bits(expected))
            in_place = x.astype(expected.dtype)
            in_place **= exponent
            same(in_place, expected, ulps=0 if exact else 2)
            fused = cp.fuse(lambda x, exponent=exponent: x**exponent)
            same(fused(x), expected, ulps=0 if exact else 2)
        if dtype in ("f4", "f8"):
            same(x ** cp.array(0.5, dtype), host ** np.array(0.5, dtype))
            same(x ** cp.array([0.5], dtype), host ** np.array([0.5], dtype))
            same(cp.power(x, 0.5), np.power(host, 0.5))
            # Exponents of several elements are powers in any case.
            several = np.full(host.shape, 0.5, dtype)
            same(x ** cp.asarray(several), host**several, ulps=2)


def test_overlapping_out():
    host = np.arange(12.0)
    x = cp.asarray(host)
    np.add(host[1:], host[:-1], out=host[:-1])
    cp.add(x[1:], x[:-1], out=x[:-1])
    same(x, host)
    np.negative(host[:-1], out=host[1:])
    cp.negative(x[:-1], out=x[1:])
    same(x, host)
    np.multiply(host[::2], 2, out=host[:6])
    cp.multiply(x[::2], 2, out=x[:6])
    same(x, host)


def test_outer():
    a, b = np.arange(3), np.arange(4.0).reshape(2, 2)
    same(cp.subtract.outer(cp.asarray(a), cp.asarray(b)), np.subtract.outer(a, b))
    same(cp.add.outer(cp.asarray(a), 1), np.add.outer(a, 1))
    with pytest.raises(ValueError, match="outer"):
        cp.negative.outer(cp.asarray(a), 1)


def test_errors_leave_everything_usable():
    x = cp.arange(4.0)
    for wrong in (
        lambda: x + cp.ones(3),
        lambda: x + "a",
        lambda: x & 1,
        lambda: cp.add(x, 1, dtype="O"),
    ):
        with pytest.raises((ValueError, TypeError)):
            wrong()
    same(x + 1, np.arange(4.0) + 1)


def test_attributes():
    assert (cp.add.nin, cp.add.nout, cp.add.nargs, cp.add.identity) == (2, 1, 3, 0)
    assert cp.add.__name__ == "add"
    assert repr(cp.add) == "<ufunc 'add'>"
    assert "ff->f" in cp.add.types
    assert cp.add.ntypes == len(cp.add.types)
    assert "Parameters" in cp.add.__doc__
