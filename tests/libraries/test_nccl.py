"""NCCL between two devices, on either backend: a GPU's tests need two of them and the wheel."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from gpuarray._ffi.emulator.libraries import nccl as emulated
from gpuarray.cuda import nccl
from gpuarray.errors import CUDAError

PRELUDE = """
import sys
import threading
import numpy as np
import gpuarray as cp
from gpuarray.cuda import nccl
from gpuarray.errors import CUDAError, NcclError

if cp.cuda.runtime.getDeviceCount() < 2 or not nccl.available:
    print("skipped")
    sys.exit()

TYPES = {
    "i1": nccl.NCCL_INT8, "u1": nccl.NCCL_UINT8, "i4": nccl.NCCL_INT32, "u4": nccl.NCCL_UINT32,
    "i8": nccl.NCCL_INT64, "u8": nccl.NCCL_UINT64, "f2": nccl.NCCL_FLOAT16,
    "f4": nccl.NCCL_FLOAT32, "f8": nccl.NCCL_FLOAT64,
}

class Rank:
    def __init__(self, comm):
        self.comm = comm
        self.device = cp.cuda.Device(comm.device_id())
        with self.device:
            self.stream = cp.cuda.Stream(non_blocking=True)

    def array(self, values, dtype="f4"):
        with self.device, self.stream:
            return cp.asarray(np.asarray(values, dtype))

    def host(self, array):
        with self.device, self.stream:
            return cp.asnumpy(array)

def in_threads(work, count=2):
    "Call work(rank) in a thread for each rank; an exception of one is raised here."
    errors = []
    def run(rank):
        try:
            with cp.cuda.Device(rank):
                work(rank)
        except BaseException as error:
            errors.append(error)
    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]

def message_of(call, *given):
    try:
        call(*given)
    except NcclError as error:
        return str(error)
    raise SystemExit("no error")
"""
HANG_SECONDS = 120


def run(body: str) -> None:
    """Run a program with two devices; it has to end well."""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + textwrap.dedent(body)],
        env={**os.environ, "GPUARRAY_EMULATED_DEVICES": "2"},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Exception ignored" not in done.stderr, done.stderr
    if done.stdout.startswith("skipped"):
        pytest.skip("two devices with NCCL are needed")


COLLECTIVES = """
    def collectives(ranks, group):
        "Every collective, for the ranks of this thread; the arrays are known by their rank."
        values = [np.arange(8) + 10 * rank + 1 for rank in range(2)]
        for dtype, code in TYPES.items():
            given = [value.astype(dtype) for value in values]
            for op, expected in [
                (nccl.NCCL_SUM, given[0] + given[1]),
                (nccl.NCCL_PROD, given[0] * given[1]),
                (nccl.NCCL_MAX, np.maximum(*given)),
                (nccl.NCCL_MIN, np.minimum(*given)),
                (nccl.NCCL_AVG, ((given[0].astype("f8") + given[1]) / 2).astype(dtype)),
            ]:
                sent = [rank.array(values[rank.comm.rank_id()], dtype) for rank in ranks]
                got = [rank.array(np.zeros(8), dtype) for rank in ranks]
                with group():
                    for rank, x, y in zip(ranks, sent, got):
                        rank.comm.allReduce(
                            x.data.ptr, y.data.ptr, 8, code, op, rank.stream.ptr
                        )
                for rank, y in zip(ranks, got):
                    np.testing.assert_array_equal(rank.host(y), expected, f"{dtype} {op}")
        values = [value.astype("f4") for value in values]

        def check(call, shape, expected, before=None):
            sent = [rank.array(values[rank.comm.rank_id()]) for rank in ranks]
            got = [rank.array(np.full(shape, -1)) for rank in ranks]
            with group():
                for rank, x, y in zip(ranks, sent, got):
                    call(rank.comm, x.data.ptr, y.data.ptr, rank.stream.ptr)
            for rank, y in zip(ranks, got):
                np.testing.assert_array_equal(rank.host(y), expected(rank.comm.rank_id()))

        f4, add, nothing = nccl.NCCL_FLOAT, nccl.NCCL_SUM, np.full(8, -1)
        total = values[0] + values[1]
        check(lambda c, x, y, s: c.reduce(x, y, 8, f4, add, 1, s), 8,
              lambda rank: total if rank == 1 else nothing)
        check(lambda c, x, y, s: c.broadcast(x, y, 8, f4, 1, s), 8, lambda rank: values[1])
        check(lambda c, x, y, s: c.bcast(x, 8, f4, 0, s), 8, lambda rank: nothing)
        check(lambda c, x, y, s: c.reduceScatter(x, y, 4, f4, add, s), 4,
              lambda rank: total[4 * rank : 4 * rank + 4])
        check(lambda c, x, y, s: c.allGather(x, y, 8, f4, s), 16,
              lambda rank: np.concatenate(values))
        # In place: what every rank has is read before anything is written.
        whole = [rank.array(np.r_[values[0], values[1]] * 0) for rank in ranks]
        with group():
            for rank, y in zip(ranks, whole):
                part = y.data.ptr + 32 * rank.comm.rank_id()
                cp.cuda.runtime.memcpyAsync(
                    part, values[rank.comm.rank_id()].ctypes.data, 32,
                    cp.cuda.runtime.memcpyHostToDevice, rank.stream.ptr)
                rank.comm.allGather(part, y.data.ptr, 8, f4, rank.stream.ptr)
        for rank, y in zip(ranks, whole):
            np.testing.assert_array_equal(rank.host(y), np.concatenate(values))
