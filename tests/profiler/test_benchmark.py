"""`gpuarray.profiler.benchmark` and the magic that is made of it."""

import functools
import math
import re
from fractions import Fraction

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.profiler import benchmark, load_ipython_extension, unload_ipython_extension
from gpuarray.profiler._benchmark import BenchmarkResult


def test_times_and_text():
    calls = []

    def twice(x, *, by):
        calls.append(by)
        return x * by

    result = benchmark(twice, (cp.arange(10),), {"by": 2}, n_repeat=4, n_warmup=3)
    assert calls == [2] * 7
    assert result.name == "twice"
    assert result.cpu_times.shape == (4,)
    assert result.gpu_times.shape == (1, 4)
    assert result.cpu_times.dtype == result.gpu_times.dtype == np.float64
    assert (result.cpu_times > 0).all()
    # The events are around the call.
    assert (result.gpu_times > 0).all()
    time = r" *\d+\.\d{3}"
    line = rf":{time} us   \+/-{time} \(min:{time} / max:{time}\) us"
    cpu, gpu = f"    CPU{line}", f"    GPU-0{line}"
    assert re.fullmatch(f"twice               :{cpu}", result.to_str())
    assert re.fullmatch(f"twice               :{cpu} {gpu}", str(result))
    assert repr(result) == str(result) == result.to_str(show_gpu=True)


def test_the_format_of_known_times():
    times = np.array([1e-6, 3e-6])
    result = BenchmarkResult("f", times, np.array([times * 1000]), (0,))
    assert str(result) == (
        "f                   :    CPU:    2.000 us   +/- 1.000 (min:    1.000 / max:    3.000) us "
        "    GPU-0: 2000.000 us   +/-1000.000 (min: 1000.000 / max: 3000.000) us"
    )
    one = BenchmarkResult("f", times[:1], np.array([times[:1]]), (3,))
    assert str(one) == "f                   :    CPU:    1.000 us     GPU-3:    1.000 us"


def test_names():
    assert benchmark(functools.partial(max, 1), (2,), n_repeat=1).name == "partial"
    assert benchmark(max, (1, 2), n_repeat=1, name="greatest").name == "greatest"
    assert len(benchmark(cp.sqrt, (cp.ones(3),), n_repeat=np.int64(2)).cpu_times) == 2


def test_the_longest_duration():
    calls = []
    result = benchmark(calls.append, (1,), n_repeat=50, n_warmup=0, max_duration=0)
    assert len(calls) == 1 == len(result.cpu_times)
    benchmark(calls.append, (1,), n_repeat=5, n_warmup=0, max_duration=Fraction(10**6))
    assert len(calls) == 6


def test_devices():
    count = cp.cuda.runtime.getDeviceCount()
    devices = tuple(range(count))
    result = benchmark(cp.arange, (3,), n_repeat=2, devices=devices)
    assert result.gpu_times.shape == (count, 2)
    assert cp.cuda.Device().id == 0
    assert benchmark(cp.arange, (3,), n_repeat=2, devices=()).gpu_times.shape == (0, 2)
    with pytest.raises(ValueError, match=f"Device\\({count}\\)"):
        benchmark(cp.arange, (3,), devices=(count,))


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"func": 1}, "func must be callable, not int"),
        ({"args": [1]}, "args must be a tuple, not list"),
        ({"kwargs": 1}, "kwargs must be a mapping, not int"),
        ({"n_repeat": 1.5}, "n_repeat must be an integer, not float"),
        ({"n_repeat": 0}, "n_repeat must be at least 1, got 0"),
        ({"n_warmup": "1"}, "n_warmup must be an integer, not str"),
        ({"n_warmup": -1}, "n_warmup must be at least 0, got -1"),
        ({"name": 1}, "name must be a str, not int"),
        ({"max_duration": "1"}, "max_duration must be a real, not str"),
        ({"devices": 0}, "devices must be a tuple, not int"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=f"^benchmark: {message}$"):
        benchmark(**{"func": max, **arguments})


def test_an_exception_of_the_function_comes_through():
    with pytest.raises(ZeroDivisionError):
        benchmark(lambda: 1 // 0, n_repeat=1, n_warmup=0)


class Shell:
    """What the extension uses of IPython's shell."""

    def __init__(self):
        self.user_ns = {"calls": []}
        self.magics_manager = self
        self.magics = {"line": {}, "cell": {}}

    def register_magic_function(self, func, magic_kind="line", magic_name=None):
        assert magic_kind == "line_cell"
        self.magics["line"][magic_name] = self.magics["cell"][magic_name] = func


def test_the_magic_of_ipython(capsys):
    shell = Shell()
    load_ipython_extension(shell)
    magic = shell.magics["line"]["gpu_timeit"]
    calls = shell.user_ns["calls"]
    magic("-n 3 -w 1 calls.append('a  b')")
    assert calls == ["a  b"] * 4
    assert re.match(r"run {17}:    CPU: .* GPU-0: ", capsys.readouterr().out)
    calls.clear()
    magic("--n-repeat=2 --n-warmup 0 --max-duration 1e6", "  x = 5\n  calls.append(x)\n")
    assert calls == [5, 5]
    assert shell.user_ns["x"] == 5
    calls.clear()
    magic("-w 0 --max-duration 0 -len(calls), calls.append(1)")
    assert calls == [1]
    for line, cell, message in (
        ("-n many f()", None, "-n takes a number, not 'many'"),
        ("-n 5", None, "there is no code"),
        ("-n 5 f()", "g()", "the code is in the cell"),
    ):
        with pytest.raises(ValueError, match=message):
            magic(line, cell)
    unload_ipython_extension(shell)
    assert shell.magics == {"line": {}, "cell": {}}


def test_the_defaults_are_those_of_cupy():
    import inspect

    parameters = inspect.signature(benchmark).parameters
    found = {name: x.default for name, x in parameters.items()}
    del found["func"]
    assert found == {
        "args": (), "kwargs": {}, "n_repeat": 10000, "name": None, "n_warmup": 10,
        "max_duration": math.inf, "devices": None,
    }  # fmt: skip
