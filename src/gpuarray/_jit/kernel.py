"""`rawkernel`: a function written in Python, launched as a kernel.

Launches are kept for each stream under the layouts of arrays and the types of numbers, as those of
the package's own functions are; only the first one translates the function.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, ParamSpec, TypeVar, overload

from gpuarray import _array, _calls, _dtypes, _layout
from gpuarray._integers import shortened
from gpuarray._jit import launch_arguments
from gpuarray._jit.functions import JitFunction, call_signature
from gpuarray._raw.kernel import RawKernel
from gpuarray._raw.module import RawModule
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan
from gpuarray._runtime.plans import find, key_of
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.generator.parameters import KernelParameter, scalar
from gpuarray.kernels.generator.user_code import array_constant, array_parameter

Mode = Literal["numpy", "cuda"]
P = ParamSpec("P")
F = TypeVar("F", bound=Callable[..., Any])

_MODES = ("numpy", "cuda")
_MAX_CONFIGURED = 1024


# For type checkers a kernel has the function's parameters, and a device function, which only
# kernels call, stays the function.
@overload
def rawkernel(
    function: Callable[P, Any], *, mode: Mode = "numpy", device: Literal[False] = False
) -> JitKernel[P]: ...
@overload
def rawkernel(function: F, *, mode: Mode = "numpy", device: Literal[True]) -> F: ...
@overload
def rawkernel(
    function: None = None, *, mode: Mode = "numpy", device: Literal[False] = False
) -> Callable[[Callable[P, Any]], JitKernel[P]]: ...
@overload
def rawkernel(
    function: None = None, *, mode: Mode = "numpy", device: Literal[True]
) -> Callable[[F], F]: ...
def rawkernel(function: Any = None, *, mode: str = "numpy", device: bool = False) -> Any:
    """Make a kernel of a Python function.

    Parameters
    ----------
    function : callable
        The function, where the decorator stands without parentheses.
    mode : {'numpy', 'cuda'}, optional
        How dtypes promote. With ``'numpy'`` as NumPy's do (NEP 50): ``int32 * float32`` is
        float64, and Python's numbers take on the other operand's dtype; among themselves they
        are int64, float64 and complex128. With ``'cuda'`` as in C++: ``int32 * float32`` is
        float32, and Python's numbers are int32, float32 and complex64.
    device : bool, optional
        Whether it is a function that kernels call, with values as arguments and result.

    Returns
    -------
    callable
        ``kernel[grid, block](*args)``, ``kernel[grid, block, shared_mem](*args)``,
        ``kernel[grid, block, shared_mem, stream](*args)`` and
        ``kernel(grid, block, args, shared_mem=0, stream=None)`` launch it. ``cached_code`` is
        its CUDA C++; ``cached_codes`` has one for each combination of argument types that it
        was launched with. It has the function's name, documentation and signature; a device
        function can be called in kernels only.

    Raises
    ------
    TypeError, NotImplementedError, and others as Python would
        At a launch with new types of arguments, where the function cannot be translated. The
        message names the file, the line and the expression, and a remedy.

    Notes
    -----
    The function's syntax tree is translated to CUDA C++, once for every combination of types:
    the dtype, the number of dimensions and the contiguity of arrays, the types of numbers. It may
    have variables, tuples, ``if``, ``while``, ``for`` over `range` and `jit.range`, ``break``,
    ``continue``, ``return``, ``assert``, ``print``, conditional expressions, and may call ufuncs
    (``cp.exp``), `where`, `clip`, ``min``, ``max``, ``abs``, ``len``, dtypes, device functions and
    what `gpuarray.jit` has. Arrays are indexed by one integer a dimension, have ``shape``,
    ``size``, ``ndim``, ``strides`` and ``dtype``, and can be passed on with their first
    dimensions indexed. Arithmetic is that of the package's ufuncs: ``//`` and ``%`` round to
    negative infinity, integers wrap around.

    A variable keeps the dtype of its first value; one that begins as a Python number takes on
    the dtype of the first value that has one. Indices are not checked; constant ones below zero
    count from the end, others do not.

    Globals and outer variables are constants, read when the function is translated.

    A Python int among the arguments has to fit every integer dtype that it is converted to: beside
    an int32 or stored in one, ``2**40`` raises OverflowError at the launch.

    Differences from CuPy
    ---------------------
    The default of ``mode`` is ``'numpy'``, in which Python's numbers take on the other operand's
    dtype (CuPy's are int64 and float64 there). Arrays may be indexed in part; shared memory
    may have several dimensions. ``jit.cg``, ``jit.cub`` and ``jit.thrust`` are not there.

    Examples
    --------
    >>> import gpuarray as cp
    >>> from gpuarray import jit
    >>> @jit.rawkernel
    ... def axpy(a, x, y):
    ...     i = jit.grid(1)
    ...     if i < x.size:
    ...         y[i] += a * x[i]
    >>> x = cp.arange(5, dtype=cp.float32)
    >>> y = cp.ones(5, dtype=cp.float32)
    >>> axpy[1, 32](2, x, y)
    >>> y
    array([1., 3., 5., 7., 9.], dtype=float32)
    """
    if mode not in _MODES:
        raise ValueError(f"rawkernel: mode is 'numpy' or 'cuda', not {mode!r}")
    if function is None:
        return lambda function: JitKernel(function, device, mode)
    return JitKernel(function, device, mode)


class JitKernel(JitFunction, Generic[P]):
    """A kernel, or a device function, written in Python. Made by `rawkernel`."""

    def __init__(self, function: Callable[..., Any], device: bool, mode: str):
        super().__init__(function, device)
        self.mode = mode
        self._translated: dict[tuple, TranslatedKernel] = {}
        self._configured: dict[Any, ConfiguredKernel] = {}

    def __repr__(self) -> str:
        role = "device function" if self.device else "kernel"
        # With the parameters, because help() shows an object by this text and its docstring.
        return f"<gpuarray.jit {role} {self.__name__}{call_signature(self)}>"

    @property
    def cached_codes(self) -> Mapping[tuple, str]:
        """The CUDA C++ for each combination of argument types so far."""
        return MappingProxyType({types: x.code for types, x in self._translated.items()})

    @property
    def cached_code(self) -> str:
        """The CUDA C++, where there is one.

        Raises
        ------
        RuntimeError
            There is none yet, or there are several.
        """
        if len(self._translated) != 1:
            reason = "has several sources" if self._translated else "has not been launched yet"
            raise RuntimeError(
                f"{self.__name__} {reason}; cached_codes has the source for each combination of "
                "argument types"
            )
        return next(iter(self._translated.values())).code

    # ---- launching ------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> ConfiguredKernel[P]:
        try:
            return self._configured[key]
        except (KeyError, TypeError):  # TypeError: a list
            pass
        if self.device:
            raise TypeError(
                f"{self.__name__} is a device function, which kernels call; decorate it with "
                "rawkernel() to launch it"
            )
        if not isinstance(key, tuple) or not 2 <= len(key) <= 4:
            raise TypeError(
                f"{self.__name__}: write kernel[grid, block], and the bytes of shared memory and "
                f"the stream behind them, not kernel[{key!r}]"
            )
        shared_mem = key[2] if len(key) > 2 else 0
        stream = key[3] if len(key) > 3 else None
        found = ConfiguredKernel(self, key[0], key[1], shared_mem, stream)
        if stream is None:
            try:
                if len(self._configured) >= _MAX_CONFIGURED:
                    self._configured.clear()
                self._configured[key] = found
            except TypeError:
                pass
        return found

    def __call__(
        self,
        grid: Any = None,
        block: Any = None,
        args: Sequence[Any] | None = None,
        shared_mem: int = 0,
        stream: Stream | None = None,
        *rest: Any,
    ) -> None:
        """Launch the kernel.

        Parameters
        ----------
        grid, block : int or tuple of int
            Blocks, and threads of a block, in x, y and z.
        args : tuple
            The arguments: arrays, numbers and None.
        shared_mem : int, optional
            Dynamic shared memory of a block, in bytes.
        stream : Stream, optional
            Where to launch; the current stream by default.
        """
        if not isinstance(args, tuple | list) or rest:
            names = ", ".join(self.source.parameters)
            raise TypeError(
                f"{self.__name__} is a kernel, which is launched on a grid of blocks: write "
                f"{self.__name__}[grid, block]({names}), or {self.__name__}(grid, block, "
                f"({names}))"
            )
        if stream is None:
            self[grid, block, shared_mem]._call(*args)
        else:
            self[grid, block, shared_mem, stream]._call(*args)

    def translated(self, types: tuple) -> TranslatedKernel:
        """The kernel for arguments of these types."""
        found = self._translated.get(types)
        if found is None:
            found = self._translated.setdefault(types, translate(self, types, self.mode))
        return found


class TranslatedKernel(NamedTuple):
    """A kernel for certain types of arguments."""

    code: str  # for readers
    kernel: RawKernel
    written: frozenset[int]  # arguments whose elements are assigned to
    narrowed: dict[int, str]  # dtypes of Python integers that are converted to narrower ones


def translate(kernel: JitFunction, types: tuple, mode: str) -> TranslatedKernel:
    """Translate a kernel for arguments of these types."""
    # Imported here: a program without kernels in Python need not load the translator.
    from gpuarray._jit.translation_unit import TranslationUnit
    from gpuarray._jit.translator import translate_function

    unit = TranslationUnit(mode)
    function = translate_function(unit, kernel.source, types, True)
    # Lines of Python are in the image, for checkers, debuggers and profilers.
    module = RawModule(code=unit.render("directives"), options=("-lineinfo",))
    module._name = function.name
    raw = RawKernel._of_module(module, function.name)
    return TranslatedKernel(unit.render(), raw, function.written, function.narrowed)


class ConfiguredKernel(Generic[P]):
    """A kernel with a grid, a block, shared memory and a stream; calling it launches it."""

    __slots__ = ("_block", "_grid", "_kernel", "_shared", "_stream")

    def __init__(self, kernel: JitKernel[P], grid: Any, block: Any, shared_mem: Any, stream: Any):
        if stream is not None and not isinstance(stream, Stream):
            raise TypeError(f"stream is a gpuarray.cuda.Stream or None, not {stream!r}")
        self._kernel = kernel
        self._grid = grid
        self._block = block
        self._shared = 0 if shared_mem is None else shared_mem
        self._stream = stream

    def __repr__(self) -> str:
        return f"<{self._kernel!r} with grid {self._grid} and block {self._block}>"

    def _call(self, *args: Any) -> None:
        """Launch the kernel with arguments, which are given by position."""
        stream = self._stream
        if stream is None:
            stream = current.stream
        elif stream.device is not current.stream.device:
            with stream.device:
                return self._launch(stream.captured_as or stream, args)
        elif stream.captured_as is not None:
            stream = stream.captured_as
        cls = _array.array_class
        run = stream.plans.get((self, *[x._layout if type(x) is cls else type(x) for x in args]))
        if run is not None:
            try:
                return run(*args)
            except (TypeError, ValueError, OverflowError) as error:
                self._explain(args, error)
                raise
        return self._launch(stream, args)

    if TYPE_CHECKING:

        def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
            """Launch the kernel with arguments, which are given by position."""

    else:
        __call__ = _call

    def _launch(self, stream: Stream, args: Sequence[Any]) -> None:
        """Launch with types of arguments that there is no plan for."""
        name = self._kernel.__name__
        given = [launch_arguments.as_argument(x, i, name) for i, x in enumerate(args)]
        kinds = [x._layout if isinstance(x, _array.ArrayBase) else type(x) for x in given]
        run = find(stream, key_of(self, *kinds), self._plan, stream, given)
        try:
            run(*given)
        except (TypeError, ValueError, OverflowError) as error:
            self._explain(given, error)
            raise

    def _plan(self, stream: Stream, args: Sequence[Any]) -> Callable[..., Any]:
        types = tuple([launch_arguments.type_of(x, self._kernel.mode) for x in args])
        translated = self._kernel.translated(types)
        raw = translated.kernel
        grid = raw._dimensions("grid", self._grid)
        block = raw._dimensions("block", self._block)
        shared = raw._shared(self._shared)
        function = raw._function()
        raw._check(function, grid, block)
        if shared:
            function.allow_shared(shared)
        kinds = ""
        parameters: list[KernelParameter] = []
        constants: dict[str, Any] = {}
        scalars: dict[str, Any] = {}
        for i, (x, kind) in enumerate(zip(args, types)):
            name = f"x{i}"
            if isinstance(x, _array.ArrayBase):
                if i in translated.written:
                    _layout.check_writable(x._layout, f"{self._kernel.__name__}, argument {i}")
                kinds += "a"
                constants[name] = array_constant(x._layout)
                parameters.append(array_parameter(name, "", x._layout.ndim))
            else:
                kinds += "s"
                if x is None:
                    continue
                code = translated.narrowed.get(i, kind.dtype)
                scalars[name] = _dtypes.dtype_of(code)
                parameters.append(scalar(name, code))
        plan = LaunchPlan(function, grid, block, constants, shared, parameters)  # type: ignore[arg-type]
        bound = BoundLaunch(plan, stream, scalars)
        return _calls.make_call(stream, kinds, [], [(bound, {x.name: x.name for x in parameters})])

    def _explain(self, args: Sequence[Any], error: Exception) -> None:
        """Raise a better error where `error` came from a number out of range."""
        kernel = self._kernel
        types = tuple([launch_arguments.type_of(x, kernel.mode) for x in args])
        narrowed = kernel.translated(types).narrowed
        for i, x in enumerate(args):
            if type(x) is not int:
                continue
            dtype = _dtypes.dtype_of(narrowed.get(i, "i8"))
            if not _dtypes.holds(dtype, x):
                raise OverflowError(
                    f"{kernel.__name__}: argument {i} is {shortened(x)}, but the kernel "
                    f"takes this Python int as {dtype}; pass a NumPy scalar of a wider dtype"
                ) from error
