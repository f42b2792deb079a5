"""Structured and void dtypes: storage, copies, fields and comparisons, as in NumPy."""

import copy
import pickle

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import UnsupportedDTypeError
from tests.array.arrays import LAYOUTS
from tests.slow import slow_except

PLAIN = np.dtype([("a", "i4"), ("b", "f4")])
PACKED = np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")])  # 11 bytes, fields at odd addresses
ALIGNED = np.dtype([("a", "i1"), ("b", "f8"), ("c", "i2")], align=True)
NESTED = np.dtype([("id", "u2"), ("at", [("x", "f4"), ("y", "f8")]), ("rgb", "u1", (3,))])
TIMES = np.dtype([("t", "M8[s]"), ("z", "c16"), ("ok", "?")])
DTYPES = {"plain": PLAIN, "packed": PACKED, "aligned": ALIGNED, "nested": NESTED, "times": TIMES}


def records(dtype, shape=(4, 6), seed=0):
    """Structures with small numbers in all fields."""
    host = np.zeros(shape, dtype)
    rng = np.random.default_rng(seed)

    def fill(part):
        if part.dtype.names is None:
            part[...] = rng.integers(0, 3, part.shape).astype(
                part.dtype if part.dtype.kind in "biufc" else "i8"
            )
        else:
            for name in part.dtype.names:
                fill(part[name])

    fill(host)
    return host


def same(actual, expected):
    host = cp.asnumpy(actual)
    expected = np.asarray(expected)
    assert host.dtype == expected.dtype
    assert host.shape == expected.shape
    assert repr(host.tolist()) == repr(expected.tolist())


@pytest.fixture(params=slow_except(["packed", "nested", "times"], DTYPES), name="host")
def _host(request):
    return records(DTYPES[request.param])


def test_to_the_device_and_back(host):
    x = cp.array(host)
    same(x, host)
    assert x.dtype == host.dtype
    assert x.itemsize == host.itemsize
    assert x.strides == host.strides
    assert repr(x.tolist()) == repr(host.tolist())
    assert repr(x[1, 2].item()) == repr(host[1, 2].item())
    assert repr(x) == repr(host)
    same(pickle.loads(pickle.dumps(x)), host)
    same(copy.deepcopy(x), host)
    same(cp.asarray(host.tolist(), host.dtype), host)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_of_views(host, layout):
    view = LAYOUTS[layout]
    x = cp.array(host)
    same(view(cp, x), view(np, host))
    for order in "CFK":
        found, expected = view(cp, x).copy(order), view(np, host).copy(order)
        same(found, expected)
        assert found.strides == expected.strides or not found.size
    target = cp.zeros(view(np, host).shape, host.dtype)
    target[...] = view(cp, x)
    same(target, view(np, host))


def test_fields(host):
    x, expected = cp.array(host), host.copy()
    for name in host.dtype.names:
        field = x[name]
        same(field, expected[name])
        assert field.strides == expected[name].strides
        same(field.copy(), expected[name])
        same(field[::-1, 1:], expected[name][::-1, 1:])
        field[0] = expected[name][1]
        expected[name][0] = expected[name][1]
        same(x, expected)
        x[name] = expected[name][2]
        expected[name] = expected[name][2]
        same(x, expected)
    names = list(host.dtype.names[1:])
    same(x[names], expected[names])
    assert x[names].dtype == expected[names].dtype
    with pytest.raises(ValueError, match="no field of name"):
        x["nothing"]
    with pytest.raises(IndexError):
        x["a" if "a" in host.dtype.names else host.dtype.names[0]]["a"]


def test_indexing(host):
    x, expected = cp.array(host), host.copy()
    picked = np.array([2, 0, -1])
    mask = host[host.dtype.names[0]] == host[host.dtype.names[0]][0, 0]
    same(x[cp.array(picked)], host[picked])
    same(x[cp.array(picked), 1], host[picked, 1])
    same(x[cp.array(mask)], host[mask])
    same(cp.take(x, cp.array(picked), axis=1), np.take(host, picked, axis=1))
    x[cp.array(picked)] = x[0]
    expected[picked] = expected[0]
    same(x, expected)
    x[cp.array(mask)] = host[1, 1]
    expected[mask] = host[1, 1]
    same(x, expected)
    x[1:, 2] = host[3, 3].item()
    expected[1:, 2] = host[3, 3].item()
    same(x, expected)
    x[0] = [one.item() for one in host[2]]
    expected[0] = host[2]
    same(x, expected)


