"""What could go wrong between the call of an operation and its work, and does not."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._fusion import automatic, chains, running
from gpuarray._runtime import current_stream, staged_copies
from gpuarray._runtime.current_stream import deferring_streams
from gpuarray.errors import CompileError
from tests.array.interrupting import interrupted
from tests.array.test_fork import PROGRAM
from tests.faults.programs import run
from tests.limits import HANG_SECONDS

HOST = np.linspace(-2, 2, 12, dtype="f4").reshape(3, 4)


def chain(x):
    return x * 2 + 1


# ---- memory ---------------------------------------------------------------------------------


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[::-1], lambda x: x[:1], lambda x: x.T])
def test_a_view_of_an_operand_is_written_to(view):
    x = cp.asarray(HOST)
    other = view(x)
    y = chain(x)
    other[...] = 7
    z = chain(x)
    other += 1
    np.testing.assert_array_equal(y.get(), chain(HOST))
    host = HOST.copy()
    view(host)[...] = 7
    np.testing.assert_array_equal(z.get(), chain(host))


def test_overlapping_views_are_updated():
    x, host = cp.asarray(HOST), HOST.copy()
    y = x[1:] * 2
    x[1:] += x[:-1] * 3
    host_y = host[1:] * 2
    host[1:] += host[:-1] * 3
    x *= y[:1]
    host *= host_y[:1]
    np.testing.assert_array_equal(y.get(), host_y)
    np.testing.assert_array_equal(x.get(), host)


def test_operands_are_freed_early():
    y = chain(cp.asarray(HOST) * 1)
    for _ in range(4):  # blocks of that size, which must not be the operand's
        cp.full(HOST.shape, 9, "f4")
    z = y * cp.asarray(HOST)
    del y
    cp.full(HOST.shape, 9, "f4")
    np.testing.assert_array_equal(z.get(), chain(HOST) * HOST)


def test_memory_is_freed_with_the_arrays():
    pool = cp.get_default_memory_pool()
    x = cp.asarray(HOST)
    chain(x).get()
    gc.collect()
    before = pool.used_bytes()
    for _ in range(20):
        y = chain(x)
        z = y.sum()
        del y, z
    y = chain(x)
    y.get()
    del y
    assert not deferring_streams
    gc.collect()
    assert pool.used_bytes() == before


def test_memory_whose_address_others_have():
    x = cp.asarray(HOST)
    y = chain(x)
    other = cp.ndarray(y.shape, "f4", memptr=y.data)  # shares the result's memory
    z = y + 1
    assert not deferring_streams  # who has the address may write there unseen
    other.fill(0)
    np.testing.assert_array_equal(z.get(), chain(HOST) + 1)
    assert not y.any()


def test_other_kinds_of_memory():
    for allocator in (cp.cuda.malloc_managed, cp.cuda.MemoryPool().malloc):
        with cp.cuda.using_allocator(allocator):
            x = cp.asarray(HOST)
            y = chain(x)
        np.testing.assert_array_equal(chain(y).get(), chain(chain(HOST)))


# ---- arrays that are pending ----------------------------------------------------------------


@pytest.mark.parametrize(
    "duplicate",
    [
        copy.copy,
        copy.deepcopy,
        lambda y: pickle.loads(pickle.dumps(y)),
        lambda y: y.copy(),
        lambda y: y.view(),
        lambda y: cp.array(y),
        lambda y: cp.asarray(y, order="F"),
        lambda y: cp.from_dlpack(y),
        lambda y: cp.asarray(y.__cuda_array_interface__ and y),
    ],
)
def test_duplicates(duplicate):
    x = cp.asarray(HOST)
    y = chain(x)
    z = duplicate(y)
    del x, y
    np.testing.assert_array_equal(z.get(), chain(HOST))


def test_references_that_do_not_count():
    x = cp.asarray(HOST)
    y = chain(x)
    weak = weakref.ref(y)
    assert weak() is y
    np.testing.assert_array_equal(weak().get(), chain(HOST))
    y = chain(x)
    weak = weakref.ref(y)
    np.testing.assert_array_equal(weak().get(), chain(HOST))
    del y
    assert weak() is None
    y = chain(x)
    weak = weakref.ref(y)
    del y
    x.fill(0)
    gc.collect()
    assert weak() is None
    pairs = weakref.WeakValueDictionary()
    y = chain(x)
    pairs["y"] = y
    assert pairs["y"].shape == (3, 4)
    np.testing.assert_array_equal(pairs["y"].get(), np.ones((3, 4)))


def test_an_array_in_a_cycle_dies_in_another_thread():
    class Holder:
        pass

    x = cp.asarray(HOST)
    holder = Holder()
    holder.me, holder.y = holder, chain(x)
    z = holder.y + 1
    del holder
    thread = threading.Thread(target=gc.collect)
    thread.start()
    thread.join()
    np.testing.assert_array_equal(z.get(), chain(HOST) + 1)


def test_its_layout_is_changed():
    x = cp.asarray(HOST)
    y, z = chain(x), chain(x)
    y.shape = (4, 3)
    z.flags.writeable = False
    np.testing.assert_array_equal((y + 1).get(), chain(HOST).reshape(4, 3) + 1)
    with pytest.raises(ValueError, match="read-only"):
        z += 1
    np.testing.assert_array_equal(z.get(), chain(HOST))


def test_numpy_looks_at_it():
    x = cp.asarray(HOST)
    y = np.multiply(x, 2)
    assert type(y) is cp.ndarray
    with pytest.raises(TypeError, match="implicit"):
        np.asarray(y)
    np.testing.assert_array_equal(np.add(y, 1).get(), chain(HOST))
    assert [row.tolist() for row in chain(x)] == chain(HOST).tolist()
    assert (len(chain(x)), chain(x).nbytes, chain(x).strides) == (3, 48, (16, 4))


def test_a_class_of_the_users():
    class Mine(cp.ndarray):
        pass

    x = cp.asarray(HOST).view(Mine)
    with cp.fusion("off"):
        expected = type(x * 2 + 1)
    y = x * 2 + 1
    assert type(y) is expected
    np.testing.assert_array_equal(y.get(), chain(HOST))


# ---- exceptions and interrupts --------------------------------------------------------------


def test_an_exception_between_recording_and_running():
    x = cp.asarray(HOST)
    y = chain(x)
    with pytest.raises(ZeroDivisionError):
        (y * 3).sum() + 1 / 0
    z = y * x
    with pytest.raises(ValueError, match="broadcast"):
        z + cp.zeros(5)
    np.testing.assert_array_equal(z.get(), chain(HOST) * HOST)
    np.testing.assert_array_equal(y.get(), chain(HOST))


def test_kernels_that_do_not_compile(monkeypatch):
    def make_call(kernel, stream):
        raise CompileError("it does not")

    monkeypatch.setattr(chains, "make_call", make_call)
    x = cp.asarray(HOST)
    for _ in range(2):
        np.testing.assert_array_equal(chain(x).get(), chain(HOST))


def test_interrupts():
    """At each place of recording and of running; what is left is right, and all goes on."""
    x, pool = cp.asarray(HOST), cp.get_default_memory_pool()
    alive = []

    def work():
        alive.clear()
        alive.append(x * 2)
        alive.append(alive[0] + 1)
        alive.append((alive[1] * alive[0]).sum(axis=1))
        alive.append(alive[1] + x[0])
        del alive[1]
        alive[0].get()

    work()
    work()
    expected = [
        HOST * 2,
        chain(HOST),
        (chain(HOST) * (HOST * 2)).sum(axis=1),
        chain(HOST) + HOST[0],
    ]
    alive.clear()
    gc.collect()
    used, count = pool.used_bytes(), 0
    for where in interrupted(work, "_fusion/", "<_fusion"):
        count += 1
        hosts = [x.get() for x in alive]
        alive.clear()
        for host in hosts:
            alike = [x for x in expected if x.shape == host.shape and np.allclose(x, host, 1e-5)]
            assert alike, where
        x.fill(0)
        x.set(HOST)
        np.testing.assert_array_equal(chain(x).get(), chain(HOST), where)
        assert not deferring_streams, where
        assert pool.used_bytes() <= used + 16384, where  # plans that were dropped and made anew
    assert count > 50


# ---- threads and streams --------------------------------------------------------------------


def test_threads_that_copy_for_this_one_leave_it_recording(monkeypatch, ran):
    """A large array of NumPy's is copied by several threads, and operations on it are recorded."""
    monkeypatch.setattr(staged_copies, "STAGED_BYTES", 1000)
    monkeypatch.setattr(staged_copies, "PIECE_BYTES", 4096)
    monkeypatch.setattr(staged_copies, "PIECES_A_THREAD", 1)
    monkeypatch.setattr(staged_copies, "_processors", lambda: 4)
    monkeypatch.setattr(staged_copies, "_pool", None)
    host = np.random.default_rng(0).random(100_000)
    x = cp.asarray(host)
    pool = staged_copies._pool
    assert pool is not None
    assert pool._threads
    ran.clear()
    y = x * 2 + 1
    np.testing.assert_array_equal(y.get(), host * 2 + 1)
    assert [len(kernels) for kernels in ran] == [1]
    pool.shutdown()
    staged_copies._idle.clear()


