import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuarray._dtypes import CODES, dtype_of
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Input, Scalar, walk
from gpuarray.kernels.generator.operations import ALIASES, OPERATIONS, operation
from gpuarray.kernels.generator.render import Body, literal

X, Y = Input(0, "f4"), Input(1, "f4")
ADD = operation("add")


def lines(expression):
    body = Body()
    body.value(expression)
    return body.lines


def test_equal_expressions_are_equal_keys():
    assert Apply(ADD, (X, Y), "f4") == Apply(ADD, (Input(0, "f4"), Input(1, "f4")), "f4")
    different = {
        Apply(ADD, (X, Y), "f4"),
        Apply(ADD, (Y, X), "f4"),
        Apply(operation("subtract"), (X, Y), "f4"),
        Apply(ADD, (Input(0, "f8"), Input(1, "f8")), "f8"),
        Apply(operation("divmod"), (X, Y), "f4"),
        Apply(operation("divmod"), (X, Y), "f4", 1),
        Scalar(0, "f4"),
        Input(0, "f4"),
        Cast("f8", X),
    }
    assert len(different) == 9


def test_constants_are_equal_by_their_bits():
    assert Constant(0.0, "f8") != Constant(-0.0, "f8")
    assert Constant(math.nan, "f8") == Constant(math.nan, "f8")
    assert hash(Constant(math.nan, "f4")) == hash(Constant(math.nan, "f4"))
    assert Constant(1, "i4") != Constant(1, "f4")
    assert Constant(0.1, "f4") == Constant(np.float32(0.1), "f4")


@pytest.mark.parametrize(
    ("value", "dtype", "text"),
    [
        (True, "b1", "true"),
        (-5, "i4", "int32_t(-4 - 1)"),
        (-(2**63), "i8", "int64_t(-9223372036854775807ll - 1)"),
        (2**64 - 1, "u8", "uint64_t(18446744073709551615ull)"),
        (255, "u1", "uint8_t(255u)"),
        (0.1, "f4", "0.10000000149011612f"),
        (0.1, "f8", "0.1"),
        (-0.0, "f8", "-0.0"),
        (1e300, "f8", "1e+300"),
        (math.inf, "f4", "gpuarray::float_from_bits(0x7f800000u)"),
        (-math.inf, "f8", "-gpuarray::float_from_bits(uint64_t(0x7ff0000000000000ull))"),
        (1.5, "f2", "float16(1.5f)"),
        (1 + 2j, "c8", "complex<float>(1.0f, 2.0f)"),
    ],
)
def test_literals(value, dtype, text):
    assert literal(Constant(value, dtype)) == text


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_float32_literals_keep_every_bit(value):
    text = literal(Constant(value, "f4"))
    # A float literal is rounded once from its decimal digits.
    assert np.float32(text.removesuffix("f")).tobytes() == np.float32(value).tobytes()


def test_shared_parts_are_computed_once():
    total = Apply(ADD, (X, Y), "f4")
    square = Apply(operation("multiply"), (total, total), "f4")
    assert lines(square) == [
        "const float t0 = float(in0 + in1);",
        "const float t1 = float(t0 * t0);",
    ]
    assert [type(node).__name__ for node in walk(total)] == ["Input", "Input", "Apply"]


def test_float16_is_rounded_after_each_operation():
    half = Input(0, "f2"), Input(1, "f2")
    total = Apply(ADD, half, "f2")
    assert lines(Apply(ADD, (total, half[0]), "f2")) == [
        "const float16 t0 = float16(float(in0) + float(in1));",
        "const float16 t1 = float16(float(t0) + float(in0));",
    ]


def test_narrow_integers_wrap_in_unsigned_arithmetic():
    operands = Input(0, "u2"), Input(1, "u2")
    assert lines(Apply(operation("multiply"), operands, "u2")) == [
        "const uint16_t t0 = uint16_t(uint32_t(in0) * uint32_t(in1));"
    ]


def test_int64_with_uint64_is_compared_exactly():
    node = Apply(operation("less"), (Input(0, "i8"), Input(1, "u8")), "b1")
    assert lines(node) == ["const bool t0 = bool(integer::compare(in0, in1) < 0);"]


def test_unsupported_categories_are_named():
    with pytest.raises(TypeError, match="subtract has no device code for bool operands"):
        Apply(operation("subtract"), (Input(0, "b1"), Input(1, "b1")), "b1")
    with pytest.raises(TypeError, match="add takes 2 operands, got 1"):
        Apply(ADD, (X,), "f4")
    with pytest.raises(TypeError, match="no output number 2"):
        Apply(operation("divmod"), (X, Y), "f4", 2)
    with pytest.raises(KeyError, match="frobnicate"):
        operation("frobnicate")


@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_aliases_are_the_same_ufunc_in_numpy(alias):
    assert getattr(np, alias) is getattr(np, ALIASES[alias])
    assert operation(alias) is OPERATIONS[ALIASES[alias]]


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_rows_cover_numpys_loops(name):
    if name in ("where", "copy", "power_of_number", "isnat"):
        return
    from tests.kernels.execution import numpy_loops, numpy_ufunc

    row = operation(name)
    if not row.loops:
        ufunc = numpy_ufunc(name)
        assert (row.nin, row.nout) == (ufunc.nin, ufunc.nout)
    loops = numpy_loops(name)
    assert loops
    for inputs, outputs in loops:
        operands = tuple(Input(i, dtype) for i, dtype in enumerate(inputs))
        for i, dtype in enumerate(outputs):
            assert lines(Apply(row, operands, dtype, i))


@pytest.mark.parametrize("source", CODES)
def test_casts_to_the_same_dtype_cost_nothing(source):
    assert lines(Cast(source, Input(0, source))) == []
    for target in CODES:
        if target != source:
            assert len(lines(Cast(target, Input(0, source)))) == 1
    assert dtype_of(source) == np.dtype(dtype_of(source).str)
