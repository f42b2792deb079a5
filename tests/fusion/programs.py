"""Random programs of arrays, which have the same results however operations are run.

    python -m tests.fusion.programs --count 100000 --seed 1
    python -m tests.fusion.programs --seed 1234 --show

A program is a list of statements over a few named arrays: operations, views, changes in place,
reductions, assignments to parts, names that are given up, calls that raise. It runs with NumPy, and
with gpuarray running each operation at once, recording them, and fusing whatever it has recorded.
After its end, all that it has seen must be equal bit by bit in the three modes, and close to
what NumPy has seen; each statement must raise what it raises with NumPy.

To compile takes longer than to run. So programs come in families of `REPEAT`: of one list of
statements, each of `CHOICES` programs leaves some out, and is run with elements of its own, and two
pairs of lengths.
"""

from __future__ import annotations

import argparse
import copy
import functools
import pickle
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

#: Programs of a family, which have their kernels in common, and its different lists of statements.
REPEAT, CHOICES = 512, 8
#: Statements that a family has.
LENGTH = 10
#: Programs that run in one mode, with one wait for their results, before they run in the next one.
BLOCK = 64
_NAMES = "abcdef"
_UNARY = (
    "-{0}", "abs({0})", "xp.square({0})", "xp.floor({0})", "xp.sqrt(abs({0}))", "{0} > 1",
    "{0}.astype({dtype})", "+{0}", "xp.sign({0})", "({0} != 0)",
    "xp.arange({0}.size).reshape({0}.shape) * {0}", "xp.full({0}.shape, 2, {dtype}) - {0}",
    "(xp.arange({0}.size)[::-1] * 0.5).reshape({0}.shape)", "xp.arange({0}.size, dtype='f4')",
    "xp.ones({0}.shape, {dtype})", "xp.zeros_like({0}) + {0}", "({0} + 1)[..., ::-1] * {0}",
    "({0} * 2).T + 1",
)  # fmt: skip
_BINARY = (
    "{0} + {1}", "{0} - {1}", "{0} * {1}", "xp.maximum({0}, {1})", "xp.minimum({0}, {1})",
    "xp.where({0} > {1}, {0}, {1})", "{0} < {1}", "xp.clip({0}, -2, {1})", "{0} / 2 + {1}",
    "xp.where({0} > 0, {1}, 0)", "{0}.astype({dtype}) + {1}", "xp.add({0}, {1}, dtype={dtype})",
    "({0} * 2 - {1}) * {0}", "({0} == {1}) | ({0} > 2)",
)  # fmt: skip
_VIEWS = (
    "{0}[::-1]", "{0}[1:]", "{0}[:-1]", "{0}[::2]", "{0}[:1]", "{0}.T", "{0}[..., ::-1]",
    "{0}[..., 1:]", "{0}.reshape(-1)", "{0}[None]", "{0}[..., :1]", "{0}[-1:]",
    "xp.broadcast_to({0}, (2, *{0}.shape))", "{0}[..., ::-2]", "xp.swapaxes({0}, 0, -1)",
)  # fmt: skip
_SCALARS = ("2", "0.5", "-3", "True", "xp.float32(1.5)", "xp.int64(2)")
_REDUCTIONS = ("max", "min", "any", "all", "sum", "mean", "argmax", "cumsum")
_PARTS = ("[...]", "[1:]", "[::-1]", "[..., :-1]", "[:1]", "[..., ::2]", "[-1, ...]")
_INPLACE = ("+=", "-=", "*=", "|=")
_LOOKS = (
    "seen.append({0}.tolist())", "seen.append(bool(({0} > 0).any()))",
    "seen.append(float(({0} * 1).sum()))", "seen.append(str({0}.dtype))",
    "seen.append(int(xp.count_nonzero({0})))", "seen.append({0}[..., :1].tolist())",
)  # fmt: skip
_RAISING = (
    "{0} + xp.zeros((11, 13))", "xp.bitwise_and({0} * 0.5, 1.5)", "{0} * 1 + xp.missing",
    "{0}[99]", "({0} * 2).reshape(1009)", "xp.add({0}, 1, out=xp.zeros(17))", "bool({0} + {0})",
    "(xp.broadcast_to({0} + 1, (2, *{0}.shape)))[...].fill(1 / 0)",
    "({0} + 1).astype('no such')", "{0}.sum(axis=7)",
)  # fmt: skip
_COPIES = (
    "copy.copy({0})", "copy.deepcopy({0})", "pickle.loads(pickle.dumps({0}))", "{0}.copy()",
    "{0}", "xp.ascontiguousarray({0})", "xp.asarray({0})", "{0}[{0} > 0]",
    "(lambda t: t * 2 + t)({0} + 1)",
)  # fmt: skip
#: What has two results, stores where a mask is true, or reads and writes parts of complex numbers.
_OTHERS = (
    "{2}, {3} = xp.divmod({0}, {1})", "{2}, {3} = xp.modf({0} * 0.5)",
    "{2}, {3} = xp.frexp(xp.nan_to_num({0} * 0.5, posinf=9, neginf=-9))",
    "{3} = xp.divmod({0}, 3, out=({2}, None), casting='unsafe')[1]",
    "xp.multiply({0}, {1}, out={2}, where={0} > 0, casting='unsafe')",
    "xp.add({0} * 2, {1}, out={0}, where={1} != 1, casting='unsafe')",
    "xp.copyto({0}, {1}, where={0} > 0, casting='unsafe')",
    "{2} = {0} * 1 + ({0} * 2).sum(where={0} > 0, initial=1)",
    "{2} = {0} * 1 + {0}.max(initial=2)", "{2} = ({0} + {0}).min(axis=0, initial=3) * 2",
    "{2} = ({0} > 0).sum(axis=-1, where={0} < 3)",
    "{2} = {0} * 1j + {1}", "{2} = ({0} * (1 + 2j)).real", "{2} = xp.conj({0} - 1j).imag * {1}",
    "{0}.real += {1}", "{0}.real[..., ::2] = {1}", "{0}.imag[...] = 2", "{2} = {0}.real",
    "{2} = {0}.imag + {1}",
    "{2} = xp.maximum.accumulate({0} * 2, axis=-1)", "{2} = (-{0}).cumprod(axis=-1) + {1}",
    "{2} = xp.minimum.accumulate({0})[::-1]",
)  # fmt: skip
_DTYPES = ("f8", "f4", "i8", "i4", "u1", "?")