def test_another_thread_runs_it_while_this_one_goes_on(monkeypatch):
    """What this thread queues next comes behind what the other one is about to queue."""
    began, go = threading.Event(), threading.Event()
    x = cp.asarray(HOST)
    chain(x).get()
    y = chain(x)
    fused = running._fused

    def slowly(*args):
        call = fused(*args)

        def wait_first(*args):
            began.set()
            go.wait(60)
            call(*args)

        return wait_first

    monkeypatch.setattr(running, "_fused", slowly)
    cp.cuda.Stream.null.drop_plans()
    y = chain(x)
    thread = threading.Thread(target=lambda: cp.arange(3).get())
    thread.start()
    assert began.wait(60)
    threading.Timer(0.2, go.set).start()  # meanwhile, this thread either waits or is wrong
    x.fill(0)
    thread.join()
    np.testing.assert_array_equal(y.get(), chain(HOST))


def test_another_thread_runs_it_at_any_moment(monkeypatch):
    """Nothing that is recorded is lost or done twice, and no launch overtakes it."""
    x, done, errors = cp.asarray(HOST), threading.Event(), []

    def run_all():
        try:
            _ = current_stream.current.stream
            current_stream.threads.discard(threading.get_ident())  # else nothing would be recorded
            while not done.is_set():
                current_stream.run_all_deferred()
        except BaseException as error:
            errors.append(error)

    host, one, recorded = HOST.copy(), cp.ones((), "f4"), 0
    thread = threading.Thread(target=run_all)
    before = sys.getswitchinterval()
    try:
        thread.start()
        sys.setswitchinterval(1e-6)
        for i in range(60):
            x += one
            y = x * 2
            recorded += bool(deferring_streams)
            z = y - x[::-1]
            y += z
            x -= 0.5
            if i % 4 == 0:
                expected = (host + 1) * 2
                expected += expected - (host + 1)[::-1]
                np.testing.assert_array_equal(y.get(), expected)
            host += np.float32(0.5)
    finally:
        sys.setswitchinterval(before)
        done.set()
        thread.join()
    np.testing.assert_array_equal(x.get(), host)
    assert not errors
    assert recorded


