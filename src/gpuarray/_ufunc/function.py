"""Universal functions.

What a ufunc is and computes is its row in :mod:`gpuarray.kernels.generator.operations`. Which loop
operands take and which casts are allowed is asked of the row, which asks NumPy's own ufunc of the
same name (``numpy.ufunc.resolve_dtypes``), once for every combination of operand layouts.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np

from gpuarray import _array, _dtypes, _interchange
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime import plans as plan_cache
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import static
from gpuarray._ufunc import comparisons, planning
from gpuarray._ufunc.documentation import CallSignature, Documentation
from gpuarray._ufunc.methods import Methods
from gpuarray.errors import HostArrayError
from gpuarray.kernels.generator import operations

if TYPE_CHECKING:
    from gpuarray._types import Operand, ndarray
    from gpuarray.kernels.generator.operations import Operation

#: What a call returns: an array, or a tuple of two.
_Result = TypeVar("_Result", covariant=True)

__all__ = ["ufunc"]


class ufunc(Methods[_Result]):
    __doc__ = Documentation()  # type: ignore[assignment]  # written when asked for
    __signature__ = CallSignature()
    __slots__ = (
        "__name__",
        "identity",
        "nargs",
        "nin",
        "nout",
        "row",
    )

    def __new__(cls, row: Operation) -> ufunc[_Result]:
        if not isinstance(row, operations.Operation):
            raise TypeError("cannot create 'gpuarray.ufunc' instances")
        return object.__new__({1: _UnaryUfunc, 2: _BinaryUfunc}.get(row.nin, ufunc))

    def __init__(self, row: Operation):
        self.__name__ = row.name
        self.row = row
        self.nin = row.nin
        self.nout = row.nout
        self.nargs = row.nin + row.nout
        self.identity = row.identity

    def __repr__(self) -> str:
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _by_name, (self.__name__, self.row.namespace)

    @property
    def types(self) -> list[str]:
        """The loops, as NumPy spells them, that gpuarray's dtypes allow."""
        return self.row.types

    @property
    def ntypes(self) -> int:
        """The number of :attr:`types`."""
        return len(self.types)

    @property
    def signature(self) -> None:
        """None: the functions work element by element."""

    def resolve_dtypes(
        self,
        dtypes: Sequence[Any],
        *,
        signature: Sequence[Any] | None = None,
        casting: str | None = None,
        reduction: bool = False,
    ) -> tuple[np.dtype, ...]:
        """The dtypes that operands and results have in the loop that a call takes.

        Parameters
        ----------
        dtypes : sequence of dtype, type or None
            Of inputs and outputs: ``int``, ``float`` or ``complex`` for Python's numbers, None for
            outputs that are made.
        signature : sequence of dtype or None, optional
            Dtypes that the loop must have.
        casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}, optional
            Which casts of inputs and outputs are allowed, 'same_kind' by default.
        reduction : bool, optional
            Resolve for `reduce`: the first input is the result so far, or None.

        Returns
        -------
        tuple of dtype
            Of all inputs and outputs.

        Raises
        ------
        ValueError
            If the casting rule is unknown.

        Examples
        --------
        >>> import gpuarray as cp
        >>> cp.add.resolve_dtypes((np.dtype("f4"), np.dtype("i8"), None))
        (dtype('float64'), dtype('float64'), dtype('float64'))
        """
        casting = casting or "same_kind"
        try:
            return self.row.resolve_dtypes(
                tuple(dtypes), signature=signature, casting=casting, reduction=reduction
            )
        except UnicodeEncodeError:
            raise _dtypes.no_casting(casting) from None

    def __call__(self, *args: Operand, **kwargs: Any) -> _Result:
        return self._call(args, **kwargs)

    # ---- calls that no plan is known for ------------------------------------------------------

    def _call(
        self,
        args: Sequence[Any],
        out: Any = None,
        where: Any = True,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        **unknown: Any,
    ) -> Any:
        name = self.__name__
        if unknown:
            dtype = planning.read_signature(self.row, dtype, **unknown)
        symbol = _interchange.symbol_among(args)
        if symbol is not None:
            return symbol.fused_call(self, args, out, where, casting, dtype)
        outs = self._outputs(args, out)
        try:
            inputs = [_interchange.as_operand(x, name, args) for x in args[: self.nin]]
        except TypeError:
            # Strings have no loop, though the operators compare them.
            if not comparisons.is_comparison(name) or any(isinstance(x, str | bytes) for x in args):
                raise
            result = self._compare_with_object(args[0], args[1], outs, where)
            if result is NotImplemented:
                raise
            return result
        if where is not True:
            where = _interchange.as_mask(where, name)
        masked = where is not True
        if masked and not isinstance(where, _array.ArrayBase):
            where = _interchange.scalar_array(where, np.dtype(bool))
        operands = [*inputs, where] if masked else inputs
        planning.copy_overlapping(operands, outs)
        kinds = [x._layout if isinstance(x, _array.ArrayBase) else type(x) for x in operands]
        targets = [y if y is None else y._layout for y in outs]
        stream = current.stream
        # What `key_of` makes: only a dtype may be something that does not stand for itself.
        loop = dtype if dtype is None else static(dtype)
        key = (self, *kinds, *targets, loop, casting, order)
        run = stream.plans.get(key)
        if run is None:
            run = plan_cache.find(
                stream, key, planning.plan, self, operands, outs, masked, casting, order, dtype
            )
            if not masked and dtype is None and casting == "same_kind" and order == "K":
                # Fast paths look it up by layouts and types alone.
                if all(y is None for y in outs):
                    stream.keep_plan((self, *kinds), run)
                elif len(outs) == 1 and not planning.any_foreign(operands, outs):
                    stream.keep_plan((self, *kinds, *targets), run)
        return self._run(run, operands, [y for y in outs if y is not None], outs)

    def _outputs(self, args: Sequence[Any], out: Any) -> list[Any]:
        name, nin, nout = self.__name__, self.nin, self.nout
        if not nin <= len(args) <= self.nargs:
            raise TypeError(
                f"{name}() takes from {nin} to {self.nargs} positional arguments but "
                f"{len(args)} were given"
            )
        outs = list(args[nin:])
        if out is not None:
            if outs:
                raise TypeError(
                    f"{called_name(name)}: "
                    "cannot specify 'out' as both a positional and keyword argument"
                )
            outs = list(out) if isinstance(out, tuple) else [out]
            if len(outs) != nout:
                raise ValueError(
                    f"{called_name(name)}: "
                    f"The 'out' tuple must have exactly {nout} entries, got {len(outs)}"
                )
        outs += [None] * (nout - len(outs))
        for y in outs:
            if isinstance(y, np.ndarray):
                raise HostArrayError(
                    f"{called_name(name)}: "
                    f"out is a numpy.ndarray of shape {y.shape}, but results are stored "
                    "in device memory; pass a gpuarray array and fetch it with asnumpy"
                )
            if y is not None and not isinstance(y, _array.ArrayBase):
                raise TypeError(
                    f"{called_name(name)}: "
                    f"return arrays must be of ArrayType, got {type(y).__name__}"
                )
        return outs

    def _run(self, run: Callable, operands: Sequence, given: Sequence, outs: Sequence) -> Any:
        try:
            return run(*operands, *given)
        except OverflowError:
            found = None
            if comparisons.is_comparison(self.__name__):
                found = comparisons.with_great_integer(self.__name__, *operands[:2])
            if found is None:
                raise
            return self._compare(found, outs, operands[2] if len(operands) > 2 else True)

    def _compare_with_object(
        self, a: Any, b: Any, outs: Sequence[Any] = (None,), where: Any = True
    ) -> Any:
        """A comparison with an object that is no operand, or NotImplemented."""
        found = comparisons.with_object(self.__name__, a, b)
        return NotImplemented if found is None else self._compare(found, outs, where)

    def _compare(self, found: tuple[str, Any, Any], outs: Sequence[Any], where: Any) -> Any:
        """Compute a comparison that has the answer of another one."""
        name, a, b = found
        return ufuncs[name](a, b, out=outs[0], where=where)


