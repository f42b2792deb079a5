"""ReductionKernel: from user code to CUDA C++, in the templates of this package's reductions."""

from __future__ import annotations

from dataclasses import dataclass

from gpuarray._dtypes import category, cpp_name, itemsize
from gpuarray.kernels.generator import user_code
from gpuarray.kernels.generator.parameters import KernelParameter, scalar
from gpuarray.kernels.generator.render import Body
from gpuarray.kernels.generator.source import KernelSource
from gpuarray.kernels.generator.user_code import UserCode
from gpuarray.kernels.reduction import spec as reductions
from gpuarray.kernels.reduction.functions import operands
from gpuarray.kernels.reduction.spec import ReductionSpec

#: Room for a partial result of a type that only the compiler knows.
_UNKNOWN_BYTES = 128

_NO_CODE = UserCode("", (), ())


@dataclass(frozen=True, slots=True)
class UserReductionSpec(ReductionSpec):
    """User code in the templates of the reduction family.

    ``inputs`` are the arrays. Behind them are passed the scalars and raw arrays, in the order of
    the arguments. With ``counted`` the code knows how many elements and results there are; with
    ``map_counted`` the code that maps an element does. With ``numbered`` the last input is an
    operand that nothing is read from: its offsets are the elements' numbers, in C order with the
    reduced axes in front of the others; with ``located`` the last raw array has the shape in that
    order.
    """

    code: UserCode = _NO_CODE
    map_code: str = ""
    reduce_code: str = ""
    post_code: str = ""
    identity: str = ""
    value_type: str = ""  # in C++; '' is the type of neutral's dtype
    counted: bool = False
    map_counted: bool = False
    numbered: bool = False
    located: bool = False

    @property
    def value_bytes(self) -> int:
        """Bytes of a partial result in scratch memory."""
        if self.value_type:
            return _UNKNOWN_BYTES
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
            [
                *(["int64_t(dimensions.results) * dimensions.length"] if spec.counted else []),
                *(["int64_t(dimensions.results)"] if spec.map_counted else []),
            ],
        )

    def value(self) -> str:
        return self.spec.value_type or user_code.TYPES[self.spec.neutral.dtype]

    def members(self) -> list[KernelParameter]:
        """Data members of the function object, which are kernel parameters."""
        found = operands(self.spec)
        for x in self.extra:
            name = f"extra_{x.name}"
            found.append(
                x.parameter(name, self.narrow) if x.kind == "raw" else scalar(name, x.dtype)
            )
        return found

    def _extra_parameters(self) -> list[str]:
        return [
            f"const {x.array(self.narrow)}& {x.name}" if x.kind == "raw"
            else f"const {x.type} {x.name}"
            for x in self.extra
        ]  # fmt: skip

    def _extra_values(self) -> list[str]:
        return [
            f"extra_{x.name}" if x.kind == "raw" else user_code.as_user(x, f"extra_{x.name}")
            for x in self.extra
        ]

    def functions(self) -> str:
        """User code, as functions at global scope."""
        spec = self.spec
        value = "_type_reduce"
        parameters = [f"const {x.type} {x.name}" for x in self.arrays] + self._extra_parameters()
        lines = []
        if spec.map_counted:
            name = "_elements" if spec.located else "_in_ind"
            parameters += [f"const gpuarray::Extent {name}", "const gpuarray::Extent _out_ind"]
        if spec.numbered:
            parameters.append("const ptrdiff_t _j")
            lines.append("const ptrdiff_t _J = _j / _out_ind.size(), _i = _j % _out_ind.size();")
        if spec.located:
            lines += self._locate()
        lines.append(f"return static_cast<{value}>({spec.map_code});")
        text = f"typedef {self.value()} {value};\n"
        if spec.value_type:
            fits = f"sizeof({value}) <= {_UNKNOWN_BYTES}"
            text += f'static_assert({fits}, "reduce_type is too large");\n'
        text += user_code.function(f"{value} gpuarray_map", parameters, "\n".join(lines))
        text += user_code.function(
            f"{value} gpuarray_reduce",
            [f"const {value} a", f"const {value} b"],
            f"return static_cast<{value}>({spec.reduce_code});",
        )
        if spec.identity:
            text += user_code.function(
                f"{value} gpuarray_identity", [], f"return {value}({spec.identity});"
            )
        parameters = [f"{value} a", f"{self.output.type}& {self.output.name}"]
        parameters += [p for p, x in zip(self._extra_parameters(), self.extra) if x.name != "a"]
        if spec.counted:
            parameters += ["const gpuarray::Extent _in_ind", "const gpuarray::Extent _out_ind"]
        return text + user_code.function("void gpuarray_post", parameters, f"{spec.post_code};")

    def _locate(self) -> list[str]:
        """The lines that make ``_in_ind``, the coordinates of an element."""
        shape = self.extra[-1]
        return [
            f"CIndexer<{shape.ndim}> _in_ind;",
            "_in_ind.size_ = _elements.size();",
            "#pragma unroll",
            f"for (int axis = 0; axis < {shape.ndim}; ++axis)",
            f"    _in_ind.shape_[axis] = {shape.name}.shape()[axis];",
            "_in_ind.set(_j);",
        ]

    def function(self, members: list[KernelParameter]) -> list[str]:
        """The lines of the function object."""
        spec, output = self.spec, self.output
        optional = not spec.identity
        names = [f"operand{i}[offsets[{i}]]" for i in range(len(self.arrays))]
        elements = [f"{cpp_name(x.dtype)}({name})" for x, name in zip(self.arrays, names)]
        first = cpp_name(self.arrays[0].dtype)
        parameters = [f"{cpp_name(x.dtype)} in{i}" for i, x in enumerate(self.arrays)]
        index = f"{spec.index}_t"
        passed = [
            *[user_code.as_user(x, f"in{i}") for i, x in enumerate(self.arrays)],
            *self._extra_values(),
        ]
        if spec.map_counted:
            passed += ["Extent{count}", "Extent{results}"]
        if spec.numbered:
            parameters.append(f"{index} number")
            passed.append("number")
            elements.append(f"offsets[{len(self.arrays)}]")
        mapped = f"::gpuarray_map({', '.join(passed)})"
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
        stored = f"Stored<{cpp_name(output.dtype)}>::type"
        return [
            f"typedef {'Optional<::_type_reduce>' if optional else '::_type_reduce'} Value;",
            "typedef Totals<Function> Thread;",
            f"typedef Stored<{first}>::type Element;",
            "enum { INDICES = 0, PACKED = 1, COMPUTED = 0 };",
            *[f"{member.declaration};" for member in members],
            *(["int64_t count;"] if spec.counted else []),
            *(["int64_t results;"] if spec.map_counted else []),
            "",
            "GPUARRAY_DEVICE const Element* elements() const { return operand0; }",
            f"GPUARRAY_DEVICE static Value neutral() {{ return {neutral}; }}",
            f"GPUARRAY_DEVICE Value map({', '.join(parameters)}) const {{",
            f"    return {f'Value{{{mapped}, true}}' if optional else mapped};",
            "}",
            *(
                [f"GPUARRAY_DEVICE Value of(Element element, {index}) const {{",
                 f"    return map({first}(element));", "}"]
                if len(spec.inputs) == 1
                else []
            ),
            f"GPUARRAY_DEVICE Value load(const {index}* offsets, {index}) const {{",
            f"    return map({', '.join(elements)});",
            "}",
            "GPUARRAY_DEVICE static Value combine(Value a, Value b) {",
            *[f"    {line}" for line in combined],
            "}",
            f"GPUARRAY_DEVICE void finish({stored}& out, Value value, int64_t length) const {{",
            f"    {output.qualified} result{{}};",
            f"    ::gpuarray_post({', '.join(post)});",
            f"    {user_code.store(output, 'out', 'result')}",
            "}",
        ]  # fmt: skip
