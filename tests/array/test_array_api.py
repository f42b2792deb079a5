"""The array API standard: the namespace's own description, devices, and names and signatures."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gpuarray as cp
from tests.array.arrays import same

DEVICE = cp.cuda.Device(0)


def test_the_namespace_of_an_array():
    x = cp.ones(2)
    assert x.__array_namespace__() is cp
    for version in ("2021.12", "2024.12", "2025.12", cp.__array_api_version__):
        assert x.__array_namespace__(api_version=version) is cp
    for version in ("2019.12", "newest", 2025):
        with pytest.raises(ValueError, match="__array_namespace__: version"):
            x.__array_namespace__(api_version=version)


def test_what_the_namespace_says_of_itself():
    info = cp.__array_namespace_info__()
    numpys = np.__array_namespace_info__()
    assert info.capabilities() == numpys.capabilities()
    assert info.default_device() in info.devices()
    assert info.devices() == tuple(map(cp.cuda.Device, range(cp.cuda.runtime.getDeviceCount())))
    assert info.default_dtypes() == numpys.default_dtypes()
    assert info.default_dtypes(device=DEVICE) == numpys.default_dtypes()
    kinds = ("bool", "signed integer", "unsigned integer", "integral", "real floating")
    for kind in (None, *kinds, "complex floating", "numeric", (), kinds, ("bool", "bool")):
        assert info.dtypes(kind=kind, device=DEVICE) == numpys.dtypes(kind=kind)
    for call in (info.dtypes, info.default_dtypes):
        with pytest.raises(ValueError, match="device must be None or"):
            call(device="cpu")
    with pytest.raises(ValueError, match="'real' is no kind"):
        info.dtypes(kind="real")


CREATED = {
    "empty": lambda **d: cp.empty(3, **d) * 0,
    "zeros": lambda **d: cp.zeros((2, 3), "f4", "F", **d),
    "ones": lambda **d: cp.ones(3, "i4", **d),
    "full": lambda **d: cp.full((2, 2), 7, **d),
    "eye": lambda **d: cp.eye(3, 4, k=1, **d),
    "arange": lambda **d: cp.arange(1, 9, 3, **d),
    "linspace": lambda **d: cp.linspace(0, 1, 5, **d),
    "empty_like": lambda **d: cp.empty_like(np.ones(3), "f4", **d) * 0,
    "zeros_like": lambda **d: cp.zeros_like(np.ones(3), "f4", **d),
    "ones_like": lambda **d: cp.ones_like(np.zeros(3), shape=(2, 3), **d),
    "full_like": lambda **d: cp.full_like(np.zeros(3), 2, order="F", **d),
    "asarray": lambda **d: cp.asarray([1, 2], dtype="f4", **d),
    "astype": lambda **d: cp.astype(cp.ones(3), "i4", **d),
}


@pytest.mark.parametrize("name", CREATED)
def test_the_device_of_new_arrays(name):
    create = CREATED[name]
    expected = create().get()
    for device in (None, DEVICE):
        x = create(device=device)
        assert x.device is DEVICE
        same(x, expected)
    for device in ("cpu", 0, "cuda:0", np.float64):
        with pytest.raises(ValueError, match=f"{name}: device must be None or a gpuarray"):
            create(device=device)


def test_linspace_with_its_step_on_a_device():
    x, step = cp.linspace(0, 1, 5, retstep=True, device=DEVICE)
    assert (x.tolist(), step) == ([0, 0.25, 0.5, 0.75, 1], 0.25)


def test_to_device():
    x = cp.arange(3)
    assert x.to_device(DEVICE) is x
    assert x.to_device(DEVICE, stream=cp.cuda.Stream()) is x
    assert x.to_device(DEVICE, stream=1) is x
    assert cp.astype(x, x.dtype, copy=False, device=DEVICE) is x
    with pytest.raises(ValueError, match="asnumpy"):
        x.to_device("cpu")
    with pytest.raises(TypeError, match="to_device: stream must be"):
        x.to_device(DEVICE, stream="main")


# Two devices, of which the second is not the current one.
TWO_DEVICES = """
import numpy as np
import gpuarray as cp

