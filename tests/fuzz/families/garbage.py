"""Absurd arguments: what is raised must be NumPy's or CuPy's, and nothing may break."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.fuzz.case import Case
from tests.fuzz.drawing import LAYOUTS, CaseMaker, Draw
from tests.fuzz.families.ufuncs import COMMON, ONE, TWO
from tests.fuzz.values import DTYPES

#: Calls with holes for an argument.
CALLS = [
    "xp.zeros({})", "xp.ones({})", "xp.full({}, 1)", "xp.full(3, {})", "xp.eye({})", "xp.eye(3, {})",
    "xp.eye(3, 3, {})", "xp.arange({})", "xp.arange(0, {})", "xp.arange(0, 3, {})", "xp.linspace({}, 1)",
    "xp.linspace(0, 1, {})", "xp.array({})", "xp.asarray({})", "xp.zeros(3, {})", "xp.array([1], order={})",
    "xp.identity({})", "a.astype({})", "a.view({})", "a.reshape({})", "a.reshape(-1, {})", "a.transpose({})",
    "xp.transpose(a, {})", "xp.swapaxes(a, {}, 0)", "xp.moveaxis(a, 0, {})", "xp.rollaxis(a, {})",
    "xp.expand_dims(a, {})", "xp.squeeze(a, {})", "xp.broadcast_to(a, {})", "xp.concatenate({})",
    "xp.concatenate([a, a], {})", "xp.concatenate([a, {}])", "xp.stack({})", "xp.stack([a, a], axis={})",
    "xp.vstack({})", "xp.hstack({})", "xp.split(a, {})", "xp.split(a, 1, {})", "xp.tile(a, {})", "xp.repeat(a, {})",
    "xp.repeat(a, 2, {})", "xp.flip(a, {})", "xp.roll(a, {})", "xp.roll(a, 1, {})", "xp.rot90(a, {})",
    "xp.rot90(a, 1, {})", "xp.sum(a, {})", "xp.sum(a, axis={})", "xp.sum(a, dtype={})", "xp.sum(a, out={})",
    "xp.sum(a, keepdims={})", "xp.sum(a, initial={})", "xp.sum(a, where={})", "xp.sum({})", "xp.mean(a, {})",
    "xp.var(a, {})", "xp.var(a, ddof={})", "xp.std(a, ddof={})", "xp.argmax(a, {})", "xp.cumsum(a, {})", "xp.median(a, {})",
    "xp.quantile(a, {})", "xp.percentile(a, {})", "xp.quantile(a, 0.5, method={})", "xp.sort(a, {})",
    "xp.argsort(a, {})", "xp.partition(a, {})", "xp.argpartition(a, {})", "xp.searchsorted(a, {})",
    "xp.searchsorted({}, 1)", "xp.searchsorted(a, 1, side={})", "xp.unique(a, axis={})", "xp.unique({})",
    "xp.isin(a, {})", "xp.histogram(a, {})", "xp.histogram(a, 3, range={})", "xp.histogram(a, weights={})",
    "xp.bincount({})", "xp.bincount(a, {})", "xp.bincount(a, minlength={})", "xp.digitize(a, {})", "xp.nonzero({})",
    "xp.take(a, {})", "xp.take(a, 0, {})", "xp.take(a, 0, mode={})", "xp.compress({}, a)", "xp.extract({}, a)",
    "xp.take_along_axis(a, {}, 0)", "xp.put_along_axis(a, {}, 0, 0)", "xp.diagonal(a, {})", "xp.diag(a, {})",
    "xp.diag({})", "xp.where({}, a, a)", "xp.where(a, {}, a)", "xp.copyto(a, {})", "xp.copyto({}, a)",
    "xp.copyto(a, 0, where={})", "xp.copyto(a, 0, casting={})", "a.fill({})", "a.item({})", "a[{}]", "a[{}] = 0",
    "a[...] = {}", "a[{}, ...]", "a[:{}]", "a[::{}]", "xp.clip(a, {})", "xp.clip(a, 0, {})", "xp.clip(a, 0, 1, out={})",
    "xp.round(a, {})", "xp.diff(a, {})", "xp.diff(a, 1, {})", "xp.diff(a, prepend={})", "xp.ediff1d({})",
    "xp.gradient(a, {})", "xp.gradient(a, edge_order={})", "xp.trapezoid(a, {})", "xp.interp(a, {}, a)",
    "xp.convolve(a, {})", "xp.correlate(a, a, {})", "xp.average(a, weights={})", "xp.average(a, {})",
    "xp.array_split(a, {})", "xp.lexsort({})", "xp.atleast_1d({})", "xp.ravel(a, {})", "a.copy({})", "a.flatten({})",
    "xp.zeros_like({})", "xp.full_like(a, {})", "xp.empty_like(a, order={})", "xp.empty_like(a, dtype={})",
    "xp.zeros_like(a, shape={})", "a + {}", "{} - a", "a * {}", "a == {}", "a < {}", "a ** {}", "a & {}", "a << {}",
    "a // {}", "a += {}", "a |= {}", "a != {}", "xp.result_type({}, a)", "xp.can_cast({}, 'i4')",
    "xp.promote_types({}, 'i4')", "a.shape = {}", "a.sum({})", "a.max(axis={})", "a.sort({})", "a.argsort(axis={})",
    "a.std(dtype={})", "a.mean(dtype={})", "a.squeeze({})", "a.repeat({})", "a.take({})", "a.swapaxes({}, 0)",
    "{} in a", "float(xp.asarray({}))", "xp.real({})", "xp.nansum({})", "xp.nanmax(a, axis={})",
    "xp.cumulative_sum(a, axis={})", "xp.logical_not({})", "xp.histogramdd(a, {})", "xp.histogram2d(a, a, {})",
    "xp.broadcast_arrays(a, {})", "xp.broadcast_shapes({})", "xp.count_nonzero(a, axis={})", "xp.ptp(a, {})",
    "xp.asarray(a, dtype={})", "xp.array(a, ndmin={})", "xp.array(a, copy={})", "xp.isscalar({})", "xp.ndim({})", "xp.shape({})", "xp.size({})", "xp.ndarray({}).shape", "xp.ndarray(3, {}).dtype",
]  # fmt: skip
ARGUMENTS = [
    "None", "'s'", "''", "b'x'", "object()", "nan", "inf", "-inf", "1.0", "1.5", "-1", "-2", "0", "1", "7",
    "2**62", "2**63", "2**64", "-2**63", "-2**70", "10**400", "True", "False", "[]", "()", "{}", "[None]", "['a']",
    "(1.0,)", "(1.0, 2)", "(-1,)", "(-1, -1)", "(0, 0)", "(2**62, 4)", "(2**40, 2**40)", "((1,),)", "[1, 2]",
    "[[1], [2, 3]]", "[nan]", "slice(None)", "slice(0, 2)", "...", "range(2)", "iter([1])", "{1: 2}", "{1, 2}",
    "lambda: 0", "int", "float", "str", "'i4'", "'f2'", "'S3'", "'O'", "'M8[s]'", "'V4'", "'>i4'", "'int33'", "1j",
    "np.int8(1)", "np.float32(0.5)", "np.datetime64('2000')", "np.str_('x')", "a", "a[:0]", "a[None]", "a == a",
    "xp.zeros(())", "xp.zeros((0, 3))", "xp", "type", "NotImplemented", "Ellipsis", "'C'", "'c'", "'F'", "'X'",
    "'wrap'", "'left'", "'linear'", "'valid'", "'unsafe'", "memoryview(b'abcd')", "bytearray(4)", "__import__('fractions').Fraction(1, 3)",
    "__import__('decimal').Decimal(1)", "__import__('datetime').date(2000, 1, 1)", "(1, 'a')", "[1, [2]]", "-0.0", "1e300",
]  # fmt: skip
#: Of these, what is no number, array, sequence of numbers, or option of any function.
OBJECTS = {
    x
    for x in ARGUMENTS
    if x.startswith(("object", "{", "lambda", "iter", "__import__", "memoryview", "bytearray", "np.datetime64", "np.str_"))
    or x in ("'s'", "''", "b'x'", "(1, 'a')", "[None]", "['a']", "[1, [2]]", "...", "Ellipsis", "xp", "type", "NotImplemented")
}  # fmt: skip
#: What is called, for the tolerance.
_NAME = re.compile(r"(?:xp|a)\.([\w.]+)\(")
#: NumPy itself counts that far, overflows, or gives a view of as many elements.
_COUNTING = ("xp.diff(a, {})", "array_split", "broadcast_to", "arange", "repeat")
_UFUNC_CALLS = [
    "xp.{f}({})", "xp.{f}(a, {})", "xp.{f}({}, a)", "xp.{f}(a, a, {})", "xp.{f}(a, out={})", "xp.{f}(a, a, out={})",
    "xp.{f}(a, dtype={})", "xp.{f}(a, a, dtype={})", "xp.{f}(a, a, where={})", "xp.{f}(a, where={})",
    "xp.{f}(a, a, casting={})", "xp.{f}(a, a, order={})", "xp.{f}(a, a, subok={})", "xp.{f}(a, a, signature={})",
    "xp.{f}(a, a, a, a, {})", "xp.{f}(a, {}, casting='equiv')", "xp.{f}.reduce(a, {})", "xp.{f}.accumulate(a, {})",
    "xp.{f}.outer(a, {})",
]  # fmt: skip


def recipe(draw: Draw) -> tuple[str, Callable[[Draw, CaseMaker], Case]]:
    """Some calls, and an array that they are given."""
    dtype, layout, ndim = draw.pick(DTYPES), draw.pick(LAYOUTS[:7]), draw.pick([0, 1, 1, 2])
    ufuncs = [draw.pick(draw.pick([ONE, TWO, COMMON])) for _ in range(3)]
    calls = [draw.pick(_UFUNC_CALLS).replace("{f}", name) for name in ufuncs]
    calls += draw.sample(CALLS, 12)

    def case(draw: Draw, make: CaseMaker) -> Case:
        shape = tuple(draw.pick([1, 2, 3, 4]) for _ in range(ndim))
        make.array(shape, dtype, layout, "ties")
        call = draw.pick(calls)
        argument = draw.pick(ARGUMENTS)
        if "**" in argument and any(x in call for x in _COUNTING):
            argument = "-3"
        make.program.append(call.replace("{}", argument))
        if argument in OBJECTS:
            make.notes.add("an object")
        name = _NAME.search(call)
        return make.done(call, garbage=True, tolerance=name[1] if name else "")

    return "garbage", case
