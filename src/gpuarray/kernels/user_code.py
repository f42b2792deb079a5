"""Kernels around C++ that users write: ElementwiseKernel, ReductionKernel (`cuda/user_code.cuh`).

User code is a function at global scope, where it sees the CUDA maths library and CuPy's names for
types. What applies it to arrays are the templates of this package's own operations; code that
asks where its thread is gets the plain loop that CuPy has (`DirectSpec`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name, itemsize
from gpuarray.kernels import elementwise, reductions
from gpuarray.kernels.elementwise import ElementwiseSpec, KernelSource
from gpuarray.kernels.headers import cuda_headers
from gpuarray.kernels.operations import HEAVY, HUGE, LIGHT, MEDIUM
from gpuarray.kernels.reductions import ReductionSpec
from gpuarray.kernels.render import Body

#: The types of dtypes in user code: CuPy's spellings, which atomic functions are overloaded for.
TYPES = {
    "b1": "bool", "i1": "signed char", "i2": "short", "i4": "int", "i8": "long long",
    "u1": "unsigned char", "u2": "unsigned short", "u4": "unsigned int",
    "u8": "unsigned long long", "f2": "float16", "f4": "float", "f8": "double",
    "c8": "complex<float>", "c16": "complex<double>",
}  # fmt: skip

_HEADER = "gpuarray/user_code.cuh"
_HALF, _COMPLEX = "gpuarray/user_float16.cuh", "gpuarray/user_complex.cuh"

#: Room for a partial result of a type that only the compiler knows.
UNKNOWN_BYTES = 128

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"')
_WORD = re.compile(r"[A-Za-z_]\w*")
_LOOP = re.compile(r"\b(?:for|while|goto)\b")
_EFFECTS = re.compile(r"\b(?:do|asm|printf|assert|__trap|atomic\w*|new|delete)\b|__assertfail")
_HEAVY = re.compile(
    r"\b(?:pow|powf|[lt]gamma|lgammaf|tgammaf|erfc?inv|normcdfinv|j[01n]|y[01n]|sincos|"
    r"sin|cos|tan|sinh|cosh|asinh?|acosh?|fmod|remainder)\b"
)
_CALL = re.compile(r"\b(?!if\b|sizeof\b|static_cast\b)\w+\s*(?:<[^<>]*>)?\s*\(")
# A statement after which the rest may be skipped, or which may itself be.
_CONTROL = re.compile(r"\b(?:if|else|for|while|do|switch|return|continue|break|goto|asm|try)\b")

#: Of the grid: code with one of these needs to know that a thread has the elements CuPy gives it.
_THREAD_WORDS = re.compile(
    r"\b(?:threadIdx|blockIdx|blockDim|gridDim|warpSize|__\w+_sync|__shfl\w*|__ballot\w*|"
    r"__syncthreads\w*|__syncwarp|__shared__|_raw_\w+)\b"
)


@dataclass(frozen=True, slots=True)
class Argument:
    """A parameter of user code and what is passed for it."""

    name: str
    dtype: str
    kind: str  # 'array': its element; 'raw': the whole array; 'scalar': a value
    output: bool = False
    constant: bool = True
    # Of what the kernel's CArray is over: the raw array, or for the plain loop any.
    ndim: int = 0
    contiguous: bool = False

    @property
    def type(self) -> str:
        """The C++ type of an element at global scope."""
        return TYPES[self.dtype]

    @property
    def qualified(self) -> str:
        """The same, wherever it is written."""
        if category(self.dtype) == "complex":
            return f"::thrust::{self.type}"
        return f"::{self.type}" if self.dtype == "f2" else self.type

    def array(self, narrow: bool) -> str:
        """The type of the array."""
        flags = ["true" if flag else "false" for flag in (self.contiguous, narrow)]
        return f"CArray<{self.qualified}, {self.ndim}, {', '.join(flags)}>"

    @property
    def array_bytes(self) -> int:
        """The size of the array's type."""
        return 16 + 16 * max(self.ndim, 1)


