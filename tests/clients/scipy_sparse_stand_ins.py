"""Stand-ins for the classes and functions of ``scipy.sparse`` that compute with gpuarray's.

They move host arrays to the device and results back. When this module is imported they take the
places of SciPy's own, of which a test module that is imported later then gets the stand-ins.
"""

from __future__ import annotations

import functools
import types
from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse._construct
import scipy.sparse._extract
import scipy.sparse.linalg
from scipy.sparse import _sputils

import gpuarray as cp
from gpuarray.scipy import sparse as ours
from gpuarray.scipy.sparse import linalg as our_linalg
from gpuarray.scipy.sparse._tensor_products import broadcast

FORMATS = ("bsr", "coo", "csc", "csr", "dia")
#: Formats that have no device form.
_HOST_FORMATS = ("dok", "lil")
_OPERATORS = [
    "abs",
    "add",
    "and",
    "bool",
    "contains",
    "eq",
    "floordiv",
    "ge",
    "getitem",
    "gt",
    "iadd",
    "idiv",
    "ifloordiv",
    "imul",
    "isub",
    "itruediv",
    "le",
    "len",
    "lt",
    "matmul",
    "mod",
    "mul",
    "ne",
    "neg",
    "pos",
    "pow",
    "radd",
    "rand",
    "rdiv",
    "rmatmul",
    "rmod",
    "rmul",
    "rpow",
    "rsub",
    "rtruediv",
    "round",
    "setitem",
    "sub",
    "truediv",
]


_SCIPY_ARRAY = scipy.sparse.sparray

#: How objects of other classes move, which other modules of stand-ins know.
TO_DEVICE: dict[type, Any] = {}
TO_HOST: dict[type, Any] = {}


def _device(x: Any) -> Any:
    """What a stand-in stands for; a host array or a list of numbers on the device."""
    if isinstance(x, StandIn):
        return x._ours
    if scipy.sparse._base.issparse(x):  # SciPy's own: dok and lil
        return (ours.csr_array if isinstance(x, _SCIPY_ARRAY) else ours.csr_matrix)(x)
    if isinstance(x, np.ndarray) and x.dtype != object and x.dtype.kind not in "US":
        return cp.asarray(np.asarray(x))
    if isinstance(x, np.random.Generator):
        drawing = cp.random.default_rng()
        drawing.bit_generator.state = x.bit_generator.state
        return drawing
    for kind, move in TO_DEVICE.items():
        if isinstance(x, kind):
            return move(x)
    if isinstance(x, tuple):
        return tuple([_device(y) for y in x])
    if isinstance(x, list) and not all(isinstance(y, np.ndarray) for y in x):
        return [_device(y) for y in x]
    return x


def _host(x: Any) -> Any:
    """A result as SciPy's tests expect it."""
    if isinstance(x, cp.ndarray):
        if not x.ndim:
            return x.get()[()]
        found = x.get(order="A")
        found.flags.writeable = x.flags.writeable
        return found
    if ours.issparse(x):
        return _stand_in(x)
    if type(x) in (tuple, list):
        return type(x)([_host(y) for y in x])
    if isinstance(x, our_linalg.SuperLU):
        return _Factors(x)
    for kind, move in TO_HOST.items():
        if isinstance(x, kind):
            return move(x)
    return _moved(x) if type(x) in (types.MethodType, types.FunctionType) else x


class _Factors:
    """Factors of ours that take and give what is on the host."""

    def __init__(self, found: Any):
        self._found = found

    def __getattr__(self, name: str) -> Any:
        return _host(getattr(self._found, name))


def _on_host(x: Any, format: str) -> Any:
    """A sparse array of ours in one of SciPy's own formats."""
    kind = "array" if isinstance(x, ours.sparray) else "matrix"
    return getattr(scipy.sparse._coo, f"coo_{kind}")(x.toarray().get()).asformat(format)


def _moved(function: Any, owner: Any = None) -> Any:
    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        named = {name: _device(x) for name, x in kwargs.items()}
        format = named.get("format")
        if format in _HOST_FORMATS:
            named["format"] = None
        result = function(*[_device(x) for x in args], **named)
        if format in _HOST_FORMATS:
            return _on_host(result, format)
        out = kwargs.get("out")
        if isinstance(out, np.ndarray):
            out[...] = named["out"].get()
            return out
        if owner is not None and result is owner._ours:
            return owner
        return _host(result)

    return call