def test_threads_of_which_each_has_its_own_chains():
    x, wrong = cp.asarray(HOST), []

    def work(number):
        for i in range(15):
            y = chain(x) * number
            z = y + i
            if not np.array_equal(z.get(), chain(HOST) * np.float32(number) + np.float32(i)):
                wrong.append((number, i))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(3)]
    y = chain(x)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    np.testing.assert_array_equal(y.get(), chain(HOST))


@pytest.mark.parametrize("use", [lambda y, z: (y + z, y), lambda y, z: (y.get() + z.get(), y)])
@pytest.mark.parametrize("own_stream", [False, True])
def test_a_thread_ends_with_pending_operations(monkeypatch, use, own_stream):
    """The next one, which may have its identity, and the one that waited for it have its arrays."""
    monkeypatch.setattr(current_stream, "threads", set())
    x, made, used, errors = cp.asarray(HOST), [], [], []
    stream = cp.cuda.Stream(non_blocking=True) if own_stream else cp.cuda.Stream.null

    def record():
        with stream:
            y = chain(x)
            x[1:] += 3
            made.extend([y, y * x])
            assert deferring_streams or own_stream  # which runs when it is left
            del y

    def go_on():
        used.extend(use(*made))

    def in_a_thread(work):
        def run():
            try:
                work()
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()

    in_a_thread(record)
    if own_stream:
        stream.synchronize()
    gc.collect()
    in_a_thread(go_on)
    assert not errors
    host = HOST.copy()
    host[1:] += 3
    y, z = chain(HOST), chain(HOST) * host
    np.testing.assert_array_equal(cp.asnumpy(used[0]), y + z)
    np.testing.assert_array_equal(used[1].get(), y)
    np.testing.assert_array_equal((x + made[1]).get(), host + z)