@dataclass(frozen=True, slots=True)
class UserCode:
    """What a user has written, with the types that its letters stand for."""

    name: str
    arguments: tuple[Argument, ...]
    types: tuple[tuple[str, str], ...]  # letters and dtypes
    preamble: str = ""
    options: tuple[str, ...] = ()

    def global_source(self, functions: str) -> str:
        """The source at global scope: types, the preamble, functions."""
        lines = []
        if "include" not in self.preamble:
            # Otherwise a header may define them, and its own way.
            lines += [f"using gpuarray::{name};" for name in _FIXED_WIDTH]
        lines += [f"typedef {TYPES[dtype]} {letter};" for letter, dtype in self.types]
        return "\n".join([*lines, self.preamble, functions, ""])

    def headers(self, texts: tuple[str, ...]) -> set[str]:
        """The headers of the types that are used."""
        dtypes = {x.dtype for x in self.arguments} | {dtype for _, dtype in self.types}
        text = " ".join((self.preamble, *texts))
        found = {_HEADER}
        if "f2" in dtypes or "float16" in text:
            found.add(_HALF)
        if any(category(x) == "complex" for x in dtypes) or re.search(r"complex|thrust", text):
            found.add(_COMPLEX)
        return found

    def compiler_options(self) -> tuple[str, ...]:
        """The user's options, but for a language older than the templates are written in."""
        old = re.compile(r"-?-std=c\+\+(?:03|11|14)$")
        return tuple([option for option in self.options if not old.match(option)])


_FIXED_WIDTH = tuple(f"{u}int{bits}_t" for u in ("", "u") for bits in (8, 16, 32, 64))


# ---- what can be told from the text -----------------------------------------------------------


def plain(text: str) -> str:
    """Code without comments and without what stands in strings."""
    return _LITERAL.sub('""', _COMMENT.sub(" ", text))


def words(text: str) -> frozenset[str]:
    """The identifiers in code."""
    return frozenset(_WORD.findall(plain(text)))


def names_threads(text: str) -> bool:
    """Whether code depends on which thread it runs in."""
    return _THREAD_WORDS.search(plain(text)) is not None


def is_safe_anywhere(text: str) -> bool:
    """Whether code may also run on zeros that stand for elements beyond the end."""
    code = plain(text)
    return not (_LOOP.search(code) or _EFFECTS.search(code))


def takes_address(text: str, name: str) -> bool:
    """Whether code may hand the address of a variable to an atomic function."""
    code = plain(text)
    return "atomic" in code and re.search(rf"&\s*{name}\b", code) is not None


def always_assigned(text: str, name: str) -> bool:
    """Whether code assigns a variable whatever happens, and before it reads it.

    That the answer is no proves nothing.
    """
    code = plain(text)
    if "#" in code or "{" in code:
        return False
    for statement in code.split(";"):
        if _CONTROL.search(statement):
            return False
        match = re.match(rf"\s*{name}\s*=(?!=)(.*)", statement, re.DOTALL)
        if match:
            return not re.search(rf"\b{name}\b", match[1])
        if re.search(rf"\b{name}\b", statement):
            return False
    return False


def _weight(text: str) -> int:
    """How much code an element is, roughly."""
    code = plain(text)
    if _LOOP.search(code):
        return HUGE
    if _HEAVY.search(code) or len(code) > 1000:
        return HEAVY
    return MEDIUM if _CALL.search(code) or len(code) > 200 else LIGHT


# ---- element by element -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class VectorSpec:
    """User code in the templates of the element-wise family.

    The inputs of ``operands`` are the arguments that are no outputs and not raw, in their order;
    then the outputs of ``kept``, read before the code runs; then, with ``numbered`` or
    ``guarded``, the number of the element. Behind them come the raw arrays, and the number of
    elements with ``counted`` or ``guarded``.

    The templates also call their function for elements beyond the end, whose results they drop.
    With ``guarded`` the code does not run there.
    """

    code: UserCode
    operation: str
    operands: ElementwiseSpec
    kept: tuple[str, ...] = ()
    numbered: bool = False
    counted: bool = False
    guarded: bool = False


