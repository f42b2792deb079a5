"""`cuda.cublas`, `cuda.nvrtc` and so on, by CuPy's names."""

import re
from pathlib import Path

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver, locate
from gpuarray.cuda import cublas, cufft, curand, cusolver, cusparse, nvrtc, runtime
from gpuarray.errors import CUDAError, LibraryError, LibraryNotFoundError

#: The headers with each module's constants.
HEADERS = {
    cublas: ("cublas_api.h",),
    cusolver: ("cusolverDn.h", "cusolver_common.h"),
    cusparse: ("cusparse.h",),
    curand: ("curand.h",),
    cufft: ("cufft.h", "cufftXt.h"),
}
#: CuPy's names for others, and what is newer than CUDA 12.9.
NOT_IN_THE_HEADER = {
    "CUBLAS_GEMM_DFALT": cublas.CUBLAS_GEMM_DEFAULT,
    "CUBLAS_GEMM_DFALT_TENSOR_OP": cublas.CUBLAS_GEMM_DEFAULT_TENSOR_OP,
    "CUSPARSE_CSR2CSC_ALG2": 2,
    "CUSPARSE_SPGEAM_ALG_DEFAULT": 0,
    "CUSPARSE_SPGEAM_ALG1": 1,
}


def texts(file, names):
    try:
        folders = [Path(locate.library(file)).parents[1] / "include"]
    except (CUDAError, LibraryNotFoundError) as error:
        pytest.skip(f"the wheel is not installed: {error}")
    folders += [Path(folder) for folder in locate.include_directories()]
    found = [folder / name for name in names for folder in folders if (folder / name).exists()]
    text = "\n".join(path.read_text(errors="replace") for path in found)
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


@pytest.mark.parametrize("module", HEADERS, ids=lambda module: module.__name__.split(".")[-1])
def test_constants_are_those_of_the_headers(module):
    text = texts(module.__name__.split(".")[-1], HEADERS[module])
    for name in module.__all__:
        value = getattr(module, name)
        if name in NOT_IN_THE_HEADER:
            assert value == NOT_IN_THE_HEADER[name]
        elif name.isupper() or name.startswith("CUFFT_") or re.match(r"[A-Z]{6,}_", name):
            found = re.search(rf"\b{name}\b\s*=?\s*(0[xX][0-9a-fA-F]+|-?\d+)", text)
            if found is not None:
                assert int(found[1], 0) == value, name
            else:  # an enumerator without a number: the first is 0
                body = next(b for b in re.findall(r"\{([^{}]*)\}", text) if re.search(name, b))
                order = [entry.split("=")[0].strip() for entry in body.split(",")]
                assert order.index(name) == value, name


def test_handles_of_cublas():
    handle = cublas.create()
    assert cublas.getVersion(handle) >= 120000
    stream = cp.cuda.Stream()
    cublas.setStream(handle, stream.ptr)
    assert cublas.getStream(handle) == stream.ptr
    assert cublas.getPointerMode(handle) == cublas.CUBLAS_POINTER_MODE_HOST
    cublas.setPointerMode(handle, cublas.CUBLAS_POINTER_MODE_DEVICE)
    assert cublas.getPointerMode(handle) == cublas.CUBLAS_POINTER_MODE_DEVICE
    cublas.setMathMode(handle, 3)
    assert cublas.getMathMode(handle) == 3
    cublas.destroy(handle)


PRODUCTS = {
    "s": ("f4", runtime.CUDA_R_32F, cublas.CUBLAS_COMPUTE_32F),
    "d": ("f8", runtime.CUDA_R_64F, cublas.CUBLAS_COMPUTE_64F),
    "c": ("c8", runtime.CUDA_C_32F, cublas.CUBLAS_COMPUTE_32F),
    "z": ("c16", runtime.CUDA_C_64F, cublas.CUBLAS_COMPUTE_64F),
}


