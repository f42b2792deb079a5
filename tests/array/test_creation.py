"""Creation of arrays from a shape, a range or data, against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ops import ranges
from gpuarray.errors import UnsupportedDTypeError
from tests.array.arrays import (
    DTYPES,
    LAYOUTS,
    WIDTHS,
    pair,
    raises_alike,
    raises_as_numpy,
    same,
    values,
)
from tests.slow import slow_except, slow_off_axes


@pytest.mark.parametrize("dtype", DTYPES)
def test_filled(dtype):
    for shape in (5, (), (2, 3), (0, 4), [2, 2], np.int64(3)):
        same(cp.zeros(shape, dtype), np.zeros(shape, dtype))
        same(cp.ones(shape, dtype), np.ones(shape, dtype))
        assert cp.empty(shape, dtype).shape == np.empty(shape, dtype).shape
    value = values((), dtype, 3)[()]
    same(cp.full((3, 2), value, dtype), np.full((3, 2), value, dtype))
    same(cp.full((3, 2), value), np.full((3, 2), value))
    same(cp.eye(3, 4, 1, dtype), np.eye(3, 4, 1, dtype))


@pytest.mark.parametrize("order", ["C", "F"])
def test_order(order):
    for make in (cp.zeros, cp.ones, cp.empty):
        x = make((3, 4), "f4", order)
        assert x.strides == np.zeros((3, 4), "f4", order).strides
    assert cp.full((3, 4), 1, order=order).strides == np.full((3, 4), 1, order=order).strides
    raises_alike(lambda: np.zeros(3, order="Q"), lambda: cp.zeros(3, order="Q"))


def test_full_takes_the_dtype_of_its_value():
    for value in (True, 3, 2.5, 1j, np.float32(3), [1, 2], np.int8(4)):
        same(cp.full((3, 2), value), np.full((3, 2), value))
    same(cp.full((2, 2), cp.array([1.5, 2.5])), np.full((2, 2), [1.5, 2.5]))
    if np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # which refuses what does not fit
        raises_alike(lambda: np.full(3, 300, "u1"), lambda: cp.full(3, 300, "u1"))


@pytest.mark.parametrize("bad", [2.0, (2, 3.0), "a", -1, (2, -3), None, (1,) * 65])
def test_bad_shapes(bad):
    cp.empty((2, 3))
    cp.empty(2)  # equal keys in the plans must not let 2.0 through
    if bad is None and np.lib.NumpyVersion(np.__version__) < "2.1.0":
        pytest.skip("this NumPy warns only")
    raises_alike(lambda: np.empty(bad), lambda: cp.empty(bad))


def test_like():
    base = values((3, 4, 5), "f4")
    for host in (base, base.T, base.transpose(1, 0, 2), base[::2, ::-1], base[:, 0]):
        device = cp.empty(base.shape, "f4")
        view = cp.ndarray(host.shape, "f4", strides=host.strides)
        for order in "KCFA":
            for name in ("empty_like", "zeros_like", "ones_like"):
                expected = getattr(np, name)(host, order=order)
                actual = getattr(cp, name)(view, order=order)
                assert actual.strides == expected.strides
                assert getattr(cp, name)(host, order=order).strides == expected.strides
        same(cp.full_like(view, 7, dtype="i2"), np.full_like(host, 7, dtype="i2"))
        assert cp.empty_like(view, shape=(2, 2)).shape == (2, 2)
        assert device.shape == base.shape


@pytest.mark.parametrize("args", [(3, 4, 1), (4, 3, -1), (3, 3, 5), (3, 3, -5), (0,), (3, None)])
def test_eye(args):
    same(cp.eye(*args), np.eye(*args))
    same(cp.eye(*args, dtype="c8", order="F"), np.eye(*args, dtype="c8", order="F"))
    same(cp.identity(3, "i4"), np.identity(3, "i4"))


def check_range(args, dtype=None):
    """Compare a range with NumPy's, with the signs of zeros; both may raise."""
    try:
        expected = np.arange(*args, dtype=dtype)
    except (ValueError, ArithmeticError, TypeError):
        raises_alike(lambda: np.arange(*args, dtype=dtype), lambda: cp.arange(*args, dtype=dtype))
        return
    found = cp.arange(*args, dtype=dtype)
    same(found, expected, context=(args, dtype))
    if expected.dtype.kind == "f":
        signs = np.signbit(cp.asnumpy(found)[expected == 0])
        assert signs.tolist() == np.signbit(expected[expected == 0]).tolist(), (args, dtype)


