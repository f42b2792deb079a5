"""The distributions: parameters, results, device code (`continuous.cuh`, `discrete.cuh`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuarray._dtypes import cpp_name, itemsize
from gpuarray.kernels.generator.headers import cuda_headers
from gpuarray.kernels.generator.operations import HUGE, Code, Operation
from gpuarray.kernels.generator.parameters import (
    KernelParameter,
    declared,
    names,
    number,
    pointer,
    scalar,
)
from gpuarray.kernels.generator.source import KernelSource, check_choice


class Distribution(NamedTuple):
    """A distribution of single numbers.

    Attributes
    ----------
    parameters : tuple of str
        The dtypes of its parameters.
    result : str
        The dtype of its variates.
    operation : Operation
        Of a key, a place in the stream of that key, and the parameters.
    """

    parameters: tuple[str, ...]
    result: str
    operation: Operation


def _distribution(name: str, parameters: str, result: str, header: str) -> Distribution:
    codes = tuple(parameters.split())
    operands = ", ".join([f"in{i}" for i in range(2 + len(codes))])
    text = f"gpuarray::{name}::draw_at({operands})"
    code = Code(text, f"gpuarray/{header}.cuh", HUGE)
    operation = Operation(name, 2 + len(codes), 1, {"unsigned": (code,)})
    return Distribution(codes, result, operation)


def _continuous(name: str, count: int) -> Distribution:
    return _distribution(name, " ".join(["f8"] * count), "f8", "continuous")


def _discrete(name: str, parameters: str) -> Distribution:
    return _distribution(name, parameters, "i8", "discrete")


#: By NumPy's name. `log_gamma` is what Dirichlet variates are made of, `word` random bits,
#: `permuted_index` a number's place in a random order.
DISTRIBUTIONS = {
    "beta": _continuous("Beta", 2),
    "binomial": _discrete("Binomial", "i8 f8"),
    "chisquare": _continuous("ChiSquare", 1),
    "exponential": _continuous("Exponential", 1),
    "f": _continuous("F", 2),
    "gamma": _continuous("Gamma", 2),
    "geometric": _discrete("Geometric", "f8"),
    "gumbel": _continuous("Gumbel", 2),
    "hypergeometric": _discrete("Hypergeometric", "i8 i8 i8"),
    "integers": _distribution("Integers", "u8 u8", "u8", "discrete"),
    "laplace": _continuous("Laplace", 2),
    "log_gamma": _continuous("LogGamma", 1),
    "logistic": _continuous("Logistic", 2),
    "lognormal": _continuous("LogNormal", 2),
    "logseries": _discrete("LogSeries", "f8"),
    "negative_binomial": _discrete("NegativeBinomial", "f8 f8"),
    "noncentral_chisquare": _continuous("NoncentralChiSquare", 2),
    "noncentral_f": _continuous("NoncentralF", 3),
    "normal": _continuous("Normal", 2),
    "pareto": _continuous("Pareto", 1),
    "permuted_index": _discrete("PermutedIndex", "i8"),
    "poisson": _discrete("Poisson", "f8"),
    "power": _continuous("Power", 1),
    "random": _continuous("Random", 0),
    "rayleigh": _continuous("Rayleigh", 1),
    "standard_cauchy": _continuous("StandardCauchy", 0),
    "standard_exponential": _continuous("StandardExponential", 0),
    "standard_gamma": _continuous("StandardGamma", 1),
    "standard_normal": _continuous("StandardNormal", 0),
    "standard_t": _continuous("StandardT", 1),
    "triangular": _continuous("Triangular", 3),
    "uniform": _continuous("Uniform", 2),
    "vonmises": _continuous("VonMises", 2),
    "wald": _continuous("Wald", 2),
    "weibull": _continuous("Weibull", 1),
    "word": _distribution("RandomWord", "", "u8", "draws"),
    "zipf": _discrete("Zipf", "f8"),
}

BLOCK = 256

#: Philox blocks of a thread that fills an array: they overlap, and share the rounds' keys.
_VECTORS = 8

#: By name: how `fill.cuh` makes elements of a Philox block.
FILLS = {"random": "RandomFill", "normal": "NormalFill", "exponential": "ExponentialFill"}


@dataclass(frozen=True, slots=True)
class FillSpec:
    """An array of variates of one distribution with two numbers as its parameters."""

    fill: str  # of FILLS
    dtype: str

    def __post_init__(self) -> None:
        check_choice("fill", self.fill, FILLS)
        check_choice("dtype", self.dtype, ("f4", "f8"))


_FILL = """\
#include "gpuarray/fill.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    {function}({names});
}}

}}  // namespace gpuarray
"""


def _filled(
    symbol: str, function: str, out: str, words: int, scalars: Sequence[KernelParameter]
) -> KernelSource:
    """A kernel that stores variates, of which `words` share a Philox block."""
    parameters = (
        pointer("out", out),
        *scalars,
        scalar("key", "u8"),
        scalar("place", "u8"),
        number("size", "uint64_t"),
    )
    order = ["out", "size", *[x.name for x in scalars], "key", "place"]
    source = _FILL.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        function=function,
        names=", ".join(order),
    )
    items = words * _VECTORS
    return KernelSource(symbol, source, cuda_headers(), parameters, items, BLOCK, vector=words)


def render_fill(spec: FillSpec) -> KernelSource:
    """Return the CUDA C++ that fills an array."""
    name = cpp_name(spec.dtype)
    return _filled(
        f"gpuarray_fill_{spec.fill}__{spec.dtype}",
        f"fill_with<{FILLS[spec.fill]}<{name}>, {name}, {BLOCK}, {_VECTORS}>",
        name,
        16 // itemsize(spec.dtype),
        [scalar("first", spec.dtype), scalar("second", spec.dtype)],
    )


@dataclass(frozen=True, slots=True)
class IntegersSpec:
    """An array of integers of one range."""

    dtype: str
    wide: bool  # made of 64 bits each, and not of 32

    def __post_init__(self) -> None:
        if self.wide and itemsize(self.dtype) < 8:
            raise ValueError(f"a range of {self.dtype} needs 32 bits of each word at most")


def render_integers(spec: IntegersSpec) -> KernelSource:
    """Return the CUDA C++ that fills an array with integers."""
    name = "uint8_t" if spec.dtype == "b1" else cpp_name(spec.dtype)
    word = "uint64_t" if spec.wide else "uint32_t"
    return _filled(
        f"gpuarray_fill_integers__{spec.dtype}{'_wide' if spec.wide else ''}",
        f"fill_integers<{word}, {name}, {BLOCK}, {_VECTORS}>",
        name,
        2 if itemsize(spec.dtype) == 8 else 4,
        [scalar("low", "u8"), scalar("last", "u8"), scalar("least", "u8")],
    )


#: Distributions by rejection, of which warps draw many variates, and what these are stored as.
SAMPLERS = {
    "beta": ("Beta", ("f8", "f4")),
    "binomial": ("Binomial", ("i8", "i4")),
    "chisquare": ("ChiSquare", ("f8", "f4")),
    "f": ("F", ("f8", "f4")),
    "gamma": ("Gamma", ("f8", "f4")),
    "geometric": ("Geometric", ("i8", "i4")),
    "hypergeometric": ("Hypergeometric", ("i8", "i4")),
    "log_gamma": ("LogGamma", ("f8",)),
    "negative_binomial": ("NegativeBinomial", ("i8", "i4")),
    "noncentral_chisquare": ("NoncentralChiSquare", ("f8", "f4")),
    "noncentral_f": ("NoncentralF", ("f8", "f4")),
    "poisson": ("Poisson", ("i8", "i4")),
    "standard_gamma": ("StandardGamma", ("f8", "f4")),
    "standard_t": ("StandardT", ("f8", "f4")),
    "vonmises": ("VonMises", ("f8", "f4")),
    "zipf": ("Zipf", ("i8", "i4")),
}

#: Those of them whose blocks may make a table first.
TABLED = ("binomial", "hypergeometric", "negative_binomial", "poisson")

#: Threads of a block, and blocks of a multiprocessor at once: a warp draws until none is left.
SAMPLER_BLOCK, SAMPLER_RESIDENT = 128, 6


@dataclass(frozen=True, slots=True)
class SamplerSpec:
    """An array of variates of one distribution, whose parameters are numbers."""

    name: str  # of SAMPLERS
    dtype: str
    words: bool  # places are words of memory, of key 0
    tabled: bool = False  # blocks make a table first
    cycled: bool = False  # the one parameter is a row of memory, for as many neighbours

    def __post_init__(self) -> None:
        check_choice("name", self.name, SAMPLERS)
        check_choice("dtype", self.dtype, SAMPLERS[self.name][1])


_SAMPLER = """\
#include "gpuarray/{header}.cuh"
#include "gpuarray/samplers.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}, {resident}) {symbol}(
    {parameters}) {{
{body}    draw_all<{block}>({samplers}, out, size, {places});
}}

}}  // namespace gpuarray
"""


def render_sampler(spec: SamplerSpec) -> KernelSource:
    """Return the CUDA C++ that draws with one set of parameters, or a row of them."""
    codes = DISTRIBUTIONS[spec.name].parameters
    if spec.words:
        places = [pointer("words", "const uint64_t")]
    else:
        places = [scalar("key", "u8"), scalar("place", "u8")]
    struct = SAMPLERS[spec.name][0]
    if spec.cycled:
        given = [pointer("row", "const double"), number("length", "uint64_t")]
        body = f"    __shared__ uint64_t made[Cycled<{struct}>::MOST * sizeof({struct}) / 8];\n"
        body += f"    {struct}* const all = reinterpret_cast<{struct}*>(made);\n"
        samplers = f"Cycled<{struct}>::of<{SAMPLER_BLOCK}>(all, row, length)"
    else:
        given = [scalar(f"p{i}", x) for i, x in enumerate(codes)]
        body = f"    {struct} sampler({', '.join([x.name for x in given])});\n"
        samplers = f"Same<{struct}>{{sampler}}"
    if spec.tabled:
        body += "    __shared__ double table[Tabled::LENGTH];\n"
        body += f"    sampler.prepare<{SAMPLER_BLOCK}>(table);\n"
    out, size = pointer("out", cpp_name(spec.dtype)), number("size", "uint64_t")
    parameters = (out, *places, *given, size)
    marks = "".join([f"_{x}" for x in ("words", "tabled", "cycled") if getattr(spec, x)])
    symbol = f"gpuarray_sample_{spec.name}__{spec.dtype}{marks}"
    source = _SAMPLER.format(
        header="continuous" if DISTRIBUTIONS[spec.name].result == "f8" else "discrete",
        block=SAMPLER_BLOCK,
        resident=SAMPLER_RESIDENT,
        symbol=symbol,
        parameters=declared(parameters),
        body=body,
        samplers=samplers,
        places="PlacesOfWords{words}" if spec.words else "PlacesOfKey{key, place}",
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, SAMPLER_BLOCK)


@dataclass(frozen=True, slots=True)
class SharesSpec:
    """Rows of numbers, given by their logarithms, over their sums."""

    lanes: int  # of a row: a power of two up to 32

    def __post_init__(self) -> None:
        if self.lanes not in (1, 2, 4, 8, 16, 32):
            raise ValueError(f"lanes is {self.lanes}; it is a power of two up to 32")


_SHARES = """\
#include "gpuarray/shares.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    to_shares<{block}, {lanes}>({names});
}}

}}  // namespace gpuarray
"""


def render_shares(spec: SharesSpec) -> KernelSource:
    """Return the CUDA C++ that makes shares."""
    parameters = (
        pointer("values", "double"),
        number("rows", "uint64_t"),
        number("length", "uint64_t"),
    )
    symbol = f"gpuarray_shares_{spec.lanes}"
    source = _SHARES.format(
        block=BLOCK,
        lanes=spec.lanes,
        symbol=symbol,
        parameters=declared(parameters),
        names=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)


#: By NumPy's name: the struct in `counts.cuh`, and the dtype of weights.
COUNTS = {
    "multinomial": ("Multinomial", "f8"),
    "multivariate_hypergeometric": ("MultivariateHypergeometric", "i8"),
}


@dataclass(frozen=True, slots=True)
class CountsSpec:
    """Rows of counts, one in each category."""

    name: str  # of COUNTS

    def __post_init__(self) -> None:
        check_choice("name", self.name, COUNTS)


_COUNTS = """\
#include "gpuarray/counts.cuh"

namespace gpuarray {{

extern "C" __global__ void __launch_bounds__({block}) {symbol}(
    {parameters}) {{
    draw_counts<{struct}>({names});
}}

}}  // namespace gpuarray
"""


def render_counts(spec: CountsSpec) -> KernelSource:
    """Return the CUDA C++ that draws counts."""
    struct, weights = COUNTS[spec.name]
    parameters = (
        pointer("counts", "int64_t"),
        pointer("words", "const uint64_t"),
        pointer("items", "const int64_t"),
        pointer("weights", f"const {cpp_name(weights)}"),
        *[number(x, "uint64_t") for x in ("rows", "categories", "item_step", "weight_step")],
    )
    symbol = f"gpuarray_{spec.name}"
    source = _COUNTS.format(
        block=BLOCK,
        symbol=symbol,
        parameters=declared(parameters),
        struct=struct,
        names=names(parameters),
    )
    return KernelSource(symbol, source, cuda_headers(), parameters, 1, BLOCK)
