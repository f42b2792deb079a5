"""ReductionKernel: the user's C++ for mapping, combining and finishing, applied along axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _arguments, _array, _broadcasting, _calls, _dtypes, _layout
from gpuarray._layout import Layout
from gpuarray._raw import parameters
from gpuarray._raw.declared_kernel import DeclaredKernel
from gpuarray._raw.parameters import Types
from gpuarray._runtime import plans as plan_cache
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.event import check_stream
from gpuarray._runtime.launch import BoundLaunch
from gpuarray._runtime.stream import Stream
from gpuarray.kernels import elementwise, generator, reduction
from gpuarray.kernels.generator.expressions import Constant


class ReductionKernel(DeclaredKernel):
    """A reduction along axes, written in C++.

    Parameters
    ----------
    in_params : str
        What it takes, as for `ElementwiseKernel`: arrays, which broadcast, and numbers.
    out_params : str
        What it returns: one array.
    map_expr : str
        What an element is turned into, an expression of the inputs. ``_J`` is the element's number
        along the reduced axes, ``_i`` that of its result, ``_j`` its own where the reduced axes
        come first, and ``_in_ind.get()`` has its coordinates in that order; ``_in_ind.size()``
        and ``_out_ind.size()`` are the numbers of elements and of results.
    reduce_expr : str
        How two values are combined, an expression of ``a`` and ``b``. The order in which
        elements are combined is not defined.
    post_map_expr : str
        A statement that computes the output from the combined value ``a``. ``_in_ind.size()`` and
        ``_out_ind.size()`` are there, too.
    identity : str or number or None
        The value that changes nothing when it is combined; the result without elements. None
        if there is no such value.
    name : str, optional
        The kernel's name in profilers and error messages.
    reduce_type : str, optional
        The C++ type of ``a`` and ``b``; the output's type by default (for float16: float).
    reduce_dims : bool, optional
        Accepted for CuPy's sake: dimensions are merged where they can be.
    preamble : str, optional
        C++ before the kernel: functions, types, includes.
    options : tuple of str, optional
        Options of NVRTC.

    Attributes
    ----------
    in_params, out_params, params : tuple
        The parameters, with ``name``, ``dtype``, ``raw`` and ``is_const``.
    nin, nout, nargs : int
        How many there are.
    name, map_expr, reduce_expr, post_map_expr, identity, reduce_type, preamble, options
        As given.

    Notes
    -----
    One launch; elements are read as by this package's own reductions. Results are the same in
    every run: elements are combined in an order that the shapes decide. Where blocks share a
    result, scratch memory of a partial result for each.

    Examples
    --------
    >>> import gpuarray as cp
    >>> l2norm = cp.ReductionKernel(
    ...     "T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
    >>> l2norm(cp.asarray([[3., 4.], [6., 8.]]), axis=1)
    array([ 5., 10.])
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: Sequence[str] = (),
    ):
        self._declare(name, in_params, out_params)
        if self.nout != 1 or self.out_params[0].raw:
            raise ValueError(
                f"{name}: a reduction has one output that is not raw, declared {out_params!r}"
            )
        if all(x.raw for x in self.in_params):
            raise ValueError(
                f"{name}: a reduction needs an input that is not raw, to reduce its elements"
            )
        self.map_expr = map_expr
        self.reduce_expr = reduce_expr
        self.post_map_expr = post_map_expr
        self.identity = "" if identity is None else str(identity)
        self.reduce_type = reduce_type
        self.reduce_dims = reduce_dims
        self.preamble = preamble
        self.options = parameters.check(
            name,
            self.params,
            options,
            map_expr=map_expr,
            reduce_expr=reduce_expr,
            post_map_expr=post_map_expr,
            preamble=preamble,
            reduce_type=reduce_type or "",
        )

    def __call__(
        self,
        *args: Any,
        out: Any = None,
        axis: Any = None,
        keepdims: bool = False,
        stream: Stream | None = None,
    ) -> Any:
        """Run the kernel.

        Parameters
        ----------
        *args : ndarray or scalar
            The inputs, then optionally the output.
        out : ndarray, optional
            Where the result is stored.
        axis : int, tuple of int or None, optional
            The axes to reduce; all by default.
        keepdims : bool, optional
            Keep reduced axes with length 1.
        stream : Stream, optional
            Where to run; the current stream by default.

        Returns
        -------
        ndarray
        """
        if out is None and stream is None:
            cls = _array.array_class
            try:
                # The key that _run makes: only here does an int or None stand for itself unseen.
                run = current.stream.plans.get(
                    (
                        self,
                        axis if axis is None or type(axis) is int else plan_cache.static(axis),
                        keepdims,
                        *[x._layout if type(x) is cls else type(x) for x in args],
                    )
                )
            except TypeError:
                run = None  # something without a hash
            if run is not None:
                try:
                    return run(*args)
                except (TypeError, ValueError, OverflowError):
                    pass  # a number that has to be converted first, or does not fit
        return self._call(args, out, axis, keepdims, stream)

    def _call(
        self, args: Sequence[Any], out: Any, axis: Any, keepdims: Any, stream: Stream | None
    ) -> Any:
        name = self.name
        if stream is not None:
            check_stream(stream)
            with stream:
                return self._call(args, out, axis, keepdims, None)
        if out is not None:
            if len(args) == self.nargs:
                raise ValueError(
                    f"{name}: cannot specify 'out' as both a positional and keyword argument"
                )
            out = reduction.arguments.output(out, name)
            args = (*args, out)
        if isinstance(axis, list):
            axis = tuple(axis)
        return self._run(args, (axis, bool(keepdims)))

    # ---- deciding ------------------------------------------------------------------------------

    def _plan(self, arguments: list[Any], static: tuple, stream: Stream) -> Callable[..., Any]:
        axis, keepdims = static
        name, nin = self.name, self.nin
        types = parameters.resolve(name, self.in_params, self.out_params, arguments)
        arrays = [
            i for i, parameter in enumerate(self.in_params)
            if isinstance(arguments[i], _array.ArrayBase) and not parameter.raw
        ]  # fmt: skip
        if not arrays:
            raise ValueError(f"{name}: no array to reduce was given, only numbers and raw arrays")
        shape = _broadcasting.broadcast_shapes([arguments[i]._layout.shape for i in arrays])
        axes = _arguments.check_axes(axis, len(shape), duplicates="duplicate value in 'axis'")
        reduced = reduction.arguments.reduced_shape(shape, axes, keepdims)
        given = len(arguments) == self.nargs
        if given:
            target: Layout = arguments[nin]._layout
            if target.shape != reduced:
                raise ValueError(
                    f"{name}: Out shape is mismatched: the output has shape {target.shape}, but "
                    f"the result has shape {reduced}"
                )
            _layout.check_writable(target, name)
        else:
            target = _layout.contiguous(types.outputs[0], reduced)
        count = math.prod([shape[i] for i in axes])
        if not count and target.size and not self.identity:
            raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
        kinds = "".join(["a" if isinstance(x, _array.ArrayBase) else "s" for x in arguments[:nin]])
        new = [None if given else target]
        if not target.size:
            return _calls.make_call(stream, kinds, new, [])

        user = generator.user_code
        layouts: list[Any] = [
            x._layout if isinstance(x, _array.ArrayBase) else dtype
            for x, dtype in zip(arguments[:nin], types.inputs)
        ]
        described, extras = [], []
        for i, (parameter, x) in enumerate(zip(self.in_params, layouts)):
            if i in arrays:
                described.append(user.UserParameter(parameter.name, _dtypes.code(x.dtype), "array"))
                continue
            extras.append(i)
            if isinstance(x, Layout):
                described.append(parameters.raw_argument(parameter, x, False))
            else:
                described.append(user.UserParameter(parameter.name, _dtypes.code(x), "scalar"))
        operands = [_broadcasting.broadcast_to(layouts[i], shape) for i in arrays]
        map_text = self.map_expr + (self.preamble if "define" in self.preamble else "")
        mapped = user.words(map_text) - {x.name for x in self.params}
        asked = user.plain(map_text).replace(" ", "")
        located = asked.count("_in_ind") != asked.count("_in_ind.size()")
        numbered = located or bool(mapped & {"_i", "_j", "_J"})
        if located:
            described.append(user.UserParameter(
                "gpuarray_in_shape", "u1", "raw", ndim=len(shape), contiguous=True))  # fmt: skip
        inputs = [elementwise.spec.OperandSpec(_dtypes.code(x.dtype)) for x in operands]
        if numbered:
            order = [*sorted(axes), *[i for i in range(len(shape)) if i not in axes]]
            operands.append(_numbers(shape, order))
            inputs.append(elementwise.spec.OperandSpec("u1"))
        output = self.out_params[0].name
        described.append(
            user.UserParameter(output, _dtypes.code(target.dtype), "array", True, False)
        )
        words = user.words(f"{self.post_map_expr} {self.preamble}")
        value, value_type = self._value(types)
        spec = reduction.user.UserReductionSpec(
            name=name,
            mapped=_UNUSED,
            combined=_UNUSED,
            neutral=Constant(0, value),
            finished=_UNUSED,
            output_dtype=_dtypes.code(target.dtype),
            inputs=tuple(inputs),
            code=user.UserCode(
                name,
                tuple(described),
                parameters.code_types(types),
                self.preamble,
                self.options,
                parameters.included(
                    self.options,
                    self.preamble,
                    self.map_expr,
                    self.reduce_expr,
                    self.post_map_expr,
                ),
            ),
            map_code=self.map_expr,
            reduce_code=self.reduce_expr,
            post_code=self.post_map_expr,
            identity=self.identity,
            value_type=value_type,
            counted=bool((words | mapped) & _INDEX_WORDS),
            map_counted=bool(mapped & _INDEX_WORDS),
            numbered=numbered,
            located=located,
        )
        plan, scratch = reduction.launch.launch_plan(
            spec, reduction.user.render_reduction, operands, axes, target, stream
        )
        passed = {"output": "y0"} | {f"operand{k}": f"x{i}" for k, i in enumerate(arrays)}
        if numbered:  # nothing is read from it
            passed[f"operand{len(arrays)}"] = f"x{arrays[0]}"
        scalars = {}
        for i in extras:
            extra = f"extra_{self.in_params[i].name}"
            passed[extra] = f"x{i}"
            if isinstance(layouts[i], Layout):
                plan.constants[extra] = user.array_constant(layouts[i])
            else:
                scalars[extra] = layouts[i]
        if located:
            passed["extra_gpuarray_in_shape"] = f"x{arrays[0]}"
            moved = _layout.contiguous(np.dtype("u1"), tuple([shape[i] for i in order]))
            plan.constants["extra_gpuarray_in_shape"] = user.array_constant(moved)
        if scratch:
            passed["partials"] = "t0"
        bound = BoundLaunch(plan, stream, scalars)
        return _calls.make_call(stream, kinds, new, [(bound, passed)], [scratch] if scratch else [])

    def _value(self, types: Types) -> tuple[str, str]:
        """The dtype code of values, and their C++ type where no dtype has it."""
        given = (self.reduce_type or "").strip()
        if not given:
            return reduction.tables.accumulator(_dtypes.code(types.outputs[0])), ""
        if given in types.letters:
            return _dtypes.code(types.letters[given]), ""
        for code, name in generator.user_code.TYPES.items():
            if given == name:
                return code, ""
        try:
            return _dtypes.code(np.dtype(given)), ""
        except TypeError:
            return "f4", given


def _numbers(shape: Sequence[int], order: Sequence[int]) -> Layout:
    """The layout whose offsets number elements in C order, with the axes in that order."""
    strides = [0] * len(shape)
    step = 1
    for axis in reversed(order):
        strides[axis] = step
        step *= shape[axis]
    return _layout.layout_of(np.dtype("u1"), tuple(shape), tuple(strides))


#: What tells user code how many elements and results there are, and which one is at hand.
_INDEX_WORDS = frozenset({"_in_ind", "_out_ind", "_i", "_j", "_J"})

#: Stands for the expressions of a specification whose code is the user's.
_UNUSED: Any = None
