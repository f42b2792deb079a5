"""`cuda.graphed`: functions that are captured once for arguments of given layouts."""

from __future__ import annotations

import collections
import gc
import threading

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._libraries.blas import gemm
from gpuarray.errors import CaptureError, HostArrayError

Pair = collections.namedtuple("Pair", "first second")


def counted(function, **options):
    """A graphed function, and a list that grows by each run of its Python."""
    runs = []

    def counting(*args, **kwargs):
        runs.append(1)
        return function(*args, **kwargs)

    return cp.cuda.graphed(counting, **options), runs


def test_new_operands_and_new_results():
    f, runs = counted(lambda x, y: (cp.cumsum(x * 2 + y), (x - y).max()))
    results = []
    for seed in range(5):
        x, y = cp.arange(100.0) + seed, cp.full(100, 3.0 * seed)
        results.append((f(x, y), np.cumsum(x.get() * 2 + y.get()), (x.get() - y.get()).max()))
    assert len(runs) == 1
    for (sums, greatest), wanted, most in results:  # all are arrays of their own
        np.testing.assert_allclose(sums.get(), wanted)
        assert greatest == most
    addresses = {sums.data.ptr for (sums, _), _, _ in results}
    assert len(addresses) == 5


def test_the_same_operands_again():
    f, runs = counted(lambda x: cp.sort(x)[::-1] * 2)
    x = cp.asarray([3.0, 1.0, 2.0])
    first = f(x)
    x += 1
    assert f(x).tolist() == [8, 6, 4]
    assert first.tolist() == [6, 4, 2]
    assert len(runs) == 1


def test_arrays_are_changed_in_place_once_a_call():
    f, runs = counted(lambda x: x.__iadd__(1))
    for start in (0, 10):
        x = cp.arange(4) + start
        assert f(x) is x
        assert x.tolist() == [start + 1, start + 2, start + 3, start + 4]
    assert len(runs) == 1


def test_views_of_operands_and_structures():
    def split(arrays, *, last):
        y = arrays["a"] + last.first
        return Pair(y[1:], [arrays["a"][::-1], y]), {"second": last.second, "text": "done"}

    f, runs = counted(split)
    for value in (1.0, 5.0):
        a, last = cp.full(3, value), Pair(cp.arange(3.0), cp.zeros(2))
        pair, rest = f({"a": a}, last=last)
        assert isinstance(pair, Pair)
        assert pair.first.tolist() == [value + 1, value + 2]
        assert pair.second[0].data.ptr == a.data.ptr + 16
        assert pair.second[1].tolist() == [value, value + 1, value + 2]
        assert rest == {"second": last.second, "text": "done"} or rest["second"] is last.second
        pair.second[1][1] = -1
        assert pair.first[0] == -1
    assert len(runs) == 1


def test_layouts_numbers_and_keywords_are_parts_of_the_key():
    f, runs = counted(lambda x, scale=1, *, by=None: x * scale if by is None else x * by, maxsize=4)
    x = cp.arange(4.0)
    for call, wanted in [
        (lambda: f(x), [0, 1, 2, 3]),
        (lambda: f(x, 2), [0, 2, 4, 6]),
        (lambda: f(x, 2.0), [0, 2, 4, 6]),
        (lambda: f(x, True), [0, 1, 2, 3]),
        (lambda: f(x[::2], 2), [0, 4]),
        (lambda: f(x, by=cp.ones(4)), [0, 1, 2, 3]),
        (lambda: f(x.astype("f4"), 2), [0, 2, 4, 6]),
    ]:
        before = len(runs)
        assert call().tolist() == wanted
        assert call().tolist() == wanted
        assert len(runs) == before + 1
    assert f.cache_len() == 4
    f(x)  # was the first one to go
    assert len(runs) == 8
    f.cache_clear()
    assert f.cache_len() == 0
    gc.collect()


def test_operands_that_overlap():
    def shift(x, y):
        x[...] = y
        return x + 0

    f, runs = counted(shift)
    for _ in range(2):
        base = cp.arange(6)
        assert f(base[1:], base[:-1]).tolist() == [0, 1, 2, 3, 4]
        assert f(cp.arange(5), cp.arange(5) * 2).tolist() == [0, 2, 4, 6, 8]
        assert f(base[:-1], base[1:]).tolist() == [0, 1, 2, 3, 4]
    assert base.tolist() == [0, 1, 2, 3, 4, 4]
    assert len(runs) == 3


def test_an_array_from_a_closure_that_is_an_operand_as_well():
    weights = cp.arange(4.0)
    f, runs = counted(lambda x: x * 10 + weights)
    assert f(weights).tolist() == [0, 11, 22, 33]
    assert f(cp.ones(4)).tolist() == [10, 11, 12, 13]
    weights += 1
    assert f(weights).tolist() == [11, 22, 33, 44]
    assert f(cp.ones(4)).tolist() == [11, 12, 13, 14]
    assert len(runs) > 1  # with an operand elsewhere the function ran again


ADD = cp.RawKernel(
    'extern "C" __global__ void add(double* x, const double* y)'
    "{ x[threadIdx.x] += y[threadIdx.x]; }",
    "add",
)


