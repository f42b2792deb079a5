"""Function objects of the reduction family: what is known of the elements that were met.

One class for each state of `ReductionSpec`; each is a few lines of C++ beside the common ones.
What the members mean is said in ``reduction.cuh``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray.kernels.generator.expressions import Cast, Constant, Expression, Input, Scalar, walk
from gpuarray.kernels.generator.parameters import KernelParameter, pointer, scalar
from gpuarray.kernels.generator.render import CALLED, DEVICE, Body, is_heavy
from gpuarray.kernels.reduction import computed
from gpuarray.kernels.reduction.tables import real

if TYPE_CHECKING:
    from gpuarray.kernels.reduction.spec import ReductionSpec

#: What `ReductionSpec.finished` reads: the value, the number of elements, and `initial`.
VALUE, COUNT, INITIAL = 0, 1, 2


def function_of(spec: ReductionSpec, headers: set[str]) -> Function:
    """The function object of a specification; the headers that it needs are added."""
    return _STATES[spec.state](spec, headers)


def operands(spec: ReductionSpec) -> list[KernelParameter]:
    """The parameters for the inputs."""
    if spec.computed is not None:
        return computed.members(spec.computed)
    return [
        pointer(f"operand{i}", f"const Stored<{cpp_name(x.dtype)}>::type")
        for i, x in enumerate(spec.inputs)
    ]


class Function:
    """The combination of elements."""

    thread = "Totals<Function>"

    def __init__(self, spec: ReductionSpec, headers: set[str]) -> None:
        self.spec = spec
        self.headers = headers
        self.element = cpp_name(spec.neutral.dtype)  # what an element is mapped to
        self.taken = spec.inputs[:-1] if spec.masked else spec.inputs
        if spec.partial:
            self.element = cpp_name(spec.partial.dtype)
            self.thread = "Totals<Function, Items>"

    def value(self) -> str:
        """The type of what is known of the elements that threads have met."""
        return cpp_name(self.spec.neutral.dtype)

    def items(self) -> str:
        """How a thread combines its own items, where that is not how values are combined."""
        partial = self.spec.partial
        if partial is None:
            return ""
        lines = [
            f"typedef {self.element} Value;",
            *self.neutral(partial.dtype),
            *self.pairwise(self.element, _with_dtype(self.spec.combined, partial.dtype)),
        ]
        text = "\n".join([f"    {line}" for line in lines])
        return f"struct Items {{\n{text}\n}};\n\n"

    def members(self) -> list[KernelParameter]:
        """Its data members, which are also the kernel's parameters behind the output."""
        result = operands(self.spec)
        if self.spec.initial is not None:
            result.append(scalar("initial", self.spec.initial))
        result += [scalar(f"scalar{i}", x) for i, x in enumerate(self.spec.scalars)]
        return result

    def held(self) -> list[str]:
        """The declarations of its data members."""
        members = [x.declaration for x in (*self.members(), *self.places())]
        if self.spec.computed is not None:
            found = computed.held(self.spec.computed)
            members[: len(found)] = found
        return members

    def places(self) -> list[KernelParameter]:
        """Its last data member, where elements are computed of operands that lie otherwise."""
        if self.spec.computed is None:
            return []
        return computed.places(self.spec.computed, self.spec.index)

    def text(self) -> str:
        """The members of the struct."""
        spec = self.spec
        packed = 4 if spec.reads_words else 1
        lines = [
            f"typedef {self.value()} Value;",
            f"typedef {self.thread} Thread;",
            f"typedef Stored<{cpp_name(spec.inputs[0].dtype)}>::type Element;",
            f"enum {{ INDICES = {int(spec.finds_index)}, PACKED = {packed} }};",
            f"enum {{ COMPUTED = {int(spec.computed is not None)} }};",
            *(f"{declaration};" for declaration in self.held()),
            "",
            *self.elements(),
            *self.neutral(spec.neutral.dtype),
            *self.map(),
            *self.item(),
            *self.of(),
            *self.packed(),
            *self.load(),
            *self.combine(),
            *self.finish(),
        ]
        return "\n".join(f"    {line}" if line else "" for line in lines)

    # ---- what states differ in -------------------------------------------------------------------

    def neutral(self, dtype: str) -> list[str]:
        """What changes no value."""
        neutral = _with_dtype(self.spec.neutral, dtype)
        return self.body("GPUARRAY_DEVICE static Value neutral()", neutral)

    def made(self, mapped: str) -> str:
        """The item of an element."""
        return mapped

    def combine(self) -> list[str]:
        """How two values make one."""
        return self.pairwise(self.value(), self.spec.combined)

    def finish(self) -> list[str]:
        """How the result is stored."""
        return self.stored("Value", f"const {self.value()} in{VALUE} = value;", "length")

    # ---- common to all ---------------------------------------------------------------------------

    def body(self, head: str, expression: Expression, tail: str = "return {};") -> list[str]:
        """A function that computes an expression."""
        body = Body()
        result = body.value(expression)
        self.headers |= body.headers
        return [head + " {", *(f"    {x}" for x in (*body.lines, tail.format(result))), "}"]

    def pairwise(self, value: str, combined: Expression) -> list[str]:
        """The combination of two items or values."""
        head = f"{CALLED if is_heavy(combined) else DEVICE} static {value} combine"
        return self.body(f"{head}({value} in0, {value} in1)", combined)

    def parameters(self) -> str:
        """One element of every operand."""
        return ", ".join([f"{cpp_name(x.dtype)} in{i}" for i, x in enumerate(self.taken)])

    def map(self) -> list[str]:
        """What an element becomes."""
        partial = self.spec.partial
        mapped = Cast(partial.dtype if partial else self.spec.neutral.dtype, self.spec.mapped)
        scalars = self.scalars(len(self.spec.inputs), _used(mapped))
        static, const = ("", " const") if scalars else ("static ", "")
        head = f"GPUARRAY_DEVICE {static}{self.element} map({self.parameters()}){const}"
        lines = self.body(head, mapped)
        lines[1:1] = scalars
        present = self.spec.present
        if present is not None:
            head = f"GPUARRAY_DEVICE static bool present({self.parameters()})"
            lines += self.body(head, present)
        return lines

    def scalars(self, first: int, used: set[int]) -> list[str]:
        """The scalars that an expression uses, as the variables that it names."""
        return [
            f"    const {cpp_name(x)} in{first + i} = scalar{i};"
            for i, x in enumerate(self.spec.scalars)
            if first + i in used
        ]

    def elements(self) -> list[str]:
        """Where elements are, or how they are computed."""
        if self.spec.computed is not None:
            return computed.text(self.spec.computed, self.spec.index, self.headers)
        return ["GPUARRAY_DEVICE const Element* elements() const { return operand0; }"]

    def index_parameter(self) -> str:
        """The parameter for an element's index, without a name where nobody asks for it."""
        return f"{self.spec.index}_t" + (" index" if self.spec.finds_index else "")

    def item(self) -> list[str]:
        """The item of one element of every operand."""
        names = ", ".join([f"in{i}" for i in range(len(self.taken))])
        lines = [
            f"GPUARRAY_DEVICE auto item({self.parameters()}, {self.index_parameter()}) const {{",
            f"    return Thread::Item({self.made(f'map({names})')});",
            "}",
        ]
        if self.spec.present is not None:
            lines.insert(1, f"    if (!present({names})) return Thread::nothing();")
        return lines

    def of(self) -> list[str]:
        """The item of the only operand's element, for those that load it themselves."""
        if len(self.taken) != 1:
            return []
        return [
            f"GPUARRAY_DEVICE auto of(Element element, {self.spec.index}_t index) const {{",
            f"    return item({cpp_name(self.spec.inputs[0].dtype)}(element), index);",
            "}",
        ]

    def packed(self) -> list[str]:
        """The item of four elements."""
        if self.spec.packed is None or not self.spec.reads_words:
            return []
        made = self.made(f"{self.element}({self.spec.packed.word})")
        return [
            f"GPUARRAY_DEVICE static auto packed(uint32_t word, {self.index_parameter()}) {{",
            f"    return Thread::Item({made});",
            "}",
        ]

    def load(self) -> list[str]:
        """The item at some offsets."""
        spec = self.spec
        parameters = f"const {spec.index}_t* offsets, {spec.index}_t index"
        lines = [f"GPUARRAY_DEVICE auto load({parameters}) const {{"]
        if spec.masked:
            mask = len(spec.inputs) - 1
            lines.append(f"    if (operand{mask}[offsets[{mask}]] == 0) return Thread::nothing();")
        arguments = ", ".join(
            f"{cpp_name(x.dtype)}(operand{i}[offsets[{i}]])" for i, x in enumerate(self.taken)
        )
        if spec.computed is not None:
            arguments = f"{cpp_name(spec.inputs[0].dtype)}(at(offsets[0]))"
        return [*lines, f"    return item({arguments}, index);", "}"]

    def stored(self, parameter: str, value: str, count: str) -> list[str]:
        """The function that stores a result."""
        spec = self.spec
        output = f"Stored<{cpp_name(spec.output_dtype)}>::type& out"
        head = f"GPUARRAY_DEVICE void finish({output}, {parameter} value, int64_t length) const"
        lines = self.body(head, Cast(spec.output_dtype, spec.finished), "out = {};")
        known = {VALUE: value, COUNT: f"const int64_t in{COUNT} = {count};"}
        if spec.initial is not None:
            known[INITIAL] = f"const {cpp_name(spec.initial)} in{INITIAL} = initial;"
        used = _used(spec.finished)
        names = [f"    {text}" for i, text in known.items() if i in used]
        lines[1:1] = names + self.scalars(INITIAL + 1, used)
        return lines


