import re
from dataclasses import replace

import pytest

from gpuarray._dtypes import CODES, cpp_name
from gpuarray._ffi import nvrtc
from gpuarray.kernels.elementwise.spec import ElementwiseSpec, render
from gpuarray.kernels.generator.expressions import Apply, Cast, Constant, Input, Scalar
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.operations import OPERATIONS, operation
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.generator.source import OperandSpec
from gpuarray.kernels.special import ROWS as special_rows
from tests.kernels.execution import loop_spec, numpy_loops

ADD = loop_spec("add", ("f4", "f4"), ("f4",))


def test_specifications_key_plans():
    again = loop_spec("add", ("f4", "f4"), ("f4",))
    assert again == ADD
    assert hash(again) == hash(ADD)
    others = {
        loop_spec("add", ("f4", "f4"), ("f4",), index="int64"),
        loop_spec("add", ("f4", "f4"), ("f4",), variant="strided"),
        loop_spec("add", ("f4", "f4"), ("f4",), variant="strided", ndim=2),
        loop_spec("add", ("f8", "f8"), ("f8",)),
    }
    assert len(others | {ADD}) == 5


def test_the_source_is_deterministic_and_lean():
    kernel = render(ADD)
    assert kernel.source == render(ADD).source
    assert re.findall(r'#include "(.*)"', kernel.source) == ["gpuarray/elementwise_rows.cuh"]
    assert kernel.name in kernel.source
    assert "--fmad=false" in kernel.options


def test_only_headers_in_use_are_included():
    half = render(loop_spec("exp", ("f2",), ("f2",))).source
    assert "float16.cuh" in half
    assert "complex" not in half
    assert "complex_math.cuh" in render(loop_spec("exp", ("c8",), ("c8",))).source
    assert "integer.cuh" in render(loop_spec("gcd", ("i4", "i4"), ("i4",))).source


def test_parameters_are_pointers_values_size_and_dimensions():
    inputs = (OperandSpec("f4"), OperandSpec("c16", "scalar"), OperandSpec("f8", "broadcast"))
    spec = ElementwiseSpec("x", (Input(0, "f4"),), ("f4",), inputs)
    assert render(spec).sizes == (8, 8, 16, 8, 4)
    wide = ElementwiseSpec(
        "x", (Input(0, "f4"),), ("f4",), inputs, variant="strided", ndim=3, index="int64"
    )
    # shape, how to divide by it, and the strides of output, array and broadcast input
    assert render(wide).sizes == (8, 8, 16, 8, 8, 8 * 3 * 7)


@pytest.mark.parametrize(
    ("loop", "items"),
    [
        (("add", ("f4", "f4"), ("f4",)), 4),
        (("add", ("i1", "i1"), ("i1",)), 16),
        (("add", ("c16", "c16"), ("c16",)), 1),
        (("less", ("f8", "f8"), ("b1",)), 2),
        (("negative", ("f4",), ("f4",)), 4),
        (("isnan", ("f8",), ("b1",)), 4),
    ],
)
def test_every_thread_moves_16_bytes_of_the_widest_operand(loop, items):
    assert render(loop_spec(*loop)).items_per_thread == items


def test_functions_of_few_registers_leave_room_for_all_threads():
    # Twice as many threads of a multiprocessor as with the registers of what gammaln calls.
    x = Input(0, "f4")
    gammaln, erf = special_rows["gammaln"], special_rows["erf"]

    def bounds(expression, dtype="f4"):
        spec = ElementwiseSpec("x", (expression,), (dtype,), (OperandSpec(dtype),))
        return re.search(r"__launch_bounds__\((.*?)\) gpuarray", render(spec).source)[1]

    lean = Apply(gammaln, (x,), "f4")
    assert bounds(lean) == "128, MULTIPROCESSOR_THREADS / 128"
    assert bounds(Apply(operation("negative"), (lean,), "f4")) == bounds(lean)
    assert bounds(Apply(erf, (lean,), "f4")) == "128"
    assert bounds(Apply(gammaln, (Input(0, "f8"),), "f8"), "f8") == "128"


