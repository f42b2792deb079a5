"""Programs of several operations on large arrays, run one by one and fused, beside the peers.

    python benchmarks/fusion.py                      every table
    python benchmarks/fusion.py --json fusion.json   and the figures as JSON
    python benchmarks/fusion.py --only programs      one of the tables
    python benchmarks/fusion.py --sides on,cupy      some of the ways to run them
    python benchmarks/fusion.py --quick              small and short: does it run at all?

* small: the host's time of the calls of benchmarks/peers.py, on arrays of 16 elements, with fusion
  never switched on, and on. It is to be the same.
* programs: microseconds of a program, of a batch to the end of its work. *Bound* is what reading
  its operands once and writing its results once takes at the rate of a copy.
* calls: the host's time to issue chains of five operations, three and one, with nothing waiting.
* memory: the most bytes that ten programs hold at once.
* sizes: short chains of arrays of 4 MiB and more, recorded whatever their size: from which size on
  that is quicker.
* rows: those of benchmarks/peers.py that take device time, with fusion off and on in turns. None is
  to be slower by more than 3%.

Ways are gpuarray with fusion off, on and immediate, `gpuarray.fuse`, CuPy, `cupy.fuse`, PyTorch,
`torch.compile`, and `jax.jit`. One that is missing, or refuses a program, leaves a gap.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

_ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(_ROOT), str(_ROOT / "src")]

import numpy as np  # noqa: E402 - the path comes first

from benchmarks import libraries, rows, timing  # noqa: E402
from benchmarks.rows.calls import CALLS  # noqa: E402
from benchmarks.rows.elementwise import elementwise_rows  # noqa: E402
from benchmarks.rows.reductions import reduction_rows  # noqa: E402
from benchmarks.rows.sorting import sorting_rows  # noqa: E402

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("JAX_ENABLE_X64", "1")

SIDES = (
    "off", "on", "immediate", "fuse", "cupy", "cupy.fuse", "torch", "torch.compile", "jax.jit",
)  # fmt: skip
_GPUARRAY = SIDES[:4]
_TABLES = ("small", "programs", "calls", "memory", "sizes", "rows")
#: How much slower than with fusion off a row may be.
MOST = 1.03


# --- programs: `m` has the functions, by NumPy's names, `axis` and `keepdims` included


def softplus(m: Any, x: Any) -> Any:
    return m.log1p(m.exp(-abs(x))) + m.maximum(x, 0)


def transposed(m: Any, size: int) -> Any:
    return m.arange(size).reshape(1000, -1).T * 2


def black_scholes(m: Any, price: Any, strike: Any, years: Any) -> Any:
    rate, volatility = 0.02, 0.3
    spread = volatility * m.sqrt(years)
    above = (m.log(price / strike) + (rate + volatility**2 / 2) * years) / spread
    below = above - spread
    first = 0.5 + 0.5 * m.erf(above * 0.5**0.5)
    second = 0.5 + 0.5 * m.erf(below * 0.5**0.5)
    discounted = strike * m.exp(-rate * years)
    call = price * first - discounted * second
    return call, call - price + discounted


def standardise(m: Any, x: Any) -> Any:
    return (x - m.mean(x)) / m.std(x)


def stencil(m: Any, u: Any) -> Any:
    rest = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return rest - 4 * u[1:-1, 1:-1]


def softmax(m: Any, x: Any) -> Any:
    e = m.exp(x - m.max(x, axis=1, keepdims=True))
    return e / m.sum(e, axis=1, keepdims=True)


def layer_norm(m: Any, x: Any, gain: Any, bias: Any) -> Any:
    mean = m.mean(x, axis=1, keepdims=True)
    var = m.mean(m.square(x - mean), axis=1, keepdims=True)
    return (x - mean) / m.sqrt(var + 1e-5) * gain + bias


def polynomial(m: Any, x: Any) -> Any:
    return ((2.5 * x - 1.5) * x + 0.5) * x + 3


def rescaled(m: Any, x: Any) -> Any:
    low, high = m.min(x), m.max(x)
    return (x - low) / (high - low)


def distance(m: Any, x: Any, y: Any) -> Any:
    return m.sqrt(m.sum(m.square(x - y)))


class Program(NamedTuple):
    """A program, the shapes of its operands, and how many bytes it has to move."""

    name: str
    function: Callable[..., Any]
    shapes: Callable[[int], tuple[tuple[int, ...], ...]]
    moved: Callable[[int], float]
    size: int = rows.LARGE


def _square(n: int) -> tuple[int, int]:
    side = round(n**0.5)
    return side, side


PROGRAMS = (
    Program("softplus of 1e8", softplus, lambda n: ((n,),), lambda n: 8 * n),
    Program("arange(1e8).reshape(1000, -1).T * 2", transposed, lambda n: (), lambda n: 8 * n),
    Program(
        "Black-Scholes of 2e7", black_scholes, lambda n: ((n,),) * 3, lambda n: 20 * n, 20_000_000
    ),
    Program("(x - x.mean()) / x.std() of 1e8", standardise, lambda n: ((n,),), lambda n: 16 * n),
    Program("five-point stencil of 1e8", stencil, lambda n: (_square(n),), lambda n: 8 * n),
    Program("softmax of 1e4 rows", softmax, lambda n: (_square(n),), lambda n: 8 * n),
    Program(
        "layer norm of 1e4 rows", layer_norm,
        lambda n: (_square(n), _square(n)[:1], _square(n)[:1]), lambda n: 8 * n,
    ),
    Program("polynomial of 1e8", polynomial, lambda n: ((n,),), lambda n: 8 * n),
    Program("rescaled to [0, 1], 1e8", rescaled, lambda n: ((n,),), lambda n: 12 * n),
    Program("distance of 1e8", distance, lambda n: ((n,), (n,)), lambda n: 8 * n),
)  # fmt: skip


# --- ways to run them


class Side:
    """A way to run programs: its functions, what marks a program, what waits."""

    def __init__(self, name: str):
        self.library = "gpuarray" if name in _GPUARRAY else name.partition(".")[0]
        self.mark: Callable[..., Any] = lambda function: function
        self.finish: Callable[[], Any] = lambda: None
        self.enter: Callable[[], Any] = lambda: None
        if name in _GPUARRAY:
            self._gpuarray(name)
        elif name.startswith("cupy"):
            self._cupy(name)
        elif name.startswith("torch"):
            self._torch(name)
        else:
            self._jax()

    def _gpuarray(self, name: str) -> None:
        xp = importlib.import_module("gpuarray")
        special = importlib.import_module("gpuarray.scipy.special")
        self.functions = _With(xp, erf=special.erf)
        self.to_device = xp.asarray
        self.free = xp.get_default_memory_pool().free_all_blocks
        mode = "off" if name == "fuse" else name
        self.enter = lambda: xp.fusion(mode)
        if name == "fuse":
            self.mark = xp.fuse
        stream = xp.cuda.get_current_stream()
        self.finish = lambda: stream.ptr  # what is recorded runs

    def _cupy(self, name: str) -> None:
        xp = importlib.import_module("cupy")
        special = importlib.import_module("cupyx.scipy.special")
        self.functions = _With(xp, erf=special.erf)
        self.to_device = xp.asarray
        self.free = xp.get_default_memory_pool().free_all_blocks
        if name == "cupy.fuse":
            self.mark = lambda function: xp.fuse()(function)

    def _torch(self, name: str) -> None:
        torch = libraries.available(["torch"])[0]["torch"]
        self.functions = _Torch(torch.module)
        self.to_device, self.free = torch.to_device, torch.free
        if name == "torch.compile":
            self.mark = torch.module.compile

    def _jax(self) -> None:
        jax = importlib.import_module("jax")
        jax.devices("gpu")
        special = importlib.import_module("jax.scipy.special")
        self.functions = _With(jax.numpy, erf=special.erf)
        self.to_device = jax.device_put
        self.free = lambda: None
        self.mark = jax.jit
        self.wait = jax.block_until_ready

    wait: Callable[[Any], Any] = staticmethod(lambda result: None)

    def _operand(self, number: int, size: int) -> Any:
        """An operand on the device, which the ways of a library share."""
        key = self.library, number, size
        found = _operands.get(key)
        if found is None:
            found = _operands[key] = self.to_device(_data(number, size))
        return found

    def work(self, program: Program, size: int) -> Callable[[], Any]:
        """The program over random operands of a size, as a function of nothing."""
        self.enter()
        operands = [
            self._operand(i, math.prod(shape)).reshape(shape)
            for i, shape in enumerate(program.shapes(size))
        ]
        if not operands:
            marked = self.mark(lambda: program.function(self.functions, size))
        else:
            marked = self.mark(lambda *arrays: program.function(self.functions, *arrays))
        finish = self.finish

        def work() -> Any:
            result = marked(*operands)
            finish()
            return result

        return work


_operands: dict[tuple[str, int, int], Any] = {}


@lru_cache(maxsize=4)
def _data(number: int, size: int) -> np.ndarray:
    """Random float32 from 0.5 to 1.5."""
    return np.random.default_rng(number).random(size, np.float32) + np.float32(0.5)


class _With:
    """A module and some more functions."""

    def __init__(self, module: Any, **more: Any):
        self._module = module
        vars(self).update(more)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        setattr(self, name, found)
        return found


class _Torch:
    """PyTorch's functions by NumPy's names, as far as programs use them."""

    def __init__(self, torch: Any):
        for name in ("exp", "log", "log1p", "sqrt", "square", "erf"):
            setattr(self, name, getattr(torch, name))
        self.max, self.min = torch.amax, torch.amin
        self.maximum = lambda x, low: torch.clamp(x, min=low)
        self.arange = lambda size: torch.arange(size, device="cuda")
        self.std = lambda x: torch.std(x, correction=0)
        self.mean = lambda x, **axes: torch.mean(x, **_torch_axes(axes))
        self.sum = lambda x, **axes: torch.sum(x, **_torch_axes(axes))
        self.max = lambda x, **axes: torch.amax(x, **_torch_axes(axes))
        self.min = lambda x, **axes: torch.amin(x, **_torch_axes(axes))


def _torch_axes(axes: dict[str, Any]) -> dict[str, Any]:
    return {"dim": axes["axis"], "keepdim": axes["keepdims"]} if axes else {}


# --- measuring


def synchronize() -> None:
    from gpuarray._ffi import driver

    driver.context_synchronize()


def whole_time(side: Side, work: Callable[[], Any], effort: timing.Effort) -> list[float]:
    """Seconds of a program with its work on the device: one figure a batch."""
    from gpuarray._fusion import running

    side.enter()
    for _ in range(3):
        side.wait(work())
        running.wait()  # for what is compiled meanwhile
    synchronize()
    began = time.perf_counter()
    side.wait(work())
    synchronize()
    once = time.perf_counter() - began
    count = max(1, min(200, int(effort.seconds_a_batch / once)))
    times = []
    for _ in range(effort.repeats):
        synchronize()
        began = time.perf_counter()
        for _ in range(count):
            result = work()
        side.wait(result)
        del result
        synchronize()
        times.append((time.perf_counter() - began) / count)
    return times


def copy_rate(size: int, effort: timing.Effort) -> float:
    """Bytes read and written each second by a copy."""
    from gpuarray._ffi import driver

    source, target = driver.mem_alloc(size), driver.mem_alloc(size)
    copy = (lambda: driver.memcpy_dtod_async(target, source, size, 0)), 0
    found = timing.device_times({"copy": copy}, synchronize, effort)["copy"]
    driver.mem_free(source)
    driver.mem_free(target)
    return 2 * size / median(found)


def measure_small(effort: timing.Effort) -> list[dict[str, Any]]:
    """Microseconds of the host for calls on small arrays, before fusion is switched on, and on."""
    import gpuarray as cp

    (library,) = libraries.available(["gpuarray"])[0].values()
    works = {
        row.name: row.work(library, *map(library.to_device, row.inputs(rows.SMALL)))
        for row in CALLS
    }
    us: dict[str, dict[str, float]] = {}
    for mode in ("off", "on"):
        if mode == "on":
            cp.fusion(mode)
        costs = timing.call_costs(works, synchronize, effort)
        us[mode] = {name: 1e6 * median(seconds) for name, seconds in costs.items()}
    cp.fusion("off")
    print(f"\n{'small arrays, host, µs':38}{'off':>10}{'on':>10}{'ratio':>8}")
    for name in works:
        off, on = us["off"][name], us["on"][name]
        print(f"{name:38}{off:10.2f}{on:10.2f}{on / off:8.3f}", flush=True)
    return [{"name": name, "us": {mode: us[mode][name] for mode in us}} for name in works]


def measure_programs(
    sides: dict[str, Side], effort: timing.Effort, scale: int
) -> list[dict[str, Any]]:
    """The time of each program on each side."""
    rate = copy_rate(rows.LARGE * 4 // scale, effort)
    print(f"a copy: {rate / 1e12:.2f} TB/s")
    print(f"{'':38}" + "".join(f"{x:>14}" for x in sides) + f"{'bound':>10}")
    found = []
    for program in PROGRAMS:
        size = program.size // scale
        us: dict[str, float] = {}
        faults: dict[str, str] = {}
        for name, side in sides.items():
            try:
                us[name] = 1e6 * median(whole_time(side, side.work(program, size), effort))
            except Exception as error:  # report the program as it is, and go on
                faults[name] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
            side.free()
        bound = 1e6 * program.moved(size) / rate
        cells = "".join(f"{us[x]:14.0f}" if x in us else f"{'-':>14}" for x in sides)
        print(f"{program.name:38}{cells}{bound:10.0f}", flush=True)
        for name, fault in faults.items():
            print(f"    {name}: {fault}")
        found.append({"name": program.name, "us": us, "bound_us": bound, "faults": faults})
    return found


def measure_calls(
    sides: dict[str, Side], effort: timing.Effort, scale: int
) -> dict[str, dict[str, float]]:
    """Microseconds of the host for chains of operations on large arrays."""
    size = (8 << 20) // scale  # 32 MiB, which are recorded
    chains: dict[str, Callable[[Any], Any]] = {
        "five operations": lambda x: ((x * 2 + 1) * x - x) * 0.5,
        "three operations": lambda x: x * 2 + 1 - x,
        "one operation": lambda x: x * 2,
    }
    found: dict[str, dict[str, float]] = {}
    print(f"\n{'host, µs':38}" + "".join(f"{x:>14}" for x in sides))
    for chain, function in chains.items():
        us = found[chain] = {}
        for name, side in sides.items():
            if name in ("fuse", "cupy.fuse", "torch.compile", "jax.jit"):
                continue
            side.enter()
            x = side.to_device(np.ones(size, np.float32))
            finish = side.finish

            def work(x: Any = x, function: Any = function, finish: Any = finish) -> None:
                y = function(x)
                finish()
                del y

            work()
            _compiled()
            # Few calls, so that the queue has room: a kernel here takes longer than a call.
            us[name] = 1e6 * min(timing.call_costs({"": work}, synchronize, effort, 20)[""])
        print(f"{chain:38}" + "".join(f"{us[x]:14.1f}" if x in us else "" for x in sides))
    return found


def _compiled() -> None:
    from gpuarray._fusion import running

    running.wait()


#: Chains for the sizes, of one or two arrays.
_CHAINS: dict[str, Callable[[Any, Any], Any]] = {
    "x * 2": lambda x, y: x * 2,
    "x + y": lambda x, y: x + y,
    "x.sum()": lambda x, y: x.sum(),
    "(x + y).sum()": lambda x, y: (x + y).sum(),
    "x * 2 + y": lambda x, y: x * 2 + y,
    "five operations": lambda x, y: ((x * 2 + y) * x - y) * 0.5,
}


def measure_sizes(effort: timing.Effort, least: int = 20) -> dict[str, dict[str, dict[str, float]]]:
    """Microseconds of chains by the MiB of an operand, with fusion off, and on for all sizes."""
    import gpuarray as cp
    from gpuarray._runtime import recording

    before, recording.LEAST_BYTES = recording.LEAST_BYTES, 0
    found: dict[str, dict[str, dict[str, float]]] = {}
    sizes = [1 << k for k in range(least, least + 7)]
    heads = [f"{4 * x / 2**20:g} MiB" for x in sizes]
    print(f"\n{'off, on: µs':20}" + "".join(f"{x:>16}" for x in heads))
    for name, chain in _CHAINS.items():
        of_chain = found[name] = {}
        for size, head in zip(sizes, heads):
            x, y = cp.ones(size, np.float32), cp.ones(size, np.float32)
            of_chain[head] = _off_and_on(lambda x=x, y=y, chain=chain: chain(x, y), effort)
        cells = [f"{x['off']:7.1f} {x['on']:7.1f}" for x in of_chain.values()]
        print(f"{name:20}" + "".join(f"{x:>16}" for x in cells), flush=True)
    recording.LEAST_BYTES = before
    return found


def _off_and_on(work: Callable[[], Any], effort: timing.Effort) -> dict[str, float]:
    """Microseconds of a call in batches to the end of their work, with fusion off and on."""
    import gpuarray as cp

    stream = cp.cuda.get_current_stream()
    times: dict[str, list[float]] = {"off": [], "on": []}
    for mode in times:
        cp.fusion(mode)
        stream.drop_plans()
        for _ in range(3):
            result = work()
            _ = stream.ptr
            _compiled()
    for _ in range(effort.repeats):
        for mode, seconds in times.items():
            cp.fusion(mode)
            for _ in range(3):
                result = work()
                _ = stream.ptr
            synchronize()
            began = time.perf_counter()
            for _ in range(30):
                result = work()
                _ = stream.ptr  # what is recorded runs
                del result
            synchronize()
            seconds.append((time.perf_counter() - began) / 30)
    cp.fusion("off")
    return {mode: 1e6 * median(seconds) for mode, seconds in times.items()}


def measure_memory(sides: dict[str, Side], scale: int) -> dict[str, dict[str, int]]:
    """The most bytes that each program has the pool hold, without its operands."""
    found: dict[str, dict[str, int]] = {}
    print(f"\n{'MB held at most':38}" + "".join(f"{x:>14}" for x in sides if x in _GPUARRAY))
    for program in PROGRAMS:
        of_program = found[program.name] = {}
        for name, side in sides.items():
            if name in _GPUARRAY:
                try:
                    of_program[name] = _most_used(side, program, program.size // scale)
                except TypeError:
                    continue
        cells = "".join(f"{x / 1e6:14.1f}" for x in of_program.values())
        print(f"{program.name:38}{cells}", flush=True)
    return found


def _most_used(side: Side, program: Program, size: int) -> int:
    import gpuarray as cp

    work = side.work(program, size)
    for _ in range(3):
        work()
        _compiled()
    side.free()
    pool = cp.get_default_memory_pool()
    before = pool.total_bytes()
    work()
    most = pool.total_bytes() - before
    side.free()
    return most


def measure_rows(effort: timing.Effort, scale: int, only: str) -> list[dict[str, Any]]:
    """The rows of benchmarks/peers.py with fusion off and on, in turns."""
    import gpuarray as cp

    found = []
    (library,) = libraries.available(["gpuarray"])[0].values()
    size = rows.LARGE // scale
    print(f"\n{'device, µs':38}{'off':>10}{'on':>10}{'ratio':>8}")
    clock = timing.DeviceClock()
    for row in [*elementwise_rows(size), *reduction_rows(size), *sorting_rows(size)]:
        if only not in row.name:
            continue
        host = row.inputs(row.size or size)
        work = row.work(library, *map(library.to_device, host))
        stream = cp.cuda.get_current_stream()

        def whole(work: Any = work, stream: Any = stream) -> None:
            result = work()
            _ = stream.ptr  # what is recorded runs
            del result

        times: dict[str, list[float]] = {"off": [], "on": []}
        counts = {}
        for mode in times:
            cp.fusion(mode)
            for _ in range(3):
                whole()
                _compiled()
            synchronize()
            once = clock.seconds(whole, 2, stream.ptr)
            counts[mode] = max(1, min(200, int(effort.seconds_a_batch / max(once, 1e-6))))
        for _ in range(effort.repeats):
            for mode, seconds in times.items():
                cp.fusion(mode)
                whole()  # the device is busy when the clock starts, the host ahead of it
                whole()
                seconds.append(clock.seconds(whole, min(counts.values()), stream.ptr))
        cp.fusion("off")
        us = {mode: 1e6 * median(seconds) for mode, seconds in times.items()}
        ratio = us["on"] / us["off"]
        slower = "  SLOWER" if ratio > MOST else ""
        print(f"{row.name:38}{us['off']:10.1f}{us['on']:10.1f}{ratio:8.3f}{slower}", flush=True)
        found.append({"name": row.name, "us": us})
        del work, whole
        library.free()
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=_TABLES)
    parser.add_argument("--sides", default=",".join(SIDES))
    parser.add_argument("--row", default="", help="rows whose name has this")
    parser.add_argument("--seconds", type=float, help="of a batch")
    parser.add_argument("--quick", action="store_true", help="small and short: does it run at all?")
    parser.add_argument("--json", metavar="PATH", help="write the figures there")
    options = parser.parse_args()
    effort = timing.Effort.quick() if options.quick else timing.Effort(repeats=5)
    if options.seconds is not None:
        effort = timing.Effort(repeats=5, batches=5, seconds_a_batch=options.seconds)
    scale = 1000 if options.quick else 1
    chosen = options.only or _TABLES
    sides: dict[str, Side] = {}
    missing: dict[str, str] = {}
    for name in options.sides.split(","):
        try:
            sides[name] = Side(name)
        except Exception as error:  # a peer may be missing or broken in its own way
            missing[name] = f"{type(error).__name__}: {error}".splitlines()[0]
            print(f"{name} is left out: {missing[name]}")
    from gpuarray._ffi import driver

    print(driver.describe())
    figures: dict[str, Any] = {"device": driver.describe(), "missing": missing}
    if "small" in chosen:  # first: nothing has switched fusion on yet
        figures["small"] = measure_small(effort)
    if options.quick:
        from gpuarray._runtime import recording

        recording.LEAST_BYTES = 0
    if "programs" in chosen:
        figures["programs"] = measure_programs(sides, effort, scale)
    if "calls" in chosen:
        figures["calls"] = measure_calls(sides, effort, scale)
    if "memory" in chosen:
        figures["memory"] = measure_memory(sides, scale)
    if "sizes" in chosen:
        figures["sizes"] = measure_sizes(effort, 10 if options.quick else 20)
    if "rows" in chosen:
        figures["rows"] = measure_rows(effort, scale, options.row)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