def test_manipulation(host):
    x = cp.array(host)
    same(x.reshape(3, 8).T, host.reshape(3, 8).T)
    same(x.T.reshape(-1), host.T.reshape(-1))
    same(cp.concatenate([x, x[::-1]], axis=1), np.concatenate([host, host[::-1]], axis=1))
    same(cp.stack([x, x]), np.stack([host, host]))
    same(cp.where(cp.array(host[host.dtype.names[0]] == 0), x, x[0, 0]),
         np.where(host[host.dtype.names[0]] == 0, host, host[0, 0]))  # fmt: skip
    same(cp.flip(x, 1), np.flip(host, 1))
    same(cp.repeat(x, 2, axis=0), np.repeat(host, 2, axis=0))
    same(cp.roll(x, 3), np.roll(host, 3))
    same(cp.tile(x, (2, 1)), np.tile(host, (2, 1)))
    same(x.ravel("F"), host.ravel("F"))


def test_comparisons(host):
    other = records(host.dtype, seed=1)
    other[::2] = host[::2]
    x, y = cp.array(host), cp.array(other)
    same(x == y, host == other)
    same(x != y, host != other)
    same(x == x[0, 0], host == host[0, 0])
    same(x == host[0, 0], host == host[0, 0])
    same(x.T == y.T, host.T == other.T)
    out = cp.zeros(host.shape, bool)
    assert cp.not_equal(x, y, out=out) is out
    same(out, host != other)
    with pytest.raises(TypeError):
        x < y  # noqa: B015


def test_comparison_of_nan_and_of_other_dtypes():
    a = np.array([(1, np.nan), (2, 0.0), (3, 1.0)], PLAIN)
    b = np.array([(1, np.nan), (2, -0.0), (4, 1.0)], [("a", "i8"), ("b", "f2")])
    same(cp.array(a) == cp.array(b), a == b)
    same(cp.array(a) != cp.array(a), a != a)
    with pytest.raises(TypeError):
        cp.array(a) == cp.zeros(3, [("x", "i4"), ("y", "f4")])  # noqa: B015


def test_creation(host):
    dtype = host.dtype
    same(cp.zeros(3, dtype), np.zeros(3, dtype))
    same(cp.full((2, 3), host[1, 1], dtype), np.full((2, 3), host[1, 1], dtype))
    same(cp.full((2, 3), host[1, 1]), np.full((2, 3), host[1, 1]))
    same(cp.zeros_like(cp.array(host)), np.zeros_like(host))
    assert cp.empty((2, 5), dtype).strides == np.empty((2, 5), dtype).strides
    if dtype is not TIMES:
        same(cp.ones(3, dtype), np.ones(3, dtype))


@pytest.mark.parametrize("size", slow_except([1, 6, 12, 16], [1, 2, 4, 6, 7, 8, 12, 16, 24]))
def test_voids_of_any_length(size):
    host = np.frombuffer(bytes(range(24)) * size, f"V{size}").reshape(4, 6)
    x = cp.array(host)
    same(x, host)
    same(x.T.copy(), host.T)
    same(x[::2, ::-1].copy(), host[::2, ::-1])
    same(x[cp.array([3, 1])], host[[3, 1]])
    same(x[cp.array(host == host[0, 0])], host[host == host[0, 0]])
    same(x == x[1], host == host[1])
    same(cp.concatenate([x, x]), np.concatenate([host, host]))
    x[1] = b"\x07" * size
    host = host.copy()
    host[1] = b"\x07" * size
    same(x, host)


def test_views_of_structures():
    host = records(PLAIN)
    x = cp.array(host)
    same(x.view("i4"), host.view("i4"))
    same(x.view("V8"), host.view("V8"))
    same(x.view("u1").view(PLAIN), host)
    same(x.view([("c", "u8")])["c"], host.view("u8"))


def test_casts():
    host = records(PACKED)
    x = cp.array(host)
    other = np.dtype([("a", "f4"), ("b", "i2"), ("c", "f8")])
    same(x.astype(other), host.astype(other))
    same(cp.array(host, dtype=other), host.astype(other))
    target = cp.zeros(host.shape, other)
    target[...] = x
    same(target, host.astype(other))


def test_arithmetic_with_fields_at_any_address():
    host = records(PACKED)
    x = cp.array(host)
    assert not x["b"].flags.aligned
    same(x["b"] + 1, host["b"] + 1)
    same(x["b"] * x["c"], host["b"] * host["c"])
    same(x["b"].astype("i4"), host["b"].astype("i4"))
    x["b"] += x["a"]
    host["b"] += host["a"]
    same(x, host)
    cp.add(x["b"], 1, out=x["b"], where=x["a"] == 1)
    np.add(host["b"], 1, out=host["b"], where=host["a"] == 1)
    same(x, host)
    same(x["b"].copy().sum(0), host["b"].sum(0))


