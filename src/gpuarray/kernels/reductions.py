"""The reduction family: from a specification to CUDA C++ (`cuda/reduction.cuh`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replace

from gpuarray._dtypes import category, cpp_name, info, itemsize
from gpuarray.kernels.elementwise import OPTIONS, KernelSource, OperandSpec
from gpuarray.kernels.expressions import Apply, Cast, Constant, Expression, Input
from gpuarray.kernels.headers import cuda_headers
from gpuarray.kernels.operations import operation
from gpuarray.kernels.render import Body

BLOCK = 256

INDEX_BYTES = {"int32": 4, "int64": 8}

#: What `ReductionSpec.finished` reads: the value, the number of elements, and `initial`.
VALUE, COUNT, INITIAL = 0, 1, 2

_VARIANTS = ("rows", "runs", "columns")

# Bytes, not elements, in flight: enough per thread to cover the latency of memory.
_LOAD_BYTES = 64
_SINGLE_LOADS = {"rows": 4, "runs": 4, "columns": 8}


@dataclass(frozen=True, slots=True)
class ReductionSpec:
    """Everything that the code of a reduction depends on.

    An element becomes ``mapped``; two values become ``combined`` of Input 0 and 1, which must be
    commutative; the result is ``finished``, over Input `VALUE`, Scalar `COUNT` (an i8) and Scalar
    `INITIAL`. With ``positions``, what is stored is the position of the winning element:
    ``combined`` then says whether Input 0 beats Input 1, and equals go to the first.

    ``scalars`` are dtypes of values that are passed: for ``mapped`` the Scalars behind the inputs,
    for ``finished`` those behind `INITIAL`.
    """

    name: str
    mapped: Expression
    combined: Expression
    neutral: Constant  # combined with it, a value stays what it is
    finished: Expression
    output_dtype: str
    inputs: tuple[OperandSpec, ...]  # arrays
    masked: bool = False  # the last input, a bool, decides whether an element takes part
    initial: str | None = None  # its dtype, where it is passed
    positions: bool = False
    scalars: tuple[str, ...] = ()
    variant: str = "rows"
    width: int = BLOCK  # threads that share a result; runs: a run; columns: threads side by side
    vector: int = 1  # elements per access
    kept: int = 1  # dimensions, after collapsing
    reduced: int = 1
    split: bool = False  # several blocks share a result
    index: str = "int32"

    def __post_init__(self) -> None:
        if self.variant not in _VARIANTS:
            raise ValueError(f"variant {self.variant!r} is not one of {', '.join(_VARIANTS)}")
        if self.index not in INDEX_BYTES:
            raise ValueError(f"index {self.index!r} is not one of {', '.join(INDEX_BYTES)}")
        if self.masked and (not self.inputs or self.inputs[-1].dtype != "b1"):
            raise ValueError("the mask of a masked reduction is its last input and has dtype b1")
        if self.width & (self.width - 1) or not 1 <= self.width <= BLOCK:
            raise ValueError(f"width {self.width} is no power of two up to {BLOCK}")
        if self.vector > 1 and len(self.inputs) != 1:
            raise ValueError("a reduction of several operands reads single elements")
        if self.variant != "columns":
            if 32 < self.width < BLOCK:
                raise ValueError(f"{self.width} threads are neither part of a warp nor the block")
        if self.variant == "rows":
            if self.split and self.width != BLOCK:
                raise ValueError("only whole blocks share a result")
            if self.vector > 1 and self.reduced != 1:
                raise ValueError("rows of vectors have one reduced dimension")
        if self.variant == "runs" and (self.vector == 1 or self.reduced == 1 or self.positions):
            raise ValueError("runs are read in vectors, and there are other reduced dimensions")

    @property
    def value_bytes(self) -> int:
        """Bytes of a partial result in scratch memory."""
        value = itemsize(self.neutral.dtype)
        if not self.positions:
            return value
        index = INDEX_BYTES[self.index]
        # A struct is aligned as its widest member; complex numbers are aligned as their parts.
        part = value // 2 if category(self.neutral.dtype) == "complex" else value
        align = max(part, index)
        offset = -(-value // index) * index
        return -(-(offset + index) // align) * align


def unroll(spec: ReductionSpec) -> int:
    """Return the accesses that a thread has in flight."""
    if spec.vector == 1:
        return _SINGLE_LOADS[spec.variant]
    in_flight = spec.vector * itemsize(spec.inputs[0].dtype)
    return max(1, min(4, _LOAD_BYTES // in_flight, 32 // spec.vector))


def render(spec: ReductionSpec) -> KernelSource:
    """Return the CUDA C++ of a specification.

    The kernel's parameters: the output pointer; the input pointers; `initial` by value, where
    there is one; when split, the pointer to scratch memory for ``parts * results`` values and
    that to one counter for each block of results, all zero; and the struct ReductionDimensions.
    """
    body = Body()
    dtypes = [x.dtype for x in spec.inputs]
    for dtype in (spec.output_dtype, spec.neutral.dtype, *dtypes, *spec.scalars):
        body.type_of(dtype)
    function = _Function(spec, body.headers)
    text = function.text()
    nbytes = [8] * len(spec.inputs)
    nbytes += [itemsize(x) for x in (spec.initial, *spec.scalars) if x is not None]
    members = list(zip(function.members(), nbytes, strict=True))
    return assemble(spec, body.headers, text, members)


def assemble(
    spec: ReductionSpec,
    headers: set[str],
    function: str,
    members: Sequence[tuple[str, int]],
    before: str = "",
    options: tuple[str, ...] = OPTIONS,
    more: Sequence[str] = (),
) -> KernelSource:
    """Return the CUDA C++ that reduces with a function object.

    Parameters
    ----------
    spec : ReductionSpec
        The operands and the variant.
    headers : set of str
        Include names of what the function needs.
    function : str
        The function object's members.
    members : sequence of (declaration, bytes)
        Its data members, which are the kernel's parameters behind the output.
    before : str
        Source at global scope, in front of everything but includes.
    options : tuple of str
        For the compiler.
    more : sequence of str
        What further data members are initialised with: expressions of ``dimensions``.
    """
    dimensions = (
        f"ReductionDimensions<{spec.index}_t, {spec.kept}, {spec.reduced}, {len(spec.inputs)}>"
    )
    variant = (
        f"{spec.variant.capitalize()}<Extents, {BLOCK}, {spec.width}, {spec.vector}, "
        f"{unroll(spec)}, {'true' if spec.split else 'false'}>"
    )
    declared = [declaration for declaration, _ in members]
    parameters = [f"Stored<{cpp_name(spec.output_dtype)}>::type* output", *declared]
    if spec.split:
        parameters += ["Function::Value* partials", "uint32_t* counters"]
    shared = "partials, counters" if spec.split else "nullptr, nullptr"
    values = ", ".join([*[declaration.split()[-1] for declaration in declared], *more])
    symbol = _symbol(spec)
    source = _SOURCE.format(
        includes="".join(f'#include "{header}"\n' for header in sorted(headers | {_FAMILY})),
        before=before,
        function=function,
        dimensions=dimensions,
        variant=variant,
        block=BLOCK,
        symbol=symbol,
        parameters=",\n    ".join([*parameters, "Extents dimensions"]),
        arguments=f"Function{{{values}}}, output, dimensions, {shared}",
    )
    operands = len(spec.inputs)
    words = 5 + operands + (2 + operands) * (spec.kept + spec.reduced)
    sizes = [8, *[nbytes for _, nbytes in members]]
    if spec.split:
        sizes += [8, 8]
    sizes.append(INDEX_BYTES[spec.index] * words)
    return KernelSource(symbol, source, cuda_headers(), tuple(sizes), 1, BLOCK, options)


_FAMILY = "gpuarray/reduction.cuh"

_SOURCE = """\
{includes}
{before}namespace gpuarray {{

struct Function {{
{function}
}};

typedef {dimensions} Extents;
typedef {variant} Variant;

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    Variant::run({arguments});
}}

}}  // namespace gpuarray
"""


def _symbol(spec: ReductionSpec) -> str:
    """A C identifier that says in a profiler what runs: ``sum__f4__f4_rows``."""
    name = re.sub(r"\W", "_", spec.name, flags=re.ASCII)[:60] or "reduction"
    inputs = "_".join(operand.dtype for operand in spec.inputs)
    symbol = f"gpuarray_{name}__{inputs}__{spec.output_dtype}_{spec.variant}{spec.width}"
    return (
        symbol
        + ("_where" if spec.masked else "")
        + ("_split" if spec.split else "")
        + ("_wide" if spec.index == "int64" else "")
    )


class _Function:
    """The function object of a reduction."""

    def __init__(self, spec: ReductionSpec, headers: set[str]) -> None:
        self.spec = spec
        self.headers = headers
        self.value = cpp_name(spec.neutral.dtype)
        self.computed = spec.inputs[:-1] if spec.masked else spec.inputs

    def members(self) -> list[str]:
        """Its data members, which are also the kernel's parameters behind the output."""
        inputs = enumerate(self.spec.inputs)
        result = [f"const Stored<{cpp_name(x.dtype)}>::type* operand{i}" for i, x in inputs]
        if self.spec.initial is not None:
            result.append(f"{cpp_name(self.spec.initial)} initial")
        result += [f"{cpp_name(x)} scalar{i}" for i, x in enumerate(self.spec.scalars)]
        return result

    def text(self) -> str:
        spec = self.spec
        first = cpp_name(spec.inputs[0].dtype)
        value = f"Candidate<{self.value}, {spec.index}_t>" if spec.positions else self.value
        lines = [
            f"typedef {value} Value;",
            f"typedef Stored<{first}>::type Element;",
            f"enum {{ POSITIONS = {int(spec.positions)} }};",
            *(f"{member};" for member in self.members()),
            "",
            "GPUARRAY_DEVICE const Element* elements() const { return operand0; }",
            *self._neutral(),
            *self._map(),
            *self._of(first),
            *self._load(),
            *self._combine(),
            *self._finish(),
        ]
        return "\n".join(f"    {line}" if line else "" for line in lines)

    def _body(self, head: str, expression: Expression, tail: str = "return {};") -> list[str]:
        body = Body()
        result = body.value(expression)
        self.headers |= body.headers
        return [head + " {", *(f"    {x}" for x in (*body.lines, tail.format(result))), "}"]

    def _nowhere(self) -> int:
        """A position beyond all others: any element wins against it."""
        return 2 ** (8 * INDEX_BYTES[self.spec.index] - 1) - 1

    def _neutral(self) -> list[str]:
        tail = "return {};"
        if self.spec.positions:
            tail = f"return Value{{{{{{}}, {self._nowhere()}}}}};"
        return self._body("GPUARRAY_DEVICE static Value neutral()", self.spec.neutral, tail)

    def _map(self) -> list[str]:
        parameters = ", ".join(f"{cpp_name(x.dtype)} in{i}" for i, x in enumerate(self.computed))
        static, const = ("", " const") if self.spec.scalars else ("static ", "")
        head = f"GPUARRAY_DEVICE {static}{self.value} map({parameters}){const}"
        lines = self._body(head, Cast(self.spec.neutral.dtype, self.spec.mapped))
        lines[1:1] = self._scalars(len(self.spec.inputs))
        return lines

    def _scalars(self, first: int) -> list[str]:
        """The scalars as the variables that expressions name."""
        return [
            f"    const {cpp_name(x)} in{first + i} = scalar{i};"
            for i, x in enumerate(self.spec.scalars)
        ]

    def _position(self) -> str:
        """The parameter for an element's position, without a name where nobody asks for it."""
        return f"{self.spec.index}_t" + (" position" if self.spec.positions else "")

    def _of(self, first: str) -> list[str]:
        """The value of the only operand's element, for those that load it themselves."""
        if len(self.computed) != 1:
            return []
        positions = self.spec.positions
        call = f"map({first}(element))"
        return [
            f"GPUARRAY_DEVICE Value of(Element element, {self._position()}) const {{",
            f"    return {f'Value{{{call}, position}}' if positions else call};",
            "}",
        ]

    def _load(self) -> list[str]:
        spec = self.spec
        parameters = f"const {spec.index}_t* offsets, {self._position()}"
        lines = [f"GPUARRAY_DEVICE Value load({parameters}) const {{"]
        if spec.masked:
            mask = len(spec.inputs) - 1
            lines.append(f"    if (operand{mask}[offsets[{mask}]] == 0) return neutral();")
        arguments = ", ".join(
            f"{cpp_name(x.dtype)}(operand{i}[offsets[{i}]])" for i, x in enumerate(self.computed)
        )
        call = f"map({arguments})"
        lines += [f"    return {f'Value{{{call}, position}}' if spec.positions else call};", "}"]
        return lines

    def _combine(self) -> list[str]:
        spec = self.spec
        value = self.value
        if not spec.positions:
            head = f"GPUARRAY_DEVICE static Value combine({value} in0, {value} in1)"
            return self._body(head, spec.combined)
        head = f"GPUARRAY_DEVICE static bool beats({value} in0, {value} in1)"
        return [
            *self._body(head, spec.combined),
            "GPUARRAY_DEVICE static Value combine(Value a, Value b) {",
            "    const bool first = beats(a.value, b.value), second = beats(b.value, a.value);",
            "    return second | (!first & (b.position < a.position)) ? b : a;",
            "}",
            "GPUARRAY_DEVICE static void follow(Value& best, Value next) {",
            "    if (beats(next.value, best.value)) best = next;",
            "}",
            f"GPUARRAY_DEVICE static void settle(Value& best, {spec.index}_t first) {{",
            f"    if (best.position == {self._nowhere()}) best.position = first;",
            "}",
        ]

    def _finish(self) -> list[str]:
        spec = self.spec
        output = f"Stored<{cpp_name(spec.output_dtype)}>::type& out"
        if spec.positions:
            answer = Cast(spec.output_dtype, Input(VALUE, f"i{INDEX_BYTES[spec.index]}"))
            head = f"GPUARRAY_DEVICE void finish({output}, Value value, int64_t) const"
            lines = self._body(head, answer, "out = {};")
            lines.insert(1, f"    const {spec.index}_t in{VALUE} = value.position;")
            return lines
        head = f"GPUARRAY_DEVICE void finish({output}, Value in{VALUE}, int64_t in{COUNT}) const"
        lines = self._body(head, Cast(spec.output_dtype, spec.finished), "out = {};")
        if spec.initial is not None:
            lines.insert(1, f"    const {cpp_name(spec.initial)} in{INITIAL} = initial;")
        lines[1:1] = self._scalars(INITIAL + 1)
        return lines


