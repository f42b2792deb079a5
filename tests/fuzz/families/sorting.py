"""Sorting, searching, sets, counts and what is made of neighbouring elements."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzz.case import Case
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.values import COMPLEX, DTYPES, FLOATS, INTEGERS

FUNCTIONS = [
    "sort", "sort", "argsort", "argsort", "sort in place", "lexsort", "partition", "argpartition", "sort_complex",
    "searchsorted", "searchsorted", "unique", "unique", "union1d", "intersect1d", "setdiff1d",
    "setxor1d", "isin", "histogram", "histogram", "histogram2d", "histogramdd", "bincount",
    "digitize", "nonzero", "argwhere", "flatnonzero", "diff", "ediff1d", "gradient", "trapezoid",
    "interp", "convolve", "correlate", "average", "histogram_bin_edges", "unique_counts",
    "unique_inverse", "unique_all", "unique_values",
]  # fmt: skip


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """A function with dtypes and layouts."""
    function = draw.pick(FUNCTIONS)
    dtype, layout = draw.pick(DTYPES), draw.pick(LAYOUTS)
    kind = draw.pick(["ties", "small", "wide", "corners"])
    if function in ("gradient", "trapezoid", "interp", "convolve", "correlate", "average"):
        dtype, kind = draw.pick(FLOATS[1:] + COMPLEX + INTEGERS), "small"
    if function == "interp":
        dtype = draw.pick(FLOATS + INTEGERS)
    if function == "sort_complex":
        dtype = draw.pick([dtype, *COMPLEX])
    if function.startswith("histogram") or function in ("ediff1d", "diff"):
        kind = "small"
    other = dtype if draw.chance(0.6) else draw.pick(DTYPES)
    other_layout = draw.pick(LAYOUTS)
    ndim = draw.ndim() if function not in _FLAT else draw.pick([1, 1, 1, 1, 1, 2])
    form = draw.below(6)

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = draw.shape(ndim)
        axis = draw.axis(ndim)
        length = shape[axis] if ndim else 1
        name = ""
        if function not in ("lexsort", "bincount", "histogramdd"):
            name = make.array(shape, dtype, layout, kind, written=function == "sort in place")
        made = ""
        stable = ", kind='stable'" if form < 3 else ""
        match function:
            case "sort":
                made = f"xp.sort({name}, axis={draw.pick([axis, axis, None])}{stable})"
            case "argsort":
                made = f"xp.argsort({name}, axis={axis}, kind='stable')"
            case "sort in place":
                made = f"{name}.sort({axis if draw.chance(0.8) else ''})"
            case "lexsort":
                keys = [
                    make.array(shape, x, layout, "ties") for x in (dtype, other)[: 1 + form % 2]
                ]
                made = f"xp.lexsort([{', '.join(keys)}], axis={axis})"
            case "partition" | "argpartition":
                ranks = [
                    draw.below(-length, length) if length else 0 for _ in range(draw.below(1, 3))
                ]
                at = ranks[0] if len(ranks) == 1 else repr(ranks)
                # Only the elements of those ranks are determined.
                if function == "partition":
                    made = f"xp.take(xp.partition({name}, {at}, axis={axis}), {ranks}, axis={axis})"
                else:
                    made = (f"xp.take(xp.take_along_axis({name}, xp.argpartition({name}, {at}, "
                            f"axis={axis}), {axis}), {ranks}, axis={axis})")  # fmt: skip
            case "searchsorted" | "digitize":
                edges = make.array(draw.shape(1)[:1], other, other_layout, kind)
                make.program.append(f"{edges} = xp.sort({edges})")
                side = draw.pick(["", ", side='right'"])
                if function == "digitize":
                    made = f"xp.digitize({name}, {edges}{side and ', right=True'})"
                else:
                    made = f"xp.searchsorted({edges}, {name}{side})"
            case "unique":
                flags = ["return_index", "return_inverse", "return_counts", "axis"]
                chosen = draw.sample(flags, draw.below(0, 3))
                options = [f"{x}={axis if x == 'axis' else True}" for x in chosen]
                options += ["equal_nan=False"] if form == 0 else []
                made = f"xp.unique({', '.join([name, *options])})"
            case "unique_counts" | "unique_inverse" | "unique_all" | "unique_values":
                made = f"tuple(xp.{function}({name}))"
                if function == "unique_values":
                    made = f"xp.sort(xp.unique_values({name}))"
            case "union1d" | "intersect1d" | "setdiff1d" | "setxor1d" | "isin":
                second = make.array(draw.shape(1), other, other_layout, kind)
                options = ""
                if function in ("isin",):
                    options = draw.pick(["", ", invert=True"])
                if function == "intersect1d":
                    options = draw.pick(["", ", return_indices=True"])
                made = f"xp.{function}({name}, {second}{options})"
            case "histogram" | "histogram_bin_edges":
                bins = draw.pick(
                    ["5", "10", "1", "[-3, 0, 1, 4]", "[0, 0.5, 1]", "7", "0", "[1, 0]"]
                )
                options = draw.pick(
                    ["", "", ", range=(-2, 3)", ", range=(0, 0)", ", range=(1, -1)"]
                )
                if function == "histogram" and form == 0:
                    weights = make.array(shape, draw.pick(["i4", "f8", "f4", "c16"]), other_layout)
                    options += f", weights={weights}"
                if function == "histogram" and form == 1:
                    options += ", density=True"
                made = f"xp.{function}({name}, {bins}{options})"
            case "histogram2d":
                second = make.array(shape, dtype, other_layout, kind)
                made = f"xp.histogram2d({name}, {second}, {draw.pick(['4', '[3, 5]', '[[0, 1, 2], 3]'])})"
            case "histogramdd":
                points = make.array((draw.below(0, 50), draw.below(1, 4)), draw.pick(["f8", "i4"]))
                made = f"xp.histogramdd({points}, {draw.pick(['3', '4'])})"
            case "bincount":
                points = make.array(shape, draw.pick(INTEGERS + ["?"]), layout, "counts 20")
                options = draw.pick(["", ", minlength=30", ", minlength=3"])
                if form == 0:
                    options += f", weights={make.array(shape, draw.pick(DTYPES), other_layout)}"
                made = f"xp.bincount({points}{options})"
            case "nonzero" | "argwhere" | "flatnonzero":
                made = f"xp.{function}({name})"
            case "diff":
                options = draw.pick(["", ", prepend=0", ", append=[1]"])
                made = f"xp.diff({name}, {draw.below(0, 4)}, axis={axis}{options})"
            case "ediff1d":
                made = f"xp.ediff1d({name}{draw.pick(['', ', to_end=1', ', to_begin=[0, 2]'])})"
            case "gradient":
                options = draw.pick(["", ", 2.0", f", axis={axis}", ", edge_order=2"])
                made = f"xp.gradient({name}{options})"
            case "trapezoid":
                made = f"xp.trapezoid({name}{draw.pick(['', ', dx=0.5'])}, axis={axis})"
            case "interp":
                count = draw.pick([1, 2, 7, 30])
                places = make.array((count,), "f8", "contiguous", "plain")
                values = make.array((count,), draw.pick(["f8", "i4", "c16"]), other_layout, "small")
                options = draw.pick(["", ", left=7", ", right=-1", ", period=1.5"])
                made = f"xp.interp({name}, xp.sort({places}), {values}{options})"
            case "convolve" | "correlate":
                second = make.array(draw.shape(1), other, other_layout, "small")
                mode = draw.pick(["", ", 'valid'", ", 'same'", ", 'full'"])
                made = f"xp.{function}({name}, {second}{mode})"
            case "average":
                options = draw.pick(["", f", axis={axis}", ", axis=None"])
                if form < 3:
                    options += f", weights={make.array(shape, 'f8', other_layout, 'unit')}"
                made = f"xp.average({name}{options}{draw.pick(['', ', keepdims=True'])})"
            case _:
                made = f"xp.{function}({name})"
        make.program.append(made)
        return make.done(function)

    return function, case


_FLAT = {
    "union1d", "intersect1d", "setdiff1d", "setxor1d", "bincount", "interp", "convolve", "correlate",
    "histogram2d", "ediff1d",
}  # fmt: skip
