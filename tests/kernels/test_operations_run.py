"""Every loop of every operation against NumPy, on corner values and random ones.

All operations on the same operand dtypes are outputs of one kernel, so that the suite compiles a
few dozen kernels and not seven hundred.
"""

import numpy as np
import pytest

from gpuarray._dtypes import CODES, category, dtype_of
from gpuarray.kernels.elementwise.spec import ElementwiseSpec
from gpuarray.kernels.generator.expressions import Apply, Cast, Input
from gpuarray.kernels.generator.operations import OPERATIONS, operation
from gpuarray.kernels.generator.source import OperandSpec
from tests.kernels.execution import loop_spec, numpy_loops, numpy_ufunc, run
from tests.kernels.samples import corners, operands, random_values, ulps
from tests.slow import slow_except

NOT_UFUNCS = ("where", "copy", "power_of_number")
LOOPS = [
    (name, inputs, outputs)
    for name, row in OPERATIONS.items()
    if name not in NOT_UFUNCS and not row.loops
    for inputs, outputs in numpy_loops(name)
]

#: A group of operands' dtypes is a kernel; these stand for the other widths of their kind.
QUICK = [loop for loop in LOOPS if {*loop[1]} <= {"b1", "i4", "u1", "f4", "f8", "c8"}]

#: Codes of each kind and of each width.
SOME = ["b1", "u1", "i8", "f2", "f4", "f8", "c16"]

#: Correctly rounded, or composed of correctly rounded steps in NumPy's order: equal to the bit.
EXACT = {
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "divmod", "fmod",
    "negative", "positive", "absolute", "fabs", "sign", "copysign", "conjugate", "reciprocal",
    "square", "sqrt", "clip", "heaviside", "rint", "floor", "ceil", "trunc", "nextafter", "spacing",
    "ldexp", "frexp", "modf", "deg2rad", "radians", "rad2deg", "degrees",
}  # fmt: skip
#: NumPy's own sign of a zero depends on the machine's vector unit, or (nextafter) on its version.
SIGN_OF_ZERO = {"maximum", "minimum", "fmax", "fmin", "clip", "nextafter"}
#: Distance to the exact result in units in the last place, of CUDA's maths library.
ULPS = 4
#: The error of the logarithm or exponential relative to the result's magnitude, both parts.
COMPLEX_EPSILONS = 8

WIDER = {"f4": "f8", "f8": "g", "c8": "c16", "c16": "G"}


def name_of(loop):
    name, inputs, outputs = loop
    return f"{name}-{'_'.join(inputs)}-{'_'.join(outputs)}"


def group(inputs):
    """Run all loops with these operand dtypes; return the operands and the results by loop."""
    loops = [loop for loop in LOOPS if loop[1] == inputs]
    nodes = tuple(Input(i, dtype) for i, dtype in enumerate(inputs))
    results, arguments = {}, operands(inputs, np.random.default_rng(20), 200)
    for start in range(0, len(loops), 16):
        expressions, outputs, part = [], [], {}
        for loop in loops[start : start + 16]:
            part[loop] = []
            for i, dtype in enumerate(loop[2]):
                expressions.append(Apply(operation(loop[0]), nodes, dtype, i))
                part[loop].append(np.zeros(len(arguments[0]), dtype_of(dtype)))
            outputs += loop[2]
        spec = ElementwiseSpec(
            f"group{start}",
            tuple(expressions),
            tuple(outputs),
            tuple(OperandSpec(dtype) for dtype in inputs),
        )
        run(spec, [array for arrays in part.values() for array in arrays], list(arguments))
        results.update(part)
    return arguments, results


def check_real(name, actual, expected, arguments, dtype):
    distance = ulps(actual, expected)
    if name in SIGN_OF_ZERO:
        distance[distance == 0.5] = 0
    if (name in EXACT and category(dtype) != "complex") or name in SIGN_OF_ZERO:
        limit = 0.0
    elif actual.dtype == np.float16:
        limit = 1.0  # float32's error can only tip a rounding
    else:
        limit = float(ULPS)
    bad = distance > limit
    if name.startswith("logaddexp"):
        # Cancellation: the error is relative to the operands.
        size = np.maximum(np.abs(arguments[0]), np.abs(arguments[1]))
        close = np.abs(actual - expected) <= 4 * np.finfo(actual.dtype).eps * size
        bad &= ~close
    if name == "hypot" or (name == "absolute" and category(dtype) == "complex"):
        # CUDA's hypot overflows within the last units of the largest float.
        bad &= ~(np.isinf(actual) & (expected > 0.999999 * np.finfo(actual.dtype).max))
    assert not bad.any(), describe(arguments, actual, expected, bad)


