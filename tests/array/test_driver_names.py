"""`cuda.driver`, `cuda.function`, and what there is of a toolkit, by CuPy's names."""

import ctypes
import io
import os
import re
import stat
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import locate
from gpuarray.cuda import _driver_constants, _toolkit, driver, runtime
from gpuarray.errors import CompileError, CUDAError

SOURCE = r"""
__device__ int offset = 5;
extern "C" __global__ void f(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] += i + offset;
}
"""
CONSTANTS = {
    name: value for name, value in vars(_driver_constants).items() if not name.startswith("_")
}


@pytest.fixture(scope="module")
def image():
    return cp.cuda.compiler.compile(SOURCE, name="f").data


def test_constants_are_those_of_the_header():
    headers = [Path(folder) / "cuda.h" for folder in locate.include_directories()]
    text = next(path for path in headers if path.exists()).read_text(errors="replace")
    for name, value in CONSTANTS.items():
        assert getattr(driver, name) == value
        assert name in driver.__all__
        if name == "CU_JIT_NUM_OPTIONS":
            continue
        if name.startswith("CU_JIT_"):  # enumerators without numbers: their order
            body = next(
                body for body in re.findall(r"enum[^{;]*\{(.*?)\}", text, re.DOTALL) if name in body
            )
            plain = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
            order = [entry.split("=")[0].strip() for entry in plain.split(",")]
            assert order.index(name) == value, name
        else:
            found = re.search(rf"\b{name}\s*=?\s*(0x[0-9a-fA-F]+|\d+)", text)
            assert int(found[1], 0) == value, name


def test_a_module_from_load_to_unload(image):
    module = driver.moduleLoadData(image)
    function = driver.moduleGetFunction(module, "f")
    address = driver.moduleGetGlobal(module, "offset")
    offset = np.int32(7)
    runtime.memcpy(address, np.array([offset]).ctypes.data, 4, runtime.memcpyHostToDevice)
    x = cp.zeros(40, "i4")
    arguments = [ctypes.c_uint64(x.data.ptr), ctypes.c_int32(40)]
    pointers = (ctypes.c_void_p * 2)(*map(ctypes.addressof, arguments))
    stream = cp.cuda.get_current_stream().ptr
    driver.launchKernel(function, 2, 1, 1, 32, 1, 1, 0, stream, ctypes.addressof(pointers), 0)
    assert x.tolist() == list(range(7, 47))
    driver.launchCooperativeKernel(
        function, 2, 1, 1, 32, 1, 1, 0, stream, ctypes.addressof(pointers)
    )
    assert x.tolist() == list(range(14, 94, 2))
    cp.cuda.Device().synchronize()
    driver.moduleUnload(module)


def test_a_module_from_a_file(image, tmp_path):
    path = tmp_path / "f.image"
    path.write_bytes(image)
    module = driver.moduleLoad(str(path))
    with pytest.raises(driver.CUDADriverError, match="no kernel 'g'") as raised:
        driver.moduleGetFunction(module, "g")
    assert raised.value.status == 500
    with pytest.raises(driver.CUDADriverError, match="no global variable 'g'"):
        driver.moduleGetGlobal(module, "g")
    driver.moduleUnload(module)


def test_attributes_and_occupancy(image):
    module = driver.moduleLoadData(image)
    function = driver.moduleGetFunction(module, "f")
    most = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function)
    assert most == 1024
    name = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    driver.funcSetAttribute(function, name, 4096)
    assert driver.funcGetAttribute(name, function) == 4096
    assert driver.occupancyMaxActiveBlocksPerMultiprocessor(function, 128, 0) >= 1
    grid, block = driver.occupancyMaxPotentialBlockSize(function, 0, 256)
    assert grid >= 1
    assert 32 <= block <= 256
    driver.moduleUnload(module)


def test_contexts():
    cp.zeros(1)
    primary = driver.ctxGetCurrent()
    assert primary
    assert driver.ctxGetDevice() == cp.cuda.Device().id
    assert driver.streamGetCtx(cp.cuda.Stream().ptr) == primary
    other = driver.ctxCreate(cp.cuda.Device().id)
    try:
        assert driver.ctxGetCurrent() == other != primary
        driver.ctxSetCurrent(primary)
        assert driver.ctxGetCurrent() == primary
    finally:
        driver.ctxDestroy(other)
        driver.ctxSetCurrent(primary)
    with pytest.raises(driver.CUDADriverError):
        driver.ctxCreate(99)
    assert (cp.arange(3) + 1).tolist() == [1, 2, 3]


def test_the_status_of_the_driver():
    driver.check_status(0)
    with pytest.raises(driver.CUDADriverError, match="CUDA_ERROR_INVALID_VALUE") as raised:
        driver.check_status(driver.CUDA_ERROR_INVALID_VALUE)
    assert raised.value.status == 1
    assert driver.get_build_version() == runtime.runtimeGetVersion()


def test_the_modules_of_cuda_function(image, tmp_path):
    first, second = cp.cuda.Module(), cp.cuda.Module()
    assert (first.ptr, first.mapping) == (0, None)
    with pytest.raises(CUDAError, match="no code yet"):
        first.get_function("f")
    path = tmp_path / "f.image"
    path.write_bytes(image)
    first.load(image)
    second.load_file(bytes(path))
    assert first.ptr
    assert first.ptr != second.ptr
    # Each has variables of its own.
    one = np.array([1], "i4")
    runtime.memcpy(second.get_global_var("offset"), one.ctypes.data, 4, runtime.memcpyHostToDevice)
    x, y = cp.zeros(5, "i4"), cp.zeros(5, "i4")
    first.get_function(b"f")((1,), (5,), (x, cp.int32(5)))
    second.get_function("f")((1, 0), (5,), (y, cp.int32(5)), 0, cp.cuda.Stream.null)
    cp.cuda.Device().synchronize()
    assert x.tolist() == [5, 6, 7, 8, 9]
    assert y.tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(driver.CUDADriverError, match="no kernel 'g'"):
        first.get_function("g")


