"""Ways to make Fourier transforms that the estimates of `_libraries/fft_costs.py` choose among.

    python benchmarks/fft_ways.py                      every table
    python benchmarks/fft_ways.py --only callbacks     some of forms, callbacks, pieces
    python benchmarks/fft_ways.py --quick              small and short: does it run at all?

* forms: our own kernels of lines with other numbers of lines of a block, of points of a thread, and
  largest radices, beside cuFFT; what `fourier.launch.form_of` chooses has a star. Axes of more than
  4096 points are two launches, which are timed apart as well.
* callbacks: an inverse transform whose factor cuFFT multiplies in a load or store callback, which
  it links when the plan is made (LTO-IR), beside the transform without a factor, and beside one
  with a pass behind it; and how long the plans take.
* pieces: a middle axis, copied, transformed and copied back piece by piece, so that a piece stays
  in the second-level cache.

The kernels of the first table are compiled by several processes beforehand.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

import gpuarray as cp  # noqa: E402
from benchmarks import timing  # noqa: E402
from gpuarray import _calls, _layout  # noqa: E402
from gpuarray._ffi import driver  # noqa: E402
from gpuarray._libraries import line_layouts  # noqa: E402
from gpuarray._runtime.current_stream import current  # noqa: E402
from gpuarray.kernels import fourier  # noqa: E402
from gpuarray.kernels.compiler import compilation  # noqa: E402
from gpuarray.kernels.fourier.launch import Form, form_of  # noqa: E402
from gpuarray.kernels.fourier.spec import radices  # noqa: E402

_PROCESSES = 12

_Forms = list[tuple[int, int, int]]
#: Shape, axis, dtype, and forms: lines, points of a thread, largest radix.
_FORMS: list[tuple[tuple[int, ...], int, str, _Forms]] = [
    ((4096, 4096), 0, "c8", [(4, 16, 16), (4, 32, 16), (2, 16, 16), (4, 16, 8)]),
    ((4096, 4096), 1, "c8", [(1, 16, 16), (2, 16, 16), (1, 16, 8), (1, 8, 8)]),
    ((2048, 8192), 0, "c8", [(8, 16, 16), (4, 16, 16), (8, 16, 8)]),
    ((1024, 1 << 14), 0, "c8", [(8, 16, 16), (4, 16, 16), (8, 8, 8)]),
    ((1000, 64, 250), 1, "c8", [(64, 8, 8), (32, 8, 8), (16, 8, 8), (16, 16, 16), (32, 4, 4)]),
    ((1000, 60, 250), 1, "c8", [(64, 15, 16), (32, 15, 16), (16, 15, 16)]),
    ((64, 512, 512), 1, "c8", [(8, 8, 8), (16, 8, 8), (4, 8, 8), (8, 16, 16)]),
    ((16, 32, 32, 32, 32), 1, "c8", [(128, 8, 8), (64, 8, 8), (32, 8, 8), (32, 16, 16)]),
    ((16, 32, 32, 32, 32), 4, "c8", [(128, 8, 8), (32, 8, 8), (64, 4, 4)]),
    ((16, 1 << 20), 0, "c8", [(256, 16, 16), (128, 16, 16), (64, 4, 4)]),
    ((1 << 16, 256), 1, "c8", [(16, 16, 16), (8, 16, 16), (32, 16, 16)]),
    ((256, 1 << 16), 0, "c8", [(16, 16, 16), (8, 16, 16), (16, 8, 8)]),
    ((512, 512, 16), 0, "c16", [(8, 8, 8), (4, 8, 8), (4, 16, 16)]),
    ((4096, 2048), 0, "c16", [(2, 16, 16), (2, 16, 8), (1, 16, 16)]),
    ((1 << 24,), 0, "c8", [(4, 16, 16), (4, 32, 16), (2, 16, 16), (4, 16, 8)]),
    ((1 << 22,), 0, "c8", [(8, 16, 16), (4, 16, 16)]),
    ((1 << 20,), 0, "c8", [(8, 16, 16), (4, 16, 16)]),
    ((1 << 23,), 0, "c16", [(2, 16, 16), (1, 16, 16)]),
]
_QUICK: list[tuple[tuple[int, ...], int, str, _Forms]] = [
    ((64, 40), 0, "c8", [(16, 8, 8)]),
    ((1 << 13,), 0, "c8", [(2, 16, 16)]),
]


def _numbers(shape: tuple[int, ...], dtype: str) -> Any:
    part = np.dtype(dtype).type(0).real.dtype
    x = np.random.default_rng(1).standard_normal(1 << 21).astype(part).view(dtype)
    return cp.asarray(np.resize(x, shape))


def _microseconds(work: Callable[[], Any], options: Any) -> float:
    works = {"work": (work, current.stream.handle)}
    times = timing.device_times(works, driver.context_synchronize, options.effort)
    return 1e6 * median(times["work"])


# ---- forms ---------------------------------------------------------------------------------------


def _passes(shape: tuple[int, ...], axis: int, dtype: str) -> Any:
    layout = _layout.contiguous(np.dtype(dtype), shape)
    steps = [step // layout.itemsize for step in layout.strides]
    found = line_layouts.solve(shape, steps, steps, [axis], fourier.spec.is_line)
    assert found is not None
    return layout, found


def _form(n: int, given: tuple[int, int, int]) -> Form:
    lines, items, radix = given
    factors = radices(n, radix)
    assert factors is not None
    return Form(lines, math.ceil(n / items), factors)


def _calls_of(
    shape: tuple[int, ...], axis: int, dtype: str, form: tuple[int, int, int]
) -> list[Callable[[Any], Any]]:
    """The transform, and where it has two passes each of them."""
    layout, passes = _passes(shape, axis, dtype)
    stream = current.stream
    bounds = [
        fourier.launch.bound(
            dtype,
            one.line,
            one.others,
            False,
            1.0,
            stream,
            column=one.column,
            form=_form(one.line[0], form),
        )
        for one in passes
    ]
    names = {"source": "x0", "target": "y0", "scratch": "t0"}
    steps = [
        (bound, {"target": names[one.stores], "source": names[one.reads]})
        for bound, one in zip(bounds, passes, strict=True)
    ]
    scratch = [layout.nbytes] if len(steps) > 1 else []
    calls = [_calls.make_call(stream, "a", [layout], steps, scratch)]
    if len(steps) > 1:
        alone = {"target": "y0", "source": "x0"}
        calls += [_calls.make_call(stream, "a", [layout], [(bound, alone)]) for bound in bounds]
    return calls


def _compile(cases: Any) -> None:
    """Fill the cache on disk, each process with some of the kernels."""
    command = [sys.executable, __file__, "--compile"]
    waiting = [subprocess.Popen([*command, str(k)]) for k in range(_PROCESSES)]
    for process in waiting:
        process.wait()


def _compile_part(part: int) -> None:
    jobs = [(*case[:3], form) for case in _FORMS for form in case[3]]
    for job in jobs[part::_PROCESSES]:
        _calls_of(*job)


def _forms(options: Any) -> None:
    print("\nLines: form and µs; * is the form that is chosen")
    cases = _QUICK if options.quick else _FORMS
    if not options.quick:
        _compile(cases)
    for shape, axis, dtype, forms in cases:
        x = _numbers(shape, dtype)
        expected = cp.fft.fftn(x, axes=(axis,), norm="backward")
        _, passes = _passes(shape, axis, dtype)
        chosen = form_of(dtype, passes[0].line, passes[0].others, current.stream.device)
        cells = [f"cuFFT {_cufft_microseconds(x, axis, options):.1f}"]
        for form in forms:
            whole, *parts = _calls_of(shape, axis, dtype, form)
            error = float(cp.abs(whole(x) - expected).max() / cp.abs(expected).max())
            times = [_microseconds(partial(run, x), options) for run in (whole, *parts)]
            more = f" = {' + '.join([f'{t:.1f}' for t in times[1:]])}" if parts else ""
            star = "*" if chosen == _form(passes[0].line[0], form) else ""
            cells.append(f"{form}{star} {times[0]:.1f}{more}" + ("" if error < 1e-5 else " WRONG"))
        print(f"{shape} axis {axis} {dtype}: " + ", ".join(cells), flush=True)


def _cufft_microseconds(x: Any, axis: int, options: Any) -> float:
    from gpuarray._libraries import fft_costs

    kept, fft_costs.LEAST_LINE_BYTES = fft_costs.LEAST_LINE_BYTES, sys.maxsize
    try:
        stream = cp.cuda.Stream(non_blocking=True)  # it has no plans yet
        with stream:
            return _microseconds(lambda: cp.fft.fft(x, axis=axis), options)
    finally:
        fft_costs.LEAST_LINE_BYTES = kept


# ---- callbacks -----------------------------------------------------------------------------------

_CALLBACKS = r"""
#define CALLBACKS(SUFFIX, PAIR, PART)                                                              \
    extern "C" __device__ void store_##SUFFIX(                                                     \
        void* out, unsigned long long i, PAIR z, void* info, void* shared) {                       \
        const PART f = (PART)__longlong_as_double((long long)info);                                \
        ((PAIR*)out)[i] = PAIR{z.x * f, z.y * f};                                                  \
    }                                                                                              \
    extern "C" __device__ PAIR load_##SUFFIX(                                                      \
        void* in, unsigned long long i, void* info, void* shared) {                                \
        const PART f = (PART)__longlong_as_double((long long)info);                                \
        const PAIR z = ((const PAIR*)in)[i];                                                       \
        return PAIR{z.x * f, z.y * f};                                                             \
    }