first, second = cp.__array_namespace_info__().devices()
host = np.arange(6.0).reshape(2, 3)
x = cp.asarray(host, device=second)
assert x.device is second and (x.get() == host).all()

for make, expected in [
    (lambda d: cp.zeros((2, 3), device=d), np.zeros((2, 3))),
    (lambda d: cp.ones(3, "i4", device=d), np.ones(3, "i4")),
    (lambda d: cp.full(3, 7, device=d), np.full(3, 7)),
    (lambda d: cp.eye(3, device=d), np.eye(3)),
    (lambda d: cp.arange(5, device=d), np.arange(5)),
    (lambda d: cp.linspace(0, 1, 3, device=d), np.linspace(0, 1, 3)),
    (lambda d: cp.zeros_like(x, device=d), np.zeros_like(host)),
    (lambda d: cp.ones_like(x, device=d), np.ones_like(host)),
    (lambda d: cp.full_like(x, 3, device=d), np.full_like(host, 3)),
    (lambda d: cp.astype(x.T, "f4", device=d), host.T.astype("f4")),
    (lambda d: cp.from_dlpack(host, device=d), host),
    (lambda d: cp.from_dlpack(x, device=d), host),
    (lambda d: x[:, ::2].to_device(d), host[:, ::2]),
    (lambda d: x.to_device(d, stream=1), host),
    (lambda d: cp.from_dlpack(x.__dlpack__(dl_device=(2, d.id))), host),
]:
    for device in (first, second):
        y = make(device)
        assert y.device is device, (y.device, device)
        assert (y.get() == expected).all()
        assert cp.cuda.Device() is first

# Without a device, an array that is like another is on the device of that.
for make in (cp.empty_like, cp.zeros_like, cp.ones_like, lambda x: cp.full_like(x, 3)):
    assert make(x).device is second
assert cp.from_dlpack(x).device is second
assert (np.from_dlpack(x, device="cpu") == host).all()

def raises(error, call):
    try:
        call()
    except error:
        return
    raise AssertionError(call)

raises(ValueError, lambda: cp.from_dlpack(x, device=first, copy=False))
raises(BufferError, lambda: x.__dlpack__(dl_device=(2, 0), copy=False))
with second:
    other = cp.cuda.Stream()
raises(ValueError, lambda: x.to_device(first, stream=other))
assert x.to_device(second, stream=other) is x
print("done")
"""


@pytest.mark.emulator
def test_two_devices(monkeypatch):
    monkeypatch.setenv("GPUARRAY_EMULATED_DEVICES", "2")
    result = subprocess.run(
        [sys.executable, "-c", TWO_DEVICES], capture_output=True, text=True, timeout=1700
    )
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_signs_of_zero_that_are_not_numpys(dtype):
    zeros = np.array([complex(0, 0), complex(-0.0, 0), complex(-0.0, -0.0)], dtype)
    expected = np.array([complex(0, 0), complex(0, 0), complex(0, -0.0)], dtype)
    assert cp.expm1(cp.asarray(zeros)).get().tobytes() == expected.tobytes()
    infinite = np.array([complex(np.inf, 2), complex(np.inf, -2), complex(-np.inf, 2)], dtype)
    expected = np.array([complex(1, 0), complex(1, -0.0), complex(-1, 0)], dtype)
    assert cp.tanh(cp.asarray(infinite)).get().tobytes() == expected.tobytes()


def test_the_suite_skips_only_what_is_missing():
    lines = (Path(__file__).parents[1] / "conformance/skips.txt").read_text().splitlines()
    for line in lines:
        if line.startswith("array_api_tests"):
            extension, name = re.fullmatch(
                r".*(?:\[|::test_)(?:(linalg|fft|linear_algebra|array_method)-)?(\w+)\]?", line
            ).groups()
            where = cp.ndarray if "method" in line else cp
            if extension in ("linalg", "fft"):
                where = getattr(cp, extension, None)
            assert not hasattr(where, name), f"{name} is there: take {line} off the list"
