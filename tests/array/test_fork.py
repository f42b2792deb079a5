"""fork: a child cannot use a device that its parent had used, says so at once, and never waits."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

REFUSED = "('ForkError', 'this process cannot use a device:')"

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

PROGRAM = """
import faulthandler, gc, multiprocessing, os, signal, sys, threading, time, warnings
import numpy as np
import gpuarray as cp
from gpuarray import _fork
from gpuarray.errors import ForkError

warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks beside threads

def child(work, leave=lambda: os._exit(0)):
    "What work returns in a child, which then leaves and has to end by itself."
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        faulthandler.register(signal.SIGALRM, chain=True)
        signal.alarm(1500)  # which ends a child that hangs
        os.write(write, repr(work()).encode())
        leave()
    deadline = time.monotonic() + 1560
    while not (ended := os.waitpid(pid, os.WNOHANG))[0]:
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
    os.close(write)
    with open(read) as answer:
        assert ended[1] == 0, ended
        return eval(answer.read())

def outcome(use):
    "The exception's type and the beginning of its message, or what was returned."
    try:
        return repr(use())
    except Exception as error:
        return type(error).__name__, str(error)[:33]

REFUSED = ("ForkError", "this process cannot use a device:")
"""

# What a parent has, and what a child can do with it.
USES = """
kernel = cp.RawKernel('extern "C" __global__ void k(long long *x) { x[0] += 1; }', "k")
x = cp.arange(1000)
y = cp.sort(x[::-1] + 1)
kernel((1,), (1,), (x,))
stream, event, pool = cp.cuda.Stream(), cp.cuda.Event(), cp.get_default_memory_pool()
held = [cp.cuda.alloc_pinned_memory(1000), cp.cuda.alloc(1000), cp.cuda.malloc_managed(1000),
        cp.cuda.MemoryPool().malloc(100), cp.from_dlpack(x.__dlpack__()), x.__dlpack__()]
managed = cp.cuda.ManagedMemory(1000)
runtime = cp.cuda.runtime
functions = cp.cuda.PythonFunctionAllocator(
    lambda size, device: runtime.malloc(size), lambda address, device: runtime.free(address))
asynchronous = cp.cuda.MemoryAsyncPool()
held += [asynchronous.malloc(100), cp.cuda.malloc_async(100), functions.malloc(100)]
with cp.cuda.using_allocator(cp.cuda.malloc_async):
    held.append(x + 1)
used_elsewhere = [cp.zeros(1000), functions.malloc(100)]
used_elsewhere[0].record_stream(stream)
used_elsewhere[1].mem.record_stream(stream)
held += used_elsewhere
del used_elsewhere
host = np.zeros(17 << 20, np.uint8)  # so many that pinned memory stands between
with stream:
    x + y
stream.synchronize()
new = cp.RawKernel('extern "C" __global__ void unused() {}', "unused")

def allocate_by(allocator):
    with cp.cuda.using_allocator(allocator):
        return cp.zeros(3)

def in_a_thread():
    outcomes = []
    thread = threading.Thread(target=lambda: outcomes.append(outcome(lambda: x + 1)))
    thread.start()
    thread.join()
    assert outcomes == [REFUSED]
    raise ForkError(REFUSED[1])