class Indices(Function):
    """The index of the element that beats all others."""

    def value(self) -> str:
        return f"Candidate<{self.element}, {self.spec.index}_t>"

    def nowhere(self) -> int:
        """An index beyond all others: any element wins against it."""
        return 2 ** (8 * itemsize(self.index()) - 1) - 1

    def index(self) -> str:
        """The dtype of indices."""
        return self.spec.index.replace("int64", "i8").replace("int32", "i4")

    def neutral(self, dtype: str) -> list[str]:
        head = "GPUARRAY_DEVICE static Value neutral()"
        return self.body(head, self.spec.neutral, f"return Value{{{{{{}}, {self.nowhere()}}}}};")

    def made(self, mapped: str) -> str:
        return f"Value{{{mapped}, index}}"

    def combine(self) -> list[str]:
        element, index, nowhere = self.element, f"{self.spec.index}_t", self.nowhere()
        head = f"GPUARRAY_DEVICE static bool beats({element} in0, {element} in1)"
        return [
            *self.body(head, self.spec.combined),
            "GPUARRAY_DEVICE static Value combine(Value a, Value b) {",
            "    const bool first = beats(a.value, b.value), second = beats(b.value, a.value);",
            "    return second | (!first & (b.index < a.index)) ? b : a;",
            "}",
            "GPUARRAY_DEVICE static void follow(Value& best, Value next) {",
            "    if (beats(next.value, best.value)) best = next;",
            "}",
            f"GPUARRAY_DEVICE static void settle(Value& best, {index} first) {{",
            f"    if (best.index == {nowhere}) best.index = first;",
            "}",
            f"GPUARRAY_DEVICE static Value moved(Value best, {index} base, {index} stride) {{",
            f"    if (best.index != {nowhere}) best.index = base + best.index * stride;",
            "    return best;",
            "}",
        ]

    def finish(self) -> list[str]:
        spec = self.spec
        output = f"Stored<{cpp_name(spec.output_dtype)}>::type& out"
        head = f"GPUARRAY_DEVICE void finish({output}, Value value, int64_t) const"
        answer = Cast(spec.output_dtype, Input(VALUE, self.index()))
        lines = self.body(head, answer, "out = {};")
        lines.insert(1, f"    const {spec.index}_t in{VALUE} = value.index;")
        return lines


