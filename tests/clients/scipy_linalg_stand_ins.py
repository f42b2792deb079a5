"""Stand-ins for ``scipy.sparse.linalg`` and ``scipy.sparse.csgraph`` that compute with gpuarray's.

As `tests.clients.scipy_sparse_stand_ins`, on which they build. Functions of the tests, as those of
linear operators, are called with host arrays; SciPy's own class of operators stays, and is wrapped.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

import scipy.sparse.csgraph
import scipy.sparse.linalg
from scipy.sparse.linalg import _interface

from gpuarray.scipy.sparse import csgraph, linalg
from tests.clients import scipy_sparse_stand_ins as stand_ins
from tests.clients.scipy_sparse_stand_ins import _device, _host, _moved


def _called_with_host_arrays(function: Any) -> Any:
    """A function of the tests for ours, which give it arrays on the device."""

    @functools.wraps(function, updated=())
    def call(*args: Any, **kwargs: Any) -> Any:
        named = {name: _host(x) for name, x in kwargs.items()}
        return _device(function(*[_host(x) for x in args], **named))

    return call


_FUNCTIONS = (types.FunctionType, types.MethodType, types.BuiltinFunctionType, functools.partial)


class Operator(_interface.LinearOperator):
    """An operator of ours that takes and gives what is on the host."""

    def __new__(cls, ours: Any) -> Any:
        made = object.__new__(cls)
        made._ours = ours
        return made

    def __init__(self, *args: Any, **kwargs: Any):
        # Also called behind `_new`, with what the test gave.
        super().__init__(self._ours.dtype, self._ours.shape)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__dict__["_ours"], name)
        return _moved(found) if callable(found) else _host(found)


def _method(name: str) -> Any:
    def method(self: Any, *args: Any) -> Any:
        found = getattr(self._ours, name)(*[_device(x) for x in args])
        return found if found is NotImplemented else _host(found)

    return method


for _name in (
    *("matvec", "rmatvec", "matmat", "rmatmat", "dot", "rdot", "adjoint", "transpose"),
    *("mul", "rmul", "matmul", "rmatmul", "add", "sub", "neg", "pow", "call", "truediv"),
):
    _full = _name if hasattr(linalg.LinearOperator, _name) else f"__{_name}__"
    setattr(Operator, _full, _method(_full))
for _name in ("H", "T"):
    setattr(Operator, _name, property(lambda self, name=_name: _host(getattr(self._ours, name))))


def _operator_of_tests(x: Any) -> Any:
    """SciPy's operators as ours, of their own products."""
    if isinstance(x, Operator):
        return x._ours
    products = {name: getattr(x, name) for name in ("matvec", "rmatvec", "matmat", "rmatmat")}
    moved = {name: _called_with_host_arrays(product) for name, product in products.items()}
    return linalg.LinearOperator(x.shape, dtype=getattr(x, "dtype", None), **moved)


stand_ins.TO_DEVICE[_interface.LinearOperator] = _operator_of_tests
for _class in _FUNCTIONS:
    stand_ins.TO_DEVICE[_class] = _called_with_host_arrays
stand_ins.TO_HOST[linalg.LinearOperator] = Operator

#: Tests of classes that SciPy makes of functions make ours.
_own_new = _interface.LinearOperator.__new__


def _new(cls: Any, *args: Any, **kwargs: Any) -> Any:
    if cls is not _interface.LinearOperator:
        return _own_new(cls, *args, **kwargs)
    named = {name: _device(x) for name, x in kwargs.items()}
    return Operator(linalg.LinearOperator(*[_device(x) for x in args], **named))


for _place, _ours, _library in (
    ("linalg", linalg, scipy.sparse.linalg),
    ("csgraph", csgraph, scipy.sparse.csgraph),
):
    _modules = [
        module
        for name, module in list(sys.modules.items())
        if name.startswith(f"scipy.sparse.{_place}") and ".tests" not in name
    ]
    for _name in _ours.__all__:
        _thing = getattr(_ours, _name)
        _stand_in = _thing if isinstance(_thing, type) else _moved(_thing)
        _theirs = getattr(_library, _name, None)
        for _module in _modules:
            # Not `scipy.linalg.inv`, nor a module of the same name.
            if _theirs is not None and vars(_module).get(_name) is _theirs:
                if _name != "LinearOperator":
                    setattr(_module, _name, _stand_in)
_interface.LinearOperator.__new__ = _new
