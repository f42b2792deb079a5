"""RawKernel and RawModule."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from gpuarray import _layout, _transfers
from gpuarray._raw import RawKernel, RawModule
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.stream import Stream
from gpuarray.errors import CompileError, DriverError, HostArrayError, UnsupportedDTypeError
from gpuarray.kernels.compiler import compilation as compiler


def up(host):
    host = np.ascontiguousarray(host)
    return _transfers.from_host(host, _layout.contiguous(host.dtype, host.shape))


def down(array):
    host = np.empty(array._layout.shape, array._layout.dtype)
    _transfers.download(array, host, None, True)
    return host


ADD = r"""
extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n) z[i] = x[i] + y[i];
}"""


@pytest.fixture(scope="module")
def add():
    return RawKernel(ADD, "add")


# -- launching -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "grid, block",
    [
        ((10,), (10,)),
        ((1,), (100,)),
        ((4, 1), (32, 1, 1)),
        ([4], [32]),
        (4, 32),
        ((np.int64(4),), (np.int32(32),)),
    ],
)
def test_grid_and_block(add, grid, block):
    x = np.arange(100, dtype="f")
    for _ in range(2):  # the first launch prepares, the second finds what it prepared
        z = up(np.zeros(100, "f"))
        add(grid, block, (up(x), up(x), z, np.int32(100)))
        np.testing.assert_array_equal(down(z), 2 * x)


def test_three_dimensions():
    kernel = RawKernel(
        """extern "C" __global__ void f(int* out) {
            int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
            int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
            out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
        }""",
        "f",
    )
    out = up(np.zeros(6 * 24, "i"))
    kernel((1, 2, 3), (2, 3, 4), (out,))
    expected = (np.arange(6)[:, None] * 1000 + np.arange(24)).ravel()
    np.testing.assert_array_equal(down(out), expected)


def test_streams(add):
    x, z = up(np.arange(8, dtype="f")), up(np.zeros(8, "f"))
    stream = Stream(non_blocking=True)
    current.stream.synchronize()
    add((1,), (8,), (x, x, z, 8), stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(down(z), 2 * np.arange(8))
    with stream:
        add((1,), (8,), (z, z, z, 8))
        stream.synchronize()
    np.testing.assert_array_equal(down(z), 4 * np.arange(8))


def test_threads_share_a_kernel(add):
    failures = []

    def work(number):
        x, z = up(np.full(64, number, "f")), up(np.zeros(64, "f"))
        for _ in range(20):
            add((2,), (32,), (x, x, z, np.int32(64)))
            if not np.all(down(z) == 2 * number):
                failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_dynamic_shared_memory():
    kernel = RawKernel(
        """extern "C" __global__ void f(const int* x, int* out, int n) {
            extern __shared__ int shared[];
            for (int i = threadIdx.x; i < n; i += blockDim.x) shared[i] = x[i];
            __syncthreads();
            for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = shared[n - 1 - i];
        }""",
        "f",
    )
    for n in (8, 16384):  # 64 KiB are more than a launch gets without asking
        x = np.arange(n, dtype="i")
        out = up(np.zeros(n, "i"))
        kernel((1,), (64,), (up(x), out, np.int32(n)), shared_mem=4 * n)
        np.testing.assert_array_equal(down(out), x[::-1])
    assert kernel.max_dynamic_shared_size_bytes >= 65536
    with pytest.raises(DriverError, match=r"shared_mem=100000000 bytes .* exceed the \d+ bytes"):
        kernel((1,), (64,), (out, out, np.int32(8)), shared_mem=100_000_000)
    with pytest.raises(DriverError, match="negative"):
        kernel((1,), (64,), (out, out, np.int32(8)), shared_mem=-1)


# -- arguments -----------------------------------------------------------------------------------

STORE = "template <class T> __global__ void store(T value, T* out) { *out = value; }"


@pytest.mark.parametrize(
    "value, ctype, dtype",
    [
        (np.int8(-3), "signed char", "i1"),
        (np.uint8(200), "unsigned char", "u1"),
        (np.int16(-300), "short", "i2"),
        (np.uint16(60000), "unsigned short", "u2"),
        (np.int32(-70000), "int", "i4"),
        (np.uint32(4_000_000_000), "unsigned", "u4"),
        (np.int64(-(1 << 40)), "long long", "i8"),
        (np.uint64((1 << 64) - 1), "unsigned long long", "u8"),
        (np.float32(1.25), "float", "f4"),
        (np.float64(1e300), "double", "f8"),
        (np.float32("inf"), "float", "f4"),
        (np.float16(0.5), "unsigned short", "u2"),
        (np.bool_(True), "bool", "?"),
        (True, "bool", "?"),
        (False, "bool", "?"),
        (-5, "long long", "i8"),
        (7, "int", "i4"),
        (1.5, "double", "f8"),
    ],
    ids=repr,
)
def test_scalars(value, ctype, dtype):
    module = RawModule(STORE, name_expressions=[f"store<{ctype}>"])
    out = up(np.zeros(1, dtype))
    module.get_function(f"store<{ctype}>")((1,), (1,), (value, out))
    expected = value.view(np.uint16) if isinstance(value, np.float16) else value
    assert down(out)[0] == expected


_MISFITS = [
    (2**40, "int", "i4", OverflowError), (np.int64(2**40), "int", "i4", OverflowError),
    (2**31, "int", "i4", OverflowError), (np.uint32(2**31), "int", "i4", OverflowError),
    (-1, "unsigned", "u4", OverflowError), (np.int32(-1), "unsigned", "u4", OverflowError),
    (-1, "size_t", "u8", OverflowError), (2**64, "unsigned long long", "u8", OverflowError),
    (2**63, "long long", "i8", OverflowError), (300, "unsigned char", "u1", OverflowError),
    (-129, "signed char", "i1", OverflowError), (2**16, "short", "i2", OverflowError),
    (10**5000, "int", "i4", OverflowError), (1, "float", "f4", TypeError),
    (np.int32(1), "float", "f4", TypeError), (np.float32(1), "int", "i4", TypeError),
    (1.5, "long long", "i8", TypeError), (2, "double", "f8", TypeError),
    (np.complex64(1), "long long", "i8", TypeError), (np.complex64(1), "double", "f8", TypeError),
]  # fmt: skip


@pytest.mark.parametrize("value, ctype, dtype, error", _MISFITS, ids=map(str, range(len(_MISFITS))))
def test_numbers_that_do_not_fit_their_parameter(value, ctype, dtype, error):
    code = f'extern "C" __global__ void store({ctype} value, {ctype}* out) {{ *out = value; }}'
    kernel = RawKernel(code, "store")
    out = up(np.full(1, 7, dtype))
    for _ in range(2):
        with pytest.raises(error, match="store: argument 0"):
            kernel((1,), (1,), (value, out))
        assert down(out)[0] == 7
        kernel((1,), (1,), (np.dtype(dtype).type(7), out))


def test_integers_of_a_sign_that_the_source_does_not_tell():
    # The parameter's type is a macro's, so that only its size is known.
    code = """
    #define WORD(sign) sign int
    extern "C" __global__ void store(WORD(unsigned) a, WORD(signed) b, long long* out) {
        out[0] = a; out[1] = b;
    }"""
    kernel = RawKernel(code, "store")
    out = up(np.zeros(2, "i8"))
    for a, b in [(1, -1), (2**32 - 1, -(2**31)), (5, 2**31 - 1), (np.int64(2**31), 3)]:
        for _ in range(2):
            kernel((1,), (1,), (a, b, out))
            assert down(out).tolist() == [a, b]
    for a, b in [(2**32, 0), (0, -(2**31) - 1), (2**32 - 1, 2**40)]:
        with pytest.raises(OverflowError, match="store: argument [01] .* 32-bit integer"):
            kernel((1,), (1,), (a, b, out))


def test_unsigned_parameters_take_all_of_their_range():
    code = """extern "C" __global__ void store(unsigned long long a, unsigned b, bool c,
    unsigned long long* out) { out[0] = a; out[1] = b; out[2] = c; }"""
    out = up(np.zeros(3, "u8"))
    kernel = RawKernel(code, "store")
    kernel((1,), (1,), (2**64 - 1, 2**32 - 1, 256, out))
    assert down(out).tolist() == [2**64 - 1, 2**32 - 1, 1]


@pytest.mark.parametrize("value", [1.5, True, np.float64(3), -1])
def test_numbers_that_are_no_addresses(value):
    kernel = RawKernel('extern "C" __global__ void touch(int* p) { if (p) *p = 1; }', "touch")
    with pytest.raises((TypeError, OverflowError), match="touch: argument 0"):
        kernel((1,), (1,), (value,))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_host_arrays_of_one_element_are_passed_by_value(shape):
    code = """extern "C" __global__ void store(int a, double b, bool c, double* out) {
        out[0] = a + b + c; }"""
    kernel = RawKernel(code, "store")
    out = up(np.zeros(1))
    for k in (1, 2):
        values = np.full(shape, -7 * k, "i4"), np.full(shape, 0.5), np.full(shape, True)
        kernel((1,), (1,), (*values, out))
        assert down(out)[0] == -7 * k + 1.5
    with pytest.raises(TypeError, match="argument 0 .* has 8 bytes"):
        kernel((1,), (1,), (np.full(shape, 1), *values[1:], out))
    with pytest.raises(HostArrayError, match="argument 0"):
        kernel((1,), (1,), (np.ones(2, "i4"), *values[1:], out))


@pytest.mark.parametrize("value, ctype", [(np.complex64(1 - 2j), "float"), (3 + 4j, "double")])
def test_complex_scalars(value, ctype):
    code = f"""struct C {{ {ctype} re, im; }};
    extern "C" __global__ void f(C value, {ctype}* out) {{ out[0] = value.re; out[1] = value.im; }}
    """
    out = up(np.zeros(2, "f4" if ctype == "float" else "f8"))
    RawKernel(code, "f")((1,), (1,), (value, out))
    assert down(out).tolist() == [value.real, value.imag]


def test_structures_by_value():
    code = """struct S { int a; double b; signed char c[3]; };
    extern "C" __global__ void f(S s, double* out) {
        out[0] = s.a; out[1] = s.b; out[2] = s.c[2];
    }"""
    dtype = np.dtype([("a", "i4"), ("b", "f8"), ("c", "i1", 3)], align=True)
    kernel = RawKernel(code, "f")
    host = np.zeros(2, dtype)
    host[0] = (1, 2.5, (3, 4, 5))
    host[1] = (-1, -2.5, (-3, -4, -5))
    for value, expected in ((host[0], [1, 2.5, 5]), (host[1], [-1, -2.5, -5])):
        out = up(np.zeros(3))
        kernel((1,), (1,), (value, out))
        assert down(out).tolist() == expected
    kernel((1,), (1,), (host[:1], out))  # a structured host array is a value too
    assert down(out).tolist() == [1, 2.5, 5]
    packed = np.zeros(1, np.dtype([("a", "i4")]))[0]
    with pytest.raises(TypeError, match=r"argument 0 \(void\) has 4 bytes"):
        kernel((1,), (1,), (packed, out))


def test_types_may_change_between_launches():
    kernel = RawKernel(
        'extern "C" __global__ void f(long long v, double* p, double* out)'
        "{ *out = v + (p ? *p : 100); }",
        "f",
    )
    p = up(np.array([0.5]))
    out = up(np.zeros(1))
    for _ in range(2):
        for value, pointer, expected in (
            (1, p, 1.5),
            (np.int64(2), p, 2.5),
            (3, None, 103),
            (np.uint64(4), None, 104),
        ):
            kernel((1,), (1,), (value, pointer, out))
            assert down(out)[0] == expected


def test_other_memory(add):
    class Foreign:
        def __init__(self, array):
            self.__cuda_array_interface__ = {
                "data": (array._pointer, False),
                "shape": (4,),
                "typestr": "<f4",
                "version": 3,
            }

    from gpuarray._runtime.memory_pointer import malloc

    x, z = up(np.arange(4, dtype="f")), up(np.zeros(4, "f"))
    add((1,), (4,), (Foreign(x), x, z, 4))
    assert down(z).tolist() == [0, 2, 4, 6]
    memory = malloc(16)
    add((1,), (4,), (x, z, memory, 4))
    add((1,), (4,), (memory, memory, z, 4))
    assert down(z).tolist() == [0, 6, 12, 18]


def test_bad_arguments(add):
    x = up(np.zeros(4, "f"))
    with pytest.raises(HostArrayError, match=r"argument 1 .*asarray"):
        add((1,), (4,), (x, np.zeros(4, "f"), x, 4))
    with pytest.raises(TypeError, match="add: argument 3 has type str"):
        add((1,), (4,), (x, x, x, "4"))
    with pytest.raises(TypeError, match="one tuple"):
        add((1,), (4,), x)
    with pytest.raises(TypeError, match=r"add: .*kernel\(grid, block, \(x, y, n\)\)"):
        add[1, 4](x, x, x, 4)
    with pytest.raises(TypeError, match=r"add: grid=.*kernel\(grid, block, \(x, y, n\)\)"):
        add(x, x, (x, 4))
    with pytest.raises(UnsupportedDTypeError, match="argument 3"):
        add((1,), (4,), (x, x, x, np.longdouble(4)))
    with pytest.raises(OverflowError, match="argument 3 is 9223372036854775808"):
        add((1,), (4,), (x, x, x, 1 << 63))
    with pytest.raises(TypeError, match=r"takes 4 arguments \(of 8, 8, 8, 4 bytes\), but 3"):
        add((1,), (4,), (x, x, x))
    with pytest.raises(TypeError, match="takes 4 arguments"):
        add((1,), (4,), (x, x, x, 4, 4))
    with pytest.raises(TypeError, match=r"argument 3 \(float\) has 8 bytes"):
        add((1,), (4,), (x, x, x, 4.0))
    with pytest.raises(TypeError, match=r"argument 2 .* has 4 bytes"):
        add((1,), (4,), (x, x, np.int32(4), 4))
    add((1,), (4,), (x, x, x, 4))
    with pytest.raises(OverflowError, match="argument 3"):  # also by the prepared launcher
        add((1,), (4,), (x, x, x, 1 << 63))
    add((1,), (4,), (x, x, x, 4))


@pytest.mark.parametrize(
    "grid, block, text",
    [
        ((0,), (1,), r"grid=\(0, 1, 1\) is not within 1 to"),
        ((1, 1 << 20), (1,), r"grid=\(1, 1048576, 1\) .*65535"),
        ((1,), (1, 1, 65), r"block=\(1, 1, 65\) .*64"),
        ((1,), (64, 32), "2048 threads, but this kernel can have 1024"),
        ((1,), (-1,), "not within"),
        ((1, 1, 1, 1), (1,), "4 dimensions"),
        ((), (1,), "0 dimensions"),
    ],
)
def test_bad_grid_and_block(add, grid, block, text):
    x = up(np.zeros(4, "f"))
    with pytest.raises(DriverError, match=text) as caught:
        add(grid, block, (x, x, x, 4))
    assert caught.value.status == 1


def test_grid_and_block_of_wrong_types(add):
    x = up(np.zeros(4, "f"))
    with pytest.raises(TypeError, match=r"grid=\(1\.5,\)"):
        add((1.5,), (1,), (x, x, x, 4))
    with pytest.raises(TypeError, match="block='a'"):
        add((1,), "a", (x, x, x, 4))
    with pytest.raises(TypeError, match="stream"):
        add((1,), (1,), (x, x, x, 4), stream=0)


# -- modules -------------------------------------------------------------------------------------

SEVERAL = r"""
__constant__ float scale = 2;
__device__ int counter = 5;
extern "C" {
__global__ void sum_ker(const float* a, const float* b, float* c, int n)
{ int t = blockDim.x * blockIdx.x + threadIdx.x; if (t < n) c[t] = a[t] + b[t]; }
__global__ void multiply_ker(const float* a, const float* b, float* c, int n)
{ int t = blockDim.x * blockIdx.x + threadIdx.x; if (t < n) c[t] = scale * a[t] * b[t]; }
}
template <class T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }
__global__ void mangled(int* x) { *x = counter; }
"""


@pytest.fixture(scope="module")
def module():
    return RawModule(code=SEVERAL, name_expressions=("fill<float>", "fill<int>", "&counter"))


def test_several_kernels(module):
    a = np.arange(25, dtype="f")
    c = up(np.zeros(25, "f"))
    module.get_function("sum_ker")((1,), (25,), (up(a), up(a), c, np.int32(25)))
    np.testing.assert_array_equal(down(c), 2 * a)
    module.get_function("multiply_ker")((5,), (5,), (up(a), up(a), c, np.int32(25)))
    np.testing.assert_array_equal(down(c), 2 * a * a)


def test_name_expressions(module):
    x = up(np.zeros(3, "f"))
    module.get_function("fill<float>")((1,), (3,), (x, np.float32(1.5)))
    assert down(x).tolist() == [1.5] * 3
    kernel = RawKernel("template <int N> __global__ void f(int* x) { *x = N; }", "f<3 + 4>")
    out = up(np.zeros(1, "i"))
    kernel((1,), (1,), (out,))
    assert down(out)[0] == 7


def test_globals(module):
    from gpuarray._ffi import driver

    pointer = module.get_global("scale")
    assert pointer.mem.size == 4
    value = np.array([3], "f")
    driver.memcpy_htod_async(pointer.ptr, value.ctypes.data, 4, current.stream.handle)
    a, c = up(np.ones(4, "f")), up(np.zeros(4, "f"))
    module.get_function("multiply_ker")((1,), (4,), (a, a, c, 4))
    assert down(c).tolist() == [3] * 4
    value[0] = 2
    driver.memcpy_htod_async(pointer.ptr, value.ctypes.data, 4, current.stream.handle)
    current.stream.synchronize()
    with pytest.raises(DriverError, match="NOT_FOUND"):
        module.get_global("missing")


def test_unknown_kernel_names_the_near_ones(module):
    with pytest.raises(DriverError, match="did you mean 'sum_ker'") as caught:
        module.get_function("sum_kernel")
    assert caught.value.status_name == "CUDA_ERROR_NOT_FOUND"
    with pytest.raises(DriverError, match=r"did you mean 'fill<(int|float)>'"):
        module.get_function("fill<double>")
    with pytest.raises(DriverError, match=r'mangled name .*extern "C"'):
        module.get_function("mangled")
    with pytest.raises(
        DriverError, match=r"its kernels are '(sum|multiply)_ker', '(sum|multiply)_ker', '_Z"
    ):
        RawKernel(SEVERAL, "qwxyz").compile()


def test_module_from_a_file(tmp_path):
    image = compiler.compile(SEVERAL, name="file", architecture="sm_75", kind="ptx")
    path = tmp_path / "möduł.ptx"
    path.write_bytes(image.data)
    for given in (path, str(path)):
        module = RawModule(path=given)
        a, c = up(np.arange(25, dtype="f")), up(np.zeros(25, "f"))
        module.get_function("sum_ker")((1,), (25,), (a, a, c, np.int32(25)))
        np.testing.assert_array_equal(down(c), 2 * np.arange(25))
        assert module.file_path == str(path)


def test_bad_files(tmp_path):
    with pytest.raises(FileNotFoundError):
        RawModule(path=tmp_path / "missing.ptx").compile()
    for name, content in (("broken.ptx", b".version 8.0\n.target sm_90\nnonsense"), ("empty", b"")):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(DriverError):
            RawModule(path=tmp_path / name).compile()


def test_modules_of_the_same_code_are_loaded_once(add):
    assert RawKernel(ADD, "add")._module.load() is not None
    one, other = RawModule(ADD), RawModule(ADD)
    assert one.load() is other.load()
    assert RawModule(ADD, options=("-DX",)).load() is not one.load()


def test_compile_errors_show_the_lines():
    kernel = RawKernel('extern "C" __global__ void f(int* x) {\n  *x = undefined;\n}', "f")
    for _ in range(2):
        with pytest.raises(CompileError, match=r"> 2 \|   \*x = undefined;"):
            kernel((1,), (1,), (up(np.zeros(1, "i")),))

    class Log:
        text = ""

        def write(self, text):
            self.text += text

    log = Log()
    with pytest.raises(CompileError):
        kernel.compile(log_stream=log)
    assert "undefined" in log.text


@pytest.mark.parametrize(
    "arguments, text",
    [
        ({}, "either code= .* or path="),
        ({"code": "", "path": "x"}, "either"),
        ({"code": 3}, "not int"),
        ({"code": "", "options": "-DX"}, "sequence of strings"),
        ({"code": "", "name_expressions": "f<int>"}, "sequence of strings"),
        ({"path": "x", "options": ("-DX",)}, "for source, not for path="),
        ({"code": b"", "translate_cucomplex": True}, "for source, not for compiled code"),
    ],
)
def test_bad_modules(arguments, text):
    with pytest.raises(TypeError, match=text):
        RawModule(**arguments)


def test_backend_and_name():
    with pytest.raises(ValueError, match="nvcc"):
        RawModule("", backend="nvcc")
    with pytest.raises(TypeError, match="name is a string"):
        RawKernel(ADD, 1)


def test_attributes(add):
    assert add.name == "add"
    assert add.code == ADD
    assert add.options == ()
    assert add.backend == "nvrtc"
    assert add.file_path is None
    assert not add.enable_cooperative_groups
    assert add.max_threads_per_block == 1024
    assert add.num_regs > 0
    assert add.shared_size_bytes == 0
    assert add.local_size_bytes == 0
    assert add.const_size_bytes == 0
    assert add.ptx_version == add.binary_version == int(current.stream.device.architecture[3:])
    assert set(add.attributes) >= {"num_regs", "max_threads_per_block", "cache_mode_ca"}
    add.max_dynamic_shared_size_bytes = 60000
    assert add.max_dynamic_shared_size_bytes == 60000
    with pytest.raises(AttributeError):
        add.num_regs = 3


def with_a_grid_barrier(**options):
    kernel = RawKernel(
        """#include <cooperative_groups.h>
        extern "C" __global__ void f(int* x, int* out) {
            x[blockIdx.x] = blockIdx.x + 1;
            auto grid = cooperative_groups::this_grid();
            if (!out) { x[blockIdx.x] = grid.is_valid(); return; }
            grid.sync();
            if (blockIdx.x == 0) { int sum = 0; for (int i = 0; i < gridDim.x; ++i) sum += x[i];
                *out = sum; }
        }""",
        "f",
        **options,
    )
    try:
        kernel.compile()
    except CompileError as error:
        if "nv/target" not in error.log:
            raise
        pytest.skip("the CCCL headers are not installed")
    return kernel


def test_cooperative_launch():
    kernel = with_a_grid_barrier(enable_cooperative_groups=True)
    out, valid = up(np.zeros(1, "i")), up(np.zeros(8, "i"))
    kernel((8,), (1,), (up(np.zeros(8, "i")), out))
    assert down(out)[0] == 36
    kernel((8,), (1,), (valid, 0))
    assert down(valid).tolist() == [1] * 8
    with_a_grid_barrier()((8,), (1,), (valid, 0))
    assert down(valid).tolist() == [0] * 8


@pytest.mark.parametrize("header", ["cupy/complex.cuh", "thrust/complex.h"])
@pytest.mark.parametrize(("dtype", "real"), [("c8", "float"), ("c16", "double")])
def test_complex_header(header, dtype, real):
    code = f"""
    #include <{header}>
    extern "C" __global__ void f(const complex<{real}>* x, complex<{real}>* y, {real} a) {{
        const int i = threadIdx.x;
        y[i] = a * x[i] - conj(x[i]) + exp(thrust::complex<{real}>(0, 1)) * abs(x[i]);
    }}"""
    x = np.array([1 + 2j, -3j, 0.5], dtype)
    y = up(np.zeros(3, dtype))
    RawKernel(code, "f")((1,), (3,), (up(x), y, x.real.dtype.type(2)))
    np.testing.assert_allclose(down(y), 2 * x - x.conj() + np.exp(1j) * abs(x), rtol=1e-6)


def test_a_complex_number_without_its_header():
    code = 'extern "C" __global__ void f(complex<float>* x) { x[0] = 1; }'
    with pytest.raises(CompileError) as raised:
        RawKernel(code, "f").compile()
    assert any("cupy/complex.cuh" in note for note in raised.value.__notes__)


def test_translate_cucomplex():
    kernel = RawKernel(
        'extern "C" __global__ void f(cuFloatComplex* x) { *x = cuCmulf(*x, *x); }',
        "f",
        translate_cucomplex=True,
    )
    x = up(np.array([1 + 2j], "F"))
    kernel((1,), (1,), (x,))
    assert down(x)[0] == (1 + 2j) ** 2
