"""The decorator `fuse`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, overload

import numpy as np

from gpuarray import _array, _interchange
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import find, key_of, static

_NUMBERS = (bool, int, float, complex)

#: Calls with numbers whose values the function looks at are traced so often, and then run as they
#: are: a value that changes every time would have a kernel compiled every time.
_MOST_VALUES = 64


_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class _Decorator(Protocol):
    """What `fuse` returns where it is called with keywords only."""

    def __call__(
        self, function: Callable[_Parameters, _Result], /
    ) -> Fused[_Parameters, _Result]: ...


@overload
def fuse(
    function: Callable[_Parameters, _Result], /, *, kernel_name: str | None = None
) -> Fused[_Parameters, _Result]: ...


@overload
def fuse(*, kernel_name: str | None = None) -> _Decorator: ...


def fuse(*args: Any, **kwargs: Any) -> Any:
    """Fuse a function of arrays into as few kernels as possible.

    Parameters
    ----------
    function : callable
        Element-wise operations (operators, ufuncs, `where`, `clip`, `isclose`, ``astype``) and
        reductions (`sum`, `prod`, `max`, `min`, `any`, `all`, `mean`, `allclose`, `array_equal`)
        of its arguments, views of them by basic indices (``x[1:]``), and changes of whole
        arguments in place (``x += y``, ``y[...] = x``).
    kernel_name : str, optional
        The name of the kernels in profilers; the function's by default.

    Returns
    -------
    callable
        The fused function; as decorator, with or without arguments.

    Raises
    ------
    TypeError
        For an unknown keyword, or a name that is no text.

    Notes
    -----
    The function is run once for every combination of its arguments' types, shapes and strides,
    with symbols in place of arrays. Results have the dtypes and (but for the order in which sums
    are added) the values of the function as it is. Element-wise operations are one kernel for
    every shape that is returned, without memory in between; a reduction is one kernel with all
    that is computed before it, and with what is computed of its result alone.

    Numbers among the arguments are passed to the kernel, unless the function does more with them
    than combine them with arrays: then there is a kernel for every value. Arrays and numbers
    from closures and from the function's own module are followed if they are replaced.

    Arguments that the function changes are stored last, by a launch of their own. The function
    runs as it is where such an argument overlaps another one, where it changes part of an array
    (``x[1:] = y``), and where an index is an array. With NumPy arrays it runs as it is, too.

    A decision by the value of an array (``if x > 0``) raises TypeError, as do functions that
    cannot be fused.

    Examples
    --------
    >>> import gpuarray as cp
    >>> @cp.fuse
    ... def squared_diff(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_diff(cp.arange(5), cp.arange(5)[::-1])
    array([16,  4,  0,  4, 16])

    >>> @cp.fuse(kernel_name="norm")
    ... def norm(x):
    ...     return cp.sqrt(cp.sum(x * x, axis=-1))
    >>> norm(cp.asarray([[3., 4.], [6., 8.]]))
    array([ 5., 10.])
    """
    kernel_name = kwargs.pop("kernel_name", None)
    if kwargs:
        raise TypeError(
            f"fuse() got an unexpected keyword argument {next(iter(kwargs))!r}; it takes "
            "kernel_name"
        )
    if kernel_name is not None and not isinstance(kernel_name, str):
        raise TypeError(f"fuse: kernel_name is a string, not {kernel_name!r}")
    if not args:
        return lambda function: Fused(function, kernel_name)
    if len(args) != 1 or not callable(args[0]):
        raise TypeError("fuse takes one function, or keywords only: @fuse(kernel_name='name')")
    return Fused(args[0], kernel_name)


class Fused(Generic[_Parameters, _Result]):
    """A fused function; calling it runs it."""

    def __init__(self, function: Callable[_Parameters, _Result], kernel_name: str | None = None):
        self._function: Callable[..., Any] = function
        self._name = kernel_name or str(getattr(function, "__name__", "fused"))
        self._values_seen: set[Any] = set()
        self._watched: list[Callable[[], Any]] | None = None  # found at the first call
        functools.update_wrapper(self, function)

    def __repr__(self) -> str:
        return f"<fused {self._name}>"

    @overload
    def __get__(self, instance: None, owner: type) -> Fused[_Parameters, _Result]: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Callable[..., _Result]: ...

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __call__(self, *args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        """Run the function."""
        if not kwargs and not self._watched:
            cls = _array.array_class
            run = current.stream.plans.get(
                (self, *[x._layout if type(x) is cls else type(x) for x in args])  # type: ignore[attr-defined]
            )
            if run is not None:
                try:
                    return run(*args)
                except (TypeError, ValueError, OverflowError):
                    return self._function(*args)  # a number that does not fit
        return self._call(args, kwargs)

    def clear_cache(self) -> None:
        """Forget what has been traced on the current stream."""
        current.stream.drop_plans(self)
        self._values_seen.clear()

    def _call(self, args: tuple, kwargs: dict[str, Any]) -> Any:
        if kwargs:
            import inspect

            bound = inspect.signature(self._function).bind(*args, **kwargs)
            if bound.kwargs:
                return self._function(*args, **kwargs)
            args = bound.args
        arrays = [x for x in args if isinstance(x, _array.ArrayBase)]
        if not arrays or any(isinstance(x, np.ndarray) for x in args):
            # NumPy's arrays, or an inner function of one that is being fused.
            return self._function(*args)
        if _interchange.symbol_among(args) is not None:
            return self._function(*args)
        stream = current.stream
        kinds = [x._layout if isinstance(x, _array.ArrayBase) else type(x) for x in args]
        key = key_of(self, *kinds)
        if self._watched is None:
            self._watched = _outer_names(self._function)
        if self._watched:
            key = key_of(self, self._outer(), *kinds)
        run = find(stream, key, self._trace, args, True)
        if run is None:
            run = self._by_value(args, key)
        try:
            return run(*args)
        except (TypeError, ValueError, OverflowError):
            if not any(is_number(x) for x in args):
                raise
            return self._function(*args)

    def _by_value(self, args: tuple, key: tuple) -> Callable[..., Any]:
        """The plan for these very numbers."""
        values = static(tuple([None if isinstance(x, _array.ArrayBase) else x for x in args]))
        try:
            if values not in self._values_seen:
                if len(self._values_seen) >= _MOST_VALUES:
                    return self._function
                self._values_seen.add(values)
        except TypeError:  # something that cannot be a key
            return self._function
        key = (*key, "values", values)
        return find(current.stream, key, self._trace, args, False) or self._function

    def _trace(self, args: tuple, numbers: bool) -> Callable[..., Any] | None:
        """The launches for arguments; ``None`` if numbers have to be known and are not."""
        if numbers and not all(isinstance(x, _array.ArrayBase) or is_number(x) for x in args):
            return None
        if any(isinstance(x, _array.ArrayBase) and not x._layout.size for x in args):
            return self._function
        # Imported when something is fused, to keep the import of the package short.
        from gpuarray._fusion import planning

        return planning.trace(self._function, self._name, args, numbers, current.stream)

    def _outer(self) -> tuple:
        """What the function has from elsewhere, for the plan's key."""
        found: list[tuple] = []
        for read in self._watched or ():
            value = read()
            if isinstance(value, _array.ArrayBase):
                found.append((id(value), value._layout))
            elif is_number(value):
                found.append((type(value), repr(value)))
        return tuple(found)


def is_number(x: Any) -> bool:
    """Whether something is a number that an array can be combined with."""
    return isinstance(x, (*_NUMBERS, np.generic))


def _outer_names(function: Callable[..., Any]) -> list[Callable[[], Any]]:
    """Readers of the arrays and numbers that a function has from closures and its module."""
    code = getattr(function, "__code__", None)
    if code is None:
        return []
    found: list[Callable[[], Any]] = [
        functools.partial(_cell, cell) for cell in function.__closure__ or ()
    ]
    outside = function.__globals__
    for name in code.co_names:
        value = outside.get(name)
        if isinstance(value, _array.ArrayBase) or is_number(value):
            found.append(functools.partial(outside.get, name))
    return found


def _cell(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None
