"""RawKernel: one kernel in CUDA C++, launched with an explicit grid and block."""

from __future__ import annotations

import math
import operator
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TextIO

from gpuarray._ffi import driver
from gpuarray._raw import declarations
from gpuarray._raw.arguments import Signature, explain, signature
from gpuarray._raw.loaded_module import LoadedFunction, refusal
from gpuarray._raw.module import RawModule
from gpuarray._raw.occupancy import Occupancy
from gpuarray._runtime import function_hook, launch_history
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.event import check_stream
from gpuarray._runtime.plans import find, key_of
from gpuarray._runtime.stream import Stream

#: Blocks of a cluster that every device with clusters can have, and that any can have.
_PORTABLE_CLUSTER, _MOST_CLUSTERED = 8, 16
_ATTRIBUTES = (
    "max_threads_per_block",
    "shared_size_bytes",
    "const_size_bytes",
    "local_size_bytes",
    "num_regs",
    "ptx_version",
    "binary_version",
    "cache_mode_ca",
    "max_dynamic_shared_size_bytes",
    "preferred_shared_memory_carveout",
)


def _attribute(name: str, doc: str) -> property:
    def read(self: RawKernel) -> int:
        return self._function().attribute(name)

    return property(read, doc=doc)


def _settable(name: str, doc: str) -> property:
    def write(self: RawKernel, value: int) -> None:
        self._function().set_attribute(name, operator.index(value))

    return _attribute(name, doc).setter(write)