# ---- NumPy's reductions -----------------------------------------------------------------------


def accumulator(dtype: str) -> str:
    """Return the dtype that values of a loop's dtype are combined in."""
    return "f4" if dtype == "f2" else dtype


def neutral(name: str, dtype: str) -> Constant:
    """Return what changes nothing under a ufunc's reduction."""
    kind = category(dtype)
    if name in ("add", "bitwise_or", "bitwise_xor", "logical_or"):
        return Constant(0, dtype)
    if name in ("multiply", "logical_and"):
        return Constant(1, dtype)
    if name == "bitwise_and":
        return Constant(-1 if kind == "signed" else _extreme(dtype, True), dtype)
    if name in ("fmax", "fmin") and kind in ("float", "complex"):
        return Constant(float("nan"), dtype)  # any number wins against NaN
    if name in ("maximum", "fmax"):
        return Constant(_extreme(dtype, False), dtype)
    if name in ("minimum", "fmin"):
        return Constant(_extreme(dtype, True), dtype)
    raise KeyError(f"no reduction by an operation named {name!r}")


def _extreme(dtype: str, greatest: bool) -> object:
    kind = category(dtype)
    bits = 8 * info(dtype).itemsize
    if kind == "bool":
        return greatest
    if kind == "unsigned":
        return 2**bits - 1 if greatest else 0
    if kind == "signed":
        return 2 ** (bits - 1) - 1 if greatest else -(2 ** (bits - 1))
    infinity = float("inf") if greatest else -float("inf")
    return complex(infinity, infinity) if kind == "complex" else infinity


def pairwise(name: str, dtype: str) -> Expression:
    """Return the combination of two values by a ufunc."""
    return Apply(operation(name), (Input(0, dtype), Input(1, dtype)), dtype)


def beats(greatest: bool, dtype: str) -> Expression:
    """Return whether Input 0 comes before Input 1 in argmax or argmin: NaN before all else."""
    x, y = Input(0, dtype), Input(1, dtype)
    if category(dtype) not in ("float", "complex"):
        return Apply(operation("greater" if greatest else "less"), (x, y), "b1")
    # A comparison with NaN is false.
    behind = Apply(operation("less_equal" if greatest else "greater_equal"), (x, y), "b1")
    ahead = Apply(operation("logical_not"), (behind,), "b1")
    number = Apply(operation("equal"), (y, y), "b1")
    return Apply(operation("logical_and"), (ahead, number), "b1")
