"""Plans of several steps: copies, kernels of expressions and calls of libraries' functions.

A decomposition copies its operand, since libraries work in place, calls one or two functions, and
may arrange the result. `Steps` collects these for layouts, with the outputs and the scratch memory
between them, and makes one call (see :mod:`gpuarray._calls`) of them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _calls, _dtypes, _layout
from gpuarray._ffi.cusolver_kinds import PARAMS
from gpuarray._ffi.library_pointers import ElementWorkspace
from gpuarray._ffi.library_table import TableLibrary
from gpuarray._layout import Layout
from gpuarray._libraries.handles import BLAS, SOLVER, LibraryHandles, solver_params
from gpuarray._runtime.launch import BoundLaunch
from gpuarray._runtime.library_call import BoundCall, RepeatedCall
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, matrix_factors
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.elementwise.launch import Computed, Coordinates
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Expression, Input
from gpuarray.kernels.generator.operations import operation

__all__ = ["Operand", "Stack", "Steps"]


class Operand(NamedTuple):
    """An array of a plan: an input, an output or scratch memory."""

    layout: Layout
    #: What :func:`gpuarray._calls.make_call` calls it.
    name: str

    def seen_as(self, layout: Layout) -> Operand:
        """The same memory in another layout that begins at the same element."""
        return Operand(layout, self.name)


class Number(NamedTuple):
    """A number that each call of a plan gives to a kernel."""

    dtype: np.dtype
    name: str


class Stack(NamedTuple):
    """A function is called for each matrix of a stack.

    Parameters
    ----------
    matrices : int
        How many there are.
    distances : mapping
        By a pointer's name, how many bytes lie from one matrix to the next; pointers that are
        missing are the same for all.
    begins : mapping, optional
        By a pointer's name, how many bytes the first matrix lies behind the operand's beginning.
    """

    matrices: int
    distances: Mapping[str, int]
    begins: Mapping[str, int] = MappingProxyType({})


class Steps:
    """The steps of a call, as they are planned.

    Parameters
    ----------
    stream : Stream
        Where they run.
    *inputs : Layout
        The arrays that the call takes. One whose elements need not be aligned is copied before the
        call, so use the layouts of `inputs`.

    Attributes
    ----------
    inputs : list of Operand
        The arrays that the call takes.
    """

    def __init__(self, stream: Stream, *inputs: Layout) -> None:
        self.stream = stream
        self._unaligned = [layout.unaligned for layout in inputs]
        self.inputs = [
            Operand(_layout.contiguous(x.dtype, x.shape) if x.unaligned else x, f"x{i}")
            for i, x in enumerate(inputs)
        ]
        self._letters = "a" * len(inputs)
        self._outputs: list[Layout | None] = []
        self._scratch: list[int] = []
        #: The scratch memory that libraries use, one function after another.
        self._workspace: int | None = None
        self._steps: list[tuple[BoundLaunch | BoundCall, Mapping[str, str]]] = []
        self._numbers: list[float] = []

    def number(self, value: float, dtype: np.dtype) -> Number:
        """A number that kernels take as an argument, so that no kernel is for one number alone.

        It is made when all inputs are there.
        """
        self._letters += "s"
        self._numbers.append(value)
        return Number(dtype, f"x{len(self._letters) - 1}")

    def host_memory(self, layout: Layout) -> Operand:
        """Memory of the host, whose address the call takes behind its other inputs."""
        self._letters += "h"
        self._unaligned.append(False)
        return Operand(layout, f"x{len(self._letters) - 1}")

    def output(self, layout: Layout, given: bool = False) -> Operand:
        """A new array, or one that is given; the call returns these in the order of asking.

        It takes those that are given behind the inputs.
        """
        self._outputs.append(None if given else layout)
        return Operand(layout, f"y{len(self._outputs) - 1}")

    def scratch(self, layout: Layout) -> Operand:
        """Memory for the time of the call."""
        self._scratch.append(max(layout.nbytes, 1))
        return Operand(layout, f"t{len(self._scratch) - 1}")

    def kernel(
        self,
        name: str,
        expression: Expression,
        inputs: Sequence[Operand | Number | Computed],
        target: Operand,
    ) -> None:
        """Compute a target of at least one element from inputs that broadcast to it.

        A computed input must be one without memory and without a number: `Coordinates`.
        """
        layouts = [
            x.layout if isinstance(x, Operand) else x.dtype if isinstance(x, Number) else x
            for x in inputs
        ]
        plan = elementwise.launch.plan(name, [expression], layouts, [target.layout], self.stream)
        passed = {"out0": target.name}
        passed |= {
            f"in{i}": x.name for i, x in enumerate(inputs) if isinstance(x, Operand | Number)
        }
        numbers = {f"in{i}": x.dtype for i, x in enumerate(inputs) if isinstance(x, Number)}
        self._steps.append((BoundLaunch(plan, self.stream, numbers, name), passed))

    def copy(self, source: Operand, target: Operand, conjugate: bool = False) -> None:
        """Copy elements, which are cast to the target's dtype and may be conjugated."""
        code, wanted = _dtypes.code(source.layout.dtype), _dtypes.code(target.layout.dtype)
        expression: Expression = Input(0, code)
        if code != wanted:
            expression = Cast(wanted, expression)
        if conjugate and target.layout.dtype.kind == "c":
            expression = Apply(operation("conjugate"), (expression,), wanted)
        self.kernel("copy", expression, [source], target)

    def zeros(self, target: Operand) -> None:
        """Store zeros."""
        code = _dtypes.code(target.layout.dtype)
        self.kernel("zeros", Cast(code, Constant(0, code)), [], target)

    def triangle(self, upper: bool, source: Operand, target: Operand) -> None:
        """Copy one triangle of matrices, and zeros for the other; also in place.

        Elements are cast to the target's dtype.
        """
        code, wanted = _dtypes.code(source.layout.dtype), _dtypes.code(target.layout.dtype)
        number = Coordinates(*[0] * (target.layout.ndim - 2), -1, 1)
        comparison = operation("greater_equal" if upper else "less_equal")
        kept = Apply(comparison, (Input(0, "i8"), Constant(0, "i8")), "b1")
        values: Expression = Apply(
            operation("where"), (kept, Input(1, code), Constant(0, code)), code
        )
        if code != wanted:
            values = Cast(wanted, values)
        self.kernel("triangle", values, [number, source], target)

    def call(
        self,
        library: TableLibrary,
        handles: LibraryHandles,
        function: str,
        values: Mapping[str, Any],
        operands: Mapping[str, Operand | None],
        stack: Stack | None = None,
    ) -> None:
        """Call a library's function.

        Parameters
        ----------
        library, handles
            The library and its handles.
        function : str
            The C function.
        values : mapping
            Its arguments that are the same at each call; see `PreparedArguments`.
        operands : mapping
            By the names of pointers, what they point to; None for a null pointer.
        stack : Stack, optional
            Call it for each matrix of a stack.
        """
        passed = {name: x.name for name, x in operands.items() if x is not None}
        values = {**values, **{name: None for name, x in operands.items() if x is None}}
        bound: BoundCall
        given = (library, function, values, list(passed), handles.on(self.stream), self.stream)
        if stack is None:
            bound = BoundCall(*given)
        else:
            lines = [(stack.begins.get(x, 0), stack.distances.get(x, 0)) for x in passed]
            offsets = [
                tuple([begin + i * step for begin, step in lines]) for i in range(stack.matrices)
            ]
            bound = RepeatedCall(*given, offsets)
        self._steps.append((bound, passed))

    def blas(
        self,
        function: str,
        values: Mapping[str, Any],
        operands: Mapping[str, Operand | None],
        stack: Stack | None = None,
    ) -> None:
        """Call a function of cuBLAS; see `call`."""
        self.call(BLAS.library, BLAS, function, values, operands, stack)

    def solver(
        self,
        function: str,
        values: Mapping[str, Any],
        operands: Mapping[str, Operand | None],
        stack: Stack | None = None,
        page_locked: bool = False,
        options: int | None = None,
    ) -> Operand | None:
        """Call a function of cuSOLVER; see `call`.

        ``handle``, ``params`` and the workspaces are added, if the function has them. Workspaces
        are of the size that it asks for. If that on the host is to be ``page_locked``, the call
        takes its address, and it is returned; else the arguments have one of their own. ``options``
        are other ones than the device's.
        """
        library = SOLVER.library
        row = library.rows[function]
        values = dict(values)
        if PARAMS in row.kinds:
            values["params"] = options or solver_params(self.stream.device)
        if row.query is None:
            self.call(library, SOLVER, function, values, operands, stack)
            return None
        handle = SOLVER.on(self.stream).handle  # each call stores that of its thread
        sizes = library.workspace_bytes(function, {**values, "handle": handle})
        space = row.workspaces[0]
        operands = {**operands, space.name: self.workspace(sizes[0] * space.itemsize)}
        if isinstance(space, ElementWorkspace):
            self.call(library, SOLVER, function, values | {space.size: sizes[0]}, operands, stack)
            return None
        device, host = sizes
        memory = None
        if host and page_locked:
            memory = self.host_memory(_layout.contiguous(np.dtype("u1"), (host,)))
            operands["bufferOnHost"] = memory
        else:
            # Each set of prebuilt arguments has a workspace of its own.
            values["bufferOnHost"] = np.void(host) if host else None
        values |= {"workspaceInBytesOnDevice": device, "workspaceInBytesOnHost": host}
        self.call(library, SOLVER, function, values, operands, stack)
        return memory

    def launch(self, bound: BoundLaunch, operands: Mapping[str, Operand]) -> None:
        """Launch a kernel of a family; the names are those of its leading parameters."""
        self._steps.append((bound, {name: x.name for name, x in operands.items()}))

    def transform(self, bound: BoundCall, source: Operand, target: Operand) -> None:
        """Transform an operand by cuFFT."""
        self._steps.append((bound, {"input": source.name, "output": target.name}))

    def addresses(
        self, matrices: Operand, count: int | None = None, distance: int | None = None
    ) -> Operand:
        """An array of the addresses of matrices, for a batched function.

        They are gapless stacked ones unless their number, and how many bytes lie from one to the
        next, are given.
        """
        *batch, rows, columns = matrices.layout.shape
        if count is None:
            count = math.prod(batch)
        if distance is None:
            distance = rows * columns * matrices.layout.itemsize
        target = self.scratch(_layout.contiguous(np.dtype(np.int64), (count,)))
        bound = matrix_factors.launch.addresses(count, distance, self.stream)
        self.launch(bound, {"first": matrices, "addresses": target})
        return target

    def workspace(self, nbytes: int) -> Operand:
        """Scratch memory that a function leaves behind for the next one."""
        if self._workspace is None:
            self._workspace = len(self._scratch)
            self._scratch.append(1)
        self._scratch[self._workspace] = max(self._scratch[self._workspace], nbytes)
        return Operand(_layout.contiguous(np.dtype("u1"), (nbytes,)), f"t{self._workspace}")

    def make(self, cleared: bool = False) -> Callable[..., Any]:
        """The call: it takes the inputs and returns the output, or a tuple of several.

        ``cleared`` is whether outputs are filled with zero bytes first.
        """
        run = _calls.make_call(
            self.stream, self._letters, self._outputs, self._steps, self._scratch, cleared
        )
        if self._numbers:
            run = _with_numbers(run, len(self._letters) - len(self._numbers), *self._numbers)
        if not any(self._unaligned):
            return run
        unaligned = self._unaligned

        def call(*arrays: Any) -> Any:
            aligned = [copies.copy(x, "C") if u else x for x, u in zip(arrays, unaligned)]
            return run(*aligned, *arrays[len(unaligned) :])

        return call


def _with_numbers(run: Callable[..., Any], count: int, *numbers: float) -> Callable[..., Any]:
    """A call that gives numbers behind so many arrays."""
    if count == 1 and len(numbers) == 1:
        number = numbers[0]
        return lambda x, *given: run(x, number, *given)
    return lambda *arrays: run(*arrays[:count], *numbers, *arrays[count:])
