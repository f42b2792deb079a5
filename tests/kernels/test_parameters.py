"""Declared parameters of kernels: against the structs of the device code and against PTX."""

import re

import pytest

from gpuarray._ffi import nvrtc
from gpuarray._runtime.current_stream import current
from gpuarray._runtime.launch import BoundLaunch, LaunchPlan
from gpuarray.kernels.compiler.images import parameter_sizes
from gpuarray.kernels.elementwise import spec as elementwise
from gpuarray.kernels.elementwise.user import DirectSpec, render_direct
from gpuarray.kernels.gather import spec as gather
from gpuarray.kernels.generator.expressions import Input
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import Field, number, pointer, structure
from gpuarray.kernels.generator.source import OperandSpec
from gpuarray.kernels.generator.user_code import UserCode, UserParameter
from gpuarray.kernels.graph import spec as graph
from gpuarray.kernels.histogram import spec as histogram
from gpuarray.kernels.join import spec as join
from gpuarray.kernels.mask import spec as mask
from gpuarray.kernels.matrix_factors import spec as matrix_factors
from gpuarray.kernels.reduction import spec as reduction
from gpuarray.kernels.reduction.tables import neutral, pairwise
from gpuarray.kernels.scan import spec as scan
from gpuarray.kernels.search import spec as search
from gpuarray.kernels.select import spec as select
from gpuarray.kernels.sort import spec as sort
from gpuarray.kernels.sparse_factor import spec as sparse_factor
from gpuarray.kernels.sparse_format import spec as sparse_format

_CODE = UserCode(
    "twice",
    (
        UserParameter("x", "f4", "array", ndim=2),
        UserParameter("y", "f4", "array", True, False, 2, True),
    ),
    (),
)


def _elementwise(**fields):
    operand = (OperandSpec("f4"),)
    return elementwise.render(
        elementwise.ElementwiseSpec("copy", (Input(0, "f4"),), ("f4",), operand, **fields)
    )


def _reduction(**fields):
    return reduction.render(
        reduction.ReductionSpec(
            "add",
            Input(0, "f4"),
            pairwise("add", "f4"),
            neutral("add", "f4"),
            Input(0, "f4"),
            "f4",
            (OperandSpec("f4"),),
            **fields,
        )
    )


def _scan(**fields):
    return scan.render(
        scan.ScanSpec(
            "add",
            Input(0, "f4"),
            pairwise("add", "f4"),
            neutral("add", "f4"),
            Input(0, "f4"),
            "f4",
            "f4",
            **fields,
        )
    )