@pytest.mark.parametrize("cooperative", [False, True])
def test_functions_launch_lines_of_threads(image, cooperative):
    module = cp.cuda.Module()
    module.load(image)
    function = module.get_function("f")
    assert isinstance(function, cp.cuda.Function)
    assert function.module is module
    assert function.ptr
    x = cp.zeros(300, "i4")
    function.linear_launch(
        300, (x, cp.int32(300)), block_max_size=64, enable_cooperative_groups=cooperative
    )
    assert x.tolist() == list(range(5, 305))


def test_a_function_outlives_its_module(image):
    module = cp.cuda.Module()
    module.load(image)
    function = module.get_function("f")
    del module
    x = cp.zeros(2, "i4")
    function((1,), (2,), (x, cp.int32(2)))
    assert x.tolist() == [5, 6]


def test_linking():
    compiler = cp.cuda.compiler
    square = compiler.compile("__device__ int square(int x) { return x * x; }", kind="lto")
    caller = compiler.compile(
        """__device__ int square(int);
        extern "C" __global__ void f(int* x) { x[threadIdx.x] = square(x[threadIdx.x]); }""",
        kind="lto",
    )
    state = cp.cuda.function.LinkState()
    state.add_ptr_data(square.data, "square")
    driver.linkAddData(state.ptr, driver.CU_JIT_INPUT_NVVM, caller.data, "caller")
    module = cp.cuda.Module()
    module.load(state.complete())
    x = cp.arange(4, dtype="i4")
    module.get_function("f")((1,), (4,), (x,))
    assert x.tolist() == [0, 1, 4, 9]
    handle = driver.linkCreate()
    driver.linkDestroy(handle)
    with pytest.raises(driver.CUDADriverError, match="no handle of linkCreate"):
        driver.linkComplete(handle)


def test_modules_without_contents_say_that_they_are_not_available():
    for module in (cp.cuda.cub, cp.cuda.thrust, cp.cuda.jitify):
        assert module.available is False
    with pytest.raises(AttributeError, match="has no attribute 'Modul'; did you mean 'Module'"):
        cp.cuda.Modul  # noqa: B018
    assert {"driver", "Module"} <= set(cp.cuda.__all__)


def test_compile_using_nvrtc():
    image, mapping = cp.cuda.compiler.compile_using_nvrtc(SOURCE)
    assert mapping is None
    assert cp.RawModule(code=image).get_function("f")
    log = io.StringIO()
    with pytest.raises(cp.cuda.compiler.CompileException, match="undefined") as raised:
        cp.cuda.compiler.compile_using_nvrtc("int f() { return g; }", log_stream=log)
    assert 'identifier "g" is undefined' in log.getvalue()
    assert raised.value.name == "kern.cu"
    assert raised.value.backend == "nvrtc"
    dumped = io.StringIO()
    raised.value.dump(dumped)
    assert raised.value.get_message() in dumped.getvalue()
    assert "1 | int f() { return g; }" in dumped.getvalue()


NVCC = """\
    #!{python}
    import sys
    words = sys.argv[1:]
    print("warning: nvcc was called")
    source = [word for word in words if word.endswith(".cu")]
    if source and "wrong" in open(source[0]).read():
        print(source[0] + '(1): error: it is wrong', file=sys.stderr)
        sys.exit(2)
    with open(words[words.index("-o") + 1], "w") as file:
        file.write(" ".join(words))
    """


def test_compile_using_nvcc(tmp_path, monkeypatch):
    compile_ = cp.cuda.compiler.compile_using_nvcc
    with monkeypatch.context() as patch:
        patch.setattr(_toolkit, "get_nvcc_path", lambda: None)
        with pytest.raises(cp.cuda.compiler.NVCCException, match="there is no nvcc"):
            compile_(SOURCE)
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(textwrap.dedent(NVCC.format(python=sys.executable)))
    nvcc.chmod(nvcc.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(locate, "_toolkit_folders", list)
    assert cp.cuda.get_nvcc_path() == str(nvcc)
    log = io.StringIO()
    text = compile_(SOURCE, ("-DN=1",), arch="80", log_stream=log).decode()
    assert text.startswith("-gencode=arch=compute_80,code=sm_80 --cubin -DN=1 -o ")
    assert "nvcc was called" in log.getvalue()
    assert b"--ptx" in compile_(SOURCE, code_type="ptx")
    assert b"--device-link --cubin" in compile_(SOURCE, separate_compilation=True)
    with pytest.raises(CompileError, match="it is wrong") as raised:
        compile_("wrong", filename="x.cu")
    assert raised.value.backend == "nvcc"
    assert "x.cu(1): error: it is wrong\n> 1 | wrong" in str(raised.value)
    with pytest.raises(ValueError, match="code_type is 'cubin' or 'ptx', not 'sass'"):
        compile_(SOURCE, code_type="sass")


def test_paths():
    assert Path(cp.cuda.get_cuda_path(), "lib").is_dir() or Path(cp.cuda.get_cuda_path()).is_dir()
    assert cp.cuda.get_rocm_path() is None
    assert cp.cuda.get_hipcc_path() is None
    assert cp.cuda.get_local_runtime_version() == runtime.runtimeGetVersion()