class RawKernel:
    """A kernel written in CUDA C++.

    Parameters
    ----------
    code : str
        The source.
    name : str
        The kernel's name: declared ``extern "C"``, or a C++ name such as ``scale<float>``.
    options : tuple of str, optional
        Options of NVRTC.
    backend : {'nvrtc'}, optional
        The compiler.
    translate_cucomplex : bool, optional
        Include ``cuComplex.h`` before the code.
    enable_cooperative_groups : bool, optional
        Launch cooperatively, so that ``this_grid().sync()`` works.
    jitify : bool, optional
        Accepted for CuPy's sake.
    check_arguments : bool, optional
        Compare the arguments of each launch with the declaration in the source, before anything
        is launched: their number, the arrays' and numbers' types, and that arrays are contiguous
        and on the stream's device. That takes a few microseconds.

    Notes
    -----
    Arrays are passed as the pointer to their first element, ``None`` as the null pointer, NumPy
    scalars and arrays of one element (structured ones of any shape) by value as the C type of
    their dtype, and Python's ``bool``, ``int``, ``float`` and ``complex`` as ``bool``,
    ``long long``, ``double`` and a complex of doubles. An integer may be given for a narrower
    one: it raises OverflowError where its value does not fit the parameter. What the parameter is
    follows from its size and from the declaration in the source; a float for an integer, or an
    integer for a float, raises TypeError.

    Examples
    --------
    >>> import gpuarray as cp
    >>> add = cp.RawKernel(r'''
    ... extern "C" __global__ void add(const float* x, const float* y, float* z, int n) {
    ...     int i = blockDim.x * blockIdx.x + threadIdx.x;
    ...     if (i < n) z[i] = x[i] + y[i];
    ... }''', "add")
    >>> x = cp.arange(5, dtype="f")
    >>> z = cp.empty_like(x)
    >>> add((1,), (32,), (x, x, z, cp.int32(5)))
    >>> z
    array([0., 2., 4., 6., 8.], dtype=float32)

    >>> add((1,), (32,), (x, x, z, 2**40))
    Traceback (most recent call last):
        ...
    OverflowError: add: argument 3 is 1099511627776, which does not fit the parameter's 32-bit ...

    The types of arrays are compared with the declaration only where that is asked for:

    >>> add = cp.RawKernel(add.code, "add", check_arguments=True)
    >>> add((1,), (32,), (x, x, cp.empty(5), cp.int32(5)))
    Traceback (most recent call last):
        ...
    TypeError: add: argument 2 (float* z) points to float32, but the array is float64; ...
    """

    __slots__ = ("__weakref__", "_loaded", "_module", "_spares", "check_arguments", "name")

    def __init__(
        self,
        code: str,
        name: str,
        options: Sequence[str] = (),
        backend: str = "nvrtc",
        translate_cucomplex: bool = False,
        *,
        enable_cooperative_groups: bool = False,
        jitify: bool = False,
        check_arguments: bool = False,
    ):
        if not isinstance(name, str):
            raise TypeError(f"RawKernel: the kernel's name is a string, not {name!r}")
        module = RawModule(
            code,
            options=options,
            backend=backend,
            translate_cucomplex=translate_cucomplex,
            enable_cooperative_groups=enable_cooperative_groups,
            name_expressions=None if name.isidentifier() else (name,),
            jitify=jitify,
            check_arguments=check_arguments,
        )
        module._name = name
        self._set(module, name)

    @classmethod
    def _of_module(cls, module: RawModule, name: str) -> RawKernel:
        self = object.__new__(cls)
        self._set(module, name)
        return self

    def _set(self, module: RawModule, name: str) -> None:
        self.name = name
        self.check_arguments = module.check_arguments
        self._module = module
        self._loaded: dict[tuple[int, int], LoadedFunction] = {}  # by device and generation
        # Argument buffers that no launch is using, by signature.
        self._spares: dict[Signature, list[tuple]] = {}

    def __repr__(self) -> str:
        return f"<RawKernel {self.name}>"

    def __call__(
        self,
        grid: tuple[int, ...],
        block: tuple[int, ...],
        args: Sequence[Any],
        *,
        shared_mem: int = 0,
        stream: Stream | None = None,
        cluster: tuple[int, ...] | None = None,
    ) -> None:
        """Launch the kernel.

        Parameters
        ----------
        grid : tuple of int
            Blocks in x, y and z.
        block : tuple of int
            Threads of a block in x, y and z.
        args : tuple
            The kernel's arguments.
        shared_mem : int, optional
            Dynamic shared memory of a block, in bytes.
        stream : Stream, optional
            Where to launch; the current stream by default.
        cluster : tuple of int, optional
            Blocks of a thread block cluster in x, y and z, for devices of compute capability 9.0
            and later; the grid is a multiple of it. More than 8 blocks, which not every device
            can have, are allowed for you.
        """
        if stream is None:
            stream = current.stream
        elif _elsewhere(stream):
            if stream.captured_as is not None:
                stream = stream.captured_as
            with stream.device:
                return self(
                    grid, block, args, shared_mem=shared_mem, stream=stream, cluster=cluster
                )
        try:
            if cluster is None:
                run = stream.plans[self, grid, block, shared_mem]
            else:
                run = stream.plans[self, grid, block, shared_mem, cluster]
        except (KeyError, TypeError):  # TypeError: a list cannot be looked up
            run = self._plan(stream, grid, block, shared_mem, cluster, args)
        return run(args)

    def __getitem__(self, key: Any) -> NoReturn:
        raise TypeError(
            f"{self.name}: a RawKernel is launched by kernel(grid, block, (x, y, n)); kernels of "
            "gpuarray.jit.rawkernel take kernel[grid, block](x, y, n)"
        )

    # -- preparing a launch ----------------------------------------------------------------------

    def _plan(
        self,
        stream: Stream,
        grid: Any,
        block: Any,
        shared_mem: Any,
        cluster: Any,
        args: Sequence[Any],
    ) -> Callable[[Sequence[Any]], None]:
        """A launcher for these dimensions and these arguments' types, kept with the stream."""
        written: tuple = (self, grid, block, shared_mem)
        grid, block = self._dimensions("grid", grid), self._dimensions("block", block)
        shared_mem = self._shared(shared_mem)
        if cluster is not None:
            written = (*written, cluster)
            cluster = self._dimensions("cluster", cluster)
        accepted = signature(args, self.name)
        if self.check_arguments:
            declarations.check(args, self._declared(), stream, self.name)
        call = (grid, block, shared_mem, cluster, accepted)
        run = find(stream, key_of(self, *call), self._bind, stream, *call)
        # The dimensions as they were written find the launcher of the types seen first, which
        # sends other types on to here.
        # They stand for themselves: a look at their types costs a twentieth of a launch, and a
        # 1.0 that finds the launcher of 1 has been a 1 before.
        try:
            if written not in stream.plans:
                stream.keep_plan(written, run)
        except TypeError:
            pass  # a list: it is read anew each time
        return run

    def _bind(
        self,
        stream: Stream,
        grid: tuple,
        block: tuple,
        shared_mem: int,
        cluster: tuple | None,
        accepted: Signature,
    ) -> Callable[[Sequence[Any]], None]:
        function = self._function()
        declared = self._declared()
        fitted = accepted.fitted(function.parameters, declared, self.name)
        self._check(function, grid, block)
        if shared_mem:
            function.allow_shared(shared_mem)
        attributes: dict[str, Any] = {"cooperative": self._module.enable_cooperative_groups}
        if cluster is not None:
            self._check_cluster(function, grid, cluster)
            attributes["cluster"] = cluster
        config = driver.launch_config(grid, block, shared_mem, stream.handle, **attributes)
        code = function.code
        # The plan must not keep the kernel alive.
        name, spares, kernel = self.name, self._spares, weakref.ref(self)

        def launch_as(stored: Signature, refused: Callable[..., None]) -> Callable[..., None]:
            """The launcher that stores the arguments so."""
            spare = spares.setdefault(stored, [])
            trace = launch_history.LaunchTrace(
                name, grid, block, shared_mem, stream.device.id, stream.handle, stored.sizes,
                spare, code,
            )  # fmt: skip
            trace.parameters = stored.parameters()
            trace.attributes = attributes
            return stored.bind(
                stream,
                config,
                function.argument,
                function_hook.launch_of(trace, stream),
                spare.pop,
                spare.append,
                stored.make_buffer,
                other,
                refused,
                trace,
            )

        others: dict[tuple[type, ...], Callable] = {}

        def other(args: Sequence[Any]) -> None:
            """Launch with arguments of other types than this launcher's."""
            types = tuple(map(type, args)) if isinstance(args, (tuple, list)) else ()
            run = others.get(types)
            if run is None:
                planner = kernel()
                assert planner is not None  # it is being called
                run = planner._plan(stream, grid, block, shared_mem, cluster, args)
                if signature(args, name).by_types:
                    others[types] = run
            run(args)

        unsigned: dict[Signature, Callable] = {}

        def refused(args: Sequence[Any], error: Exception) -> None:
            """Launch with integers that fit unsigned ones, where the sign is not known."""
            stored = fitted.unsigned(args)
            if stored is fitted:
                misfit(args, error)
            if stored not in unsigned:
                unsigned[stored] = launch_as(stored, misfit)
            unsigned[stored](args)

        def misfit(args: Sequence[Any], error: Exception) -> NoReturn:
            raise explain(fitted, args, error, name)

        run = launch_as(fitted, refused)
        if not self.check_arguments:
            return run
        return declarations.checked(run, declared, stream, self.name)

    def _declared(self) -> tuple[declarations.SourceParameter, ...] | None:
        """The parameters by the source, or None where there is none or it does not tell."""
        code = self._module.code
        return declarations.declared(code, self.name) if isinstance(code, str) else None

    def _dimensions(self, label: str, value: Any) -> tuple[int, int, int]:
        if type(value) is tuple and len(value) == 1 and type(value[0]) is int:
            return (value[0], 1, 1)
        given = value if isinstance(value, (tuple, list)) else (value,)
        if not 1 <= len(given) <= 3:
            raise refusal(f"{self.name}: {label}={value!r} has {len(given)} dimensions, not 1 to 3")
        try:
            sizes = [operator.index(size) for size in given]
        except TypeError:
            raise TypeError(
                f"{self.name}: {label}={value!r} is not a tuple of up to three integers; a kernel "
                "is launched by kernel(grid, block, (x, y, n))"
            ) from None
        return (*sizes, 1, 1, 1)[:3]  # type: ignore[return-value]

    def _shared(self, value: Any) -> int:
        size = operator.index(value)
        if size < 0:
            raise refusal(f"{self.name}: shared_mem={size} is negative")
        return size

    def _check(self, function: LoadedFunction, grid: tuple, block: tuple) -> None:
        """Refuse a grid or block that the driver would refuse, naming the limit."""
        limits = function.limits()
        for label, sizes, most in (("grid", grid, limits.grid), ("block", block, limits.block)):
            if not (
                1 <= sizes[0] <= most[0] and 1 <= sizes[1] <= most[1] and 1 <= sizes[2] <= most[2]
            ):
                raise refusal(
                    f"{self.name}: {label}={sizes} is not within 1 to {most} on {function.device}"
                )
        threads = block[0] * block[1] * block[2]
        if threads > limits.threads:
            raise refusal(
                f"{self.name}: block={block} has {threads} threads, but this kernel can have "
                f"{limits.threads} in a block on {function.device} (each uses "
                f"{function.attribute('num_regs')} registers)"
            )

    def _check_cluster(self, function: LoadedFunction, grid: tuple, cluster: tuple) -> None:
        """Refuse clusters that the driver would refuse, and allow large ones."""
        if min(cluster) < 1 or any(size % part for size, part in zip(grid, cluster)):
            raise refusal(
                f"{self.name}: grid={grid} is not a multiple of cluster={cluster} in x, y and z"
            )
        blocks = math.prod(cluster)
        if blocks > _MOST_CLUSTERED:
            raise refusal(
                f"{self.name}: cluster={cluster} has {blocks} blocks, but a cluster has at most "
                f"{_MOST_CLUSTERED}"
            )
        if blocks > 1 and not function.device.attribute("cluster_launch"):
            raise refusal(
                f"{self.name}: cluster={cluster}: {function.device} has no thread block clusters; "
                "GPUs of compute capability 9.0 and later have, the emulator has not"
            )
        if blocks > _PORTABLE_CLUSTER:
            function.set_attribute("non_portable_cluster_size_allowed", 1)

    # -- the function and what is known of it ------------------------------------------------------

    def _function(self) -> LoadedFunction:
        device = current.stream.device
        key = device.id, device.generation
        found = self._loaded.get(key)
        if found is None:
            found = self._loaded[key] = self._module.load().function(self.name)
        return found

    def compile(self, log_stream: TextIO | None = None) -> None:
        """Compile and load the kernel on the current device now.

        Parameters
        ----------
        log_stream : file, optional
            Gets the compiler's log where compiling fails.

        Examples
        --------
        >>> import gpuarray as cp
        >>> kernel = cp.RawKernel('extern "C" __global__ void f() {}', "f")
        >>> kernel.compile()
        >>> kernel.num_regs > 0
        True
        """
        self._module.compile(log_stream)
        self._function()

    @property
    def code(self) -> str | None:
        """The source, where the kernel was not given compiled."""
        code = self._module.code
        return code if isinstance(code, str) else None

    @property
    def file_path(self) -> str | None:
        """The file that the module was loaded from."""
        return self._module.file_path

    @property
    def options(self) -> tuple[str, ...]:
        """The compiler's options."""
        return self._module.options

    @property
    def backend(self) -> str:
        """The compiler."""
        return self._module.backend

    @property
    def enable_cooperative_groups(self) -> bool:
        """Whether launches are cooperative."""
        return self._module.enable_cooperative_groups

    @property
    def occupancy(self) -> Occupancy:
        """How many threads of the kernel a device runs at once, and the block to choose for it."""
        return Occupancy(self._function())

    @property
    def attributes(self) -> dict[str, int]:
        """All attributes of the kernel on the current device."""
        function = self._function()
        return {name: function.attribute(name) for name in _ATTRIBUTES}

    max_threads_per_block = _attribute(
        "max_threads_per_block", "The most threads that a block of this kernel can have."
    )
    shared_size_bytes = _attribute(
        "shared_size_bytes", "Statically allocated shared memory of a block."
    )
    const_size_bytes = _attribute("const_size_bytes", "Constant memory that the user declared.")
    local_size_bytes = _attribute("local_size_bytes", "Local memory of a thread.")
    num_regs = _attribute("num_regs", "Registers of a thread.")
    ptx_version = _attribute("ptx_version", "The PTX version compiled for: 10 * major + minor.")
    binary_version = _attribute(
        "binary_version", "The architecture compiled for: 10 * major + minor."
    )
    cache_mode_ca = _attribute("cache_mode_ca", "Whether loads are cached in L1 by option.")
    max_dynamic_shared_size_bytes = _settable(
        "max_dynamic_shared_size_bytes",
        "The most dynamic shared memory of a launch; raised for you where a launch asks for more.",
    )
    preferred_shared_memory_carveout = _settable(
        "preferred_shared_memory_carveout",
        "The part of the L1 cache to use as shared memory, in per cent; -1 leaves the choice.",
    )


def _elsewhere(stream: Any) -> bool:
    """Whether an explicit stream is on another device than the current one, or captured."""
    if not isinstance(stream, Stream):
        check_stream(stream)  # raises
    return stream.device is not current.stream.device or stream.captured_as is not None


RawModule._kernel_class = RawKernel
