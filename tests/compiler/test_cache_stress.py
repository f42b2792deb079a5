"""Many processes on one cache: each kernel is compiled once, whoever dies or stops meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpuarray.kernels.compiler import cache as cache_module
from gpuarray.kernels.compiler import lock as cache_lock
from gpuarray.kernels.compiler.cache import Cache, Image, decode_entry, digest
from tests.limits import HANG_SECONDS
from tests.slow import slow_except

SOURCE = str(Path(cache_module.__file__).parents[3])
KEY = digest("a key")
PROCESSES = pytest.mark.parametrize("count", slow_except([3], [3, 8]))

#: Compiles `COUNT` kernels, each starting elsewhere, with a compiler that leaves a file at each
#: compilation: what is compiled twice has two. A compilation takes `DELAY`, or waits for a line.
BUILDER = """
import os, sys, time
from gpuarray._ffi import nvrtc
from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.compiler import lock as cache_lock

cache_lock.PATIENCE = 1500  # however slow the machine is
log, start, count, delay = sys.argv[1], *map(int, sys.argv[2:4]), float(sys.argv[4])

def compile_(source, name, headers, options, names=(), kind="ptx"):
    open(f"{log}/{name}.{os.getpid()}", "x").close()
    time.sleep(delay) if delay >= 0 else sys.stdin.readline()
    return source.encode() * 200, "", {e: f"_Z{e}" for e in names}

nvrtc.compile = compile_
print("ready", flush=True)
sys.stdin.readline()
for at in range(start, start + count):
    at %= count
    image = compiler.compile(
        f"source {at}", name=f"k{at}", architecture="sm_90", name_expressions=(f"f{at}",)
    )
    assert image.data == b"source %d" % at * 200 and image.lowered_names == {f"f{at}": f"_Zf{at}"}
print("done", flush=True)
"""

REAL = """
import os, sys
from gpuarray._ffi import nvrtc
from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.compiler import lock as cache_lock
cache_lock.PATIENCE = 1500
real = nvrtc.compile

def compile_(source, name, *others):
    open(f"{sys.argv[1]}/{name}.{os.getpid()}", "x").close()
    return real(source, name, *others)

nvrtc.compile = compile_
print("ready", flush=True)
sys.stdin.readline()
for at in range(3):
    source = 'extern "C" __global__ void f(float* x) { x[threadIdx.x] = %d; }' % at
    image = compiler.compile(source, name=f"f{at}", architecture="sm_90", kind="cubin")
    assert image.data[:4] == b"\\x7fELF"