@pytest.mark.parametrize("letter", PRODUCTS)
def test_products_of_matrices(letter):
    dtype, number, compute = PRODUCTS[letter]
    rng = np.random.default_rng(7)
    # Column-major matrices are the transposes of these.
    a, b, c = (rng.integers(-3, 4, shape).astype(dtype) for shape in [(4, 2), (3, 4), (3, 2)])
    if np.dtype(dtype).kind == "c":
        a, b = a * (1 + 2j), b * (2 - 1j)
        a, b = a.astype(dtype), b.astype(dtype)
    numbers = np.array([2, 3], dtype)
    alpha, beta = numbers.ctypes.data, numbers.ctypes.data + numbers.itemsize
    expected = 2 * (b @ a) + 3 * c
    x, y = cp.asarray(a), cp.asarray(b)
    handle = cublas.create()
    n = cublas.CUBLAS_OP_N
    sizes = (handle, n, n, 2, 3, 4)

    z = cp.asarray(c)
    getattr(cublas, f"{letter}gemm")(
        *sizes, alpha, x.data.ptr, 2, y.data.ptr, 4, beta, z.data.ptr, 2
    )
    np.testing.assert_array_equal(cp.asnumpy(z), expected)
    z = cp.asarray(c)
    cublas.gemmEx(
        *sizes, alpha, x.data.ptr, number, 2, y.data.ptr, number, 4, beta, z.data.ptr, number, 2,
        compute, cublas.CUBLAS_GEMM_DEFAULT,
    )  # fmt: skip
    np.testing.assert_array_equal(cp.asnumpy(z), expected)
    two = cp.asarray(np.stack([c, c]))
    xs = cp.asarray(np.stack([a, 2 * a]))
    getattr(cublas, f"{letter}gemmStridedBatched")(
        *sizes, alpha, xs.data.ptr, 2, 8, y.data.ptr, 4, 0, beta, two.data.ptr, 2, 6, 2
    )
    np.testing.assert_array_equal(cp.asnumpy(two), np.stack([expected, 2 * (b @ (2 * a)) + 3 * c]))
    cp.cuda.Device().synchronize()
    cublas.destroy(handle)


def test_products_are_queued_on_the_current_stream():
    handle = cublas.create()
    x = cp.ones((2, 2), "f4")
    one = np.ones(1, "f4")
    with cp.cuda.Stream() as stream:
        z = cp.zeros((2, 2), "f4")
        cublas.sgemm(
            handle, 0, 0, 2, 2, 2, one.ctypes.data, x.data.ptr, 2, x.data.ptr, 2, one.ctypes.data,
            z.data.ptr, 2,
        )  # fmt: skip
        assert cublas.getStream(handle) == stream.ptr
        assert z.tolist() == [[2, 2], [2, 2]]
    stream.synchronize()
    cublas.destroy(handle)


def test_handles_of_cusolver():
    assert cusolver._getVersion() >= (11, 0, 0)
    assert cusolver.getProperty(0) == cusolver._getVersion()[0]
    stream = cp.cuda.Stream().ptr
    handle = cusolver.create()
    cusolver.setStream(handle, stream)
    assert cusolver.getStream(handle) == stream
    cusolver.destroy(handle)
    handle = cusolver.spCreate()
    cusolver.spSetStream(handle, stream)
    assert cusolver.spGetStream(handle) == stream
    cusolver.spDestroy(handle)
    cusolver.destroyParams(cusolver.createParams())


def test_handles_of_a_device():
    device = cp.cuda.Device()
    found = device.cusolver_sp_handle
    assert found == cp.cuda.device.get_cusolver_sp_handle() != device.cusolver_handle
    stream = cp.cuda.Stream()
    cusolver.spSetStream(found, stream.ptr)
    assert device.cusolver_sp_handle == found
    assert cusolver.spGetStream(found) == stream.ptr
    cusolver.spSetStream(found, 0)
    assert device.cusparse_handle == cp.cuda.device.get_cusparse_handle() != 0


@pytest.mark.parametrize(
    "module, error, name",
    [
        (cublas, "CUBLASError", "CUBLAS_STATUS_NOT_INITIALIZED"),
        (cusolver, "CUSOLVERError", "CUSOLVER_STATUS_NOT_INITIALIZED"),
        (cusparse, "CuSparseError", "CUSPARSE_STATUS_NOT_INITIALIZED"),
        (cufft, "CuFFTError", "CUFFT_INVALID_PLAN"),
        (curand, "CURANDError", "unknown status"),
    ],
    ids=lambda value: getattr(value, "__name__", value).split(".")[-1],
)
def test_statuses(module, error, name):
    check = module.check_result if module is cufft else module.check_status
    check(0)
    with pytest.raises(getattr(module, error), match=name) as raised:
        check(1)
    assert raised.value.status == 1
    assert isinstance(raised.value, LibraryError)
    if module is cufft:
        assert raised.value.result == 1


