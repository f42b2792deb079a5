"""The array class: operators and methods, a line each."""

from __future__ import annotations

from gpuarray import _array, _ufunc
from gpuarray._array import ArrayBase
from gpuarray._ops import bitwise, logic, math


class ndarray(ArrayBase):  # noqa: N801  NumPy's and CuPy's name
    """An array of elements of one dtype in device memory."""

    __slots__ = ()
    __array_priority__ = 100

    dtype = property(lambda self: self._layout.dtype)
    shape = property(lambda self: self._layout.shape)
    size = property(lambda self: self._layout.size)
    ndim = property(lambda self: self._layout.ndim)
    nbytes = property(lambda self: self._layout.nbytes)
    itemsize = property(lambda self: self._layout.itemsize)
    strides = property(lambda self: self._layout.strides)

    __add__ = _ufunc.binary_operator(math.add)
    __sub__ = _ufunc.binary_operator(math.subtract)
    __mul__ = _ufunc.binary_operator(math.multiply)
    __truediv__ = _ufunc.binary_operator(math.divide)
    __floordiv__ = _ufunc.binary_operator(math.floor_divide)
    __mod__ = _ufunc.binary_operator(math.remainder)
    __pow__ = _ufunc.binary_operator(math.power)
    __lshift__ = _ufunc.binary_operator(bitwise.left_shift)
    __rshift__ = _ufunc.binary_operator(bitwise.right_shift)
    __and__ = _ufunc.binary_operator(bitwise.bitwise_and)
    __or__ = _ufunc.binary_operator(bitwise.bitwise_or)
    __xor__ = _ufunc.binary_operator(bitwise.bitwise_xor)
    __radd__ = _ufunc.binary_operator(math.add, reflected=True)
    __rsub__ = _ufunc.binary_operator(math.subtract, reflected=True)
    __rmul__ = _ufunc.binary_operator(math.multiply, reflected=True)
    __rtruediv__ = _ufunc.binary_operator(math.divide, reflected=True)
    __rfloordiv__ = _ufunc.binary_operator(math.floor_divide, reflected=True)
    __rmod__ = _ufunc.binary_operator(math.remainder, reflected=True)
    __rpow__ = _ufunc.binary_operator(math.power, reflected=True)
    __rlshift__ = _ufunc.binary_operator(bitwise.left_shift, reflected=True)
    __rrshift__ = _ufunc.binary_operator(bitwise.right_shift, reflected=True)
    __rand__ = _ufunc.binary_operator(bitwise.bitwise_and, reflected=True)
    __ror__ = _ufunc.binary_operator(bitwise.bitwise_or, reflected=True)
    __rxor__ = _ufunc.binary_operator(bitwise.bitwise_xor, reflected=True)
    __iadd__ = _ufunc.inplace_operator(math.add)
    __isub__ = _ufunc.inplace_operator(math.subtract)
    __imul__ = _ufunc.inplace_operator(math.multiply)
    __itruediv__ = _ufunc.inplace_operator(math.divide)
    __ifloordiv__ = _ufunc.inplace_operator(math.floor_divide)
    __imod__ = _ufunc.inplace_operator(math.remainder)
    __ipow__ = _ufunc.inplace_operator(math.power)
    __ilshift__ = _ufunc.inplace_operator(bitwise.left_shift)
    __irshift__ = _ufunc.inplace_operator(bitwise.right_shift)
    __iand__ = _ufunc.inplace_operator(bitwise.bitwise_and)
    __ior__ = _ufunc.inplace_operator(bitwise.bitwise_or)
    __ixor__ = _ufunc.inplace_operator(bitwise.bitwise_xor)
    __divmod__ = _ufunc.binary_operator(math.divmod)
    __rdivmod__ = _ufunc.binary_operator(math.divmod, reflected=True)
    __lt__ = _ufunc.binary_operator(logic.less)
    __le__ = _ufunc.binary_operator(logic.less_equal)
    __eq__ = _ufunc.binary_operator(logic.equal)
    __ne__ = _ufunc.binary_operator(logic.not_equal)
    __gt__ = _ufunc.binary_operator(logic.greater)
    __ge__ = _ufunc.binary_operator(logic.greater_equal)
    __hash__ = None  # type: ignore[assignment]  # elements can change, as in NumPy
    __neg__ = _ufunc.unary_operator(math.negative)
    __pos__ = _ufunc.unary_operator(math.positive)
    __abs__ = _ufunc.unary_operator(math.absolute)
    __invert__ = _ufunc.unary_operator(bitwise.invert)


_array.register_array_class(ndarray)
