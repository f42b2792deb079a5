"""What is told of compilations, memory and libraries: logging, and the line on the terminal."""

import io
import logging
import os
import pty
import re
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

import gpuarray as cp
from gpuarray import _config
from gpuarray._runtime.arena import _LARGE
from gpuarray.kernels.compiler import compilation, reporting
from tests.limits import HANG_SECONDS

SOURCE = 'extern "C" __global__ void reported(float* x) {{ x[0] = {}; }}'


def compile_one(number, name="reported"):
    return compilation.compile(SOURCE.format(number), name=name, architecture="sm_80", kind="ptx")


@pytest.fixture
def own_cache(monkeypatch, tmp_path):
    from gpuarray.kernels.compiler.cache import Cache

    cache = Cache(str(tmp_path), 1 << 20)
    monkeypatch.setattr(compilation, "default_cache", lambda: cache)
    compilation._memory.clear()


def messages(caplog):
    return [(x.levelname, x.name, x.getMessage().rpartition(" in ")[0]) for x in caplog.records]


def test_the_states_of_a_compilation(caplog, own_cache):
    seen = []
    reporting.watchers.append(lambda *told: seen.append(told))
    try:
        with caplog.at_level(logging.DEBUG, "gpuarray.compiler"):
            compile_one(1)
            compile_one(1)
            compilation._memory.clear()
            compile_one(1)
    finally:
        reporting.watchers.pop()
    assert messages(caplog) == [
        ("INFO", "gpuarray.compiler", "compiled reported for sm_80"),
        ("DEBUG", "gpuarray.compiler", "found reported for sm_80 in memory"),
        ("DEBUG", "gpuarray.compiler", "found reported for sm_80 in the cache on disk"),
    ]
    assert [x[:3] for x in seen] == [
        ("reported", "sm_80", state) for state in ("compiled", "memory", "disk")
    ]
    assert all(start <= end for *_, start, end in seen)


def test_what_is_not_kept_is_told_too(caplog, own_cache):
    source = '#define NAME "cuda_fp16.h"\n#include NAME\n' + SOURCE.format(2)
    with caplog.at_level(logging.INFO, "gpuarray"):
        for _ in range(2):
            compilation.compile(source, name="inexact", architecture="sm_80", kind="ptx")
    compiled = ("INFO", "gpuarray.compiler", "compiled inexact for sm_80")
    assert messages(caplog) == [compiled] * 2


def test_memory_from_the_driver_is_told(caplog):
    pool = cp.cuda.MemoryPool()
    with caplog.at_level(logging.DEBUG, "gpuarray.memory"):
        kept = pool.malloc(1 << 20), pool.malloc(512), pool.malloc(_LARGE)
        del kept
        kept = pool.malloc(1 << 20)
    del kept
    told = [(x.levelname, x.getMessage()) for x in caplog.records]
    assert ("DEBUG", f"device 0: {1 << 20} bytes from the driver") in told
    assert ("INFO", f"device 0: {_LARGE} bytes from the driver") in told
    assert len(told) == len([x for x in told if x[1].startswith("device 0: ")]) <= 3


def test_libraries_are_told():
    program = (
        "import logging, sys\n"
        "form = '%(name)s %(message)s'\n"
        "logging.basicConfig(level=logging.INFO, stream=sys.stdout, format=form)\n"
        "import gpuarray as cp\n"
        "from gpuarray._ffi import nvrtc\n"
        "cp.arange(3).get(); nvrtc.version()\n"
    )
    output = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    opened = [x for x in output.splitlines() if x.startswith("gpuarray.libraries opened ")]
    assert any("CUDA driver" in x for x in opened)
    assert any("NVRTC of CUDA" in x and "nvrtc" in x.rpartition("/")[2] for x in opened)