def test_versions_need_no_device():
    """They are the real library's, also on the emulated device."""
    try:
        path = locate.library("curand")
    except LibraryNotFoundError:
        with pytest.raises(LibraryNotFoundError, match="pip install nvidia-curand"):
            curand.getVersion()
    else:
        assert curand.getVersion() // 1000 >= 10, path


@pytest.mark.emulator
def test_what_is_not_emulated_says_so():
    text = "curandCreateGenerator needs a GPU: the emulated device has no cuRAND"
    with pytest.raises(CUDAError, match=text):
        curand.createGenerator(100)
    with pytest.raises(ValueError, match="generateNormal: .* pairs, and 3 is odd"):
        curand.generateNormal(0, 0, 3, 0.0, 1.0)


def _installed(name):
    try:
        locate.library(name)
    except (CUDAError, LibraryNotFoundError):
        return False
    return driver.backend == "cuda"


@pytest.mark.skipif("not _installed('curand')", reason="a GPU and cuRAND are needed")
def test_generators_of_curand():
    generator = curand.createGenerator(curand.CURAND_RNG_PSEUDO_PHILOX4_32_10)
    curand.setPseudoRandomGeneratorSeed(generator, 7)
    curand.setGeneratorOffset(generator, 0)
    curand.setGeneratorOrdering(generator, curand.CURAND_ORDERING_PSEUDO_DEFAULT)
    x = cp.zeros(10000, "f4")
    curand.generateUniform(generator, x.data.ptr, x.size)
    values = cp.asnumpy(x)
    assert 0 < values.min() < values.mean() < values.max() <= 1
    assert abs(values.mean() - 0.5) < 0.02
    wide = cp.zeros(10000)
    curand.generateNormalDouble(generator, wide.data.ptr, wide.size, 5.0, 2.0)
    values = cp.asnumpy(wide)
    assert abs(values.mean() - 5) < 0.2
    assert abs(values.std() - 2) < 0.1
    whole = cp.zeros(10000, "u4")
    curand.generate(generator, whole.data.ptr, whole.size)
    assert len(np.unique(cp.asnumpy(whole))) > 9900
    curand.generatePoisson(generator, whole.data.ptr, whole.size, 4.0)
    assert abs(cp.asnumpy(whole).mean() - 4) < 0.2
    curand.destroyGenerator(generator)


def test_handles_of_cusparse():
    handle = cusparse.create()
    assert cusparse.getVersion(handle) == cusparse.get_build_version()
    stream = cp.cuda.Stream()
    cusparse.setStream(handle, stream.ptr)
    assert cusparse.getStream(handle) == stream.ptr
    cusparse.setPointerMode(handle, cusparse.CUSPARSE_POINTER_MODE_DEVICE)
    cusparse.destroy(handle)


def test_plans_of_cufft():
    plan = cufft.create()
    cufft.setAutoAllocation(plan, 0)
    x = cp.zeros(4, "c8")
    with pytest.raises(cufft.CuFFTError):  # nobody has said what it transforms
        cufft.execC2C(plan, x.data.ptr, x.data.ptr, cufft.CUFFT_FORWARD)


def test_programs_of_nvrtc():
    assert nvrtc.getVersion()[0] == locate.cuda_major()
    assert 80 in nvrtc.getSupportedArchs()
    source = '#include "n.h"\ntemplate <class T> __global__ void f(T* x) { *x = N; }'
    program = nvrtc.createProgram(source, "", (b"#define N 5",), (b"n.h",))
    nvrtc.addNameExpression(program, "f<int>")
    nvrtc.compileProgram(program, ("-arch=sm_80",))
    symbol = nvrtc.getLoweredName(program, "f<int>")
    assert f".entry {symbol}(".encode() in nvrtc.getPTX(program)
    assert nvrtc.getCUBIN(program)[1:4] == b"ELF"
    assert nvrtc.getProgramLog(program) == ""
    nvrtc.destroyProgram(program)
    program = nvrtc.createProgram("int f() { return g; }", "x.cu", (), ())
    with pytest.raises(nvrtc.NVRTCError, match="COMPILATION") as raised:
        nvrtc.compileProgram(program, ("-arch=compute_80",))
    assert raised.value.status == 6
    assert 'identifier "g" is undefined' in nvrtc.getProgramLog(program)
    nvrtc.destroyProgram(program)
    with pytest.raises(nvrtc.NVRTCError):
        nvrtc.check_status(3)
    with pytest.raises(ValueError, match="1 headers have 0 include names"):
        nvrtc.createProgram("", "", (b"",), ())