@pytest.mark.parametrize(
    ("dtype", "limit"),
    [
        ("i1", 127), ("i1", -128), ("u1", 255), ("u1", 0), ("i4", 2**31 - 1), ("i8", 2**52),
        ("f2", 2**11), ("f4", 2**24), ("f8", 2**52), (None, 2**52), (None, 2.0**52), ("f8", -(2.0**52)),
    ],
)  # fmt: skip
def test_arange_near_the_integers_that_a_dtype_holds(dtype, limit):
    near = [limit - 1, limit, limit + 1]
    for n in near:
        for args in ((n, n + 3), (n - 4, n), (n, n - 3, -1), (n - 1, n, 7)):
            check_range(args, dtype)
        if n:
            check_range((0, 2 * n, n), dtype)
            check_range((1, -2 * n, -n), dtype)
            check_range((-n, n + 1, n), dtype)


def test_arange_of_pythons_floats():
    third = 1 / 3
    for args in (
        (0.5,), (1.0,), (-0.0, 3), (-0.0, -3, -1), (0.0, -3, -1.0), (1.0, -3, -1), (-1, 2.5, 1),
        (third, 9, third), (0.1, 0.1), (0.3, 0.1), (5, 4.9), (5e-324, 2e-323, 5e-324),
        (0, 1e-300, 1e-301), (1.0, 2, 1e-1), (0.0, 1.0, float("inf")), (0.0, float("nan")),
        (2.0, float("inf")), (True, 3.0), (1.5, 3, 0), (1.5, 3, 0.0), (2**63, 2.0**63 + 4096, 1024.0),
    ):  # fmt: skip
        for dtype in (None, "f8", "f4", "i8"):
            check_range(args, dtype)


RANGES = [
    (5,), (0,), (-3,), (2, 9), (2, 9, 3), (9, 2, -2), (2, 2), (1.5,), (0.1, 5, 0.3), (1, 2, 0.1),
    (3, -1, -0.7), (0, 1, 1e-1), (np.float32(0.1), 3, np.float32(0.7)), (True, 5), (10**12, 10**12 + 4),
    (np.int8(3), 9), (np.uint64(5),), (0, 1000, 0.1), (-0.5, 100, 1 / 3),
]  # fmt: skip


@pytest.mark.parametrize("args", RANGES, ids=str)
def test_arange(args):
    same(cp.arange(*args), np.arange(*args))


@pytest.mark.parametrize("dtype", DTYPES[1:])
def test_arange_has_numpys_bits(dtype):
    for args in ((50,), (3, 60, 4), (0.1, 20, 0.3), (7, -5, -0.7), (2000, 5000, 7)):
        if np.dtype(dtype).kind == "u" and args[-1] < 0:
            continue
        if np.dtype(dtype).itemsize == 1 and args[0] == 2000:
            continue
        same(cp.arange(*args, dtype=dtype), np.arange(*args, dtype=dtype))
    same(cp.arange(1, dtype=dtype), np.arange(1, dtype=dtype))


@pytest.mark.parametrize("dtype", [None, *DTYPES])
def test_arange_of_one_reads_no_memory_that_nobody_wrote(monkeypatch, dtype):
    class Poisoned:
        """NumPy, where new memory holds NaN, -1 or True."""

        def __getattr__(self, name):
            return getattr(np, name)

        def empty(self, shape, dtype=float):
            return np.full(shape, np.nan if np.dtype(dtype).kind in "fc" else ~np.zeros((), dtype))

    with monkeypatch.context() as patch:
        patch.setattr(ranges, "np", Poisoned())
        x = cp.arange(1.0, dtype=dtype)
        y = cp.arange(3, 4, dtype=dtype)
    same(x, np.arange(1.0, dtype=dtype))
    same(y, np.arange(3, 4, dtype=dtype))


@pytest.mark.parametrize(
    ("args", "dtype"),
    [
        ((2**53, 2**53 + 3), "f2"), ((2**53, 2**53 + 1), "f2"), ((-70000, 70001, 70000), "f2"),
        ((65504, 65504 + 96, 32), "f2"), ((1e39, 1.5e39, 1e38), "f4"), ((1e308, 1.7e308, 3e307), None),
        ((-0.0, 3), None), ((-0.0, 1), None), ((-0.0, 2), "c8"), ((-0.0, -3, -1), "f2"),
        ((2**63, 2**63 + 2), None), ((-(2**63), -(2**63) + 2), None), ((2**62, 2**63 - 1, 2**61), None),
        ((0, 2**62 + 1, 2**62), None), ((0, 2**53, 2**51), "f8"), ((0, -1e-320, 1e300), None),
        ((0, 1e-320, 1e300), None), ((0, 2**70, 2**69), "f4"), ((1 + 1j, 5), "c16"), ((5, 9 + 3j), None),
    ],
    ids=str,
)  # fmt: skip
def test_arange_at_the_ends_of_dtypes(args, dtype):
    same(cp.arange(*args, dtype=dtype), np.arange(*args, dtype=dtype))
    zeros = np.arange(*args, dtype=dtype) == 0
    expected = np.signbit(np.arange(*args, dtype=dtype).real[zeros])
    np.testing.assert_array_equal(
        np.signbit(cp.asnumpy(cp.arange(*args, dtype=dtype)).real[zeros]), expected
    )


