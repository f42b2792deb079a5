"""The emulated functions of cuFFT."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...library_kinds import COMPLEX_HALF, Refusal
from ..capture import refuse_unsafe
from ..stream import stream_of
from .decoding import LibraryCall, LibraryObject

#: 11.4.1, as 1000 * major + 100 * minor + patch.
_VERSION = 11401
#: Device memory that a plan takes for its tables.
_PLAN_BYTES = 1 << 12
#: The most dimensions of a transform.
_GREATEST_RANK = 3
#: Up to so many points, of a power of two, a transform works without a work area.
_WITHOUT_WORK_AREA = 1 << 12

#: Of each type that a plan is executed in: the real type.
_REAL = {
    np.dtype("c8"): np.dtype("f4"),
    np.dtype("c16"): np.dtype("f8"),
    COMPLEX_HALF: np.dtype("f2"),
}
#: The types of the functions that are named after them.
_NAMED = {
    "C2C": "c8 c8",
    "R2C": "f4 c8",
    "C2R": "c8 f4",
    "Z2Z": "c16 c16",
    "D2Z": "f8 c16",
    "Z2D": "c16 f8",
}


class _Side(NamedTuple):
    """The input or the output of a plan: its elements, and their distances in elements."""

    dtype: np.dtype
    shape: tuple[int, ...]
    steps: tuple[int, ...]


class _Geometry(NamedTuple):
    n: tuple[int, ...]
    input: _Side
    output: _Side


def cufftGetVersion(c: LibraryCall) -> int:
    return _VERSION


def cufftGetProperty(c: LibraryCall) -> int:
    return (_VERSION // 1000, _VERSION // 100 % 10, _VERSION % 100)[c.type]


def cufftCreate(c: LibraryCall) -> LibraryObject:
    refuse_unsafe(c.machine, "creating a plan of cuFFT")
    return LibraryObject(
        c.context,
        "cufftHandle",
        _PLAN_BYTES,
        stream=0,
        automatic=True,
        geometry=None,
        work_bytes=0,
        work_area=0,
    )


def cufftDestroy(c: LibraryCall) -> None:
    refuse_unsafe(c.machine, "destroying a plan of cuFFT")
    c.machine.forget(c.plan.number)


def cufftSetStream(c: LibraryCall) -> None:
    stream_of(c.machine, c.stream)
    c.plan.stream = c.stream


def cufftSetAutoAllocation(c: LibraryCall) -> None:
    if c.plan.geometry is not None:
        raise Refusal("value", "autoAllocate is set before the plan is made")
    c.plan.automatic = bool(c.autoAllocate)


def cufftXtMakePlanMany(c: LibraryCall) -> int:
    refuse_unsafe(c.machine, "making a plan of cuFFT")
    if c.plan.geometry is not None:
        raise Refusal("handle", "the plan was made already")
    geometry = _geometry(c)
    c.plan.geometry = geometry
    c.plan.work_bytes = _work_bytes(geometry, int(c.batch))
    return c.plan.work_bytes


def cufftSetWorkArea(c: LibraryCall) -> None:
    c.plan.automatic, c.plan.work_area = False, c.workArea


def cufftXtExec(c: LibraryCall) -> None:
    _transform(c, c.input, c.output, c.direction)


def _named(kinds: str) -> Any:
    types = [np.dtype(code) for code in _NAMED[kinds].split()]

    def execute(c: LibraryCall) -> None:
        geometry = c.plan.geometry
        if geometry is not None and [geometry.input.dtype, geometry.output.dtype] != types:
            raise Refusal("value", f"the plan is for {geometry.input.dtype} to "
                          f"{geometry.output.dtype}, not for {kinds}")  # fmt: skip
        _transform(c, c.idata, c.odata, getattr(c, "direction", 0))

    return execute


cufftExecC2C = _named("C2C")
cufftExecR2C = _named("R2C")
cufftExecC2R = _named("C2R")
cufftExecZ2Z = _named("Z2Z")
cufftExecD2Z = _named("D2Z")
cufftExecZ2D = _named("Z2D")


def _geometry(c: LibraryCall) -> _Geometry:
    """What a plan's arguments say, checked as the manual has it."""
    if not 1 <= c.rank <= _GREATEST_RANK:
        raise Refusal("value", f"rank is {c.rank}: 1, 2 or 3")
    if c.n is None:
        raise Refusal("value", "n is null")
    n = tuple([int(length) for length in c.n])
    if min(n) < 1:
        raise Refusal("value", f"n is {n}: lengths must be positive")
    if c.batch < 1:
        raise Refusal("value", f"batch is {c.batch}, and must be positive")
    real = _REAL.get(c.executiontype)
    complex_type = c.executiontype
    kinds = (c.inputtype, c.outputtype)
    if real is None or kinds not in (
        (complex_type, complex_type),
        (real, complex_type),
        (complex_type, real),
    ):
        raise Refusal(
            "value",
            f"inputtype {c.inputtype}, outputtype {c.outputtype}, executiontype {c.executiontype}",
        )
    if (c.inembed is None) != (c.onembed is None):
        raise Refusal("value", "one of inembed and onembed is null, and the other is not")
    half = (*n[:-1], n[-1] // 2 + 1)
    sides = []
    for name, dtype, embed, stride, distance in (
        ("i", c.inputtype, c.inembed, c.istride, c.idist),
        ("o", c.outputtype, c.onembed, c.ostride, c.odist),
    ):
        shape = half if dtype == complex_type and kinds != (complex_type, complex_type) else n
        if embed is None:  # elements behind one another, whatever the distances are
            embed, stride, distance = shape, 1, math.prod(shape)
        embed = [int(length) for length in embed]
        if any(length < used for length, used in zip(embed[1:], shape[1:], strict=True)):
            raise Refusal("value", f"{name}nembed is {embed}, and {shape} elements are used")
        if stride < 1 or (distance < 1 and c.batch > 1):
            raise Refusal("value", f"{name}stride is {stride}, {name}dist is {distance}")
        steps = [stride]
        for length in embed[:0:-1]:
            steps.insert(0, steps[0] * length)
        side = _Side(dtype, (int(c.batch), *shape), (distance if c.batch > 1 else 0, *steps))
        sides.append(side)
    if complex_type == COMPLEX_HALF and any(length & (length - 1) for length in n):
        raise Refusal("unsupported", f"n is {n}: half precision takes powers of two")
    if not _is_disjoint(sides[1]):
        raise Refusal("value", f"elements of the output would overlap: {sides[1]}")
    return _Geometry(n, *sides)


def _has_strided_halves(sides: Sequence[_Side]) -> bool:
    """Whether there are gaps between reals of half precision.

    cuFFT makes such plans, though its manual says that strides of these are not supported.
    """
    for side in sides:
        gapless = [math.prod(side.shape[i + 1 :]) for i in range(1, len(side.shape))]
        if side.dtype == np.float16 and list(side.steps[1:]) != gapless:
            return True
    return False


def _is_disjoint(side: _Side) -> bool:
    """Whether no two elements are at one place."""
    reached = 0
    for step, length in sorted(zip(side.steps, side.shape, strict=True)):
        if length > 1:
            if step <= reached:
                return False
            reached += step * (length - 1)
    return True


def _work_bytes(geometry: _Geometry, batch: int) -> int:
    """As much as a copy of the input, but for small transforms of a power of two."""
    points = math.prod(geometry.n)
    if points & (points - 1) == 0 and points * batch <= _WITHOUT_WORK_AREA:
        return 0
    return points * batch * max(geometry.input.dtype.itemsize, geometry.output.dtype.itemsize)


def _transform(c: LibraryCall, source: int, target: int, direction: int) -> None:
    plan = c.plan
    if plan.geometry is None:
        raise Refusal("handle", "the plan was created, and not made")
    n, input_, output = plan.geometry
    types = "".join(["f" if x.dtype.kind == "f" else "c" for x in (input_, output)])
    if types == "cc" and direction not in (-1, 1):
        raise Refusal("value", f"direction is {direction}: -1 or 1")
    pair = max(input_.dtype.itemsize, output.dtype.itemsize)
    for name, address in (("input", source), ("output", target)):
        if address % pair:
            raise Refusal("value", f"{name} at 0x{address:x} is not aligned to {pair} bytes")
    if plan.work_bytes and not plan.automatic:
        if not plan.work_area:
            raise Refusal("value", f"no work area was set, and {plan.work_bytes} bytes are needed")
        c.view("workArea", plan.work_area, np.dtype("u1"), (plan.work_bytes,), (1,), "")
    destroyed = types == "cf" and source != target
    access = "rw" if destroyed else "r"
    x = c.view("input", source, input_.dtype, input_.shape, input_.steps, access)
    y = c.view("output", target, output.dtype, output.shape, output.steps, "w")
    if source == target:
        x = x.copy()
    elif np.may_share_memory(x, y):
        raise Refusal("value", "input and output overlap, and are not the same")
    axes = tuple(range(1, len(n) + 1))
    values = _widened(x)
    if types == "cc":
        forward = direction == -1
        found = (
            np.fft.fftn(values, axes=axes)
            if forward
            else np.fft.ifftn(values, axes=axes, norm="forward")
        )
    elif types == "fc":
        found = np.fft.rfftn(values, axes=axes)
    else:
        found = np.fft.irfftn(values, s=n, axes=axes, norm="forward")
    if _has_strided_halves((input_, output)):
        found = np.full_like(found, np.nan)  # nothing is promised: so nobody can rely on it
    _store(y, found)
    if destroyed:
        _store(x, np.full(x.shape, np.nan))


def _widened(x: np.ndarray) -> np.ndarray:
    """Numbers that NumPy transforms: those in half precision as single."""
    if x.dtype == COMPLEX_HALF:
        return x["real"].astype("f4") + np.complex64(1j) * x["imag"].astype("f4")
    return x.astype("f4") if x.dtype == np.float16 else x


def _store(y: np.ndarray, values: np.ndarray) -> None:
    """Store numbers, each rounded once: a device rounds between the stages of a transform, too."""
    with np.errstate(over="ignore"):  # beyond 65504 half precision has infinity
        if y.dtype == COMPLEX_HALF:
            y["real"], y["imag"] = values.real, values.imag
        else:
            y[...] = values
