"""ElementwiseKernel: the user's C++ for one element, applied to whole arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from gpuarray import _array, _broadcasting, _calls, _layout
from gpuarray._raw import parameters
from gpuarray._raw.declared_kernel import DeclaredKernel
from gpuarray._raw.elementwise_plan import CallSignature, ElementwiseDeclaration, Planner
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.event import check_stream
from gpuarray._runtime.launch import BoundLaunch
from gpuarray._runtime.stream import Stream

_MOST_THREADS = 1024


class ElementwiseKernel(DeclaredKernel):
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
    Numbers take on the types that the arrays say. One that such a type cannot hold raises
    OverflowError (``2**40`` for int32) or TypeError (``0.5`` for int32, ``1j`` for float32).

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
        self._declare(name, in_params, out_params)
        self.operation = operation
        self.reduce_dims = reduce_dims
        self.preamble = preamble
        self.no_return = no_return
        self.return_tuple = return_tuple
        self.kwargs = kwargs
        #: Whether the preamble is known to be safe on zeros beyond the end, too.
        self._safe_preamble = not preamble
        self.__doc__ = doc or type(self).__doc__
        self.loop_prep: str = kwargs.get("loop_prep", "")
        self.after_loop: str = kwargs.get("after_loop", "")
        for key in kwargs:
            if key not in ("options", "loop_prep", "after_loop"):
                raise TypeError(
                    f"ElementwiseKernel got an unexpected keyword argument {key!r}; there are "
                    "options, loop_prep and after_loop"
                )
        self.options = parameters.check(
            name,
            self.params,
            kwargs.get("options", ()),
            operation=operation,
            preamble=preamble,
            loop_prep=self.loop_prep,
            after_loop=self.after_loop,
        )

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
                    pass  # a number that has to be converted first, or does not fit
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
            check_stream(stream)
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
        static = () if size is None and block_size is None else (size, block_size)
        return self._run(args, static)

    # ---- deciding ------------------------------------------------------------------------------

    def _signature(self, arguments: list[Any], static: tuple) -> CallSignature:
        """Types, shape and outputs of a call."""
        name = self.name
        types = parameters.resolve(name, self.in_params, self.out_params, arguments)
        size, block = static or (None, None)
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
            shape = _broadcasting.broadcast_shapes(shapes)
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
            _layout.check_not_read_only(layout, name)
            if not parameter.raw:
                if layout.shape != shape:
                    raise ValueError(
                        f"{name}: Out shape is mismatched: the output {parameter.name} has shape "
                        f"{layout.shape}, but the arguments broadcast to {shape}"
                    )
                _layout.check_writable(layout, name)
            outputs.append(layout)
        return CallSignature(arguments, types, shape, outputs, given, block)

    def _plan(self, arguments: list[Any], static: tuple, stream: Stream) -> Callable[..., Any]:
        call = self._signature(arguments, static)
        # Given outputs are arguments like the others, unless they are returned.
        returned = not (call.given and self.no_return)
        kinds = "".join(
            ["a" if isinstance(x, _array.ArrayBase) else "s" for x in call.arguments[: self.nin]]
        )
        names = [f"x{i}" for i in range(self.nin)]
        if returned:
            new = [None if call.given else layout for layout in call.outputs]
            names += [f"y{i}" for i in range(self.nout)]
        else:
            new = []
            kinds += "a" * self.nout
            names += [f"x{self.nin + i}" for i in range(self.nout)]
        if not all(call.shape):
            run = _calls.make_call(stream, kinds, new, [])
        else:
            declaration = ElementwiseDeclaration(
                self.name, self.params, self.nin, self.operation, self.preamble, self.options,
                self.loop_prep, self.after_loop, self.reduce_dims, self._safe_preamble,
            )  # fmt: skip
            launch = Planner(declaration, call, stream).launch()
            bound = BoundLaunch(launch.plan, stream, launch.scalars)
            passed = {name: names[k] for name, k in launch.passed.items()}
            run = _calls.make_call(stream, kinds, new, [(bound, passed)])
        if self.no_return and not call.given:
            return _without_result(run)
        if self.return_tuple and self.nout == 1 and not self.no_return:
            return _as_tuple(run)
        return run

    @property
    def cached_code(self) -> str:
        """The operation with its preamble, as it was given."""
        return f"{self.preamble}\n{self.operation}".strip()


def _without_result(run: Callable[..., Any]) -> Callable[..., None]:
    def call(*args: Any) -> None:
        run(*args)

    return call


def _as_tuple(run: Callable[..., Any]) -> Callable[..., tuple]:
    def call(*args: Any) -> tuple:
        return (run(*args),)

    return call
