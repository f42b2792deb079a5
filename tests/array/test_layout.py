"""Layouts against NumPy: contiguity, broadcasting, result order, reshaping, collapsing."""

import enum
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuarray import _arguments, _broadcasting, _layout, _memory_order


@st.composite
def arrays(draw, shape=None):
    """A host array whose layout may be transposed, broadcast, stepped or reversed."""
    if shape is None:
        shape = tuple(draw(st.lists(st.integers(0, 4), max_size=4)))
    ndim = len(shape)
    axes = draw(st.permutations(range(ndim)))
    steps = [draw(st.sampled_from([1, 1, 2, -1])) for _ in axes]
    lengths = [shape[axis] for axis in axes]
    base = np.arange(
        np.prod([n * abs(s) for n, s in zip(lengths, steps, strict=True)], dtype=int), dtype="f4"
    ).reshape([n * abs(s) for n, s in zip(lengths, steps, strict=True)])
    view = base[(..., *(slice(None, None, s) for s in steps))]
    return view.transpose(np.argsort(axes)) if ndim else view


@st.composite
def broadcastable(draw):
    """Two arrays that broadcast against each other."""
    shape = tuple(draw(st.lists(st.integers(1, 4), max_size=4)))

    def one():
        lead = draw(st.integers(0, len(shape)))
        return draw(arrays(tuple(draw(st.sampled_from([n, n, 1])) for n in shape[lead:])))

    return one(), one()


def layout(array):
    return _layout.layout_of(array.dtype, array.shape, array.strides)


def same_strides(ours, theirs, shape):
    return all(a == b for a, b, n in zip(ours, theirs, shape, strict=True) if n > 1)


@given(arrays())
def test_properties_are_numpys(array):
    found = layout(array)
    assert found.c_contiguous == array.flags.c_contiguous
    assert found.f_contiguous == array.flags.f_contiguous
    assert (found.size, found.nbytes, found.ndim) == (array.size, array.nbytes, array.ndim)
    low, high = np.lib.array_utils.byte_bounds(array)
    address = array.ctypes.data
    if array.size:
        assert (address + found.low, address + found.high) == (low, high)
    else:
        assert found.low == found.high == 0


@given(arrays())
def test_equal_layouts_are_one_object(array):
    assert layout(array) is layout(array)


@given(broadcastable())
def test_result_of_two_operands_has_numpys_order(pair):
    a, b = pair
    expected = a + b
    shape = _broadcasting.broadcast_shapes([a.shape, b.shape])
    assert shape == expected.shape
    found = _memory_order.like_order(expected.dtype, shape, [layout(a), layout(b)])
    assert same_strides(found.strides, expected.strides, shape)


@given(arrays(), st.sampled_from("CFAK"))
def test_copy_in_an_order_is_numpys(array, order):
    expected = array.copy(order)
    found = _memory_order.like_order(array.dtype, array.shape, [layout(array)], order)
    if array.size:
        assert same_strides(found.strides, expected.strides, array.shape)


@given(arrays(), st.data(), st.sampled_from("CF"))
def test_reshape_is_a_view_where_numpys_is(array, data, order):
    if not array.size:
        return
    factors = []
    rest = array.size
    while rest > 1:
        divisor = data.draw(
            st.sampled_from([d for d in range(2, rest + 1) if rest % d == 0]), label="length"
        )
        factors.append(divisor)
        rest //= divisor
    shape = tuple(data.draw(st.permutations([*factors, 1]), label="shape"))
    expected = array.reshape(shape, order=order)
    found = _layout.reshape_view(layout(array), shape, order)
    assert (found is not None) == np.shares_memory(expected, array)
    if found is not None:
        assert same_strides(found.strides, expected.strides, shape)


@given(broadcastable())
def test_collapsed_dimensions_visit_the_same_elements(pair):
    a, b = pair
    shape = np.broadcast_shapes(a.shape, b.shape)
    strides = [np.broadcast_to(x, shape).strides for x in pair]
    dims, collapsed = _layout.collapse(shape, strides)

    def offsets(lengths, steps):
        return [
            tuple(sum(i * s for i, s in zip(index, one, strict=True)) for one in steps)
            for index in itertools.product(*map(range, lengths))
        ]

    assert sorted(offsets(dims, collapsed)) == sorted(offsets(shape, strides))
    assert len(dims) <= max(1, len(shape))


