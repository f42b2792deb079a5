"""Matrix products by our own kernels: dtypes, layouts, stacks and sizes around the tiles."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _broadcasting, _dtypes, _layout
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import product
from tests.array.arrays import DTYPES
from tests.slow import slow_except

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

#: How a view is made of a matrix, on the host and on the device.
VIEWS = {
    "rows": lambda xp, x: xp.ascontiguousarray(x),
    "columns": lambda xp, x: xp.ascontiguousarray(x.T).T,
    "reversed": lambda xp, x: xp.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
    "gaps": lambda xp, x: xp.repeat(xp.repeat(x, 2, 0), 3, 1)[::2, ::3],
    "repeated": lambda xp, x: xp.broadcast_to(x[-1:], x.shape) if len(x) else x,
}


def matmul(a, b, dtype=None, out=None):
    """The product by the family's call alone, whatever `cp.matmul` would choose."""
    shape = _broadcasting.broadcast_shapes([a.shape[:-2], b.shape[:-2]]) + (
        a.shape[-2],
        b.shape[-1],
    )
    if out is not None:
        run = product.launch.product_call(a._layout, b._layout, out._layout, current.stream, True)
        return run(a, b, out)
    target = _layout.contiguous(_dtypes.canonical(dtype or a.dtype), shape)
    return product.launch.product_call(a._layout, b._layout, target, current.stream)(a, b)


def numbers(shape, dtype, seed=0):
    """All values of integers, and of other dtypes small ones whose products are exact."""
    rng, dtype = np.random.default_rng(seed), np.dtype(dtype)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    if dtype.kind == "b":
        return rng.random(shape) < 0.2
    found = rng.integers(-4, 5, shape) + 1j * rng.integers(-4, 5, shape) * (dtype.kind == "c")
    return (found if dtype.kind == "c" else found.real).astype(dtype)


def check(a, b):
    found = matmul(cp.asarray(a), cp.asarray(b))
    expected = np.matmul(a, b)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(found.get(), expected)


SINGLE, TILED = (3, 17, 5), (65, 70, 17)
QUICK = [(SINGLE, dtype) for dtype in ("i2", "u1", "f8", "c8")]
QUICK += [(TILED, dtype) for dtype in ("i1", "i4", "u8", "?", "f2", "c16")]


@pytest.mark.parametrize(
    "case",
    slow_except(QUICK, [(sizes, dtype) for sizes in (SINGLE, TILED) for dtype in DTYPES]),
    ids=lambda case: f"{case[1]}-{case[0][0]}",
)
def test_dtypes(case):
    (m, k, n), dtype = case
    check(numbers((m, k), dtype), numbers((k, n), dtype, 1))


@pytest.mark.parametrize("dtype", ["i1", "i4"])
def test_layouts(dtype):
    a, b = numbers((19, 21), dtype), numbers((21, 18), dtype, 1)
    for left in VIEWS.values():
        for right in VIEWS.values():
            found = matmul(left(cp, cp.asarray(a)), right(cp, cp.asarray(b)))
            np.testing.assert_array_equal(found.get(), left(np, a) @ right(np, b))


_SIDES = st.one_of(st.integers(0, 5), st.sampled_from([16, 17, 31, 33, 64, 65]))


@hypothesis.settings(max_examples=30)
@hypothesis.given(
    st.sampled_from(["i1", "i4"]),
    st.tuples(_SIDES, st.one_of(_SIDES, st.just(130)), _SIDES),
    st.sampled_from([*VIEWS]),
    st.sampled_from([*VIEWS]),
    st.integers(0, 9),
)
def test_any_size_and_view(dtype, sizes, left, right, seed):
    m, k, n = sizes
    a, b = numbers((m, k), dtype, seed), numbers((k, n), dtype, seed + 1)
    found = matmul(VIEWS[left](cp, cp.asarray(a)), VIEWS[right](cp, cp.asarray(b)))
    np.testing.assert_array_equal(found.get(), VIEWS[left](np, a) @ VIEWS[right](np, b))


@pytest.mark.parametrize("dtype", ["i1", "?"])
def test_bytes_read_four_at_a_time(dtype):
    """Where they are aligned, along each dimension; and one element beside that, where not."""
    a, b = numbers((40, 72), dtype), numbers((72, 36), dtype, 1)
    if dtype == "?":
        # Any byte but 0 is true.
        host = numbers((40, 72), "u1") * (numbers((40, 72), "u1", 2) > 230)
        x, a = cp.asarray(host).view(bool), host != 0
    else:
        x = cp.asarray(a)
    y = cp.asarray(b)
    np.testing.assert_array_equal(matmul(x, y).get(), a @ b)
    np.testing.assert_array_equal(matmul(y.T, x.T).get(), b.T @ a.T)
    memory = cp.zeros(1 + 72 * 36, dtype)
    shifted = memory[1:].reshape(72, 36)
    shifted[...] = y
    np.testing.assert_array_equal(matmul(x, shifted).get(), a @ b)
    np.testing.assert_array_equal(matmul(shifted.T, x.T).get(), b.T @ a.T)


