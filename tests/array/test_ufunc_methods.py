"""Methods of ufuncs of two arguments: reduce, accumulate, reduceat and outer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray._ufunc import ufuncs
from gpuarray.kernels.generator.operations import OPERATIONS
from tests.array.arrays import LAYOUTS_3D, device_copy, raises_as_numpy, same
from tests.slow import slow_except

#: In NumPy's order; the others combine elements in a tree.
ORDERED = [x.name for x in OPERATIONS.values()
           if x.summary and (x.nin, x.nout) == (2, 1) and not x.associative]  # fmt: skip
ASSOCIATIVE = [x.name for x in OPERATIONS.values() if x.associative]
OF_BOOLS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "ldexp"}

#: Powers and angles are rounded differently by NumPy's and CUDA's functions, once for each element.
ULPS = 64


def dtypes_of(name):
    """A dtype of each kind that the function can reduce."""
    if name in OF_BOOLS:
        return ["?"]
    function = getattr(np, name)
    found = []
    for dtype in ("i1", "i8", "f2", "f8", "c8"):
        try:
            function.resolve_dtypes((None, np.dtype(dtype), None), reduction=True)
        except TypeError:
            continue
        found.append(dtype)
    return found


def numbers(shape, dtype, seed=0):
    """From 1 to 3: no quotient is by zero, and few powers overflow."""
    found = np.random.default_rng(seed).integers(1, 4, shape)
    return found % 2 == 0 if np.dtype(dtype) == bool else found.astype(dtype)


def folded(name, host, axis):
    """The accumulation along an axis, one element after another."""
    function = getattr(np, name)
    value, element, _ = function.resolve_dtypes((None, host.dtype, None), reduction=True)
    lines = np.moveaxis(host, axis, 0)
    results = [lines[0].astype(value)]
    with np.errstate(all="ignore"):
        for line in lines[1:]:
            results.append(np.asarray(function(results[-1], line.astype(element)), value))
    return np.moveaxis(np.stack(results), 0, axis)


CASES = [(name, dtype) for name in ORDERED for dtype in dtypes_of(name)]
QUICK = {"subtract", "power", "less"}


def some(cases):
    """All dtypes of a few functions; of the others, which are slow, the first and another one."""
    found = [x for x in cases if x[0] in QUICK]
    for number, name in enumerate(dict.fromkeys(x[0] for x in cases)):
        dtypes = [x[1] for x in cases if x[0] == name]
        if name not in QUICK:
            chosen = dict.fromkeys([dtypes[0], dtypes[-1 - number % min(2, len(dtypes))]])
            found += [pytest.param(name, dtype, marks=pytest.mark.slow) for dtype in chosen]
    return found


@pytest.mark.parametrize(("name", "dtype"), some(CASES))
def test_in_the_order_of_the_elements(name, dtype):
    host = numbers((3, 4, 5), dtype)
    x, function = cp.asarray(host), getattr(cp, name)
    for axis in (0, -1) if dtype in ("?", "f8") else (-1,):
        expected = folded(name, host, axis)
        if name == "ldexp":  # whose elements are integers
            same(function.reduce(x, axis), np.take(expected, -1, axis))
            continue
        same(function.accumulate(x, axis), expected, ulps=ULPS)
        last = np.take(expected, -1, axis)
        same(function.reduce(x, axis), last, ulps=ULPS)
        same(function.reduce(x, axis, keepdims=True), np.expand_dims(last, axis), ulps=ULPS)
    if name == "ldexp":
        return
    segments = function.reduceat(x, [0, 2, 1], 1)
    wanted = [host[:, :2], host[:, 2:3], host[:, 1:]]
    wanted = [folded(name, part, 1)[:, -1] for part in wanted]
    same(segments, np.stack(wanted, 1), ulps=ULPS)


@pytest.mark.parametrize("layout", LAYOUTS_3D)
@pytest.mark.parametrize("name", ["subtract", "add"])
def test_layouts(name, layout):
    host = LAYOUTS_3D[layout](np, numbers((4, 6, 7), "f8"))
    x = LAYOUTS_3D[layout](cp, cp.asarray(numbers((4, 6, 7), "f8")))
    ours, theirs = getattr(cp, name), getattr(np, name)
    for axis in range(host.ndim):
        if not host.shape[axis]:
            continue
        for method in ("reduce", "accumulate"):
            actual = getattr(ours, method)(x, axis)
            expected = getattr(theirs, method)(host, axis)
            same(actual, expected)
            if expected.size:
                assert actual.strides == expected.strides
        indices = [0, host.shape[axis] - 1, 0, host.shape[axis] // 2]
        actual, expected = ours.reduceat(x, indices, axis), theirs.reduceat(host, indices, axis)
        same(actual, expected)
        if expected.size:
            assert actual.strides == expected.strides


@pytest.mark.parametrize(
    "name", slow_except(["subtract", "hypot"], ["subtract", "divide", "hypot"])
)
def test_arguments(name):
    host = numbers((5, 6), "f8")
    x, ours, theirs = cp.asarray(host), getattr(cp, name), getattr(np, name)
    mask = host > 1
    for options in (
        {"initial": 7}, {"initial": 2.5, "axis": 1}, {"initial": 3, "where": mask},
        {"axis": (0,)}, {"dtype": "f4"}, {"axis": (), "initial": 2}, {"axis": 1, "keepdims": True},
    ):  # fmt: skip
        on_device = {k: cp.asarray(v) if v is mask else v for k, v in options.items()}
        same(ours.reduce(x, **on_device), theirs.reduce(host, **options), ulps=4)
    same(ours.reduce(x[0]), np.asarray(theirs.reduce(host[0])), ulps=4)
    for dtype in ("f4", "f8"):
        out = cp.empty(6, dtype)
        assert ours.reduce(x, out=out) is out
        same(out, theirs.reduce(host).astype(dtype), ulps=4)
    whole = cp.empty((5, 6))
    assert ours.accumulate(x, 0, None, whole) is whole
    same(whole, theirs.accumulate(host), ulps=4)
    two = cp.empty((2, 6))
    assert ours.reduceat(x, [0, 3], out=two) is two
    same(two, theirs.reduceat(host, [0, 3]), ulps=4)
    # In place, and where the output is a part of the operand.
    same(ours.accumulate(x, out=x), theirs.accumulate(host), ulps=4)
    x = cp.asarray(host)
    ours.accumulate(x[1:], out=x[:-1])
    same(x[:-1], theirs.accumulate(host[1:]), ulps=4)


@pytest.mark.slow
def test_magnitudes_of_single_elements():
    for name, dtype in (("hypot", "f4"), ("gcd", "i4")):
        host = np.array([[-3, 4], [-6, -8]], dtype)
        x, ours, theirs = cp.asarray(host), getattr(cp, name), getattr(np, name)
        for axis in (0, 1, None):
            same(ours.reduce(x, axis), np.asarray(theirs.reduce(host, axis)))
        same(ours.reduce(x[:1]), theirs.reduce(host[:1]))
        same(ours.reduce(x[:0]), theirs.reduce(host[:0]))
        same(ours.accumulate(x), theirs.accumulate(host))
        same(ours.reduceat(x, [1, 0]), theirs.reduceat(host, [1, 0]))


@pytest.mark.parametrize("name", slow_except(["add", "gcd"], ASSOCIATIVE))
def test_segments_of_associative_functions(name):
    dtype = "f4" if name in ("hypot", "logaddexp", "logaddexp2") else "i4"
    host = numbers((4, 150), dtype)
    x, ours, theirs = cp.asarray(host), getattr(cp, name), getattr(np, name)
    for indices in ([0, 10, 9, 9, 140], [0], list(range(0, 150, 2))):
        same(ours.reduceat(x, indices, 1), theirs.reduceat(host, indices, 1), ulps=16)
    same(ours.reduceat(x, [0, 1, 3]), theirs.reduceat(host, [0, 1, 3]), ulps=16)


@pytest.mark.parametrize("dtype", slow_except(["i1", "f2"], ["i1", "f2", "c16"]))
def test_sums_of_segments(dtype):
    host = numbers((3, 40), dtype)
    x = cp.asarray(host)
    for indices in ([0, 20, 5], [39]):
        same(cp.add.reduceat(x, indices, axis=1), np.add.reduceat(host, indices, axis=1))
    same(cp.add.reduceat(x, [0, 1], dtype="c8"), np.add.reduceat(host, [0, 1], dtype="c8"))


@pytest.mark.parametrize("dtype", slow_except(["i1", "f8"], ["i1", "f8", "?"]))
def test_long_lines(dtype):
    name = "less" if dtype == "?" else "subtract"
    ours = getattr(cp, name)
    for shape in ((3, 300), (1, 33), (5, 32), (700,)):
        host = numbers(shape, dtype)
        x = device_copy(host)
        expected = folded(name, host, -1)
        same(ours.accumulate(x, -1), expected)
        same(ours.reduce(x, -1), np.asarray(expected[..., -1]))
        same(ours.reduce(x[..., ::-1], -1), np.asarray(folded(name, host[..., ::-1], -1)[..., -1]))
        if dtype != "?":
            mask = numbers(shape, "?", 1)
            theirs = getattr(np, name).reduce(host, -1, initial=5, where=mask)
            same(ours.reduce(x, -1, initial=5, where=cp.asarray(mask)), np.asarray(theirs))
    same(ours.accumulate(x, out=x), folded(name, host, 0))


def test_long_segments():
    host = numbers(20_000, "i8")
    x = device_copy(host)
    same(cp.add.reduceat(x, [0, 9000]), np.add.reduceat(host, [0, 9000]))
    same(cp.maximum.reduceat(x, [5, 3, 19_999]), np.maximum.reduceat(host, [5, 3, 19_999]))
    same(cp.subtract.reduce(x), np.asarray(np.subtract.reduce(host)))


def test_indices_of_segments():
    host = numbers((7,), "i8")
    x = cp.asarray(host)
    for dtype in ("i1", "u4", "i8"):
        indices = np.array([0, 4, 2], dtype)
        same(cp.add.reduceat(x, cp.asarray(indices)), np.add.reduceat(host, indices))
        same(cp.add.reduceat(x, cp.asarray(indices)[::-1]), np.add.reduceat(host, indices[::-1]))
        same(cp.add.reduceat(x, indices), np.add.reduceat(host, indices))
    same(cp.add.reduceat(x, [0.5, 2.0]), np.add.reduceat(host, [0.5, 2.0]))
    same(cp.add.reduceat(x, []), np.add.reduceat(host, []))
    same(cp.add.reduceat(x, cp.empty(0, int)), np.add.reduceat(host, np.empty(0, int)))


@pytest.mark.emulator
def test_indices_of_segments_out_of_bounds():
    x, indices = cp.ones(3), cp.asarray([0, 3])
    with pytest.raises(IndexError, match="out of bounds"):
        cp.asnumpy(cp.add.reduceat(x, indices))


def test_every_method_is_there():
    for name, function in ufuncs.items():
        if function.row.namespace != "gpuarray":  # those of scipy.special, once that is imported
            continue
        if getattr(np, name).nin != 2 or getattr(np, name).nout != 1:
            continue
        for method in ("reduce", "accumulate", "reduceat", "outer"):
            assert callable(getattr(function, method))


@pytest.mark.parametrize(
    "name", ["add", "sqrt", "divmod", "less", "ldexp", "maximum", "gcd", "frexp"]
)
def test_attributes(name):
    ours, theirs = getattr(cp, name), getattr(np, name)
    for attribute in ("__name__", "nin", "nout", "nargs", "identity", "signature"):
        assert getattr(ours, attribute) == getattr(theirs, attribute)
    assert ours.ntypes == len(ours.types)
    assert set(ours.types) <= set(theirs.types)
    dtypes = (np.dtype("f4"),) * theirs.nin + (None,) * theirs.nout
    if name not in ("gcd", "ldexp"):
        assert ours.resolve_dtypes(dtypes) == theirs.resolve_dtypes(dtypes)
    if theirs.nin == 2 and theirs.nout == 1:
        dtypes = (np.dtype("i4"), int, None)
        assert ours.resolve_dtypes(dtypes, casting="unsafe") == theirs.resolve_dtypes(
            dtypes, casting="unsafe"
        )
        if name not in ("less", "ldexp"):
            dtypes = (None, np.dtype("i2"), None)
            assert ours.resolve_dtypes(dtypes, reduction=True) == theirs.resolve_dtypes(
                dtypes, reduction=True
            )


def test_outer():
    host, other = numbers((2, 3), "i4"), numbers((4,), "f4")
    x, y = cp.asarray(host), cp.asarray(other)
    for name in ("less", "power"):
        ours, theirs = getattr(cp, name), getattr(np, name)
        same(ours.outer(x, y), theirs.outer(host, other), ulps=4)
        same(ours.outer(x.T, 2), theirs.outer(host.T, 2), ulps=4)
        same(
            ours.outer([1, 2], y, dtype="f8") if name != "less" else ours.outer([1, 2], y),
            theirs.outer([1, 2], other, dtype="f8")
            if name != "less"
            else theirs.outer([1, 2], other),
            ulps=4,
        )
    out = cp.empty((2, 3, 4), "f8")
    assert cp.add.outer(x, y, out=out) is out
    same(cp.divmod.outer(x, y), np.divmod.outer(host, other))


@given(
    values=st.lists(st.integers(-9, 9), min_size=1, max_size=40),
    indices=st.lists(st.integers(0, 39), min_size=1, max_size=12),
)
@settings(max_examples=40, deadline=None)
def test_any_segments(values, indices):
    indices = [i % len(values) for i in indices]
    host = np.array(values)
    for name in ("add", "subtract", "minimum"):
        same(
            getattr(cp, name).reduceat(cp.asarray(host), indices),
            getattr(np, name).reduceat(host, indices),
        )


@given(updates=st.lists(st.tuples(st.integers(-6, 5), st.integers(-9, 9)), min_size=1, max_size=40))
@settings(max_examples=40, deadline=None)
def test_any_updates(updates):
    indices, operands = (np.array(x) for x in zip(*updates, strict=True))
    for name, dtype in (
        ("add", "i8"),
        ("multiply", "i1"),
        ("minimum", "f4"),
        ("floor_divide", "f8"),
    ):
        host = np.arange(1, 7).astype(dtype)
        x = cp.asarray(host)
        getattr(cp, name).at(x, cp.asarray(indices), cp.asarray(operands.astype(dtype)))
        with np.errstate(all="ignore"):
            getattr(np, name).at(host, indices, operands.astype(dtype))
        same(x, host)


def test_numpys_methods_run_on_the_device():
    host = numbers((3, 4), "f8")
    x = cp.asarray(host)
    same(np.subtract.reduce(x, axis=1), np.subtract.reduce(host, axis=1))
    same(np.power.accumulate(x), np.power.accumulate(host), ulps=8)
    same(np.add.reduceat(x, [0, 2], axis=1), np.add.reduceat(host, [0, 2], axis=1))
    same(np.multiply.outer(x, x[0]), np.multiply.outer(host, host[0]))
    out = cp.empty((2, 4))
    assert np.add.reduceat(x, [0, 2], out=out) is out


test_refusals = raises_as_numpy(
    lambda xp: xp.sin.reduce(xp.ones(3)),
    lambda xp: xp.divmod.reduce(xp.ones(3)),
    lambda xp: xp.sin.accumulate(xp.ones(3)),
    lambda xp: xp.sin.reduceat(xp.ones(3), [0]),
    lambda xp: xp.divmod.reduceat(xp.ones(3), [0]),
    lambda xp: xp.sin.outer(xp.ones(3), xp.ones(3)),
    lambda xp: xp.subtract.reduce(xp.ones((3, 3)), None),
    lambda xp: xp.subtract.reduce(xp.ones((3, 3)), (0, 1)),
    lambda xp: xp.subtract.reduce(xp.ones((0, 3))),
    lambda xp: xp.subtract.reduce(xp.ones(3), where=xp.ones(3, bool)),
    lambda xp: xp.subtract.reduce(xp.ones(3, bool)),
    lambda xp: xp.subtract.reduce(xp.ones(3), 1),
    lambda xp: xp.subtract.reduce(xp.ones(3), out=xp.ones(2)),
    lambda xp: xp.less.reduce(xp.ones(3)),
    lambda xp: xp.ldexp.reduce(xp.ones(3)),
    lambda xp: xp.gcd.reduce(xp.ones(3)),
    lambda xp: xp.ldexp.accumulate(xp.ones(3, bool)),
    lambda xp: xp.subtract.accumulate(xp.asarray(1.0)),
    lambda xp: xp.subtract.accumulate(xp.ones((3, 3)), None),
    lambda xp: xp.add.reduceat(xp.ones(3), [3]),
    lambda xp: xp.add.reduceat(xp.ones(3), [-1]),
    lambda xp: xp.add.reduceat(xp.ones(3), [[0]]),
    lambda xp: xp.add.reduceat(xp.ones(3), 0),
    lambda xp: xp.add.reduceat(xp.ones(3), xp.asarray([0.5])),
    lambda xp: xp.add.reduceat(xp.asarray(1.0), [0]),
    lambda xp: xp.add.reduceat(xp.ones(3), [0], 1),
    lambda xp: xp.add.reduceat(xp.ones((3, 3)), [0], None),
    lambda xp: xp.add.reduceat(xp.ones(0), [0]),
)