CALLBACKS(c8, float2, float)
CALLBACKS(c16, double2, double)
"""
#: cufftXtCallbackType and cudaDataType.
_KINDS = {"load_c8": 0, "load_c16": 1, "store_c8": 4, "store_c16": 5}
_TYPES = {"c8": 4, "c16": 5}


class _Plan:
    """A plan of cuFFT, of gapless arrays, with a callback or none."""

    def __init__(self, cufft: Any, n: int, batch: int, dtype: str, image: bytes, name: str) -> None:
        self.cufft, self.handle = cufft, ctypes.c_int()
        self._check(cufft.cufftCreate(ctypes.byref(self.handle)))
        self._check(cufft.cufftSetAutoAllocation(self.handle, 0))
        if name:
            # The factor's bits are the pointer that the callback gets.
            info = (ctypes.c_void_p * 1)(int(np.array(1.0 / n).view(np.int64)))
            newer = "__cufftXtSetJITCallback_12_7"
            set_callback = getattr(cufft, newer, None) or cufft.cufftXtSetJITCallback
            status = set_callback(
                self.handle, name.encode(), image, ctypes.c_size_t(len(image)), _KINDS[name],
                ctypes.cast(info, ctypes.c_void_p),
            )  # fmt: skip
            self._check(status)
        lengths, code, one = (ctypes.c_longlong * 1)(n), _TYPES[dtype], ctypes.c_longlong(1)
        distance, size = ctypes.c_longlong(n), ctypes.c_size_t()
        before = time.perf_counter()
        self._check(
            cufft.cufftXtMakePlanMany(
                self.handle, 1, lengths, lengths, one, distance, code, lengths, one, distance,
                code, ctypes.c_longlong(batch), ctypes.byref(size), code,
            )
        )  # fmt: skip
        self.seconds = time.perf_counter() - before
        self.area = cp.empty(max(size.value, 1), "u1")
        self._check(cufft.cufftSetStream(self.handle, ctypes.c_void_p(current.stream.handle)))
        self._check(cufft.cufftSetWorkArea(self.handle, ctypes.c_void_p(self.area.data.ptr)))

    def inverse(self, x: Any, y: Any) -> None:
        pointers = [ctypes.c_void_p(a.data.ptr) for a in (x, y)]
        self._check(self.cufft.cufftXtExec(self.handle, *pointers, 1))

    def _check(self, status: int) -> None:
        if status:
            raise RuntimeError(f"cuFFT: status {status}")


def _callbacks(options: Any) -> None:
    cp.fft.fft(cp.ones(8, "c8"))  # opens cuFFT
    with open("/proc/self/maps") as file:
        paths = {line.split()[-1] for line in file if "libcufft.so" in line}
    if not paths:
        print("\ncallbacks: there is no cuFFT (the emulator has none)")
        return
    cufft = ctypes.CDLL(paths.pop())
    architecture = current.stream.device.architecture
    image = compilation.compile(
        _CALLBACKS, name="callbacks", kind="lto", architecture=architecture
    ).data
    print("\nInverse transforms: µs, and milliseconds for the plan")
    cases = [(1 << 24, 1, "c8"), (4096, 4096, "c8"), (10**7, 1, "c8"), (1 << 20, 1, "c8"),
             (1 << 23, 1, "c16")]  # fmt: skip
    for n, batch, dtype in [(1 << 10, 1, "c8")] if options.quick else cases:
        x = _numbers((batch, n), dtype)
        y, parts = cp.empty_like(x), []
        plain = _Plan(cufft, n, batch, dtype, image, "")
        plain.inverse(x, y)
        expected = y / n
        real = y.view(y.real.dtype)
        scale = 1.0 / n

        def separate(plan: _Plan = plain, x: Any = x, y: Any = y, real: Any = real,
                     scale: float = scale) -> None:  # fmt: skip
            plan.inverse(x, y)
            cp.multiply(real, scale, out=real)

        for label in ("plain", "separate pass", "store", "load"):
            plan = plain
            if label in ("store", "load"):
                try:
                    plan = _Plan(cufft, n, batch, dtype, image, f"{label}_{dtype}")
                    plan.inverse(x, y)
                except RuntimeError as error:  # 5, an internal error, of cuFFT 12.0 on an H200
                    parts.append(f"{label} refused ({error})")
                    continue
                if float(cp.abs(y - expected).max() / cp.abs(expected).max()) > 1e-5:
                    label += " WRONG"
            work = separate if label == "separate pass" else partial(plan.inverse, x, y)
            parts.append(f"{label} {_microseconds(work, options):.1f} ({1e3 * plan.seconds:.1f})")
        print(f"{batch} of {n} {dtype}: " + ", ".join(parts), flush=True)


# ---- pieces --------------------------------------------------------------------------------------


def _pieces(options: Any) -> None:
    print("\nA middle axis, by copies of so many matrices at a time: µs")
    for shape in [(20, 6, 5)] if options.quick else [(1000, 60, 250), (1000, 64, 250)]:
        x = _numbers(shape, "c8")
        y = cp.empty_like(x)
        cells = [f"as it is {_microseconds(lambda x=x: cp.fft.fft(x, axis=1), options):.1f}"]
        for rows in sorted({math.ceil(shape[0] / k) for k in (32, 16, 12, 8, 6, 4, 2, 1)}):

            def transform(x: Any = x, y: Any = y, rows: int = rows) -> None:
                for i in range(0, len(x), rows):
                    piece = cp.ascontiguousarray(x[i : i + rows].swapaxes(1, 2))
                    cp.fft.fft(piece, axis=2, out=piece)
                    cp.copyto(y[i : i + rows], piece.swapaxes(1, 2))

            mebibytes = rows * x[0].nbytes >> 20
            cells.append(f"{rows} ({mebibytes} MiB) {_microseconds(transform, options):.1f}")
        print(f"{shape}: " + ", ".join(cells), flush=True)


_TABLES = {"forms": _forms, "callbacks": _callbacks, "pieces": _pieces}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=_TABLES, default=list(_TABLES))
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--compile", type=int, metavar="PART", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.compile is not None:
        _compile_part(options.compile)
        return 0
    options.effort = timing.Effort.quick() if options.quick else timing.Effort(5, 11, 0.005)
    print(driver.describe())
    for name in options.only:
        _TABLES[name](options)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
