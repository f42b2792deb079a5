"""Products of stacks by cuBLAS: which calls are made for which layouts, on either backend."""

from __future__ import annotations

import numpy as np
import pytest

from gpuarray import _broadcasting, _layout
from gpuarray._libraries import blas
from gpuarray._runtime.library_call import BoundCall, RepeatedCall

GEMM = "cublasGemmStridedBatchedEx_64"


@pytest.fixture(autouse=True)
def by_cublas(monkeypatch):
    """cuBLAS's arguments are looked at; cuBLASLt's follow from them."""
    monkeypatch.setattr(blas, "_ROUTE", blas.Route(light=False))


def _numbers(rng, shape, dtype="f8"):
    values = rng.integers(-4, 5, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-4, 5, shape)
    return values.astype(dtype)


class Product:
    """A product of host arrays by a call that cuBLAS has for their layouts."""

    def __init__(self, xp, monkeypatch, a, b, target=None, conjugated=""):
        self.calls = []
        for cls in (BoundCall, RepeatedCall):
            monkeypatch.setattr(blas, cls.__name__, self._noting(cls))
        x, y = [self._on_device(xp, one) for one in (a, b)]
        loop = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        layouts = [
            _broadcasting.broadcast_to(one._layout, (*loop, *one._layout.shape[-2:]))
            for one in (x, y)
        ]
        shape = (*loop, a.shape[-2], b.shape[-1])
        given = target is not None
        out = target(xp) if given else None
        layout = out._layout if given else _layout.contiguous(x.dtype, shape)
        stream = xp.cuda.get_current_stream()
        run = blas.product_call(*layouts, layout, stream, given, conjugated=conjugated)
        self.found = run is not None
        if run is not None:
            result = run(x, y, out) if given else run(x, y)
            expected = (a.conj() if conjugated == "a" else a) @ (
                b.conj() if conjugated == "b" else b
            )
            np.testing.assert_array_equal(xp.asnumpy(result), expected)

    def _noting(self, cls):
        def make(library, name, values, *rest):
            self.calls.append((cls, values, rest))
            return cls(library, name, values, *rest)

        return make

    @staticmethod
    def _on_device(xp, host):
        base = host
        while base.base is not None:
            base = base.base
        memory = xp.asarray(base.reshape(-1, order="A").view("u1"))
        start = host.__array_interface__["data"][0] - base.__array_interface__["data"][0]
        return xp.ndarray(host.shape, host.dtype, memory.data + start, host.strides)

    @property
    def count(self):
        """How often the library is called."""
        ((cls, _, rest),) = self.calls
        return len(rest[-1]) if cls is RepeatedCall else 1


def test_one_matrix_for_a_stack_is_one_product_of_more_rows(xp, rng, monkeypatch):
    for a, b in [
        (_numbers(rng, (2, 3, 4, 5)), _numbers(rng, (5, 6))),
        (_numbers(rng, (7, 1, 5)), _numbers(rng, (5, 6))),
        (_numbers(rng, (7, 2, 5))[:, :1], _numbers(rng, (5, 6))),
    ]:
        product = Product(xp, monkeypatch, a, b)
        ((_, values, _),) = product.calls
        assert (values["batchCount"], values["n"]) == (1, a[..., 0].size)


def test_one_matrix_for_a_stack_is_one_product_of_more_columns(xp, rng, monkeypatch):
    # Columns of the products follow one another in the output.
    a, b = _numbers(rng, (4, 5)), _numbers(rng, (3, 6, 5)).swapaxes(-1, -2)
    product = Product(xp, monkeypatch, a, b, lambda xp: xp.zeros((3, 6, 4)).swapaxes(-1, -2))
    ((_, values, _),) = product.calls
    assert (values["batchCount"], values["m"], values["n"]) == (1, 4, 18)


def test_equal_distances_are_one_call(xp, rng, monkeypatch):
    a, b = _numbers(rng, (2, 3, 4, 5)), _numbers(rng, (2, 3, 5, 2))
    product = Product(xp, monkeypatch, a, b)
    assert (product.count, product.calls[0][1]["batchCount"]) == (1, 6)
    product = Product(xp, monkeypatch, _numbers(rng, (8, 4, 5))[::2], _numbers(rng, (4, 5, 2)))
    assert (product.count, product.calls[0][1]["batchCount"]) == (1, 4)
    product = Product(xp, monkeypatch, _numbers(rng, (4, 5)), _numbers(rng, (3, 5, 2)))
    assert (product.count, product.calls[0][1]["strideB"]) == (1, 0)


def test_other_distances_are_several_calls(xp, rng, monkeypatch):
    product = Product(xp, monkeypatch, _numbers(rng, (2, 1, 4, 5)), _numbers(rng, (3, 5, 2)))
    assert (product.count, product.calls[0][1]["batchCount"]) == (2, 3)
    product = Product(xp, monkeypatch, _numbers(rng, (3, 4, 5))[::-1], _numbers(rng, (3, 5, 2)))
    assert (product.count, product.calls[0][1]["batchCount"]) == (3, 1)
    product = Product(
        xp, monkeypatch, _numbers(rng, (3, 2, 4, 5)).swapaxes(0, 1), _numbers(rng, (2, 3, 5, 2))
    )
    assert (product.count, product.calls[0][1]["batchCount"]) == (2, 3)


def test_too_many_small_calls_are_none(xp, rng, monkeypatch):
    product = Product(xp, monkeypatch, _numbers(rng, (20, 4, 5))[::-1], _numbers(rng, (20, 5, 2)))
    assert not product.found


