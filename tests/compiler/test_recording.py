"""Recordings of kernels, and compiling them beforehand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gpuarray._ffi import driver
from gpuarray.errors import CompileError
from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.compiler import recording, toolchain, warmup
from gpuarray.kernels.compiler.cache import Cache
from gpuarray.kernels.compiler.headers import follow
from gpuarray.kernels.compiler.image_memory import ImageMemory
from gpuarray.kernels.generator import headers

SOURCE = '#include "value.h"\nextern "C" __global__ void f(float* x) { x[threadIdx.x] = VALUE; }\n'


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """An empty cache and an empty memory; a function that empties the memory again."""
    cache = Cache(str(tmp_path / "cache"), 1 << 30)
    monkeypatch.setattr(compiler, "default_cache", lambda: cache)

    def forget():
        monkeypatch.setattr(compiler, "_memory", ImageMemory())
        monkeypatch.setattr(toolchain, "_current", None)

    forget()
    return forget


def build(value=1, source=SOURCE, **changed):
    arguments = {"name": "f", "architecture": "sm_90", "kind": driver.image_kind}
    texts = {"value.h": f"#define VALUE {value}", "unused.h": "int unused;"}
    return compiler.compile(source, headers=texts, **{**arguments, **changed})


def test_what_a_recording_holds(fresh, tmp_path):
    path = tmp_path / "aufzeichnung ü.jsonl"
    with recording.record(path):
        build(1, options=("-DA",), name_expressions=("f",))
        build(1, options=("-DA",), name_expressions=("f",))
        build(2, kind="lto", name="\udc80")
    build(3)
    assert path.read_bytes().isascii()
    first, second = recording.read(path, "sm_75", "cubin")
    assert first.source == SOURCE
    assert first.headers == {"value.h": "#define VALUE 1"}
    assert (first.options, first.name_expressions) == (("-DA",), ("f",))
    assert (first.architecture, first.kind) == ("sm_75", "cubin")
    assert (second.headers["value.h"], second.kind) == ("#define VALUE 2", "lto")
    assert second.name == "\udc80"


def test_recorded_also_where_nothing_is_compiled(fresh, tmp_path):
    build()
    fresh()
    path = tmp_path / "r"
    with recording.record(path):
        build()
    assert len(recording.read(path, "sm_90", "ptx")) == 1


def test_warm(fresh, tmp_path):
    path = tmp_path / "r"
    with recording.record(path):
        build(1)
        build(2)
        with pytest.raises(CompileError):
            build(3, name="broken", source=SOURCE.replace("VALUE", "valeu"))
    fresh()
    report = warmup.warm(path, "sm_90", driver.image_kind)
    assert (report.compiled, report.found, report.outdated) == (0, 2, 0)
    ((name, error),) = report.failed
    assert name == "broken"
    assert "valeu" in error
    report = warmup.warm(path, "sm_80", "cubin", threads=2)
    assert (report.compiled, report.found, len(report.failed)) == (2, 0, 1)
    report = warmup.warm(path, "sm_80", "cubin", threads=1)
    assert (report.compiled, report.found, len(report.failed)) == (0, 2, 1)


def test_device_code_of_another_version(fresh, tmp_path, monkeypatch):
    name = next(iter(headers.cuda_headers()))
    path = tmp_path / "r"
    with recording.record(path):
        compiler.compile(
            f'#include "{name}"\n',
            name="k",
            headers=headers.cuda_headers(),
            architecture="sm_90",
            kind="ptx",
        )
    text = path.read_text()
    assert json.loads(text.splitlines()[-1])["headers"]
    assert headers.cuda_headers()[name][:200] not in text  # only its digest
    assert warmup.warm(path, "sm_90", "ptx").found == 1
    changed = {**headers.cuda_headers(), name: "// another version"}
    monkeypatch.setattr(headers, "_device_headers", changed)
    assert warmup.warm(path, "sm_90", "ptx")[:3] == (0, 0, 1)


def test_threads_write_whole_lines(fresh, tmp_path):
    path = tmp_path / "r"
    recorders = [recording.Recorder(str(path)) for _ in range(4)]

    def write(recorder):
        for at in range(50):
            request = compiler.Request(SOURCE, f"k{at}", "sm_90", headers={"value.h": f"{at}"})
            recorder.add(request, follow(SOURCE, request.headers))

    threads = [threading.Thread(target=write, args=(recorder,)) for recorder in recorders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(path.read_text().splitlines()) == 400
    kernels = recording.read(path, "sm_90", "ptx")
    assert sorted(kernel.name for kernel in kernels) == sorted(f"k{at}" for at in range(50))


@pytest.mark.parametrize(
    "line",
    ["nonsense", "{}", "[]", "3", '{"kernel": "k"}', '{"kernel": 1, "source": "", "options": []}'],
)
def test_what_is_no_recording(tmp_path, line, xp):
    path = tmp_path / "r"
    path.write_text(line)
    with pytest.raises(ValueError, match=r"line 1, is not a line of a recording"):
        xp.warmup(path)


def test_refusals(tmp_path, xp):
    with pytest.raises(ValueError, match="GPUARRAY_RECORD"):
        xp.warmup()
    with pytest.raises(FileNotFoundError):
        xp.warmup(tmp_path / "missing")
    with pytest.raises(ValueError, match="threads=0"):
        xp.warmup(tmp_path / "missing", threads=0)
    with pytest.raises(OSError), recording.record(tmp_path / "missing" / "r"):
        pass


def test_a_recording_that_can_no_longer_be_written_warns_once(fresh, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    with recording.record(folder / "r"):
        (folder / "r").unlink()
        folder.rmdir()
        with pytest.warns(RuntimeWarning, match="no longer recorded"):
            build(1)
        build(2)  # where warnings are errors


PROGRAM = """
import gpuarray as cp
x = cp.arange(100, dtype="f")
print(float((x * 2).sum()))
"""


@pytest.mark.slow
def test_a_run_is_recorded_and_found_by_the_next(tmp_path, xp, backend):
    def run(code, cache, *arguments):
        environment = {**os.environ, "GPUARRAY_CACHE_DIR": str(tmp_path / cache)}
        environment["GPUARRAY_RECORD"] = str(tmp_path / "r") if code else ""
        command = ["-c", code] if code else ["-m", "gpuarray", "cache"]
        return subprocess.run(
            [sys.executable, *command, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    first = run(PROGRAM, "one")
    report = run("", "two", "warmup", str(tmp_path / "r"))
    count = int(report.split()[1])
    assert count >= 3
    names = {path.name for path in Path(tmp_path / "two").glob("*.image")}
    assert len(names) == count
    assert names <= {path.name for path in Path(tmp_path / "one").glob("*.image")}
    assert run(PROGRAM, "two") == first
    # Nothing was compiled: what else there is now is what the emulator prepares.
    kinds = [entry.kind for entry in Cache(str(tmp_path / "two"), 1 << 30).entries()]
    assert len([kind for kind in kinds if kind != "python"]) == count
    assert "compiled" in run("", "three", "warmup", str(tmp_path / "r"), "--architecture", "sm_80")