def test_many_fields_are_compared():
    dtype = np.dtype([(f"f{i}", "i2") for i in range(30)])
    host = np.zeros(5, dtype)
    host["f29"] = [0, 1, 0, 1, 0]
    host["f3"][2] = 1
    x = cp.array(host)
    same(x == x[0], host == host[0])
    same(x != x[0], host != host[0])


def test_what_is_refused_says_what_to_do():
    x = cp.array(records(PLAIN))
    for use in (lambda: x + x, lambda: x.sum(), lambda: cp.cumsum(x),
                lambda: x.max(), lambda: cp.exp(x), lambda: x.astype("f4"),
                lambda: cp.argmax(x), lambda: x < x):  # fmt: skip
        with pytest.raises(TypeError):
            use()
    with pytest.raises(UnsupportedDTypeError, match="return_inverse"):
        cp.zeros(3, [("a", "S4")])
    with pytest.raises(UnsupportedDTypeError, match="no bytes"):
        cp.zeros(3, "V0")
    with pytest.raises(UnsupportedDTypeError, match="subarray"):
        cp.ones(3).astype("(2,)f4")


def test_subarrays_extend_the_shape():
    assert cp.zeros(3, "(2,)f4").shape == np.zeros(3, "(2,)f4").shape
    assert cp.empty((2, 3), "(2,2)i4").shape == (2, 3, 2, 2)
    same(cp.ones(3, "(2,)f4"), np.ones(3, "(2,)f4"))
    same(cp.full(3, 7, "(2,)f4"), np.full(3, 7, "(2,)f4"))


def test_reading_a_field_of_a_read_only_array():
    x = cp.array(records(PACKED))
    x.flags.writeable = False
    assert not x["b"].flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        x["b"][...] = 1


def test_large_transposes_of_structures():
    host = records(PACKED, (70, 90))
    same(cp.array(host).T.copy(), host.T)
    wide = records(TIMES, (40, 50))
    same(cp.array(wide).T.copy(), wide.T)


