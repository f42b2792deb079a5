"""Sorts of long rows of eight-byte keys: passes by their top digits, then runs that agree in these.

How many digits have passes is decided from a sample, by limits that these tests move, so that rows
short enough for the emulator go either way.
"""

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import gpuarray as cp
from gpuarray import _calls, _dtypes
from gpuarray._runtime.current_stream import current
from gpuarray.kernels import sort as sort_kernels
from gpuarray.kernels.sort import spec as sorting
from tests.array.test_sorting import check_descending
from tests.slow import slow_except

#: Keys of a sample that may agree in its top digits: not all of them, since of a row of which all
#: do no digit would have a pass, and runs are sorted behind at least one.
LONGEST_STREAK = 8 * sorting.SAMPLE_BLOCK - 1


@pytest.fixture(autouse=True)
def short_rows(monkeypatch):
    monkeypatch.setattr(sort_kernels.launch, "RUNS_LENGTH", 1)
    monkeypatch.setattr(sort_kernels.launch, "MERGED_ELEMENTS", 0)
    current.stream.drop_plans()
    yield
    current.stream.drop_plans()


@pytest.fixture
def lenient(monkeypatch):
    """Runs are sorted however many keys of the sample agree."""
    monkeypatch.setattr(sorting, "STREAK", LONGEST_STREAK)
    monkeypatch.setattr(sorting, "_MOST_CLOSE", 1 << 13)
    monkeypatch.setattr(sorting, "_MEAN_RUN", 1 << 30)


def low_digits(x):
    """How many low digits have no pass, in each row, and what else the plan says."""
    rows, length = np.atleast_2d(x).shape
    spec = sorting.SortSpec("decide", _dtypes.code(x.dtype), block=sorting.SAMPLE_BLOCK)
    words = sorting.PLAN_WORDS * (rows + 1)
    workspace = cp.full(words + 64, 7, dtype=np.uint32)
    constants = sort_kernels.launch.decide_constants(length, rows, 16)
    bound = sort_kernels.launch.bind(spec, rows + 2, constants, current.stream)
    passed = {"input": "x0", "workspace": "x1"}
    _calls.make_call(current.stream, "aa", [], [(bound, passed)])(cp.asarray(x), workspace)
    found = workspace.get()
    plans = found[sorting.PLAN_WORDS : words].reshape(rows, -1)
    low = plans[:, 30].tolist()
    found[sorting.PLAN_WORDS + 30 : words : sorting.PLAN_WORDS] = 0
    assert not found.any()
    return low


def check(x):
    """Bit for bit as a stable sort, into a new array and in place, and the order."""
    order = np.argsort(x, -1, kind="stable")
    expected = np.take_along_axis(x, order, -1)
    device = cp.asarray(x)
    assert cp.sort(device).get().tobytes() == expected.tobytes()
    np.testing.assert_array_equal(cp.argsort(device).get(), order)
    assert device.get().tobytes() == x.tobytes()
    device.sort()
    assert device.get().tobytes() == expected.tobytes()


def keys(rng, n):
    return rng.integers(-(2**63), 2**63 - 1, n)


