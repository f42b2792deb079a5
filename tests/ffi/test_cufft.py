"""cuFFT through its table: what the library does, and what it refuses, on either backend."""

from __future__ import annotations

import re

import numpy as np
import pytest

from gpuarray._ffi import driver
from gpuarray._ffi.cufft import FORWARD, INVERSE, library
from gpuarray._ffi.library_kinds import CUDA_DATA_TYPE
from gpuarray.errors import DriverError, LibraryError

_TYPES = {
    "f4": CUDA_DATA_TYPE.members["CUDA_R_32F"],
    "f8": CUDA_DATA_TYPE.members["CUDA_R_64F"],
    "c8": CUDA_DATA_TYPE.members["CUDA_C_32F"],
    "c16": CUDA_DATA_TYPE.members["CUDA_C_64F"],
}


@pytest.fixture
def plan(context):
    made = library.cufftCreate()
    library.cufftSetAutoAllocation(made, 0)
    yield made
    library.cufftDestroy(made)


def make(plan, n, types=("c16", "c16"), batch=1, i=None, o=None, execution=None):
    """Make a plan; `i` and `o` are embed, stride and distance."""
    source, target = types
    half = (*n[:-1], n[-1] // 2 + 1)
    sides = []
    for side, dtype in ((i, source), (o, target)):
        used = half if source != target and dtype[0] == "c" else n
        embed, stride, distance = side or (used, 1, int(np.prod(used)))
        sides.append((np.array(embed, np.int64), stride, distance))
    lengths = np.array(n, np.int64)
    execution = execution or (source if source[0] == "c" else target)
    return library.cufftXtMakePlanMany(
        plan, len(n), lengths.ctypes.data,
        sides[0][0].ctypes.data, *sides[0][1:], _TYPES[source],
        sides[1][0].ctypes.data, *sides[1][1:], _TYPES[target],
        batch, _TYPES[execution],
    )  # fmt: skip


def execute(plan, x, y, nbytes, allocate, direction=FORWARD):
    """The output, that is `y` at first, and the input afterwards."""
    source, target = allocate(x), allocate(y)
    if nbytes:
        library.cufftSetWorkArea(plan, allocate(np.zeros(nbytes, "u1")))
    library.cufftXtExec(plan, source, target, direction)
    driver.context_synchronize()
    results = np.empty_like(y), np.empty_like(x)
    for result, pointer in zip(results, (target, source), strict=True):
        driver.memcpy_dtoh(result.ctypes.data, pointer, result.nbytes)
    return results


def _raises(status_name, match):
    def check(error):
        return error.status_name == status_name and re.search(match, error.detail)

    return pytest.raises(LibraryError, check=check)


@pytest.mark.parametrize("n", [(16,), (5999,), (4, 6), (3, 4, 5)])
@pytest.mark.parametrize("direction", [FORWARD, INVERSE])
def test_complex_numbers(plan, allocate, n, direction):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, *n)) + 1j * rng.standard_normal((2, *n))
    nbytes = make(plan, n, batch=2)
    y, _ = execute(plan, x, np.zeros_like(x), nbytes, allocate, direction)
    axes = tuple(range(1, x.ndim))
    expected = np.fft.fftn(x, axes=axes)
    if direction == INVERSE:
        expected = np.fft.ifftn(x, axes=axes, norm="forward")
    np.testing.assert_allclose(y, expected, atol=1e-9)
    again, _ = execute(plan, x, np.zeros_like(x), nbytes, allocate, direction)
    np.testing.assert_array_equal(again, y)


@pytest.mark.parametrize("n", [(8,), (9,), (4, 6), (2, 3, 5)])
def test_real_numbers_and_back(plan, allocate, n):
    x = np.random.default_rng(0).standard_normal((3, *n))
    axes = tuple(range(1, x.ndim))
    expected = np.fft.rfftn(x, axes=axes)
    nbytes = make(plan, n, ("f8", "c16"), 3)
    y, left = execute(plan, x, np.zeros_like(expected), nbytes, allocate)
    np.testing.assert_allclose(y, expected, atol=1e-9)
    np.testing.assert_array_equal(left, x)
    back = library.cufftCreate()
    library.cufftSetAutoAllocation(back, 0)
    nbytes = make(back, n, ("c16", "f8"), 3)
    found, _ = execute(back, expected, np.zeros_like(x), nbytes, allocate, INVERSE)
    np.testing.assert_allclose(found / np.prod(n), x, atol=1e-9)
    library.cufftDestroy(back)