@pytest.mark.parametrize("args", [(0, 2**64, 2**62), (2**70, 2**70 + 2), (0, 1, 2**70)])
def test_a_range_of_integers_beyond_64_bits_is_refused(args):
    """NumPy's is of Python's objects."""
    assert np.arange(*args).dtype == object
    with pytest.raises(TypeError):
        cp.arange(*args)


test_lengths_that_arange_refuses = raises_as_numpy(
    lambda xp: xp.arange(1, float("inf")),
    lambda xp: xp.arange(-float("inf"), 1),
    lambda xp: xp.arange(1e300, 3),
    lambda xp: xp.arange(0.0, 1.0, np.float32(0)),
    lambda xp: xp.arange(3j, dtype="f4"),
    lambda xp: xp.arange(2**64, 2**53, dtype="f4"),
)


def test_arange_errors():
    raises_alike(lambda: np.arange(0, 3, 0), lambda: cp.arange(0, 3, 0))
    raises_alike(lambda: np.arange(5, dtype="?"), lambda: cp.arange(5, dtype="?"))
    raises_alike(lambda: np.arange(0.0, np.nan), lambda: cp.arange(0.0, np.nan))
    same(cp.arange(2, dtype="?"), np.arange(2, dtype="?"))
    raises_alike(lambda: np.arange(300, 400, dtype="u1"), lambda: cp.arange(300, 400, dtype="u1"))


@pytest.mark.parametrize(
    ("dtype", "endpoint"), slow_off_axes([None, "f4", "f2", "i4", "c16"], [True, False])
)
def test_linspace(dtype, endpoint):
    for args in (
        (0, 1, 7),
        (-3, 10, 50),
        (2.5, -1, 3),
        (0, 1, 1),
        (1, 1, 4),
        (0, 1, 0),
        (0, 5e-324, 5),
    ):
        expected = np.linspace(*args, endpoint=endpoint, dtype=dtype)
        same(cp.linspace(*args, endpoint=endpoint, dtype=dtype), expected)
    samples, step = cp.linspace(0, 3, 4, endpoint, retstep=True)
    assert step == np.linspace(0, 3, 4, endpoint, retstep=True)[1]
    assert samples[0] == 0


def test_linspace_of_arrays_and_complex():
    start, stop = np.array([0.0, 1.0]), np.array([5.0, 3.0])
    for axis in (0, -1):
        expected = np.linspace(start, stop, 4, axis=axis)
        same(cp.linspace(cp.asarray(start), cp.asarray(stop), 4, axis=axis), expected)
    same(cp.linspace(cp.asarray(start), 9, 3), np.linspace(start, 9, 3))
    same(cp.linspace(1j, 2 + 3j, 5), np.linspace(1j, 2 + 3j, 5))
    for dtype in ("i4", "f2", "f4"):
        ends = np.arange(2).astype(dtype)
        same(cp.linspace(cp.asarray(ends), 4, 5), np.linspace(ends, 4, 5))
    same(cp.linspace((1, 2), 4, 5), np.linspace((1, 2), 4, 5))


@pytest.mark.parametrize("num", [0, 1, 2])
def test_the_step_of_linspace_is_numpys(num):
    step = cp.linspace(0, 1, num, retstep=True)[1]
    expected = np.linspace(0, 1, num, retstep=True)[1]
    assert type(step) is type(expected)
    assert step == expected or (step != step and expected != expected)


@pytest.mark.parametrize("ndmin", [1.0, np.nan, "2", -(2**70)])
def test_ndmin_is_an_integer(ndmin):
    raises_alike(lambda: np.array([1], ndmin=ndmin), lambda: cp.array([1], ndmin=ndmin))


def test_any_order_needs_no_copy():
    for xp in (np, cp):
        x = xp.ones((4, 6))[:, ::2]
        assert xp.asarray(x, order="A") is x
        assert xp.array(x, order="A", copy=None) is x
        assert xp.array(x, order="A").flags.c_contiguous
        assert xp.array(x.T, order="A").flags.c_contiguous