def check_complex(name, actual, expected, arguments):
    info = np.finfo(actual.dtype)
    finite = np.isfinite(actual) & np.isfinite(expected)
    scale = np.abs(expected)
    if name in ("power", "float_power"):
        # exp(b log a) magnifies the error of b log a, in NumPy too.
        a, b = (argument.astype("c16") for argument in arguments)
        scale = scale * (1 + 2 * np.abs(b * np.log(a)))
    if name == "exp2":
        scale = scale * (1 + np.abs(arguments[0]))  # of the product with log 2
    if name == "expm1":
        # NumPy's formula subtracts.
        scale = scale + np.abs(arguments[0].imag) ** 2
        # Of infinities and nan+0j NumPy has NaN; see `test_expm1_at_infinity`.
        finite_operand = np.isfinite(arguments[0].real)
        actual, expected, scale = (x[finite_operand] for x in (actual, expected, scale))
        arguments, finite = [arguments[0][finite_operand]], finite[finite_operand]
    with np.errstate(all="ignore"):
        error = np.abs(actual - expected) > COMPLEX_EPSILONS * info.eps * scale + info.tiny
    bad = finite & error
    for part, other in ((actual.real, expected.real), (actual.imag, expected.imag)):
        same = (np.isnan(part) & np.isnan(other)) | (part == other)
        both_finite = np.isfinite(part) & np.isfinite(other)
        near = np.abs(part - other) <= COMPLEX_EPSILONS * info.eps * np.abs(other)
        bad |= ~finite & ~(same | (both_finite & near))
    assert not bad.any(), describe(arguments, actual, expected, bad)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_expm1_at_infinity(dtype):
    inf, nan = np.inf, np.nan
    cases = {
        complex(inf, 0.0): complex(inf, 0.0), complex(inf, inf): complex(inf, nan),
        complex(inf, nan): complex(inf, nan), complex(-inf, 0.0): complex(-1, 0.0),
        complex(-inf, inf): complex(-1, 0.0), complex(-inf, nan): complex(-1, 0.0),
        complex(-inf, 2.0): complex(-1, 0.0), complex(inf, 2.0): complex(-inf, inf),
        complex(nan, 0.0): complex(nan, 0.0),
    }  # fmt: skip
    operand, result = np.array([*cases], dtype), np.zeros(len(cases), dtype)
    run(loop_spec("expm1", (dtype,), (dtype,)), [result], [operand])
    np.testing.assert_array_equal(result, np.array([*cases.values()], dtype))


def describe(arguments, actual, expected, bad):
    rows = [
        f"{[argument[i] for argument in arguments]} -> {actual[i]!r}, NumPy {expected[i]!r}"
        for i in np.flatnonzero(bad)[:8]
    ]
    return f"{bad.sum()} of {bad.size} differ:\n" + "\n".join(rows)


@pytest.mark.parametrize(
    "inputs", slow_except([x[1] for x in QUICK], dict.fromkeys(x[1] for x in LOOPS)), ids="_".join
)
def test_loops(inputs):
    """All operations on operands of these dtypes."""
    arguments, results = group(inputs)
    faults = []
    for loop, actual in results.items():
        try:
            check_loop(loop, arguments, actual)
        except AssertionError as error:
            faults.append(f"{name_of(loop)}: {error}")
    assert not faults, "\n".join(faults)


def check_loop(loop, arguments, actual):
    name, inputs, outputs = loop
    ufunc = numpy_ufunc(name)
    if name == "power" and category(inputs[0]) == "signed":
        # NumPy refuses negative exponents.
        kept = arguments[1] >= 0
        arguments, actual = [x[kept] for x in arguments], [x[kept] for x in actual]
    with np.errstate(all="ignore"):
        expected = ufunc(*arguments)
        expected = expected if isinstance(expected, tuple) else (expected,)
        wide = WIDER.get(inputs[0])
        if wide and name not in EXACT and name not in SIGN_OF_ZERO and outputs[0] == inputs[0]:
            # NumPy's own float32 and float64 loops are off by units, too.
            closer = ufunc(*(x.astype(wide) for x in arguments)).astype(outputs[0])
            special = ~np.isfinite(expected[0])
            expected = (np.where(special, expected[0], closer),)
    for got, want, dtype in zip(actual, expected, outputs, strict=True):
        assert got.dtype == want.dtype
        match category(dtype):
            case "float":
                check_real(name, got, want, arguments, inputs[0])
            case "complex":
                check_complex(name, got, want, arguments)
            case _:
                bad = got != want
                assert not bad.any(), describe(arguments, got, want, bad)


