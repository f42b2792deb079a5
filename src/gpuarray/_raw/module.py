"""RawModule: CUDA C++ source, PTX or a binary with several kernels, loaded on each device."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from gpuarray._ffi import driver
from gpuarray._raw.loaded_module import LoadedModule, loadable
from gpuarray._runtime import user_code
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.device import Device
from gpuarray._runtime.launch_history import KernelCode
from gpuarray._runtime.memory_pointer import MemoryPointer
from gpuarray._runtime.ordered_memory import UnownedMemory
from gpuarray.errors import CompileError
from gpuarray.kernels import compiler, generator

if TYPE_CHECKING:
    from gpuarray._raw.kernel import RawKernel
    from gpuarray.kernels.compiler.cache import Image


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
    >>> counting = cp.RawModule(code='__device__ int n; extern "C" __global__ void f() { n++; }')
    >>> counting.get_global("n").mem.size
    4
    """

    #: RawKernel, which is made of a module: its file sets this.
    _kernel_class: ClassVar[Any]

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
        self.options = tuple(compiler.options.checked_options(options))
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

        Returns
        -------
        RawKernel
            It.

        Raises
        ------
        DriverError
            There is none; the message says which names are near.
        """
        if not isinstance(name, str):
            raise TypeError(f"get_function: a kernel's name is a str, not {name!r}")
        kernel = self._kernel_class._of_module(self, name)
        self.load().function(name)  # an unknown name shows here and not at the first launch
        return kernel

    def get_global(self, name: str) -> MemoryPointer:
        """A pointer to a global variable (``__device__`` or ``__constant__``) of the module.

        Parameters
        ----------
        name : str
            Its name in C, or one of the name expressions.

        Returns
        -------
        MemoryPointer
            Its first byte, which keeps the module.

        Raises
        ------
        TypeError
            If the name is no text.
        """
        if not isinstance(name, str):
            raise TypeError(f"get_global: a variable's name is a str, not {name!r}")
        loaded = self.load()
        with loaded.device:
            address, size = driver.module_get_global(
                loaded.module, loaded.lowered_names.get(name, name)
            )
        memory = UnownedMemory(address, size, self, loaded.device.id)
        return MemoryPointer(memory, 0)

    def compile(self, log_stream: TextIO | None = None) -> None:
        """Compile and load the module on the current device now.

        Parameters
        ----------
        log_stream : file, optional
            Gets the compiler's log where compiling fails.

        Examples
        --------
        >>> import gpuarray as cp
        >>> module = cp.RawModule(code='__device__ int n; extern "C" __global__ void f() {}')
        >>> module.compile()
        >>> module.get_global("n").mem.size
        4
        """
        try:
            self.load()
        except CompileError as error:
            if log_stream is not None:
                log_stream.write(error.log)
            raise

    def load_apart(self) -> LoadedModule:
        """Load the module on the current device with global variables of its own.

        Returns
        -------
        LoadedModule
            The driver's module and its kernels.

        Examples
        --------
        >>> import gpuarray as cp
        >>> module = cp.RawModule(code='extern "C" __global__ void f() {}')
        >>> apart = module.load_apart()
        """
        loaded = self._load(current.stream.device, self._kernel_code())
        self._share(loaded)
        return loaded

    def _share(self, loaded: LoadedModule) -> None:
        """Use what is loaded on a device already."""
        self._loaded[loaded.device.id, loaded.generation] = loaded

    def load(self) -> LoadedModule:
        """The module on the current device.

        Returns
        -------
        LoadedModule
            The driver's module and its kernels.

        Examples
        --------
        >>> import gpuarray as cp
        >>> module = cp.RawModule(code='extern "C" __global__ void f() {}')
        >>> module.load() is module.load()
        True
        """
        device = current.stream.device
        device_key = device.id, device.generation
        loaded = self._loaded.get(device_key)
        if loaded is None:
            code = self._kernel_code()
            key = self._key(code)
            loaded = user_code.find(device, key, lambda: self._load(device, code))
            self._loaded[device_key] = loaded
        return loaded

    def _key(self, code: KernelCode) -> tuple[Any, ...]:
        """What modules that share the loaded code have in common: contents, the headers' too."""
        if self.file_path is not None:
            return ("raw file", self.file_path, code.image)
        if self.code is not None and not isinstance(self.code, (str, bytes)):
            # By content: the names are in a dict, which has no hash.
            return ("raw image", self.code.data, tuple(self.code.lowered_names.items()))
        headers = compiler.compilation.content(code.source, code.headers, code.options)
        return ("raw", self.code, self.options, self.name_expressions, self._translate, headers)

    def _kernel_code(self) -> KernelCode:
        if self.file_path is not None:
            with open(self.file_path, "rb") as file:
                return KernelCode("", self.file_path, image=file.read())
        assert self.code is not None
        if not isinstance(self.code, str):
            return KernelCode("", self._name, image=bytes(self.code))
        before = "#include <cuComplex.h>\n#line 1\n" if self._translate else ""
        return KernelCode(
            "",
            self._name,
            before + self.code,
            generator.user_code.included(self.code),
            options=self.options,
            name_expressions=self.name_expressions or (),
        )

    def _load(self, device: Device, code: KernelCode) -> LoadedModule:
        if isinstance(self.code, str):
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
        label = "the code" if self.file_path is None else repr(self.file_path)
        given = self.code
        if not isinstance(given, compiler.cache.Image):
            given = compiler.cache.Image(code.image)
        image = loadable(given, label)
        return LoadedModule(device, image, code._replace(image=image.data))