def test_collapse_merges_what_is_gapless():
    assert _layout.collapse((2, 3, 4), [(48, 16, 4), (48, 16, 4)]) == ((24,), ((4,), (4,)))
    assert _layout.collapse((4, 3, 2), [(4, 16, 48), (4, 16, 48)]) == ((24,), ((4,), (4,)))
    assert _layout.collapse((5, 4), [(16, 4), (0, 4)]) == ((5, 4), ((16, 4), (0, 4)))
    assert _layout.collapse((1, 1), [(4, 4)]) == ((1,), ((0,),))


@pytest.mark.parametrize(
    ("size", "stride", "wide"),
    [(1000, 4, False), (2**31, 1, True), (2**31 - 2, 1, True), (2**30, 4, False), (3, 2**40, True)],
)
def test_index_width_follows_elements_and_offsets(size, stride, wide):
    dtype = np.dtype("i1" if stride == 1 else "f4")
    assert _layout.needs_int64(size, [_layout.layout_of(dtype, (size,), (stride,))]) == wide


def test_index_width_looks_at_every_operand():
    small = _layout.contiguous(np.dtype("f4"), (10,))
    far = _layout.layout_of(np.dtype("i1"), (10,), (-(2**30),))
    assert _layout.needs_int64(10, [small, far])


@pytest.mark.parametrize("shapes", [[(2, 3), (4,)], [(2,), (3,)], [(1, 5), (4, 6)]])
def test_shapes_that_do_not_broadcast_are_named(shapes):
    with pytest.raises(ValueError, match="could not be broadcast together") as caught:
        _broadcasting.broadcast_shapes(shapes)
    for shape in shapes:
        assert str(shape).replace(" ", "") in str(caught.value)


@pytest.mark.parametrize(
    ("size", "shape"), [(6, (4,)), (6, (-1, 4)), (6, (-1, -1)), (6, (-2, 3)), (0, (-1, 0))]
)
def test_impossible_reshapes_are_refused(size, shape):
    with pytest.raises(ValueError, match="reshape|dimension"):
        _layout.resolve_reshape(size, shape)


@pytest.mark.parametrize("shape", [1.5, (2, "3"), None])
def test_shapes_are_integers(shape):
    with pytest.raises(TypeError, match="shape"):
        _arguments.check_shape(shape)


def test_negative_lengths_are_refused():
    with pytest.raises(ValueError, match="negative"):
        _arguments.check_shape((2, -1))


def test_axes():
    assert _arguments.check_axes((-1, 0), 3) == (2, 0)
    assert _arguments.check_axes(None, 2) == (0, 1)
    with pytest.raises(np.exceptions.AxisError, match="axis 3 is out of bounds"):
        _arguments.check_axes(3, 3)
    with pytest.raises(ValueError, match="duplicate"):
        _arguments.check_axes((0, -3), 3)


@given(arrays(), st.integers(-64, 64))
def test_overlap_is_that_of_byte_ranges(array, shift):
    address = array.ctypes.data
    first = layout(array)
    if not array.size:
        assert not _layout.overlap(first, address, first, address)
        return
    bytes_a = set(range(address + first.low, address + first.high))
    bytes_b = {x + shift for x in bytes_a}
    assert _layout.overlap(first, address, first, address + shift) == bool(bytes_a & bytes_b)


class Length(enum.IntEnum):
    TWO = 2


@pytest.mark.parametrize("bad", [2.0, np.float32(2), "2", None, 2 + 0j], ids=repr)
@pytest.mark.parametrize("place", ["shape", "strides"])
def test_a_layout_has_integers(bad, place):
    good = {"shape": (2, 31), "strides": (124, 4)}
    dtype = np.dtype("f4")
    with pytest.raises(TypeError):
        _layout.layout_of(dtype, **(good | {place: (bad, good[place][1])}))
    assert _layout.layout_of(dtype, **good).shape == (2, 31)


@pytest.mark.parametrize("two", [np.int64(2), np.uint8(2), Length.TWO], ids=repr)
def test_a_layout_made_of_other_integers_has_plain_ones(two):
    # A length that no other test uses, so that the layout is made here.
    found = _layout.layout_of(np.dtype("f4"), (two, 37), (np.int16(37 * 4), 4))
    assert [type(n) for n in (*found.shape, *found.strides)] == [int] * 4
    assert _layout.layout_of(np.dtype("f4"), (2, 37), (148, 4)) is found
    one = _layout.layout_of(np.dtype("f4"), (True, 41), (164, 4))
    assert type(one.shape[0]) is int


def test_a_layout_has_no_negative_length():
    for shape in ((-1,), (2, -3), (-2, -3)):
        with pytest.raises(ValueError, match="negative dimensions"):
            _layout.contiguous(np.dtype("f4"), shape)