def test_nobody_imports_logging_for_the_program():
    program = (
        "import sys, numpy\n"
        "before = 'logging' in sys.modules\n"
        "import gpuarray as cp\n"
        "assert 'gpuarray._log' not in sys.modules\n"
        "(cp.arange(3) + 1).get()\n"
        "assert ('logging' in sys.modules) == before\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=HANG_SECONDS)


def test_the_package_configures_nothing(caplog, own_cache):
    compile_one(3)
    handlers = logging.getLogger("gpuarray").handlers
    assert [type(x) for x in handlers] == [logging.NullHandler]
    assert logging.getLogger("gpuarray").level == logging.NOTSET
    assert logging.getLogger("gpuarray.compiler").handlers == []


# --- the line on the terminal


class Terminal(io.StringIO):
    """A standard error that says it is a terminal, and that tells when something was written."""

    def __init__(self):
        super().__init__()
        self.written = threading.Event()

    def isatty(self):
        if self.closed:
            raise ValueError("I/O operation on closed file")
        return True

    def write(self, text):
        super().write(text)
        self.written.set()


@pytest.fixture
def terminal(monkeypatch):
    stream = Terminal()
    # pytest puts its own streams into sys between a fixture and the test.
    monkeypatch.setattr(reporting, "sys", SimpleNamespace(stderr=stream, __stderr__=stream))
    return stream


def own_threads():
    return [x for x in threading.enumerate() if x.name == "gpuarray progress"]


def test_nothing_is_said_of_a_short_wait(terminal):
    progress = reporting.Progress(patience=HANG_SECONDS)
    threads = set()
    for name in "ab":
        progress.begin(name)
        threads.update(own_threads())
        progress.end(name)
    for thread in threads:
        thread.join(HANG_SECONDS)
    assert len(threads) == 2
    assert own_threads() == []
    assert terminal.getvalue() == ""


def test_the_line_of_a_long_wait(terminal):
    progress = reporting.Progress(patience=0.001, interval=0.001)
    progress.begin("slow\x1b]0;evil\x07")
    assert terminal.written.wait(HANG_SECONDS)
    terminal.written.clear()
    assert terminal.written.wait(HANG_SECONDS)  # it goes on
    progress.end("slow\x1b]0;evil\x07")
    for thread in own_threads():
        thread.join(HANG_SECONDS)
    assert own_threads() == []
    written = terminal.getvalue()
    assert written.startswith("\r\x1b[Kgpuarray: compiling 'slow")
    assert re.search(r" \(\d+ s\)\r\x1b\[K$", written)
    assert "\x07" not in written


def test_a_burst_of_compilations_is_one_wait(terminal):
    progress = reporting.Progress(patience=0, interval=HANG_SECONDS)
    for number in range(3):
        progress.begin(f"kernel{number}")
        progress.end(f"kernel{number}")
    lines = terminal.getvalue().split("\r\x1b[K")
    assert [re.sub(r"\d+ s", "N s", x) for x in lines if x] == [
        "gpuarray: compiling kernel0 (N s)",
        "gpuarray: compiling kernel1 (2 kernels, N s)",
        "gpuarray: compiling kernel2 (3 kernels, N s)",
    ]
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_threads_share_the_line(terminal):
    progress = reporting.Progress(patience=0)
    progress.begin("one")
    progress.begin("two")
    progress.end("one")
    assert not terminal.getvalue().endswith("\r\x1b[K")
    progress.end("two")
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_a_failed_compilation_leaves_no_line(terminal, monkeypatch, own_cache):
    monkeypatch.setattr(reporting, "progress", reporting.Progress(patience=0))
    with pytest.raises(cp.errors.CompileError):
        compile_one("no number")
    assert "compiling reported" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_who_sees_no_line(terminal, monkeypatch):
    assert reporting._terminal() is terminal
    reporting.sys.__stderr__ = None  # a notebook has put its own stream in place
    assert reporting._terminal() is None
    reporting.sys.__stderr__ = terminal
    monkeypatch.setattr(reporting, "config", _config.Config(progress=False))
    assert reporting._terminal() is None
    monkeypatch.undo()
    assert reporting._terminal() is None  # pytest captures


def test_closed_and_missing_streams(terminal):
    progress = reporting.Progress(patience=0)
    progress.begin("x")
    terminal.close()
    progress.end("x")
    assert reporting._terminal() is None
    reporting.sys.stderr = reporting.sys.__stderr__ = None  # as under pythonw
    progress.begin("y")
    progress.end("y")


def test_a_real_terminal(tmp_path):
    program = (
        "from gpuarray.kernels.compiler import compilation, reporting\n"
        "reporting.progress = reporting.Progress(patience=0, interval=3600)\n"
        "source = '__global__ void f() {}'\n"
        "compilation.compile(source, name='f', architecture='sm_80', kind='ptx')\n"
    )
    ours, theirs = pty.openpty()
    environment = {**os.environ, "GPUARRAY_CACHE_DIR": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-c", program], stderr=theirs, env=environment, timeout=HANG_SECONDS
    )
    os.close(theirs)
    shown = os.read(ours, 10000).decode()
    os.close(ours)
    assert shown == "\r\x1b[Kgpuarray: compiling f (0 s)\r\x1b[K"


def test_the_variable():
    read = _config.Config.from_environment
    assert read({}).progress
    assert not read({"GPUARRAY_PROGRESS": "0"}).progress
    with pytest.raises(ValueError, match="GPUARRAY_PROGRESS='maybe' is not understood"):
        read({"GPUARRAY_PROGRESS": "maybe"})