class Family:
    """The statements that programs draw from.

    Attributes
    ----------
    statements : list of str
        In their order.
    dtypes : list of str
        Of the arrays that programs begin with.
    shapes : list of str
        Theirs, as what makes them of two lengths.
    lengths : tuple of int
        What programs have, if not lengths of their own.
    """

    _SHAPES = ("n, m", "m,", "n, 1", "1, m", "2, n, m", "")

    def __init__(self, seed: int):
        source = self._source = random.Random(seed)
        self.used = source.sample(_DTYPES, 2)
        self.dtypes = [source.choice(self.used) for _ in range(3)]
        self.shapes = ["n, m"] + [
            source.choice(self._SHAPES if source.random() < 0.5 else ("n, m",)) for _ in range(2)
        ]
        self.lengths = source.choice((1, 2, 3, 4)), source.choice((2, 3, 5))
        if source.random() < 0.03:
            self.lengths = self.lengths[0], 0
        self.known = list(_NAMES[:3])
        names = _names(np, self.arrays(seed, self.lengths))
        self.statements: list[str] = []
        while len(self.statements) < LENGTH:
            statement = self._statement()
            if statement in self.statements or not self._fits(statement, names):
                continue
            self.statements.append(statement)
            self.known = [name for name in _NAMES if name in names]

    def _fits(self, statement: str, names: dict[str, Any]) -> bool:
        """Run a statement with NumPy; False if it raises, but for few, or makes a large array."""
        before = {name: names[name] for name in self.known}
        try:
            with np.errstate(all="ignore"):
                _execute(statement, names)
        except Exception:
            return statement.startswith("raised") or self._source.random() < 0.05
        if all(names[x].ndim <= 4 and names[x].size <= 300 for x in _NAMES if x in names):
            return True
        for name in _NAMES:
            names.pop(name, None)
        names.update(before)
        return False

    def arrays(self, seed: int, lengths: tuple[int, int]) -> list[np.ndarray]:
        """The arrays that a program begins with: small integers and halves."""
        rng, (n, m) = np.random.default_rng(seed), lengths
        made = []
        for shape, dtype in zip(self.shapes, self.dtypes, strict=True):
            found = eval(f"({shape})", {"n": n, "m": m})
            made.append(np.asarray(rng.integers(-8, 9, found) / 2).astype(dtype))
        return made

    def _statement(self) -> str:
        source, kind = self._source, self._source.random()
        target = source.choice(_NAMES)
        if source.random() < 0.12:
            first, other = source.choice(self.known), self._operand()
            return source.choice(_OTHERS).format(first, other, *source.sample(_NAMES, 2))
        name, dtype = source.choice(self.known), repr(source.choice(self.used))
        if kind < 0.12:
            made = f"{target} = {source.choice(_UNARY).format(name, dtype=dtype)}"
        elif kind < 0.45:
            binary = source.choice(_BINARY)
            made = f"{target} = {binary.format(name, self._operand(), dtype=dtype)}"
        elif kind < 0.53:
            made = f"{target} = {source.choice(_VIEWS).format(name)}"
        elif kind < 0.6:
            axis = source.choice(("0, keepdims=True", "-1, keepdims=True", "None", "0"))
            reduction = source.choice(_REDUCTIONS)
            if reduction == "cumsum":
                axis = axis.partition(",")[0]
            operand = source.choice((name, f"({name} * 1 + {name})", f"({name} > 0)"))
            made = f"{target} = {name} * 1 + {operand}.{reduction}(axis={axis})"
        elif kind < 0.65:
            made = f"{target} = {source.choice(_COPIES).format(name)}"
        elif kind < 0.73:
            return f"{name}{source.choice(_PARTS)} = {self._operand()}"
        elif kind < 0.81:
            part = source.choice((*_PARTS, "", "", ""))
            return f"{name}{part} {source.choice(_INPLACE)} {self._operand()}"
        elif kind < 0.86:
            out = source.choice(self.known)
            return f"xp.add({name}, {self._operand()}, out={out}, casting='unsafe')"
        elif kind < 0.9:
            return source.choice(_LOOKS).format(name)
        elif kind < 0.93:
            return f"raised = {source.choice(_RAISING).format(name)}"
        elif kind < 0.96:
            return f"del {name}"
        else:
            return f"{name}[{name} > {source.choice((0, 1))}] = {source.choice(('0', '1'))}"
        return made

    def _operand(self) -> str:
        source = self._source
        name, chance = source.choice(self.known), source.random()
        if chance < 0.6:
            return name
        if chance < 0.75:
            return source.choice(_VIEWS).format(name)
        if chance < 0.85:
            return f"({source.choice(_UNARY[:5]).format(name)})"
        return source.choice(_SCALARS)