def test_copy_is_no_string():
    for x in (cp.ones(2), [1, 2]):
        with pytest.raises(ValueError, match="strings are not allowed for 'copy'"):
            cp.array(x, copy="never")
    raises_alike(lambda: np.linspace(0, 1, -1), lambda: cp.linspace(0, 1, -1))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_array_of_host_and_device(layout, dtype):
    host, device = pair(layout, dtype)
    same(device, host)
    for order in "KCFA":
        expected = np.array(host, order=order)
        for source in (host, device):
            made = cp.array(source, order=order)
            same(made, expected)
            if layout == "broadcast" and order == "K":
                continue  # NumPy makes a broadcast axis the fastest of a copy
            assert made.flags.c_contiguous == expected.flags.c_contiguous
            assert made.flags.f_contiguous == expected.flags.f_contiguous
            if made.size and expected.ndim > 1:
                assert made.strides == expected.strides


def test_array_of_numbers_and_sequences():
    for data in (
        3,
        2.5,
        1j,
        True,
        [],
        [1, 2],
        [[1, 2.5], [3, 4]],
        ((True, 2),),
        np.float32(2),
        range(4),
    ):
        same(cp.array(data), np.array(data))
    same(cp.array([1, 2], "f4", ndmin=3), np.array([1, 2], "f4", ndmin=3))
    x = cp.arange(3)
    same(cp.array([x, x * 2]), np.array([np.arange(3), np.arange(3) * 2]))
    same(cp.array([[x[0], 2], [3, x[1]]]), np.array([[0, 2], [3, 1]]))
    same(cp.array([x, [1.5, 2, 3]]), np.array([[0, 1, 2], [1.5, 2, 3]]))
    same(cp.array([cp.float32(1), x[2].astype("f4")]), np.array([1, 2], "f4"))


def test_identity_and_copies():
    x = cp.arange(6).reshape(2, 3)
    assert cp.asarray(x) is x
    assert cp.asanyarray(x, "i8", "C") is x
    assert cp.ascontiguousarray(x) is x
    assert cp.asfortranarray(x).flags.f_contiguous
    assert cp.ascontiguousarray(cp.array(1)).shape == (1,)
    for made in (cp.array(x), cp.copy(x), x.copy(), cp.asarray(x, copy=True), x.astype("i8")):
        assert made.data.ptr != x.data.ptr
        same(made, np.arange(6).reshape(2, 3))
    assert cp.array(x, copy=None) is x
    assert x.astype("i8", copy=False) is x
    with pytest.raises(ValueError, match="copy=None"):
        cp.array(x, "f4", copy=False)
    with pytest.raises(ValueError, match="copy=None"):
        cp.array([1, 2], copy=False)


@pytest.mark.parametrize("dtype", ["O", "S3", "f16", "i4,S4", [("a", "O")]])
def test_unsupported_dtypes(dtype):
    if np.dtype(dtype).itemsize == 8 and np.dtype(dtype).kind == "f":
        pytest.skip("longdouble is float64 here")
    for make in (
        lambda: cp.zeros(3, dtype),
        lambda: cp.array(np.zeros(3, dtype)),
        lambda: cp.ones(3).astype(dtype),
        lambda: cp.arange(3, dtype=dtype),
    ):
        with pytest.raises(UnsupportedDTypeError, match="supported are"):
            make()


@pytest.mark.parametrize("source", slow_except(["?", "i8", "f2", "f4", "c16"], WIDTHS))
def test_astype(source):
    host = values((3, 5), source)
    device = cp.asarray(host)
    for target in WIDTHS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            if host.dtype.kind in "ifc" and np.dtype(target).kind == "u":
                expected = np.abs(host.real).astype(target)
                same(cp.asarray(np.abs(host.real)).astype(target), expected)
                continue
            same(device.astype(target), host.astype(target))
            if np.can_cast(source, target, "safe"):
                device.astype(target, casting="safe")
            else:
                with pytest.raises(TypeError, match="according to the rule 'safe'"):
                    device.astype(target, casting="safe")


class Foreign:
    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


def test_cuda_array_interface():
    x = cp.arange(12, dtype="f4").reshape(3, 4)
    for view in (x, x.T, x[::-1, 1:], x[1], x[:0]):
        interface = view.__cuda_array_interface__
        assert interface["version"] == 3
        assert interface["typestr"] == "<f4"
        assert interface["strides"] == (None if view.flags.c_contiguous else view.strides)
        shared = cp.asarray(Foreign(interface))
        same(shared, view.get())
        if view.size:
            assert shared.data.ptr == view.data.ptr
    shared = cp.asarray(Foreign(x.__cuda_array_interface__))
    shared += 1
    same(x, np.arange(12, dtype="f4").reshape(3, 4) + 1)
    same(x + Foreign(x.__cuda_array_interface__), 2 * x.get())
