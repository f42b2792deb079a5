"""Operands of every dtype and layout, and results compared with NumPy's.

A function that NumPy has takes one line:

    test_sum = against_numpy(lambda xp, x, axis: xp.sum(x, axis), axis=[None, 0, -1])

runs the lambda in both libraries, a case for a dtype of each kind (of a contiguous operand), for
each layout (of float32) and for each axis.
"""

from __future__ import annotations

import inspect
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime import launch_history

INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"]
FLOATS = ["f2", "f4", "f8"]
COMPLEX = ["c8", "c16"]
DTYPES = ["?", *INTEGERS, *FLOATS, *COMPLEX]
#: One of each kind and of each width: the others of a sweep over all dtypes are slow.
KINDS = ["?", "u1", "i8", "f2", "f4", "f8", "c16"]
#: Integers of each width, of one sign, and all others.
WIDTHS = ["?", "u1", "i2", "u4", "i8", *FLOATS, *COMPLEX]

# ---- operands ----------------------------------------------------------------------------------


def values(shape, dtype, seed=0) -> np.ndarray:
    """Small numbers of a dtype, negative ones where it has them: their sums are exact."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    numbers = rng.integers(0 if dtype.kind in "u?" else -9, 10, shape)
    if dtype.kind == "b":
        return np.asarray(numbers % 2 == 0)
    if dtype.kind == "c":
        return np.asarray(numbers + 0.5j * rng.integers(-9, 10, shape)).astype(dtype)
    if dtype.kind == "f":
        return np.asarray(numbers / 4).astype(dtype)
    return np.asarray(numbers).astype(dtype)


def ties(shape, dtype, seed=0):
    """Small numbers that repeat, so that sums and products are exact and extremes have ties."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.random(shape) < 0.5)
    low = 0 if dtype.kind == "u" else -3
    result = np.asarray(rng.integers(low, 4, shape).astype(dtype))
    if dtype.kind == "c":
        result += 1j * rng.integers(low, 4, shape)
    return result


#: How a view is made of an array of two dimensions, on the host and on the device.
LAYOUTS: dict[str, Callable] = {
    "contiguous": lambda xp, a: a,
    "transposed": lambda xp, a: a.T,
    "negative-stride": lambda xp, a: a[::-1, ::-2],
    "broadcast": lambda xp, a: xp.broadcast_to(a[0], (3, a.shape[1])),
    "offset": lambda xp, a: a[1:, 1:],
    "0-d": lambda xp, a: a[1:2, 2].reshape(()),
    "empty": lambda xp, a: a[:0],
}

#: The same of an array of three dimensions, for functions that take axes.
LAYOUTS_3D: dict[str, Callable] = {
    "contiguous": lambda xp, a: a,
    "transposed": lambda xp, a: a.T,
    "permuted": lambda xp, a: a.transpose(1, 0, 2),
    "negative-stride": lambda xp, a: a[::-1, :, ::-1],
    "offset": lambda xp, a: a[:, 1:5:2, 3:],
    "strided": lambda xp, a: a[1:, ::-2, ::3],
    "broadcast": lambda xp, a: xp.broadcast_to(a[:, :1], (a.shape[0], 3, a.shape[2])),
    "broadcast-twice": lambda xp, a: xp.broadcast_to(a[1:2, 2:3, 3], (a.shape[0], 3, 2)),
    "2-d": lambda xp, a: a[0],
    "1-d-strided": lambda xp, a: a[:, 2, 1],
    "0-d": lambda xp, a: a[1:2, 2, 3].reshape(()),
    "one-row": lambda xp, a: a[:1, :, :1],
    "empty": lambda xp, a: a[:0],
    "empty-rows": lambda xp, a: a[:, :0],
}


def pair(layout, dtype, seed=0, *, shape=(4, 6), make=values, layouts=LAYOUTS):
    """The same values in the same layout, on the host and on the device."""
    host = make(shape, dtype, seed)
    return layouts[layout](np, host), layouts[layout](cp, cp.asarray(host))


def device_copy(x):
    """A device array with the strides of a host array, over a copy of all its memory."""
    base = np.asarray(x)
    while base.base is not None:
        base = base.base
    memory = cp.asarray(base.reshape(-1, order="A").view("u1"))
    start = x.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return cp.ndarray(x.shape, x.dtype, memory.data + start, x.strides)


# ---- results -----------------------------------------------------------------------------------