@functools.lru_cache(maxsize=2)
def family(number: int) -> Family:
    """That of a number."""
    return Family(number)


@functools.lru_cache(maxsize=1 << 14)
def _compiled(statement: str) -> Any:
    return compile(statement, statement, "exec")


def _execute(statement: str, names: dict[str, Any]) -> None:
    exec(_compiled(statement), names)
    for target in statement.partition(" = ")[0].split(", "):
        if isinstance(names.get(target), np.generic):  # NumPy's for an array without dimensions
            names[target] = np.asarray(names[target])


def statements(seed: int) -> list[str]:
    """The program of a seed; where it is the first of its family, it is all of it."""
    number, one = divmod(seed, REPEAT)
    choice = one % CHOICES
    source, found = random.Random(number * CHOICES + choice), family(number).statements
    return [x for x in found if not choice or source.random() < 0.7]


def data_of(seed: int) -> list[np.ndarray]:
    """The arrays that the program of a seed begins with."""
    found = family(seed // REPEAT)
    n, m = found.lengths
    if n > 1 and m > 1 and (seed // CHOICES) % 2:
        n, m = n % 4 + 2, (m + 2) % 4 + 2
    return found.arrays(seed, (n, m))


def _names(xp: Any, data: Sequence[np.ndarray]) -> dict[str, Any]:
    names: dict[str, Any] = {"xp": xp, "seen": [], "copy": copy, "pickle": pickle}
    names.update({name: xp.asarray(x.copy()) for name, x in zip(_NAMES, data)})
    return names


def run(program: Sequence[str], xp: Any, data: Sequence[np.ndarray]) -> list[Any]:
    """What a program has seen at its end, and what its statements have raised.

    Arrays at its end may still be on their way to the host.
    """
    names = _names(xp, data)
    seen = names["seen"]
    for i, statement in enumerate(program):
        try:
            _execute(statement, names)
        except Exception as error:
            seen.append((i, type(error).__name__))
    for name in _NAMES:
        if (x := names.get(name)) is not None:
            if hasattr(x, "get"):
                x = x.get(out=xp.empty_pinned(x.shape, x.dtype), blocking=False)
            seen.append(np.asarray(x))
    return seen


def _bits(seen: Sequence[Any]) -> list[Any]:
    """What has been seen, as what is equal if all its bits are."""
    return [(str(x.dtype), x.shape, x.tobytes()) if _is_array(x) else repr(x) for x in seen]


def _is_array(x: Any) -> bool:
    return isinstance(x, np.ndarray | np.generic)


def is_close(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether a program has seen what NumPy's has, but for the order in which sums are added."""
    # NumPy rounds to half precision after each of a sum's additions.
    halves = any(_is_array(y) and y.dtype == np.float16 for y in expected)
    tolerance = 1e-2 if halves else 1e-4
    return len(found) == len(expected) and all(
        _is_close(x, y, tolerance) for x, y in zip(found, expected, strict=True)
    )


def _is_close(x: Any, y: Any, tolerance: float) -> bool:
    if isinstance(x, tuple):
        return x == y
    if _is_array(x) and _is_array(y) and x.dtype != y.dtype:
        return False
    x, y = np.asarray(x), np.asarray(y)
    if x.shape != y.shape:
        return False
    if x.dtype.kind not in "fc":
        return bool(np.array_equal(x, y))
    with np.errstate(all="ignore"):
        return bool(np.allclose(x, y, tolerance, tolerance, equal_nan=True))


def differences(
    seed: int, modes: dict[str, Callable[[], None]], xp: Any = None
) -> dict[str, list[Any]]:
    """What the program of a seed has seen by mode, if that is not the same."""
    return differences_of([seed], modes, xp).get(seed, {})


def differences_of(
    seeds: Iterable[int], modes: dict[str, Callable[[], None]], xp: Any = None
) -> dict[int, dict[str, list[Any]]]:
    """What programs have seen by mode, by their seeds, of those where that is not the same."""
    if xp is None:
        import gpuarray as xp

    programs = {seed: (statements(seed), data_of(seed)) for seed in seeds}
    with np.errstate(all="ignore"):
        expected = {seed: run(x, np, data) for seed, (x, data) in programs.items()}
        found: dict[int, dict[str, list[Any]]] = {seed: {} for seed in programs}
        for name, enter in modes.items():
            enter()
            for seed, (program, data) in programs.items():
                found[seed][name] = run(program, xp, data)
            xp.cuda.Device().synchronize()
    different = {}
    for seed, seen in found.items():
        first, *others = map(_bits, seen.values())
        if any(x != first for x in others) or not is_close(
            next(iter(seen.values())), expected[seed]
        ):
            different[seed] = {"numpy": expected[seed], **seen}
    return different


def all_modes() -> dict[str, Callable[[], None]]:
    """How operations are run, by name."""
    from gpuarray._fusion import automatic, deferred
    from gpuarray._runtime import recording

    recording.LEAST_BYTES = 0
    deferred.USUAL = sys.maxsize  # operations that run alone are recorded
    return {
        mode: functools.partial(automatic.set_mode, mode) for mode in ("off", "on", "immediate")
    }


def _show(seed: int, found: dict[str, list[Any]]) -> None:
    print(f"--- seed {seed}")
    for name, x in zip(_NAMES, data_of(seed)):
        print(f"{name} = xp.asarray({x.tolist()}, {x.dtype.str!r})")
    print("\n".join(f"{i}: {x}" for i, x in enumerate(statements(seed))))
    for name, seen in found.items():
        print(f"{name}: {[x.tolist() if _is_array(x) else x for x in seen]}")


def main() -> int:
    """Run programs until the count, or the time, is reached; the first differences end it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="of the first program")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most")
    parser.add_argument("--differences", type=int, default=1, help="how many end it")
    parser.add_argument("--show", action="store_true", help="the program of the seed, and its ends")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # of empty means, divisions by zero, and the like
    modes, start = all_modes(), time.perf_counter()
    if options.show:
        modes["off"]()
        _show(options.seed, differences(options.seed, modes))
        return 0
    different: list[int] = []
    seed, end = options.seed, options.seed + options.count
    while seed < end and len(different) < options.differences:
        block = range(seed, min(end, seed // BLOCK * BLOCK + BLOCK))
        for number, found in differences_of(block, modes).items():
            different.append(number)
            _show(number, found)
        seed = block.stop
        if seed % (200 * BLOCK) == 0:
            print(f"{seed}: {time.perf_counter() - start:.0f} s", flush=True)
        if time.perf_counter() - start > options.seconds:
            break
    ran, took = seed - options.seed, time.perf_counter() - start
    lists = {(x // REPEAT, x % CHOICES) for x in range(options.seed, seed)}
    print(
        f"{ran} programs from seed {options.seed} on, of {len(lists)} lists of statements, "
        f"{ran / took:.0f} a second, "
        f"{len(different)} with differences: {different}"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
