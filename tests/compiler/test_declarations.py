"""Arguments compared with what the source declares."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._raw.declarations import declared
from tests.faults.programs import run

ADD = r"""
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}"""


@pytest.mark.parametrize(
    "parameters, expected",
    [
        ("", []),
        ("void", []),
        ("const float* x, float *y", [(True, "f"), (True, "f")]),
        ("const float *__restrict__ x", [(True, "f")]),
        ("unsigned n, long long m", [(False, "I"), (False, "lq")]),
        ("unsigned long int k", [(False, "LQ")]),
        ("int unsigned short s, signed char c", [(False, "H"), (False, "bB?")]),
        ("double x[], int n[3]", [(True, "d"), (True, "i")]),
        ("int n = 3, float x = f(1, 2)", [(False, "i"), (False, "f")]),
        ("int, float *", [(False, "i"), (True, "f")]),
        ("std::size_t n, cuda::std::int32_t m", [(False, "LQ"), (False, "i")]),
        ("const complex<float>* z, thrust::complex< double > w", [(True, "F"), (False, "D")]),
        ("__half* h, cuDoubleComplex z", [(True, "e"), (False, "D")]),
        ("real x, index *at, number n", [(False, "d"), (True, "i"), (False, "f")]),
        ("float **rows, void *any, Some s", [(True, ""), (True, ""), (False, "")]),
        ("Pair<int, float> p, const int& r", [(False, ""), (False, "")]),
        ("const __grid_constant__ int n /* , int m */", [(False, "i")]),
    ],
)  # fmt: skip
def test_declared(parameters, expected):
    source = f"""
    // __global__ void f(wrong)
    typedef double real; using index = int;
    #define number float
    __device__ int f(float);
    template <class T> struct Pair {{ }};
    const char* text = "__global__ void f(int a)";
    extern "C" __global__ void __launch_bounds__(128) f({parameters}) {{ f(1); }}
    """
    found = declared(source, "f")
    assert [(one.pointer, one.dtypes) for one in found] == expected


def test_declared_templates_and_namespaces():
    source = """
    namespace inner {
    template <typename T, int N, class S = double>
    __global__ void scale(T* x, S by, std::size_t n) { } }
    """
    found = declared(source, "inner::scale<unsigned char, 3>")
    assert [(one.pointer, one.dtypes) for one in found] == [
        (True, "Bb?"), (False, "d"), (False, "LQ")
    ]  # fmt: skip
    found = declared(source, "inner::scale<complex<float>, 3, float>")
    assert [one.dtypes for one in found] == ["F", "f", "LQ"]
    assert declared(source, "missing") is None
    assert declared("__global__ void f(int x", "f") is None


def test_declarations_that_differ_by_the_preprocessor_are_not_known():
    source = """
    #ifdef WIDE
    typedef double real;
    #else
    typedef float real;
    #endif
    __global__ void f(real a, int b);
    __global__ void f(real a, int n) { }
    __global__ void g(int a) { }
    __global__ void g(float a) { }
    """
    assert [one.dtypes for one in declared(source, "f")] == ["", "i"]
    assert declared(source, "g") is None


@pytest.fixture
def add():
    return cp.RawKernel(ADD, "add", check_arguments=True)


def test_right_arguments_pass(add):
    x = cp.arange(8, dtype="f4")
    for n in (8, np.int32(8), np.int32(8)):
        z = cp.zeros(8, dtype="f4")
        add((1,), (8,), (x, x, z, n))
        assert z.tolist() == (2 * np.arange(8)).tolist()
    add((1,), (8,), (x, None, x.data, 0))
    add((1,), (8,), (x.data.ptr, x.reshape(2, 4).T, x[2:], 0))


@pytest.mark.parametrize(
    "change, error, text",
    [
        ({0: "f8"}, TypeError, r"0 \(const float\* x\) points to float32, but .* is float64"),
        ({3: "array"}, TypeError, r"argument 3 \(int n\) is a value, but an array"),
        ({1: 1.5}, TypeError, r"argument 1 \(const float\* y\) is a pointer, but 1.5"),
        ({1: np.float32(2)}, TypeError, "is a pointer"),
        ({3: None}, TypeError, "is a value, but None"),
        ({3: np.int64(3)}, TypeError, r"is int32, but a NumPy scalar of int64 .* numpy.int32\(3\)"),
        ({3: 3.0}, TypeError, r"is int32, but a Python float was given; pass numpy.int32"),
        ({3: 1 << 31}, OverflowError, "is int32, which 2147483648 does not fit"),
        ({2: "strided"}, ValueError, r"argument 2 .*strides \(8,\); pass ascontiguousarray"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named_before_the_launch(add, change, error, text):
    x = cp.arange(8, dtype="f4")
    given = {"f8": cp.zeros(8), "array": x, "strided": cp.zeros(16, dtype="f4")[::2]}
    z = cp.zeros(8, dtype="f4")
    right = [x, x, z, np.int32(8)]
    wrong = list(right)
    for at, value in change.items():
        wrong[at] = given.get(value, value) if isinstance(value, str) else value
    for prepared in (False, True):
        if prepared:
            add((1,), (8,), tuple(right))
            z[...] = 0
        with pytest.raises(error, match=text):
            add((1,), (8,), tuple(wrong))
        assert not z.any()


def test_the_count_shows_the_declaration(add):
    x = cp.zeros(8, dtype="f4")
    with pytest.raises(TypeError, match=r"4 arguments \(const float\* x, .*int n\), but 2"):
        add((1,), (8,), (x, x))


def test_numbers_for_floats():
    code = 'extern "C" __global__ void f(float a, double b, float* out) { *out = a + b; }'
    out = cp.zeros(1, dtype="f4")
    kernel = cp.RawModule(code, check_arguments=True).get_function("f")
    kernel((1,), (1,), (np.float32(1), 2.0, out))
    assert out.item() == 3
    # Without the check the bits of an integer would be taken for a float's.
    with pytest.raises(TypeError, match=r"is float32, but a Python int .*numpy.float32\(1\)"):
        kernel((1,), (1,), (1, 2.0, out))
    with pytest.raises(TypeError, match="is float64, but a Python int"):
        kernel((1,), (1,), (np.float32(1), 2, out))


def test_compiled_code_is_checked_for_what_is_known():
    from gpuarray.kernels.compiler import compilation as compiler

    image = compiler.compile(ADD, name="add", architecture="sm_75", kind="ptx").data
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(image)
        file.flush()
        add = cp.RawModule(path=file.name, check_arguments=True).get_function("add")
        x = cp.arange(8, dtype="f4")
        with pytest.raises(ValueError, match="argument 0 is an array with gaps"):
            add((1,), (4,), (x[::2], x, x, 4))
        with pytest.raises(TypeError, match="takes 4 arguments"):
            add((1,), (4,), (x, x, x))


@pytest.mark.emulator
def test_arrays_on_another_device():
    run(
        f"""
        add = cp.RawKernel({ADD!r}, "add", check_arguments=True)
        with cp.cuda.Device(1):
            far = cp.arange(8, dtype="f4")
        near = cp.zeros(8, dtype="f4")
        error = error_of(add, (1,), (8,), (far, near, near, 8))
        expected = "argument 0 (const float* x) is an array on <CUDA Device 1>, but the kernel runs"
        assert expected in str(error), error
        # Without the check a peer's memory is used where the devices can.
        plain = cp.RawKernel({ADD!r}, "add")
        plain((1,), (8,), (far, far, near, 8))
        assert near.tolist() == [2 * i for i in range(8)]
        """,
        GPUARRAY_EMULATED_DEVICES="2",
    )