def render_vector(spec: VectorSpec) -> KernelSource:
    """Return the CUDA C++ of user code in the element-wise family."""
    code, operands = spec.code, spec.operands
    narrow = operands.index == "int32"
    body = Body()
    body.weight = _weight(spec.operation)
    body.headers |= code.headers((spec.operation,))
    inputs = [x.name for x in code.arguments if not x.output and x.kind != "raw"]
    where = {name: i for i, name in enumerate([*inputs, *spec.kept])}
    outputs = [x for x in code.arguments if x.output and x.kind == "array"]
    raw = [x for x in code.arguments if x.kind == "raw"]
    for dtype in (*operands.output_dtypes, *(x.dtype for x in operands.inputs)):
        body.type_of(dtype)

    parameters = [f"Stored<{cpp_name(x.dtype)}>::type& out{i}" for i, x in enumerate(outputs)]
    parameters += [f"{cpp_name(x.dtype)} in{i}" for i, x in enumerate(operands.inputs)]
    lines = []
    for x in outputs:
        value = _as_user(x, f"in{where[x.name]}") if x.name in where else ""
        lines.append(f"{x.qualified} value_{x.name}{{{value}}};")
    passed, declared = [], []
    for x in code.arguments:
        if x.kind == "raw":
            passed.append(f"array_{x.name}")
            # The function object is constant; what user code may write through is a copy.
            const, reference = ("const ", "&") if x.constant else ("", "")
            declared.append(f"{const}{x.array(narrow)}{reference} {x.name}")
        elif x.output:
            passed.append(f"value_{x.name}")
            declared.append(f"{x.type}& {x.name}")
        else:
            passed.append(_as_user(x, f"in{where[x.name]}"))
            declared.append(f"{'const ' if x.constant else ''}{x.type} {x.name}")
    extras = [(f"{x.array(narrow)} array_{x.name}", x.array_bytes) for x in raw]
    if spec.numbered:
        passed.append(f"in{len(operands.inputs) - 1}")
        declared.append("const ptrdiff_t i")
    if spec.counted or spec.guarded:
        extras.append(("int64_t count", 8))
    if spec.counted:
        if not any(x.name == "n" for x in code.arguments):
            passed.append("count")
            declared.append("const ptrdiff_t n")
        passed.append("Extent{count}")
        declared.append("const gpuarray::Extent _ind")
    guard = f"if (uint64_t(in{len(operands.inputs) - 1}) < count) " if spec.guarded else ""
    lines.append(f"{guard}::gpuarray_operation({', '.join(passed)});")
    for i, x in enumerate(outputs):
        lines.append(_store(x, f"out{i}", f"value_{x.name}"))
    members = [f"{declaration};" for declaration, _ in extras]
    head = f"GPUARRAY_DEVICE void operator()({', '.join(parameters)}) const"
    function = [*members, f"{head} {{", *[f"    {line}" for line in lines], "}"]
    operation = _function("void gpuarray_operation", declared, _once(spec.operation))
    return elementwise.assemble(
        operands,
        body,
        "\n".join([f"    {line}" for line in function]),
        extras,
        code.global_source(operation),
        code.compiler_options(),
    )


@dataclass(frozen=True, slots=True)
class DirectSpec:
    """User code in a plain loop over elements in C order, as CuPy runs it.

    Arguments are passed in their order, arrays as CArray; then the CIndexer.
    """

    code: UserCode
    operation: str
    loop_prep: str
    after_loop: str
    ndim: int
    narrow: bool


def render_direct(spec: DirectSpec) -> KernelSource:
    """Return the CUDA C++ of user code in a loop of its own."""
    code = spec.code
    indexer = f"CIndexer<{spec.ndim}, {'true' if spec.narrow else 'false'}>"
    parameters, sizes, elements = [], [], []
    located = "_ind" in words(spec.operation)
    for x in code.arguments:
        if x.kind == "scalar":
            parameters.append(f"{'const ' if x.constant else ''}{x.type} {x.name}")
            sizes.append(itemsize(x.dtype))
            continue
        sizes.append(x.array_bytes)
        name = x.name if x.kind == "raw" else f"_raw_{x.name}"
        const = "const " if x.constant and x.kind == "raw" else ""
        parameters.append(f"{const}{x.array(spec.narrow)} {name}")
        if x.kind == "array":
            place = "i" if x.contiguous else "_ind.get()"
            located = located or not x.contiguous
            const = "const " if x.constant else ""
            elements.append(f"{const}{x.type}& {x.name} = {name}[{place}];")
    sizes.append(8 + 16 * max(spec.ndim, 1))
    count = "" if any(x.name == "n" for x in code.arguments) else _COUNT
    symbol = f"gpuarray_{code.name}"
    headers = code.headers((spec.operation, spec.loop_prep, spec.after_loop))
    source = _DIRECT.format(
        includes="".join(f'#include "{header}"\n' for header in sorted(headers)),
        before=code.global_source(""),
        symbol=symbol,
        parameters=",\n    ".join([*parameters, f"{indexer} _ind"]),
        count=count,
        loop_prep=spec.loop_prep,
        located="_ind.set(i);" if located else "",
        elements="\n        ".join(elements),
        operation=spec.operation,
        after_loop=spec.after_loop,
    )
    options = code.compiler_options()
    return KernelSource(symbol, source, cuda_headers(), tuple(sizes), 1, 128, options)


