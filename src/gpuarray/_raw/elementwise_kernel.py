"""ElementwiseKernel: the user's C++ for one element, applied to whole arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gpuarray import _array, _calls, _dtypes, _elementwise, _layout, kernels
from gpuarray._device import current
from gpuarray._elementwise import NUMBER
from gpuarray._launch import BoundLaunch, LaunchPlan, grid_for, load
from gpuarray._layout import Layout
from gpuarray._raw import parameters
from gpuarray._raw.parameters import Types
from gpuarray._stream import Stream

_CUPY_BLOCK = 128
_MOST_THREADS = 1024


class _Way(NamedTuple):
    """What a call looks like, whatever the arrays' addresses."""

    arguments: list[Any]  # arrays and numbers, in the order of the parameters
    types: Types
    shape: tuple[int, ...]
    outputs: list[Layout]  # of outputs, given and new
    given: bool
    block: int | None


class ElementwiseKernel:
    """A function of elements, written in C++.

    Parameters
    ----------
    in_params : str
        What it takes: ``'float32 x, T y, raw int32 table'``. A type is a dtype's name, or a
        letter that stands for whatever the arrays have. A ``raw`` array is passed whole.
    out_params : str
        What it returns, declared likewise.
    operation : str
        Statements that compute the outputs from the inputs, by their names. ``i`` is the number
        of the element and ``n`` how many there are.
    name : str, optional
        The kernel's name in profilers and error messages.
    reduce_dims : bool, optional
        Whether dimensions may be merged in what ``_ind`` shows.
    preamble : str, optional
        C++ before the kernel: functions, types, includes.
    no_return : bool, optional
        Return None.
    return_tuple : bool, optional
        Return a tuple also of one output.
    doc : str, optional
        The kernel's documentation.
    **kwargs
        ``options``: a tuple of NVRTC's options. ``loop_prep``, ``after_loop``: C++ before and
        after a thread's loop over its elements.

    Attributes
    ----------
    in_params, out_params, params : tuple
        The parameters, with ``name``, ``dtype``, ``raw`` and ``is_const``.
    nin, nout, nargs : int
        How many there are.
    name, operation, preamble, reduce_dims, no_return, return_tuple, kwargs
        As given.

    Notes
    -----
    A call takes the inputs, which broadcast, then optionally the outputs, and ``size=`` (how
    often the operation runs, where every array is raw), ``stream=`` and ``block_size=``.
    Numbers take on the types that the arrays say, and are converted as ``astype`` does.

    One launch; memory is read and written as by this package's own functions, unless the code
    asks where its thread is. C++ is compiled once for each combination of dtypes, and as CuPy
    compiles it: multiplications and additions may be contracted.

    Examples
    --------
    >>> import gpuarray as cp
    >>> squared_diff = cp.ElementwiseKernel(
    ...     "T x, T y", "T z", "z = (x - y) * (x - y)", "squared_diff")
    >>> squared_diff(cp.arange(5), 2)
    array([4, 1, 0, 1, 4])

    An element's neighbour, from a raw array:

    >>> difference = cp.ElementwiseKernel(
    ...     "raw T x", "T y", "y = x[i + 1] - x[i]", "difference")
    >>> difference(cp.asarray([1., 4., 9., 16.]), size=3)
    array([3., 5., 7.])
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        doc: str = "",
        **kwargs: Any,
    ):
        self.in_params = parameters.parse(in_params, name, False)
        self.out_params = parameters.parse(out_params, name, True)
        self.params = self.in_params + self.out_params
        self.nin = len(self.in_params)
        self.nout = len(self.out_params)
        self.nargs = self.nin + self.nout
        self.name = name
        self.operation = operation
        self.reduce_dims = reduce_dims
        self.preamble = preamble
        self.no_return = no_return
        self.return_tuple = return_tuple
        self.kwargs = kwargs
        self.__doc__ = doc or type(self).__doc__
        self._loop_prep: str = kwargs.get("loop_prep", "")
        self._after_loop: str = kwargs.get("after_loop", "")
        for key in kwargs:
            if key not in ("options", "loop_prep", "after_loop"):
                raise TypeError(
                    f"ElementwiseKernel got an unexpected keyword argument {key!r}; there are "
                    "options, loop_prep and after_loop"
                )
        self._options = parameters.check(
            name,
            self.params,
            kwargs.get("options", ()),
            operation=operation,
            preamble=preamble,
            loop_prep=self._loop_prep,
            after_loop=self._after_loop,
        )

    def __repr__(self) -> str:
        return f"<ElementwiseKernel {self.name}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the kernel.

        Parameters
        ----------
        *args : ndarray or scalar
            The inputs, then optionally all outputs.
        size : int, optional
            How often the operation runs, where every array is raw.
        stream : Stream, optional
            Where to run; the current stream by default.
        block_size : int, optional
            Threads of a block; chosen for the operation by default.

        Returns
        -------
        ndarray, tuple of ndarray or None
            The outputs.
        """
        if not kwargs:
            cls = _array.array_class
            run = current.stream.plans.get(
                (self, *[x._layout if type(x) is cls else type(x) for x in args])
            )
            if run is not None:
                try:
                    return run(*args)
                except (TypeError, ValueError, OverflowError):
                    pass  # a number that has to be converted first
        return self._call(args, **kwargs)

    def _call(
        self,
        args: Sequence[Any],
        size: Any = None,
        stream: Stream | None = None,
        block_size: Any = None,
        **unknown: Any,
    ) -> Any:
        name = self.name
        if unknown:
            raise TypeError(
                f"{name}: Wrong arguments {', '.join(unknown)}; a kernel takes size, stream and "
                "block_size"
            )
        if stream is not None:
            if not isinstance(stream, Stream):
                raise TypeError(f"stream is a gpuarray.cuda.Stream or None, not {stream!r}")
            with stream:
                return self._call(args, size, None, block_size)
        if block_size is not None:
            block_size = operator.index(block_size)
            if not 0 < block_size <= _MOST_THREADS:
                raise ValueError(
                    f"{name}: block_size must be from 1 to {_MOST_THREADS}, not {block_size}"
                )
        if size is not None:
            size = operator.index(size)
        arguments = parameters.operands(args, self.in_params, self.out_params, name)
        layouts = [x._layout if isinstance(x, _array.ArrayBase) else type(x) for x in arguments]
        key: tuple = (self, *layouts)
        if size is not None or block_size is not None:
            key = (self, size, block_size, *layouts)
        stream = current.stream
        run = stream.plans.get(key)
        types = None
        if run is None:
            way = self._way(arguments, size, block_size)
            types = way.types
            run = self._plan(way, stream)
            stream.remember(key, run)
        try:
            return run(*arguments)
        except (TypeError, ValueError, OverflowError):
            if all(isinstance(x, _array.ArrayBase) for x in arguments):
                raise
        if types is None:
            types = parameters.resolve(name, self.in_params, self.out_params, arguments)
        for i, dtype in enumerate(types.inputs):
            if not isinstance(arguments[i], _array.ArrayBase):
                arguments[i] = parameters.number(arguments[i], dtype)
        return run(*arguments)

    # ---- deciding ------------------------------------------------------------------------------

    def _way(self, arguments: list[Any], size: int | None, block: int | None) -> _Way:
        """Types, shape and outputs of a call."""
        name = self.name
        types = parameters.resolve(name, self.in_params, self.out_params, arguments)
        given = len(arguments) == self.nargs
        shapes = [
            x._layout.shape
            for parameter, x in zip(self.params, arguments)
            if isinstance(x, _array.ArrayBase) and not parameter.raw
        ]
        if size is not None:
            if shapes:
                raise ValueError(
                    f"{name}: 'size' can be used only if all of the arrays are 'raw'; without it "
                    "the arrays' shape says how often the operation runs"
                )
            if size < 0:
                raise ValueError(f"{name}: size must not be negative, got {size}")
            shape: tuple[int, ...] = (size,)
        elif shapes:
            shape = _layout.broadcast_shapes(shapes)
        else:
            raise ValueError(
                f"{name}: Loop size is undefined: no array says how often the operation runs; "
                "pass size="
            )
        outputs = []
        for i, (parameter, dtype) in enumerate(zip(self.out_params, types.outputs)):
            if not given:
                if parameter.raw and size is None:
                    raise ValueError(
                        f"{name}: Output array size is undefined: pass the raw output "
                        f"{parameter.name}, or size="
                    )
                outputs.append(_layout.contiguous(dtype, shape))
                continue
            layout = arguments[self.nin + i]._layout
            if not parameter.raw:
                if layout.shape != shape:
                    raise ValueError(
                        f"{name}: Out shape is mismatched: the output {parameter.name} has shape "
                        f"{layout.shape}, but the arguments broadcast to {shape}"
                    )
                _layout.check_writable(layout, name)
            outputs.append(layout)
        return _Way(arguments, types, shape, outputs, given, block)

    def _plan(self, way: _Way, stream: Stream) -> Callable[..., Any]:
        """A function that takes the arguments of a call."""
        # Given outputs are arguments like the others, unless they are returned.
        returned = not (way.given and self.no_return)
        kinds = "".join(
            ["a" if isinstance(x, _array.ArrayBase) else "s" for x in way.arguments[: self.nin]]
        )
        names = [f"x{i}" for i in range(self.nin)]
        if returned:
            new = [None if way.given else layout for layout in way.outputs]
            names += [f"y{i}" for i in range(self.nout)]
        else:
            new = []
            kinds += "a" * self.nout
            names += [f"x{self.nin + i}" for i in range(self.nout)]
        if not all(way.shape):
            run = _calls.make_call(stream, kinds, new, [])
        else:
            vector = self._vector_plan(way, stream)
            plan, order, scalars = vector or self._direct_plan(way, stream)
            bound = BoundLaunch(plan, stream, scalars)
            run = _calls.make_call(stream, kinds, new, [(bound, [names[k] for k in order])])
        if self.no_return and not way.given:
            return _without_result(run)
        if self.return_tuple and self.nout == 1 and not self.no_return:
            return _as_tuple(run)
        return run

    def _layouts(self, way: _Way) -> list[Layout | np.dtype]:
        """Of every parameter: the layout of its array, or the dtype of a number."""
        found: list[Layout | np.dtype] = [
            x._layout if isinstance(x, _array.ArrayBase) else dtype
            for x, dtype in zip(way.arguments, way.types.inputs)
        ]
        return found + way.outputs

    def _arguments(self, layouts: Sequence[Layout | np.dtype]) -> tuple[Any, ...]:
        """The parameters for the kernel's source."""
        found = []
        for k, (parameter, layout) in enumerate(zip(self.params, layouts)):
            output = k >= self.nin
            if not isinstance(layout, Layout):
                code = _dtypes.code(layout)
                found.append(
                    kernels.user_code.Argument(
                        parameter.name, code, "scalar", constant=parameter.is_const
                    )
                )
            elif parameter.raw:
                found.append(parameters.raw_argument(parameter, layout, output))
            else:
                code = _dtypes.code(layout.dtype)
                found.append(
                    kernels.user_code.Argument(
                        parameter.name, code, "array", output, parameter.is_const
                    )
                )
        return tuple(found)

    def _code(self, way: _Way, arguments: tuple[Any, ...]) -> Any:
        return kernels.user_code.UserCode(
            self.name,
            arguments,
            parameters.code_types(way.types),
            self.preamble,
            self._options,
        )

    def _vector_plan(
        self, way: _Way, stream: Stream
    ) -> tuple[LaunchPlan, list[int], list[tuple[int, np.dtype]]] | None:
        """The launch in the element-wise family, where the code allows it.

        Returns the plan, the parameters that its leading arguments are, and its scalars.
        """
        user = kernels.user_code
        layouts = self._layouts(way)
        text = self.operation
        if "define" in self.preamble:
            text += self.preamble
        words = user.words(text)
        outputs = [(self.nin + i, x) for i, x in enumerate(self.out_params) if not x.raw]
        if (
            not outputs
            or way.block is not None
            or self._loop_prep
            or self._after_loop
            or user.names_threads(text)
            or any(user.takes_address(text, x.name) for _, x in outputs)
        ):
            return None
        size = int(np.prod(way.shape, dtype=np.int64))
        numbered = "i" in words
        asked = user.plain(text).replace(" ", "")
        if asked.count("_ind") != asked.count("_ind.size()"):
            return None
        arrays = [
            x for parameter, x in zip(self.params, layouts)
            if isinstance(x, Layout) and not parameter.raw
        ]  # fmt: skip
        if numbered:
            # Numbers are in C order, and only one run of memory is counted.
            for x in arrays:
                if not (x.c_contiguous and x.shape == way.shape) and x.size != 1:
                    return None
        raw = [k for k, x in enumerate(layouts) if isinstance(x, Layout) and self.params[k].raw]
        inputs = [k for k in range(self.nin) if k not in raw]
        kept = [k for k, x in outputs if way.given and not user.always_assigned(text, x.name)]
        read: list[Any] = [layouts[k] for k in [*inputs, *kept]]
        stored = [layouts[k] for k, _ in outputs]
        placeholder = [kernels.expressions.Constant(0, _dtypes.code(x.dtype)) for x in stored]
        spec, dims, strides = _elementwise.arrange(self.name, placeholder, read, stored)
        guarded = False
        if raw or self.preamble or not user.is_safe_anywhere(text):
            if spec.variant not in ("contiguous", "strided"):
                return None
            guarded = spec.variant == "contiguous"
        if numbered or guarded:
            read.append(NUMBER)
            spec, dims, strides = _elementwise.arrange(self.name, placeholder, read, stored)
        if spec.index == "int32" and _layout.needs_int64(size, [layouts[k] for k in raw]):
            return None
        counted = bool(words & {"n", "_ind"})
        arguments = self._arguments(layouts)
        vector = kernels.user_elementwise.VectorSpec(
            self._code(way, arguments),
            self.operation,
            spec,
            tuple([self.params[k].name for k in kept]),
            numbered,
            counted,
            guarded,
        )
        plan = _elementwise.launch_plan(
            spec, vector, kernels.user_elementwise.render_vector, dims, strides, stream.device
        )
        order = [k for k, _ in outputs] + inputs + kept
        scalars = [
            (place, layouts[k]) for place, k in enumerate(order)
            if not isinstance(layouts[k], Layout)
        ]  # fmt: skip
        for k in raw:
            plan.constants[len(order)] = parameters.array_constant(layouts[k])
            order.append(k)
        if counted or guarded:
            plan.constants[len(order)] = size.to_bytes(8, "little")
        return plan, order, scalars

    def _direct_plan(
        self, way: _Way, stream: Stream
    ) -> tuple[LaunchPlan, list[int], list[tuple[int, np.dtype]]]:
        """The launch of a plain loop over the elements in C order."""
        user = kernels.user_code
        layouts = self._layouts(way)
        shape: Sequence[int] = way.shape
        looped = [
            k for k, x in enumerate(layouts) if isinstance(x, Layout) and not self.params[k].raw
        ]
        strides = [_layout.broadcast_strides(layouts[k], way.shape) for k in looped]
        if self.reduce_dims:
            shape, strides = _merge(shape, strides)
        arguments = list(self._arguments(layouts))
        views = dict(enumerate(layouts))
        for k, steps in zip(looped, strides):
            view = views[k] = _layout.layout_of(layouts[k].dtype, tuple(shape), tuple(steps))
            x = arguments[k]
            arguments[k] = user.Argument(
                x.name, x.dtype, x.kind, x.output, x.constant, len(shape), view.c_contiguous
            )
        size = int(np.prod(shape, dtype=np.int64))
        arrays = [x for x in views.values() if isinstance(x, Layout)]
        narrow = not _layout.needs_int64(size, arrays)
        spec = kernels.user_elementwise.DirectSpec(
            self._code(way, tuple(arguments)),
            self.operation,
            self._loop_prep,
            self._after_loop,
            len(shape),
            narrow,
        )
        function, _ = load(spec, kernels.user_elementwise.render_direct, stream.device)
        block = way.block or _CUPY_BLOCK
        constants = {
            k: parameters.array_constant(x) for k, x in views.items() if isinstance(x, Layout)
        }
        lengths = tuple(shape) or (0,)
        constants[self.nargs] = np.array([size, *lengths, *[0] * len(lengths)], np.int64).tobytes()
        plan = LaunchPlan(function, grid_for(-(-size // block)), (block, 1, 1), constants)
        scalars = [(k, x) for k, x in enumerate(layouts) if not isinstance(x, Layout)]
        return plan, list(range(self.nargs)), scalars

    @property
    def cached_code(self) -> str:
        """The operation with its preamble, as it was given."""
        return f"{self.preamble}\n{self.operation}".strip()


def _merge(
    shape: Sequence[int], strides: Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Merge neighbouring dimensions that every operand walks without a gap, in C order."""
    dims: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        if dims and all(one[-1] == s[axis] * length for one, s in zip(steps, strides)):
            dims[-1] *= length
            for one, s in zip(steps, strides):
                one[-1] = s[axis]
        else:
            dims.append(length)
            for one, s in zip(steps, strides):
                one.append(s[axis])
    if not dims:
        return (1,), [(0,) for _ in strides]
    return tuple(dims), [tuple(one) for one in steps]


def _without_result(run: Callable[..., Any]) -> Callable[..., None]:
    def call(*args: Any) -> None:
        run(*args)

    return call


def _as_tuple(run: Callable[..., Any]) -> Callable[..., tuple]:
    def call(*args: Any) -> tuple:
        return (run(*args),)

    return call
