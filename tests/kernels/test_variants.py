"""Which variant serves which strides, how it is launched, and how positions are divided."""

import random

import numpy as np
import pytest

from gpuarray import _layout
from gpuarray.kernels.elementwise.variants import MAX_GRID, choose, fraction


def chosen(out, *inputs, light=False):
    """The choice for views of NumPy arrays; their memory is never touched."""
    arrays = [out, *(np.broadcast_to(view, out.shape) for view in inputs)]
    shape, strides = _layout.collapse(out.shape, [view.strides for view in arrays])
    sizes = [view.itemsize for view in arrays]
    elements = [[s // n for s in one] for one, n in zip(strides, sizes, strict=True)]
    return choose(shape, elements, sizes, 1, light)


def array(*shape, dtype="f4"):
    """An array of any size: all its elements share memory until strides are given."""
    dtype = np.dtype(dtype)
    strides = _layout.contiguous_strides(shape, dtype.itemsize)
    return np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides)


@pytest.mark.parametrize(
    ("out", "inputs", "variant", "kinds"),
    [
        (array(100, 50), [array(100, 50), array(1)], "contiguous", "array array broadcast"),
        (array(50, 100).T, [array(50, 100).T], "contiguous", "array array"),
        (array(1), [array(1)], "contiguous", "array array"),
        (array(100), [array(101)[1:]], "contiguous", "array array"),
        (array(100, 50), [array(100, 60)[:, 5:55]], "rows", "array array"),
        (array(100, 60)[:, 5:55], [array(100, 50)], "rows", "array array"),
        (array(100, 50), [array(50), array(100, 1)], "rows", "array array repeated"),
        (array(9, 8, 70), [array(9, 9, 80)[:, 1:, :70], array(1)], "rows", "array array broadcast"),
        (array(70, 8, 64), [array(8, 70, 64).transpose(1, 0, 2)], "rows", "array array"),
        (array(1000, 10), [array(1000, 12)[:, :10]], "strided", "array array"),
        (array(100), [array(200)[::2]], "strided", "array array"),
        (array(100), [array(100)[::-1]], "strided", "array array"),
        (array(90, 80)[:, ::2], [array(90, 40)], "strided", "array array"),
        (array(70, 50), [array(50, 70).T, array(70, 50)], "tiled", "array transposed array"),
        (array(70, 50), [array(50, 70).T, array(50)], "tiled", "array transposed array"),
        (array(1000, 3), [array(3, 1000).T, array(1)], "tiled", "array transposed broadcast"),
        (array(3, 1000), [array(1000, 3).T], "tiled", "array transposed"),
        (
            array(3, 70, 50),
            [array(3, 50, 71)[:, :, 1:].swapaxes(1, 2)],
            "tiled",
            "array transposed",
        ),
        (array(70, 50), [array(50, 70).T[::-1]], "tiled", "array transposed"),
        # too small to fill a tile
        (array(1000, 4, 4), [array(1000, 4, 4).swapaxes(1, 2)], "strided", "array array"),
        (array(5, 6), [array(6, 5).T], "strided", "array array"),
        # a sector holds one element: nothing is gained by reading along the other dimension
        (array(70, 50), [array(50, 700)[:, ::10].T], "strided", "array array"),
    ],
)
def test_the_variant_follows_from_the_strides(out, inputs, variant, kinds):
    choice = chosen(out, *inputs)
    assert (choice.variant, " ".join(choice.kinds)) == (variant, kinds)


@pytest.mark.parametrize(
    ("view", "dtype", "expected"),
    [
        (lambda a: a.reshape(-1)[::-1], "u1", (16, 1, (-1, 0))),
        (lambda a: a.reshape(-1)[::-1], "f2", (8, 1, (-1, 0))),
        (lambda a: a.reshape(-1)[::4], "u1", (16, 1, (4, 0))),
        (lambda a: a[..., 0], "u1", (16, 1, (3, 0))),
        (lambda a: a[..., ::-1], "u1", (48, 3, (3, -1))),
        (lambda a: a[..., ::-1], "f2", (24, 3, (3, -1))),
        (lambda a: a[:, ::-1], "u1", (48, 3, (-3, 1))),
        (lambda a: a[5:-5, 5:-5, ::-1], "u1", (48, 3, (3, -1))),
        (lambda a: a.reshape(-1, 8)[:, :7], "u1", (56, 7, (8, 1))),
        (lambda a: a.reshape(-1, 8)[:, :6], "u1", (48, 6, (8, 1))),
        (lambda a: a.reshape(-1, 8)[:, :7], "f2", (28, 7, (8, 1))),
        # fast enough without: as many bytes an element as f4 to f4
        (lambda a: a.reshape(-1)[::-1], "f4", None),
        (lambda a: a.reshape(-1)[::3], "f2", None),
        (lambda a: a.reshape(-1)[::5], "u1", None),
        (lambda a: a.reshape(-1, 8)[:, ::-7], "u1", (16, 2, (8, -7))),
        # the words that a thread would read are not near one another
        (lambda a: a.transpose(1, 0, 2), "u1", None),
        # rows of a few chunks
        (lambda a: a.reshape(-1, 100, 3)[:, ::-1], "u1", None),
    ],
)
def test_narrow_elements_are_picked_from_windows(view, dtype, expected):
    source = view(array(400, 600, 3, dtype=dtype))
    out = array(*source.shape, dtype=dtype)
    choice = chosen(out, source, light=True)
    found = (choice.chunk, choice.period, choice.steps[1]) if choice.variant == "picked" else None
    assert found == expected
    assert chosen(out, source).variant != "picked"


def test_wide_elements_are_not_picked():
    out = array(1000, 6, dtype="?")
    row = array(6, dtype="c16")
    assert chosen(out, row, row, light=True).variant == "strided"
    assert chosen(out, out[:, ::-1], light=True).variant == "picked"
    assert chosen(out, array(1000, 6, dtype="f4")[:, ::-1], light=True).variant == "strided"


def test_one_wide_step_among_inputs_leaves_windows():
    image = array(400, 600, 3, dtype="u1")
    kinds = [image[..., ::-1], array(3, dtype="u1"), array(400, 600, 1, dtype="u1")]
    assert chosen(image, *kinds, light=True).steps == ((3, 1), (3, -1), (0, 1), (1, 0))
    planes = array(3, 400, 600, dtype="u1").transpose(1, 2, 0)
    assert chosen(image, *kinds, planes, light=True).variant != "picked"
    assert chosen(image[..., ::-1], image, light=True).variant != "picked"


def test_rows_are_several_vectors_long():
    def vector(length, dtype="u1"):
        choice = chosen(array(9, length, dtype=dtype), array(9, length + 1, dtype=dtype)[:, 1:])
        return choice.vector if choice.variant == "rows" else None

    assert [vector(n) for n in (15, 16, 64, 127, 128, 1000)] == [None, 2, 8, 8, 16, 16]
    assert [vector(n, "f4") for n in (15, 16, 32, 1000)] == [None, 2, 4, 4]
    assert [vector(n, "f8") for n in (15, 16, 1000)] == [None, 2, 2]
    assert [vector(n, "c16") for n in (7, 8)] == [None, 1]


def test_tiles_fit_the_operands():
    def tile(rows, columns, dtype):
        out, x = array(rows, columns, dtype=dtype), array(columns, rows, dtype=dtype).T
        choice = chosen(out, x)
        return choice.tile, choice.vector

    for dtype in ("u1", "f2", "f4", "f8", "c16"):
        (width, height), _ = tile(1000, 1000, dtype)
        assert 8192 <= width * height * np.dtype(dtype).itemsize <= 16384
    assert tile(1000, 1000, "f4") == ((64, 64), 4)
    assert tile(1024, 1024, "u1") == ((128, 128), 16)
    assert tile(1000, 1000, "u1") == tile(999, 999, "u1") == ((256, 64), 16)
    assert tile(999, 200, "u1") == ((128, 128), 8)
    assert tile(1000, 1000, "f2") == ((128, 64), 8)
    assert tile(1000, 1000, "f8") == ((64, 32), 2)
    assert tile(1000, 1000, "c16") == ((32, 32), 1)
    # narrow matrices
    assert tile(100_000, 3, "f4")[0] == (3, 1024)
    assert tile(3, 100_000, "f4")[0] == (1024, 4)
    assert tile(100_000, 32, "f4")[0] == (32, 128)


@pytest.mark.parametrize(
    ("rows", "columns", "dtype", "expected"),
    [
        (1000, 1000, "f4", ("ALIGNED_ROWS", 4, False)),
        (1000, 1002, "f4", ("SKEWED_ROWS", 4, False)),
        (999, 999, "f4", ("SKEWED_ROWS", 2, True)),
        (1002, 1000, "f4", ("ALIGNED_ROWS", 2, False)),
        (999, 999, "u1", ("SKEWED_ROWS", 8, True)),
        (999, 999, "f8", ("SKEWED_ROWS", 1, False)),
        (999, 999, "c16", ("ALIGNED_ROWS", 1, False)),
        (1000, 3, "f4", ("FLAT", 4, False)),
        (1000, 5, "u1", ("FLAT", 8, False)),
        (3, 1000, "f4", ("ALIGNED_ROWS", 1, False)),
        (6, 1000, "f4", ("ALIGNED_ROWS", 2, False)),
    ],
)
def test_tiles_of_odd_sizes(rows, columns, dtype, expected):
    choice = chosen(array(rows, columns, dtype=dtype), array(columns, rows, dtype=dtype).T)
    assert (choice.grouping, choice.edge, choice.shifted) == expected


def test_outputs_with_steps_are_stored_by_single_elements():
    choice = chosen(array(100, 200)[:, ::2], array(100, 100).T)
    assert (choice.variant, choice.vector) == ("tiled", 1)


def test_dimensions_are_reordered_for_tiles():
    choice = chosen(array(50, 40, 60), array(60, 40, 50).transpose(2, 1, 0))
    assert (choice.variant, choice.order) == ("tiled", (1, 0, 2))


def test_shared_memory_holds_all_transposed_operands():
    for count in range(1, 8):
        inputs = [array(1000, 1000, dtype="f8").T for _ in range(count)]
        choice = chosen(array(1000, 1000, dtype="f8"), *inputs)
        assert choice.kinds.count("transposed") == count
        width, height = choice.tile
        assert count * (width + 1) * height * 8 <= 48 << 10


def test_more_tiles_than_a_grid_has_blocks():
    # A tile for each of 2**31 matrices: the kernel counts tiles in a grid's blocks.
    matrices = array(MAX_GRID + 1, 32, 32, dtype="u1")
    assert chosen(matrices, matrices.swapaxes(1, 2)).variant == "strided"
    assert chosen(matrices[1:], matrices[1:].swapaxes(1, 2)).variant == "tiled"


def test_64_bits_where_an_operand_needs_them():
    """Decided by every operand's extent, without memory."""
    f4 = np.dtype("f4")
    layout = _layout.contiguous(f4, (1 << 16, 1 << 15))
    small = _layout.contiguous(f4, (1000, 1000))
    sparse = _layout.layout_of(f4, (1000, 1000), (4 << 22, 4))
    assert _layout.needs_int64(layout.size, [layout])
    assert not _layout.needs_int64(small.size, [small, small])
    assert _layout.needs_int64(small.size, [small, sparse])


@pytest.mark.parametrize("bits", [32, 64])
def test_division_by_fractions_is_exact(bits):
    random.seed(bits)
    limit = 1 << (bits - 1)
    divisors = [1, 2, 3, 5, 7, 10, 641, limit - 1, limit // 2, limit // 2 + 1]
    divisors += [random.randrange(1, 1 << random.randrange(1, bits)) for _ in range(500)]
    for divisor in divisors:
        multiplier, shift = fraction(divisor, bits)
        assert -limit <= multiplier < limit
        multiplier %= 1 << bits
        quotient = random.randrange(limit // divisor + 1)
        positions = [0, 1, divisor - 1, divisor, limit - 1, quotient * divisor]
        positions += [quotient * divisor - 1, random.randrange(limit)]
        for n in positions:
            if 0 <= n < limit:
                found = (n * multiplier >> bits) >> shift if multiplier else n
                assert found == n // divisor, (n, divisor)