def test_a_thread_that_fails_leaves_its_operations(monkeypatch):
    """What a thread that ends by an exception has recorded is there, and what it dropped is not."""
    monkeypatch.setattr(current_stream, "threads", set())
    x, made = cp.asarray(HOST), []
    monkeypatch.setattr(threading, "excepthook", lambda args: made.append(args.exc_type))

    def record():
        y = chain(x)
        made.append(y * 3)
        del y
        raise ZeroDivisionError

    thread = threading.Thread(target=record)
    thread.start()
    thread.join()
    assert made[1] is ZeroDivisionError
    used = cp.get_default_memory_pool().used_bytes()
    np.testing.assert_array_equal(made[0].get(), chain(HOST) * 3)
    assert cp.get_default_memory_pool().used_bytes() <= used + 512  # the result alone


def test_another_stream():
    x, stream = cp.asarray(HOST), cp.cuda.Stream(non_blocking=True)
    y = chain(x)
    with stream:
        stream.wait_event(cp.cuda.Stream.null.record())
        z = y * 3
        w = z + x
        stream.synchronize()
    np.testing.assert_array_equal(w.get(), chain(HOST) * 3 + HOST)
    np.testing.assert_array_equal(y.get(), chain(HOST))
    with stream:
        z = x * 5
        w = z - 1
    stream.synchronize()
    np.testing.assert_array_equal((w + 1).get(), HOST * 5 - 1 + 1)


def test_a_capture():
    x, stream = cp.asarray(HOST), cp.cuda.Stream(non_blocking=True)
    y = chain(x)
    out = cp.empty_like(y)
    stream.synchronize()
    cp.cuda.Device().synchronize()
    with stream:
        with stream.capture() as graph:
            cp.multiply(y, 2, out=out)
            z = out + 1
            assert not deferring_streams
        graph.launch(stream)
        stream.synchronize()
    np.testing.assert_array_equal(out.get(), chain(HOST) * 2)
    np.testing.assert_array_equal(z.get(), chain(HOST) * 2 + 1)


# ---- whoever watches ------------------------------------------------------------------------


def test_hooks_see_each_operation():
    class Launches(cp.cuda.FunctionHook):
        name = "Launches"

        def launch_preprocess(self, *, name, **kwargs):
            found.append(name)

    found: list[str] = []
    x = cp.asarray(HOST)
    y = chain(x)
    with Launches():
        assert not deferring_streams
        assert not found  # it ran before
        chain(x)
        assert len(found) == 2
    np.testing.assert_array_equal(y.get(), chain(HOST))
    y = chain(x)
    assert deferring_streams
    y.get()


def test_memory_hooks_see_each_allocation():
    x = cp.asarray(HOST)
    y = chain(x)
    with cp.cuda.memory_hooks.LineProfileHook() as hook:
        chain(x)
        assert not deferring_streams
    assert hook._root.used_bytes >= 2 * 512
    np.testing.assert_array_equal(y.get(), chain(HOST))


# ---- the end of all -------------------------------------------------------------------------


