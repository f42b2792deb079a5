"""Operations that are recorded: what runs together, when it runs, and that results are the same."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _array
from gpuarray._fusion import automatic, chains, deferred, running, steps
from gpuarray._runtime.current_stream import deferring_streams
from gpuarray.errors import OutOfMemoryError
from tests.fusion import programs

HOST = np.linspace(-2, 2, 12, dtype="f4").reshape(3, 4)


def softplus(xp, x):
    return xp.log1p(xp.exp(-abs(x))) + xp.maximum(x, 0)


def test_a_chain_is_one_kernel(ran):
    y = softplus(cp, cp.asarray(HOST))
    assert (y.shape, y.dtype) == ((3, 4), HOST.dtype)
    assert ran == []
    np.testing.assert_allclose(cp.asnumpy(y), softplus(np, HOST), rtol=1e-6)
    assert ran == [["absolute_negative_exp_log1p_maximum_add"]]
    cp.asnumpy(y)
    assert len(ran) == 1


def test_results_have_the_bits_of_single_operations():
    x = cp.asarray(np.random.default_rng(1).standard_normal(1000).astype("f4"))
    fused = softplus(cp, x) * x / 3
    with cp.fusion("off"):
        single = softplus(cp, x) * x / 3
    assert cp.asnumpy(fused).tobytes() == cp.asnumpy(single).tobytes()


def test_what_is_alive_is_an_output_of_the_same_kernel(ran):
    x = cp.asarray(HOST)
    y = x * 2
    z = y + 1
    np.testing.assert_array_equal(cp.asnumpy(z), HOST * 2 + 1)
    np.testing.assert_array_equal(cp.asnumpy(y), HOST * 2)
    assert ran == [["multiply_add"]]
    y = x * 3
    z = y + 1
    del y
    cp.asnumpy(z)
    assert ran[1:] == [["multiply_add"]]


def test_shapes_are_kernels_of_their_own(ran):
    x = cp.asarray(HOST)
    first = cp.asarray(HOST[0])
    row = first * 2
    y = (x + row) * row
    np.testing.assert_array_equal(cp.asnumpy(y), (HOST + HOST[0] * 2) * (HOST[0] * 2))
    assert ran == [["multiply", "add_multiply"]]


def test_many_operands_are_several_kernels(ran):
    arrays = [cp.asarray(HOST + i) for i in range(40)]
    total = arrays[0] * 1
    for x in arrays[1:]:
        total = total + x
    expected = HOST * 1
    for i in range(1, 40):
        expected = expected + (HOST + np.float32(i))
    np.testing.assert_array_equal(cp.asnumpy(total), expected)
    (names,) = ran
    assert 3 <= len(names) <= 5


LOOKS = {
    "get": lambda x, y: y.get(),
    "float": lambda x, y: float(y[0, 0]),
    "print": lambda x, y: repr(y),
    "index": lambda x, y: y[cp.asarray([1])],
    "sort": lambda x, y: cp.sort(y),
    "product": lambda x, y: y @ y.T,
    "pointer": lambda x, y: y.data.ptr,
    "operand's pointer": lambda x, y: x.data.ptr,
    "interface": lambda x, y: x.__cuda_array_interface__,
    "dlpack": lambda x, y: x.__dlpack__(stream=-1),
    "set": lambda x, y: x.set(HOST),
    "event": lambda x, y: cp.cuda.Event().record(),
    "stream": lambda x, y: cp.cuda.get_current_stream().synchronize(),
    "device": lambda x, y: cp.cuda.Device().synchronize(),
    "another stream": lambda x, y: cp.cuda.Stream(non_blocking=True).use(),
    "device again": lambda x, y: cp.cuda.Device(0).use(),
    "off": lambda x, y: automatic.set_mode("off"),
    "plans": lambda x, y: cp.cuda.get_current_stream().drop_plans(),
}


@pytest.mark.parametrize("name", LOOKS)
def test_what_runs_it(name):
    x = cp.asarray(HOST)
    y = x * 2 + 1
    assert deferring_streams
    try:
        LOOKS[name](x, y)
        assert not deferring_streams
    finally:
        cp.cuda.Stream.null.use()
    np.testing.assert_array_equal(cp.asnumpy(y), HOST * 2 + 1)


def test_a_kernel_of_the_users_own_runs_it():
    kernel = cp.RawKernel('extern "C" __global__ void f(float* x) { x[threadIdx.x] = 7; }', "f")
    x = cp.asarray(HOST[0])
    kernel((1,), (4,), (x,))
    for _ in range(2):
        before = cp.asnumpy(x)
        y = x * 2 + 1
        kernel((1,), (4,), (x,))
        np.testing.assert_array_equal(cp.asnumpy(y), before * 2 + 1)


def test_what_only_reads_does_not_run_it(ran):
    x = cp.asarray(HOST)
    for _ in range(3):
        y = x - 1
        total = x.sum()
        z = y / x.std()
        np.testing.assert_allclose(cp.asnumpy(z), (HOST - 1) / HOST.std(), rtol=1e-6)
        np.testing.assert_allclose(float(total), HOST.sum(), atol=1e-6)
        del y
    assert ran[-1] == ["sum", "std", "subtract_divide"]


@pytest.mark.parametrize("dtype", ["i4", "f8"])
def test_a_reduction_reads_what_its_operand_is_computed_from(ran, dtype):
    host = (HOST * 8).astype(dtype)
    x = cp.asarray(host)
    for _ in range(2):  # the first time its kernel is made, when nothing is recorded any more
        total = (x * x).sum(axis=1)
        assert cp.asnumpy(total).tolist() == (host * host).sum(axis=1).tolist()
    ran.clear()
    total = (x * x).sum(axis=1)
    assert ran == []
    assert deferring_streams  # the square is never computed
    assert cp.asnumpy(total).tolist() == (host * host).sum(axis=1).tolist()


@pytest.mark.parametrize("function", [cp.count_nonzero, cp.argmax, cp.nansum, cp.mean, cp.var])
def test_other_reductions(function):
    x = cp.asarray(HOST)
    for _ in range(3):
        with cp.fusion("off"):
            expected = function(x * 2, axis=1).get()
        np.testing.assert_array_equal(function(x * 2, axis=1).get(), expected)


def test_a_sum_of_several_arrays_is_added_in_its_own_order(ran):
    x, y = cp.asarray(HOST), cp.asarray(HOST[::-1])
    for _ in range(3):
        with cp.fusion("off"):
            expected = (x * y).sum().get()
        assert (x * y).sum().get() == expected


def test_dropped_operands_do_not_hold_memory_back(ran):
    # Recorded without an end this would hold an array of each turn.
    pool = cp.get_default_memory_pool()

    def most_used():
        before, used = pool.used_bytes(), []
        x = cp.ones(1 << 16)
        for _ in range(30):
            y = cp.ones(1 << 16)
            x = x * 0.5 + y
            used.append(pool.used_bytes() - before)
        return max(used)

    fused = most_used()
    assert ran
    with cp.fusion("off"):
        assert fused <= most_used() + 8 * (1 << 16)  # the sum is not stored yet, x and y still are


def test_errors_come_at_once():
    x = cp.arange(4, dtype="u1")
    y = x + 1
    with pytest.raises(OverflowError):
        y + 300
    with pytest.raises(ValueError, match="broadcast"):
        y + cp.arange(3)
    with pytest.raises(TypeError):
        cp.bitwise_and(y, 1.5)
    assert y.tolist() == [1, 2, 3, 4]


def test_running_out_of_memory_can_be_tried_again(monkeypatch):
    def make_call(kernel, stream):
        run = made(kernel, stream)

        def call(*operands):
            if missing:
                raise OutOfMemoryError(missing.pop(), 0, 0, 0)
            return run(*operands)

        return call

    made, missing = chains.make_call, [96]
    monkeypatch.setattr(chains, "make_call", make_call)
    x = cp.asarray(HOST)
    z = cp.multiply(x, 2)
    y = z + 1
    del z
    with pytest.raises(OutOfMemoryError) as caught:
        y.get()
    (note,) = caught.value.__notes__
    assert "This runs what was recorded at" in note
    assert "test_fusion.py" in note
    assert "z = cp.multiply(x, 2)" in note
    assert "y = z + 1" in note
    assert deferring_streams
    np.testing.assert_array_equal(y.get(), HOST * 2 + 1)


def test_a_result_that_dies_is_not_computed(ran):
    y = cp.asarray(HOST) * 2
    dead = weakref.ref(y)
    del y
    z = cp.asarray(HOST) + 1
    cp.asnumpy(z)
    gc.collect()
    assert dead() is None
    assert ran[-1] == ["add"]


def test_another_thread_runs_it():
    x = cp.asarray(HOST)
    y = x * 2 + 1
    seen = []

    def work():
        x.fill(0)
        seen.append(cp.asnumpy(y))
        z = cp.asarray(HOST) * 3  # not recorded: there are two threads
        seen.append(bool(deferring_streams))
        seen.append(cp.asnumpy(z))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    np.testing.assert_array_equal(seen[0], HOST * 2 + 1)
    assert seen[1] is False
    np.testing.assert_array_equal(seen[2], HOST * 3)


def test_compiled_in_the_background(ran):
    with cp.fusion("on"):
        x = cp.asarray(HOST)
        for _ in range(2):
            y = cp.sqrt(x * x + 2) - 1
            np.testing.assert_allclose(cp.asnumpy(y), np.sqrt(HOST * HOST + 2) - 1, rtol=1e-6)
            running.wait()
    assert ran == [["multiply", "add", "sqrt", "subtract"], ["multiply_add_sqrt_subtract"]]


def test_modes():
    assert automatic.current_mode() == "immediate"
    with cp.fusion("off"):
        assert automatic.current_mode() == "off"
        with cp.fusion() as inner:
            assert automatic.current_mode() == "on"
            assert repr(inner) == "fusion('on')"
        assert automatic.current_mode() == "off"
    with pytest.raises(ValueError, match="'maybe' is none of off, on, immediate"):
        cp.fusion("maybe")


def test_missing_attributes_are_as_ever():
    with pytest.raises(AttributeError, match="'ndarray' object has no attribute 'missing'"):
        _ = cp.asarray(HOST).missing
    with pytest.raises(AttributeError, match="object has no attribute 'missing'"):
        _ = cp.cuda.Stream.null.missing


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    try:
        assert not programs.differences(1000 + seed, programs.all_modes())
    finally:
        automatic.set_mode("immediate")


def test_what_fails_twice_is_given_up(monkeypatch):
    """It must not stand in the way of everything else for ever."""

    def fails(*args):
        raise OutOfMemoryError(96, 0, 0, 0)

    x, device = cp.asarray(HOST), cp.cuda.Device()
    with monkeypatch.context() as patch:
        patch.setattr(chains, "make_call", fails)
        patch.setattr(steps.Step, "run", fails)
        y = cp.exp2(x * 7) - 3
        for _ in range(2):
            with pytest.raises(OutOfMemoryError):
                device.synchronize()
        device.synchronize()
        np.testing.assert_array_equal(x.get(), HOST)
        with pytest.raises(AttributeError, match="failed twice"):
            y.get()


def test_a_result_beyond_any_device_raises_at_once():
    x = cp.broadcast_to(cp.ones(1, "i1"), 2**50)
    with cp.fusion("immediate"), pytest.raises(OutOfMemoryError):
        x + cp.int8(1)


@pytest.mark.parametrize("lost", [False, True])
def test_attributes_of_arrays_when_it_is_off(monkeypatch, lost):
    """Python 3.11 reads them slowly where arrays may have no memory; see `automatic`."""
    monkeypatch.setattr(deferred, "lost", lost)
    x = cp.asarray([1.0, 2.0])
    y = x * 2
    assert deferring_streams
    with cp.fusion("off"):
        is_there = "__getattr__" in vars(_array.ArrayBase)
        assert is_there == (lost or sys.version_info >= (3, 12))
        assert (y + 1).tolist() == [3, 5]
        with pytest.raises(AttributeError, match="'ndarray' object has no attribute 'missing'"):
            _ = y.missing
    y = x * 3
    assert deferring_streams
    assert (y + 1).tolist() == [4, 7]
