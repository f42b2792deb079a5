"""Plans of a ufunc's calls: from operands and outputs to a kernel of the element-wise family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import (
    _arguments,
    _array,
    _broadcasting,
    _calls,
    _dtypes,
    _interchange,
    _layout,
    _memory_order,
)
from gpuarray._integers import shortened
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime import recording
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies
from gpuarray.kernels.generator import operations
from gpuarray.kernels.generator.expressions import Apply, Cast, Input, Scalar, cast

if TYPE_CHECKING:
    from gpuarray._ufunc.function import ufunc
    from gpuarray.kernels.generator.expressions import Expression
    from gpuarray.kernels.generator.operations import Operation


def kinds_of(operands: Sequence[Any], outs: Sequence[Any]) -> list[Any]:
    """What ``resolve_dtypes`` takes for operands and outputs."""
    kinds: list[Any] = []
    for x in operands:
        if isinstance(x, _array.ArrayBase):
            kinds.append(x._layout.dtype)
        else:
            weak = _interchange.WEAK.get(type(x))
            kinds.append(_dtypes.canonical(x.dtype) if weak is None else weak)
    return kinds + [None if y is None else y._layout.dtype for y in outs]


def read_signature(
    row: Operation,
    dtype: Any,
    signature: Any = None,
    sig: Any = None,
    subok: Any = True,
    **unknown: Any,
) -> Any:
    """What NumPy's rarer keyword arguments of a call say: the dtype, or those of the whole loop.

    Returns
    -------
    dtype or tuple of (dtype or None)
        For ``dtype`` of `loop_of`.
    """
    name = called_name(row.name)
    if unknown:
        raise TypeError(
            f"{name}() got an unexpected keyword argument {next(iter(unknown))!r}; it takes out, "
            "where, casting, order, dtype, subok and signature"
        )
    if not isinstance(subok, bool):
        raise TypeError(f"{name}: 'subok' must be a boolean, got {subok!r}")
    if sig is not None:
        if signature is not None:
            raise TypeError(f"{name}: cannot specify both 'sig' and 'signature'")
        signature = sig
    if signature is None:
        return dtype
    if dtype is not None:
        raise TypeError(f"{name}: cannot specify both 'signature' and 'dtype'")
    if isinstance(signature, str | tuple) and len(signature) == 1:
        raise TypeError(f"{name}: a signature of one dtype is not enough; use dtype=")
    if isinstance(signature, str):
        inputs, arrow, outputs = signature.partition("->")
        if not arrow or (len(inputs), len(outputs)) != (row.nin, row.nout):
            raise ValueError(
                f"{name}: a type-string has {row.nin} typecode(s) before and {row.nout} after the "
                f"-> sign, got {signature!r}"
            )
        signature = tuple(inputs + outputs)
    if not isinstance(signature, tuple):
        raise TypeError(
            f"{name}: the signature is a string or a tuple of dtypes, got {signature!r}"
        )
    if len(signature) != row.nin + row.nout:
        raise ValueError(
            f"{name}: a type-tuple must be specified of length {row.nin + row.nout}, got "
            f"{len(signature)} dtypes"
        )
    return tuple([None if x is None else _dtypes.canonical(x) for x in signature])


def loop_of(row: Operation, kinds: Sequence[Any], casting: str, dtype: Any) -> tuple[np.dtype, ...]:
    """The dtypes of the loop's inputs and outputs.

    ``dtype`` is that of the outputs, or a tuple of those of inputs and outputs.
    """
    signature = None
    if isinstance(dtype, tuple):
        signature = dtype
    elif dtype is not None:
        signature = (None,) * row.nin + (_dtypes.canonical(dtype),) * row.nout
    try:
        found = row.resolve_dtypes(kinds, signature=signature, casting=casting)
    except UnicodeEncodeError:
        raise _dtypes.no_casting(casting) from None
    return tuple([_dtypes.canonical(x) for x in found])


def plan(
    function: ufunc[Any],
    operands: Sequence[Any],
    outs: Sequence[Any],
    masked: bool,
    casting: str,
    order: str,
    dtype: Any,
) -> Callable:
    """Make the call for operands and outputs such as these.

    Parameters
    ----------
    function : ufunc
        What is applied.
    operands : sequence of ndarray or scalar
        Its inputs; behind them the mask, if there is one.
    outs : sequence of ndarray or None
        The outputs that are given.
    masked : bool
        Whether there is a mask.
    casting, order, dtype
        As for a call.

    Returns
    -------
    callable
        Takes the operands and the outputs that are given.
    """
    name, row = function.__name__, function.row
    nin = row.nin
    order = _arguments.check_order(order)
    if name in ("equal", "not_equal") and _has_structures(operands):
        from gpuarray._ufunc import structures  # few programs compare structures

        return structures.comparison(name, operands, outs, masked)
    kinds = kinds_of(operands[:nin], outs)
    try:
        loop = loop_of(row, kinds, casting, dtype)
    except TypeError:
        if any(y is not None for y in outs):
            # NumPy looks at numbers before it looks whether outputs can take the results.
            _check_numbers(
                name,
                operands,
                loop_of(row, kinds_of(operands[:nin], [None] * row.nout), casting, dtype),
            )
        raise
    codes = [_dtypes.code(x) for x in loop]
    inputs, terms = _terms(operands, loop)
    converted = [cast(code, x) for x, code in zip(terms, codes[:nin])]
    layouts = [x for x in inputs if isinstance(x, Layout)]
    shape = _result_shape(name, layouts, outs)
    targets = [
        _memory_order.like_order(loop[nin + i], shape, layouts, order) if y is None else y._layout
        for i, y in enumerate(outs)
    ]
    if name == "power" and (
        not isinstance(operands[1], _array.ArrayBase) or operands[1]._layout.size == 1
    ):
        row = operations.with_one_exponent(row, codes[1], kinds[1])
    results: list[Expression] = []
    for i, target in enumerate(targets):
        result: Expression = Apply(row, tuple(converted), codes[nin + i], i)
        if target.dtype != loop[nin + i]:
            result = Cast(_dtypes.code(target.dtype), result)
        results.append(result)
    given = [x.dtype if isinstance(x, Layout) else x for x in inputs]
    casts = [*zip(given, loop[:nin]), *zip(loop[nin:], [y.dtype for y in targets])]
    discards = any(_calls.discards_imaginary(one, other) for one, other in casts)
    number = not isinstance(operands[-1], _array.ArrayBase)
    refuses = name == "power" and loop[1].kind == "i" and number
    size = targets[0].size
    given_outputs = [y is not None for y in outs]
    if len(outs) == 1 and not (masked or discards):
        run = elementwise.launch.recorded_call(
            name, results[0], inputs, targets[0], given_outputs[0], current.stream
        )
    else:
        run = elementwise.launch.make_call(
            name, results, inputs, targets, given_outputs, current.stream, masked
        )
    if not size:
        run = checking_numbers(name, run, loop)
    if discards:
        run = _calls.with_complex_warning(run)
    if not refuses or not size:
        return run
    return recording.alike(run, _refuse_negative_exponent(run, loop))


def _has_structures(operands: Sequence[Any]) -> bool:
    """Whether an operand is an array of structures or voids."""
    return any(
        isinstance(x, _array.ArrayBase) and _dtypes.is_raw(x._layout.dtype) for x in operands
    )


def _terms(
    operands: Sequence[Any], loop: Sequence[np.dtype]
) -> tuple[list[Layout | np.dtype], list[Input | Scalar]]:
    """Operands as the kernel's inputs, and as expressions."""
    inputs: list[Layout | np.dtype] = []
    terms: list[Input | Scalar] = []
    for i, x in enumerate(operands):
        if isinstance(x, _array.ArrayBase):
            inputs.append(x._layout)
            terms.append(Input(i, _dtypes.code(x._layout.dtype)))
        else:
            dtype = _interchange.parameter_dtype(x, loop[i])
            inputs.append(dtype)
            terms.append(Scalar(i, _dtypes.code(dtype)))
    return inputs, terms


