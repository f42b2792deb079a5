"""RawModule: CUDA C++ source, PTX or a binary with several kernels, loaded on each device."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from gpuarray._ffi import driver
from gpuarray._runtime.device import Device, current
from gpuarray._runtime.launch_history import Code
from gpuarray._runtime.memory import MemoryPointer, UnownedMemory
from gpuarray.errors import CompileError, DriverError
from gpuarray.kernels import compiler, generator

if TYPE_CHECKING:
    from gpuarray._raw.kernel import RawKernel
    from gpuarray.kernels.compiler.cache import Image

_NOT_FOUND = 500  # CUDA_ERROR_NOT_FOUND
_INVALID_IMAGE = 200


class LoadedModule:
    """A module on a device, and the kernels of it that were asked for."""

    __slots__ = ("code", "device", "functions", "handle", "image", "lowered_names")

    def __init__(self, device: Device, image: Image, code: Code):
        self.device = device
        self.code = code
        self.image = image.data
        self.lowered_names = image.lowered_names
        with device:
            try:
                self.handle = driver.module_load_data(image.data)
            except DriverError as error:
                error.detail = f"loading {code.name}: {error.detail}"
                error.args = (error.call, error.status, error.status_name, error.detail)
                raise
        self.functions: dict[str, LoadedFunction] = {}

    def function(self, name: str) -> LoadedFunction:
        """A kernel by its name, or by a name expression given to the module."""
        found = self.functions.get(name)
        if found is None:
            symbol = self.lowered_names.get(name, name)
            with self.device:
                try:
                    handle = driver.module_get_function(self.handle, symbol)
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
        self._lock = threading.Lock()

    def code(self) -> Code:
        """What the kernel was compiled from, or its image."""
        return self.module.code._replace(symbol=self.name)

    def limits(self) -> Limits:
        """The kernel's limits, asked of the driver once."""
        if self._limits is None:
            grid, block = (
                tuple(self.device.attribute(f"max_{what}_dim_{axis}") for axis in "xyz")
                for what in ("grid", "block")
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


class RawModule:
    """CUDA C++ code, or a compiled file, with kernels and global variables.

    It is compiled and loaded at first use, on each device where it is used. Modules of the same
    code and options share the loaded code and so its global variables.

    Parameters
    ----------
    code : str, bytes or Image, optional
        CUDA C++ source, or compiled code: PTX, a cubin or a fatbin, or what
        `gpuarray.cuda.compiler.compile` and `link` return. Exactly one of `code` and `path` is
        given.
    path : str, optional
        A file with PTX, a cubin or a fatbin.
    options : tuple of str, optional
        Options of NVRTC.
    backend : {'nvrtc'}, optional
        The compiler.
    translate_cucomplex : bool, optional
        Include ``cuComplex.h`` before the code.
    enable_cooperative_groups : bool, optional
        Launch kernels cooperatively, so that ``this_grid().sync()`` works.
    name_expressions : sequence of str, optional
        C++ names, such as ``scale<float>``, under which `get_function` and `get_global` find
        template instances and whatever else has no ``extern "C"`` name.
    jitify : bool, optional
        Accepted for CuPy's sake; standard headers need no such help here.
    check_arguments : bool, optional
        Compare the arguments of each launch with the declaration in the source; see `RawKernel`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> module = cp.RawModule(code='''
    ... template <class T> __global__ void fill(T* x, T value) { x[threadIdx.x] = value; }
    ... ''', name_expressions=["fill<float>", "fill<int>"])
    >>> x = cp.empty(3, "f")
    >>> module.get_function("fill<float>")((1,), (3,), (x, cp.float32(1.5)))
    >>> x
    array([1.5, 1.5, 1.5], dtype=float32)
    """

    def __init__(
        self,
        code: str | bytes | Image | None = None,
        *,
        path: str | os.PathLike[str] | None = None,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        enable_cooperative_groups: bool = False,
        name_expressions: Sequence[str] | None = None,
        jitify: bool = False,
        check_arguments: bool = False,
    ):
        if (code is None) == (path is None):
            raise TypeError("RawModule: give either code= (CUDA C++ source) or path= (a file)")
        if (
            code is not None
            and not isinstance(code, (str, bytes))
            and not isinstance(code, compiler.cache.Image)
        ):
            raise TypeError(
                "RawModule: code is a string of CUDA C++, or compiled code as bytes or an Image, "
                f"not {type(code).__name__}"
            )
        if backend != "nvrtc":
            raise ValueError(
                f"RawModule: backend={backend!r} is not available; the compiler is 'nvrtc' "
                "(compile with nvcc yourself and pass the file as path=)"
            )
        if not isinstance(code, str) and (options or name_expressions or translate_cucomplex):
            raise TypeError(
                "RawModule: options, name_expressions and translate_cucomplex are for source, not "
                f"for {'path=' if code is None else 'compiled code'}"
            )
        if isinstance(name_expressions, str):
            raise TypeError(
                f"RawModule: name_expressions is a sequence of strings: [{name_expressions!r}]"
            )
        self.code = code
        self.file_path = None if path is None else os.fspath(path)
        self.options = tuple(compiler.compilation.checked_options(options))
        self.backend = backend
        self.enable_cooperative_groups = enable_cooperative_groups
        self.check_arguments = check_arguments
        self.name_expressions = None if name_expressions is None else tuple(name_expressions)
        self._translate = translate_cucomplex
        self._name = "RawModule"
        self._loaded: dict[tuple[int, int], LoadedModule] = {}  # by device and generation

    def __repr__(self) -> str:
        return f"<{self._name} of {self.file_path or 'code'}>"

    def get_function(self, name: str) -> RawKernel:
        """A kernel of the module.

        Parameters
        ----------
        name : str
            Its ``extern "C"`` name, or one of the name expressions.

        Raises
        ------
        DriverError
            There is none; the message says which names are near.
        """
        from gpuarray._raw.kernel import RawKernel

        kernel = RawKernel._of_module(self, name)
        self.load().function(name)  # an unknown name shows here and not at the first launch
        return kernel

    def get_global(self, name: str) -> MemoryPointer:
        """A pointer to a global variable (``__device__`` or ``__constant__``) of the module."""
        loaded = self.load()
        with loaded.device:
            address, size = driver.module_get_global(
                loaded.handle, loaded.lowered_names.get(name, name)
            )
        memory = UnownedMemory(address, size, self, loaded.device.id)
        return MemoryPointer(memory, 0)

    def compile(self, log_stream: TextIO | None = None) -> None:
        """Compile and load the module on the current device now.

        Parameters
        ----------
        log_stream : file, optional
            Gets the compiler's log where compiling fails.
        """
        try:
            self.load()
        except CompileError as error:
            if log_stream is not None:
                log_stream.write(error.log)
            raise

    def load(self) -> LoadedModule:
        """The module on the current device."""
        device = current.stream.device
        place = device.id, device.generation
        loaded = self._loaded.get(place)
        if loaded is None:
            key = self._key()
            loaded = device.functions.get(key)
            if loaded is None:
                loaded = self._load(device)
                loaded = device.functions.setdefault(key, loaded)
            self._loaded[place] = loaded
        return loaded

    def _key(self) -> tuple[Any, ...]:
        if self.file_path is not None:
            status = os.stat(self.file_path)
            return ("raw file", self.file_path, status.st_mtime_ns, status.st_size)
        if self.code is not None and not isinstance(self.code, (str, bytes)):
            # By content: the names are in a dict, which has no hash.
            return ("raw image", self.code.data, tuple(self.code.lowered_names.items()))
        return ("raw", self.code, self.options, self.name_expressions, self._translate)

    def _load(self, device: Device) -> LoadedModule:
        if self.file_path is not None:
            with open(self.file_path, "rb") as file:
                image = _loadable(compiler.cache.Image(file.read()), repr(self.file_path))
            return LoadedModule(device, image, Code("", self.file_path, image=image.data))
        if self.code is not None and not isinstance(self.code, str):
            given = self.code
            image = compiler.cache.Image(given) if isinstance(given, bytes) else given
            image = _loadable(image, "the code")
            return LoadedModule(device, image, Code("", self._name, image=image.data))
        assert self.code is not None
        before = "#include <cuComplex.h>\n#line 1\n" if self._translate else ""
        code = Code(
            "",
            self._name,
            before + self.code,
            generator.user_code.included(self.code),
            options=self.options,
            name_expressions=self.name_expressions or (),
        )
        image = compiler.compilation.compile(
            code.source,
            name=code.name,
            headers=code.headers,
            options=code.options,
            architecture=device.architecture,
            kind=driver.image_kind,
            name_expressions=code.name_expressions,
        )
        return LoadedModule(device, image, code)


def _loadable(image: Image, what: str) -> Image:
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
        "cuModuleLoadDataEx", _INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", f"{what} {remedy}"
    )
