"""Devices and several processes: handles, pickles, and a process that has two devices."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gpuarray as cp

runtime = cp.cuda.runtime


@pytest.mark.slow
@pytest.mark.emulator
def test_with_two_emulated_devices(pytestconfig):
    result = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly",
            "--backend=emulator", f"--kernel-cache={os.environ['GPUARRAY_CACHE_DIR']}",
            str(Path(__file__).with_name("test_two_devices.py")),
        ],
        env={**os.environ, "GPUARRAY_EMULATED_DEVICES": "2"},
        cwd=pytestconfig.rootpath,
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr[-2000:]
    assert "skipped" not in result.stdout


# ---- memory and events of another process ------------------------------------------------------

CHILD = """
import sys
import gpuarray as cp
runtime = cp.cuda.runtime
memory, event = map(bytes.fromhex, sys.stdin.readline().split())
if event:
    opened = runtime.ipcOpenEventHandle(event)
    runtime.streamWaitEvent(cp.cuda.Stream.null.ptr, opened)
pointer = runtime.ipcOpenMemHandle(memory)
assert runtime.ipcOpenMemHandle(memory) == pointer
kept = cp.cuda.UnownedMemory(pointer, 4000, None)
x = cp.ndarray(1000, "f4", cp.cuda.MemoryPointer(kept, 0))
x *= 2
print(float(x.sum()), x.device.id)
del x
for _ in range(2):
    runtime.ipcCloseMemHandle(pointer)
try:
    runtime.ipcCloseMemHandle(pointer)
except runtime.CUDARuntimeError:
    print("closed")
"""


def test_memory_and_an_event_of_another_process():
    memory = cp.cuda.Memory(4000)
    x = cp.ndarray(1000, "f4", cp.cuda.MemoryPointer(memory, 0))
    x[...] = cp.arange(1000)
    stream = cp.cuda.get_current_stream()
    event = cp.cuda.Event(disable_timing=True, interprocess=True)
    event.record(stream)
    try:
        handles = runtime.ipcGetMemHandle(x.data.ptr), runtime.ipcGetEventHandle(event.ptr)
    except runtime.CUDARuntimeError as error:
        if error.status != 801:  # cudaErrorNotSupported
            raise
        pytest.skip("the system does not share memory of the device")
    assert [len(handle) for handle in handles] == [64, 64]
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.ipcOpenMemHandle(handles[0])  # in the process that made it
    result = subprocess.run(
        [sys.executable, "-c", CHILD],
        input=" ".join(handle.hex() for handle in handles),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == [str(float(np.arange(1000).sum() * 2)), "0", "closed"]
    np.testing.assert_array_equal(x.get(), 2 * np.arange(1000, dtype="f4"))


def test_what_is_no_handle():
    for opened in (runtime.ipcOpenMemHandle, runtime.ipcOpenEventHandle):
        with pytest.raises(ValueError, match="a handle is 64 bytes, got b'short'"):
            opened(b"short")
        with pytest.raises(runtime.CUDARuntimeError):
            opened(bytes(64))
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.ipcGetEventHandle(cp.cuda.Event(disable_timing=True).ptr)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.ipcGetMemHandle(np.zeros(3).ctypes.data)


SPAWNED = """
import multiprocessing
import sys
import gpuarray as cp

def total(x):
    return float(x.sum()), x.device.id

def where(number):
    with cp.cuda.Device(number):
        return cp.ones(3)

if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        print(pool.map(total, [cp.arange(5), cp.ones(3)]))
        print(pool.apply(where, (0,)))
"""


def test_arrays_go_to_spawned_processes(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SPAWNED)
    result = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout == "[(10.0, 0), (3.0, 0)]\n[1. 1. 1.]\n"


# ---- the guide ---------------------------------------------------------------------------------

GUIDE = Path(__file__).parents[2] / "docs" / "threads-processes-fork.md"
_SCRIPT = re.compile(r"```python\n# (\w+\.py)\n(.*?)```\n\n```text\n(.*?)```", re.S)
SCRIPTS = {name: (code, output) for name, code, output in _SCRIPT.findall(GUIDE.read_text())}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spawned.py", "shared.py", "forked.py"])
def test_scripts_of_the_guide(name, tmp_path):
    code, output = SCRIPTS[name]
    script = tmp_path / name
    script.write_text(code)
    result = subprocess.run(
        [sys.executable, "-W", "ignore:This process:DeprecationWarning", script],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == output