def same(
    actual, expected, *, ulps: int | Mapping[str, int] = 0, atol=0.0, context: object = ""
) -> None:
    """Compare a result, or a tuple or dict of results, with NumPy's: dtype, shape and values.

    Parameters
    ----------
    actual : gpuarray.ndarray, tuple, list, dict or a Python object
        Only where NumPy returns no array, this is no array.
    expected
        What NumPy returned.
    ulps : int or dict of str to int, optional
        How many units in the last place of the expected element (of its magnitude, where it is
        complex) an element may differ; a dict has them by the character of the real dtype. By
        default elements are equal. NaN equals NaN.
    atol : float, optional
        By how much more an element may differ.
    context : optional
        What the message of a failure begins with.
    """
    __tracebackhide__ = True
    if isinstance(expected, (tuple, list)) and isinstance(actual, (tuple, list)):
        assert len(actual) == len(expected), context
        for one, other in zip(actual, expected, strict=True):
            same(one, other, ulps=ulps, atol=atol, context=context)
        return
    if isinstance(expected, dict) and isinstance(actual, dict):
        assert actual.keys() == expected.keys(), context
        for name, other in expected.items():
            same(actual[name], other, ulps=ulps, atol=atol, context=f"{context} {name}")
        return
    if not isinstance(actual, cp.ndarray):
        assert not isinstance(expected, (np.ndarray, np.generic)), (context, type(actual))
        assert type(actual) is type(expected), context
        assert actual == expected, context
        return
    expected = np.asarray(expected)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape), context
    found = cp.asnumpy(actual)
    if expected.dtype.kind not in "fc" or not (ulps or atol):
        np.testing.assert_array_equal(found, expected, err_msg=str(context))
        return
    if isinstance(ulps, Mapping):
        ulps = ulps.get(expected.real.dtype.char, 0)
    finite = np.isfinite(expected)
    np.testing.assert_array_equal(found[~finite], expected[~finite], err_msg=str(context))
    spacing = np.spacing(np.abs(expected[finite])).astype("f8")
    wide = "c16" if expected.dtype.kind == "c" else "f8"
    error = np.abs(found[finite].astype(wide) - expected[finite].astype(wide))
    wrong = ~(error <= ulps * spacing + atol)
    assert not wrong.any(), (
        f"{context} {wrong.sum()} of {expected.size} elements differ by up to "
        f"{np.max(error / spacing):.3g} ulps (allowed: {ulps}), absolutely {error.max():.3g}\n"
        f"actual: {found[finite][wrong][:5]}\nexpected: {expected[finite][wrong][:5]}"
    )


def raised(call) -> Exception | None:
    """The exception of a call, or None."""
    try:
        call()
    except Exception as error:
        return error
    return None


def raises_alike(on_host, on_device) -> None:
    """Both raise, the device's error being of a type of the host's."""
    __tracebackhide__ = True
    expected, actual = raised(on_host), raised(on_device)
    assert expected is not None, "NumPy raises nothing here"
    # NumPy's private subclasses stand for the public type that they derive from.
    public = next(
        one
        for one in type(expected).__mro__
        if one.__module__ in ("builtins", "numpy.exceptions", "numpy.linalg")
    )
    assert isinstance(actual, public), (actual, expected)


def launches(call: Callable) -> int:
    """How many kernels and functions of libraries a call launches."""
    launch_history.forget()
    kept = call()
    found = [x for x in launch_history._recent if not isinstance(x, launch_history._Ended)]
    del kept
    return len(found)


# ---- tests -------------------------------------------------------------------------------------


#: How many sweeps over all dtypes each module has made.
_sweeps: Counter[str] = Counter()