def test_names_become_identifiers():
    spec = ElementwiseSpec("3 × a-b", (Input(0, "f4"),), ("f4",), (OperandSpec("f4"),))
    assert re.fullmatch(r"[A-Za-z_]\w*", render(spec).name, re.ASCII)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variant": "shuffled"}, "variant 'shuffled'"),
        ({"index": "int16"}, "index 'int16'"),
        ({"masked": True}, "mask"),
        ({"variant": "strided", "ndim": 0}, "at least 1 dimension"),
        ({"variant": "tiled", "ndim": 1}, "at least 2 dimension"),
    ],
)
def test_wrong_specifications_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        loop_spec("add", ("f4", "f4"), ("f4",), **options)
    with pytest.raises(ValueError, match="operand kind 'vector'"):
        OperandSpec("f4", "vector")
    with pytest.raises(ValueError, match="only the variant 'tiled' has transposed"):
        ElementwiseSpec("x", (Input(0, "f4"),), ("f4",), (OperandSpec("f4", "transposed"),))


def compile_quietly(source):
    """Compile past the cache, and expect no warning."""
    options = ("--gpu-architecture=compute_90", "-std=c++17", "-default-device", "--fmad=false")
    image, log, _ = nvrtc.compile(source, "test", cuda_headers(), options, kind="ptx")
    assert image
    assert "warning" not in log


def compile_functions(functions):
    """Compile many function bodies in one translation unit."""
    headers, texts = set(), []
    for number, (inputs, expressions) in enumerate(functions):
        body = Body()
        results = [body.value(expression) for expression in expressions]
        parameters = [f"{body.type_of(dtype)} in{i}" for i, dtype in enumerate(inputs)]
        parameters += [
            f"{body.type_of(expression.dtype)}* out{i}" for i, expression in enumerate(expressions)
        ]
        lines = [*body.lines, *(f"*out{i} = {result};" for i, result in enumerate(results))]
        head = f"void function{number}({', '.join(parameters)}) {{"
        texts.append("\n".join([head, *lines, "}\n"]))
        headers |= body.headers
    includes = "".join(f'#include "{header}"\n' for header in sorted(headers))
    includes += '#include "gpuarray/types.cuh"\n'
    source = includes + "namespace gpuarray {\n" + "".join(texts) + "}\n"
    compile_quietly(source)


def test_every_loop_of_every_operation_compiles():
    functions = []
    for name, row in OPERATIONS.items():
        if name in ("where", "copy"):
            loops = [(("b1", d, d) if name == "where" else (d,), (d,)) for d in CODES]
        elif name == "power_of_number":
            loops = [((d, d), (d,)) for d in ("f2", "f4", "f8", "c8", "c16")]
        else:
            loops = numpy_loops(name)
        for inputs, outputs in loops:
            operands = tuple(Input(i, dtype) for i, dtype in enumerate(inputs))
            expressions = [Apply(row, operands, dtype, i) for i, dtype in enumerate(outputs)]
            functions.append((inputs, expressions))
    # Functions that no kernel calls are parsed and instantiated but cost no code generation.
    compile_functions(functions)


def test_every_cast_compiles():
    pairs = [(source, target) for source in CODES for target in CODES]
    compile_functions([((source,), [Cast(target, Input(0, source))]) for source, target in pairs])


def test_constants_of_every_dtype_compile():
    values = {"b1": True, "c8": 1 - 2j, "c16": -3j}
    compile_functions(
        [
            ((), [Constant(values.get(dtype, 7), dtype), Constant(values.get(dtype, 0), dtype)])
            for dtype in CODES
        ]
    )


@pytest.mark.parametrize("index", ["int32", "int64"])
def test_the_template_compiles_without_warnings(index):
    mixed = ElementwiseSpec(
        "mixed",
        (
            Apply(operation("add"), (Input(0, "f4"), Scalar(1, "f4")), "f4"),
            Cast("c16", Input(2, "f2")),
        ),
        ("f4", "c16"),
        (
            OperandSpec("f4"),
            OperandSpec("f4", "scalar"),
            OperandSpec("f2", "broadcast"),
            OperandSpec("b1"),
        ),
        masked=True,
        index=index,
    )
    kinds = {"rows": "repeated", "tiled": "transposed"}
    for variant, ndim in (
        ("contiguous", 1), ("strided", 1), ("strided", 5), ("rows", 2), ("rows", 4), ("tiled", 3)
    ):  # fmt: skip
        first, *others = mixed.inputs
        inputs = (replace(first, kind=kinds.get(variant, "array")), *others)
        kernel = render(replace(mixed, variant=variant, ndim=ndim, inputs=inputs, tile=(32, 32)))
        assert cpp_name("c16") in kernel.source
        compile_quietly(kernel.source)