def test_results_that_reach_into_one_another_are_several_calls(xp, rng, monkeypatch):
    a, b = _numbers(rng, (3, 4, 5)), _numbers(rng, (3, 5, 2))
    product = Product(xp, monkeypatch, a, b, lambda xp: xp.zeros((4, 3, 2)).swapaxes(0, 1))
    assert product.count == 3
    product = Product(xp, monkeypatch, a, b, lambda xp: xp.zeros((4, 2, 3)).transpose(2, 0, 1))
    assert not product.found


@pytest.mark.parametrize("transposed", ["", "a", "b", "out", "a b out"])
@pytest.mark.parametrize("conjugated", ["", "a", "b"])
def test_operations(xp, rng, monkeypatch, transposed, conjugated):
    a, b = _numbers(rng, (4, 5), "c8"), _numbers(rng, (5, 3), "c8")
    if "a" in transposed:
        a = np.asfortranarray(a)
    if "b" in transposed:
        b = np.asfortranarray(b)
    order = "F" if "out" in transposed else "C"
    product = Product(xp, monkeypatch, a, b, lambda xp: xp.zeros((4, 3), "c8", order), conjugated)
    # Conjugated is what is read as its transpose.
    reads = {"a": "a" in transposed, "b": "b" in transposed}
    assert product.found == (not conjugated or reads[conjugated] != (order == "F"))


@pytest.mark.parametrize(
    "shapes", [((1, 5), (5, 3)), ((4, 5), (5, 1)), ((1, 5), (5, 1)), ((4, 1), (1, 3))]
)
def test_vectors_with_gaps(xp, rng, monkeypatch, shapes):
    a, b = [_numbers(rng, [2 * n for n in shape])[::2, ::2] for shape in shapes]
    fits = [1 in shape for shape in shapes]
    product = Product(xp, monkeypatch, a[: shapes[0][0]], b[: shapes[1][0]])
    assert product.found == all(fits)


def test_what_is_not_read(xp, monkeypatch, rng):
    b = _numbers(rng, (5, 3))
    for a in (
        _numbers(rng, (8, 10))[::2, ::2],
        _numbers(rng, (4, 5))[::-1],
        np.broadcast_to(_numbers(rng, (5,)), (4, 5)),
        np.lib.stride_tricks.as_strided(_numbers(rng, (9,)), (4, 5), (8, 8)),
    ):
        assert not Product(xp, monkeypatch, a, b).found


def test_halves_with_results_of_float32(xp, rng):
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    stream = xp.cuda.get_current_stream()
    for dtype in ("f2", bfloat16):
        a, b = [xp.asarray(_numbers(rng, (6, 6))).astype(dtype) for _ in range(2)]
        exact = xp.asnumpy(a).astype("f4") @ xp.asnumpy(b).astype("f4")
        for result in ("f4", dtype):
            assert blas.has_product(a.dtype, np.dtype(result))
            target = _layout.contiguous(np.dtype(result), (6, 6))
            product = blas.product_call(a._layout, b._layout, target, stream)(a, b)
            np.testing.assert_array_equal(xp.asnumpy(product), exact.astype(result))


# ---- precisions ----------------------------------------------------------------------------------


@pytest.fixture
def precision(xp):
    yield xp.cuda.set_matmul_precision
    xp.cuda.set_matmul_precision("highest")


def _error(xp, name, dtype="f4"):
    """The greatest error of a product in a precision."""
    rng = np.random.default_rng(1)
    # With fewer rows our own kernel would do it, exactly.
    a, b = [rng.standard_normal(shape).astype(dtype) for shape in ((260, 80), (80, 80))]
    xp.cuda.set_matmul_precision(name)
    assert xp.cuda.get_matmul_precision() == name
    return np.abs(xp.asnumpy(xp.asarray(a) @ xp.asarray(b)) - a.astype("c16") @ b).max()


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_precisions(xp, precision, dtype):
    assert xp.cuda.get_matmul_precision() == "highest"
    assert _error(xp, "highest", dtype) < 3e-5
    # What is allowed need not be done.
    assert _error(xp, "high", dtype) < 0.05
    assert _error(xp, "medium", dtype) < 0.5
    assert _error(xp, "highest", dtype) < 3e-5


@pytest.mark.emulator
def test_the_emulated_device_rounds_factors(xp, precision):
    highest, high, medium, emulated = [
        _error(xp, name) for name in ("highest", "high", "medium", "emulated")
    ]
    assert emulated == highest
    assert 20 * highest < high < medium / 2


def test_a_precision_has_plans_of_its_own(xp, precision):
    x = xp.ones((70, 70), "f4")
    x @ x
    stream = xp.cuda.get_current_stream()
    run = stream.plans[xp.matmul, x._layout, x._layout]
    precision("high")
    assert (xp.matmul, x._layout, x._layout) not in stream.plans
    x @ x
    assert xp.cuda.Stream(non_blocking=True).plan_kind == stream.plan_kind
    precision("highest")
    assert stream.plans[xp.matmul, x._layout, x._layout] is run


def test_products_within_other_functions_are_exact(xp, rng, precision):
    host = rng.standard_normal((40, 200)).astype("f4")
    x = xp.asarray(host)
    expected = xp.asnumpy(xp.cov(x, dtype="f4"))
    precision("medium")
    np.testing.assert_array_equal(xp.asnumpy(xp.cov(x, dtype="f4")), expected)


@pytest.mark.parametrize("name", ["higher", "", None, 3, b"high"])
def test_other_precisions_are_refused(xp, name):
    with pytest.raises(ValueError, match="is none of 'highest', 'high', 'medium', 'emulated'"):
        xp.cuda.set_matmul_precision(name)
    assert xp.cuda.get_matmul_precision() == "highest"
