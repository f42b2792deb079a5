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


@pytest.mark.parametrize("dtype", [">f4", ">i8", ">u2", ">c16", ">M8[s]", [("a", ">f4")]])
def test_the_other_byte_order_stands_for_the_native_dtype(dtype):
    found = _dtypes.canonical(dtype)
    assert found.isnative
    assert found == np.dtype(dtype).newbyteorder("=")
    assert _dtypes.canonical(found) is found


@pytest.mark.parametrize(
    ("dtype", "code"),
    [
        ("M8[s]", "M8_s"),
        ("m8[25us]", "m8_25us"),
        ("m8", "m8_generic"),
        ("V4", "V4"),
        ("i4,f8", "V12"),
    ],
)
def test_codes_of_times_and_structures(dtype, code):
    assert _dtypes.code(dtype) == code
    assert _dtypes.itemsize(code) == np.dtype(dtype).itemsize
    if not code.startswith("V"):
        assert _dtypes.dtype_of(code) is _dtypes.canonical(dtype)


@pytest.mark.parametrize(
    ("dtype", "remedy"),
    [
        (object, "NumPy"),
        ("U5", "return_inverse"),
        ("S3", "return_inverse"),
        (np.longdouble, "float64"),
        (np.clongdouble, "complex128"),
        ([("x", "f4"), ("y", "S4")], "a field of"),
        ([("x", "f4"), ("y", [("z", "O")])], "NumPy"),
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
