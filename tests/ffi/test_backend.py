"""Which driver a process binds, and what it says about it. Each case is a process of its own."""

import os
import subprocess
import sys

import pytest

from tests.limits import HANG_SECONDS

# Libraries made in a moment, to stand for drivers that are there but do not work.
_FAKES = {
    "no device": (
        "int cuInit(unsigned flags) {return 0;}"
        "int cuDeviceGetCount(int *count) {*count = 0; return 0;}"
    ),
    "broken": "int cuInit(unsigned f) {return 803;}",
    "forked": "int cuInit(unsigned f) {return 3;}",
}


def run(code, *, warnings="default", **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("GPUARRAY_")}
    env.update(PYTHONPATH="src", PYTHONWARNINGS=warnings, **environment)
    result = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=HANG_SECONDS
    )
    return result


# Puts a library file in the place of libcuda.so.1, or none at all.
_REPLACE = """
import ctypes
_CDLL = ctypes.CDLL
def CDLL(name, *rest, **more):
    if name == "libcuda.so.1":
        name = {path!r}
    return _CDLL(name, *rest, **more)
ctypes.CDLL = CDLL
"""
_ABSENT = _REPLACE.format(path="/nowhere/libcuda.so.1")
_USE = """
from gpuarray._ffi import driver
print(driver.backend, driver.image_kind, driver.device_count())
print(driver.describe())
"""


def test_importing_opens_nothing():
    code = """
import sys
import gpuarray._ffi.driver, gpuarray._ffi.nvrtc
assert "cuda.pathfinder" not in sys.modules
assert not any("emulator" in name for name in sys.modules)
with open("/proc/self/maps") as file:
    maps = file.read()
assert "libcuda" not in maps and "libnvrtc" not in maps
"""
    result = run(code)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""


def test_auto_falls_back_with_one_warning():
    result = run(_ABSENT + _USE + _USE)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("emulator ptx 1\nemulator of the CUDA driver, 1 device (")
    assert result.stderr.count("BackendWarning") == 1
    assert "/nowhere/libcuda.so.1" in result.stderr
    assert "GPUARRAY_BACKEND=emulator" in result.stderr
    # The warning is about the caller's line.
    assert result.stderr.startswith("<string>:")


def test_the_warning_is_visible_by_default():
    result = run(_ABSENT + _USE, warnings="")
    assert result.stderr.count("BackendWarning") == 1


def test_where_warnings_are_errors_the_second_use_works():
    code = """
try:
    driver.device_count()
except Warning as warning:
    print(type(warning).__name__)
print(driver.device_count())
"""
    result = run(_ABSENT + "from gpuarray._ffi import driver" + code, warnings="error")
    assert result.stdout.split() == ["BackendWarning", "1"], result.stderr


def test_the_emulator_asked_for_is_silent():
    result = run(_USE, GPUARRAY_BACKEND="emulator", GPUARRAY_EMULATED_DEVICES="3")
    assert result.stdout == "emulator ptx 3\nemulator of the CUDA driver, 3 devices\n"
    assert result.stderr == ""


def test_cuda_without_a_driver_is_an_error():
    result = run(_ABSENT + _USE, GPUARRAY_BACKEND="cuda")
    assert result.returncode == 1
    last = result.stderr.strip().splitlines()[-1]
    assert last.startswith("gpuarray.errors.LibraryNotFoundError")
    assert "/nowhere/libcuda.so.1" in last
    assert "GPUARRAY_BACKEND=emulator" in last


@pytest.fixture(scope="module")
def fake_driver(tmp_path_factory):
    def build(kind):
        folder = tmp_path_factory.mktemp("driver")
        source, library = folder / "fake.c", folder / "libfake.so"
        source.write_text(_FAKES[kind])
        try:
            subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("there is no C compiler")
        return _REPLACE.format(path=str(library))

    return build


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind, names",
    [
        ("no device", ["cuDeviceGetCount", "CUDA_ERROR_NO_DEVICE (100)"]),
        ("broken", ["cuInit", "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803)"]),
    ],
)
def test_a_driver_without_a_device(fake_driver, kind, names):
    replace = fake_driver(kind)
    fallback = run(replace + _USE)
    assert fallback.stdout.startswith("emulator ptx 1\n"), fallback.stderr
    refused = run(replace + _USE, GPUARRAY_BACKEND="cuda")
    assert refused.returncode == 1
    for name in names:
        assert name in fallback.stderr
        assert name in refused.stderr
    assert "DriverError" in refused.stderr


def test_a_wrong_backend():
    result = run(_USE, GPUARRAY_BACKEND="opencl")
    assert result.returncode == 1
    assert "GPUARRAY_BACKEND='opencl' is not understood" in result.stderr


_ASK = "import gpuarray as cp; print(cp.cuda.is_available()); print(cp.arange(3).sum())"


@pytest.mark.parametrize("chosen", ["auto", "emulator"])
def test_available_means_a_gpu(chosen):
    result = run(_ABSENT + _ASK, GPUARRAY_BACKEND=chosen)
    assert result.stdout.split() == ["False", "3"], result.stderr
    # The question opens nothing; only the first use of a device warns.
    assert result.stderr.count("BackendWarning") == (chosen == "auto")


def test_available_does_not_raise_where_a_gpu_is_demanded():
    ask = "import gpuarray; print(gpuarray.cuda.is_available())"
    result = run(_ABSENT + ask, GPUARRAY_BACKEND="cuda", warnings="error")
    assert (result.stdout.strip(), result.stderr) == ("False", "")


def test_available_in_this_process(backend):
    import gpuarray as cp

    assert cp.cuda.is_available() is (backend == "cuda")


def test_a_process_forked_from_one_where_another_package_used_cuda(fake_driver):
    result = run(fake_driver("forked") + _USE)
    assert result.returncode == 1
    assert "ForkError: this process cannot use a device: it was forked" in result.stderr
