"""Host arrays of the other byte order are swapped on the way to the device."""

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import UnsupportedDTypeError

SWAPPED = [">i2", ">u4", ">i8", ">f2", ">f4", ">f8", ">c8", ">c16", ">M8[s]", ">m8[D]"]


@pytest.mark.parametrize("dtype", SWAPPED)
def test_arrays(dtype):
    host = np.array([[1, 2, 3], [200, 5, 6]]).astype(dtype)
    native = host.astype(host.dtype.newbyteorder("="))
    for x in (
        cp.array(host),
        cp.asarray(host),
        cp.array(host.T).T,
        cp.array(host, dtype=dtype),
        cp.array(native, dtype=dtype),
        cp.array(host.tolist(), dtype=dtype) if "8[" not in dtype else cp.array(host),
    ):
        assert x.dtype.isnative
        assert x.dtype == native.dtype
        np.testing.assert_array_equal(cp.asnumpy(x), native)
    assert cp.zeros(2, dtype).dtype == native.dtype
    assert cp.empty_like(host).dtype == native.dtype
    assert cp.array(native).astype(dtype).dtype == native.dtype


def test_assignment():
    x = cp.zeros((2, 3), "f8")
    x[...] = np.arange(6, dtype=">f8").reshape(2, 3)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    x[0] = np.array([7, 8, 9], ">i4")
    assert x.tolist() == [[7, 8, 9], [3, 4, 5]]
    x[1, 1] = np.array(2.5, ">f4")
    x[1, 2] = np.array([6.5], ">f8")[0]
    assert x.tolist() == [[7, 8, 9], [3, 2.5, 6.5]]


def test_structures():
    host = np.array([(1, 2.5), (3, 4.5)], [("a", ">i4"), ("b", "<f8")])
    x = cp.array(host)
    assert x.dtype == host.dtype.newbyteorder("=")
    assert x.tolist() == host.tolist()
    assert x["a"].tolist() == [1, 3]


def test_device_memory_is_never_taken_for_swapped():
    x = cp.arange(4, dtype="f4")
    with pytest.raises(UnsupportedDTypeError, match="byteswap"):
        x.view(">f4")
    with pytest.raises(UnsupportedDTypeError, match="byte order"):
        cp.ndarray(4, ">f4", memptr=x.data)
