"""Modules of compiled code and their kernels, by CuPy's names.

`gpuarray.RawModule` and `gpuarray.RawKernel` are more convenient, and what these are made of.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._raw.module import RawModule
from gpuarray._runtime.stream import Stream
from gpuarray.cuda import driver
from gpuarray.errors import CUDAError

__all__ = ["Function", "LinkState", "Module"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)

_MOST_BLOCKS = 0x7FFFFFFF


class Module:
    """Compiled code on the device that is current when it is loaded.

    Each module that loads code has global variables of its own.

    Attributes
    ----------
    ptr : int
        The driver's handle, 0 before anything is loaded.
    mapping : dict or None
        C++ names of kernels to their symbols.

    Examples
    --------
    >>> import gpuarray as cp
    >>> source = 'extern "C" __global__ void f(int* x, int n) { x[threadIdx.x] = n; }'
    >>> module = cp.cuda.Module()
    >>> module.load(cp.cuda.compiler.compile(source).data)
    >>> x = cp.zeros(3, dtype="i4")
    >>> module.get_function("f")((1,), (3,), (x, cp.int32(5)))
    >>> x
    array([5, 5, 5], dtype=int32)
    """

    __slots__ = ("__weakref__", "_modules", "mapping", "ptr")

    def __init__(self) -> None:
        self.ptr = 0
        self.mapping: dict[str, str] | None = None
        self._modules: tuple[RawModule, RawModule] | None = None

    def __repr__(self) -> str:
        return f"<Module {self.ptr:#x}>" if self.ptr else "<Module without code>"

    def load(self, cubin: bytes) -> None:
        """Load compiled code.

        Parameters
        ----------
        cubin : bytes
            PTX, a cubin or a fatbin.
        """
        self._load(RawModule(code=cubin), RawModule(code=cubin, enable_cooperative_groups=True))

    def load_file(self, filename: str | bytes | os.PathLike[str]) -> None:
        """Load compiled code from a file.

        Parameters
        ----------
        filename : str
            A file with PTX, a cubin or a fatbin.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.cuda.Module().load_file("kernels.ptx")  # doctest: +SKIP
        """
        path = os.fsdecode(filename)
        self._load(RawModule(path=path), RawModule(path=path, enable_cooperative_groups=True))

    def _load(self, plain: RawModule, cooperative: RawModule) -> None:
        loaded = plain.load_apart()
        cooperative._share(loaded)
        self.ptr = loaded.module
        self._modules = plain, cooperative

    def get_function(self, name: str | bytes) -> Function:
        """A kernel of the module.

        Parameters
        ----------
        name : str
            Its symbol.

        Returns
        -------
        Function
            It.
        """
        return Function(self, _text(name))

    def get_global_var(self, name: str | bytes) -> int:
        """The address of a global variable of the module.

        Parameters
        ----------
        name : str
            Its symbol.

        Returns
        -------
        int
            Its address on the device.

        Examples
        --------
        >>> import gpuarray as cp
        >>> module = cp.cuda.Module()
        >>> source = '__device__ int n = 1; extern "C" __global__ void f() { n = 2; }'
        >>> module.load(cp.cuda.compiler.compile(source).data)
        >>> module.get_global_var("n") > 0
        True
        """
        return self._loaded()[0].get_global(_text(name)).ptr

    def _loaded(self) -> tuple[RawModule, RawModule]:
        if self._modules is None:
            raise CUDAError("the module has no code yet: call its load or load_file first")
        return self._modules


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


class Function:
    """A kernel of a module.

    Parameters
    ----------
    module : Module
        The module.
    funcname : str
        The kernel's symbol.

    Attributes
    ----------
    module : Module
        The module.
    ptr : int
        The driver's handle.

    Examples
    --------
    >>> import gpuarray as cp
    >>> module = cp.cuda.Module()
    >>> source = 'extern "C" __global__ void f(int* x) { x[threadIdx.x] = 1; }'
    >>> module.load(cp.cuda.compiler.compile(source).data)
    >>> x = cp.zeros(4, dtype="i4")
    >>> module.get_function("f").linear_launch(4, (x,))
    >>> x
    array([1, 1, 1, 1], dtype=int32)
    """

    __slots__ = ("__weakref__", "_kernels", "module", "ptr")

    def __init__(self, module: Module, funcname: str) -> None:
        if not isinstance(module, Module):
            raise TypeError(f"Function: module is a cuda.Module, not a {type(module).__name__}")
        plain, cooperative = module._loaded()
        self.module = module
        self._kernels = plain.get_function(funcname), cooperative.get_function(funcname)
        self.ptr = plain.load().function(funcname).handle

    def __repr__(self) -> str:
        return f"<Function {self._kernels[0].name} at {self.ptr:#x}>"

    def __call__(
        self,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        args: Sequence[Any],
        shared_mem: int = 0,
        stream: Stream | None = None,
        enable_cooperative_groups: bool = False,
    ) -> None:
        """Launch the kernel.

        Parameters
        ----------
        grid : tuple of int
            Blocks in x, y and z; 0 counts as 1.
        block : tuple of int
            Threads of a block in x, y and z; 0 counts as 1.
        args : tuple
            The kernel's arguments, as of `gpuarray.RawKernel`.
        shared_mem : int, optional
            Dynamic shared memory of a block, in bytes.
        stream : Stream, optional
            Where to launch; the current stream by default.
        enable_cooperative_groups : bool, optional
            Launch cooperatively, so that ``this_grid().sync()`` works.
        """
        kernel = self._kernels[bool(enable_cooperative_groups)]
        kernel(
            tuple([max(1, size) for size in grid]),
            tuple([max(1, size) for size in block]),
            args,
            shared_mem=shared_mem,
            stream=stream,
        )

    def linear_launch(
        self,
        size: int,
        args: Sequence[Any],
        shared_mem: int = 0,
        block_max_size: int = 128,
        stream: Stream | None = None,
        enable_cooperative_groups: bool = False,
    ) -> None:
        """Launch at least so many threads.

        Parameters
        ----------
        size : int
            Threads.
        args : tuple
            The kernel's arguments, as of `gpuarray.RawKernel`.
        shared_mem : int, optional
            Dynamic shared memory of a block, in bytes.
        block_max_size : int, optional
            Threads of a block at most.
        stream : Stream, optional
            Where to launch; the current stream by default.
        enable_cooperative_groups : bool, optional
            Launch cooperatively, so that ``this_grid().sync()`` works.
        """
        grid = min(_MOST_BLOCKS, -(-size // block_max_size))
        block = min(block_max_size, size)
        self((grid,), (block,), args, shared_mem, stream, enable_cooperative_groups)


class LinkState:
    """Pieces of code that are linked to one.

    `gpuarray.cuda.compiler.link` does it in one call.

    Attributes
    ----------
    ptr : int
        The handle for `gpuarray.cuda.driver`'s functions.

    Examples
    --------
    >>> import gpuarray as cp
    >>> ptx = cp.cuda.compiler.compile('extern "C" __global__ void f() {}').data
    >>> state = cp.cuda.function.LinkState()
    >>> state.add_ptr_data(ptx, "f.ptx")
    >>> module = cp.cuda.Module()
    >>> module.load(state.complete())  # doctest: +SKIP
    >>> module.get_function("f")((1,), (1,), ())  # doctest: +SKIP
    """

    __slots__ = ("__weakref__", "ptr")

    def __init__(self) -> None:
        self.ptr = driver.linkCreate()

    def __repr__(self) -> str:
        return f"<LinkState {self.ptr:#x}>"

    def __del__(self) -> None:
        driver._links.pop(getattr(self, "ptr", 0), None)

    def add_ptr_data(self, data: bytes, name: str) -> None:
        """Add compiled code.

        Parameters
        ----------
        data : bytes
            The code.
        name : str
            What it is called in messages.
        """
        driver.linkAddData(self.ptr, driver.CU_JIT_INPUT_PTX, data, name)

    def add_ptr_file(self, path: str) -> None:
        """Add a file.

        Parameters
        ----------
        path : str
            The file.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.cuda.function.LinkState().add_ptr_file("f.ptx")  # doctest: +SKIP
        """
        driver.linkAddFile(self.ptr, driver.CU_JIT_INPUT_LIBRARY, path)

    def complete(self) -> bytes:
        """Link what was added.

        Returns
        -------
        bytes
            What `Module.load` takes.
        """
        return driver.linkComplete(self.ptr)


without_annotations(globals())
