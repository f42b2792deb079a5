"""Sums of products in Einstein's notation: einsum, and the path of its contractions."""

from __future__ import annotations

import functools
import importlib
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gpuarray import _arguments, _array, _calls, _dtypes, _layout
from gpuarray._array import ArrayBase
from gpuarray._layout import Layout
from gpuarray._ops.contraction_plans import (
    Label,
    Result,
    Term,
    check_multiplied,
    lengths_of,
    path_call,
    reads_once,
    step_call,
)
from gpuarray._ops.stored_values import as_values
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, key_of, static
from gpuarray._runtime.stream import Stream
from gpuarray.kernels.reduction import arguments

if TYPE_CHECKING:
    from gpuarray._types import ndarray

__all__ = ["einsum", "einsum_path"]

#: What stands in a plan's key for ``optimize`` where it is not given.
_BY_DEFAULT = static(False)

#: The letters that integers of the form with lists stand for.
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def einsum(
    *operands: Any, out: ndarray | None = None, optimize: Any = False, **kwargs: Any
) -> ndarray:
    """Sums of products over axes that share a subscript, in Einstein's notation.

    Parameters
    ----------
    *operands : str, then ndarrays; or ndarrays, each with a list
        The subscripts and the operands. In ``'ij,jk->ik'`` the axes of the operands have letters;
        those that are not in the result are summed along. Without an arrow the result has the
        letters that occur once, in alphabetical order. ``'...'`` stands for axes that broadcast. A
        letter that occurs twice in one operand is its diagonal. In the other form integers below 52
        and `Ellipsis` are the letters, as in ``einsum(x, [0, 1], y, [1, 2], [0, 2])``.
    out : ndarray, optional
        Where the result is stored.
    optimize : bool, str, list or tuple, optional
        In what order more than two operands are contracted: ``'greedy'``, ``'optimal'``, or a path
        that `einsum_path` has returned. With True, and by default, it is found by ``opt_einsum``
        where that is installed, which has more names, and else greedily.
    **kwargs : optional
        ``dtype`` that is computed in, as NumPy promotes dtypes by default; ``order`` of the result
        in memory, 'C', 'F', 'A' or by default 'K'; ``casting``, by default ``'safe'``.

    Returns
    -------
    ndarray
        The sums. Of one operand that nothing is summed of it is a view, which may be written to
        like the operand.

    Raises
    ------
    ValueError
        If subscripts are malformed, do not fit the operands, or their lengths differ.
    TypeError
        If elements are no numbers; if a cast is not allowed.

    Differences from NumPy
    ----------------------
    Without `optimize`, too, more than two operands are contracted in pairs where that is less work.
    The order 'K' is that in which a product of matrices is stored best.

    Notes
    -----
    One launch where all elements are read once, such as for sums, traces, outer products and
    products of vectors. Two operands with axes of their own are one product of matrices, or a
    stack of them: axes that do not lie behind one another are read as stacks, or the operand is
    copied. More operands are contracted in pairs, with temporary memory for what the pairs make.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x = cp.arange(6).reshape(2, 3)
    >>> cp.einsum("ij,kj->ik", x, x)
    array([[ 5, 14],
           [14, 50]])
    >>> cp.einsum("ij->j", x)
    array([3, 5, 7])
    """
    if out is None and optimize is False and not kwargs:
        # The key that is made below, for operands that are arrays.
        try:
            key = (einsum, operands[0], *[x._layout for x in operands[1:]], _BY_DEFAULT)
            run = current.stream.plans.get(key)
        except (AttributeError, IndexError, TypeError):
            run = None
        if run is not None:
            return run(*operands[1:])
    subscripts, arrays = _read_operands(operands)
    for i, x in enumerate(arrays):
        if not isinstance(x, ArrayBase):
            arrays[i] = as_values(x, "einsum")
    stream = current.stream
    layouts = [x._layout for x in arrays]
    if out is None and not kwargs:
        run = find(
            stream, key_of(einsum, subscripts, *layouts, optimize),
            _plan, stream, subscripts, layouts, optimize,
        )  # fmt: skip
        return run(*arrays)
    unknown = kwargs.keys() - {"dtype", "order", "casting"}
    if unknown:
        raise TypeError(f"einsum() got an unexpected keyword argument {min(unknown)!r}")
    if out is not None:
        out = arguments.output(out, "einsum")
        arguments.keep_from_output(arrays, out)
        layouts = [x._layout for x in arrays]
    target = None if out is None else out._layout
    options = (kwargs.get("dtype"), kwargs.get("order", "K"), kwargs.get("casting", "safe"))
    run = find(
        stream, key_of(einsum, subscripts, *layouts, optimize, target, *options),
        _plan, stream, subscripts, layouts, optimize, target, *options,
    )  # fmt: skip
    return run(*arrays) if out is None else run(*arrays, out)