uses = {
    "operator": lambda: x + 1,
    "new operation": lambda: cp.cumsum(x[::7]),
    "creation": lambda: cp.arange(3),
    "copy to the device": lambda: cp.asarray([1, 2]),
    "staged copy": lambda: cp.asarray(host),
    "copy to the host": lambda: x.get(),
    "printing": lambda: str(x),
    "__dlpack__": lambda: x.__dlpack__(),
    "kernel": lambda: kernel((1,), (1,), (x,)),
    "new kernel": lambda: new((1,), (1,), ()),
    "Stream": lambda: cp.cuda.Stream(),
    "stream.synchronize": lambda: stream.synchronize(),
    "stream.record": lambda: stream.record(),
    "with stream": lambda: stream.__enter__(),
    "event.synchronize": lambda: event.synchronize(),
    "Device": lambda: cp.cuda.Device(0),
    "Device.synchronize": lambda: y.device.synchronize(),
    "Device.use": lambda: x.device.use(),
    "Device.reset": lambda: x.device.reset(),
    "mem_info": lambda: x.device.mem_info,
    "deviceSynchronize": lambda: cp.cuda.runtime.deviceSynchronize(),
    "getDeviceCount": lambda: cp.cuda.runtime.getDeviceCount(),
    "free_all_blocks": lambda: pool.free_all_blocks(),
    "malloc": lambda: pool.malloc(123456),
    "alloc": lambda: cp.cuda.alloc(1000),
    "malloc_managed": lambda: cp.cuda.malloc_managed(1000),
    "pinned memory": lambda: cp.cuda.alloc_pinned_memory(1 << 20),
    "malloc_async": lambda: cp.cuda.malloc_async(1000),
    "MemoryAsync": lambda: cp.cuda.MemoryAsync(1000, stream),
    "MemoryAsyncPool": lambda: cp.cuda.MemoryAsyncPool(),
    "its malloc": lambda: asynchronous.malloc(1000),
    "its used_bytes": lambda: asynchronous.used_bytes(),
    "its free_all_blocks": lambda: asynchronous.free_all_blocks(),
    "function's malloc": lambda: functions.malloc(1000),
    "using_allocator": lambda: allocate_by(functions.malloc),
    "using_allocator's pool": lambda: allocate_by(cp.cuda.MemoryPool().malloc),
    "used_bytes": lambda: pool.used_bytes(),
    "set_limit": lambda: pool.set_limit(fraction=0.5),
    "prefetch": lambda: managed.prefetch(stream),
    "advise": lambda: managed.advise(1, 0),
    "record_stream": lambda: x.record_stream(stream),
    "UnownedMemory": lambda: cp.cuda.UnownedMemory(1 << 20, 100, None),
    "memPoolCreate": lambda: runtime.memPoolCreate(runtime.MemPoolProps(1, 0, 1, 0)),
    "deviceGetMemPool": lambda: runtime.deviceGetMemPool(0),
    "pointerGetAttributes": lambda: runtime.pointerGetAttributes(1 << 20),
    "thread": in_a_thread,
}

def wrong():
    "The uses that were not refused."
    outcomes = {name: outcome(use) for name, use in uses.items()}
    return {name: found for name, found in outcomes.items() if found != REFUSED}
"""


def run(program, before="", **environment):
    result = subprocess.run(
        [sys.executable, "-c", before + PROGRAM + program],
        capture_output=True,
        text=True,
        timeout=1700,
        env={**os.environ, **environment},
    )
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result.stdout


#: How a child may be told from its parent.
MARKS = {
    "memory that is cleared": "",
    "no such memory": "lambda: None",
    "memory that is not cleared": "lambda: bytearray(b'\\1')",
}


@pytest.mark.slow
@pytest.mark.parametrize("mark", MARKS)
def test_every_use_of_the_device_is_refused(mark):
    before = "import gpuarray._ffi.backend as backend\n"
    if MARKS[mark]:
        before += f"backend._memory_for_no_child = {MARKS[mark]}\n"
    program = """
print(child(wrong))
print(child(lambda: child(wrong)))
print(child(lambda: cp.cuda.is_available()))
print(child(lambda: (x.shape, str(x.dtype), repr(stream)[:7], cp.broadcast_shapes((2, 1), (3,)))))
print(int((x + 1)[2]), int(cp.cumsum(x[::7])[1]))
"""
    answers = run(USES + program, before).splitlines()
    assert answers == ["{}", "{}", "False", "((1000,), 'int64', '<Stream', (2, 3))", "3 8"]


def test_a_child_leaves_in_every_way():
    program = """
def drop_all():
    global x, y, kernel, stream, event, pool, held, new, uses, managed, functions, asynchronous
    del x, y, kernel, stream, event, pool, held, new, uses, managed, functions, asynchronous
    gc.collect()

def fail():
    try:
        x + 1
    except ForkError:
        os._exit(7)

print(child(drop_all), child(drop_all, sys.exit), child(lambda: 1, sys.exit))
with stream, cp.cuda.Device(0):
    print(child(lambda: 2, sys.exit))
with cp.cuda.Device(0):
    thread = threading.Thread(target=lambda: print(child(wrong)))
    thread.start()
    thread.join()
