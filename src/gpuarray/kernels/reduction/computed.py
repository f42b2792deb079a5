"""Reductions of an array that is not stored: its elements are computed where they would be read.

Which thread combines which elements, in which order, is decided as for the array itself in memory
of its own, so that results have the same bits. A place in that memory stands for a pointer
(`reduction_computed.cuh`); the operands' elements are found from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as replace
from typing import TYPE_CHECKING, Any, NamedTuple

from gpuarray import _broadcasting, _dtypes, _layout
from gpuarray._dtypes import cpp_name
from gpuarray._layout import Layout
from gpuarray.kernels.generator.expressions import Cast, Expression
from gpuarray.kernels.generator.operations import HEAVY
from gpuarray.kernels.generator.parameters import (
    Field,
    KernelParameter,
    pointer,
    scalar,
    structure,
)
from gpuarray.kernels.generator.render import CALLED, DEVICE, Body

if TYPE_CHECKING:
    from gpuarray._runtime.stream import Stream

#: How an operand lies beside the array: its elements at the same places, one element for all, or
#: along the array's fastest dimension one, neighbours, or elements that are further apart.
KINDS = ("alike", "single", "repeated", "row", "apart")


@dataclass(frozen=True, slots=True)
class Computed:
    """How elements are computed.

    ``expression`` is over Input i, an element of operand i, and Scalars behind them. ``whole`` is
    whether all that a vector shows is in one row of the array's fastest dimension. Elements of
    the operands ``kept`` are not loaded but given, as members of a struct ``Kept``.
    """

    expression: Expression
    dtype: str  # of the array that is not stored
    inputs: tuple[tuple[str, str], ...]  # dtype and kind
    scalars: tuple[str, ...] = ()
    ndim: int = 1
    whole: bool = False
    kept: tuple[int, ...] = ()

    @property
    def apart(self) -> list[int]:
        """The operands whose elements are found by coordinates."""
        return [i for i, (_, kind) in enumerate(self.inputs) if kind not in ("alike", "single")]


class Source(NamedTuple):
    """What a call reads in place of its operand.

    Attributes
    ----------
    expression : Expression
        Of an element, over the arrays as Inputs and the numbers behind them as Scalars.
    arrays : tuple of Layout
        They broadcast to the operand's shape.
    scalars : tuple of dtype
        Of the numbers.
    stream : Stream, optional
        Where to run; by default on the current one.
    purpose : {'call', 'load', 'spec'}
        What is made: a call, nothing but the loaded kernel, or nothing but its specification.
    """

    expression: Expression
    arrays: tuple[Layout, ...]
    scalars: tuple[Any, ...] = ()
    stream: Stream | None = None
    purpose: str = "call"


class Arranged(NamedTuple):
    """A `Computed`, and the constants of its launch."""

    computed: Computed
    lengths: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]  # of those that are found by coordinates
    purpose: str

    @property
    def places(self) -> dict[str, Any]:
        """The struct `Places`."""
        return {"lengths": self.lengths, "strides": [x for one in self.strides for x in one]}


def arrange(source: Source, layout: Layout) -> Arranged:
    """How a source is read in place of an array of a gapless layout."""
    shape = layout.shape
    layouts = [layout, *[_broadcasting.broadcast_to(x, shape) for x in source.arrays]]
    lengths, steps = _layout.collapse(shape, [x.strides for x in layouts])
    strides = [[s // x.itemsize for s in one] for one, x in zip(steps, layouts, strict=True)]
    kinds = [_kind_of(one, strides[0], lengths) for one in strides[1:]]
    computed = Computed(
        expression=source.expression,
        dtype=_dtypes.code(layout.dtype),
        inputs=tuple([(_dtypes.code(x.dtype), kind) for x, kind in zip(layouts[1:], kinds)]),
        scalars=tuple([_dtypes.code(x) for x in source.scalars]),
        ndim=len(lengths),
    )
    apart = [tuple(strides[1 + i]) for i in computed.apart]
    return Arranged(computed, lengths, tuple(apart), source.purpose)


def _kind_of(strides: Sequence[int], own: Sequence[int], lengths: Sequence[int]) -> str:
    if all(length == 1 or a == b for a, b, length in zip(strides, own, lengths)):
        return "alike"
    if not any(strides):
        return "single"
    return {0: "repeated", 1: "row"}.get(strides[-1], "apart")


def members(computed: Computed) -> list[KernelParameter]:
    """The operands and numbers, as data members and parameters."""
    found = [
        pointer(f"source{i}", f"const Stored<{cpp_name(dtype)}>::type")
        for i, (dtype, _) in enumerate(computed.inputs)
    ]
    return found + [scalar(f"passed{i}", x) for i, x in enumerate(computed.scalars)]


def held(computed: Computed) -> list[str]:
    """What data members hold of the operands and numbers: their types and names."""
    found = []
    for i, x in enumerate(members(computed)):
        single = i < len(computed.inputs) and computed.inputs[i][1] == "single"
        # One element for all is loaded once.
        type_ = f"Stored<{cpp_name(computed.inputs[i][0])}>::type" if single else x.type
        found.append(f"{type_} {x.name}")
    return found


def given(computed: Computed) -> list[str]:
    """What these members are initialised with."""
    singles = [f"source{i}" for i, (_, kind) in enumerate(computed.inputs) if kind == "single"]
    return [f"*{x.name}" if x.name in singles else x.name for x in members(computed)]


def places(computed: Computed, index: str) -> list[KernelParameter]:
    """The last data member, where operands are found by coordinates."""
    count = len(computed.apart)
    if not count:
        return []
    fields = [
        Field("lengths", f"{index}_t", computed.ndim),
        Field("strides", f"{index}_t", count * computed.ndim),
    ]
    return [structure("places", f"Places<{index}_t, {computed.ndim}, {count}>", fields)]


def text(computed: Computed, index: str, headers: set[str], many: bool = False) -> list[str]:
    """The lines of the function object that compute elements; of ``many`` by short code."""
    headers.add("gpuarray/reduction_computed.cuh")
    body = Body()
    result = body.value(Cast(computed.dtype, computed.expression))
    for dtype, _ in computed.inputs:
        body.type_of(dtype)
    headers |= body.headers
    count = len(computed.inputs)
    parameters = [f"{cpp_name(dtype)} in{i}" for i, (dtype, _) in enumerate(computed.inputs)]
    parameters += [f"{cpp_name(x)} in{count + i}" for i, x in enumerate(computed.scalars)]
    is_called = body.weight >= HEAVY or (many and body.long > 1)
    head = CALLED if is_called else DEVICE
    kept = computed.kept
    values = [
        f"{cpp_name(x)}({'kept' if i in kept else 'from'}.in{i}[v])"
        for i, (x, _) in enumerate(computed.inputs)
    ]
    given = "template <int COUNT, class Kept>" if kept else "template <int COUNT>"
    taken = "const Fetched<COUNT>& from, const Kept& kept" if kept else "const Fetched<COUNT>& from"
    values += [f"passed{i}" for i in range(len(computed.scalars))]
    return [
        "template <int COUNT> struct Fetched {",
        *elements(computed, [i for i in range(count) if i not in kept]),
        "};",
        f"GPUARRAY_DEVICE Place<Element, {index}_t> elements() const {{ return {{0}}; }}",
        "template <int COUNT>",
        f"GPUARRAY_DEVICE void fetch(Fetched<COUNT>& into, {index}_t at) const {{",
        *[f"    {line}" for line in _fetches(computed, index, False)],
        "}",
        *(
            [
                "template <class Kept>",
                f"GPUARRAY_DEVICE void keep(Kept& into, {index}_t at) const {{",
                "    enum { COUNT = Kept::COUNT };",
                *[f"    {line}" for line in _fetches(computed, index, True)],
                "}",
            ]
            if kept
            else []
        ),
        f"{head} static {cpp_name(computed.dtype)} computed({', '.join(parameters)}) {{",
        *[f"    {line}" for line in body.lines],
        f"    return {result};",
        "}",
        given,
        f"GPUARRAY_DEVICE void compute({taken}, Element* into) const {{",
        "#pragma unroll",
        f"    for (int v = 0; v < COUNT; ++v) into[v] = Element(computed({', '.join(values)}));",
        "}",
        f"GPUARRAY_DEVICE Element at({index}_t place) const {{",
        "    Fetched<1> fetched;",
        "    Element element;",
        "    fetch(fetched, place);",
        *(["    Kept<1> kept;", "    keep(kept, place);"] if kept else []),
        f"    compute(fetched, {'kept, ' if kept else ''}&element);",
        "    return element;",
        "}",
    ]


def elements(computed: Computed, which: Sequence[int]) -> list[str]:
    """The members for some operands' elements."""
    return [
        f"    alignas(16) Stored<{cpp_name(computed.inputs[i][0])}>::type in{i}[COUNT];"
        for i in which
    ]