def test_conversions():
    """Operands of other dtypes than the product's, whose sums would not fit in theirs."""
    cases = "i1 u1 i2, i1 i1 i4, u1 i1 i8, ? i1 i1, f4 c16 c16"
    a, b = numbers((4, 20), "u4") % 5, numbers((20, 3), "f2", 1)
    found = matmul(cp.asarray(a), cp.asarray(b), "f2")
    np.testing.assert_array_equal(found.get(), a.astype("f2") @ b)
    for left, right, dtype in [case.split() for case in cases.split(", ")]:
        inner = 70 if dtype == "i2" else 20
        a, b = numbers((4, inner), left), numbers((inner, 3), right, 1)
        found = matmul(cp.asarray(a), cp.asarray(b), dtype)
        np.testing.assert_array_equal(found.get(), a.astype(dtype) @ b.astype(dtype))


@pytest.mark.parametrize(
    "shapes", [((5, 1, 2, 3), (4, 3, 2)), ((6, 2, 3), (3, 4)), ((2, 3), (7, 3, 1))]
)
def test_stacks(shapes):
    check(numbers(shapes[0], "i4"), numbers(shapes[1], "i4", 1))


def test_a_stack_in_another_order():
    a, b = numbers((3, 4, 5, 6), "i2"), numbers((4, 3, 6, 2), "i2", 1)
    found = matmul(cp.asarray(a).transpose(1, 0, 2, 3), cp.asarray(b))
    np.testing.assert_array_equal(found.get(), a.transpose(1, 0, 2, 3) @ b)


def test_results_that_are_given():
    a, b = numbers((9, 4), "i4"), numbers((4, 6), "i4", 1)
    memory = cp.full((12, 20), 7, "i4")
    out = memory[::-1][1:10, 2:14:2]
    assert matmul(cp.asarray(a), cp.asarray(b), out=out) is out
    np.testing.assert_array_equal(out.get(), a @ b)
    assert int((memory == 7).sum()) == 12 * 20 - 9 * 6
    memory = cp.zeros((2, 6, 9), "i4")
    matmul(cp.asarray(np.stack([a, a + 1])), cp.asarray(b), out=memory.transpose(0, 2, 1))
    np.testing.assert_array_equal(memory.transpose(0, 2, 1).get(), np.stack([a, a + 1]) @ b)


@pytest.mark.parametrize("dtype", ["i1", "?", "f2", "c8"])
def test_vectors(dtype):
    """Rows, columns and numbers; a result that lacks the dimension of one element."""
    for m, k, n in [(1, 33, 5), (5, 33, 1), (1, 33, 1), (4, 1, 3)]:
        check(numbers((m, k), dtype), numbers((k, n), dtype, 1))
    a, b = numbers((3, 6, 40), dtype), numbers((40, 1), dtype, 1)
    target = _layout.contiguous(_dtypes.canonical(dtype), (3, 6, 1))
    result = _layout.contiguous(target.dtype, (3, 6))
    x, y = cp.asarray(a), cp.asarray(b)
    run = product.launch.product_call(x._layout, y._layout, target, current.stream, result=result)
    np.testing.assert_array_equal(run(x, y).get(), (a @ b)[..., 0])


@pytest.mark.slow
def test_long_inner_dimensions():
    """Blocks share a tile, and the sums of each are added up."""
    for dtype in ("i1", "?", "f4"):
        a, b = numbers((9, 1200), dtype), numbers((1200, 10), dtype, 1)
        if dtype == "?":
            a[:, :-1] = False
        check(a, b)
    memory = cp.zeros((10, 9), "i2")
    a, b = numbers((9, 1200), "i2"), numbers((1200, 10), "i2", 1)
    matmul(cp.asarray(a), cp.asarray(b), out=memory.T)
    np.testing.assert_array_equal(memory.T.get(), a @ b)


def test_conjugates():
    for m, k, n in [(3, 5, 4), (20, 21, 22), (1, 6, 3), (3, 1, 4)]:
        a, b = numbers((m, k), "c16"), numbers((k, n), "c16", 1)
        target = _layout.contiguous(_dtypes.canonical("c16"), (m, n))
        x, y = cp.asarray(a), cp.asarray(b)
        run = product.launch.product_call(
            x._layout, y._layout, target, current.stream, conjugate=True
        )
        np.testing.assert_array_equal(run(x, y).get(), a.conj() @ b)


def test_times():
    a, b = numbers((3, 4), "i4").astype("m8[s]"), numbers((4, 2), "i8", 1)
    found = matmul(cp.asarray(a), cp.asarray(b), "m8[s]")
    np.testing.assert_array_equal(found.get().view("i8"), a.view("i8") @ b)


@pytest.mark.parametrize("dtype", ["i4", "i1"])
def test_large_tiles(dtype, monkeypatch):
    """The tile that fills a device, on matrices that are a little larger than it."""
    tile = next(iter(product.variants.RATES))
    rates = {tile: product.variants.RATES[tile]}
    monkeypatch.setattr(product.variants, "RATES", rates)
    check(numbers((131, 70), dtype), numbers((70, 140), dtype, 1))