def einsum_path(*operands: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """In what order `einsum` may contract operands, as NumPy finds it.

    Parameters
    ----------
    *operands : str, then ndarrays; or ndarrays, each with a list
        As for `einsum`; only shapes are looked at.
    optimize : bool, str, list or tuple, optional
        ``'greedy'``, ``'optimal'``, or a pair of one of these and the most elements of an
        intermediate array; a path is returned as it is, False makes one contraction of all.
    einsum_call : bool, optional
        Return the operands and each contraction's details instead, as NumPy's own `einsum` takes
        them.

    Returns
    -------
    path : list
        ``'einsum_path'``, then a tuple of operands' numbers for each contraction; its result comes
        behind the operands that are left.
    text : str
        What it costs.

    Examples
    --------
    >>> import gpuarray as cp
    >>> x, y = cp.ones((2, 30)), cp.ones((30, 30))
    >>> cp.einsum_path("ij,jk,kl->il", x, y, y)[0]
    ['einsum_path', (0, 1), (0, 1)]
    """
    subscripts, arrays = _read_operands(operands)
    arrays = [x if isinstance(x, ArrayBase) else as_values(x, "einsum_path") for x in arrays]
    given = [_of_shape(x._layout.shape) for x in arrays]
    find_path: Any = np.einsum_path
    found = find_path(subscripts, *given, optimize=optimize, einsum_call=einsum_call)
    if einsum_call:
        places = {id(x): i for i, x in enumerate(given)}
        return [arrays[places[id(x)]] for x in found[0]], found[1]
    return found


def _of_shape(shape: tuple[int, ...]) -> np.ndarray:
    """A host array of a shape that takes the memory of one element."""
    return np.broadcast_to(np.float32(0), shape)


# ---- subscripts ----------------------------------------------------------------------------------


def _read_operands(operands: tuple[Any, ...]) -> tuple[str, list[Any]]:
    """The subscripts as text, and the arrays, of either form."""
    if not operands:
        raise ValueError(
            "must specify the einstein sum subscripts string and at least one operand, or at least "
            "one operand and its corresponding subscripts list"
        )
    first = operands[0]
    if isinstance(first, bytes):
        first = first.decode("ascii", "replace")
    if isinstance(first, str):
        return first, list(operands[1:])
    terms = [_letters(x) for x in operands[1::2]]
    arrays = list(operands[: 2 * (len(operands) // 2) : 2])
    if len(operands) % 2:
        return f"{','.join(terms)}->{_letters(operands[-1])}", arrays
    return ",".join(terms), arrays


def _letters(labels: Any) -> str:
    """The subscripts of a list."""
    try:
        given = list(labels)
    except TypeError:
        given = [None]
    found = []
    for x in given:
        if x is Ellipsis:
            found.append("...")
            continue
        if isinstance(x, bool | np.bool) or not hasattr(type(x), "__index__"):
            raise TypeError("einsum: each subscript must be either an integer or an ellipsis")
        number = x.__index__()
        if not (isinstance(number, int) and 0 <= number < len(_LETTERS)):
            raise ValueError("einsum: subscript is not within the valid range [0, 52)")
        found.append(_LETTERS[number])
    return "".join(found)


class _Subscripts(NamedTuple):
    """The labels of operands and of the result; axes of an ellipsis are counted from behind."""

    inputs: list[tuple[Label, ...]]
    output: tuple[Label, ...]


def _parse(subscripts: str, ndims: Sequence[int]) -> _Subscripts:
    """The labels of subscripts that NumPy takes for operands of so many dimensions."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    inputs, most = [], 0
    for text, ndim in zip(left.split(","), ndims, strict=True):
        more = ndim - len(text.replace("...", ""))
        most = max(most, more)
        inputs.append(_labels(text, more))
    if arrow:
        return _Subscripts(inputs, _labels(right, most))
    counts = Counter(left.replace("...", "").replace(",", ""))
    once = sorted([letter for letter, count in counts.items() if count == 1])
    return _Subscripts(inputs, (*range(-most, 0), *once))


def _labels(text: str, more: int) -> tuple[Label, ...]:
    before, _, after = text.partition("...")
    return (*before, *(range(-more, 0) if "..." in text else ()), *after)


def _term(number: int, labels: tuple[Label, ...], layout: Layout) -> Term:
    """An operand; an axis along the diagonal for a label that occurs more than once."""
    shape: dict[Label, int] = {}
    strides: dict[Label, int] = {}
    for label, length, stride in zip(labels, layout.shape, layout.strides, strict=True):
        if shape.setdefault(label, length) != length:
            raise ValueError(
                f"einsum: dimensions in operand {number} for collapsing index {label!r} don't "
                f"match ({shape[label]} != {length})"
            )
        strides[label] = strides.get(label, 0) + stride
    view = _layout.layout_of(
        layout.dtype, tuple(shape.values()), tuple(strides.values()), layout.access
    )
    return Term(tuple(shape), view)


# ---- planning ------------------------------------------------------------------------------------


def _plan(
    stream: Stream,
    subscripts: str,
    layouts: Sequence[Layout],
    optimize: Any,
    out: Layout | None = None,
    dtype: Any = None,
    order: Any = "K",
    casting: Any = "safe",
) -> Callable[..., Any]:
    if optimize is not False and optimize is not None:
        # What it may be is NumPy's to say.
        _path(subscripts, layouts, optimize)
    dtype = None if dtype is None else _dtypes.canonical(dtype)
    order = _arguments.check_order(order)
    viewed = _is_view(subscripts, layouts, out, dtype, order, casting)
    labels = _parse(subscripts, [x.ndim for x in layouts])
    terms = [_term(i, one, x) for i, (one, x) in enumerate(zip(labels.inputs, layouts))]
    lengths = lengths_of(terms)
    for term in terms:
        for label, length in zip(term.labels, term.layout.shape, strict=True):
            if length not in (1, lengths[label]):
                shapes = " ".join([str(x.shape).replace(" ", "") for x in layouts])
                raise ValueError(
                    f"einsum: operands could not be broadcast together with shapes {shapes} and "
                    f"subscripts {subscripts!r}: lengths of {length} and {lengths[label]} have "
                    "the same subscript"
                )
    if viewed:
        view = terms[0].seen_along(labels.output, lengths).layout
        return lambda x: _array.view(x, view)
    if out is not None:
        _layout.check_writable(out, "einsum")
        shape = tuple([lengths[x] for x in labels.output])
        if out.shape != shape:
            raise ValueError(f"einsum: out has the shape {out.shape}, but the result has {shape}")
    if dtype is None:
        given = [x.dtype for x in layouts] + ([] if out is None else [out.dtype])
        dtype = _dtypes.canonical(np.result_type(*given))
    check_multiplied("einsum", dtype)
    if order == "A":
        every = all(x.f_contiguous and not x.c_contiguous for x in layouts)
        order = "F" if every else "C"
    result = Result(labels.output, dtype, order, out)
    run = _contraction(stream, subscripts, layouts, terms, result, optimize)
    stored = dtype if out is None else out.dtype
    casts = [(x.dtype, dtype) for x in layouts] + [(dtype, stored)]
    if any(_calls.discards_imaginary(*cast) for cast in casts):
        return _calls.with_complex_warning(run)
    return run


def _is_view(
    subscripts: str,
    layouts: Sequence[Layout],
    out: Layout | None,
    dtype: np.dtype | None,
    order: str,
    casting: Any,
) -> bool:
    """Whether NumPy returns a view; it raises what it refuses.

    It is called with arrays of one element, so that all but lengths is looked at.
    """
    evaluate: Any = np.einsum  # whose types know no dtype that is not literal
    operands = [_element(x.ndim, x.dtype) for x in layouts]
    given = None if out is None else _element(out.ndim, out.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = evaluate(
            subscripts, *operands, out=given, order=order, casting=casting,
            dtype=None if dtype is None else _of_numpy(dtype),
        )  # fmt: skip
    return out is None and isinstance(found, np.ndarray) and np.may_share_memory(found, operands[0])


def _element(ndim: int, dtype: np.dtype) -> np.ndarray:
    return np.zeros((1,) * ndim, _of_numpy(dtype))


def _of_numpy(dtype: np.dtype) -> np.dtype:
    """The dtype, or for bfloat16, which NumPy's function does not take, another narrow float."""
    return np.dtype(np.float16) if _dtypes.is_narrow_float(dtype) else dtype


def _path(subscripts: str, layouts: Sequence[Layout], optimize: Any) -> list[tuple[int, ...]]:
    """Which operands are contracted one after another."""
    planner = _opt_einsum() if optimize is True or isinstance(optimize, str) else None
    if planner is not None:
        shapes = [x.shape for x in layouts]
        strategy = "auto" if optimize is True else optimize
        path, _ = planner.contract_path(subscripts, *shapes, shapes=True, optimize=strategy)
    else:
        given = [_of_shape(x.shape) for x in layouts]
        path = np.einsum_path(subscripts, *given, optimize=optimize)[0][1:]
    return [tuple(x) for x in path]


@functools.cache
def _opt_einsum() -> Any:
    try:
        return importlib.import_module("opt_einsum")
    except ImportError:
        return None


def _contraction(
    stream: Stream,
    subscripts: str,
    layouts: Sequence[Layout],
    terms: list[Term],
    result: Result,
    optimize: Any,
) -> Callable[..., Any]:
    """The call that contracts operands, one pair after another where there are many."""
    chosen = optimize is None or isinstance(optimize, bool)
    if len(terms) < 3 or (chosen and reads_once(terms)):
        return step_call(stream, terms, result)[0]
    return path_call(
        stream, terms, _path(subscripts, layouts, True if chosen else optimize), result
    )
