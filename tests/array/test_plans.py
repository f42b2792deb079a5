"""The plan cache: what a key tells apart, what is kept, and what is dropped."""

import enum
import gc
import threading
import warnings

import numpy as np
import pytest

import gpuarray as cp
from gpuarray import _arguments, _calls, _layout
from gpuarray._ops import indexing
from gpuarray._runtime import plans as plan_cache
from gpuarray._runtime import stream as streams
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.plans import key_of, planned, static


class Axis(enum.IntEnum):
    ROWS = 1


# ---- keys ----------------------------------------------------------------------------------------

EQUAL_IN_PYTHON = [
    [1, 1.0, True, 1 + 0j, np.int64(1), np.float32(1), np.True_, Axis.ROWS],
    [0, 0.0, -0.0, False, 0j, complex(0, -0.0), complex(-0.0, 0.0), np.float64(-0.0)],
    [(1,), (1.0,), (True,), [1], (np.int64(1),)],
    [((0, 1), 2), ((0.0, 1), 2), ((False, 1), 2), ([0, 1], 2)],
    [slice(1), slice(1.0), slice(True)],
    [2**53, float(2**53)],
]


@pytest.mark.parametrize("values", EQUAL_IN_PYTHON)
def test_keys_of_equal_values_of_other_types_differ(values):
    keys = [key_of(len, value) for value in values]
    assert len(set(keys)) == len(values)
    assert keys == [key_of(len, value) for value in values]


def test_keys_of_nan_are_equal():
    one, other = float("nan"), float("inf") - float("inf")
    assert key_of(len, one) == key_of(len, other)
    assert key_of(len, (1, (one,))) == key_of(len, (1, (other,)))
    assert key_of(len, np.float32("nan")) != key_of(len, one)


def test_what_stands_for_itself():
    """Fast paths look for these without a call of `key_of`."""
    layout = cp.ones(3)._layout
    plain = (layout, 3, "K", None, np.dtype("f4"), np.float32, (0, 1), Ellipsis)
    assert key_of(len, *plain) == (len, *plain)


def test_no_argument_is_taken_for_another_with_its_type():
    assert static((bool, True)) != static(True)
    assert static((float, "1.0")) != static(1.0)
    assert static((list, (1,))) != static([1])


# ---- calls of the public functions, cold and warm --------------------------------------------------


def look_alikes(value):
    """Values of other types that Python takes for equal to this one."""
    if isinstance(value, bool):
        return [int(value), float(value), np.bool(value)]
    if isinstance(value, int):
        found = [float(value), np.int64(value), np.float64(value), complex(value)]
        return found + [bool(value)] if value in (0, 1) else found
    if isinstance(value, float):
        found = [np.float64(value), np.float32(value)]
        found += [int(value)] if value == int(value) else []
        return found + [-0.0, False] if value == 0 else found
    if isinstance(value, tuple):
        columns = [look_alikes(x) for x in value]
        return [tuple(one) for one in zip(*columns, strict=False)]
    raise TypeError(value)