def _kinds(module: str) -> tuple[list[str], list[str]]:
    """The quick and the slow dtypes of a module's next sweep.

    Templates are generic in the dtype. So a sweep takes one of each kind, and the sweeps of a
    module take turns at their widths.
    """
    turn = _sweeps[module]
    _sweeps[module] += 1
    signs = [["i8", "u1"], ["u4", "i2"], ["i1", "u8"], ["u2", "i4"]][turn % 4]
    floats = ["f2", "f8"][:: -1 if turn % 2 else 1]
    quick = ["?", signs[0], floats[0], "f4", COMPLEX[1 - turn // 2 % 2]]
    return quick, [signs[1], floats[1]]


def _cases(dtypes, layouts, layouts_of, parameters, slow_dtypes) -> Iterator:
    """A dtype, a layout and a value of each parameter; those that are not quick are marked slow."""
    first = next(iter(layouts))
    # What depends on a parameter rarely depends on the dtype as well: one dtype takes all values.
    swept = layouts_of or (["f4"] if "f4" in dtypes else dtypes[:1])
    values = [list(enumerate(given)) for given in parameters.values()]
    for dtype, *given in itertools.product([*dtypes, *slow_dtypes], *values):
        name = "_".join(
            str(np.dtype(one)) for one in ([dtype] if isinstance(dtype, str) else dtype)
        )
        slow = dtype in slow_dtypes
        if dtype not in swept and any(place for place, _ in given):
            if slow:
                continue
            slow = True
        marks = pytest.mark.slow if slow else ()
        ids = [
            f"{parameter}={getattr(value, '__name__', value)}"
            for parameter, (_, value) in zip(parameters, given, strict=True)
        ]
        for layout in layouts if dtype in layouts_of else [first]:
            case = "-".join([*ids[::-1], name, layout])
            yield pytest.param(dtype, layout, *[x for _, x in given], id=case, marks=marks)


def against_numpy(
    function: Callable,
    *,
    dtypes: Sequence | None = None,
    layouts: Mapping[str, Callable] = LAYOUTS,
    layouts_of: Iterable | None = None,
    shape: tuple[int, ...] = (4, 6),
    make: Callable = values,
    ulps: int | Mapping[str, int] = 0,
    atol: float = 0.0,
    raises: type[Exception] | tuple[type[Exception], ...] = (),
    **parameters: Iterable,
) -> Callable:
    """A test that calls a function with NumPy and with gpuarray, and compares the results.

    Parameters
    ----------
    function : callable
        ``function(xp, x, ..., **parameters)``: the library, an array for each name that is not in
        `parameters` (of different values, in the same layout), and a value of each parameter.
    dtypes : sequence of str, or of tuples of them
        The dtypes of the operands; in a tuple each operand's. By default one of each kind, in turns,
        so that the sweeps of a file have all together; a few more are slow.
    layouts : dict of str to callable
        ``layout(xp, array)`` makes a view; the names are in the cases' ids.
    layouts_of : iterable, optional
        The dtypes that are tested in every layout, the others in the first only. By default float32
        where it is among `dtypes`, else the first: what depends on the layout rarely depends on the
        dtype too, and each pair compiles a kernel of its own.
    shape : tuple of int
        The shape of the array that a layout is a view of.
    make : callable
        ``make(shape, dtype, seed)`` returns the elements.
    ulps, atol
        See `same`.
    raises : type or tuple of types of exceptions
        What NumPy may raise in some of the cases; gpuarray must raise the same there.
    **parameters
        The values of each further parameter of the function: a case for each combination of them
        for the dtypes in `layouts_of` (where it is empty, for one). Of the other dtypes the cases
        with the first values are quick, the others slow.

    Returns
    -------
    callable
        For a module's name that begins with ``test_``.
    """
    slow_dtypes: list[str] = []
    if dtypes is None:
        dtypes, slow_dtypes = _kinds(function.__module__)
    if layouts_of is None:
        layouts_of = ["f4"] if "f4" in dtypes else [dtypes[0]]
    count = len([name for name in list(inspect.signature(function).parameters)[1:]
                 if name not in parameters])  # fmt: skip

    def test(dtype, layout, **given):
        __tracebackhide__ = True
        own = [dtype] * count if isinstance(dtype, str) else dtype
        hosts, devices = zip(
            *[pair(layout, one, seed, shape=shape, make=make, layouts=layouts) for seed, one in enumerate(own)],
            strict=True,
        )  # fmt: skip
        try:
            expected = function(np, *hosts, **given)
        except raises:
            # Once more, since the operands may have been written to.
            raises_alike(
                lambda: function(np, *hosts, **given), lambda: function(cp, *devices, **given)
            )
            return
        same(function(cp, *devices, **given), expected, ulps=ulps, atol=atol)

    names = ["dtype", "layout", *parameters]
    cases = list(_cases(dtypes, layouts, layouts_of, parameters, slow_dtypes))
    test = pytest.mark.parametrize(names, cases)(test)
    test.__signature__ = inspect.Signature(
        [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in names]
    )
    test.__wrapped__ = function  # whose file and line pytest names
    return test


def raises_as_numpy(*calls: Callable) -> Callable:
    """A test with a case for each ``call(xp)``: NumPy raises, and gpuarray an error of its type."""

    @pytest.mark.parametrize("call", calls)
    def test(call):
        __tracebackhide__ = True
        raises_alike(lambda: call(np), lambda: call(cp))

    return test
