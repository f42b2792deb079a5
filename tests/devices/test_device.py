"""Devices: the objects, their attributes, the current one, and the runtime's functions."""

import pickle
import subprocess
import sys
import threading

import pytest

import gpuarray as cp
from gpuarray.errors import InvalidDeviceError

runtime = cp.cuda.runtime
DEVICE = cp.cuda.Device(0)
COUNT = runtime.getDeviceCount()


def test_one_object_a_device():
    assert cp.cuda.Device(0) is DEVICE
    assert cp.cuda.Device(DEVICE) is DEVICE
    assert cp.cuda.Device() is DEVICE
    assert pickle.loads(pickle.dumps(DEVICE)) is DEVICE
    assert (int(DEVICE), DEVICE.id, str(DEVICE)) == (0, 0, "<CUDA Device 0>")


def test_comparison():
    assert DEVICE == cp.cuda.Device(0)
    assert DEVICE != 0
    assert DEVICE <= DEVICE
    assert DEVICE >= DEVICE
    assert not DEVICE < DEVICE
    assert not DEVICE > DEVICE
    assert {DEVICE: 1}[cp.cuda.Device(0)] == 1
    with pytest.raises(TypeError):
        DEVICE < 1  # noqa: B015


@pytest.mark.parametrize("number", [-1, COUNT, 10**6])
def test_a_device_that_is_not_there(number):
    for make in (cp.cuda.Device, runtime.setDevice, runtime.getDeviceProperties):
        with pytest.raises(InvalidDeviceError, match=rf"Device\({number}\): there") as caught:
            make(number)
    # As CuPy's programs catch it, and as a wrong value.
    assert isinstance(caught.value, runtime.CUDARuntimeError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.status == 101
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_number_of_another_type():
    with pytest.raises(TypeError):
        cp.cuda.Device("0")
    with pytest.raises(TypeError):
        cp.cuda.Device(0.0)


def test_use_returns_the_device():
    assert DEVICE.use() is DEVICE
    assert cp.cuda.get_device_id() == runtime.getDevice() == 0
    runtime.setDevice(0)


def test_blocks_nest_and_end_in_the_reverse_order():
    with cp.cuda.Device(0) as outer:
        stream = cp.cuda.Stream()
        with stream:
            with outer:
                assert cp.cuda.get_current_stream() is stream
            assert cp.cuda.get_current_stream() is stream
    with pytest.raises(ZeroDivisionError), DEVICE:
        raise ZeroDivisionError
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null


def test_a_new_thread_begins_with_device_0():
    found = []
    thread = threading.Thread(target=lambda: found.append(cp.cuda.Device()))
    thread.start()
    thread.join()
    assert found == [DEVICE]


def test_attributes():
    attributes = DEVICE.attributes
    assert attributes["WarpSize"] == 32
    assert attributes["MultiProcessorCount"] == DEVICE.multiprocessors > 0
    capability = attributes["ComputeCapabilityMajor"], attributes["ComputeCapabilityMinor"]
    assert "".join(map(str, capability)) == DEVICE.compute_capability
    assert cp.cuda.device.get_compute_capability() == DEVICE.compute_capability
    for name, value in attributes.items():
        number = getattr(runtime, f"cudaDevAttr{name}")
        assert runtime.deviceGetAttribute(number, 0) == value
    assert len(attributes) > 90


def test_an_attribute_that_is_none():
    with pytest.raises(runtime.CUDARuntimeError) as caught:
        runtime.deviceGetAttribute(100000, 0)
    assert caught.value.status == runtime.errorInvalidValue


def test_properties_have_every_name_of_cupy():
    properties = runtime.getDeviceProperties(0)
    missing = set(CUPY_PROPERTIES.split()) - set(properties)
    assert not missing
    assert properties["name"] == DEVICE.name.encode()
    assert len(properties["uuid"]) == 16
    assert isinstance(properties["luid"], bytes)
    assert properties["totalGlobalMem"] == DEVICE.mem_info[1] or properties["totalGlobalMem"] > 0
    lengths = {name: len(x) for name, x in properties.items() if isinstance(x, tuple)}
    assert lengths["maxThreadsDim"] == lengths["maxGridSize"] == lengths["maxTexture3D"] == 3
    assert lengths["maxTexture2D"] == lengths["maxSurface2D"] == 2
    for name, value in properties.items():
        assert isinstance(value, int | bytes | tuple), name


CUPY_PROPERTIES = """
name totalGlobalMem sharedMemPerBlock regsPerBlock warpSize maxThreadsPerBlock maxThreadsDim
maxGridSize clockRate totalConstMem major minor textureAlignment texturePitchAlignment
multiProcessorCount kernelExecTimeoutEnabled integrated canMapHostMemory computeMode maxTexture1D
maxTexture2D maxTexture3D concurrentKernels ECCEnabled pciBusID pciDeviceID pciDomainID tccDriver
memoryClockRate memoryBusWidth l2CacheSize maxThreadsPerMultiProcessor isMultiGpuBoard
cooperativeLaunch cooperativeMultiDeviceLaunch maxTexture1DMipmap maxTexture1DLayered
maxTexture2DMipmap maxTexture2DLinear maxTexture2DLayered maxTexture2DGather maxTexture3DAlt
maxTextureCubemap maxTextureCubemapLayered maxSurface1D maxSurface1DLayered maxSurface2D
maxSurface2DLayered maxSurface3D maxSurfaceCubemap maxSurfaceCubemapLayered surfaceAlignment
asyncEngineCount unifiedAddressing streamPrioritiesSupported globalL1CacheSupported
localL1CacheSupported sharedMemPerMultiprocessor regsPerMultiprocessor managedMemory
multiGpuBoardGroupID hostNativeAtomicSupported pageableMemoryAccess concurrentManagedAccess
computePreemptionSupported canUseHostPointerForRegisteredMem sharedMemPerBlockOptin
pageableMemoryAccessUsesHostPageTables directManagedMemAccessFromHost uuid luid luidDeviceNodeMask
persistingL2CacheMaxSize maxBlocksPerMultiProcessor accessPolicyMaxWindowSize
reservedSharedMemPerBlock deviceOverlap maxTexture1DLinear singleToDoublePrecisionPerfRatio
"""


def test_the_bus():
    bus = DEVICE.pci_bus_id
    assert runtime.deviceGetPCIBusId(0) == bus
    assert runtime.deviceGetByPCIBusId(bus) == 0
    assert cp.cuda.Device.from_pci_bus_id(bus) is DEVICE
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.deviceGetByPCIBusId("ffff:ff:1f.0")


def test_memory():
    free, total = DEVICE.mem_info
    assert 0 < free <= total
    assert runtime.memGetInfo()[1] == total
    DEVICE.synchronize()
    runtime.deviceSynchronize()


def test_the_device_of_an_address():
    x = cp.zeros(3)
    assert cp.cuda.device.from_pointer(x.data.ptr) is DEVICE
    with pytest.raises(ValueError, match="from_pointer: the address 0x0 is null"):
        cp.cuda.device.from_pointer(0)


def test_a_device_is_no_peer_of_its_own():
    assert runtime.deviceCanAccessPeer(0, 0) == 0
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.deviceEnablePeerAccess(0)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.deviceDisablePeerAccess(0)


def test_backend(backend):
    assert cp.cuda.backend() == backend
    assert cp.cuda.is_available() == (backend == "cuda")


def test_library_handles_are_the_users():
    from gpuarray._ffi import cublas
    from gpuarray._libraries import handles

    found = DEVICE.cublas_handle
    assert found == DEVICE.cublas_handle == cp.cuda.get_cublas_handle()
    assert found == cp.cuda.device.get_cublas_handle()
    assert DEVICE.cusolver_handle == cp.cuda.device.get_cusolver_handle() != 0
    assert cublas.library.cublasGetVersion_v2(found) > 0
    ours = handles.BLAS.on(cp.cuda.get_current_stream()).handle
    assert found != ours
    others = []
    thread = threading.Thread(target=lambda: others.append(DEVICE.cublas_handle))
    thread.start()
    thread.join()
    assert others[0] not in (found, ours)


def test_handle_objects():
    destroyed = []
    handle = cp.cuda.device.Handle(5, destroyed.append)
    assert handle.handle == 5
    del handle
    assert destroyed == [5]
    cp.cuda.device.Handle(5, None)


def test_limits():
    before = runtime.deviceGetLimit(0)
    try:
        runtime.deviceSetLimit(0, 4096)
        assert runtime.deviceGetLimit(0) >= 4096
    finally:
        runtime.deviceSetLimit(0, before)
    assert runtime.deviceGetLimit(2) > 0  # the heap of malloc
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.deviceGetLimit(1000)


DEEP = r"""
extern "C" __device__ __noinline__ int depth(int n, volatile int* way) {
    volatile int kept[16];
    kept[n & 15] = n;
    return n ? depth(n - 1, way) + (kept[n & 15] == n) + *way : 0;
}
extern "C" __global__ void deep(int n, int* way, int* out) { *out = depth(n, way); }
"""


def test_deep_recursion_with_a_stack_that_holds_it():
    levels = 50  # some 5 KiB; a GPU reserves the stack for every thread that it can run at once
    before = runtime.deviceGetLimit(0)
    kernel = cp.RawKernel(DEEP, "deep")
    way, out = cp.zeros(1, "i4"), cp.zeros(1, "i4")
    runtime.deviceSetLimit(0, 8 << 10)
    try:
        kernel((1,), (1,), (levels, way, out))
        assert int(out[0]) == levels
    finally:
        runtime.deviceSetLimit(0, before)


@pytest.mark.emulator
def test_recursion_that_the_stack_does_not_hold():
    kernel = cp.RawKernel(DEEP, "deep")
    way, out = cp.zeros(1, "i4"), cp.zeros(1, "i4")
    with pytest.raises(cp.errors.DriverError, match="stack overflow") as caught:
        kernel((1,), (1,), (50, way, out))
    assert caught.value.status_name == "CUDA_ERROR_ILLEGAL_ADDRESS"
    assert "nested calls of" in str(caught.value)
    assert "deviceSetLimit(0, bytes)" in str(caught.value)
    kernel((1,), (1,), (2, way, out))
    assert int(out[0]) == 2


FIRST_CALLS = """
import gpuarray as cp
runtime = cp.cuda.runtime
{call}
print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "call",
    [
        "runtime.deviceGetLimit(0)",
        "runtime.getDeviceCount()",
        "runtime.deviceGetByPCIBusId(runtime.deviceGetPCIBusId(0))",
        "cp.cuda.Device().attributes",
    ],
)
def test_as_the_first_call_of_a_process(call):
    result = subprocess.run(
        [sys.executable, "-c", FIRST_CALLS.format(call=call)], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, "done\n"), result.stderr
