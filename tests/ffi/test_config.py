"""Settings from the environment."""

import os

import pytest

from gpuarray import _config
from gpuarray._config import Config


def test_defaults():
    assert Config.from_environment({}) == Config()


def test_every_variable():
    settings = Config.from_environment(
        {
            "GPUARRAY_BACKEND": "Emulator",
            "GPUARRAY_EMULATED_DEVICES": "3",
            "GPUARRAY_STICKY_FAULTS": "1",
            "GPUARRAY_CUDA_MAJOR": "13",
            "GPUARRAY_CACHE_DIR": "/some/where",
            "GPUARRAY_CACHE_DIRS": "/one::/two:/one",
            "GPUARRAY_RECORD": "/a/file",
            "GPUARRAY_CACHE_IN_MEMORY": "yes",
            "GPUARRAY_CACHE_SIZE": "512M",
            "GPUARRAY_DEBUG": "1",
            "GPUARRAY_DUMP_SOURCE": "~/kernels",
        }
    )
    assert settings == Config(
        backend="emulator",
        emulated_devices=3,
        sticky_faults=True,
        cuda_major=13,
        cache_dir="/some/where",
        cache_dirs=("/one", "/two"),
        record="/a/file",
        cache_in_memory=True,
        cache_bytes=512 << 20,
        debug=True,
        dump_source=os.path.expanduser("~/kernels"),
    )


@pytest.mark.parametrize(
    "text, nbytes",
    [("0", 0), ("1000", 1000), ("2k", 2048), ("3 MiB", 3 << 20), ("1GB", 1 << 30), ("1T", 1 << 40)],
)
def test_sizes(text, nbytes):
    assert Config.from_environment({"GPUARRAY_CACHE_SIZE": text}).cache_bytes == nbytes


@pytest.mark.parametrize(
    "text, limit",
    [("0", 0), ("1000000", 1000000), ("2G", 2 << 30), ("50%", 0.5), ("12.5 %", 0.125), ("", 0)],
)
def test_memory_limits(text, limit):
    for variable in ("GPUARRAY_MEMORY_LIMIT", "CUPY_GPU_MEMORY_LIMIT"):
        found = Config.from_environment({variable: text}).memory_limit
        assert (found, type(found)) == (limit, type(limit))
    both = {"GPUARRAY_MEMORY_LIMIT": text, "CUPY_GPU_MEMORY_LIMIT": "77"}
    assert Config.from_environment(both).memory_limit == (limit if text else 77)


@pytest.mark.parametrize(
    "variable, value, accepted",
    [
        ("GPUARRAY_BACKEND", "gpu", "auto, cuda, emulator"),
        ("GPUARRAY_EMULATED_DEVICES", "0", "from 1 to 64"),
        ("GPUARRAY_EMULATED_DEVICES", "two", "from 1 to 64"),
        ("GPUARRAY_CUDA_MAJOR", "12.9", "from 11 to 99"),
        ("GPUARRAY_CACHE_IN_MEMORY", "maybe", "1 or 0"),
        ("GPUARRAY_CACHE_SIZE", "-1", "bytes"),
        ("GPUARRAY_CACHE_SIZE", "1.5G", "bytes"),
        ("GPUARRAY_DEBUG", "2", "1 or 0"),
        ("GPUARRAY_MEMORY_LIMIT", "101%", "or 50%"),
        ("GPUARRAY_MEMORY_LIMIT", "0.5", "or 50%"),
        ("CUPY_GPU_MEMORY_LIMIT", "half", "or 50%"),
    ],
)
def test_a_value_that_means_nothing_is_refused(variable, value, accepted):
    with pytest.raises(ValueError) as raised:
        Config.from_environment({variable: value})
    for part in (variable, repr(value), accepted):
        assert part in str(raised.value)


def test_home_cache_directory(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/x/cache")
    assert _config.home_cache_directory() == "/x/cache/gpuarray"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # to be ignored, says the specification
    monkeypatch.setenv("HOME", "/home/someone")
    assert _config.home_cache_directory() == "/home/someone/.cache/gpuarray"


def test_no_home_at_all(monkeypatch):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert _config.home_cache_directory() is None
