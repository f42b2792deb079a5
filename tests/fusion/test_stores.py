"""Operations that store to arrays that exist, as parts and ends of what is recorded."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._fusion import chains, running
from gpuarray._runtime.current_stream import deferring_streams

HOST = np.linspace(-2, 2, 12, dtype="f4").reshape(3, 4)


def _updates(xp, x, z):
    x += z * 2
    x *= z
    x -= 1


def _read_before_and_after(xp, x, z):
    y = x * 2
    x += 1
    return y + x


def _output(xp, x, z):
    xp.add(x, z * 3, out=x)


def _assigned(xp, x, z):
    x[...] = z * 2 + 1


def _parts(xp, x, z):
    x[:, 1:] = z[:, :-1] * 2
    x[:, :1] = z[:, 3:] + 1


def _shifted(xp, x, z):
    x[1:] = x[:-1] * 2


def _shifted_in_place(xp, x, z):
    x[1:] += x[:-1]


def _in_a_result(xp, x, z):
    y = x * z
    y += 1
    y *= x
    xp.negative(y, out=y)
    return y


def _rows(xp, x, z):
    x[0] += z[0]
    x[1] -= z[1] * 2
    x += 1


def _columns(xp, x, z):
    x[:, ::2] *= z[:, 1::2] + 1
    return x + z


def _with_a_sum(xp, x, z):
    x += x.sum()
    return x.sum(axis=1)


def _transposed(xp, x, z):
    y = x.T * 2
    x += 1
    y += z.T
    return y


def _integers(xp, x, z):
    x //= 2
    x = x.astype("i4")
    x **= 2
    x += 1
    return x


def _other_dtypes(xp, x, z):
    y = (x * 2).astype("f8")
    x += y
    return xp.where(y > 1, y, xp.clip(x, 0, 1)) ** 2


def _broadcast(xp, x, z):
    x += z[0] * 2
    x[...] = z[:, :1] * 3 + x


PROGRAMS = {
    "updates": (_updates, [["multiply_add_subtract"]]),
    "reads before and after": (_read_before_and_after, [["multiply_add"]]),
    "an output": (_output, [["multiply_add"]]),
    "assigned": (_assigned, [["multiply_add_copy"]]),
    "parts": (_parts, [["multiply_copy", "add"], ["copy"]]),
    "shifted": (_shifted, [["multiply"], ["copy"]]),
    "shifted in place": (_shifted_in_place, None),
    "in a result": (_in_a_result, [["multiply_add_negative"]]),
    "rows": (_rows, None),
    "columns": (_columns, None),
    "with a sum": (_with_a_sum, None),
    "transposed": (_transposed, None),
    "integers": (_integers, None),
    "other dtypes": (_other_dtypes, None),
    "broadcast": (_broadcast, None),
}


def run(program, xp):
    x, z = xp.asarray(HOST.copy()), xp.asarray(HOST[::-1].copy())
    result = program(xp, x, z)
    return [cp.asnumpy(y) for y in (x, z, result) if y is not None]


@pytest.mark.parametrize("mode", ["immediate", "on"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_stores(name, mode, ran):
    program, kernels = PROGRAMS[name]
    with cp.fusion("off"):
        expected = run(program, cp)
    for one, other in zip(expected, run(program, np), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    with cp.fusion(mode):
        for _ in range(2):
            ran.clear()
            found = run(program, cp)
            assert [x.tobytes() for x in found] == [x.tobytes() for x in expected]
            assert [x.dtype for x in found] == [x.dtype for x in expected]
            running.wait()
    if kernels is not None:
        assert ran == kernels


def test_a_store_that_nobody_sees_is_not_done(ran):
    x, y = cp.asarray(HOST), cp.asarray(HOST)
    y += 1
    z = x * y
    del y
    np.testing.assert_array_equal(z.get(), HOST * (HOST + 1))
    assert ran == [["add_multiply"]]


def test_a_view_of_what_is_stored_to_sees_it():
    x = cp.asarray(HOST)
    row = x[1]
    x += 1
    del x
    gc.collect()
    np.testing.assert_array_equal(row.get(), HOST[1] + 1)


def test_memory_that_others_know_is_stored_to_at_once():
    x, z = cp.asarray(HOST), cp.asarray(HOST)
    assert x.data.ptr
    y = z * 2
    x += y
    assert not deferring_streams
    np.testing.assert_array_equal(x.get(), HOST * 3)


def test_errors_come_at_once_and_change_nothing():
    x = cp.asarray(HOST)
    y = x * 2
    with pytest.raises(ValueError, match="broadcast"):
        x += cp.zeros((2, 3, 4), "f4")
    with pytest.raises(TypeError):
        x += y * 1j
    x.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        x += y
    np.testing.assert_array_equal(x.get(), HOST)
    np.testing.assert_array_equal(y.get(), HOST * 2)


def test_what_fails_is_stored_once(monkeypatch):
    def make_call(kernel, stream):
        run = made(kernel, stream)

        def call(*operands):
            if missing:
                raise MemoryError(missing.pop())
            return run(*operands)

        return call

    made, missing = chains.make_call, []
    monkeypatch.setattr(chains, "make_call", make_call)
    x, z = cp.asarray(HOST), cp.asarray(HOST)
    z[:] = x * 1  # the first one's plan is made when nothing is recorded any more
    assert z.get() is not None
    missing.append(1)
    y = z * 2
    x += y
    x *= 2
    z[:] = x + 1
    with pytest.raises(MemoryError):
        x.get()
    np.testing.assert_array_equal(x.get(), HOST * 3 * 2)
    np.testing.assert_array_equal(z.get(), HOST * 3 * 2 + 1)
    np.testing.assert_array_equal(y.get(), HOST * 2)


def test_other_streams_see_what_was_stored():
    x, other = cp.asarray(HOST), cp.cuda.Stream()  # it waits for the default stream's work
    x += 1
    assert deferring_streams
    found = x.get(stream=other)
    other.synchronize()
    assert not deferring_streams
    np.testing.assert_array_equal(found, HOST + 1)
    y = cp.zeros_like(x)
    with other.capture() as graph:
        cp.multiply(x, 2, out=y)
    x += 1
    assert deferring_streams
    graph.launch(other)
    assert not deferring_streams
    cp.cuda.Device().synchronize()
    np.testing.assert_array_equal(y.get(), (HOST + 2) * 2)


@pytest.fixture
def little_room():
    """There is no room for arrays of a few megabytes."""
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    pool.set_limit(size=pool.total_bytes() + (1 << 20))
    yield
    pool.set_limit(size=0)


@pytest.mark.usefixtures("little_room")
def test_what_nobody_has_is_not_done():
    x = cp.asarray(HOST)
    cp.broadcast_to(x, (1 << 18, *HOST.shape)) + 1  # there is no room for it
    np.testing.assert_array_equal((x * 2).get(), HOST * 2)
    with cp.fusion("on"):
        y = cp.broadcast_to(x, (1 << 18, *HOST.shape)) + 1
        z = x * 3
        del y
        np.testing.assert_array_equal(z.get(), HOST * 3)
        y = x * z
        cp.negative(x * 5, out=y)
        np.testing.assert_array_equal(y.get(), HOST * -5)