class CountedValues(Function):
    """The combination of elements, and how many took part."""

    def value(self) -> str:
        return f"Counted<{self.element}, {self.spec.index}_t>"

    def neutral(self, dtype: str) -> list[str]:
        head = "GPUARRAY_DEVICE static Value neutral()"
        return self.body(head, self.spec.neutral, "return Value{{{}, 0}};")

    def made(self, mapped: str) -> str:
        return f"Value{{{mapped}, 1}}"

    def combine(self) -> list[str]:
        lines = self.pairwise(self.element, self.spec.combined)
        return [
            *lines,
            "GPUARRAY_DEVICE static Value combine(Value a, Value b) {",
            "    return Value{combine(a.value, b.value), a.count + b.count};",
            "}",
        ]

    def finish(self) -> list[str]:
        return self.stored("Value", f"const {self.element} in{VALUE} = value.value;", "value.count")


class Moments(Function):
    """Count, mean and squared deviations."""

    def __init__(self, spec: ReductionSpec, headers: set[str]) -> None:
        super().__init__(spec, headers)
        self.part = cpp_name(real(spec.neutral.dtype))
        self.types = f"{self.element}, {self.part}, {spec.index}_t"
        some = "true" if spec.masked or spec.present is not None else "false"
        self.thread = f"Deviations<{self.types}, {some}>"
        headers.add("gpuarray/moments.cuh")

    def value(self) -> str:
        return f"Moments<{self.types}>"

    def neutral(self, dtype: str) -> list[str]:
        zero = f"{self.element}(0)"
        return [
            "GPUARRAY_DEVICE static Value neutral() {",
            f"    return Value{{{zero}, {zero}, {self.part}(0), 0}};",
            "}",
        ]

    def made(self, mapped: str) -> str:
        return f"Thread::Item{{{mapped}, true}}"

    def combine(self) -> list[str]:
        return [
            "GPUARRAY_DEVICE static Value combine(const Value& a, const Value& b) {",
            "    return moments::combine(a, b);",
            "}",
        ]

    def finish(self) -> list[str]:
        value = f"const {self.part} in{VALUE} = value.squares;"
        return self.stored("const Value&", value, "value.count")


