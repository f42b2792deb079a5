"""Fixtures of the driver's tests. gpuarray is imported when they run, not before."""

import pytest


def driver():
    from gpuarray._ffi import driver

    return driver


def _image():
    from tests.ffi.device_work import image

    return image()


@pytest.fixture(scope="session")
def _primary():
    """The primary context of device 0, held: making one takes a GPU a good while."""
    yield driver().primary_context_retain(0)
    driver().primary_context_release(0)


@pytest.fixture
def context(_primary):
    """The primary context of device 0, current; the work of the test is over at its end."""
    driver().context_set_current(_primary)
    yield _primary
    driver().context_set_current(_primary)
    driver().context_synchronize()


@pytest.fixture
def kernels(context):
    """The kernels above by name."""
    module = driver().module_load_data(_image())
    yield lambda name: driver().module_get_function(module, name)
    driver().module_unload(module)


@pytest.fixture
def allocate(context):
    """Device copies of arrays, freed when the test ends."""
    pointers = []

    def copy_of(array):
        pointer = driver().mem_alloc(array.nbytes)
        pointers.append(pointer)
        driver().memcpy_htod(pointer, array.ctypes.data, array.nbytes)
        return pointer

    yield copy_of
    for pointer in pointers:
        driver().mem_free(pointer)


@pytest.fixture
def stream(context):
    """A stream that does not wait for the legacy default stream."""
    handle = driver().stream_create(1)
    yield handle
    driver().stream_destroy(handle)


@pytest.fixture(scope="session")
def ptx():
    """PTX of the kernels that tests of the emulator load."""
    from gpuarray._ffi import nvrtc
    from tests.ffi.emulated import SOURCE

    return nvrtc.compile(SOURCE, "k", options=["--gpu-architecture=compute_90"])[0]


@pytest.fixture
def emulated():
    """A fresh emulated machine with two devices."""
    from tests.ffi.emulated import Emulated

    return Emulated()
