"""The cache of cuFFT's plans: limits, statistics, and plans that were given up."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.fft import config


@pytest.fixture
def cache():
    found = config.get_plan_cache()
    size, memsize = found.get_size(), found.get_memsize()
    found.clear()
    yield found
    found.set_size(size)
    found.set_memsize(memsize)
    found.clear()


def transform(n, dtype="c16"):
    x = np.arange(n).astype(dtype)
    np.testing.assert_allclose(cp.fft.fft(cp.asarray(x)).get(), np.fft.fft(x), atol=1e-9 * n**2)


def test_statistics(cache, capsys):
    assert (cache.get_curr_size(), cache.get_size(), cache.get_memsize()) == (0, 16, -1)
    for _ in range(3):
        transform(8)
    transform(9)
    assert cache.get_curr_size() == 2
    assert cache._cache.misses == 2
    assert cache._cache.hits == 2
    config.show_plan_cache_info()
    text = capsys.readouterr().out
    assert "current / max size   : 2 / 16 (counts)" in text
    assert "hits / misses: 2 / 2" in text
    assert "complex128 to complex128 (8,), batch 1, used 3 times" in text
    config.clear_plan_cache()
    assert (cache.get_curr_size(), cache._cache.hits, cache._cache.misses) == (0, 0, 0)
    transform(8)
    assert cache.get_curr_size() == 1


def test_a_plan_is_one_of_both_directions_and_all_streams(cache):
    x = cp.ones(8, "c16")
    cp.fft.fft(x)
    cp.fft.ifft(x)
    with cp.cuda.Stream(non_blocking=True):
        cp.fft.fft(x)
    assert cache.get_curr_size() == 1


def test_the_one_not_used_for_longest_is_given_up(cache):
    config.set_plan_cache_size(2)
    assert config.get_plan_cache_size() == 2
    transform(8)
    transform(9)
    transform(8)
    transform(10)
    kept = {entry.n for entry in cache._cache.entries}
    assert kept == {(8,), (10,)}
    transform(9)  # its call was planned; it makes another plan
    assert {entry.n for entry in cache._cache.entries} == {(9,), (10,)}
    assert cache._cache.misses == 4
    cache.set_size(1)
    assert cache.get_curr_size() == 1


def test_no_plan_is_kept(cache):
    cache.set_size(0)
    transform(8)
    transform(8)
    assert cache.get_curr_size() == 0
    cache.set_size(-1)
    assert cache.get_size() == -1
    for n in range(2, 30):
        transform(n)
    assert cache.get_curr_size() == 28


def test_limit_of_work_areas(cache):
    transform(4001)  # both are primes, whose work areas are of one size
    transform(4003)
    one = cache.get_curr_memsize() // 2
    if not one:
        pytest.skip("the library wants no work area")
    config.set_plan_cache_max_memsize(int(1.5 * one))
    assert config.get_plan_cache_max_memsize() == int(1.5 * one)
    assert {entry.n for entry in cache._cache.entries} == {(4003,)}
    transform(4001)
    assert {entry.n for entry in cache._cache.entries} == {(4001,)}


def test_arguments(cache):
    for wrong in ("a", 1.5):
        with pytest.raises(TypeError, match="is an integer"):
            cache.set_size(wrong)
    with pytest.raises(ValueError, match="size must be -1, 0 or more"):
        cache.set_size(-2)
    with pytest.raises(ValueError, match="memsize must be"):
        cache.set_memsize(-2)
    assert cache.get("key", 3) == 3
    assert config.use_multi_gpus is False
    assert config.enable_nd_planning is True
    with pytest.raises(NotImplementedError, match="one GPU"):
        config.set_cufft_gpus(2)
    with pytest.raises(NotImplementedError, match="callbacks"):
        config.set_cufft_callbacks("code")
    assert config.get_current_callback_manager() is None


def test_a_plan_that_fails_leaves_the_cache_as_it_was(cache, monkeypatch):
    from gpuarray._ffi import cufft
    from gpuarray.errors import CuFFTError

    calls = []

    def failing(*arguments):
        calls.append(arguments)
        raise CuFFTError("cufftXtMakePlanMany", 2, "CUFFT_ALLOC_FAILED")

    monkeypatch.setattr(cufft.library, "cufftXtMakePlanMany", failing, raising=False)
    with pytest.raises(CuFFTError, match="CUFFT_ALLOC_FAILED"):
        transform(77)
    assert len(calls) == 2  # once more behind the release of idle memory
    assert cache.get_curr_size() == 0
    monkeypatch.undo()
    transform(77)


def _run(source):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", source],
        capture_output=True, text=True, check=False, env=environment,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_end_of_the_process_says_nothing():
    _run("""
import gpuarray as cp
x = cp.fft.fft(cp.ones(8))
cp.fft.config.set_plan_cache_size(1)
y = cp.fft.ifft(cp.ones(9))
assert cp.fft.config.get_plan_cache().get_curr_size() == 1
""")


def test_plans_are_lost_with_their_device():
    _run("""
import gpuarray as cp
cache = cp.fft.config.get_plan_cache()
for _ in range(2):
    assert abs(cp.fft.ifft(cp.fft.fft(cp.arange(17) + 0j))[3] - 3) < 1e-9
    assert cache.get_curr_size() == 1
    cp.cuda.Device().reset()
    assert cache.get_curr_size() == 0
""")