print("done", flush=True)
"""


def start(code: str, directory: Path, *arguments: object, **settings: str) -> subprocess.Popen:
    environment = {
        **os.environ,
        "GPUARRAY_CACHE_DIR": str(directory),
        "PYTHONPATH": SOURCE,
        **settings,
    }
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def together(processes: list[subprocess.Popen]) -> None:
    """Let all go on at once."""
    for process in processes:
        assert process.stdout.readline() == "ready\n", process.communicate()
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()


def finish(process: subprocess.Popen) -> None:
    out, err = process.communicate(timeout=HANG_SECONDS)
    assert (out, err, process.returncode) == ("done\n", "", 0)


def compilations(log: Path) -> dict[str, int]:
    counts: dict[str, int] = {}
    for path in log.iterdir():
        counts[path.stem] = counts.get(path.stem, 0) + 1
    return counts


def assert_sound(directory: Path) -> None:
    for path in directory.glob("*.image"):
        assert decode_entry(bytes.fromhex(path.stem), path.read_bytes()) is not None


@pytest.fixture
def log(tmp_path):
    folder = tmp_path / "log"
    folder.mkdir()
    return folder


@pytest.mark.slow
@PROCESSES
def test_processes_compile_each_kernel_once(count, tmp_path, log):
    directory = tmp_path / "cache"
    processes = [start(BUILDER, directory, log, 5 * at, 40, 0.01) for at in range(count)]
    together(processes)
    for process in processes:
        finish(process)
    assert compilations(log) == {f"k{at}": 1 for at in range(40)}
    assert_sound(directory)
    assert len(list(directory.glob("*.image"))) == 40
    assert not list(directory.glob("*.part"))


@pytest.mark.slow
@PROCESSES
def test_processes_and_the_real_compiler(count, tmp_path, log):
    directory = tmp_path / "cache"
    processes = [start(REAL, directory, log) for _ in range(count)]
    together(processes)
    for process in processes:
        finish(process)
    assert compilations(log) == {"f0": 1, "f1": 1, "f2": 1}
    assert len(Cache(str(directory), 1 << 30).entries()) == 3
    assert_sound(directory)


@pytest.mark.slow
@PROCESSES
def test_the_cap_holds(count, tmp_path, log):
    directory = tmp_path / "cache"
    capacity = 50_000  # of 60 entries of 2 KB and more, most cannot stay
    settings = {"GPUARRAY_CACHE_SIZE": str(capacity)}
    processes = [
        start(BUILDER, directory, log, 7 * at, 60, 0.001, **settings) for at in range(count)
    ]
    together(processes)
    most = 0
    while any(process.poll() is None for process in processes):
        sizes = []
        for path in directory.glob("*.image"):
            try:
                sizes.append(path.stat().st_size)
            except FileNotFoundError:
                continue
        most = max(most, sum(sizes))
        time.sleep(0.01)
    for process in processes:
        finish(process)
    assert_sound(directory)
    used = sum(path.stat().st_size for path in directory.glob("*.image"))
    assert capacity // 2 < used <= capacity
    # Each of the others may be writing an entry that is not counted yet.
    assert most <= capacity + count * 2500


@pytest.mark.slow
def test_killed_builders_leave_their_work_to_the_next(tmp_path, log):
    directory = tmp_path / "cache"
    processes = {}
    for _ in range(4):
        process = start(BUILDER, directory, log, 0, 10, -1)
        processes[process.pid] = process
    together(list(processes.values()))
    seen = set()

    def compiling():
        """The process that compiles next, as soon as it does."""
        while not (new := set(log.iterdir()) - seen):
            time.sleep(0.005)
        (path,) = new
        seen.add(path)
        return processes[int(path.suffix[1:])]

    for _ in range(3):
        killed = compiling()
        killed.kill()
        killed.communicate()
        del processes[killed.pid]
        successor = compiling()  # of the same kernel
        successor.stdin.write("\n")
        successor.stdin.flush()
    (survivor,) = processes.values()
    finish(survivor)  # which closes its standard input: it waits no longer
    assert_sound(directory)
    assert len(list(directory.glob("*.image"))) == 10
    # What the dead had not finished was compiled again, and nothing else.
    assert compilations(log) == {f"k{at}": 2 if at < 3 else 1 for at in range(10)}


@pytest.mark.slow
def test_a_suspended_builder_is_not_waited_for_for_ever(tmp_path, log, monkeypatch):
    directory = tmp_path / "cache"
    patient = BUILDER.replace("PATIENCE = 1500", "PATIENCE = 0.5")
    first = start(patient, directory, log, 0, 1, -1)
    together([first])
    while not list(log.iterdir()):
        time.sleep(0.005)
    first.send_signal(signal.SIGSTOP)
    try:
        second = start(patient, directory, log, 0, 1, 0.0)
        together([second])
        finish(second)
    finally:
        first.send_signal(signal.SIGCONT)
    finish(first)
    assert compilations(log) == {"k0": 2}
    assert_sound(directory)


# -- locks ---------------------------------------------------------------------------------------

HOLDER = """
import sys
from gpuarray.kernels.compiler.lock import KeyLocks
locks = KeyLocks(sys.argv[1])
print(locks.take(bytes.fromhex(sys.argv[2])), flush=True)
sys.stdin.readline()
"""


@pytest.mark.slow
def test_locks_between_processes(tmp_path):
    path = str(tmp_path / "locks")
    holder = start(HOLDER, tmp_path, path, KEY.hex())
    assert holder.stdout.readline() == "True\n"
    locks = cache_lock.KeyLocks(path)
    assert locks.take(KEY) is False
    assert locks.take(digest("another")) is True
    locks.release(digest("another"))
    holder.kill()
    holder.communicate()
    assert locks.take(KEY) is True
    late = start(HOLDER, tmp_path, path, KEY.hex())
    assert late.stdout.readline() == "False\n"
    late.communicate("\n")
    locks.release(KEY)
    after = start(HOLDER, tmp_path, path, KEY.hex())
    assert after.stdout.readline() == "True\n"
    after.communicate("\n")
    assert os.path.getsize(path) == 0


def test_the_file_of_the_locks_may_go(tmp_path):
    path = tmp_path / "locks"
    locks = cache_lock.KeyLocks(str(path))
    assert locks.take(KEY) is True
    path.unlink()
    assert locks.take(digest("another")) is True  # in a new file, where others look
    assert path.exists()


def test_where_locks_do_not_work(tmp_path, monkeypatch):
    cache = Cache(str(tmp_path / "cache"), 1 << 20)
    (tmp_path / "file").write_text("")
    nowhere = Cache(str(tmp_path / "file" / "cache"), 1 << 20)
    for error in (OSError(37, "No locks available"), OSError(38, "not implemented")):

        def refuse(*arguments, error=error):
            raise error

        monkeypatch.setattr(cache_lock.fcntl, "lockf", refuse)
        with cache.claim(KEY) as image:
            assert image is None
    monkeypatch.setattr(cache_lock, "fcntl", None)
    for one in (cache, nowhere, Cache(None, 0)):
        with one.claim(KEY) as image:
            assert image is None


def test_claim_looks_again(tmp_path):
    """What another process stored between the look and the lock is not made again."""
    cache = Cache(str(tmp_path / "cache"), 1 << 20)
    cache.put(KEY, Image(b"x"))
    with cache.claim(KEY) as image:
        assert image == Image(b"x")
    # The lock was given back.
    holder = start(HOLDER, tmp_path, f"{cache.directory}/locks", KEY.hex())
    assert holder.stdout.readline() == "True\n"
    holder.communicate("\n")


def test_a_failed_builder_gives_the_lock_back(tmp_path):
    cache = Cache(str(tmp_path / "cache"), 1 << 20)
    with pytest.raises(KeyboardInterrupt), cache.claim(KEY):
        raise KeyboardInterrupt
    holder = start(HOLDER, tmp_path, f"{cache.directory}/locks", KEY.hex())
    assert holder.stdout.readline() == "True\n"
    holder.communicate("\n")