#: A kernel of each parameter list; the header and the name of the struct that comes last in it.
KERNELS = {
    "elementwise": (_elementwise(), None),
    "elementwise strided": (_elementwise(variant="strided", ndim=3), ("elementwise", "Dimensions")),
    "user code": (
        render_direct(DirectSpec(_CODE, "y = 2 * x", "", "", 2, True)),
        ("user_code", "CIndexer"),
    ),
    "reduction": (
        _reduction(kept=2, reduced=3, width=32),
        ("reduction_combine", "ReductionDimensions"),
    ),
    "split reduction": (
        _reduction(split=True, index="int64"),
        ("reduction_combine", "ReductionDimensions"),
    ),
    "scan": (_scan(look_back=True, kept=2), ("scan", "ScanDimensions")),
    "gather": (
        gather.render_transfer(gather.TransferSpec(False, 4, ("i8", "i4"), 2)),
        ("gather", "Dimensions"),
    ),
    "scatter": (
        gather.render_transfer(gather.TransferSpec(True, 16, ("i8",), 1, "int64", True)),
        ("gather", "Dimensions"),
    ),
    "join": (join.render(join.JoinSpec(8, 3)), ("join", "Segments")),
    "count": (mask.render_count(mask.CountSpec("f4", 2, True)), ("mask", "MaskDimensions")),
    "coordinates": (
        mask.render_store(mask.StoreSpec("coordinates", "b1", True, 2)),
        ("mask", "MaskDimensions"),
    ),
    "compress": (
        mask.render_store(mask.StoreSpec("compress", "b1", True, 1, 2, "int64")),
        ("mask", "MaskDimensions"),
    ),
    "search": (search.render(search.SearchSpec("f4", False, 9)), None),
    "histogram": (histogram.render(histogram.HistogramSpec("edges", "f4", "f8", True, 256)), None),
    "addresses": (matrix_factors.render(matrix_factors.AddressesSpec()), None),
    "determinants": (
        matrix_factors.render(matrix_factors.DeterminantSpec("c8", "i4", True)),
        None,
    ),
    "row orders": (matrix_factors.render(matrix_factors.RowOrderSpec("i8")), None),
    "inverse tiles": (
        matrix_factors.render(matrix_factors.InverseTilesSpec("c16", True, False)),
        None,
    ),
    "rows in order": (matrix_factors.render(matrix_factors.OrderSpec("f4", True)), None),
    "reflectors": (matrix_factors.render(matrix_factors.ReflectorsSpec("c16")), None),
    "scaled elements": (matrix_factors.render(matrix_factors.ElementsSpec("scale", "c8")), None),
    "sparse sums": (
        sparse_format.render(sparse_format.SumSpec("uint64", "int32", "c16", True)),
        None,
    ),
    "sparse triangle": (
        sparse_factor.render(sparse_factor.TriangleSpec("c16", "int64", 4, True)),
        None,
    ),
    "sparse factors": (sparse_factor.render(sparse_factor.FactorSpec("f4")), None),
    "paths": (graph.render(graph.GraphSpec("relax", "int64")), None),
    "sparse checks": (sparse_format.render(sparse_format.CheckSpec("int32")), None),
    "sparse entries": (sparse_format.render(sparse_format.StoreSpec("int64", 16)), None),
    "ends": (histogram.render_ends(histogram.EndsSpec("f4")), None),
    "ranks of a block": (
        sort.render(sort.SortSpec("block", "f4", block=128, items=2, ranks=4)),
        ("sort_keys", "Ranks"),
    ),
    **{
        f"select {step} {values} {indices}": (
            select.render(select.SelectSpec(step, "f4", 2, values, indices)),
            ("sort_keys", "Ranks"),
        )
        for step, values, indices in (
            ("row", True, False),
            ("row", False, False),
            ("row", False, True),
            ("pass", False, False),
            ("split", False, False),
            ("split", False, True),
        )
    },
    **{
        f"sort {step} {indices}": (
            sort.render(sort.SortSpec(step, dtype, indices, 256, 8)),
            None,
        )
        for step, dtype, both in (
            ("block", "f4", True),
            ("tile", "f4", True),
            ("merge", "f4", True),
            ("clear", "u1", False),
            ("count", "f8", False),
            ("pass", "f8", True),
            ("decide", "f8", False),
            ("short", "f8", True),
            ("long", "f8", True),
            ("fill", "u1", False),
        )
        for indices in ((False, True) if both else (False,))
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_sizes_are_the_compilers(name):
    source, _ = KERNELS[name]
    options = ["--gpu-architecture=compute_90", "--std=c++17", "-default-device", *source.options]
    image, _, _ = nvrtc.compile(source.source, source.name, source.headers, options, kind="ptx")
    assert source.sizes == parameter_sizes(image, source.name)


def _members(header: str, struct: str) -> list[str]:
    """The names of a struct's data members in a header."""
    text = cuda_headers()[f"gpuarray/{header}.cuh"]
    found = re.search(rf"struct {struct} {{", text)
    body, depth = "", 1
    for character in re.sub(r"//[^\n]*", "", text[found.end() :]):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            break
        # What is in braces of its own is the body of a function or an enumeration.
        body += character if depth == 1 else ""
    names = []
    for statement in re.split(r"[;}]", re.sub(r"\[[^]]*\]", "", body)):
        if not re.search(r"\(|\b(typedef|enum|static|struct)\b", statement):
            names += [part.split()[-1] for part in statement.split(",") if part.strip()]
    return names


@pytest.mark.parametrize("name", [name for name, (_, struct) in KERNELS.items() if struct])
def test_fields_are_the_structs(name):
    source, struct = KERNELS[name]
    last = source.parameters[-1]
    assert [field.name for field in last.fields] == _members(*struct)


def test_arrays_of_user_code():
    array = _CODE.arguments[0].parameter("x", True)
    assert [field.name for field in array.fields] == _members("user_code", "CArray")
    assert array.nbytes == 48


def test_constants_are_packed_by_their_types():
    assert number("n", "uint32_t").pack(7) == b"\7\0\0\0"
    assert number("n", "int64_t").pack(-1) == b"\xff" * 8
    assert pointer("p", "const float").pack(2**40) == (2**40).to_bytes(8, "little")
    pair = structure("d", "Pair", [Field("size", "int32_t"), Field("steps", "int64_t", 2)])
    assert pair.nbytes == 20
    assert pair.pack({"steps": [1, -1], "size": 3}) == b"\3\0\0\0\1" + b"\0" * 7 + b"\xff" * 8


def test_structs_are_complete():
    pair = structure("d", "Pair", [Field("size", "int32_t"), Field("steps", "int32_t", 2)])
    with pytest.raises(ValueError, match=r"d\.steps has 2 elements, not 3"):
        pair.pack({"size": 1, "steps": [1, 2, 3]})
    with pytest.raises(KeyError, match="steps"):
        pair.pack({"size": 1})
    with pytest.raises(ValueError, match="no field strides"):
        pair.pack({"size": 1, "steps": [1, 2], "strides": [3]})


class _Function:
    """Stands for a kernel of three parameters."""

    name, argument = "scale", None
    parameters = (
        pointer("input", "const float"),
        pointer("output", "float"),
        number("n", "int32_t"),
    )

    def code(self):
        raise AssertionError("no report was asked for")


def test_arguments_are_named_as_declared():
    bound = BoundLaunch(LaunchPlan(_Function(), (1, 1, 1), (1, 1, 1), {"n": 1}), current.stream)
    # In the order of the kernel's parameters.
    assert bound.arguments({"output": "y0", "input": "x0"}) == (("x0", 0), ("y0", 1))
    with pytest.raises(ValueError, match="scale: arguments are for input, target, but the leading"):
        bound.arguments({"input": "x0", "target": "y0"})
    with pytest.raises(ValueError, match="scale: no value for output"):
        bound.arguments({"input": "x0"})