class StandIn:
    """A sparse array of ours that takes and gives what is on the host."""

    __slots__ = ("__weakref__", "_ours")
    __array_priority__ = scipy.sparse._base._spbase.__array_priority__  # host arrays defer
    _class: Any = None

    def __init__(self, *args: Any, **kwargs: Any):
        named = {name: _device(x) for name, x in kwargs.items()}
        made = self._class(*[_device(x) for x in args], **named)
        object.__setattr__(self, "_ours", made)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._ours, name)
        return _moved(found, self) if callable(found) else _host(found)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._ours, name, _device(value))

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        # Parts are on the device; what is in host memory is known of them, and shared by copies.
        parts = {name: x for name, x in vars(self._ours).items() if not isinstance(x, np.ndarray)}
        return {name: _host(x) for name, x in parts.items()}

    def __reduce__(self) -> Any:
        return _stand_in, (self._ours,)

    def asformat(self, format: Any, copy: bool = False) -> Any:
        if format in _HOST_FORMATS:
            return _on_host(self._ours, format)
        return _moved(self._ours.asformat, self)(format, copy)

    def _broadcast_to(self, shape: Any, copy: bool = False) -> Any:
        found = broadcast(self._ours.tocoo(copy=copy), tuple(shape))
        return _stand_in(found if len(shape) > 2 else found.asformat(self._ours.format))

    def todok(self, copy: bool = False) -> Any:
        return self.asformat("dok")

    def tolil(self, copy: bool = False) -> Any:
        return self.asformat("lil")

    def __iter__(self) -> Any:
        return map(_host, iter(self._ours))

    def __repr__(self) -> str:
        return repr(self._ours)

    def __str__(self) -> str:
        return str(self._ours)

    def __class_getitem__(cls, item: Any) -> Any:
        return cls._class[item]


def _operator(name: str) -> Any:
    def method(self: Any, *args: Any) -> Any:
        found = getattr(self._ours, name)(*[_device(x) for x in args])
        if isinstance(found, cp.ndarray) and name in ("__matmul__", "__rmatmul__"):
            return found.get()  # without dimensions, too, an array
        return self if found is self._ours else _host(found)

    method.__name__ = name
    return method


for _name in _OPERATORS:
    _dunder = f"__{_name}__"
    if hasattr(ours.csr_array, _dunder):
        setattr(StandIn, _dunder, _operator(_dunder))
StandIn.__hash__ = None  # type: ignore[assignment]


class _Kind(type):
    """What arrays or matrices are: stand-ins, and SciPy's own of the host's formats."""

    _scipy: Any = ()

    def __instancecheck__(cls, x: Any) -> bool:
        return super().__instancecheck__(x) or isinstance(x, cls.__dict__.get("_scipy", ()))


class sparray(StandIn, metaclass=_Kind):
    __slots__ = ()
    _class = ours.sparray
    _scipy = _SCIPY_ARRAY


class spmatrix(StandIn, metaclass=_Kind):
    __slots__ = ()
    _class = ours.spmatrix
    _scipy = scipy.sparse.spmatrix


#: Dtypes that no device has, which SciPy's classes list for their tests.
_NOT_THERE = (np.longdouble, np.clongdouble)
_sputils.supported_dtypes[:] = [x for x in _sputils.supported_dtypes if x not in _NOT_THERE]

CLASSES: dict[str, Any] = {}
for _name in FORMATS:
    for _kind, _base in (("array", sparray), ("matrix", spmatrix)):
        _full = f"{_name}_{_kind}"
        _own = {"__slots__": (), "_class": getattr(ours, _full)}
        CLASSES[_full] = _Kind(_full, (_base,), _own)


def _stand_in(x: Any) -> Any:
    kind = "array" if isinstance(x, ours.sparray) else "matrix"
    made = object.__new__(CLASSES[f"{x.format}_{kind}"])
    object.__setattr__(made, "_ours", x)
    return made


_scipy_issparse = scipy.sparse.issparse


def _issparse(x: Any) -> bool:
    return isinstance(x, StandIn) or _scipy_issparse(x)


for _name, _class in CLASSES.items():
    for _module in (scipy.sparse, scipy.sparse._construct):
        setattr(_module, _name, _class)
scipy.sparse.sparray, scipy.sparse.spmatrix = sparray, spmatrix
for _name in ("SparseWarning", "SparseEfficiencyWarning"):
    if hasattr(ours, _name):
        setattr(scipy.sparse, _name, getattr(ours, _name))
globals().update(CLASSES)  # where pickle looks for them
scipy.sparse.issparse = _issparse
for _name in ours.__all__:
    _thing = getattr(ours, _name)
    if callable(_thing) and not isinstance(_thing, type) and hasattr(scipy.sparse, _name):
        if _name not in ("issparse", "get_index_dtype", "safely_cast_index_arrays"):
            for _module in (scipy.sparse, scipy.sparse._construct, scipy.sparse._extract):
                if hasattr(_module, _name):
                    setattr(_module, _name, _moved(_thing))


def _save_npz(file: Any, matrix: Any, compressed: bool = True) -> None:
    ours.save_npz(file, matrix._ours if isinstance(matrix, StandIn) else matrix, compressed)


scipy.sparse.save_npz = _save_npz
for _name in ("SparseEfficiencyWarning", "SparseWarning"):
    setattr(scipy.sparse, _name, getattr(ours, _name))
