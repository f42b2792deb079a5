"""Steps of Krylov methods, and products with dot products: the kernels alone."""

import itertools

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _layout
from gpuarray._runtime.current_stream import current
from gpuarray.kernels.join.launch import to_host_call
from gpuarray.kernels.krylov import launch, spec
from gpuarray.kernels.sparse_product import launch as products
from tests.slow import slow_except

#: What the rows of the table say, in NumPy.
WANT = {
    "cg_residual": lambda v, n: (v[0] - n[0] / n[1] * v[1],),
    "cg_direction": lambda v, n: (v[0] + n[1] / n[2] * v[1], v[2] + n[0] / n[1] * v[1]),
    "bicgstab_half": lambda v, n: (v[0] - n[0] / n[1] * v[1],),
}


def operand(shape, dtype, rng):
    """Small integers: sums are exact in whichever order they are made."""
    found = rng.integers(-3, 4, shape).astype(dtype)
    if found.dtype.kind == "c":
        found += 1j * rng.integers(-3, 4, shape).astype(found.real.dtype)
    return found


def run(name, vectors, numbers):
    layout = _layout.contiguous(vectors[0].dtype, vectors[0].shape)
    call = launch.step_call(current.stream, name, layout)
    shown = cp.empty_pinned(1, vectors[0].dtype)
    shown[...] = 99
    address = [shown.ctypes.data] if spec.STEPS[name].product else []
    found = [x.get() for x in call(*vectors, *[cp.asarray(x) for x in numbers], *address)]
    assert not address or shown[0] == found[-1]
    return found


@pytest.mark.parametrize("name", spec.STEPS)
@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        *itertools.product(["f4", "c16"], [0, 7, 5000]),
        *[pytest.param("f4", size, marks=pytest.mark.slow) for size in (1, 2, 1024, 70000)],
        *[pytest.param(dtype, 5000, marks=pytest.mark.slow) for dtype in ("f8", "c8")],
    ],
)
def test_steps(name, dtype, size, rng):
    step = spec.STEPS[name]
    vectors = [operand(size, dtype, rng) for _ in step.vectors]
    numbers = [np.array(x, dtype) for x in (12, 6, 2)[: len(step.numbers)]]  # exact quotients
    got = run(name, [cp.asarray(x) for x in vectors], numbers)
    want = WANT[name](vectors, numbers)
    assert len(got) == len(want) + bool(step.product)
    for one, other in zip(got[: len(want)], want, strict=True):
        np.testing.assert_array_equal(one, other)
    if not step.product:
        return
    product = got[-1]
    which = [list(step.results).index(x) for x in step.product]
    assert product == np.vdot(*[want[i] for i in which])
    assert (product.dtype, product.shape) == (np.dtype(dtype), ())


def test_vectors_at_any_addresses(rng):
    """Vectors that are views begin at other addresses than wide loads want: the same bits."""
    vectors = [rng.normal(size=3001).astype("f4") for _ in range(2)]
    numbers = [np.float32(x) for x in (1.5, 0.7)]
    want = run("cg_residual", [cp.asarray(x) for x in vectors], numbers)
    views = [cp.asarray(np.concatenate([x[:1], x]))[1:] for x in vectors]
    for one, other in zip(run("cg_residual", views, numbers), want, strict=True):
        assert one.tobytes() == other.tobytes()


LENGTHS = {
    "short rows": [5, 4, 0, 5] * 700,
    "long rows": [3, 0, 9000, 0, 1],
    "no elements": [0, 0, 0],
}


@pytest.mark.parametrize("kind", LENGTHS)
@pytest.mark.parametrize("dtype", slow_except(["f8"], ["f4", "f8", "c8", "c16"]))
def test_products_with_dot_products(kind, dtype, rng):
    lengths = LENGTHS[kind]
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype("i4")
    indices = rng.integers(0, 50, indptr[-1]).astype("i4")
    data, x = operand(indices.size, dtype, rng), operand(50, dtype, rng)
    other = operand(len(lengths), dtype, rng)
    arrays = [cp.asarray(part) for part in (indptr, indices, data, x)]
    layouts = [part._layout for part in arrays]
    call = products.vector_call(current.stream, *layouts, np.dtype(dtype), False, True)
    result, dot = call(*arrays, cp.asarray(other))
    want = np.zeros(len(lengths), dtype)
    np.add.at(want, np.repeat(np.arange(len(lengths)), lengths), data * x[indices])
    np.testing.assert_array_equal(result.get(), want)
    assert dot.get() == np.vdot(other, want)


@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find(rng):
    vectors = [cp.asarray(rng.normal(size=3001)) for _ in range(4)]
    indptr = cp.asarray(np.array([0, 3, 3, 4000, 4001], "i4"))
    indices = cp.asarray(rng.integers(0, 50, 4001).astype("i4"))
    arrays = [indptr, indices, cp.ones(4001), cp.ones(50)]
    with cp.cuda.check("races", "uninit", "barriers"):
        run("cg_residual", vectors[:2], [np.float64(3), np.float64(2)])
        run("cg_direction", vectors[:3], [np.float64(x) for x in (3, 2, 1)])
        layouts = [part._layout for part in arrays]
        call = products.vector_call(current.stream, *layouts, np.dtype("f8"), False, True)
        assert float(call(*arrays, cp.ones(4))[1]) == 4001


def test_numbers_that_the_device_writes_to_the_host(rng):
    numbers = [rng.normal(size=shape) for shape in ((), 3, ())]
    host = cp.empty_pinned(6)
    host[...] = 7
    arrays = [cp.asarray(x) for x in numbers]
    send = to_host_call(current.stream, tuple([x._layout for x in arrays]))
    send(*arrays, host.ctypes.data)
    current.stream.synchronize()
    np.testing.assert_array_equal(host, [*np.hstack(numbers), 7])