class Squares(Function):
    """Sums of integers and of their squares."""

    def __init__(self, spec: ReductionSpec, headers: set[str]) -> None:
        super().__init__(spec, headers)
        self.element = "NarrowSquares"
        bytes_only = itemsize(spec.inputs[0].dtype) == 1
        self.thread = f"Squares<{'true' if bytes_only else 'false'}>"
        headers.add("gpuarray/integer_moments.cuh")

    def value(self) -> str:
        return "SumOfSquares"

    def neutral(self, dtype: str) -> list[str]:
        return ["GPUARRAY_DEVICE static Value neutral() { return Value{0, 0}; }"]

    def map(self) -> list[str]:
        head = f"GPUARRAY_DEVICE static NarrowSquares map({self.parameters()})"
        return self.body(head, Cast("i4", self.spec.mapped), "return squares_of({});")

    def combine(self) -> list[str]:
        return [
            "GPUARRAY_DEVICE static Value combine(const Value& a, const Value& b) {",
            "    return Value{a.sum + b.sum, a.squares + b.squares};",
            "}",
        ]

    def finish(self) -> list[str]:
        value = f"const double in{VALUE} = value.deviations(length);"
        return self.stored("const Value&", value, "length")


#: The member function of ``LogSum`` that gives `VALUE`, by state.
_OF_LOG_SUMS = {"logsum": "logarithm", "logsum_magnitude": "magnitude", "logsum_sign": "sign"}


class LogSums(Function):
    """The greatest exponent, its weight, and the sum of the other exponentials beside it."""

    def __init__(self, spec: ReductionSpec, headers: set[str]) -> None:
        super().__init__(spec, headers)
        headers.add("gpuarray/logsumexp.cuh")

    def value(self) -> str:
        return f"LogSum<{self.element}>"

    def neutral(self, dtype: str) -> list[str]:
        head, zero = "GPUARRAY_DEVICE static Value neutral()", f"{self.element}(0)"
        return self.body(head, self.spec.neutral, f"return Value{{{{{{}}, {zero}, {zero}}}}};")

    def made(self, mapped: str) -> str:
        weight = f", {self.element}(in1)" if len(self.taken) == 2 else ""
        return f"logsumexp::item({mapped}{weight})"

    def combine(self) -> list[str]:
        return [
            "GPUARRAY_DEVICE static Value combine(Value a, Value b) {",
            "    return logsumexp::combine(a, b);",
            "}",
        ]

    def finish(self) -> list[str]:
        member = _OF_LOG_SUMS[self.spec.state]
        value = f"const {self.element} in{VALUE} = value.{member}();"
        return self.stored("Value", value, "length")


_STATES = {
    "value": Function,
    "index": Indices,
    "counted": CountedValues,
    "moments": Moments,
    "squares": Squares,
    **dict.fromkeys(_OF_LOG_SUMS, LogSums),
}


def _used(expression: Expression) -> set[int]:
    """The inputs and scalars that an expression names."""
    return {x.index for x in walk(expression) if isinstance(x, Input | Scalar)}


def _with_dtype(expression: Expression, dtype: str) -> Expression:
    """A neutral value, or a combination of Input 0 and 1, in another dtype."""
    if isinstance(expression, Constant):
        return Constant(expression.value, dtype)
    if isinstance(expression, Input):
        return Input(expression.index, dtype)
    operands = tuple([_with_dtype(x, dtype) for x in expression.operands])
    return type(expression)(expression.operation, operands, dtype)  # type: ignore
