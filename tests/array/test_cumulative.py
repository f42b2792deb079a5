"""Cumulative operations against NumPy: dtypes, layouts, axes, and NumPy's arguments."""

import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _layout
from gpuarray._runtime.current_stream import current
from gpuarray.errors import HostArrayError
from gpuarray.kernels import scan
from tests.array.arrays import LAYOUTS_3D, against_numpy, device_copy, raises_alike, same, ties
from tests.slow import slow_except, slow_off_axes


def check(name, x, axis=None, **arguments):
    context = f"{name} {x.dtype}{x.shape} {x.strides} {axis} {arguments}"
    expected = getattr(np, name)(x, axis=axis, **arguments)
    same(getattr(cp, name)(device_copy(x), axis=axis, **arguments), expected, context=context)


@pytest.fixture
def scan_plans():
    """Forget plans around a test that changes how they are made."""

    def forget():
        plans = current.stream.plans
        for key in list(plans):
            if isinstance(key[0], scan.rules.Accumulation):
                del plans[key]

    forget()
    yield
    forget()


test_every_layout = against_numpy(
    lambda xp, x, axis: xp.cumsum(x, axis),
    dtypes=["i4"],
    layouts=LAYOUTS_3D,
    shape=(4, 6, 8),
    raises=np.exceptions.AxisError,
    axis=[None, 0, 1, 2, -1],
)
test_every_dtype = against_numpy(
    lambda xp, x, axis: xp.cumsum(x, axis),
    layouts_of=(),
    shape=(3, 700),
    make=ties,
    axis=[None, 0, 1],
)
test_products = against_numpy(
    lambda xp, x: xp.cumprod(x, 1), layouts_of=(), shape=(3, 9), make=ties
)
test_long_products = against_numpy(
    lambda xp, x: xp.cumprod(xp.sign(x), 1),
    dtypes=["i2", "i8", "f2", "f8"],
    layouts_of=(),
    shape=(3, 700),
    make=ties,
)


@pytest.mark.parametrize("size", [1, 2, 31, 33, 255, 257, 4095, 4097, 8195, 40001])
def test_sizes_about_tiles(size):
    for dtype in ("f4", "i1", "f8"):
        x = ties(size + 3, dtype)
        check("cumsum", x[:size])
        check("cumsum", x[3:])  # at an address that no vector has
        check("cumsum", x[::-1])
        check("cumsum", x[::2])


@pytest.mark.parametrize(
    "shape",
    [(3, 5), (40, 1), (70, 127), (9, 1000), (300, 1025), (2, 9000), (5000, 9), (3, 600, 40)],
)
def test_shapes(shape):
    x = ties(shape, "f4")
    for axis in range(len(shape)):
        check("cumsum", x, axis)
        check("cumsum", x.T, axis)


@pytest.mark.parametrize(("dtype", "shape"), [("c16", (140_000,)), ("f4", (80_000, 3))])
def test_long_look_back(dtype, shape, scan_plans, monkeypatch):
    # Tiles so small that there are more than two spans of 1024.
    def shared(spec, *_):
        if spec.variant == "rows":
            spec = scan.launch.replace(spec, block=64, width=64, vector=1)
        return scan.launch.replace(spec, unroll=1, look_back=True)

    monkeypatch.setattr(scan.launch, "_shared", shared)
    check("cumsum", ties(shape, dtype), 0)


@pytest.mark.parametrize("tiles", scan.launch._IN_FLIGHT)
@pytest.mark.parametrize("dtype", slow_except(["f4", "c16"], ["f4", "f8", "i1", "f2", "c8", "c16"]))
def test_tiles_of_every_size(dtype, tiles, scan_plans, monkeypatch):
    monkeypatch.setattr(scan.launch, "_IN_FLIGHT", (tiles,))
    for shape in ((100_003,), (2, 60_001)):
        check("cumsum", ties(shape, dtype), -1)