def test_a_reset_with_pending_operations():
    run(
        """
        from gpuarray._runtime import recording

        recording.LEAST_BYTES = 0
        cp.fusion("immediate")
        x = cp.asarray(np.arange(4.0))
        y = x * 2 + 1
        y.get()
        y = x * 2 + 1
        cp.cuda.Device().reset()
        for array in (x, y):
            error = error_of(array.get)
            assert isinstance(error, CUDAError), error
        assert isinstance(error_of(lambda: y + 1), CUDAError)
        x = cp.asarray(np.arange(4.0))
        for _ in range(2):
            assert (x * 2 + 1).tolist() == [1, 3, 5, 7]
        """
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_with_pending_operations():
    program = PROGRAM + (
        "from gpuarray._runtime import recording\n"
        "recording.LEAST_BYTES = 0\n"
        "cp.fusion('on')\n"
        "x = cp.asarray(np.arange(4.0))\n"
        "y = x * 2 + 1\n"
        "z = y * 3\n"
        "found = child(lambda: [outcome(z.get), outcome(lambda: z + 1), outcome(lambda: x * 2)])\n"
        "assert found == [REFUSED] * 3, found\n"
        "assert z.tolist() == [3, 9, 15, 21]\n"
        "def dropped():\n"
        "    global y, z\n"
        "    del y, z\n"
        "    gc.collect()\n"
        "y, z = x * 2, x + 1\n"
        "assert child(dropped) is None\n"
        "assert z.tolist() == [1, 2, 3, 4]\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert result.returncode == 0, result.stderr


def test_the_process_ends_with_pending_operations():
    """And with kernels that a thread compiles."""
    run(
        """
        from gpuarray._runtime import recording

        recording.LEAST_BYTES = 0
        cp.fusion("on")
        x = cp.asarray(np.arange(4.0))
        for i in range(3):
            y = cp.sqrt(x * i + 1) - x
            print(y.tolist())
        z = cp.sqrt(x * 2 + 1) * x
        """
    )


def test_the_thread_that_compiles_runs_nothing(monkeypatch):
    recorded, load = threading.Event(), chains.load

    def load_later(kernel, stream):
        recorded.wait()
        load(kernel, stream)

    monkeypatch.setattr(chains, "load", load_later)
    x = cp.asarray(HOST)
    with cp.fusion("on"):
        cp.asnumpy(cp.cbrt(cp.arctan(x) * 3) - cp.square(x))  # a kernel that no other test has
        y = x * 2
        assert deferring_streams
        recorded.set()
        running.wait()
        assert deferring_streams
        np.testing.assert_array_equal(cp.asnumpy(y), HOST * 2)


def test_the_mode_is_changed_meanwhile():
    x = cp.asarray(HOST)
    y = chain(x)
    with cp.fusion("off"):
        assert not deferring_streams
        z = y + 1
        assert not deferring_streams
    assert automatic.current_mode() == "immediate"
    np.testing.assert_array_equal(z.get(), chain(HOST) + 1)


@pytest.mark.parametrize("mode", ["on", "immediate"])
def test_interrupts_of_stores(mode):
    """What is stored to an array is stored once."""
    x, y = cp.asarray(HOST), cp.asarray(HOST)
    states = [HOST * 1]
    for change in (lambda h: h + 1, lambda h: h * 2, lambda h: h + states[0]):
        states.append(change(states[-1]))

    def work():
        nonlocal done
        done = 0
        cp.add(x, 1, out=x)
        done = 1
        x.__imul__(2)
        done = 2
        x.__iadd__(y)
        done = 3
        x[0, 0].get()

    done = 0
    with cp.fusion(mode):
        for _ in range(3):
            work()
            running.wait()
            x.set(HOST)
        count = 0
        for where in interrupted(work, "_fusion/", "<_fusion"):
            count += 1
            called, found = done, x.get()
            # All that was called, and perhaps what the interrupt came in; nothing is done twice.
            allowed = states[called : called + 2]
            assert any(np.array_equal(found, z) for z in allowed), (where, called, found)
            x.set(HOST)
    # How many places there are depends on when the thread that compiles is done.
    assert count > 15
