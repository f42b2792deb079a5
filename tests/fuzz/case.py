"""A case: operands and a short program in Python, which runs with either library."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from tests.fuzz.values import elements


class Operand(NamedTuple):
    """An array of a program: contiguous memory and a view of it."""

    name: str
    dtype: str
    #: Of the memory.
    shape: tuple[int, ...]
    #: What the elements are: see `elements`.
    kind: str
    seed: int
    #: How the view is made of the memory, whose name is the operand's with a line below.
    view: str
    #: The elements, where they are no longer those of `kind`.
    given: np.ndarray | None = None

    @property
    def base(self) -> str:
        """The name of the memory."""
        return self.name + "_"

    def memory(self) -> np.ndarray:
        """The memory as a host array that may be written to."""
        if self.given is not None:
            return self.given.copy()
        return elements(self.kind, self.dtype, self.shape, self.seed)


class Case(NamedTuple):
    """One comparison, or a sequence of them."""

    #: ``seed/recipe/number``, by which the case can be made again.
    id: str
    family: str
    #: What is called: findings are grouped by it.
    function: str
    operands: tuple[Operand, ...]
    #: Statements; the last may be an expression, whose value is the result.
    program: tuple[str, ...]
    #: Operands whose memory is compared, too.
    watched: tuple[str, ...] = ()
    #: Whether memory is compared after each statement.
    stateful: bool = False
    #: Which of the tolerances applies: a function's name.
    tolerance: str = ""
    #: Arguments are absurd: that both libraries raise is enough.
    garbage: bool = False
    #: A remark on how the case is made, which differences that are known may look at.
    notes: frozenset[str] = frozenset()


class Raised(NamedTuple):
    """That a program ended with an exception."""

    error: Exception
    #: Which statement raised it.
    statement: int


class Outcome(NamedTuple):
    """What a program did."""

    #: The value of the last statement, or what it raised.
    result: Any
    #: The memory of watched operands: at the end, or after each statement.
    memory: list[dict[str, Any]]
    #: Of each array among the results, whether it lies in the memory of an operand.
    views: tuple[bool, ...] = ()


class Interpreter:
    """Runs programs with one library."""

    def __init__(self, library: ModuleType):
        self.library = library
        self._device = library is not np

    def names(self, case: Case, memories: list[np.ndarray] | None = None) -> dict[str, Any]:
        """The variables that a program starts with.

        Parameters
        ----------
        case : Case
            What has the program.
        memories : list of ndarray, optional
            The memory of its operands, where that exists already. NumPy's programs write to it.
        """
        if memories is None:
            memories = [operand.memory() for operand in case.operands]
        names: dict[str, Any] = {"xp": self.library, "np": np, "nan": np.nan, "inf": np.inf}
        for operand, memory in zip(case.operands, memories):
            names[operand.base] = self.library.asarray(memory) if self._device else memory
        for operand in case.operands:
            names[operand.name] = eval(_compiled(operand.view, "eval"), names)
        return names

    def run(self, case: Case, memories: list[np.ndarray] | None = None) -> Outcome:
        """Run a program to its end or to its first exception."""
        names = self.names(case, memories)
        memory: list[dict[str, Any]] = []
        result: Any = None
        for number, statement in enumerate(case.program):
            last = number == len(case.program) - 1
            try:
                if last and not case.stateful:
                    result = self._evaluate(statement, names)
                else:
                    exec(_compiled(statement, "exec"), names)
            except Exception as error:
                # The traceback holds arrays.
                result = Raised(error.with_traceback(None), number)
                if not case.stateful:
                    break
            if case.stateful:
                memory.append(self._watched(case, names, copy=True))
                if isinstance(result, Raised) and result.statement == number:
                    memory[-1][""] = result
        if case.stateful:
            return Outcome(None, memory)
        memory.append(self._watched(case, names))
        bases = [_bounds(names[operand.base]) for operand in case.operands]
        return Outcome(result, memory, tuple(self._views(result, bases)))

    def _views(self, result: Any, bases: list[tuple[int, int]]) -> Iterator[bool]:
        if isinstance(result, self.library.ndarray):
            start, _stop = _bounds(result)
            yield any(low <= start < high for low, high in bases)
        elif isinstance(result, (tuple, list)):
            for item in result:
                yield from self._views(item, bases)
        elif isinstance(result, np.generic):
            yield False

    def _evaluate(self, statement: str, names: dict[str, Any]) -> Any:
        try:
            code = _compiled(statement, "eval")
        except SyntaxError:
            exec(_compiled(statement, "exec"), names)
            return None
        return eval(code, names)

    def _watched(self, case: Case, names: dict[str, Any], copy: bool = False) -> dict[str, Any]:
        bases = {name: names[name + "_"] for name in case.watched}
        if not copy:
            return bases
        return {name: x.get() if self._device else x.copy() for name, x in bases.items()}


def _bounds(x: Any) -> tuple[int, int]:
    """The address of an array's first element, and the end of as many bytes as it has."""
    start = x.__array_interface__["data"][0] if isinstance(x, np.ndarray) else x.data.ptr
    return start, start + x.nbytes


_codes: dict[tuple[str, str], Any] = {}


def _compiled(text: str, mode: str) -> Any:
    code = _codes.get((text, mode))
    if code is None:
        if len(_codes) > 4096:
            _codes.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as an index that is no integer
            code = _codes[text, mode] = compile(text, "<case>", mode)
    return code


def as_python(case: Case, library: str = "gpuarray") -> str:
    """The program as a script, with the elements written out where they are few."""
    lines = ["import numpy as np", f"import {library} as xp", "from numpy import inf, nan"]
    for operand in case.operands:
        lines.append(f"{operand.base} = {_array_text(operand)}")
        lines.append(f"{operand.name} = {operand.view}")
    *statements, last = case.program
    lines += statements
    if case.stateful or _is_statement(last):
        lines.append(last)
        lines += [f"print({name}_)" for name in case.watched]
    else:
        lines.append(f"print(repr({last}))")
        lines += [f"print({name}_)" for name in case.watched]
    return "\n".join(lines)


def _is_statement(text: str) -> bool:
    try:
        compile(text, "<case>", "eval")
    except SyntaxError:
        return True
    return False


def _array_text(operand: Operand) -> str:
    memory = operand.memory()
    if memory.size > 300:
        return (
            f"xp.asarray(elements({operand.kind!r}, {operand.dtype!r}, {operand.shape}, "
            f"{operand.seed}))  # tests.fuzz.values"
        )
    if memory.size == 0:
        return f"xp.zeros({memory.shape}, {operand.dtype!r})"
    listed = ", ".join(_number_text(x) for x in memory.ravel().tolist())
    text = f"xp.array([{listed}], {operand.dtype!r})"
    return text if memory.ndim == 1 else f"{text}.reshape({memory.shape})"


def _number_text(x: complex) -> str:
    if isinstance(x, complex) and not (np.isfinite(x.real) and np.isfinite(x.imag)):
        return f"complex({x.real}, {x.imag})"
    return repr(x)


def statements(case: Case) -> Iterator[str]:
    """What a program says, for messages of one line."""
    yield from (f"{x.name}: {x.dtype}{x.shape} {x.view}" for x in case.operands)
    yield from case.program