#: What works on a copy of a field at any address, in each family of kernels.
FUNCTIONS = {
    "sum": lambda xp, b: b.sum(0),
    "sum where": lambda xp, b: b.sum(where=b > 3),
    "sum out": lambda xp, b: xp.sum(b, axis=0, out=b[0]),
    "std": lambda xp, b: b.std(1),
    "argmax": lambda xp, b: b.argmax(0),
    "cumsum": lambda xp, b: b.cumsum(1),
    "sort": lambda xp, b: xp.sort(b),
    "median": lambda xp, b: xp.median(b),
    "take": lambda xp, b: b[xp.array([3, 1])],
    "take_along_axis": lambda xp, b: xp.take_along_axis(b, xp.argsort(b, 0, kind="stable"), 0),
    "compress": lambda xp, b: b[b > 2],
    "nonzero": lambda xp, b: xp.nonzero(b)[1],
    "unique": lambda xp, b: xp.unique(b),
    "searchsorted": lambda xp, b: xp.searchsorted(xp.sort(b[0]), b[1]),
    "histogram": lambda xp, b: xp.histogram(b, bins=5)[0],
    "concatenate": lambda xp, b: xp.concatenate([b, b], axis=1),
    "roll": lambda xp, b: xp.roll(b, 3),
    "pad": lambda xp, b: xp.pad(b, 1),
    "reshape": lambda xp, b: b.reshape(-1),
    "clip": lambda xp, b: b.clip(1, 2),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_fields_at_any_address(name):
    host = records(PACKED)
    host["b"] = np.random.default_rng(3).integers(0, 6, host.shape)
    function = FUNCTIONS[name]
    x = cp.array(host)
    same(function(cp, x["b"]), function(np, host["b"]))
    same(x, host)


def test_assignment_by_arrays_to_fields_at_any_address():
    host = records(PACKED)
    host["b"] = np.arange(24).reshape(4, 6)
    x = cp.array(host)
    for xp, field in ((np, host["b"]), (cp, x["b"])):
        field[xp.array([0, 2])] = 7.5
        field[xp.array([1, 3]), 2] = xp.array([-1.0, -2.0])
        field[field > 20] = 0.25
        field[field == 7.5] = xp.arange(12) * 1.5
    same(x, host)


def test_one_element_at_any_address():
    host = records(PACKED)
    host["b"] = np.arange(24).reshape(4, 6)
    one, x = host["b"][1, 2:3], cp.array(host)["b"][1, 2:3]
    same(cp.sort(x), np.sort(one))
    same(cp.argsort(x), np.argsort(one))
    same(cp.concatenate([x, x]), np.concatenate([one, one]))
    same(cp.stack([x, x[:1]]), np.stack([one, one]))
    same(cp.ascontiguousarray(x) + 1, one + 1)
    same(cp.searchsorted(x, x), np.searchsorted(one, one))
    same(cp.median(x), np.median(one))
    same(cp.cumsum(x), np.cumsum(one))
    same(x.reshape(1, 1).sum(), one.sum())
    assert float(x[0]) == one[0]
    assert x.tolist() == one.tolist()


def test_several_results_of_structures_and_fields_at_any_address():
    host = records(PACKED, (6,))
    x = cp.array(host)
    for operands in (("b", "c"), ("c", "b"), ("a", "b")):
        found = cp.meshgrid(*[x[name] for name in operands])
        expected = np.meshgrid(*[host[name] for name in operands])
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    found, expected = cp.meshgrid(x, x["b"]), np.meshgrid(host, host["b"])
    for one, other in zip(found, expected, strict=True):
        same(one, other)
    same(cp.divmod(x["b"], 2)[1], np.divmod(host["b"], 2)[1])


def test_sorted_by_fields(host):
    host = host.ravel()
    x = cp.asarray(host)
    same(cp.sort(x), np.sort(host))
    same(cp.argsort(x), np.argsort(host, kind="stable"))
    grid, device = host.reshape(6, 4), x.reshape(6, 4)
    for axis in (0, 1, None):
        same(cp.sort(device, axis), np.sort(grid, axis))
        same(cp.argsort(device, axis), np.argsort(grid, axis, kind="stable"))
    same(cp.sort(device.T[::-1], 0), np.sort(grid.T[::-1], 0))
    names = host.dtype.names
    for order in (names[-1], [names[1]], names[::-1], []):
        same(cp.argsort(x, order=order), np.argsort(host, kind="stable", order=order))
        same(cp.sort(x, order=order), np.sort(host, order=order))
    x.sort(order=names[1])
    same(x, np.sort(host, order=names[1]))
    descending = cp.argsort(cp.asarray(host), descending=True)
    expected = len(host) - 1 - np.argsort(host[::-1], kind="stable")[::-1]
    same(descending, expected)


def test_partitions_of_structures(host):
    host = host.ravel()
    expected = np.sort(host)
    same(cp.partition(cp.asarray(host), 5)[5], expected[5])
    same(cp.asarray(host)[cp.argpartition(cp.asarray(host), 5)][5], expected[5])


def test_unique_structures(host):
    host[0, :2] = host[1, :2]
    x = cp.asarray(host)
    same(cp.unique(x), np.unique(host))
    for found, expected in zip(
        cp.unique(x, True, True, True), np.unique(host, True, True, True), strict=True
    ):
        same(found, expected)
    same(cp.unique(x[:0]), np.unique(host[:0]))


def test_structures_that_are_not_zero(host):
    host[0], host[:, 1] = np.zeros((), host.dtype), np.zeros((), host.dtype)
    x = cp.asarray(host)
    for found, expected in zip(cp.nonzero(x), np.nonzero(host), strict=True):
        same(found, expected)
    same(cp.argwhere(x), np.argwhere(host))
    same(cp.flatnonzero(x), np.flatnonzero(host))
    assert int(cp.count_nonzero(x)) == np.count_nonzero(host)


def test_raw_bytes_in_order():
    host = np.random.default_rng(0).integers(0, 3, (20, 3)).astype("u1").view("V3").ravel()
    same(cp.sort(cp.asarray(host)), np.sort(host))
    same(cp.argsort(cp.asarray(host)), np.argsort(host, kind="stable"))


def test_orders_that_are_refused():
    x = cp.zeros(3, PLAIN)
    for order, message in (
        ("z", "order has the unknown field name 'z'; use 'a', 'b'"),
        (["a", "a"], "duplicate field name 'a'"),
        (3, "order=3 is neither"),
    ):
        for function in (cp.sort, cp.argsort):
            with pytest.raises(ValueError, match=message):
                function(x, order=order)
        with pytest.raises(ValueError, match=message):
            cp.partition(x, 1, order=order)
    with pytest.raises(ValueError, match="order='a' names fields, and an array of dtype float64"):
        cp.sort(cp.zeros(3), order="a")
    with pytest.raises(TypeError, match="search a field"):
        cp.searchsorted(x, x)