def by_array(x, y):
    z = x.copy()
    ADD((1,), (4,), (z, y))
    return z


def by_address(x, y):
    z = x.copy()
    ADD((1,), (4,), (z, y.data.ptr))
    return z


@cp.jit.rawkernel()
def jit_add(x, y):
    i = cp.jit.threadIdx.x
    x[i] += y[i]


def by_jit(x, y):
    z = x.copy()
    jit_add[1, 4](z, y)
    return z


@pytest.mark.parametrize(
    ("function", "once"), [(by_array, True), (by_jit, True), (by_address, False)]
)
def test_kernels_of_the_users_own(function, once):
    f, runs = counted(function)
    results = []
    for value in range(4):
        results.append(f(cp.arange(4.0), cp.full(4, float(value))))
        held = cp.zeros(4)  # lets the next operands have other addresses
    assert [r.tolist() for r in results] == [[v, 1 + v, 2 + v, 3 + v] for v in range(4)]
    assert (len(runs) == 1) is once
    del held


def test_a_product_of_matrices():
    f, _ = counted(lambda a, b: gemm(a + 1, b) * 2)
    results, wanted = [], []
    for value in range(3):
        a, b = cp.full((3, 4), value + 0.5), cp.arange(20.0).reshape(4, 5) + value
        results.append(f(a, b))
        wanted.append((a.get() + 1) @ b.get() * 2)
        results.append(f(a, b))
        wanted.append(wanted[-1])
    for result, expected in zip(results, wanted):
        np.testing.assert_allclose(result.get(), expected)


def test_copies_and_fills_are_moved_as_well():
    def function(x):
        y = cp.zeros_like(x)
        z = cp.empty_like(x)
        z[...] = x
        x.fill(7)
        return y, z

    f, runs = counted(function)
    for value in (1.0, 2.0):
        x = cp.full(300, value)
        y, z = f(x)
        assert (y == 0).all()
        assert (z == value).all()
        assert (x == 7).all()
    assert len(runs) == 1


def test_values_are_refused_and_the_next_call_is_a_new_one():
    f, runs = counted(lambda x: float(x[0]))
    x = cp.arange(3.0)
    for _ in range(2):
        with pytest.raises(CaptureError, match=r"float\(\)"):
            f(x)
    assert len(runs) == 2
    assert (x + 1).tolist() == [1, 2, 3]


def test_arguments_that_no_graph_can_depend_on():
    f = cp.cuda.graphed(lambda x: x)
    with pytest.raises(HostArrayError, match="asarray"):
        f(np.ones(3))
    with pytest.raises(TypeError, match="have a hash"):
        f({1, 2})
    with pytest.raises(TypeError, match="callable"):
        cp.cuda.graphed(3)
    with pytest.raises(ValueError, match="maxsize=0"):
        cp.cuda.graphed(maxsize=0)


def test_recursion_methods_and_captures_of_the_users():
    class Model:
        def __init__(self):
            self.weight = cp.full(3, 2.0)

        @cp.cuda.graphed(maxsize=2)
        def power(self, x, n):
            """The weights to the nth, times x."""
            return x if n == 0 else self.power(x, n - 1) * self.weight

    model = Model()
    assert model.power(cp.ones(3), 3).tolist() == [8, 8, 8]
    assert Model.power.__doc__ == "The weights to the nth, times x."
    x = cp.ones(3)
    with cp.cuda.Stream(non_blocking=True).capture() as graph:
        y = model.power(x, 2)
    graph.launch()
    assert y.tolist() == [4, 4, 4]
    model.weight += 1
    assert model.power(x, 3).tolist() == [27, 27, 27]


def test_on_several_streams_and_in_threads():
    f, runs = counted(lambda x: cp.cumsum(x) + 1)
    values = np.arange(5000)
    faults = []

    def work(seed):
        try:
            with cp.cuda.Stream(non_blocking=True) as stream:
                for _ in range(5):
                    y = f(cp.asarray(values) + seed)
                    stream.synchronize()
                    np.testing.assert_array_equal(y.get(), np.cumsum(values + seed) + 1)
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults
    assert len(runs) == 1


@pytest.mark.emulator
def test_under_the_checkers():
    f, runs = counted(lambda x: cp.cumsum(cp.sort(x)))
    with cp.cuda.check("races", "uninit", "leaks"):
        for value in (1, 2):
            with cp.cuda.Stream(non_blocking=True) as stream:
                y = f(cp.arange(3000) * value)
                stream.synchronize()
            assert y[-1] == 3000 * 2999 // 2 * value
    assert len(runs) == 1


def test_arrays_of_other_libraries_are_operands():
    class Other:
        def __init__(self, array):
            self.array = array
            self.__cuda_array_interface__ = array.__cuda_array_interface__

    f, runs = counted(lambda x, pair: x + pair[0])
    for value in (1.0, 2.0):
        x, y = cp.full(4, value), cp.arange(4.0)
        assert f(Other(x), (Other(y), 3)).tolist() == [value, value + 1, value + 2, value + 3]
    assert len(runs) == 1