_COUNT = "const ptrdiff_t n = _ind.size();"

_DIRECT = """\
{includes}
{before}
extern "C" __global__ void {symbol}(
    {parameters}) {{
    {count}
    {loop_prep};
#pragma unroll 1
    for (ptrdiff_t i = ptrdiff_t(blockIdx.x) * blockDim.x + threadIdx.x; i < _ind.size();
         i += ptrdiff_t(blockDim.x) * gridDim.x) {{
        {located}
        {elements}
        {operation};
    }}
    {after_loop};
}}
"""


def _as_user(x: Argument, value: str) -> str:
    """A value of the project's type as user code's."""
    if x.dtype == "f2" or category(x.dtype) == "complex":
        return f"as<{x.qualified}>({value})"
    return value


def _store(x: Argument, target: str, value: str) -> str:
    if x.dtype == "f2" or category(x.dtype) == "complex":
        return f"{target} = as<{cpp_name(x.dtype)}>({value});"
    return f"{target} = {value};"


def _once(text: str) -> str:
    """A loop body: ``continue`` and ``break`` leave it."""
    if re.search(r"\b(?:continue|break)\b", plain(text)):
        return f"do {{\n{text};\n}} while (false);"
    return f"{text};"


def _function(head: str, parameters: list[str], text: str) -> str:
    return f"GPUARRAY_DEVICE {head}({', '.join(parameters)}) {{\n{text}\n}}\n"


# ---- reductions -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class UserReductionSpec(ReductionSpec):
    """User code in the templates of the reduction family.

    ``inputs`` are the arrays. Behind them are passed the scalars and raw arrays, in the order of
    the arguments. With ``counted`` the code knows how many elements and results there are.
    """

    code: UserCode = UserCode("", (), ())
    map_code: str = ""
    reduce_code: str = ""
    post_code: str = ""
    identity: str = ""
    value_type: str = ""  # in C++; '' is the type of neutral's dtype
    counted: bool = False

    @property
    def value_bytes(self) -> int:
        """Bytes of a partial result in scratch memory."""
        if self.value_type:
            return UNKNOWN_BYTES
        dtype = self.neutral.dtype
        if self.identity:
            return itemsize(dtype)
        part = itemsize(dtype) // 2 if category(dtype) == "complex" else itemsize(dtype)
        return itemsize(dtype) + part


def render_reduction(spec: UserReductionSpec) -> KernelSource:
    """Return the CUDA C++ of user code in the reduction family."""
    return _Reduction(spec).source()