def test_smaller_tiles_where_large_ones_are_too_few():
    sums = scan.launch.accumulation("add", "f4", "f4")
    spec = scan.spec.ScanSpec(
        "cumsum", *sums[1:5], input_dtype="f4", output_dtype="f4", vector=4, unroll=4
    )
    lengths = [scan.spec.tile_length(scan.launch._shared(spec, n, 1, 132))
               for n in (10_000, 1_000_000, 2_500_000, 10_000_000)]  # fmt: skip
    assert lengths == [4096, 4096, 8192, 24576]


def test_the_stream_remembers_no_sums():
    # Messages of earlier launches lie where those of the next are expected.
    for size in (20000, 40000, 20000, 9000):
        for dtype in ("f4", "f8", "f4"):
            check("cumsum", ties(size, dtype))


def test_same_bits_in_every_run(rng):
    x = device_copy(rng.random(50000).astype("f4"))
    first = cp.asnumpy(cp.cumsum(x))
    for _ in range(3):
        assert np.array_equal(cp.asnumpy(cp.cumsum(x)), first)
    exact = np.cumsum(cp.asnumpy(x), dtype="f8")
    assert np.abs(first / exact - 1).max() < 1e-6


@pytest.mark.parametrize(
    ("dtype", "name"), slow_off_axes(["i1", "f4", "?"], [*scan.rules.ACCUMULATIONS])
)
def test_accumulate(name, dtype):
    x = ties((5, 300), dtype)
    if (name.startswith("bitwise") and dtype == "f4") or (name == "gcd" and dtype != "i1"):
        return raises_alike(
            lambda: getattr(np, name).accumulate(x),
            lambda: getattr(cp, name).accumulate(cp.asarray(x)),
        )
    if x.dtype.kind == "f" and name[0] in "fmb":
        x[2, 100] = np.nan
    if name == "multiply":
        x = np.sign(x) if x.dtype.kind in "if" else x
    for axis in (0, 1) if name in ("add", "maximum") else (1,):
        result = getattr(cp, name).accumulate(device_copy(x), axis)
        # NumPy computes in float16 where these do not.
        rounded = name in ("hypot", "logaddexp", "logaddexp2")
        ulps, atol = ({"e": 64, "f": 64}, 4e-3 if dtype != "f4" else 1e-6) if rounded else (0, 0)
        same(result, getattr(np, name).accumulate(x, axis), ulps=ulps, atol=atol, context=axis)


def test_accumulate_of_a_ufunc():
    x = np.array([[3, 1], [2, 5]])
    same(cp.maximum.accumulate(device_copy(x)), np.maximum.accumulate(x))
    same(cp.add.accumulate(device_copy(x), axis=1), np.add.accumulate(x, axis=1))
    with pytest.raises(TypeError, match="cannot accumulate on a scalar"):
        cp.add.accumulate(device_copy(np.array(5)))
    with pytest.raises(ValueError, match="multiple axes"):
        cp.add.accumulate(device_copy(x), axis=(0, 1))


def test_nan_and_signs():
    check("cumsum", np.array([1, np.nan, np.inf, -np.inf, 2], "f4"))
    check("nancumsum", np.array([1, np.nan, 2, np.nan], "f4"))
    check("nancumsum", np.array([[1, np.nan], [np.nan, 3]], "c8"), 1)
    check("nancumprod", np.array([2, np.nan, 3], "f2"))
    check("nancumsum", np.arange(5))
    for dtype in ("f4", "f8", "c16"):
        x = np.full(4, complex(-0.0, -0.0) if dtype == "c16" else -0.0, dtype)
        result = cp.asnumpy(cp.cumsum(device_copy(x)))
        assert np.signbit(result.view("f4" if dtype == "f4" else "f8")).all()


