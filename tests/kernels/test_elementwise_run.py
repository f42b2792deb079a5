"""The template's variants: tails, alignment, aliasing, broadcasting, masks, strides, widths."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from gpuarray._dtypes import CODES, code, dtype_of
from gpuarray.kernels.elementwise.spec import ElementwiseSpec
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Input, Scalar
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.generator.source import OperandSpec
from tests.kernels.execution import Buffer, loaded, loop_spec, run
from tests.kernels.samples import random_values

ADD = loop_spec("add", ("f4", "f4"), ("f4",))


def guarded(dtype, size):
    """An output with a margin on both sides that must stay as it is."""
    return np.full(size + 32, 77, dtype)


@pytest.mark.parametrize("size", [1, 3, 255, 256, 1024, 1025, 4000])
@pytest.mark.parametrize("offset", [0, 4, 16], ids="offset{}".format)
@pytest.mark.parametrize("others", [0, 8, 12], ids="others{}".format)
def test_every_size_and_alignment(size, offset, others, rng):
    a, b = rng.random((2, size), dtype=np.float32)
    out = guarded("f4", size)
    run(ADD, [Buffer(out, offset)], [Buffer(a, offset), Buffer(b, others)], size=size)
    np.testing.assert_array_equal(out[:size], a + b)
    assert (out[size:] == 77).all()


@pytest.mark.parametrize("size", [3, 1024, 1025])
@pytest.mark.parametrize("masked", [False, True])
def test_heavy_functions_at_every_alignment(size, masked, rng):
    """Their threads test all operands together."""
    spec = loop_spec("arctan2", ("f4", "f4"), ("f4",))
    if masked:
        spec = replace(spec, inputs=(*spec.inputs, OperandSpec("b1")), masked=True)
    a, b = rng.random((2, size), dtype=np.float32)
    more = [rng.random(size) < 0.9] * masked
    kept = more[0] if masked else np.ones(size, bool)
    for at, first, second in product((0, 4, 16), (0, 4), (0, 8)):
        out = guarded("f4", size)
        operands = [Buffer(a, first), Buffer(b, second), *[Buffer(x, at) for x in more]]
        run(spec, [Buffer(out, at)], operands, size=size)
        np.testing.assert_allclose(out[:size][kept], np.arctan2(a, b)[kept], rtol=3e-7)
        assert (out[size:] == 77).all()
        assert (out[:size][~kept] == 77).all()


@pytest.mark.parametrize("dtype", CODES)
def test_copies_of_every_dtype_are_exact(dtype, rng):
    numpy_dtype = dtype_of(dtype)
    size = 5000
    source = random_values(dtype, size, rng)
    spec = ElementwiseSpec("copy", (Input(0, dtype),), (dtype,), (OperandSpec(dtype),))
    offsets = [0, numpy_dtype.alignment, 16 - numpy_dtype.alignment]
    for to, start in product(offsets, offsets):
        out = guarded(numpy_dtype, size)
        run(spec, [Buffer(out, to)], [Buffer(source, start)], size=size)
        np.testing.assert_array_equal(out[:size], source)
        assert (out[size:] == numpy_dtype.type(77)).all()


def test_an_output_may_be_an_input(rng):
    for size in (100, 3000):
        a, b = rng.random((2, size), dtype=np.float32)
        expected = a + b
        shared = Buffer(a.copy())
        run(ADD, [shared], [shared, b])
        np.testing.assert_array_equal(shared.array, expected)


def test_broadcast_and_scalar_operands(rng):
    spec = ElementwiseSpec(
        "axpy",
        (
            Apply(
                operation("add"),
                (
                    Apply(operation("multiply"), (Input(0, "f8"), Scalar(2, "f8")), "f8"),
                    Cast("f8", Input(1, "f4")),
                ),
                "f8",
            ),
        ),
        ("f8",),
        (OperandSpec("f8"), OperandSpec("f4", "broadcast"), OperandSpec("f8", "scalar")),
    )
    x, one = rng.random(3000), np.array([1.25], np.float32)
    out = np.zeros_like(x)
    run(spec, [out], [x, one, np.float64(0.1)])
    np.testing.assert_array_equal(out, x * 0.1 + 1.25)


@pytest.mark.parametrize("dtype", CODES)
def test_scalars_and_broadcasts_of_every_dtype(dtype, rng):
    value = random_values(dtype, 1, rng)
    spec = ElementwiseSpec(
        "values",
        (Scalar(0, dtype), Input(1, dtype)),
        (dtype, dtype),
        (OperandSpec(dtype, "scalar"), OperandSpec(dtype, "broadcast")),
    )
    outputs = [np.zeros(700, value.dtype) for _ in range(2)]
    run(spec, outputs, [value[0], value])
    for out in outputs:
        np.testing.assert_array_equal(out, np.full(700, value[0]))


def test_several_outputs_of_different_width(rng):
    x, y = Input(0, "i8"), Input(1, "i8")
    spec = ElementwiseSpec(
        "several",
        (
            Apply(operation("divmod"), (x, y), "i8"),
            Apply(operation("divmod"), (x, y), "i8", 1),
            Apply(operation("less"), (x, y), "b1"),
        ),
        ("i8", "i2", "b1"),
        (OperandSpec("i8"), OperandSpec("i8")),
    )
    a, b = rng.integers(-1000, 1000, (2, 2500))
    quotient, rest, less = np.zeros(2500, "i8"), np.zeros(2500, "i2"), np.zeros(2500, "?")
    run(spec, [quotient, rest, less], [a, b])
    np.testing.assert_array_equal(quotient, a // b)
    np.testing.assert_array_equal(rest, a % b)
    np.testing.assert_array_equal(less, a < b)


def masked(dtype, **options):
    expression = Apply(operation("negative"), (Input(0, dtype),), dtype)
    inputs = (OperandSpec(dtype), OperandSpec("b1"))
    return ElementwiseSpec("negative", (expression,), (dtype,), inputs, masked=True, **options)


@pytest.mark.parametrize("dtype", ["i1", "f4", "c16"])
def test_a_mask_decides_what_is_stored(dtype, rng):
    size = 4500
    x = random_values(dtype, size, rng)
    mask = rng.random(size) < 0.5
    mask[:2000] = True  # whole vectors, too
    for offset in (0, dtype_of(dtype).alignment):
        out = np.full(size, 7, x.dtype)
        run(masked(dtype), [Buffer(out, offset)], [x, mask])
        np.testing.assert_array_equal(out[~mask], x.dtype.type(7))
        np.testing.assert_array_equal(out[mask], -x[mask])


def test_any_nonzero_byte_is_true(rng):
    bits = rng.integers(0, 4, 2000).astype(np.uint8)
    out = np.zeros(2000, np.uint8)
    spec = loop_spec("logical_not", ("b1",), ("b1",))
    run(spec, [out.view("?")], [bits.view("?")])
    np.testing.assert_array_equal(out, bits == 0)
    negated = np.full(2000, 9, np.int8)
    run(masked("i1"), [negated], [np.full(2000, 3, np.int8), bits.view("?")])
    np.testing.assert_array_equal(negated, np.where(bits, -3, 9))


@pytest.mark.parametrize("size", [5, 1024, 3001])
def test_64_bit_indices_loop_beyond_the_grid(size, rng):
    spec = loop_spec("add", ("f4", "f4"), ("f4",), index="int64")
    a, b = rng.random((2, size), dtype=np.float32)
    for grid in (None, 1, 2):
        out = guarded("f4", size)
        run(spec, [out], [a, b], size=size, grid=grid)
        np.testing.assert_array_equal(out[:size], a + b)
        assert (out[size:] == 77).all()


def element_strides(array):
    return tuple(stride // array.itemsize for stride in array.strides)


def run_strided(name, inputs, out, index="int32"):
    """Run a ufunc on views; each view's base is what is copied, each offset a pointer's offset."""
    views = [np.broadcast_to(view, out.shape) for view in inputs]
    dtypes = tuple(code(view.dtype) for view in views)
    spec = loop_spec(
        name, dtypes, (code(out.dtype),), variant="strided", ndim=out.ndim, index=index
    )

    def buffer(view):
        base = view
        while base.base is not None:
            base = base.base
        return Buffer(base, skip=view.ctypes.data - base.ctypes.data)

    target = buffer(out)
    run(
        spec,
        [target],
        [buffer(view) for view in views],
        size=math.prod(out.shape),
        shape=out.shape,
        strides=tuple(element_strides(view) for view in (out, *views)),
    )


@pytest.mark.parametrize("index", ["int32", "int64"])
@pytest.mark.parametrize(
    "view",
    [
        lambda a: a.reshape(-1)[::2],
        lambda a: a.reshape(-1)[::-1],
        lambda a: a.reshape(40, 60).T,
        lambda a: a.reshape(40, 60)[::-2, 3::7],
        lambda a: a.reshape(4, 10, 60).transpose(2, 0, 1)[1::3],
        lambda a: a.reshape(2, 3, 4, 5, 20)[:, ::-1, 1:, :, ::3].transpose(3, 1, 0, 4, 2),
        lambda a: a.reshape(2, 3, 2, 2, 2, 5, 10)[:, :, ::-1, :, 1:, ::2, :-3],
    ],
)
def test_views_of_up_to_seven_dimensions(view, index, rng):
    a, b = rng.integers(0, 1000, (2, 2400))
    x, y = view(a), view(b)
    out = np.zeros(2400, "i8")
    target = view(out)
    run_strided("subtract", [x, y], target, index)
    expected = np.zeros(2400, "i8")
    np.subtract(x, y, out=view(expected))
    np.testing.assert_array_equal(out, expected)


def test_broadcast_rows_and_columns(rng):
    rows, columns = rng.random((50, 1)), rng.random(70)
    out = np.zeros((50, 70))
    run_strided("multiply", [rows, columns], out)
    np.testing.assert_array_equal(out, rows * columns)


def test_strided_masks_and_broadcast_operands(rng):
    spec = ElementwiseSpec(
        "add",
        (Apply(operation("add"), (Input(0, "c16"), Input(1, "c16")), "c16"),),
        ("c16",),
        (OperandSpec("c16"), OperandSpec("c16", "broadcast"), OperandSpec("b1")),
        masked=True,
        variant="strided",
        ndim=2,
    )
    x = rng.random((30, 40)) + 1j
    mask = rng.random((40, 30)) < 0.5
    out = np.zeros((30, 40), "c16")
    run(
        spec,
        [out],
        [x, np.array([2 - 1j]), mask],
        size=out.size,
        shape=(30, 40),
        strides=((40, 1), (40, 1), (0, 0), (1, 30)),
    )
    np.testing.assert_array_equal(out, np.where(mask.T, x + (2 - 1j), 0))


def test_fused_equals_unfused(rng):
    """A product is rounded before it is added: no multiply-add appears by itself."""
    x, y, z = (Input(i, "f4") for i in range(3))
    product = Apply(operation("multiply"), (x, y), "f4")
    spec = ElementwiseSpec(
        "fused",
        (Apply(operation("subtract"), (product, z), "f4"),),
        ("f4",),
        (OperandSpec("f4"),) * 3,
    )
    a, b = rng.random((2, 2000), dtype=np.float32)
    c = a * b
    out = np.ones(2000, np.float32)
    run(spec, [out], [a, b, c])
    assert not out.any()


def test_constants_arrive_unchanged():
    values = {
        "f4": [0.1, -0.0, math.inf, -math.inf, math.nan, 1e-45, 3.4028235e38],
        "f8": [0.1, -0.0, math.inf, -math.inf, math.nan, 5e-324, 1.7976931348623157e308],
        "f2": [0.1, -0.0, math.inf, 65504.0, 6e-8],
        "i8": [-(2**63), 2**63 - 1, -1],
        "u8": [2**64 - 1],
        "i1": [-128, 127],
        "b1": [True, False],
        "c16": [complex(0.1, -0.0), complex(-math.inf, math.nan)],
    }
    for dtype, constants in values.items():
        nodes = tuple(Constant(value, dtype) for value in constants)
        spec = ElementwiseSpec("constants", nodes, (dtype,) * len(nodes), ())
        outputs = [np.zeros(3, dtype_of(dtype)) for _ in nodes]
        run(spec, outputs, [])
        for out, value in zip(outputs, constants, strict=True):
            expected = np.full(3, value, dtype_of(dtype))
            np.testing.assert_array_equal(out, expected)
            if dtype[0] == "f":
                np.testing.assert_array_equal(np.signbit(out), np.signbit(expected))


def test_a_kernel_is_loaded_once():
    assert loaded(ADD) is loaded(loop_spec("add", ("f4", "f4"), ("f4",)))
