"""An emulated machine of a test's own, apart from the one of the process."""

import ctypes

import numpy as np
import pytest

from gpuarray._ffi.driver_enums import STATUS_NAMES
from gpuarray._ffi.driver_prototypes import PROTOTYPES
from gpuarray._ffi.emulator import open_driver
from gpuarray._ffi.launch_arguments import ArgumentBuffer, function_argument, launch_config
from gpuarray._ffi.library import Library
from gpuarray.errors import DriverError

SOURCE = """
extern "C" __global__ void store(int *a, int value) { a[threadIdx.x] = value; }
extern "C" __global__ void __launch_bounds__(64) bounded(int *a) { a[0] = 1; }
"""


class Emulated:
    """A fresh emulated machine, apart from the one of the process."""

    def __init__(self, count=2, sticky_faults=False):
        self.source = open_driver(count, sticky_faults)
        self.calls = Library("emulated", PROTOTYPES, lambda: self.source, self.error)
        self.launch = self.source["cuLaunchKernelEx"]
        self.contexts = [self.calls.primary_context_retain(n) for n in range(count)]
        self.use(0)

    def use(self, device):
        self.calls.context_set_current(self.contexts[device])

    def error(self, call, status):
        interruption = self.source.take_interruption()
        if interruption is not None:
            return interruption
        text = ctypes.c_char_p()
        self.calls.raw("get_error_string")(status, ctypes.byref(text))
        return DriverError(call, status, STATUS_NAMES[status], text.value.decode())

    def load(self, ptx, name):
        module = ctypes.c_uint64()
        status = self.calls.raw("module_load_data")(ctypes.byref(module), ptx, 0, None, None)
        if status:
            self.calls.fail("module_load_data", status)
        return module.value, self.calls.module_get_function(module.value, name.encode())

    def store(self, function, pointer, value=5, threads=4, stream=0):
        buffer = ArgumentBuffer((8, 4))
        buffer.words[0] = pointer
        buffer.view(1, "i")[0] = value
        config = launch_config((1, 1, 1), (threads, 1, 1), 0, stream)
        status = self.launch(config, function_argument(function), buffer.params, None)
        if status:
            self.calls.fail("launch_kernel_ex", status)

    def fetch(self, pointer, count):
        result = np.empty(count, np.int32)
        self.calls.memcpy_dtoh_async(result.ctypes.data, pointer, result.nbytes, 0)
        return result.tolist()


def fails(status_name, call, *arguments, match=None):
    with pytest.raises(DriverError, match=match) as raised:
        call(*arguments)
    assert raised.value.status_name == status_name
    return raised.value
