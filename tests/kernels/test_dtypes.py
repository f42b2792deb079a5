import numpy as np
import pytest

from gpuarray import _dtypes
from gpuarray.errors import UnsupportedDTypeError


@pytest.mark.parametrize("code", _dtypes.CODES)
def test_codes_name_numpy_dtypes_and_back(code):
    dtype = _dtypes.dtype_of(code)
    assert _dtypes.code(dtype) == code
    assert _dtypes.canonical(dtype) is dtype
    assert _dtypes.itemsize(code) == dtype.itemsize
    kind = {"bool": "b", "signed": "i", "unsigned": "u", "float": "f", "complex": "c"}
    assert kind[_dtypes.category(code)] == dtype.kind


def test_every_spelling_of_a_dtype_is_one_object():
    for spelling in ("int64", "q", "l", "<i8", int, np.int64, np.longlong, np.dtype("l")):
        assert _dtypes.canonical(spelling) is _dtypes.dtype_of("i8")
    assert _dtypes.code("?") == "b1"
    assert _dtypes.cpp_name("c8") == "complex<float>"


@pytest.mark.parametrize(
    ("dtype", "remedy"),
    [
        (object, "NumPy"),
        ("U5", "on the host"),
        ("S3", "on the host"),
        (">f4", "astype('float32')"),
        (">i8", "astype('int64')"),
        (np.longdouble, "float64"),
        (np.clongdouble, "complex128"),
        ("M8[s]", "int64"),
        ("m8[ns]", "int64"),
        ([("x", "f4"), ("y", "i4")], "field"),
        ("V4", "on the host"),
    ],
)
def test_unsupported_dtypes_are_named_with_a_remedy(dtype, remedy):
    with pytest.raises(UnsupportedDTypeError) as caught:
        _dtypes.canonical(dtype)
    message = str(caught.value)
    assert remedy in message
    assert "float32" in message
    assert isinstance(caught.value, TypeError)
    if isinstance(dtype, str):
        assert np.dtype(dtype).str in message