def test_complex_products_beyond_every_number():
    # 1 + 0j changes an infinity, so nothing may be multiplied by it.
    x = np.array([complex(np.inf, 1), 1, 1], "c16")
    with np.errstate(invalid="ignore"):
        expected = np.cumprod(x)
    np.testing.assert_array_equal(cp.asnumpy(cp.cumprod(device_copy(x)))[:1], expected[:1])


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_empty(shape):
    x = np.ones(shape, "f4")
    for axis in (None, *range(len(shape))):
        check("cumsum", x, axis)


def test_without_dimensions():
    check("cumsum", np.array(5))
    same(cp.cumsum(7), np.cumsum(7))


def test_memory_order_is_kept():
    x = np.ones((4, 5, 6)).transpose(2, 0, 1)
    for axis in range(3):
        result = cp.cumsum(device_copy(x), axis)
        assert result.strides == np.cumsum(x, axis).strides


def test_dtype(rng):
    x = ties(100, "i1")
    for dtype in ("i1", "f4", "c8", "u2"):
        check("cumsum", x, dtype=dtype)
    check("cumsum", rng.random(50).astype("f8") * 10, dtype="i4")


def test_out():
    x = ties((6, 50), "f4")
    for out in (
        np.zeros((6, 50)),
        np.zeros((6, 50), "f4").T.copy().T,
        np.zeros((6, 100), "i4")[:, ::2],
    ):
        into = device_copy(out)
        result = cp.cumsum(device_copy(x), 1, out=into)
        assert result is into
        same(result, np.cumsum(x, 1, out=out.copy()))
    with pytest.raises(ValueError, match="wrong size for the accumulation"):
        cp.cumsum(device_copy(x), 1, out=device_copy(np.zeros(5)))
    with pytest.raises(HostArrayError):
        cp.cumsum(device_copy(x), out=np.zeros(300))


def test_in_place_and_overlapping():
    x = ties(20000, "f4")
    a = device_copy(x)
    cp.cumsum(a, out=a)
    same(a, np.cumsum(x))
    memory = device_copy(np.concatenate([x, [0]]).astype("f4"))
    one, other = memory[:-1], memory[1:]
    cp.cumsum(one, out=other)
    same(other, np.cumsum(x))


def test_errors():
    x = device_copy(np.ones((2, 3)))
    with pytest.raises(np.exceptions.AxisError):
        cp.cumsum(x, 2)
    with pytest.raises(HostArrayError):
        cp.cumsum(np.ones(2))
    with pytest.raises(ValueError, match="axis"):
        cp.cumulative_sum(x)


def test_array_api():
    for name, shape in itertools.product(("cumulative_sum", "cumulative_prod"), ((7,), (3, 4))):
        x = ties(shape, "i4")
        for axis, initial in itertools.product(range(len(shape)), (False, True)):
            expected = getattr(np, name)(x, axis=axis, include_initial=initial)
            function = getattr(cp, name)
            result = function(device_copy(x), axis=axis, include_initial=initial)
            same(result, expected, context=f"{name} {shape} {axis}")
            into = device_copy(np.zeros(expected.shape))
            assert function(device_copy(x), axis=axis, include_initial=initial, out=into) is into
            same(into, expected.astype("f8"))
    x = ties(5, "f4")
    same(cp.cumulative_sum(device_copy(x)), np.cumulative_sum(x))


@pytest.mark.parametrize("shape,axis", [((9000,), 0), ((40, 7), 0), ((40, 7), 1), ((3, 900), 1)])
def test_exclusive(shape, axis):
    x = ties(shape, "f4")
    layout = _layout.contiguous(np.dtype("f4"), shape)
    what = scan.launch.accumulation("add", "f4", "f4")
    run = scan.launch.make_call(what, layout, axis, layout, False, current.stream, True)
    same(run(device_copy(x)) + 0, np.cumsum(x, axis) - x)


def test_64_bit_indices(scan_plans, monkeypatch):
    monkeypatch.setattr(_layout, "needs_int64", lambda *_: True)
    for shape, axis in (((9000,), 0), ((40, 70), 0), ((40, 70), 1), ((3000, 3), 0)):
        check("cumsum", ties(shape, "i2"), axis)
