"""Generalized universal functions: products of matrices and vectors for each index of a loop.

The terms are those of https://numpy.org/doc/stable/reference/c-api/generalized-ufuncs.html: the
dimensions that a product is of are an operand's core dimensions, its last ones unless ``axes`` says
which; the loop dimensions before them broadcast.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gpuarray import _arguments, _array, _interchange, _layout
from gpuarray._layout import Layout
from gpuarray._namespace.called_name import called_name
from gpuarray._runtime import plans as plan_cache
from gpuarray._runtime.current_stream import current
from gpuarray._ufunc import matrix_products, planning
from gpuarray._ufunc.core_dimensions import NO_VALUE, CoreDimensions
from gpuarray._ufunc.function import ufunc
from gpuarray.kernels import elementwise
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from inspect import Signature

    from gpuarray._runtime.stream import Stream
    from gpuarray._types import ndarray

__all__ = ["GeneralizedOperation", "create_generalized"]

_KEYWORDS = "out, casting, order, dtype, axes, axis, keepdims, subok and signature"


class GeneralizedOperation:
    """What a product of core dimensions is.

    Parameters
    ----------
    name : str
        NumPy's name.
    signature : str
        NumPy's, such as ``"(n?,k),(k,m?)->(n?,m?)"``: a matrix has two names, a vector one, a
        dimension with a question mark may be missing.
    documentation : str
        What ``help`` shows.
    conjugated : {'', 'a'}, optional
        The operand whose complex conjugate is multiplied.
    """

    nin, nout = 2, 1
    identity = None

    def __init__(self, name: str, signature: str, documentation: str, conjugated: str = "") -> None:
        self.name = name
        self.signature = signature
        self.documentation = documentation
        self.conjugated = conjugated
        #: The names of the core dimensions of the operands and of the result.
        self.core = [re.findall(r"\w+\??", one) for one in re.findall(r"\(([^()]*)\)", signature)]

    @property
    def types(self) -> list[str]:
        """The loops that gpuarray's dtypes allow, in NumPy's notation."""
        return [loop for loop in np.matmul.types if not set(loop) & set("gGO")]

    def resolve_dtypes(
        self,
        dtypes: Sequence[Any],
        *,
        signature: Sequence[np.dtype | None] | None = None,
        casting: Any = "same_kind",
        reduction: bool = False,
    ) -> tuple[np.dtype, ...]:
        """As of `Operation`."""
        given: dict[str, Any] = {} if signature is None else {"signature": tuple(signature)}
        # NumPy 2.0 and 2.1 lack some; all have the loops of matmul.
        theirs = getattr(np, self.name, np.matmul)
        return theirs.resolve_dtypes(tuple(dtypes), casting=casting, reduction=reduction, **given)


class _Documentation:
    """``__doc__`` of the class as written, and of a ufunc that of its operation."""

    def __get__(self, instance: Any, owner: type) -> str:
        return str(__doc__) if instance is None else instance.row.documentation


class _CallSignature:
    """``__signature__`` of a ufunc: that of a call, with NumPy's names."""

    def __get__(self, instance: Any, owner: type) -> Signature | None:
        if instance is None:
            return None
        from inspect import Parameter, Signature  # not at import, which it would make longer

        options = {
            "axes": NO_VALUE, "axis": NO_VALUE, "keepdims": False, "casting": "same_kind",
            "order": "K", "dtype": None, "subok": True, "signature": None,
        }  # fmt: skip
        return Signature([
            *[Parameter(x, Parameter.POSITIONAL_ONLY) for x in ("x1", "x2")],
            Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=None),
            *[Parameter(x, Parameter.KEYWORD_ONLY, default=v) for x, v in options.items()],
        ])  # fmt: skip


