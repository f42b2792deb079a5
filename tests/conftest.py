"""Options, the backend and the kernel cache of a test session.

Everything here is set up through the environment before ``gpuarray`` is imported, because the
package reads its configuration once, at import.
"""

from __future__ import annotations

import ctypes
import gc
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

try:
    import hypothesis
except ImportError:  # a machine that only runs the plain tests need not have it
    hypothesis = None


def pytest_addoption(parser):
    group = parser.getgroup("gpuarray")
    group.addoption(
        "--backend",
        choices=("emulator", "cuda"),
        default=None,
        help="where kernels run (default: $GPUARRAY_BACKEND, else cuda if a driver answers)",
    )
    group.addoption(
        "--kernel-cache",
        metavar="PATH",
        default=None,
        help="keep compiled kernels here between sessions (default: a fresh directory, removed)",
    )


def _cuda_answers() -> bool:
    """Whether a CUDA driver is installed and has a device (without importing gpuarray)."""
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        driver = ctypes.CDLL(name)
    except OSError:
        return False
    count = ctypes.c_int()
    return (
        driver.cuInit(0) == 0
        and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
        and count.value > 0
    )


def _backend(config) -> str:
    chosen = config.getoption("--backend") or os.environ.get("GPUARRAY_BACKEND", "auto")
    if chosen == "auto":
        chosen = "cuda" if _cuda_answers() else "emulator"
    return chosen


_session_cache = None  # the directory to remove at the end; only in the controlling process
_is_worker = False  # of pytest-xdist
_raised = False  # whether the test that runs here, or one of its fixtures, raised an exception


def pytest_configure(config):
    global _session_cache, _is_worker
    _is_worker = hasattr(config, "workerinput")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # of a job in a shell's background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if "gpuarray" in sys.modules:
        raise pytest.UsageError("gpuarray was imported before its tests were configured")
    os.environ["GPUARRAY_BACKEND"] = _backend(config)
    source = str(config.rootpath / "src")
    if source in sys.path:  # the checkout is tested: processes that tests start must see it too
        paths = [source, *filter(None, [os.environ.get("PYTHONPATH")])]
        os.environ["PYTHONPATH"] = os.pathsep.join(paths)
    # Workers of pytest-xdist inherit the directory, so that each kernel is compiled once.
    if not _is_worker:
        kept = config.getoption("--kernel-cache")
        if kept is None:
            _session_cache = kept = tempfile.mkdtemp(prefix="gpuarray-tests-")
        os.environ["GPUARRAY_CACHE_DIR"] = os.path.abspath(kept)
    if hypothesis is not None:
        # No deadline: the first example compiles kernels. Derandomised on CI: a failure there
        # must come back on every run.
        hypothesis.settings.register_profile("local", deadline=None, max_examples=50)
        hypothesis.settings.register_profile(
            "ci", deadline=None, max_examples=50, derandomize=True, database=None
        )
        hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_unconfigure(config):
    global _session_cache
    if _session_cache is not None:
        shutil.rmtree(_session_cache, ignore_errors=True)
        _session_cache = None


def pytest_report_header(config):
    return f"gpuarray: backend {os.environ['GPUARRAY_BACKEND']}"


def pytest_collection_modifyitems(items):
    backend = os.environ["GPUARRAY_BACKEND"]
    for item in items:
        for other in ("cuda", "emulator"):
            if other != backend and item.get_closest_marker(other):
                item.add_marker(pytest.mark.skip(reason=f"needs the {other} backend"))


def pytest_collection_finish():
    # Thousands of collected tests stay to the end. Each collection of garbage would look through
    # them, and tests of what is freed collect often.
    gc.collect()
    gc.freeze()


def pytest_runtest_teardown(item, nextitem):
    # Plans, kernels and the emulator's programs stay as well: they are left out from the next
    # file on.
    if nextitem is not None and nextitem.path != item.path:
        gc.collect()
        gc.freeze()


def pytest_runtest_makereport(call):
    global _raised
    _raised = _raised or not (
        call.excinfo is None or call.excinfo.errisinstance(pytest.skip.Exception)
    )


def pytest_runtest_logfinish(nodeid):
    """End a process whose device a kernel's fault has taken: each later test would fail there.

    In place of a worker of pytest-xdist another one runs the rest. The test is reported as failed
    before that, and once more as the one at which a worker was lost.
    """
    global _raised
    if not _raised:
        return
    _raised = False
    driver = sys.modules.get("gpuarray._ffi.driver_library")
    fault = driver.fault_of_device("the next call") if driver is not None else None
    if fault is None:
        return
    if _is_worker:
        os._exit(1)
    pytest.exit(f"no test can use the device after {nodeid}: {fault}", returncode=1)


@pytest.fixture(scope="session")
def backend() -> str:
    """``"cuda"`` or ``"emulator"``: only for a test that is about the difference."""
    return os.environ["GPUARRAY_BACKEND"]


@pytest.fixture
def two_devices(backend) -> dict[str, str]:
    """The environment of a program of its own that needs two devices."""
    if backend == "cuda":
        from gpuarray.cuda import runtime

        if runtime.getDeviceCount() < 2:
            pytest.skip("needs two devices")
    return {"GPUARRAY_EMULATED_DEVICES": "2"}


@pytest.fixture(scope="session")
def xp():
    """The array library under test."""
    import gpuarray

    return gpuarray


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(12345)


@pytest.fixture
def core_headers():
    """CUDA's core libraries, which come with the package, but not with every toolkit in wheels."""
    from gpuarray._ffi import locate  # which the tests' settings have to come before

    folders = locate.include_directories()
    if not any(Path(folder, "cuda/std/cstdint").is_file() for folder in folders):
        pytest.skip("the headers of CUDA's core libraries (CCCL) are not installed")