def _result_shape(name: str, layouts: Sequence[Layout], outs: Sequence[Any]) -> tuple[int, ...]:
    """The shape that operands broadcast to, which outputs may extend."""
    shape = _broadcasting.broadcast_shapes([x.shape for x in layouts] or [()])
    for y in outs:
        if y is None:
            continue
        _layout.check_writable(y._layout, name)
        joint = _broadcasting.broadcast_shapes([shape, y._layout.shape])
        if joint != y._layout.shape:
            raise ValueError(
                f"{called_name(name)}: "
                f"non-broadcastable output operand with shape {y._layout.shape} "
                f"doesn't match the broadcast shape {joint}"
            )
        shape = joint
    return shape


def _check_numbers(name: str, operands: Sequence[Any], loop: Sequence[np.dtype]) -> None:
    """Refuse Python integers that the dtypes of a loop do not hold."""
    for x, dtype in zip(operands, loop):
        if type(x) is int:
            dtype = _interchange.parameter_dtype(x, dtype)
            if not _dtypes.holds(dtype, x):
                raise OverflowError(
                    f"{called_name(name)}: Python integer {shortened(x)} out of bounds for "
                    f"{dtype}; convert the array to a wider dtype first"
                )


def checking_numbers(name: str, run: Callable, loop: Sequence[np.dtype]) -> Callable:
    """A call without elements, of which no launch refuses numbers."""

    def checked(*operands: Any) -> Any:
        _check_numbers(name, operands, loop)
        return run(*operands)

    return checked


def _refuse_negative_exponent(run: Callable, loop: Sequence[np.dtype]) -> Callable:
    """A call of integer ``power`` by a scalar, which has no integer result below zero."""

    def checked(base: Any, exponent: Any, *rest: Any) -> Any:
        if exponent < 0:
            _check_numbers("power", (base, exponent), loop)
            raise ValueError(
                "power: Integers to negative integer powers are not allowed (got "
                f"{shortened(int(exponent))}); convert the base to a float dtype first"
            )
        return run(base, exponent, *rest)

    return checked


def any_foreign(operands: Sequence[Any], outs: Sequence[Any]) -> bool:
    """Whether an operand or output may share bytes with another memory object."""
    return any(isinstance(x, _array.ArrayBase) and x._layout.foreign for x in [*operands, *outs])


def copy_overlapping(operands: list[Any], outs: Sequence[Any]) -> None:
    """Replace operands that an output overwrites before they have been read by copies."""
    given = [y for y in outs if y is not None]
    if not given:
        return
    copied: dict[int, Any] = {}
    for i, x in enumerate(operands):
        if id(x) in copied:
            operands[i] = copied[id(x)]
        elif isinstance(x, _array.ArrayBase) and any(_overwrites(y, x) for y in given):
            operands[i] = copied[id(x)] = copies.copy(x)


def _overwrites(y: Any, x: Any) -> bool:
    """Whether storing to an output may change elements that have not been read.

    An output that is the operand itself does not: each element is read before it is stored.
    """
    return y is not x and _array.overlap(x, y) and not _array.same_elements(x, y)
