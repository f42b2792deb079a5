"""What traces and ranges tell of recorded operations."""

from __future__ import annotations

import json
import types

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import profiler
from gpuarray._runtime.current_stream import deferring_streams
from gpuarray.profiler._ipython import gpu_timeit

HOST = np.linspace(-2, 2, 12, dtype="f4").reshape(3, 4)


def kernels(path):
    """The names of the kernels in a trace, and the lines of Python that they have."""
    events = json.loads(path.read_text())["traceEvents"]
    found = [x for x in events if x["ph"] == "X" and x["cat"] == "kernel" and x["pid"] == 1]
    return [(x["name"], x["args"].get("lines", [])) for x in found]


def test_a_trace_names_operations_and_their_lines(tmp_path):
    path = tmp_path / "trace.json"
    x = cp.asarray(HOST)
    before = x - 1
    with profiler.trace(path):
        assert not deferring_streams
        y = x * 2
        z = cp.add(y, 1)
        del y
        assert deferring_streams
    assert not deferring_streams  # what was called in it is in it
    found = kernels(path)
    ((name, lines),) = found
    assert "multiply_add" in name
    assert [x.partition(": ")[2] for x in lines] == ["y = x * 2", "z = cp.add(y, 1)"]
    assert "test_traces.py" in lines[0]
    np.testing.assert_array_equal(z.get(), HOST * 2 + 1)
    np.testing.assert_array_equal(before.get(), HOST - 1)


@pytest.mark.parametrize("fused", [False, True])
def test_a_trace_names_the_lines_of_all_kernels(tmp_path, fused):
    path = tmp_path / "trace.json"
    x = cp.asarray(HOST)
    with cp.fusion("on" if fused else "off"), profiler.trace(path):
        y = x * 2
        y.get()
    ((name, lines),) = kernels(path)
    assert "multiply" in name
    assert [x.partition(": ")[2] for x in lines] == ["y = x * 2"]


def test_a_range_has_what_is_called_in_it():
    x = cp.asarray(HOST)
    y = x * 2 + 1
    with profiler.time_range("work"):
        assert not deferring_streams
        z = y * 3
        assert deferring_streams
    assert not deferring_streams
    np.testing.assert_array_equal(z.get(), (HOST * 2 + 1) * 3)


@pytest.mark.parametrize("mode", ["on", "immediate"])
def test_a_benchmark_runs_what_it_times(mode, tmp_path):
    """Also where nobody has the result."""
    path, x = tmp_path / "trace.json", cp.asarray(HOST)
    with cp.fusion(mode):
        profiler.benchmark(lambda: x * 2, n_repeat=1, n_warmup=1)
        with profiler.trace(path):
            profiler.benchmark(lambda: x * 2, n_repeat=3, n_warmup=2)
            ipython = types.SimpleNamespace(user_ns={"x": x})
            gpu_timeit(ipython, "-n 1 -w 1 x * 2")
            gpu_timeit(ipython, "-n 2 -w 0", "y = 2\nx * y\n")
    assert len([name for name, _ in kernels(path) if "multiply" in name]) == 9
