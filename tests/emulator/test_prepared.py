"""Generated code that is kept: the same results, in another program at other addresses."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

SOURCE = """
__device__ int table[4] = {5, 6, 7, 8}; __device__ int counter;
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
typedef int (*Function)(int);
__device__ Function functions[2] = {twice, thrice};
extern "C" __global__ void k(const int* a, int* o, int which) {
  __shared__ int s[64]; extern __shared__ int more[]; int local[8];
  for (int i = 0; i < 8; ++i) local[(i * 3) & 7] = i + table[i & 3];
  s[threadIdx.x] = functions[which](a[threadIdx.x]); more[threadIdx.x] = threadIdx.x;
  __syncthreads(); atomicAdd(&counter, 1);
  o[threadIdx.x] = s[63 - threadIdx.x] + more[threadIdx.x ^ 1] + local[threadIdx.x & 7]; }
"""


@pytest.fixture
def kept(monkeypatch):
    from gpuarray._ffi import prepared

    entries: dict[bytes, bytes] = {}
    monkeypatch.setattr(prepared.store, "load", entries.get)
    monkeypatch.setattr(prepared.store, "save", lambda key, data, name: entries.update({key: data}))
    return entries


def results(module) -> list[np.ndarray]:
    out = []
    for which in (0, 1):
        o = np.zeros(64, "i4")
        module.run("k", 1, 64, np.arange(64, dtype="i4"), o, which, shared=256)
        out.append(o)
    return out


def test_what_was_kept_runs_in_another_program(nvrtc, device, kept):
    ptx = nvrtc.compile(SOURCE)
    expected = results(device.load(ptx))
    assert len(kept) >= 3  # the kernel and two functions
    blocker = device.arena.allocate(100_000)  # other addresses than before
    try:
        module = device.load(ptx)
        again = results(module)
        np.testing.assert_array_equal(again, expected)
        kernel = module.program.kernel("k")
        assert not kernel.function.body  # nothing was parsed
        assert kernel.static_shared_bytes == 256
        assert kernel.local_bytes >= 32
    finally:
        device.arena.free(blocker)


def test_the_checked_variant_is_kept_too(nvrtc, device, kept):
    from gpuarray._ffi.emulator.simt.checker import Checker

    ptx = nvrtc.compile(SOURCE)
    expected = results(device.load(ptx))
    plain = len(kept)
    for _ in range(2):  # emitted beside the kept plain variant, then kept itself
        device.arena.checker = Checker(device.arena, frozenset(("races", "uninit")))
        try:
            np.testing.assert_array_equal(results(device.load(ptx)), expected)
            assert not device.arena.checker.findings
        finally:
            device.arena.checker = None
        assert len(kept) == 2 * plain


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_damage_is_a_miss(nvrtc, device, kept, damage):
    ptx = nvrtc.compile(SOURCE)
    expected = results(device.load(ptx))
    for key, data in list(kept.items()):
        kept[key] = data[: len(data) // 2] if damage is None else damage
    np.testing.assert_array_equal(results(device.load(ptx)), expected)


def test_the_key_knows_the_text_and_the_emulator(monkeypatch):
    from gpuarray._ffi.emulator.simt import code_cache

    key_of = code_cache.key_of
    key = key_of(b"text", "k", False)
    others = {key_of(b"other", "k", False), key_of(b"text", "l", False), key_of(b"text", "k", True)}
    assert len({key, *others}) == 4
    monkeypatch.setattr(code_cache, "_emulator", lambda: b"another version")
    assert key_of(b"text", "k", False) != key


def test_installations_of_the_same_files_share_what_is_kept(monkeypatch, tmp_path):
    from gpuarray._ffi.emulator.simt import code_cache

    def identity():
        return code_cache._emulator.__wrapped__()

    here = identity()
    emulator = tmp_path / "emulator"
    unused = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(code_cache.__file__).parents[1], emulator, ignore=unused)
    monkeypatch.setattr(code_cache, "__file__", str(emulator / "simt" / "code_cache.py"))
    emitter = emulator / "simt" / "emitter.py"
    os.utime(emitter, (0, 0))
    assert identity() == here
    text = emitter.read_text()
    emitter.write_text(text.replace("def", "fed", 1))  # of the same size
    os.utime(emitter, (0, 0))
    assert identity() != here