process = multiprocessing.get_context("fork").Process(target=fail)
process.start()
process.join()
print(process.exitcode)
with multiprocessing.get_context("fork").Pool(1) as processes:
    print(processes.apply(outcome, (abs,)) and processes.apply(child, (wrong,)))
print(int((x + 1)[2]))
"""
    assert run(USES + program).splitlines() == ["None None 1", "2", "{}", "7", "{}", "3"]


def test_children_of_a_process_with_threads(tmp_path):
    # They hold every lock there is again and again, and streams and memory of their own.
    program = """
def threads():
    def launch():
        cp.cuda.Stream().use()
        mine.held = [cp.cuda.malloc_managed(1000), cp.cuda.Event(), cp.cuda.MemoryPool().malloc(9)]
        mine.held += [cp.cuda.alloc(100), cp.cuda.alloc_pinned_memory(777)]
        numbers = cp.arange(300000)
        while not stop:
            numbers + 1

    def allocate():
        cp.cuda.Stream().use()
        size = 1
        while not stop:
            size = (size + 7001) % 1000000
            cp.empty(size, "u1")
            pool.free_all_blocks()
            with cp.cuda.Stream():
                x + y

    def compile():
        number = 0
        while not stop:
            number += 1
            code = 'extern "C" __global__ void k(int *x) { x[0] = %d; }' % number
            cp.RawKernel(code, "k").compile()

    def copy():
        size = 1
        while not stop:
            size = size * 5 % 100003
            cp.asarray(host)
            cp.cuda.alloc_pinned_memory(size)

    return [threading.Thread(target=f) for f in (launch, allocate, compile, copy)]

stop, mine = False, threading.local()
started = threads()
for thread in started:
    thread.start()
for number in range(6):
    time.sleep(0.02)
    assert child(wrong, [sys.exit, lambda: os._exit(0)][number % 2]) == {}
stop = True
for thread in started:
    thread.join()
print(int((x + 1)[2]))
"""
    assert run(USES + program, GPUARRAY_CACHE_DIR=str(tmp_path)) == "3\n"


def test_a_child_may_use_a_device_that_its_parent_has_not(backend):
    program = """
from gpuarray._ffi import nvrtc
from gpuarray.kernels.compiler import compilation, image_memory

def compile(number=0):
    return len(compilation.compile(
        f'extern "C" __global__ void k(int *x) {{ x[0] = {os.getpid()} + {number}; }}', name="k",
        kind="ptx", architecture="sm_90").data) > 100

def work():
    x = cp.arange(5)
    kernel = cp.RawKernel('extern "C" __global__ void k(long long *x) { x[0] = 7; }', "k")
    kernel((1,), (1,), (x,))
    return int((x + 1).sum()), compile()

def hold():
    for lock in list(_fork._locks):
        lock.acquire()
    held.set()
    release.wait()

held, release = threading.Event(), threading.Event()
print(child(work), compile(), child(lambda: outcome(work)))
thread = threading.Thread(target=hold, daemon=True)
thread.start()
held.wait()
# Another thread holds all locks, and compiles what the child wants, too.
compilation._memory._pending[b"key"] = image_memory._Pending()
get = lambda: compilation._memory.get(b"key", lambda: compilation.Image(b"made")).data
print(child(lambda: outcome(work)), child(get))
nvrtc._library.busy.append(None)
print(child(lambda: outcome(compile)))
"""
    # NVRTC of CUDA 13 initialises CUDA where there is a GPU: then a child cannot.
    after = {"emulator": ("(22, True)",), "cuda": ("(22, True)", REFUSED)}[backend]
    first, second, third = run(program).splitlines()
    assert first in [f"(22, True) True {one}" for one in after]
    assert second in [f"{one} b'made'" for one in after]
    assert third == "('ForkError', 'this process cannot use NVRTC: it')"


@pytest.mark.emulator
def test_a_child_does_not_report_what_its_parent_will():
    program = """
x = cp.empty(3) + 1
child(lambda: 1, sys.exit)
"""
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM + program],
        capture_output=True,
        text=True,
        timeout=1700,
        env={**os.environ, "GPUARRAY_CHECK": "uninit"},
    )
    assert result.returncode == 0
    assert result.stderr.count("GPUARRAY_CHECK:") == 1
