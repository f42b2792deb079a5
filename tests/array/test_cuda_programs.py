"""Small whole programs that use `gpuarray.cuda` as programs for CuPy do."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.cuda.memory_hooks import LineProfileHook


def test_maps_on_streams_and_a_reduction_behind_them(rng):
    pool = cp.cuda.MemoryPool()
    before = cp.cuda.get_allocator()
    cp.cuda.set_allocator(pool.malloc)
    try:
        streams = [cp.cuda.Stream() for _ in range(3)]
        hosts = [rng.standard_normal(1000) for _ in streams]
        start, stop = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        parts, events = [], []
        for stream, host in zip(streams, hosts, strict=True):
            with stream:
                x = cp.asarray(host)
                parts.append((x * x).sum())
                events.append(stream.record())
        reducing = cp.cuda.Stream()
        with reducing:
            for event in events:
                reducing.wait_event(event)
            total = sum(parts[1:], parts[0])
        reducing.synchronize()
        stop.record()
        stop.synchronize()
        assert math.isclose(float(total), sum([float((host * host).sum()) for host in hosts]))
        assert cp.cuda.get_elapsed_time(start, stop) >= 0
        del x, parts, total
        held = pool.total_bytes()
        pool.free_all_blocks(streams[0])
        assert 0 < pool.total_bytes() < held
        pool.free_all_blocks()
        assert pool.total_bytes() == pool.used_bytes()
    finally:
        cp.cuda.set_allocator(before)


def test_a_pipeline_of_pinned_buffers(rng):
    scale = cp.ElementwiseKernel("float32 x, float32 k", "float32 y", "y = k * x", "scale_part")
    source = rng.random(10_000, dtype="f4")
    result = np.empty_like(source)
    size = 1024
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    sent = [cp.empty_pinned(size, "f4") for _ in streams]
    received = [cp.zeros_like_pinned(host) for host in sent]
    waiting = [None, None]

    def take(turn):
        if waiting[turn] is not None:
            event, part = waiting[turn]
            event.synchronize()
            result[part] = received[turn][: part.stop - part.start]

    device = [cp.empty(size, "f4") for _ in streams]
    cp.cuda.Device().synchronize()
    for number, start in enumerate(range(0, len(source), size)):
        turn = number % 2
        take(turn)
        part = slice(start, min(start + size, len(source)))
        count = part.stop - part.start
        sent[turn][:count] = source[part]
        stream = streams[turn]
        with stream:
            device[turn].data.copy_from_host_async(sent[turn].ctypes.data, 4 * count)
            answer = scale(device[turn][:count], np.float32(3))
            answer.data.copy_to_host_async(received[turn].ctypes.data, 4 * count)
            waiting[turn] = stream.record(), part
    take(0)
    take(1)
    np.testing.assert_array_equal(result, source * np.float32(3))


def test_prices_of_options_on_every_device(rng):
    price = cp.ElementwiseKernel(
        "T s, T x, T t, T r, T v", "T call, T put",
        """
        const T d1 = (log(s / x) + (r + v * v / 2) * t) / (v * sqrt(t));
        const T d2 = d1 - v * sqrt(t);
        const T n1 = erfc(-d1 / sqrt(T(2))) / 2, n2 = erfc(-d2 / sqrt(T(2))) / 2;
        const T discounted = x * exp(-r * t);
        call = s * n1 - discounted * n2;
        put = discounted * (1 - n2) - s * (1 - n1);
        """,
        "option_prices",
    )  # fmt: skip
    rate, volatility = 0.02, 0.3
    spot, strike, years = rng.uniform(5, 30, 64), rng.uniform(1, 100, 64), rng.uniform(0.25, 9, 64)
    for number in range(cp.cuda.runtime.getDeviceCount()):
        with cp.cuda.Device(number), cp.cuda.Stream() as stream:
            given = [cp.asarray(x) for x in (spot, strike, years)]
            call, put = price(*given, rate, volatility)
            assert call.device == put.device == cp.cuda.Device(number)
            stream.synchronize()
            # What a call costs more than a put is known without a model.
            parity = spot - strike * np.exp(-rate * years)
            np.testing.assert_allclose((call - put).get(), parity, atol=1e-12)
            assert bool((call > 0).all())


def test_an_allocator_that_counts_and_a_profile_of_it():
    class Counting:
        def __init__(self, pool):
            self.pool, self.sizes = pool, []

        def malloc(self, size):
            self.sizes.append(size)
            return self.pool.malloc(size)

    counting = Counting(cp.cuda.MemoryPool(cp.cuda.malloc_managed))
    hook = LineProfileHook(max_depth=1)
    with cp.cuda.using_allocator(counting.malloc), hook:
        x = cp.arange(100, dtype="f4")
        y = x * 2 + 1
        assert float(y.sum()) == 10000
    assert counting.sizes[:3] == [400, 400, 400]
    assert counting.pool.used_bytes() >= 2 * 512
    assert isinstance(x.data.mem, cp.cuda.memory.PooledMemory)
    assert x.data.mem.identity == "ManagedMemory"
    assert hook._root.used_bytes == 512 * len(counting.sizes)


def test_structures_and_memory_of_somebody_else():
    particle = np.dtype([("x", "f4", 3), ("id", "i4")])
    kernel = cp.RawKernel(
        r"""
        struct Particle { float x[3]; int id; };
        extern "C" __global__ void move(Particle* all, Particle step, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i >= n) return;
            for (int k = 0; k < 3; ++k) all[i].x[k] += step.x[k];
            all[i].id += step.id;
        }""",
        "move",
    )
    address = cp.cuda.runtime.malloc(50 * particle.itemsize)
    try:
        memory = cp.cuda.UnownedMemory(address, 50 * particle.itemsize, None)
        pointer = cp.cuda.MemoryPointer(memory, 0)
        pointer.memset(0, memory.size)
        step = np.array(([1, 2, 3], 7), particle)
        kernel((1,), (64,), (pointer, step, np.int32(50)))
        kernel((1,), (64,), (pointer + 10 * particle.itemsize, step, np.int32(40)))
        host = np.empty(50, particle)
        pointer.copy_to_host(host, host.nbytes)
    finally:
        cp.cuda.runtime.free(address)
    assert host["id"].tolist() == [7] * 10 + [14] * 40
    assert host["x"][[0, 49]].tolist() == [[1, 2, 3], [2, 4, 6]]


@pytest.mark.parametrize("blocking", [True, False])
def test_copies_between_arrays_and_pinned_memory(blocking, rng):
    host = rng.standard_normal((64, 64))
    pinned = cp.empty_like_pinned(host)
    pinned[...] = host
    back = cp.empty_like_pinned(host)
    stream = cp.cuda.Stream(non_blocking=not blocking)
    x = cp.empty_like(host)
    cp.cuda.Device().synchronize()
    x.set(pinned, stream=stream)
    x.get(stream=stream, out=back, blocking=blocking)
    if not blocking:
        stream.synchronize()
    np.testing.assert_array_equal(back, host)