class _UnaryUfunc(ufunc[_Result]):
    __doc__ = Documentation()  # type: ignore[assignment]  # a class has one of its own
    __slots__ = ()

    def __call__(  # type: ignore[override]  # with as many operands as the ufunc has
        self, x: Any, /, *outs: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        if not outs and not kwargs:
            cls = _array.array_class
            if type(x) is cls:
                if out is None:
                    run = current.stream.plans.get((self, x._layout))
                    if run is not None:
                        return run(x)
                elif type(out) is cls and out._held is not x._held:
                    run = current.stream.plans.get((self, x._layout, out._layout))
                    if run is not None:
                        return run(x, out)
        return self._call((x, *outs), out, **kwargs)


class _BinaryUfunc(ufunc[_Result]):
    __doc__ = Documentation()  # type: ignore[assignment]
    __slots__ = ()

    def __call__(  # type: ignore[override]  # as above
        self, a: Any, b: Any, /, *outs: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        if not outs and not kwargs:
            cls = _array.array_class
            if type(a) is cls and type(b) is cls:
                if out is None:
                    run = current.stream.plans.get((self, a._layout, b._layout))
                    if run is not None:
                        return run(a, b)
                elif type(out) is cls:
                    memory = out._held
                    if memory is not a._held and memory is not b._held:
                        run = current.stream.plans.get((self, a._layout, b._layout, out._layout))
                        if run is not None:
                            return run(a, b, out)
            elif out is None:
                run = current.stream.plans.get(
                    (
                        self,
                        a._layout if type(a) is cls else type(a),
                        b._layout if type(b) is cls else type(b),
                    )
                )
                if run is not None:
                    try:
                        return run(a, b)
                    except OverflowError:  # which may have an answer
                        return self._run(run, (a, b), (), (None,))
        return self._call((a, b, *outs), out, **kwargs)


#: Every ufunc of the package by its name.
ufuncs: dict[str, ufunc[Any]] = {}


@overload
def create(name: str) -> ufunc[ndarray]: ...


@overload
def create(name: str, outputs: Literal[2]) -> ufunc[tuple[ndarray, ndarray]]: ...


def create(name: str, outputs: int = 1) -> ufunc[Any]:
    """Make the ufunc of a row of the table of operations.

    Parameters
    ----------
    name : str
        The row's name.
    outputs : {1, 2}, optional
        How many outputs the row has, from which type checkers know what a call returns.
    """
    found = ufuncs[name] = ufunc(operations.OPERATIONS[name])
    return found


@overload
def create_further(row: Operation) -> ufunc[ndarray]: ...


@overload
def create_further(row: Operation, outputs: Literal[2]) -> ufunc[tuple[ndarray, ndarray]]: ...


@overload
def create_further(
    row: Operation, outputs: Literal[4]
) -> ufunc[tuple[ndarray, ndarray, ndarray, ndarray]]: ...


def create_further(row: Operation, outputs: int = 1) -> ufunc[Any]:
    """Make the ufunc of a row of another public module than the main one.

    A ufunc of the main namespace keeps its place among those that NumPy's hooks find by name.

    Parameters
    ----------
    row : Operation
        The row.
    outputs : {1, 2, 4}, optional
        How many outputs it has, from which type checkers know what a call returns.
    """
    found: ufunc[Any] = ufunc(row)
    for name in (row.name, *row.aliases):
        operations.FURTHER[name] = row
        ufuncs.setdefault(name, found)
    return found


def create_function(name: str) -> Callable[..., ndarray]:
    """Make what computes a function that is no ufunc in NumPy, and is called as one."""
    return ufunc(operations.OPERATIONS[name])


def _by_name(name: str, namespace: str = "gpuarray") -> ufunc[Any]:
    """The ufunc that was pickled."""
    if namespace == "gpuarray":
        return ufuncs[name]
    found: ufunc[Any] = getattr(importlib.import_module(namespace), name)
    return found