@pytest.mark.parametrize("tile", [(128, 16), (16, 128)])
def test_narrow_tiles(tile, monkeypatch):
    rates = {x: y for x, y in product.variants.RATES.items() if (x.rows, x.columns) == tile}
    monkeypatch.setattr(product.variants, "RATES", rates)
    check(numbers((130, 20), "u2"), numbers((20, 18), "u2", 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "view"),
    [("i1", "rows"), ("i1", "columns"), ("i4", "rows"), ("i4", "columns"), ("?", "rows"),
     ("i8", "columns"), ("f4", "rows"), ("c16", "columns")],
)  # fmt: skip
@pytest.mark.parametrize("tile", product.variants.RATES, ids=lambda x: f"{x.rows}x{x.columns}")
def test_each_tile(tile, dtype, view, monkeypatch):
    """Sizes that are a little more than a tile; inner dimensions that are no whole words."""
    if np.dtype(dtype).itemsize > 4 and tile.tall == 8:
        pytest.skip("words of 8 bytes have no such tile")
    monkeypatch.setattr(product.variants, "RATES", {tile: product.variants.RATES[tile]})
    for inner in (72, 83):
        a, b = numbers((132, inner), dtype), numbers((inner, 140), dtype, 1)
        found = matmul(VIEWS[view](cp, cp.asarray(a)), VIEWS[view](cp, cp.asarray(b)))
        np.testing.assert_array_equal(found.get(), a @ b)


def test_64_bit_indices(monkeypatch):
    monkeypatch.setattr(_layout, "needs_int64", lambda size, layouts: True)
    check(numbers((2, 20, 21), "i4"), numbers((21, 18), "i4", 1))
    check(numbers((2, 4, 5), "i4"), numbers((5, 3), "i4", 1))


def test_the_same_bits_each_time():
    rng = np.random.default_rng(3)
    x, y = [cp.asarray(rng.standard_normal(shape).astype("f4")) for shape in ((20, 900), (900, 17))]
    first = matmul(x, y).tobytes()
    assert all(matmul(x, y).tobytes() == first for _ in range(3))


@pytest.mark.emulator
def test_checked():
    """No race, no access out of bounds, nothing read that was not written."""
    cases = [
        ("i4", (20, 21), (21, 35)),
        ("i1", (3, 20, 37), (37, 18)),
        ("?", (70, 9), (9, 5)),
        ("f4", (9, 600), (600, 10)),
        ("c8", (5, 3, 4), (5, 4, 3)),
        ("u1", (1, 40), (40, 3)),
        ("u1", (36, 72), (72, 20)),
    ]
    with cp.cuda.check("races", "uninit", "bounds", "barriers"):
        for dtype, left, right in cases:
            check(numbers(left, dtype), numbers(right, dtype, 1))


def test_nothing_to_add():
    for dtype in ("i4", "?", "f4"):
        check(np.zeros((3, 0), dtype), np.zeros((0, 2), dtype))
        check(np.zeros((0, 3), dtype), np.zeros((3, 2), dtype))


def test_halves_are_summed_in_float32():
    """Sums beyond their range, and terms that a half would lose."""
    a = np.array([[60000, 60000, -60000], [2048, 1, 1]], "f2")
    found = matmul(cp.asarray(a), cp.ones((3, 2), "f2"))
    np.testing.assert_array_equal(found.get(), [[60000, 60000], [2050, 2050]])


@pytest.mark.parametrize("inner", [20, 70])
def test_bfloat16(inner):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    a, b = numbers((5, inner), "f4"), numbers((inner, 18), "f4", 1)
    x, y = cp.asarray(a.astype(bfloat16)), cp.asarray(b.astype(bfloat16))
    np.testing.assert_array_equal(matmul(x, y).get(), (a @ b).astype(bfloat16))
    np.testing.assert_array_equal(matmul(x, y, "f4").get(), a @ b)


def test_random_floats():
    rng = np.random.default_rng(5)
    for dtype, inner in [("f4", 40), ("f8", 80), ("c8", 600)]:
        a, b = [rng.standard_normal(shape).astype(dtype) for shape in ((9, inner), (inner, 20))]
        if dtype == "c8":
            a = a + a[::-1] * np.complex64(1j)
        wide = "c16" if dtype == "c8" else "f8"
        exact = a.astype(wide) @ b.astype(wide)
        bound = inner * np.finfo(dtype).eps * (np.abs(a) @ np.abs(b))
        error = np.abs(matmul(cp.asarray(a), cp.asarray(b)).get() - exact)
        assert (error <= bound).all()


def test_unaligned_operands():
    packed = np.zeros((5, 4), [("skip", "i1"), ("x", "i4")])
    packed["x"] = numbers((5, 4), "i4")
    b = numbers((4, 2), "i4", 1)
    found = matmul(cp.asarray(packed)["x"], cp.asarray(b))
    np.testing.assert_array_equal(found.get(), packed["x"] @ b)
