"""The family of steps of Krylov methods: from a row of a table to CUDA C++ (`krylov.cuh`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from gpuarray._dtypes import category, cpp_name
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.parameters import declared, number, pointer
from gpuarray.kernels.generator.source import KernelSource, check_choice

BLOCK = 256

#: Blocks for which a multiprocessor's registers suffice, and all that run.
RESIDENT = 4

#: Accesses to each vector that a thread has under way.
AHEAD = 2

DTYPES = ("f4", "f8", "c8", "c16")


class Step(NamedTuple):
    """A row of `STEPS`.

    Attributes
    ----------
    vectors, numbers : tuple of str
        What elements, and what numbers in device memory, are called.
    shared : mapping
        What is made once of the numbers: names and C++ expressions.
    results : mapping
        What becomes of an element: names and C++ expressions of elements and of what is shared.
    product : tuple of str
        The results of which the dot product is made; the first one is conjugated. None for no
        dot product.
    """

    vectors: tuple[str, ...]
    numbers: tuple[str, ...]
    shared: Mapping[str, str]
    results: Mapping[str, str]
    product: tuple[str, str] | None


STEPS = {
    # Conjugate gradients: the residual and its square; then the solution, which is behind by one
    # direction, and the next direction.
    "cg_residual": Step(
        ("r", "q"),
        ("rho", "pq"),
        {"alpha": "quotient(rho, pq)"},
        {"next_r": "r - alpha * q"},
        ("next_r", "next_r"),
    ),
    "cg_direction": Step(
        ("x", "p", "z"),
        ("rho", "before", "pq"),
        {"alpha": "quotient(before, pq)", "beta": "quotient(rho, before)"},
        {"next_x": "x + alpha * p", "next_p": "z + beta * p"},
        None,
    ),
    # Stabilised biconjugate gradients: the residual halfway, and its square.
    "bicgstab_half": Step(
        ("r", "v"),
        ("rho", "rv"),
        {"alpha": "quotient(rho, rv)"},
        {"s": "r - alpha * v"},
        ("s", "s"),
    ),
}


#: What the kernel of a step with a dot product has for it.
_SUMS = ("product", "shown", "parts", "counters")


@dataclass(frozen=True, slots=True)
class StepSpec:
    """A step of numbers of a dtype."""

    name: str
    dtype: str

    def __post_init__(self) -> None:
        check_choice("name", self.name, STEPS)
        check_choice("dtype", self.dtype, DTYPES)


_SOURCE = """\
{includes}
namespace gpuarray {{

struct Step {{
    typedef {type} Value;
    enum {{ VECTORS = {vectors}, RESULTS = {results}, HAS_PRODUCT = {has_product} }};

    Value {shared};

    GPUARRAY_DEVICE Step({numbers}) : {shared_values} {{}}
    GPUARRAY_DEVICE void apply(
        Value* results, const Value* vectors, Value& left, Value& right) const {{
        const Value {elements};
        const Value {made};
        {stores}
        {factors}
    }}
}};

extern "C" __global__ void __launch_bounds__({block}, {resident}) {symbol}(
    {parameters}) {{
    {type}* const results[] = {{{result_names}}};
    const {type}* const vectors[] = {{{vector_names}}};
    VectorStep<Step, {terms}, {block}, {ahead}>::run(
        results, vectors, Step({read_numbers}), {sums}, size);
}}

}}  // namespace gpuarray
"""


def render(spec: StepSpec) -> KernelSource:
    """Return the CUDA C++ of a step."""
    step = STEPS[spec.name]
    kind = cpp_name(spec.dtype)
    has_product = step.product is not None
    factors = step.product or ("Value()", "Value()")
    parameters = (
        *[pointer(name, kind) for name in step.results],
        *[pointer("product", kind), pointer("shown", kind)] * has_product,
        *[pointer(name, f"const {kind}") for name in (*step.vectors, *step.numbers)],
        *[pointer("parts", kind), pointer("counters", "uint32_t")] * has_product,
        number("size", "int64_t"),
    )
    symbol = f"gpuarray_krylov_{spec.name}__{spec.dtype}"
    is_complex = category(spec.dtype) == "complex"
    source = _SOURCE.format(
        includes='#include "gpuarray/krylov.cuh"',
        type=kind,
        vectors=len(step.vectors),
        results=len(step.results),
        shared=", ".join(step.shared),
        numbers=", ".join([f"Value {name}" for name in step.numbers]),
        shared_values=", ".join([f"{name}({text})" for name, text in step.shared.items()]),
        elements=", ".join([f"{name} = vectors[{i}]" for i, name in enumerate(step.vectors)]),
        made=", ".join([f"{name} = {text}" for name, text in step.results.items()]),
        stores=" ".join([f"results[{i}] = {name};" for i, name in enumerate(step.results)]),
        has_product=int(has_product),
        factors=f"left = {factors[0]}; right = {factors[1]};",
        sums="product, shown, parts, counters"
        if has_product
        else "nullptr, nullptr, nullptr, nullptr",
        ahead=AHEAD,
        block=BLOCK,
        resident=RESIDENT,
        symbol=symbol,
        parameters=declared(parameters),
        result_names=", ".join(step.results),
        vector_names=", ".join(step.vectors),
        terms=f"ComplexTerms<{kind}, true>" if is_complex else f"FloatTerms<{kind}, {kind}>",
        read_numbers=", ".join([f"*{name}" for name in step.numbers]),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