"""


def test_a_thread_with_both_devices():
    run(
        COLLECTIVES
        + """
    from contextlib import contextmanager

    @contextmanager
    def group():
        nccl.groupStart()
        yield
        nccl.groupEnd()

    comms = nccl.NcclCommunicator.initAll(2)
    assert [comm.rank_id() for comm in comms] == [0, 1]
    assert [comm.size() for comm in comms] == [2, 2]
    assert all(comm.comm for comm in comms)
    ranks = [Rank(comm) for comm in comms]
    collectives(ranks, group)

    # Both ways at once.
    sent = [rank.array([7 + number]) for number, rank in enumerate(ranks)]
    got = [rank.array([0]) for rank in ranks]
    with group():
        for number, rank in enumerate(ranks):
            rank.comm.send(sent[number].data.ptr, 1, nccl.NCCL_FLOAT, 1 - number, rank.stream.ptr)
            rank.comm.recv(got[number].data.ptr, 1, nccl.NCCL_FLOAT, 1 - number, rank.stream.ptr)
    assert [rank.host(y).item() for rank, y in zip(ranks, got)] == [8, 7]

    # Work of the stream before and behind it.
    arrays = [rank.array(np.arange(1000)) for rank in ranks]
    for rank, x in zip(ranks, arrays):
        with rank.device, rank.stream:
            x *= 2
    with group():
        for rank, x in zip(ranks, arrays):
            rank.comm.allReduce(
                x.data.ptr, x.data.ptr, 1000, nccl.NCCL_FLOAT, nccl.NCCL_SUM, rank.stream.ptr
            )
    for rank, x in zip(ranks, arrays):
        with rank.device, rank.stream:
            x += 1
        assert rank.host(x).tolist() == (4 * np.arange(1000) + 1).tolist()

    for comm in comms:
        comm.check_async_error()
        comm.destroy()
        assert comm.comm == 0
        comm.destroy()
    """
    )


def test_a_thread_for_each_device():
    run(
        COLLECTIVES
        + """
    from contextlib import nullcontext

    name = nccl.get_unique_id()

    def work(number):
        comm = nccl.NcclCommunicator(2, name, number)
        assert (comm.rank_id(), comm.device_id(), comm.size()) == (number, number, 2)
        rank = Rank(comm)
        collectives([rank], nullcontext)
        x = rank.array([number + 5])
        if number:
            comm.recv(x.data.ptr, 1, nccl.NCCL_FLOAT, 0, rank.stream.ptr)
        else:
            comm.send(x.data.ptr, 1, nccl.NCCL_FLOAT, 1, rank.stream.ptr)
        assert rank.host(x).tolist() == [5]
        # The other order, then each alone.
        split = comm.commSplit(0, -number)
        assert (split.rank_id(), split.size()) == (1 - number, 2)
        split.destroy()
        alone = comm.commSplit(number, 0, nccl.NcclConfig(split_share=1))
        assert (alone.rank_id(), alone.size()) == (0, 1)
        alone.destroy()
        assert (comm.commSplit(-1 if number else 0, 0) is None) == bool(number)
        comm.destroy()

    in_threads(work)
    """
    )


def test_communicators_made_in_a_group():
    run(
        """
        name = nccl.get_unique_id()
        nccl.groupStart()
        comms = []
        for rank in range(2):
            with cp.cuda.Device(rank):
                comms.append(nccl.NcclCommunicator(2, name, rank, nccl.NcclConfig()))
        nccl.groupEnd()
        assert [comm.device_id() for comm in comms] == [0, 1]
        assert [comm.rank_id() for comm in comms] == [0, 1]
        nccl.groupStart()
        split = [comm.commSplit(0, rank) for rank, comm in enumerate(comms)]
        nccl.groupEnd()
        assert [comm.rank_id() for comm in split] == [0, 1]
        assert len({comm.comm for comm in comms + split}) == 4
        for comm in comms:
            comm.abort()
            assert comm.comm == 0
        """
    )


@pytest.mark.emulator
def test_what_would_hang_on_a_gpu_is_refused():
    run(
        """
        comms = nccl.NcclCommunicator.initAll([0, 1])
        ranks = [Rank(comm) for comm in comms]
        x, y = [rank.array(np.zeros(4)) for rank in ranks]
        f4, f8, add = nccl.NCCL_FLOAT, nccl.NCCL_DOUBLE, nccl.NCCL_SUM
        first, second = comms

        def reduce_one(comm=first, array=x, count=4, datatype=f4, stream=0):
            comm.allReduce(array.data.ptr, array.data.ptr, count, datatype, add, stream)

        text = message_of(reduce_one)
        assert text.startswith("NCCL_ERROR_INVALID_USAGE: ncclAllReduce failed with")
        assert "rank 1 did not make the call" in text and "ncclGroupStart" in text, text

        def reduce_both(**other):
            nccl.groupStart()
            reduce_one()
            reduce_one(second, y, **other)
            nccl.groupEnd()

        text = message_of(lambda: reduce_both(count=3))
        assert text.startswith("NCCL_ERROR_INVALID_ARGUMENT: ncclGroupEnd failed"), text
        assert "do not agree" in text, text
        assert "do not agree" in message_of(lambda: reduce_both(datatype=f8))
        reduce_both()  # nothing is left of the failures

        def mixed():
            nccl.groupStart()
            reduce_one()
            second.bcast(y.data.ptr, 4, f4, 0, 0)
            nccl.groupEnd()

        assert "do not make the same call: ncclAllReduce, ncclBcast" in message_of(mixed)
        nccl.groupStart()
        assert "is of device 0" in message_of(
            lambda: reduce_one(second, y, stream=ranks[0].stream.ptr))
        assert "datatype is 99" in message_of(lambda: reduce_one(datatype=99))
        assert "root is 2 of 2 ranks" in message_of(first.bcast, x.data.ptr, 4, f4, 2, 0)
        nccl.groupEnd()
        assert "there is no group to end" in message_of(nccl.groupEnd)
        assert "two ranks have the same device" in message_of(
            nccl.NcclCommunicator.initAll, [1, 1])
        assert "another process" in message_of(nccl.NcclCommunicator, 2, bytes(128), 0)
        assert "rank is 2 of 2 ranks" in message_of(
            nccl.NcclCommunicator, 2, nccl.get_unique_id(), 2)

        # Memory that is not there is a fault of that device, and every rank's call fails.
        try:
            nccl.groupStart()
            reduce_one()
            second.allReduce(1 << 45, y.data.ptr, 4, f4, add, 0)
            nccl.groupEnd()
        except CUDAError as error:
            assert error.status == 700 and "sendbuff" in str(error), error
        else:
            raise SystemExit("no error")

        stream = ranks[0].stream
        with ranks[0].device, stream:
            cp.cuda.runtime  # a capture by the driver's functions
        from gpuarray._ffi import driver
        with ranks[0].device:
            driver.stream_begin_capture(stream.ptr, 0)
            assert "cannot be captured" in message_of(
                lambda: reduce_one(stream=stream.ptr))
            try:
                driver.stream_end_capture(stream.ptr)
            except CUDAError:
                pass
        """
    )


@pytest.mark.emulator
def test_an_abort_ends_the_wait_of_others():
    run(
        """
        import time
        comms = nccl.NcclCommunicator.initAll(2)
        texts = []

        def work(number):
            rank = Rank(comms[number])
            x = rank.array(np.zeros(4))
            if number == 0:
                texts.append(message_of(
                    rank.comm.allReduce, x.data.ptr, x.data.ptr, 4, nccl.NCCL_FLOAT,
                    nccl.NCCL_SUM, rank.stream.ptr))
            else:
                while not waiting():
                    time.sleep(0.01)
                rank.comm.abort()

        from gpuarray._ffi.driver_library import opened
        machine = opened().source._machine

        def waiting():
            return bool(machine.arrivals._waiters)

        in_threads(work)
        assert texts[0].startswith("NCCL_ERROR_REMOTE_ERROR: "), texts
        assert "rank 1 has aborted" in texts[0], texts
        """
    )


@pytest.mark.emulator
def test_the_checkers_see_what_ranks_read_and_write():
    run(
        """
        comms = nccl.NcclCommunicator.initAll(2)
        with cp.cuda.check("all", raises=False) as check:
            ranks = [Rank(comm) for comm in comms]

            def reduce(x, y):
                nccl.groupStart()
                for rank, array in zip(ranks, (x, y)):
                    rank.comm.allReduce(array.data.ptr, array.data.ptr, 100, nccl.NCCL_FLOAT,
                                        nccl.NCCL_SUM, rank.stream.ptr)
                nccl.groupEnd()

            x, y = [rank.array(np.ones(100)) for rank in ranks]
            reduce(x, y)
            for rank, array in zip(ranks, (x, y)):
                with rank.device, rank.stream:
                    array += 1
                assert rank.host(array).tolist() == [3] * 100
            assert check.findings == [], check.findings
            with ranks[0].device:
                other = cp.cuda.Stream(non_blocking=True)
                with ranks[0].stream:
                    never = cp.empty(100, "f4")
            reduce(never, y)
            with ranks[0].device:
                cp.cuda.runtime.memsetAsync(never.data.ptr, 0, 400, other.ptr)
        found = [str(finding) for finding in check.findings]
        assert [text[:8] for text in found] == ["[uninit]", "[races] "], found
        assert "sendbuff is read where it was never written" in found[0]
        assert "not ordered with the read by ncclAllReduce in another stream" in found[1]
        """
    )


needs_library = pytest.mark.skipif("not nccl.available", reason="NCCL is not installed")


@needs_library
def test_one_rank(xp):
    comm = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
    x, y = xp.arange(5, dtype="f4"), xp.zeros(5, "f4")
    stream = xp.cuda.get_current_stream().ptr
    comm.allReduce(x.data.ptr, y.data.ptr, 5, nccl.NCCL_FLOAT, nccl.NCCL_AVG, stream)
    assert y.tolist() == [0, 1, 2, 3, 4]
    # Addresses and counts may be NumPy's integers.
    send, recv, count = np.array([x.data.ptr, y.data.ptr, 3])
    x += 1
    comm.allReduce(send, recv, count, nccl.NCCL_FLOAT, nccl.NCCL_SUM, stream)
    assert y.tolist() == [1, 2, 3, 3, 4]
    with pytest.raises(TypeError, match="ncclAllReduce: argument 1"):
        comm.allReduce(x, recv, count, nccl.NCCL_FLOAT, nccl.NCCL_SUM, stream)
    del comm  # frees it
    with pytest.raises(ValueError, match="commId has 3 bytes, not 128"):
        nccl.NcclCommunicator(1, b"abc", 0)
    name = tuple(nccl.get_unique_id())  # as older versions of CuPy gave it
    assert nccl.NcclCommunicator(1, name, 0).size() == 1


@needs_library
def test_errors_and_versions():
    assert nccl.get_version() == nccl.get_build_version() >= 20000
    nccl.check_status(0)
    with pytest.raises(nccl.NcclError, match="^NCCL_ERROR_INVALID_ARGUMENT: ") as raised:
        nccl.check_status(4)
    assert raised.value.status == 4
    assert isinstance(raised.value, CUDAError)
    assert nccl.available is True
    assert nccl.NcclConfig(split_share=1).split_share == 1
    assert nccl.NcclConfig().split_share == 0


@pytest.mark.parametrize(
    "values, expected",
    [
        ([1.0, 2.0], 3.0),
        ([1.0, 2**-9], 1.0),
        ([1.0, 2**-8 + 2**-9], 1.0078125),
        ([np.inf, -np.inf], np.nan),
    ],
)
def test_bfloat16_is_rounded_to_even(values, expected):
    def bits(value):
        return np.array([value], "f4").view("u4") >> 16

    class Reduction:
        datatype, op = nccl.NCCL_BFLOAT16, nccl.NCCL_SUM

    found = emulated._reduced([bits(value).astype("u2") for value in values], Reduction)
    widened = (found.astype("u4") << 16).view("f4")
    np.testing.assert_array_equal(widened, np.array([expected], "f4"))


def test_averages_of_integers_are_rounded_towards_zero():
    class Reduction:
        datatype, op = nccl.NCCL_INT32, nccl.NCCL_AVG

    parts = [np.array([-3, 3, -4, 7], "i4"), np.array([0, 0, 1, 0], "i4")]
    assert emulated._reduced(parts, Reduction).tolist() == [-1, 1, -1, 3]