def outcome(work):
    """The results of a call, or its exception."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = work()
    except Exception as error:
        return type(error), str(error)
    parts = result if isinstance(result, tuple | list) else [result]
    return [
        (x.dtype, x.shape, x.strides, cp.asnumpy(x).tobytes()) if hasattr(x, "dtype") else repr(x)
        for x in parts
    ]


def forget():
    current.stream.drop_plans()
    for table in _layout._tables_of_views:
        table.clear()


def stored(x, key, value):
    copy = x.copy()
    copy[key] = value
    return copy


# Each takes an array of shape (2, 3), one of shape (6,), and the argument that is replaced.
CALLS = {
    "sum": (lambda x, v, a: x.sum(axis=a), [0, 1, (1,), (0, 1)]),
    "sum-keepdims": (lambda x, v, a: x.sum(axis=1, keepdims=a), [True, False]),
    "sum-0-d": (lambda x, v, a: cp.sum(v[0], axis=a), [0]),
    "sum-initial": (lambda x, v, a: x.sum(axis=1, initial=a), [0.0, 1, True]),
    "prod": (lambda x, v, a: x.prod(axis=a), [1]),
    "mean": (lambda x, v, a: x.mean(axis=a), [1, (0, 1)]),
    "max": (lambda x, v, a: x.max(axis=a), [1]),
    "any": (lambda x, v, a: x.any(axis=a), [1, (1,)]),
    "nansum": (lambda x, v, a: cp.nansum(x, axis=a), [1]),
    "count_nonzero": (lambda x, v, a: cp.count_nonzero(x, axis=a), [1]),
    "add.reduce": (lambda x, v, a: cp.add.reduce(x, axis=a), [1, (0,)]),
    "argmax": (lambda x, v, a: x.argmax(axis=a), [1]),
    "var": (lambda x, v, a: x.var(axis=a), [1, (0, 1)]),
    "var-ddof": (lambda x, v, a: x.var(axis=1, ddof=a), [1, 0, 3]),
    "std": (lambda x, v, a: x.std(axis=1, ddof=a), [0.5]),
    "cumsum": (lambda x, v, a: x.cumsum(axis=a), [0, 1]),
    "add.accumulate": (lambda x, v, a: cp.add.accumulate(x, axis=a), [1]),
    "sort": (lambda x, v, a: cp.sort(x, axis=a), [0, 1]),
    "argsort": (lambda x, v, a: cp.argsort(x, axis=a), [1]),
    "partition": (lambda x, v, a: cp.partition(v, a), [1, (1, 3)]),
    "median": (lambda x, v, a: cp.median(x, axis=a), [1]),
    "percentile": (lambda x, v, a: cp.percentile(v, a), [0, 50.0]),
    "quantile": (lambda x, v, a: cp.quantile(v, a), [0.0, 1]),
    "concatenate": (lambda x, v, a: cp.concatenate([x, x], axis=a), [0, 1]),
    "stack": (lambda x, v, a: cp.stack([x, x], axis=a), [0, 1]),
    "repeat": (lambda x, v, a: cp.repeat(x, a, axis=1), [1, 2]),
    "tile": (lambda x, v, a: cp.tile(v, a), [1, (2, 1)]),
    "roll": (lambda x, v, a: cp.roll(v, a), [1, 2]),
    "reshape": (lambda x, v, a: v.reshape(a), [6, (2, 3), (1, 6)]),
    "transpose": (lambda x, v, a: x.transpose(a), [(1, 0)]),
    "take": (lambda x, v, a: cp.take(x, cp.asarray([1, 0]), axis=a), [0, 1]),
    "broadcast_to": (lambda x, v, a: cp.broadcast_to(v, a), [6, (6,), (1, 6), (2, 6)]),
    "take-axis": (lambda x, v, a: x.take(cp.asarray([[1, 0]]), a), [0, 1]),
    "zeros": (lambda x, v, a: cp.zeros(a), [1, (2, 1)]),
    "ones": (lambda x, v, a: cp.ones(a), [(2, 1)]),
    "full": (lambda x, v, a: cp.full(3, a), [0.0, 1, True]),
    "eye": (lambda x, v, a: cp.eye(3, k=a), [1, 0]),
    "arange": (lambda x, v, a: cp.arange(0, 6, a), [1, 2]),
    "arange-start": (lambda x, v, a: cp.arange(a, 6, 2), [0, 1, 0.0]),
    "arange-stop": (lambda x, v, a: cp.arange(a), [3, 1, 0]),
    "arange-dtype": (lambda x, v, a: cp.arange(a, 6, dtype="f4"), [1, 0.0]),
    "linspace": (lambda x, v, a: cp.linspace(0, 1, a), [3]),
    "linspace-ends": (lambda x, v, a: cp.linspace(a, 1, 3), [0.0, 0]),
    "linspace-endpoint": (lambda x, v, a: cp.linspace(0, 1, 3, endpoint=a), [True, False]),
    "clip": (lambda x, v, a: cp.clip(v, a, 3), [0.0, 1]),
    "where": (lambda x, v, a: cp.where(v > 2, v, a), [0.0, 1, True]),
    "add": (lambda x, v, a: v + a, [0.0, 1, True]),
    "divide": (lambda x, v, a: v / a, [0.0, 1]),
    "histogram": (lambda x, v, a: cp.histogram(v, bins=a), [1, 3]),
    "bincount": (lambda x, v, a: cp.bincount(v.astype(int), minlength=a), [0, 9]),
    "unique": (lambda x, v, a: cp.unique(v, equal_nan=a), [True, False]),
    "diff": (lambda x, v, a: cp.diff(v, n=a), [0, 1, 2]),
    "getitem": (lambda x, v, a: v[a], [0, 1]),
    "getitem-slice": (lambda x, v, a: v[a:], [1]),
    "getitem-tuple": (lambda x, v, a: x[a], [(1, 0), (0, 2)]),
    "getitem-array": (lambda x, v, a: x[a, cp.asarray([0, 2])], [0, 1]),
    "setitem-array": (lambda x, v, a: stored(x, (a, cp.asarray([0, 2])), 7), [0, 1]),
    "setitem-value": (lambda x, v, a: stored(v, cp.asarray([0, 2]), a), [0.0, 1]),
    "ElementwiseKernel": (
        lambda x, v, a: cp.ElementwiseKernel("raw T x", "T y", "y = x[i]", "pick")(v, size=a),
        [1, 3],
    ),
    "ReductionKernel": (lambda x, v, a: TOTAL(x, axis=a), [0, 1, (1,), (0, 1)]),
    "ReductionKernel-keepdims": (lambda x, v, a: TOTAL(x, axis=1, keepdims=a), [True]),
    "vectorize": (lambda x, v, a: increased(v, a), [0.0, 1, True]),
    "vectorize-excluded": (lambda x, v, a: TIMES(v, a), [0.0, 1, True]),
    "fuse": (lambda x, v, a: SCALED(v, a), [0.0, 1, True]),
    "fuse-values": (lambda x, v, a: BRANCHED(v, a), [0.0, 1, True]),
    "fuse-tuples": (lambda x, v, a: SHIFTED(v, a), [(0.0, 1), (1, 2)]),
}


# What a call of the same layouts and types must not come to again.
WARM = {
    "broadcast_to": (lambda x, i: cp.broadcast_to(x, (2, 2, 3)), (_arguments, "check_shape")),
    "take": (lambda x, i: cp.take(x, i), (indexing, "getitem")),
    "take along an axis": (lambda x, i: x.take(i, axis=1), (indexing, "getitem")),
    "take to an output": (lambda x, i: x.take(i, 0, cp.zeros((2, 3))), (indexing, "getitem")),
    "arange": (lambda x, i: cp.arange(2, 9, 3), (_layout, "contiguous")),
    "arange of floats": (lambda x, i: cp.arange(0.5, 2, 0.1), (_layout, "contiguous")),
    "arange of a dtype": (lambda x, i: cp.arange(5, dtype="f2"), (_layout, "contiguous")),
}


@pytest.mark.parametrize("name", WARM)
def test_a_warm_call_is_a_look_up(monkeypatch, name):
    work, (module, function) = WARM[name]
    x, i = cp.asarray([[1.0, 2, 3], [4, 5, 6]]), cp.asarray([1, 0])
    expected = outcome(lambda: work(x, i))

    def refuse(*args, **kwargs):
        raise AssertionError(function)

    monkeypatch.setattr(module, function, refuse)
    result = work(x, i)
    monkeypatch.undo()
    assert outcome(lambda: result) == expected


@cp.vectorize
def increased(x, k):
    return x + k


def times(x, k):
    return x * k


TIMES = cp.vectorize(times, excluded=[1])
TOTAL = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
SCALED = cp.fuse(lambda x, a: x * a)
BRANCHED = cp.fuse(lambda x, a: x * a if np.copysign(1, a) > 0 else x - a)
SHIFTED = cp.fuse(lambda x, a: x / a[0] + a[1])


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, (_, values) in CALLS.items() for value in values],
    ids=str,
)
def test_a_kept_plan_changes_no_outcome(name, value):
    """1, True and 1.0 are equal, but not all of them are an axis, whatever was called before."""
    work = CALLS[name][0]
    x = cp.arange(6, dtype="f4").reshape(2, 3)
    v = cp.asarray([3, 0, 5, 1, 4, 2], "f4")
    others = look_alikes(value)
    cold = []
    for other in others:
        forget()
        cold.append(outcome(lambda other=other: work(x, v, other)))
    forget()
    expected = outcome(lambda: work(x, v, value))
    assert isinstance(expected, list), expected
    assert [outcome(lambda other=other: work(x, v, other)) for other in others] == cold
    assert outcome(lambda: work(x, v, value)) == expected


def test_a_float_is_no_axis():
    x = cp.ones((2, 3))
    for axis in (1, (1,), (0, 1)):
        x.sum(axis=axis), x.var(axis=axis)
    for axis in (1.0, (1.0,), (0, 1.0), (0.0, 1)):
        for function in (cp.sum, cp.var, cp.max):
            with pytest.raises(TypeError, match="'float' object cannot be interpreted"):
                function(x, axis=axis)


@pytest.mark.parametrize("dtype", ["f8", np.dtype("f8"), np.float64, float])
def test_dtypes_by_any_name(dtype):
    x = cp.arange(4, dtype="f4")
    assert x.sum(dtype=dtype).dtype == x.astype(dtype).dtype == np.float64
    assert cp.add(x, x, dtype=dtype).dtype == cp.zeros(3, dtype).dtype == np.float64


# ---- what is kept --------------------------------------------------------------------------------


@pytest.fixture
def few(monkeypatch):
    """A limit of few plans a generation."""
    current.stream.drop_plans()
    monkeypatch.setattr(streams, "PLAN_LIMIT", 8)
    yield 8
    current.stream.drop_plans()


def kept():
    return len(current.stream.plans) + len(current.stream.older_plans)


def test_plans_in_use_survive_those_that_never_come_back(few):
    made = []

    @planned
    def plan(stream, number):
        made.append(number)
        return lambda: number

    stream = current.stream
    for number in range(100):
        assert plan(stream, number)() == number
        if number % (few // 2) == 0:
            assert plan(stream, -1)() == -1
        assert kept() <= 2 * few
    assert made.count(-1) == 1
    assert plan(stream, 0)() == 0
    assert made.count(0) == 2


def test_none_is_planned_anew(few):
    made = []

    @planned
    def plan(stream, number):
        made.append(number)

    for _ in range(3):
        plan(current.stream, 1)
    assert made == [1, 1, 1]
    assert not kept()


def test_arguments_without_a_hash_are_planned_each_time(few):
    key = key_of(len, {"a": 1})
    assert [plan_cache.find(current.stream, key, list, "ab") for _ in range(2)] == [["a", "b"]] * 2
    assert not kept()


@pytest.mark.single_operations
def test_plans_of_one_function_are_dropped(few):
    fused = cp.fuse(lambda x: x * 2 + 1)
    x = cp.arange(3)
    fused(x)
    x + x
    before = kept()
    fused.clear_cache()
    assert kept() == before - 1


VARYING = {
    "add": lambda x, k: x + k,
    "add-int": lambda x, k: x + int(k),
    "divide-numpy": lambda x, k: x / np.float32(k),
    "power": lambda x, k: x**k,
    "clip": lambda x, k: cp.clip(x, k, k + 1),
    "where": lambda x, k: cp.where(x > 1, x, k),
    "full": lambda x, k: cp.full(3, k),
    "fill": lambda x, k: x.fill(k),
    "arange": lambda x, k: cp.arange(k, k + 2.5),
    "linspace": lambda x, k: cp.linspace(k, 2 * k, 5),
    "setitem": lambda x, k: x.__setitem__(slice(1, 3), k),
    "setitem-mask": lambda x, k: x.__setitem__(x > 1, k),
    "sum-initial": lambda x, k: x.sum(initial=k),
    "fuse": lambda x, k: SCALED(x, k),
    "ElementwiseKernel": lambda x, k: SUM(x, k),
    "nan": lambda x, k: x + (float("inf") - float("inf")),
}

SUM = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "sum_of_two")


@pytest.mark.single_operations
@pytest.mark.parametrize("name", VARYING)
def test_varying_numbers_make_no_plans(name):
    work = VARYING[name]
    x = cp.arange(5, dtype="f8")
    for k in (2.5, 3.5):
        work(x, k)
    current.stream.drop_plans()
    work(x, 4.5)
    gc.collect()  # the kernels of other tests are counted, too
    device = current.stream.device
    before, functions = kept(), len(device.functions) + len(device.user_code)
    for k in range(5, 20):
        work(x, k + 0.25)
    assert kept() == before
    assert len(device.functions) + len(device.user_code) == functions


def test_a_function_fused_by_value_has_few_plans():
    current.stream.drop_plans()
    fused = cp.fuse(lambda x, k: x * k if k > 0 else x)
    fused._values_seen.update(range(60))  # kernels for 60 other numbers
    x = cp.arange(3.0)
    for k in range(1000, 1020):
        assert fused(x, k).tolist() == [0.0, k, 2.0 * k]
    assert len(fused._values_seen) == 64
    assert kept() < 60


@pytest.mark.single_operations
def test_shapes_that_never_come_back(few, monkeypatch):
    """Nothing grows with the shapes that were seen: plans, layouts, views, code or kernels."""
    monkeypatch.setattr(_layout, "ALL_VIEWS_LIMIT", 16)
    x = cp.arange(500, dtype="f4")

    def use(n):
        part = x[:n]
        (part + 1).sum()
        part.reshape(1, n).T.copy()

    for n in range(300, 320):
        use(n)
    gc.collect()
    layouts, code = len(_layout._interned), _calls._factory.cache_info().currsize
    functions = len(current.stream.device.functions)
    for n in range(320, 440):
        use(n)
    gc.collect()
    assert kept() <= 2 * few
    assert len(_layout._interned) <= layouts + 8 * few
    assert _calls._factory.cache_info().currsize == code
    assert len(current.stream.device.functions) == functions


def test_a_chain_of_views_is_not_kept(monkeypatch):
    """The layouts of ``x = x[1:]`` hold one another in their tables of views."""
    monkeypatch.setattr(_layout, "ALL_VIEWS_LIMIT", 64)
    gc.collect()
    first = cp.empty(1000, "u1")
    before = len(_layout._interned)
    x = first
    while x.size > 1:
        x = x[1:]
    del x
    gc.collect()
    assert len(_layout._interned) <= before + 64 + 1


def test_threads_share_a_table(few):
    """Each meets evictions of the others', and every result is right."""
    stream, failures = current.stream, []

    def run(first):
        try:
            with stream:
                for n in range(first, first + 40):
                    plan = double(stream, n)
                    assert plan == 2 * n
                    assert kept() <= 4 * few
        except BaseException as error:
            failures.append(error)

    @planned
    def double(stream, n):
        return 2 * n

    threads = [threading.Thread(target=run, args=(k * 7,)) for k in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failures


def test_plans_keep_the_memory_they_share():
    """Counters and look-back state may be dropped from the table before the plans that use them."""
    current.stream.drop_plans()
    n = 70_003
    host = np.arange(n, dtype="f4") % 7
    x, mask = cp.asarray(host), cp.asarray(host > 3)
    works = [lambda: x.sum(), lambda: x.cumsum()[-1], lambda: cp.nonzero(mask)[0].sum()]
    expected = [work().item() for work in works]
    plans = dict(current.stream.plans)
    shared = [key for key, plan in plans.items() if not callable(plan) and is_memory(plan)]
    assert len(shared) == 2
    for key in shared:
        del current.stream.plans[key]
    del plans
    gc.collect()
    sizes = [1 << k for k in range(9, 20)]
    junk = [cp.full(size, 255, "u1") for size in sizes for _ in range(2)]
    assert [work().item() for work in works] == expected
    assert all((one == 255).all() for one in junk)


def is_memory(plan):
    return isinstance(plan, tuple) and hasattr(plan[0], "used_by")