def _fetches(computed: Computed, index: str, kept: bool) -> list[str]:
    """The statements that load neighbouring elements of those operands that are kept, or not."""
    lines = []
    for i, (_, kind) in enumerate(computed.inputs):
        if (i in computed.kept) != kept:
            continue
        if kind == "alike":
            lines.append(f"fetch_row<COUNT>(into.in{i}, source{i} + at);")
        elif kind == "single":
            lines += [
                "#pragma unroll",
                f"for (int v = 0; v < COUNT; ++v) into.in{i}[v] = source{i};",
            ]
    apart = [(k, i) for k, i in enumerate(computed.apart) if (i in computed.kept) == kept]
    if not apart:
        return lines
    last = computed.ndim - 1
    left = "" if computed.whole else f"const {index}_t left = "
    count = len(computed.apart)
    lines += [f"{index}_t offsets[{count}];", f"{left}places.locate(at, offsets);"]
    inner = []
    for k, i in apart:
        kind = computed.inputs[i][1]
        step = f", places.strides[{k}][{last}]" if kind == "apart" else ""
        inner.append(f"fetch_{kind}<COUNT>(into.in{i}, source{i} + offsets[{k}]{step});")
    if computed.whole:
        return lines + inner
    single = [f"        into.in{i}[v] = source{i}[offsets[{k}]];" for k, i in apart]
    return [
        *lines,
        "if (COUNT == 1 || left >= COUNT) {",
        *[f"    {line}" for line in inner],
        "} else {",
        "#pragma unroll",
        "    for (int v = 0; v < COUNT; ++v) {",
        "        if (v > 0) places.locate(at + v, offsets);",
        *single,
        "    }",
        "}",
    ]
