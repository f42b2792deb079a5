"""``python -m gpuarray check``, ``GPUARRAY_CHECK`` and ``gpuarray.cuda.check``."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

pytestmark = pytest.mark.emulator

ALL = "races", "uninit", "bounds", "barriers", "host", "leaks"
#: The exit status of the command where something was found.
FOUND = 66

KERNEL = '''
import sys
import numpy as np
import gpuarray as cp

reverse = cp.RawKernel(r"""
extern "C" __global__ void reverse(const float* x, float* y) {
    __shared__ float tile[64];
    tile[threadIdx.x] = x[threadIdx.x];
    BARRIER
    y[threadIdx.x] = tile[63 - threadIdx.x];
}""".replace("BARRIER", "__syncthreads();" if "fixed" in sys.argv else ""), "reverse")
x = cp.asarray(np.arange(64, dtype="f4"))
y = cp.zeros(64, "f4")
reverse((1,), (64,), (x, y))
print(float(y[0] + y.sum()), sys.argv[1:])
'''


def run(tmp_path, text: str, *arguments: str, options=(), **environment: str):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(text))
    command = [sys.executable, "-m", "gpuarray", "check", *options, str(script), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def test_a_race_is_printed_once_with_its_line(tmp_path):
    result = run(tmp_path, KERNEL, "a", "--b")
    assert result.returncode == FOUND, result.stderr
    assert result.stdout == "2079.0 ['a', '--b']\n"
    assert result.stderr.count("[races]") == 1
    assert "    at reverse." in result.stderr  # without the folder, which is gone
    assert "y[threadIdx.x] = tile[63 - threadIdx.x];" in result.stderr
    assert "tile[threadIdx.x] = x[threadIdx.x];" in result.stderr
    assert result.stderr.endswith("gpuarray check: 1 finding\n")


def test_a_correct_script(tmp_path):
    result = run(tmp_path, KERNEL, "fixed")
    assert result.returncode == 0, result.stderr
    assert result.stderr == "gpuarray check: nothing found\n"


@pytest.mark.slow
def test_one_check_of_several(tmp_path, capsys):
    from gpuarray.__main__ import main

    assert run(tmp_path, KERNEL, options=("--checks", "uninit,leaks")).returncode == 0
    assert main(["check", "--checks", "rases", str(tmp_path / "script.py")]) == 2
    assert "no check is called 'rases'" in capsys.readouterr().err


def test_a_missing_script(capsys):
    from gpuarray.__main__ import main

    assert main(["check", "/nowhere/script.py"]) == 2
    assert "there is no file /nowhere/script.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "checks"),
    [
        ("", ()),
        ("0", ()),
        ("all", ALL),
        ("1", ALL),
        ("races=lane, uninit", ("races=lane", "uninit")),
    ],
)
def test_the_variable(value, checks):
    from gpuarray._config import Config

    assert Config.from_environment({"GPUARRAY_CHECK": value}).checks == checks


def test_a_value_that_means_nothing_is_refused():
    from gpuarray._config import Config

    with pytest.raises(ValueError, match="GPUARRAY_CHECK='rases' is not understood"):
        Config.from_environment({"GPUARRAY_CHECK": "rases"})


@pytest.mark.slow
def test_the_status_of_the_script(tmp_path):
    assert run(tmp_path, "raise SystemExit(3)").returncode == 3
    result = run(tmp_path, "def f():\n    1 / 0\nf()")
    assert result.returncode == 1
    assert "ZeroDivisionError" in result.stderr
    assert "runpy" not in result.stderr
    assert result.stderr.endswith("nothing found; the script failed with status 1\n")


BEYOND = '''
import gpuarray as cp
beyond = cp.RawKernel(r"""
extern "C" __global__ void beyond(int* x, int at) {
    x[at] = 1;
}""", "beyond")
x = cp.zeros(100, "i4")
def go(at):
    beyond((1,), (1,), (x, at))
    cp.cuda.runtime.deviceSynchronize()
'''


@pytest.mark.slow
@pytest.mark.parametrize("caught", [False, True])
def test_a_fault_is_a_finding(tmp_path, caught):
    call = "go(100)"
    if caught:
        call = "try:\n    go(100)\nexcept cp.errors.DriverError:\n    print('caught')"
    result = run(tmp_path, BEYOND + call)
    assert result.returncode == FOUND, result.stderr
    assert result.stdout == "caught\n" * caught
    assert result.stderr.count("[faults] invalid 4-byte store at 0x") == 1
    assert "0 bytes past the 400-byte allocation" in result.stderr
    assert "in kernel beyond, block (0,0,0), thread (0,0,0)\n    at " in result.stderr
    assert "cu:3: x[at] = 1;" in result.stderr
    status = "" if caught else "; the script failed with status 1"
    assert result.stderr.endswith(f"gpuarray check: 1 finding{status}\n")


@pytest.mark.slow
def test_use_after_free(tmp_path):
    result = run(
        tmp_path,
        """
        import numpy as np
        import gpuarray as cp
        fill = cp.RawKernel("extern \\"C\\" __global__ void fill(int* x) { x[1] = 3; }", "fill")
        x = cp.zeros(100, "i4")
        address = x.data.ptr
        del x
        others = [cp.zeros(100, "i4") for _ in range(20)]
        fill((1,), (1,), (np.uint64(address),))
        """,
    )
    assert result.returncode == FOUND, result.stderr
    assert "[faults] invalid 4-byte store at 0x" in result.stderr
    assert "4 bytes into the 400-byte allocation 0x" in result.stderr
    assert "which was freed at " in result.stderr
    assert "script.py:7: del x" in result.stderr


@pytest.mark.slow
def test_leaks(tmp_path):
    result = run(
        tmp_path,
        """
        from gpuarray._ffi import driver
        import gpuarray as cp
        kept = cp.zeros(10)
        first = driver.mem_alloc(100)
        for k in range(3):
            lost = driver.mem_alloc(1000)
        driver.mem_free(first)
        """,
    )
    assert result.returncode == FOUND, result.stderr
    assert result.stderr.count("[leaks]") == 1
    assert "3000 bytes in 3 allocations, the first at 0x" in result.stderr
    assert "lost = driver.mem_alloc(1000)" in result.stderr


@pytest.mark.slow
def test_the_variable_reports_at_exit(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(KERNEL)
    environment = {**os.environ, "GPUARRAY_CHECK": "races", "GPUARRAY_BACKEND": "emulator"}
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, env=environment
    )
    assert result.stderr.startswith("GPUARRAY_CHECK: 1 finding\n[races]")


# ------------------------------------------------------------------ the context manager

UNSET = """
extern "C" __global__ void twice(const float* x, float* y) {
    y[threadIdx.x] = 2 * x[threadIdx.x];
}"""


def test_reading_an_empty_array(xp):
    from gpuarray.errors import CheckError

    twice = xp.RawKernel(UNSET, "twice", options=("-lineinfo",))
    with pytest.raises(CheckError, match="1 finding") as caught, xp.cuda.check("uninit"):
        twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))
    (finding,) = caught.value.findings
    assert finding.kind == "uninit"
    assert finding.kernel == "twice"
    assert finding.source[1] == 3
    with xp.cuda.check() as checked:
        x = xp.asarray(np.arange(32, dtype="f4"))
        y = xp.empty(32, "f4")
        twice((1,), (32,), (x, y))
        twice((1,), (32,), (y, x))
    assert checked.findings == []
    np.testing.assert_array_equal(xp.asnumpy(x), np.arange(32) * 4)


def test_findings_without_raising(xp):
    twice = xp.RawKernel(UNSET, "twice")
    with xp.cuda.check("uninit", raises=False) as checked:
        twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))
        assert len(checked.findings) == 1
        with xp.cuda.check("races") as inner:
            twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))
        assert inner.findings == []
    assert len(checked.findings) == 1
    twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))  # nobody looks any more
    assert len(checked.findings) == 1


def test_an_exception_inside_wins(xp):
    twice = xp.RawKernel(UNSET, "twice")

    def fail():
        with xp.cuda.check("uninit"):
            twice((1,), (32,), (xp.empty(32, "f4"), xp.empty(32, "f4")))
            raise KeyError

    with pytest.raises(KeyError):
        fail()


def test_unknown_checks_are_refused(xp):
    with pytest.raises(ValueError, match="no check is called 'race'"):
        xp.cuda.check("race")


def test_kernels_of_the_package(xp):
    """Every family is clean: element-wise (tiles too), reductions, scans, selections, sorts."""
    rng = np.random.default_rng(1)
    host = rng.standard_normal((37, 53)).astype("f4")
    few = rng.integers(0, 9, 5000)
    scaled = xp.ElementwiseKernel("T x, T k", "T y", "y = x * k", "scaled")
    squares = xp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "squares")
    with xp.cuda.check("races", "uninit", "bounds", "barriers"):
        x = xp.asarray(host)
        y = xp.asarray(host[::-1].copy())
        small = xp.asarray(few)
        results = [
            (x + y, host + host[::-1]),
            (x.T * 2 + 1, host.T * 2 + 1),
            (xp.ascontiguousarray(x.T), host.T),
            (x[:37, :37] + x[:37, :37].T, host[:37, :37] + host[:37, :37].T),
            (x[:, ::2] - y[:, ::2], host[:, ::2] - host[::-1, ::2]),
            (x.sum(axis=0), host.sum(axis=0)),
            (x.max(axis=1), host.max(axis=1)),
            (xp.cumsum(x, axis=1), host.cumsum(axis=1)),
            (x[x > 0], host[host > 0]),
            (xp.sort(x, axis=1), np.sort(host, axis=1)),
            (xp.argsort(x.ravel()), host.ravel().argsort(kind="stable")),
            (x[xp.asarray([3, 1, 30])], host[[3, 1, 30]]),
            (x.argmax(axis=0), host.argmax(axis=0)),
            (xp.where(x > 0, x, 0), np.where(host > 0, host, 0)),
            (xp.unique(small), np.unique(few)),
            (xp.bincount(small), np.bincount(few)),
            (xp.searchsorted(xp.sort(x[0]), x[1]), np.sort(host[0]).searchsorted(host[1])),
            (xp.median(x, axis=0), np.median(host, axis=0)),
            (scaled(x, 2), host * 2),
            (squares(x, axis=1), (host * host).sum(axis=1)),
            (xp.asarray(rng.integers(0, 9, 40_000)).sum(), None),
        ]
        for result, expected in results:
            if expected is not None:
                np.testing.assert_allclose(xp.asnumpy(result), expected, rtol=1e-4, atol=1e-4)