class _GeneralizedUfunc(ufunc["ndarray"]):
    __doc__ = _Documentation()  # type: ignore[assignment]  # written when asked for
    __signature__ = _CallSignature()
    __slots__ = ()

    row: GeneralizedOperation  # type: ignore[assignment]  # of another table

    def __new__(cls, row: GeneralizedOperation) -> _GeneralizedUfunc:  # type: ignore[override]
        return object.__new__(cls)

    def __reduce__(self) -> tuple[Any, ...]:
        return _by_name, (self.__name__,)

    @property
    def signature(self) -> str:  # type: ignore[override]  # None of element-wise functions
        """The core dimensions of operands and result."""
        return self.row.signature

    def __call__(  # type: ignore[override]  # with two operands
        self, a: Any, b: Any, /, *outs: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        # As of element-wise functions; inlined, as there, to save a Python call.
        if not outs and not kwargs:
            cls = _array.array_class
            if type(a) is cls and type(b) is cls:
                if out is None:
                    run = current.stream.plans.get((self, a._layout, b._layout))
                    if run is not None:
                        return run(a, b)
                elif type(out) is cls:
                    memory = out._memory
                    if memory is not a._memory and memory is not b._memory:
                        run = current.stream.plans.get((self, a._layout, b._layout, out._layout))
                        if run is not None:
                            return run(a, b, out)
        return self._call((a, b, *outs), out, **kwargs)

    def _call(  # type: ignore[override]  # there is no mask
        self,
        args: Sequence[Any],
        out: Any = None,
        casting: str = "same_kind",
        order: str = "K",
        dtype: Any = None,
        axes: Any = NO_VALUE,
        axis: Any = NO_VALUE,
        keepdims: Any = False,
        **unknown: Any,
    ) -> Any:
        name, row = self.__name__, self.row
        if unknown:
            for keyword in unknown.keys() - {"signature", "sig", "subok"}:
                raise TypeError(
                    f"{called_name(name)}() got an unexpected keyword argument {keyword!r}; it "
                    f"takes {_KEYWORDS}"
                )
            dtype = planning.read_signature(row, dtype, **unknown)  # type: ignore[arg-type]
        if _interchange.symbol_among(args) is not None:
            raise TypeError(
                f"fuse: {name} multiplies matrices, which a kernel of element-wise operations "
                "cannot: do it outside of the fused function"
            )
        (target,) = self._outputs(args, out)
        operands = [_interchange.as_operand(x, name, args) for x in args[:2]]
        for i, x in enumerate(operands):
            self._check_dimensions(i, x.ndim if hasattr(x, "ndim") else 0)
        if target is not None:
            # An element of a product is of many elements.
            operands = [copies.copy(x) if _array.overlap(x, target) else x for x in operands]
        if not isinstance(keepdims, bool | np.bool):
            raise TypeError(f"{called_name(name)}: 'keepdims' must be a boolean, got {keepdims!r}")
        stream = current.stream
        plain = axes is NO_VALUE and axis is NO_VALUE and not keepdims
        options = () if plain else (axes, axis, bool(keepdims))
        layouts = [x._layout for x in operands]
        if target is not None:
            layouts.append(target._layout)
        key = plan_cache.key_of(self, *layouts, dtype, casting, order, *options)
        run = plan_cache.find(
            stream, key, self._plan, layouts, casting, order, dtype, options, stream
        )
        if plain and dtype is None and casting == "same_kind" and order == "K":
            # Fast paths look it up by layouts alone.
            if target is None or not planning.any_foreign(operands, [target]):
                stream.keep_plan((self, *layouts), run)
        return run(*operands) if target is None else run(*operands, target)

    def _check_dimensions(self, i: int, ndim: int) -> None:
        needed = len([x for x in self.row.core[i] if not x.endswith("?")])
        if ndim < needed:
            raise ValueError(
                f"{called_name(self.__name__)}: Input operand {i} does not have enough dimensions "
                f"(has {ndim}, gufunc core with signature {self.row.signature} requires {needed})"
            )

    def _plan(
        self,
        layouts: Sequence[Layout],
        casting: str,
        order: str,
        dtype: Any,
        options: tuple[Any, ...],
        stream: Stream,
    ) -> Callable[..., Any]:
        """Make the call for operands, and an output that is given, of these layouts."""
        row = self.row
        order = _arguments.check_order(order)
        given = layouts[2] if len(layouts) > 2 else None
        kinds = [x.dtype for x in layouts] + ([None] if given is None else [])
        loop = planning.loop_of(row, kinds, casting, dtype)  # type: ignore[arg-type]
        dimensions = CoreDimensions(row, layouts, *options)
        if given is None:
            a, b = dimensions.operands()
            target, result = dimensions.new_target(loop[2], order)
            return matrix_products.product_call(a, b, target, stream, False, result, row.conjugated)
        _layout.check_writable(given, row.name)
        target = dimensions.given_target(given)
        a, b = dimensions.operands()  # which broadcast to the output
        if given.dtype == loop[2]:
            return matrix_products.product_call(
                a, b, target, stream, True, conjugated=row.conjugated
            )
        # NumPy casts what the loop has computed.
        products = _layout.contiguous(loop[2], target.shape)
        run = matrix_products.product_call(a, b, products, stream, conjugated=row.conjugated)
        store = elementwise.launch.copy_call(products, target, True, stream)
        return lambda x, y, out: store(run(x, y), out)

    # ---- methods of functions of elements --------------------------------------------------------

    def outer(self, a: Any, b: Any, **kwargs: Any) -> NoReturn:
        """Refused, as in NumPy."""
        raise TypeError(
            f"{self.__name__}.outer: method outer is not allowed in ufunc with non-trivial "
            "signature"
        )

    def _check_binary(self, method: str) -> None:
        raise RuntimeError(
            f"{self.__name__}.{method}: Reduction not defined on ufunc with signature"
        )

    def at(self, a: Any, indices: Any, /, *operands: Any) -> NoReturn:
        """Refused, as in NumPy."""
        raise TypeError(
            f"{self.__name__}.at does not support ufunc with non-trivial signature: "
            f"{self.__name__} has signature {self.row.signature}."
        )


#: Every generalized ufunc of the package by its name.
generalized: dict[str, ufunc[Any]] = {}


def create_generalized(
    name: str, signature: str, documentation: str, conjugated: str = ""
) -> ufunc[ndarray]:
    """Make a ufunc of products of core dimensions; see `GeneralizedOperation`."""
    operation = GeneralizedOperation(name, signature, documentation, conjugated)
    found = generalized[name] = _GeneralizedUfunc(operation)
    return found


def _by_name(name: str) -> ufunc[Any]:
    """The ufunc that was pickled."""
    return generalized[name]
