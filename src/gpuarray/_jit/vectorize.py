"""`vectorize`: a Python function of numbers, applied to the elements of arrays."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, ParamSpec, cast, overload

import numpy as np

from gpuarray import _array, _dtypes, _interchange
from gpuarray._jit import core_dimensions
from gpuarray._jit.functions import JitFunction, call_signature
from gpuarray._raw import ElementwiseKernel
from gpuarray._runtime.current_stream import current

P = ParamSpec("P")
Q = ParamSpec("Q")

_NUMBERS = (bool, int, float, complex)


class vectorize(Generic[P]):
    """A function of numbers as a function of arrays.

    Parameters
    ----------
    pyfunc : callable
        A Python function (also a lambda) that takes and returns numbers, or a tuple of them;
        `gpuarray.jit.rawkernel` lists what it may contain.
    otypes : str or list of dtypes, optional
        The dtypes of the results; by default what the function computes.
    doc : str, optional
        The documentation; by default the function's.
    excluded : set of str or int, optional
        Arguments, by name or position, that are not arrays: numbers, None, and tuples of them.
        A kernel is compiled for each value.
    cache : bool, optional
        Accepted for compatibility with NumPy: the function is never called on the host.
    signature : str, optional
        The core dimensions of arguments and results, as in ``"(m,n),(n)->(m)"``. The function is
        then one of arrays of these dimensions, and called for each index of the others, which
        broadcast.

    Returns
    -------
    callable
        Takes arrays and numbers, which broadcast; returns an array, or a tuple of arrays where
        the function returns a tuple. Without ``pyfunc``, a decorator.

    Raises
    ------
    NotImplementedError
        For what cannot be translated; the message names file, line and expression.

    Notes
    -----
    A call is one launch of an element-wise kernel, which is translated and compiled once for
    every combination of dtypes. Results have the dtypes that the function gives for NumPy's
    scalars (NEP 50), and are rounded as NumPy's: a product and a sum are not contracted.

    With ``signature`` nothing is translated: Python calls the function for one index after the
    other, with views in device memory, and each call launches kernels of its own. A function that
    takes whole arrays is faster by far.

    Differences from NumPy
    ----------------------
    NumPy calls the function with Python's numbers, here an element has the dtype of its array:
    of float32 comes float32. With arrays of size 0 ``otypes`` is not needed. Functions cannot
    have effects besides their results.

    Examples
    --------
    >>> import gpuarray as cp
    >>> @cp.vectorize
    ... def difference(a, b):
    ...     if a > b:
    ...         return a - b
    ...     return a + b
    >>> difference(cp.asarray([1, 2, 3, 4]), 2)
    array([3, 4, 1, 2])
    """

    @overload
    def __init__(
        self,
        pyfunc: Callable[P, Any],
        otypes: Any = None,
        doc: str | None = None,
        excluded: Iterable[Any] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ): ...
    @overload
    def __init__(
        self: vectorize[[Callable[..., Any]]],
        pyfunc: None = None,
        otypes: Any = None,
        doc: str | None = None,
        excluded: Iterable[Any] | None = None,
        cache: bool = False,
        signature: str | None = None,
    ): ...
    def __init__(
        self,
        pyfunc: Any = None,
        otypes: Any = None,
        doc: str | None = None,
        excluded: Iterable[Any] | None = None,
        cache: bool = False,
        signature: Any = None,
    ):
        self.signature = signature
        self._core = None if signature is None else core_dimensions.parse(signature)
        self.otypes = None if otypes is None else _output_dtypes(otypes)
        self.excluded = frozenset(excluded or ())
        for x in self.excluded:
            if not isinstance(x, str | int):
                raise TypeError(f"vectorize: excluded has names and positions, not {x!r}")
        self.cache = cache
        self._doc = doc
        self._kernels: dict[tuple, ElementwiseKernel] = {}
        self.pyfunc: Any = None
        if pyfunc is not None:
            self._set(pyfunc)

    def _set(self, pyfunc: Any) -> None:
        if not callable(pyfunc):
            raise TypeError(f"vectorize: {pyfunc!r} is not callable")
        self.pyfunc = pyfunc
        functools.update_wrapper(cast(Any, self), pyfunc, updated=())
        self.__name__ = getattr(pyfunc, "__name__", "vectorized")
        if self._doc is not None:
            self.__doc__ = self._doc
        self._kernel = pyfunc if isinstance(pyfunc, JitFunction) else JitFunction(pyfunc, True)

    def __repr__(self) -> str:
        if self.pyfunc is None:
            return "<vectorized function>"
        # With the parameters, because help() shows an object by this text and its docstring.
        return f"<vectorized {self.__name__}{call_signature(self.pyfunc)}>"

    # For type checkers: the decorator; the function's own parameters; the same with arrays where
    # their annotations say numbers.
    @overload
    def __call__(
        self: vectorize[[Callable[..., Any]]], pyfunc: Callable[Q, Any], /
    ) -> vectorize[Q]: ...
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Any: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Apply the function to every element."""
        if not kwargs:
            cls = _array.array_class
            key = (self, *[x._layout if type(x) is cls else type(x) for x in args])
            run = current.stream.plans.get(key)
            if run is not None:
                try:
                    return run(*args)
                except (TypeError, ValueError, OverflowError):
                    pass  # a number that has to be converted first, or does not fit
            if all(type(x) is cls or type(x) in _NUMBERS for x in args):
                kernel = self._kernels.get(
                    tuple([x._layout.dtype.char if type(x) is cls else type(x) for x in args])
                )
                if kernel is not None:
                    result = kernel(*args)
                    # The next call with these types finds the kernel's own plan.
                    run = current.stream.plans.get((kernel, *key[1:]))
                    if run is not None:
                        current.stream.keep_plan(key, run)
                    return result
        if self.pyfunc is None:
            if len(args) != 1 or kwargs:
                raise TypeError("vectorize: without pyfunc it is a decorator of one function")
            self._set(args[0])
            return self
        return self._call(args, kwargs)

    def _call(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if self._core is not None:
            return self._call_for_each(args, kwargs)
        source = self._kernel.source  # refuses *args and the like
        names = source.parameters
        bound = inspect.signature(self.pyfunc).bind(*args, **kwargs)
        # Defaults are constants of the kernel, so that the given arguments alone make its key.
        excluded = {
            i
            for i, name in enumerate(names)
            if i in self.excluded or name in self.excluded or name not in bound.arguments
        }
        bound.apply_defaults()
        given = [bound.arguments[name] for name in names]
        arguments: list[Any] = []
        key: list[Any] = []
        for i, x in enumerate(given):
            if i in excluded or x is None:
                key.append(_constant(x, names[i], self.__name__))
                continue
            x = _interchange.as_operand(x, self.__name__, args)
            arguments.append(x)
            if isinstance(x, _array.ArrayBase):
                key.append(x._layout.dtype.char)
            else:
                key.append(x.dtype.type if isinstance(x, np.generic) else type(x))
        if not arguments:
            raise ValueError(
                f"vectorize: {self.__name__} has no argument that is an array or a number"
            )
        numbers = not any(isinstance(x, _array.ArrayBase) for x in arguments)
        if numbers:
            key.append("numbers")  # a key that __call__ does not look up
        kernel = self._kernels.get(tuple(key))
        if kernel is None:
            kernel = self._kernels.setdefault(tuple(key), self._make(given, excluded))
            plain = all(not isinstance(x, tuple) for x in key[: len(args)])
            if not kwargs and not numbers and plain and len(arguments) == len(args):
                self._kernels[tuple(key[: len(args)])] = kernel
        if numbers:
            dtype = kernel.in_params[0].dtype
            assert dtype is not None
            arguments[0] = _interchange.scalar_array(arguments[0], dtype)
        return kernel(*arguments)

    def _call_for_each(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Call the function for each index of the dimensions that its signature does not name."""
        excluded = self.excluded
        places = [i for i in range(len(args)) if i not in excluded]
        names = [name for name in kwargs if name not in excluded]

        def function(*values: Any) -> Any:
            arguments, keywords = list(args), dict(kwargs)
            for i, value in zip(places, values, strict=False):  # the keywords' come behind
                arguments[i] = value
            keywords.update(zip(names, values[len(places) :], strict=True))
            return self.pyfunc(*arguments, **keywords)

        assert self._core is not None
        arrays = [*[args[i] for i in places], *[kwargs[name] for name in names]]
        return core_dimensions.call(function, self.__name__, self._core, self.otypes, arrays)

    def _make(self, given: Sequence[Any], excluded: set[int]) -> ElementwiseKernel:
        """The kernel for arguments of these types."""
        # Imported here: a program without functions in Python need not load the translator.
        from gpuarray._jit.elements import translate

        types = []
        for i, x in enumerate(given):
            if i in excluded or x is None:
                types.append(("value", x))
            elif isinstance(x, _array.ArrayBase):
                types.append(("dtype", _dtypes.code(x._layout.dtype)))
            elif isinstance(x, np.generic):
                types.append(("dtype", _dtypes.code(x.dtype)))
            else:
                types.append(("python", type(x)))
        found = translate(self._kernel, types, self.otypes)
        kernel = ElementwiseKernel(
            ", ".join([f"{dtype.name} x{i}" for i, dtype in enumerate(found.inputs)]),
            ", ".join([f"{dtype.name} y{i}" for i, dtype in enumerate(found.outputs)]),
            found.operation,
            f"vectorized_{self._kernel.source.name}",
            preamble=found.preamble,
            return_tuple=not found.single,
            # As NumPy rounds: after each operation.
            options=("--fmad=false",),
        )
        kernel._safe_preamble |= found.speculatable
        return kernel


def _output_dtypes(otypes: Any) -> list[np.dtype]:
    """``otypes`` as dtypes."""
    if isinstance(otypes, str):
        for char in otypes:
            if char not in np.typecodes["All"]:
                raise ValueError(f"Invalid otype specified: {char}")
        return [_dtypes.canonical(char) for char in otypes]
    if isinstance(otypes, Iterable) and not isinstance(otypes, type | np.dtype):
        return [_dtypes.canonical(x) for x in otypes]
    raise ValueError(f"Invalid otype specification: {otypes!r} is no string or list of dtypes")


def _constant(x: Any, name: str, function: str) -> Any:
    """The key of an argument whose value is part of the kernel."""
    if x is None or isinstance(x, bool | int | float | complex | str | np.generic):
        return ("value", type(x), repr(x))
    if isinstance(x, tuple):
        return tuple([_constant(item, name, function) for item in x])
    raise NotImplementedError(
        f"vectorize: {function}'s excluded argument {name} is a {type(x).__name__}; only numbers, "
        "None and tuples of them can be excluded. Index whole arrays in a kernel of "
        "gpuarray.jit.rawkernel"
    )