def test_negative_integer_exponents_give_the_integer_part():
    base = np.array([1, -1, -1, 2, 0, -3], "i4")
    exponent = np.array([-3, -3, -4, -1, -1, -2], "i4")
    out = np.zeros(6, "i4")
    spec = ElementwiseSpec(
        "power",
        (Apply(operation("power"), (Input(0, "i4"), Input(1, "i4")), "i4"),),
        ("i4",),
        (OperandSpec("i4"), OperandSpec("i4")),
    )
    run(spec, [out], [base, exponent])
    np.testing.assert_array_equal(out, [1, -1, 1, 0, 0, 0])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_sign_of_nan_is_kept(dtype):
    """NumPy's negative, absolute and copysign act on the bits."""
    names = ("negative", "absolute", "positive", "fabs")
    nan = np.array([np.nan], dtype_of(dtype))
    x = np.concatenate([np.copysign(nan, 1), np.copysign(nan, -1)])
    node = Input(0, dtype)
    expressions = tuple(Apply(operation(name), (node,), dtype) for name in names)
    outputs = [np.zeros(2, x.dtype) for _ in names]
    run(ElementwiseSpec("nan", expressions, (dtype,) * 4, (OperandSpec(dtype),)), outputs, [x])
    for name, out in zip(names, outputs, strict=True):
        np.testing.assert_array_equal(np.signbit(out), np.signbit(getattr(np, name)(x)), name)


@pytest.mark.parametrize("dtype", slow_except(SOME, CODES))
def test_where_and_copy_keep_the_bits(dtype, rng):
    x = np.concatenate([corners(dtype), random_values(dtype, 50, rng)])
    y, condition = x[::-1].copy(), rng.random(len(x)) < 0.5
    nodes = (Input(0, "b1"), Input(1, dtype), Input(2, dtype))
    spec = ElementwiseSpec(
        "where",
        (Apply(operation("where"), nodes, dtype), Apply(operation("copy"), nodes[1:2], dtype)),
        (dtype, dtype),
        tuple(OperandSpec(node.dtype) for node in nodes),
    )
    chosen, copied = np.zeros_like(x), np.zeros_like(x)
    run(spec, [chosen, copied], [condition, x, y])
    assert chosen.tobytes() == np.where(condition, x, y).tobytes()
    assert copied.tobytes() == x.tobytes()


@pytest.mark.parametrize("source", slow_except(SOME, CODES))
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_casts(source, rng):
    x = np.concatenate([corners(source), random_values(source, 200, rng)])
    targets = tuple(CODES)
    spec = ElementwiseSpec(
        "casts",
        tuple(Cast(target, Input(0, source)) for target in targets),
        targets,
        (OperandSpec(source),),
    )
    outputs = [np.zeros(len(x), dtype_of(target)) for target in targets]
    run(spec, outputs, [x])
    for target, out in zip(targets, outputs, strict=True):
        with np.errstate(all="ignore"):
            expected = x.astype(out.dtype)
        defined = np.ones(len(x), bool)
        if category(source) in ("float", "complex") and category(target) in ("signed", "unsigned"):
            # Elsewhere C leaves the result undefined, and NumPy's depends on the machine.
            info = np.iinfo(out.dtype)
            real = np.trunc(x.real.astype("f8"))
            defined = (real >= info.min) & (real < float(info.max) + (info.bits == 64))
            defined &= np.isfinite(real) & (np.abs(real) < 2.0**62)
        np.testing.assert_array_equal(out[defined], expected[defined], f"{source} to {target}")


def test_casts_of_floats_out_of_range():
    """Documented in casts.cuh: narrow integers wrap within int32, wider ones saturate."""
    x = np.array([300.0, -1.0, -129.0, 70000.0, 1e30, -1e30, np.inf, np.nan])
    targets = ("i1", "u1", "u2", "i4", "u4", "i8", "u8")
    spec = ElementwiseSpec(
        "casts",
        tuple(Cast(target, Input(0, "f8")) for target in targets),
        targets,
        (OperandSpec("f8"),),
    )
    outputs = [np.zeros(len(x), dtype_of(target)) for target in targets]
    run(spec, outputs, [x])
    results = dict(zip(targets, (out.tolist() for out in outputs), strict=True))
    assert results["i1"][:4] == [44, -1, 127, 112]
    assert results["u1"][:4] == [44, 255, 127, 112]
    assert results["u2"][:4] == [300, 65535, 65407, 4464]
    assert results["i4"][:7] == [300, -1, -129, 70000, 2**31 - 1, -(2**31), 2**31 - 1]
    assert results["u4"][:4] == [300, 2**32 - 1, 2**32 - 129, 70000]
    assert results["i8"][4:7] == [2**63 - 1, -(2**63), 2**63 - 1]
    assert results["u8"][1] == 2**64 - 1
    assert results["u8"][4] == 2**64 - 1