def with_runs(rng, n, lengths, bits):
    """Random keys of which so many agree in all but the lowest bits."""
    x = keys(rng, n)
    at = 0
    for length in lengths:
        x[at : at + length] = (x[at] & -(1 << bits)) | rng.integers(0, 1 << bits, length)
        at += length
    return rng.permutation(x)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("low", "make"),
    [
        (5, lambda rng, n: keys(rng, n)),
        (5, lambda rng, n: keys(rng, n).view("u8")),
        (5, lambda rng, n: np.sort(keys(rng, n))[::-1].copy()),
        (4, lambda rng, n: rng.random(n)),
        (4, lambda rng, n: rng.standard_normal(n)),
        (5, lambda rng, n: np.linspace(1, 1.9, 1000)[rng.integers(0, 1000, n)]),
        (3, lambda rng, n: 17 * 10**17 + rng.integers(0, 86400 * 10**9, n)),
        (2, lambda rng, n: 17 * 10**17 + rng.integers(0, 10**12, n)),
        (0, lambda rng, n: rng.integers(0, 10**6, n)),
        (0, lambda rng, n: np.arange(n)),
        (0, lambda rng, n: np.full(n, 2.5)),
        (0, lambda rng, n: rng.random(100)[rng.integers(0, 100, n)]),
        (0, lambda rng, n: with_runs(rng, n, [n // 4], 20)),
    ],
)
def test_a_sample_decides(low, make, rng):
    x = make(rng, 12000)
    assert low_digits(x) == [low]
    check(x)


@pytest.mark.parametrize("lengths", [range(29, 68), (300, 31, 33), (2047, 2048, 2049), (7001,)])
@pytest.mark.parametrize("bits", slow_except([40], [16, 40]))
def test_runs_of_every_length(lengths, bits, rng, lenient):
    x = with_runs(rng, 13000, lengths, bits)
    assert low_digits(x) == [5]
    check(x)


@pytest.mark.slow
def test_runs_with_equal_keys(rng, lenient):
    x = with_runs(rng, 9000, (33, 60, 300, 2500), 40)
    x[rng.random(x.size) < 0.7] &= -(1 << 35)
    check(x)
    # In order already, except for the last key.
    y = np.sort(x)
    y[-1] = y[3000]
    check(y)


def test_zeros_and_nan_keep_their_order(rng, lenient):
    x = rng.random(9000)
    x[:4000] = rng.integers(-20, 20, 4000) * 5e-324
    x[4000:4500] = np.where(rng.random(500) < 0.5, 0.0, -0.0)
    x[4500:5000] = rng.choice([np.nan, -np.nan, np.inf, -np.inf], 500)
    x = rng.permutation(x)
    assert low_digits(x) == [5]
    check(x)


@pytest.mark.slow
def test_descending(rng, lenient):
    x = rng.random(9000)
    x[:4000] = rng.integers(-20, 20, 4000) * 5e-324
    x[4000:4500] = np.where(rng.random(500) < 0.5, 0.0, -0.0)
    x[4500:5000] = rng.choice([np.nan, -np.nan, np.inf, -np.inf], 500)
    check_descending(rng.permutation(x))


@pytest.mark.parametrize("bits", [8, 16])
def test_an_even_number_of_low_digits(bits, rng, monkeypatch):
    # A long run whose keys differ in the digits that have no pass, whatever their number.
    monkeypatch.setattr(sorting, "STREAK", LONGEST_STREAK)
    x = 17 * 10**17 + (rng.integers(0, 2**20, 20000) << 22) + rng.integers(0, 2**16, 20000)
    x[:2600] = x[0] - x[0] % 2**bits + rng.integers(0, 2**bits, 2600)
    monkeypatch.setattr(sorting, "_MOST_CLOSE", 1000)
    monkeypatch.setattr(sorting, "_MEAN_RUN", 1 << 30)
    check(rng.permutation(x))


def test_rows_of_different_kinds(rng):
    n = 9000
    rows = np.stack([rng.random(n), np.full(n, 1.0), rng.integers(0, 9, n) * 1.0, rng.random(n)])
    assert low_digits(rows) == [4, 0, 0, 4]
    check(rows)


@pytest.mark.slow
def test_counts_of_64_bits(rng, monkeypatch, lenient):
    monkeypatch.setattr(sort_kernels.launch, "WIDE_LENGTH", 1)
    check(with_runs(rng, 9000, (40, 2500), 40))


def test_short_rows_take_no_sample(rng, monkeypatch):
    monkeypatch.setattr(sort_kernels.launch, "RUNS_LENGTH", 5001)
    steps = []
    bind = sort_kernels.launch.bind
    monkeypatch.setattr(
        sort_kernels.launch,
        "bind",
        lambda spec, *rest: steps.append(spec.step) or bind(spec, *rest),
    )
    check(keys(rng, 5000))
    assert "clear" in steps
    assert not {"decide", "short", "long"} & set(steps)
    steps.clear()
    check(keys(rng, 5001))
    assert {"decide", "short", "long"} < set(steps)
    assert "clear" not in steps


@pytest.mark.slow
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@example(bits=[0, 8, 16], length=2049, dtype="i8", seed=0, loose=True)
@given(
    bits=st.lists(st.integers(0, 63), min_size=1, max_size=24, unique=True),
    length=st.integers(2049, 9000),
    dtype=st.sampled_from(["i8", "u8", "f8"]),
    seed=st.integers(0, 1000),
    loose=st.booleans(),
)
def test_keys_that_differ_in_some_bits(bits, length, dtype, seed, loose):
    rng = np.random.default_rng(seed)
    x = np.zeros(length, "u8")
    for bit in bits:
        x |= rng.integers(0, 2, length).astype("u8") << np.uint64(bit)
    with pytest.MonkeyPatch.context() as patch:
        if loose:
            patch.setattr(sorting, "STREAK", LONGEST_STREAK)
            patch.setattr(sorting, "_MOST_CLOSE", 1 << 13)
        current.stream.drop_plans()
        check(x.view(dtype))


@pytest.mark.slow
@pytest.mark.emulator
def test_nothing_for_the_checkers_to_find(rng, lenient):
    for x in (with_runs(rng, 9000, (33, 300, 2500), 40), rng.random(9000)):
        device = cp.asarray(x)
        with cp.cuda.check("races", "uninit", "barriers"):
            check_device(device, x)


def check_device(device, x):
    order = np.argsort(x, kind="stable")
    assert cp.sort(device).get().tobytes() == x[order].tobytes()
    np.testing.assert_array_equal(cp.argsort(device).get(), order)
