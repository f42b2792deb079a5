"""The arena: allocation, reuse, checks."""

from __future__ import annotations

import numpy as np
import pytest

pytestmark = pytest.mark.emulator


@pytest.fixture
def arena():
    from gpuarray._ffi.emulator.memory import Arena

    return Arena(1 << 24)


def test_allocations_are_aligned_and_apart(arena):
    addresses = [arena.allocate(n) for n in (1, 255, 256, 257, 1000)]
    assert all(a % 256 == 0 for a in addresses)
    for a, n, b in zip(addresses, (1, 255, 256, 257), addresses[1:]):
        assert b > a + n
    assert arena.used == 1 + 255 + 256 + 257 + 1000


def test_views_share_memory_and_are_checked(arena):
    from gpuarray._ffi.emulator.simt import DeviceFault

    a = arena.allocate(100)
    arena.view(a, 100)[:] = 7
    assert (arena.view(a + 50, 50) == 7).all()
    for address, nbytes in ((a, 101), (a - 1, 1), (a + 100, 1), (0, 4)):
        with pytest.raises(DeviceFault) as caught:
            arena.view(address, nbytes)
        assert caught.value.status == 700
    assert arena.view(a, 0).size == 0


def test_find(arena):
    a = arena.allocate(100)
    assert arena.find(a) == (a, 100)
    assert arena.find(a + 99) == (a, 100)
    assert arena.find(a + 100) is None
    assert arena.find(a - 1) is None


def test_free_space_is_reused_and_joined(arena):
    whole = (1 << 24) - (1 << 20)
    for _ in range(3):
        blocks = [arena.allocate(1 << 20) for _ in range(8)]
        for k in (1, 3, 2, 7, 5, 6, 0, 4):
            arena.free(blocks[k])
        arena.free(arena.allocate(whole))
    assert arena.used == 0


def test_running_out(arena):
    with pytest.raises(MemoryError):
        arena.allocate(1 << 25)
    a = arena.allocate(1 << 23)
    with pytest.raises(MemoryError):
        arena.allocate(1 << 23)
    arena.free(a)
    arena.free(arena.allocate(1 << 23))


def test_freeing_what_is_not_allocated(arena):
    a = arena.allocate(10)
    for address in (a + 1, 0, a + 256):
        with pytest.raises(KeyError):
            arena.free(address)
    arena.free(a)
    with pytest.raises(KeyError):
        arena.free(a)


def test_random_use_keeps_blocks_disjoint(arena):
    random = np.random.default_rng(0)
    live: dict[int, int] = {}
    for _ in range(2000):
        if live and random.random() < 0.5:
            address = list(live)[int(random.integers(len(live)))]
            n = live.pop(address)
            assert (arena.view(address, n) == n % 251).all()
            arena.free(address)
        else:
            n = int(random.integers(1, 5000))
            address = arena.allocate(n)
            arena.view(address, n)[:] = n % 251
            live[address] = n
    assert arena.used == sum(live.values())


def test_an_interrupt_leaves_the_tables_whole(arena):
    """Ctrl-C may come at any place; the memory of the call that it ends may be lost."""
    from tests.array.interrupting import interrupted

    def work():
        blocks = [arena.allocate(n) for n in (1000, 10, 5000, 300, 70)]
        for k in (1, 3, 2, 4, 0):
            arena.free(blocks[k])
        divided = arena.divide(100)
        arena.free(arena.allocate(20))
        arena.free_divided(divided)

    count = 0
    for where in interrupted(work, "_ffi/emulator/memory"):
        count += 1
        assert len(arena.starts) == len(arena.ends), where
        assert arena.starts == sorted(arena.starts), where
        assert all(a < b for a, b in zip(arena.starts, arena.ends)), where
        assert arena._free_offsets == sorted(arena._free_offsets), where
        assert set(arena._free_offsets) <= set(arena._free_sizes), where
        for start in tuple(arena.starts):
            arena.free(start)
        for start in tuple(arena.divided):
            arena.free_divided(start)
        work()
        assert not arena.starts, where
        assert not arena.divided, where
    assert count > 50


_RETURNS_WHAT_IT_LOADED = """
.version 8.5
.target sm_90
.address_size 64
.func (.param .b32 result) kept(.param .b32 given) {
 .local .b32 x; .reg .b32 %a, %b;
 ld.param.u32 %a, [given]; st.local.u32 [x], %a; ld.local.u32 %b, [x];
 st.param.b32 [result], %b; ret;
}
.visible .entry k(.param .u64 out) {
 .reg .b32 %t, %u, %r<4>; .reg .b64 %rd<4>;
 ld.param.u64 %rd0, [out]; mov.u32 %t, %tid.x; mad.wide.u32 %rd1, %t, 8, %rd0;
 xor.b32 %u, %t, 5;
 { .param .b32 p; .param .b32 q; st.param.b32 [p], %t; call.uni (q), kept, (p);
   ld.param.b32 %r1, [q]; }
 { .param .b32 p; .param .b32 q; st.param.b32 [p], %u; call.uni (q), kept, (p);
   ld.param.b32 %r2, [q]; }
 st.global.v2.u32 [%rd1], {%r1, %r2}; ret;
}
"""


def test_a_function_returns_what_it_loaded(device):
    out = np.zeros((64, 2), "i4")
    device.load(_RETURNS_WHAT_IT_LOADED).run("k", 1, 64, out)
    t = np.arange(64)
    np.testing.assert_array_equal(out, np.stack([t, t ^ 5], 1))
