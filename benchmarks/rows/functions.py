"""The calls of benchmarks/functions.py: one a line, as a user would write it.

A name in a call is one of `OPERANDS` or a name of the library. To measure a new function, add a
line. Operands whose names end in `_out` are written to; each line gets its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.rows import random_of


def _floats(size: int, seed: int = 1) -> np.ndarray:
    return random_of("f4", size, seed)


def _square(size: int, seed: int = 1) -> np.ndarray:
    side = round(size**0.5)
    return _floats(side * side, seed).reshape(side, side)


def _integers(size: int, high: int, seed: int, dtype: str = "i8") -> np.ndarray:
    return np.random.default_rng(seed).integers(0, high, size).astype(dtype)


def _gaps(size: int) -> np.ndarray:
    """One element of twenty is not a number."""
    result = _floats(size, 4).copy()
    result[::20] = np.nan
    return result


#: Name -> operand for a number of elements: random, float32 unless the comment says otherwise.
OPERANDS: dict[str, Callable[[int], Any]] = {
    "N": lambda size: size,
    "SIDE": lambda size: round(size**0.5),
    "HALF": lambda size: size // 2,
    "a": lambda size: _floats(size),
    "b": lambda size: _floats(size, 2),
    "c": lambda size: _floats(size, 3),
    "a_out": lambda size: _floats(size, 5),
    "x": lambda size: _floats(size) - np.float32(0.5),
    "same": lambda size: _floats(size),
    "gaps": _gaps,
    "ordered": lambda size: np.sort(_floats(min(size, 100_000), 6)),
    "edges": lambda size: np.linspace(0, 1, 101, dtype=np.float32),
    "tenth": lambda size: _floats(max(size // 10, 1), 7),
    "line": lambda size: _floats(round(size**0.5), 8),
    "kernel": lambda size: _floats(min(size, 32), 9),
    "m": _square,
    "m2": lambda size: _square(size, 2),
    "m_out": lambda size: _square(size, 5),
    "quarter": lambda size: _square(size // 4),
    "odd": lambda size: _square(size)[1:, 1:][: round(size**0.5) // 2 * 2 - 1].copy(),
    "slabs": lambda size: _floats(size // 8 * 8).reshape(2, -1, 4),
    "abc": lambda size: _floats(3 * max(size // 3, 1), 7).reshape(3, -1),
    "of3i": lambda size: _integers(max(size // 3, 1), 3, 20, "i4"),  # int32 below 3
    "rows10": lambda size: _floats(max(size // 10, 1) * 10).reshape(10, -1),
    "rows100": lambda size: _floats(max(size // 100, 1) * 100).reshape(100, -1),
    "of3": lambda size: _floats(max(size // 3, 1) * 3).reshape(-1, 3),
    "of3b": lambda size: _floats(max(size // 3, 1) * 3, 2).reshape(-1, 3),
    "pair": lambda size: _floats(2 * (size // 2)).reshape(2, -1),
    "d": lambda size: random_of("f8", size),  # float64
    "h": lambda size: random_of("f2", size),  # float16
    "z": lambda size: random_of("c8", size),  # complex64
    "i": lambda size: _integers(size, 1 << 30, 11, "i4"),  # int32
    "j": lambda size: _integers(size, 1 << 30, 12, "i4"),  # int32
    "few": lambda size: _integers(size, 1000, 13, "i4"),  # int32 below 1000
    "few2": lambda size: _integers(size, 1000, 14, "i4"),  # int32 below 1000
    "shift": lambda size: _integers(size, 31, 15, "i4"),  # int32 below 31
    "thousand": lambda size: _integers(min(size, 1000), 1 << 30, 16, "i4"),  # int32
    "of4": lambda size: _integers(size, 4, 17, "i4"),  # int32 below 4
    "u1": lambda size: random_of("u1", size),  # uint8
    "i1": lambda size: random_of("i1", size),  # int8
    "cells": lambda size: (_square(size) < 0.3).astype("u1"),  # uint8: 0 or 1
    "u1m": lambda size: random_of("u1", round(size**0.5) ** 2).reshape(round(size**0.5), -1),
    "mask": lambda size: random_of("?", size),  # bool
    "mask2": lambda size: random_of("?", size, 5),  # bool
    "mask_m": lambda size: random_of("?", round(size**0.5) ** 2).reshape(round(size**0.5), -1),
    "index": lambda size: _integers(size, size, 18),  # int64 below N
    "columns": lambda size: _integers(round(size**0.5) ** 2, round(size**0.5), 19).reshape(
        round(size**0.5), -1
    ),  # int64 below SIDE
    "starts": lambda size: np.arange(0, size, 10),  # int64
    "total": lambda size: sum,  # Python's
}

#: Device time and the cost of a call.
_UFUNCS = """
abs(x)
arccos(x)
arccosh(a + 1)
arcsin(x)
arcsinh(x)
arctan(x)
arctan2(x, b)
arctanh(x)
add(a, b)
bitwise_and(i, j)
bitwise_count(i)
bitwise_or(i, j)
bitwise_xor(i, j)
cbrt(a)
ceil(x)
clip(x, -0.25, 0.25)
clip(x, a, b)
conj(z)
copysign(a, x)
cos(a)
cosh(a)
deg2rad(a)
degrees(a)
divide(a, b)
divmod(a, b)
equal(a, b)
exp(a)
exp2(a)
expm1(a)
fabs(x)
float_power(a, b)
floor(x)
floor_divide(a, b)
fmax(a, b)
fmin(a, b)
fmod(a, b)
frexp(a)
gcd(i, j)
greater(a, b)
greater_equal(a, b)
heaviside(x, b)
hypot(a, b)
invert(i)
isfinite(gaps)
isinf(gaps)
isnan(gaps)
lcm(few, few2)
ldexp(a, shift)
left_shift(i, shift)
less(a, b)
less_equal(a, b)
log(a)
log10(a)
log1p(a)
log2(a)
logaddexp(a, b)
logaddexp2(a, b)
logical_and(mask, mask2)
logical_not(mask)
logical_or(mask, mask2)
logical_xor(mask, mask2)
maximum(a, b)
minimum(a, b)
modf(a)
multiply(a, b)
negative(a)
nextafter(a, b)
not_equal(a, b)
positive(a)
power(a, b)
a ** 2
rad2deg(a)
radians(a)
reciprocal(a)
remainder(x, b)
right_shift(i, shift)
rint(a)
round(a, 2)
sign(x)
signbit(x)
sin(a)
sinc(x)
sinh(a)
sqrt(a)
square(a)
subtract(a, b)
tan(a)
tanh(a)
trunc(x)
angle(z)
abs(z)
z.real.copy()
fix(x)
i0(a)
iscomplex(z)
isneginf(x)
isposinf(x)
isreal(z)
nan_to_num(gaps)
unwrap(x)
real_if_close(z)
isclose(a, b)
where(mask, a, b)
select([x < 0, x > 0.2], [a, b])
piecewise(x, [x < 0, x >= 0], [-1, 1])
a + 1
a * b + c
i + j
u1 + u1
d + d
h + h
z * z
"""

_METHODS = """
add.reduce(a)
add.accumulate(a)
add.at(a_out, index, b)
add.outer(line, line)
add.reduceat(a, starts)
maximum.reduce(a)
maximum.accumulate(u1)
maximum.at(a_out, index, b)
multiply.accumulate(a)
multiply.outer(line, line)
subtract.outer(line, line)
add.at(a_out, starts, tenth)
add.reduceat(m, starts[: SIDE // 10], axis=1)
"""

_REDUCTIONS = """
all(mask)
allclose(a, same)
any(mask)
argmax(a)
argmax(m, axis=0)
argmin(a)
array_equal(a, same)
array_equiv(a, same)
average(a)
average(a, weights=b)
average(m, axis=0, weights=m2)
corrcoef(rows10)
count_nonzero(mask)
cov(rows10)
max(a)
max(m, axis=0)
mean(a)
mean(m, axis=1)
median(a)
median(m, axis=1)
min(a)
nanargmax(gaps)
nanargmin(gaps)
nanmax(gaps)
nanmean(gaps)
nanmedian(gaps)
nanmin(gaps)
nanprod(gaps)
nanstd(gaps)
nansum(gaps)
nanvar(gaps)
percentile(a, 30)
prod(a)
ptp(a)
quantile(a, 0.3)
std(a)
sum(a)
sum(m, axis=0)
sum(m, axis=1)
sum(slabs, axis=1)
trace(m)
trapezoid(a)
var(a)
var(m, axis=0)
apply_along_axis(sum, 1, rows100)
apply_over_axes(sum, m, (0, 1))
"""

_SCANS_AND_SORTS = """
cumprod(a)
cumsum(a)
cumsum(m, axis=0)
cumsum(m, axis=1)
cumulative_prod(a)
cumulative_sum(a)
nancumprod(gaps)
nancumsum(gaps)
argpartition(a, HALF)
argsort(a)
argsort(m, axis=1)
lexsort(pair)
partition(a, HALF)
sort(a)
sort(m, axis=0)
sort(m, axis=1)
sort_complex(z)
unique(a)
unique(few)
unique(few, return_inverse=True, return_counts=True)
unique_all(few)
unique_counts(few)
unique_inverse(few)
unique_values(few)
in1d(few, thousand)
intersect1d(few, few2)
isin(i, thousand)
setdiff1d(i, j)
setxor1d(i, j)
union1d(i, j)
bincount(few)
bincount(few, a)
digitize(a, edges)
histogram(a, 100)
histogram(a, edges)
histogram2d(a, b, 100)
histogram2d(a, b, [edges, edges])
histogramdd(of3, 10)
interp(a, edges, edges)
searchsorted(edges, a)
searchsorted(ordered, a)
"""

_SELECTION = """
a[mask]
u1[mask]
d[mask]
m[mask_m]
a[index]
m[columns[0]]
a_out[index] = a
a_out[mask] = 0
argwhere(mask_m)
choose(of3i, abc)
compress(mask, a)
extract(mask, a)
flatnonzero(mask)
nonzero(mask)
where(mask)
place(a_out, mask, line)
copyto(a_out, 1, where=mask)
take(a, index, mode='wrap')
take(a, index, mode='clip')
put(a_out, index, b)
put_along_axis(m_out, columns, m, 1)
putmask(a_out, mask, b)
copyto(a_out, a)
copyto(a_out, a, where=mask)
take(a, index)
take_along_axis(m, columns, 1)
diag(line)
diagflat(line)
fill_diagonal(m_out, 1)
tri(SIDE)
tril(m)
triu(m)
tril_indices(SIDE)
triu_indices(SIDE)
tril_indices_from(m)
triu_indices_from(m)
mask_indices(SIDE, triu)
ravel_multi_index((few, few2), (1000, 1000))
unravel_index(index, (100, N // 100 + 1))
a.flat[::2]
packbits(mask)
unpackbits(u1)
"""

_MANIPULATION = """
append(a, b)
array(a)
a.copy()
a.astype(float64)
astype(a, float16)
a.flatten()
ascontiguousarray(m.T)
ascontiguousarray(odd.T)
ascontiguousarray(u1m.T)
asfortranarray(m)
column_stack((a, b))
concatenate((a, b))
dstack((m, m2))
hstack((m, m2))
stack((a, b))
vstack((m, m2))
delete(a, 5)
delete(a, slice(0, HALF))
delete(a, starts)
kron(quarter, edges[:4])
outer(line, line)
pad(a, 100)
pad(m, 2)
pad(m, 2, mode='edge')
pad(m, 2, mode='reflect')
pad(m, 2, mode='wrap')
pad(m, 2, mode='linear_ramp')
pad(m, 2, mode='mean')
repeat(tenth, 10)
repeat(m, 2, axis=1)
resize(tenth, N)
ravel(m.T)
roll(a, 7)
roll(m, 1, axis=0)
roll(m, (1, 2), axis=(0, 1))
flip(a).copy()
rot90(m).copy()
tile(tenth, 10)
tile(quarter, (2, 2))
trim_zeros(a)
convolve(a, kernel)
correlate(a, kernel)
cross(of3, of3b)
diff(a)
diff(m, axis=0)
diff(a, 2)
ediff1d(a)
gradient(a)
gradient(m)
m.T + m2
polyadd(a, b)
polymul(a, kernel)
polysub(a, b)
polyval(kernel, a)
polyder(kernel)
polydiv(kernel, kernel[:4])
polyint(kernel)
poly(kernel)
polyfit(line, line, 2)
roots(kernel)
vander(tenth, 10)
"""

_CREATION = """
arange(N)
bartlett(N)
blackman(N)
empty(N)
eye(SIDE)
full(N, 2.5)
full_like(a, 2)
hamming(N)
hanning(N)
identity(SIDE)
indices((SIDE, SIDE))
kaiser(N, 5)
linspace(0, 1, N)
linspace(line, 2, 10)
logspace(0, 1, N)
meshgrid(line, line)
meshgrid(line, line, copy=False)
mgrid[:SIDE, :SIDE]
ones(N)
ones_like(a)
zeros(N)
zeros_like(a)
a_out.fill(1)
"""

_STENCILS = """
roll(m, 1, 0) + roll(m, -1, 0) + roll(m, 1, 1) + roll(m, -1, 1)
roll(a, 1) + roll(a, -1) - 2 * a
a[2:] - 2 * a[1:-1] + a[:-2]
m[:-2, 1:-1] + m[2:, 1:-1] + m[1:-1, :-2] + m[1:-1, 2:] - 4 * m[1:-1, 1:-1]
m_out[1:-1, 1:-1] += 0.1 * (m[:-2, 1:-1] + m[2:, 1:-1] + m[1:-1, :-2] + m[1:-1, 2:])
m_out[1:-1, 1:-1] += m[:-2, 1:-1]
roll(cells, 1, 0) + roll(cells, -1, 0) + roll(cells, 1, 1) + roll(cells, -1, 1)
total(roll(cells, (y, x), (0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1))
"""

#: The cost of a call alone: views, and functions that do not touch elements.
_VIEWS = """
a[1:5]
a[::2]
m[:, 0]
a.T
a.view(i.dtype)
array_split(a, 3)
asanyarray(a)
asarray(a)
ascontiguousarray(a)
atleast_1d(a)
atleast_2d(a)
atleast_3d(a)
broadcast_arrays(m, line)
broadcast_shapes((4, 1), (1, 4))
broadcast_to(line, (SIDE, SIDE))
can_cast(float32, float64)
common_type(a, d)
copy(a)
diagonal(m)
diag(m)
diag_indices(SIDE)
diag_indices_from(m)
dsplit(slabs, 2)
empty(N)
empty_like(a)
expand_dims(a, 0)
flip(a)
fliplr(m)
flipud(m)
from_dlpack(a)
hsplit(a, 2)
imag(z)
iscomplexobj(a)
isdtype(a.dtype, 'real floating')
isfortran(m)
isrealobj(a)
isscalar(a)
issubdtype(a.dtype, float32)
ix_(columns[0], columns[0])
matrix_transpose(m)
may_share_memory(a, b)
min_scalar_type(3)
moveaxis(slabs, 0, 1)
ndim(a)
ogrid[:SIDE, :SIDE]
permute_dims(m, (1, 0))
promote_types(float32, float64)
r_[a, b]
c_[a, b]
ravel(m)
real(z)
require(a, requirements='C')
reshape(a, (2, -1))
result_type(a, d)
rollaxis(slabs, 2)
rot90(m)
row_stack((a, b))
shape(a)
shares_memory(a, b)
size(a)
split(a, 2)
squeeze(a)
swapaxes(m, 0, 1)
transpose(m)
vsplit(pair, 2)
unstack(pair)
"""

#: Section -> (whether its device time says something, its calls).
SECTIONS: dict[str, tuple[bool, list[str]]] = {
    name: (name != "views", [line for line in text.splitlines() if line])
    for name, text in {
        "ufuncs": _UFUNCS,
        "methods of ufuncs": _METHODS,
        "reductions": _REDUCTIONS,
        "scans, sorts, searches": _SCANS_AND_SORTS,
        "selection": _SELECTION,
        "manipulation": _MANIPULATION,
        "creation": _CREATION,
        "stencils": _STENCILS,
        "views": _VIEWS,
    }.items()
}

#: Names of both libraries that need no row: text, files, settings, the interpreter's own work.
NO_ROWS = {
    "datetime_data",
    "fromfunction",
    "isnat",
    "who",
    "warmup",
    "array2string",
    "array_repr",
    "array_str",
    "asarray_chkfinite",
    "asnumpy",
    "base_repr",
    "binary_repr",
    "clear_memo",
    "format_float_positional",
    "format_float_scientific",
    "frombuffer",
    "fromfile",
    "fromiter",
    "fromstring",
    "fuse",
    "genfromtxt",
    "get_array_module",
    "get_default_memory_pool",
    "get_default_pinned_memory_pool",
    "get_printoptions",
    "is_available",
    "iterable",
    "load",
    "loadtxt",
    "memoize",
    "mintypecode",
    "printoptions",
    "save",
    "savetxt",
    "savez",
    "savez_compressed",
    "set_printoptions",
    "show_config",
    "typename",
    "vectorize",
}