class _Reduction:
    """The function object and what is around it."""

    def __init__(self, spec: UserReductionSpec):
        self.spec = spec
        arguments = spec.code.arguments
        self.narrow = spec.index == "int32"
        self.arrays = [x for x in arguments if x.kind == "array" and not x.output]
        self.extra = [x for x in arguments if x.kind != "array" and not x.output]
        self.output = next(x for x in arguments if x.output)

    def source(self) -> KernelSource:
        spec, code = self.spec, self.spec.code
        texts = (spec.map_code, spec.reduce_code, spec.post_code, spec.identity, spec.value_type)
        headers = code.headers(texts)
        body = Body()
        for dtype in (spec.output_dtype, *(x.dtype for x in spec.inputs)):
            body.type_of(dtype)
        members = self.members()
        return reductions.assemble(
            spec,
            headers | body.headers,
            "\n".join([f"    {line}" for line in self.function(members)]),
            members,
            code.global_source(self.functions()),
            code.compiler_options(),
            ("int64_t(dimensions.results) * dimensions.length",) if spec.counted else (),
        )

    def value(self) -> str:
        return self.spec.value_type or TYPES[self.spec.neutral.dtype]

    def members(self) -> list[tuple[str, int]]:
        """Data members of the function object, which are kernel parameters, and their bytes."""
        found = [
            (f"const Stored<{cpp_name(x.dtype)}>::type* operand{i}", 8)
            for i, x in enumerate(self.spec.inputs)
        ]
        for x in self.extra:
            if x.kind == "raw":
                found.append((f"{x.array(self.narrow)} extra_{x.name}", x.array_bytes))
            else:
                found.append((f"{cpp_name(x.dtype)} extra_{x.name}", itemsize(x.dtype)))
        return found

    def _extra_parameters(self) -> list[str]:
        return [
            f"const {x.array(self.narrow)}& {x.name}" if x.kind == "raw"
            else f"const {x.type} {x.name}"
            for x in self.extra
        ]  # fmt: skip

    def _extra_values(self) -> list[str]:
        return [
            f"extra_{x.name}" if x.kind == "raw" else _as_user(x, f"extra_{x.name}")
            for x in self.extra
        ]

    def functions(self) -> str:
        """User code, as functions at global scope."""
        spec = self.spec
        value = "_type_reduce"
        parameters = [f"const {x.type} {x.name}" for x in self.arrays] + self._extra_parameters()
        text = f"typedef {self.value()} {value};\n"
        if spec.value_type:
            text += f'static_assert(sizeof({value}) <= {UNKNOWN_BYTES}, "reduce_type is too large");\n'
        text += _function(
            f"{value} gpuarray_map", parameters, f"return static_cast<{value}>({spec.map_code});"
        )
        text += _function(
            f"{value} gpuarray_reduce",
            [f"const {value} a", f"const {value} b"],
            f"return static_cast<{value}>({spec.reduce_code});",
        )
        if spec.identity:
            text += _function(
                f"{value} gpuarray_identity", [], f"return {value}({spec.identity});"
            )
        parameters = [f"{value} a", f"{self.output.type}& {self.output.name}"]
        parameters += [p for p, x in zip(self._extra_parameters(), self.extra) if x.name != "a"]
        if spec.counted:
            parameters += ["const gpuarray::Extent _in_ind", "const gpuarray::Extent _out_ind"]
        return text + _function("void gpuarray_post", parameters, f"{spec.post_code};")

    def function(self, members: list[tuple[str, int]]) -> list[str]:
        """The lines of the function object."""
        spec, output = self.spec, self.output
        optional = not spec.identity
        names = ["operand%d[offsets[%d]]" % (i, i) for i in range(len(self.arrays))]
        elements = [f"{cpp_name(x.dtype)}({name})" for x, name in zip(self.arrays, names)]
        first = cpp_name(self.arrays[0].dtype)
        parameters = [f"{cpp_name(x.dtype)} in{i}" for i, x in enumerate(self.arrays)]
        mapped = ", ".join(
            [*[_as_user(x, f"in{i}") for i, x in enumerate(self.arrays)], *self._extra_values()]
        )
        mapped = f"::gpuarray_map({mapped})"
        post = ["value.value" if optional else "value", "result"]
        values = zip(self._extra_values(), self.extra)
        post += [value for value, x in values if x.name != "a"]
        if spec.counted:
            post += ["Extent{count}", "Extent{length ? count / length : 0}"]
        neutral = "Value{::_type_reduce(), false}" if optional else "::gpuarray_identity()"
        combined = ["return ::gpuarray_reduce(a, b);"]
        if optional:
            combined = [
                "if (!a.present) return b;",
                "if (!b.present) return a;",
                "return Value{::gpuarray_reduce(a.value, b.value), true};",
            ]
        index = f"{spec.index}_t"
        return [
            f"typedef {'Optional<::_type_reduce>' if optional else '::_type_reduce'} Value;",
            f"typedef Stored<{first}>::type Element;",
            "enum { POSITIONS = 0 };",
            *[f"{declaration};" for declaration, _ in members],
            *(["int64_t count;"] if spec.counted else []),
            "",
            "GPUARRAY_DEVICE const Element* elements() const { return operand0; }",
            f"GPUARRAY_DEVICE static Value neutral() {{ return {neutral}; }}",
            f"GPUARRAY_DEVICE Value map({', '.join(parameters)}) const {{",
            f"    return {f'Value{{{mapped}, true}}' if optional else mapped};",
            "}",
            *(
                [f"GPUARRAY_DEVICE Value of(Element element, {index}) const {{",
                 f"    return map({first}(element));", "}"]
                if len(self.arrays) == 1
                else []
            ),
            f"GPUARRAY_DEVICE Value load(const {index}* offsets, {index}) const {{",
            f"    return map({', '.join(elements)});",
            "}",
            "GPUARRAY_DEVICE static Value combine(Value a, Value b) {",
            *[f"    {line}" for line in combined],
            "}",
            f"GPUARRAY_DEVICE void finish(Stored<{cpp_name(output.dtype)}>::type& out, Value value, "
            "int64_t length) const {",
            f"    {output.qualified} result{{}};",
            f"    ::gpuarray_post({', '.join(post)});",
            f"    {_store(output, 'out', 'result')}",
            "}",
        ]  # fmt: skip