def test_distances(plan, allocate):
    """Axes 0 and 1 of three, every other one of a longer row, into another order."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((4, 8, 3)) + 0j
    y = np.zeros((3, 4, 6), complex)
    # A row of the input has 8 elements of which 5 count, that of the output 6.
    nbytes = make(plan, (4, 5), batch=3, i=((4, 8), 3, 1), o=((4, 6), 1, 24))
    found, _ = execute(plan, x, y, nbytes, allocate)
    expected = np.fft.fftn(x[:, :5], axes=(0, 1)).transpose(2, 0, 1)
    np.testing.assert_allclose(found[..., :5], expected, atol=1e-9)
    np.testing.assert_array_equal(found[..., 5:], 0)


@pytest.mark.parametrize(
    "n, options, match",
    [
        ((0,), {}, "lengths must be positive"),
        ((2, 2, 2, 2), {}, "rank is 4"),
        ((4,), {"batch": 0}, "batch is 0"),
        ((4,), {"types": ("c16", "c8")}, "outputtype complex64"),
        ((4,), {"types": ("f8", "c16"), "execution": "f8"}, "executiontype float64"),
        ((4, 4), {"i": ((4, 3), 1, 16)}, "inembed is"),
        ((4,), {"i": ((4,), 0, 4)}, "istride is 0"),
    ],
)
@pytest.mark.emulator  # what a GPU's library refuses of these differs from version to version
def test_geometries_that_are_refused(plan, n, options, match):
    with _raises("CUFFT_INVALID_VALUE", match):
        make(plan, n, **options)


@pytest.mark.emulator
def test_outputs_that_overlap_are_refused(plan):
    with _raises("CUFFT_INVALID_VALUE", "would overlap"):
        make(plan, (4,), batch=2, o=((4,), 1, 3))


@pytest.mark.emulator
def test_calls_that_are_refused(plan, allocate):
    x = np.ones(24, complex)
    with _raises("CUFFT_INVALID_PLAN", "not made"):
        library.cufftXtExec(plan, 256, 512, FORWARD)
    assert make(plan, (12,)) > 0
    with _raises("CUFFT_INVALID_PLAN", "made already"):
        make(plan, (12,))
    source = allocate(x)
    with pytest.raises((LibraryError, DriverError), match="no work area was set"):
        library.cufftXtExec(plan, source, source, FORWARD)
    library.cufftSetWorkArea(plan, allocate(np.zeros(192, "u1")))
    for address, direction, match in [
        (source + 8, FORWARD, "not aligned to 16 bytes"),
        (source, 3, "direction is 3"),
    ]:
        with pytest.raises((LibraryError, DriverError), match=match):
            library.cufftXtExec(plan, address, source, direction)
    with pytest.raises((LibraryError, DriverError), match="overlap"):
        library.cufftXtExec(plan, source, source + 16, FORWARD)


@pytest.mark.emulator
def test_a_transform_to_reals_destroys_its_input(plan, allocate):
    x = np.ones(5, complex)
    nbytes = make(plan, (8,), ("c16", "f8"))
    _, left = execute(plan, x, np.zeros(8), nbytes, allocate, INVERSE)
    assert np.isnan(left).all()


@pytest.mark.emulator
def test_memory_that_is_not_there(plan, allocate):
    make(plan, (16,))
    with pytest.raises(DriverError, match="output"):
        library.cufftXtExec(plan, allocate(np.ones(16, complex)), 0x1000, FORWARD)


def test_sizes_beyond_32_bits(plan):
    """The geometry alone: a byte more than 2^32 points, and batches at such distances."""
    n, distance = 6, (1 << 33) + 2
    nbytes = make(plan, (n,), batch=3, i=((n,), 1 << 32, distance), o=((n,), 1, n))
    assert nbytes >= 0
