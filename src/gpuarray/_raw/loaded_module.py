"""Modules and kernels as they are loaded on a device."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, NamedTuple

from gpuarray import _fork
from gpuarray._ffi import driver
from gpuarray._runtime.device import Device
from gpuarray._runtime.launch_history import KernelCode
from gpuarray._runtime.user_code import LoadedCode
from gpuarray.errors import DriverError
from gpuarray.kernels import compiler

if TYPE_CHECKING:
    from gpuarray.kernels.compiler.cache import Image

_NOT_FOUND = 500  # CUDA_ERROR_NOT_FOUND
_INVALID_IMAGE = 200


class LoadedModule(LoadedCode):
    """A module on a device, and the kernels of it that are in use."""

    __slots__ = ("code", "functions", "image", "lowered_names")

    def __init__(self, device: Device, image: Image, code: KernelCode):
        self.code = code
        self.image = image.data
        self.lowered_names = image.lowered_names
        try:
            super().__init__(device, image.data)
        except DriverError as error:
            error.detail = f"loading {code.name}: {error.detail}"
            error.args = (error.call, error.status, error.status_name, error.detail)
            raise
        self.functions: weakref.WeakValueDictionary[str, LoadedFunction]
        self.functions = weakref.WeakValueDictionary()

    def function(self, name: str) -> LoadedFunction:
        """A kernel by its name, or by a name expression given to the module."""
        found = self.functions.get(name)
        if found is None:
            symbol = self.lowered_names.get(name, name)
            with self.device:
                try:
                    handle = driver.module_get_function(self.module, symbol)
                except DriverError as error:
                    if error.status != _NOT_FOUND:
                        raise
                    raise self._unknown(error, name) from None
            # Two threads may both ask the driver; one object has to win, since it keeps state.
            found = self.functions.setdefault(name, LoadedFunction(self, name, symbol, handle))
        return found

    def _unknown(self, error: DriverError, name: str) -> DriverError:
        import difflib

        names = compiler.images.kernel_names(self.image)
        known = sorted(names, key=lambda symbol: symbol.startswith("_Z"))
        mangled = [symbol for symbol in known if symbol.startswith(f"_Z{len(name)}{name}")]
        near = difflib.get_close_matches(name, [*known, *self.lowered_names], 3, 0.5)
        if mangled:
            hint = (
                f'it is there under the mangled name {mangled[0]!r}: declare it extern "C", or '
                "give its C++ name in name_expressions"
            )
        elif near:
            hint = "did you mean " + " or ".join(map(repr, near)) + "?"
        elif known:
            hint = "its kernels are " + ", ".join(map(repr, known[:10]))
        else:
            hint = "it has no kernels; declare them __global__"
        return DriverError(
            error.call,
            error.status,
            error.status_name,
            f"no kernel {name!r} in this module: {hint}",
        )


class Limits(NamedTuple):
    """The largest grid, block and number of threads in a block that a kernel can have."""

    grid: tuple[int, ...]
    block: tuple[int, ...]
    threads: int


class LoadedFunction:
    """A kernel on a device with its limits."""

    __slots__ = (
        "__weakref__",
        "_limits",
        "_lock",
        "argument",
        "device",
        "dynamic_limit",
        "handle",
        "module",
        "name",
        "parameters",
    )

    def __init__(self, module: LoadedModule, name: str, symbol: str, handle: int):
        self.module = module
        self.device = module.device
        self.name = name
        self.handle = handle
        self.argument = driver.function_argument(handle)
        #: Sizes in bytes, or None where the image does not tell.
        self.parameters = compiler.images.parameter_sizes(module.image, symbol)
        self.dynamic_limit: int | None = None
        self._limits: Limits | None = None
        self._lock = _fork.new_lock()

    def code(self) -> KernelCode:
        """What the kernel was compiled from, or its image."""
        return self.module.code._replace(symbol=self.name)

    def limits(self) -> Limits:
        """The kernel's limits, asked of the driver once."""
        if self._limits is None:
            grid, block = (
                tuple(self.device.attribute(f"max_{of}_dim_{axis}") for axis in "xyz")
                for of in ("grid", "block")
            )
            self._limits = Limits(grid, block, self.attribute("max_threads_per_block"))
        return self._limits

    def attribute(self, name: str) -> int:
        """An attribute by cuda.h's name without prefix, in lower case."""
        with self.device:
            return driver.function_attribute(name, self.handle)

    def set_attribute(self, name: str, value: int) -> None:
        """Set an attribute."""
        with self.device:
            driver.function_set_attribute(self.handle, name, value)
        self.dynamic_limit = None

    def allow_shared(self, size: int) -> None:
        """Let launches have `size` bytes of dynamic shared memory.

        The default is 48 KiB; more has to be asked for, function by function.
        """
        with self._lock:
            if self.dynamic_limit is None:
                self.dynamic_limit = self.attribute("max_dynamic_shared_size_bytes")
            if size <= self.dynamic_limit:
                return
            static = self.attribute("shared_size_bytes")
            most = self.device.attribute("max_shared_memory_per_block_optin")
            if size + static > most:
                raise refusal(
                    f"{self.name}: shared_mem={size} bytes and {static} bytes of static shared "
                    f"memory exceed the {most} bytes that a block can have on {self.device}"
                )
            self.set_attribute("max_dynamic_shared_size_bytes", size)
            self.dynamic_limit = size


def refusal(text: str) -> DriverError:
    """The error of a launch that the driver would refuse, with a reason that it does not give."""
    return DriverError("cuLaunchKernelEx", 1, "CUDA_ERROR_INVALID_VALUE", text)


def loadable(image: Image, label: str) -> Image:
    """The image, where it is something that a driver loads."""
    kind = compiler.images.kind_of(image.data)
    if kind in ("ptx", "cubin", "fatbin"):
        return image
    if kind == "lto":
        remedy = "is LTO-IR: link it first (gpuarray.cuda.compiler.link)"
    elif kind:
        remedy = f"is a host {kind}: link it first (gpuarray.cuda.compiler.link)"
    elif b"__global__" in image.data:
        remedy = "is CUDA C++ source: give its text as code="
    else:
        remedy = f"is not PTX, a cubin or a fatbin (it begins with {image.data[:16]!r})"
    # The driver's own error for it, with the reason that it does not give.
    raise DriverError(
        "cuModuleLoadDataEx", _INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", f"{label} {remedy}"
    )
