"""A kernel with the device functions that it calls, as one source of CUDA C++."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from gpuarray._jit.arithmetic import Arithmetic
from gpuarray._jit.functions import JitFunction
from gpuarray._jit.identifiers import identifier
from gpuarray._jit.values import NumberType

_DYNAMIC = "dynamic_shared_memory"


class CodeLine(NamedTuple):
    """A line of C++, and the line of Python that it comes from."""

    text: str
    depth: int
    number: int = 0
    comment: str = ""


@dataclass(slots=True)
class TranslatedFunction:
    """A function for certain types of arguments, in C++."""

    name: str
    result: NumberType | tuple[NumberType, ...] | None
    effect: int
    #: Indices of the parameters that are arrays whose elements are assigned to.
    written: frozenset[int]
    #: Python integers among the parameters that are converted to another integer: the narrowest.
    narrowed: dict[int, str]


class TranslationUnit:
    """The functions of one source, as they are translated.

    Parameters
    ----------
    mode : {'numpy', 'cuda'}
        How dtypes promote.
    elementwise : bool
        Whether it is a function of elements, without threads that work together.
    """

    def __init__(self, mode: str, elementwise: bool = False):
        self.math = Arithmetic(mode)
        self.elementwise = elementwise
        #: Whether it may be executed for elements that do not exist: it ends, without effects.
        self.speculatable = True
        self._functions: dict[tuple[Any, ...], TranslatedFunction] = {}
        self._active: list[JitFunction] = []
        self._names: set[str] = set()
        #: The lines of the finished functions, with the file that they come from.
        self._finished: list[tuple[str, list[CodeLine]]] = []
        self._dynamic = False

    def dynamic_shared_memory(self) -> str:
        """The name of dynamic shared memory, which is declared from now on."""
        self._dynamic = True
        return _DYNAMIC

    def unique_name(self, wanted: str) -> str:
        """A function's name that no other has."""
        found = identifier(wanted, self._names)
        self._names.add(found)
        return found

    def add(self, file: str, lines: list[CodeLine]) -> None:
        """Add a finished function."""
        self._finished.append((file, lines))

    def device_function(
        self,
        function: JitFunction,
        types: tuple[Any, ...],
        translate: Callable[[TranslationUnit, JitFunction, tuple[Any, ...]], TranslatedFunction],
    ) -> TranslatedFunction:
        """A device function for these types of arguments, translated at its first call."""
        key = (function, types)
        found = self._functions.get(key)
        if found is None:
            if any(active is function for active in self._active):
                raise RecursionError(
                    f"{function.__name__} calls itself, which kernels do not support; write a loop"
                )
            self._active.append(function)
            try:
                found = translate(self, function, types)
            finally:
                self._active.pop()
            self._functions[key] = found
        return found

    def render(self, lines: str = "comments") -> str:
        """The source.

        Parameters
        ----------
        lines : {'comments', 'directives', ''}
            How it refers to lines of Python: by comments for readers, by ``#line`` directives
            for compilers, debuggers and checkers, or not at all.
        """
        headers = sorted(self.math.headers | {"gpuarray/jit.cuh"})
        text = [f'#include "{header}"' for header in headers]
        text += ["", "namespace gpuarray {", "namespace translated {", "using namespace jit;", ""]
        if self._dynamic:
            text += [f"extern __shared__ __align__(16) unsigned char {_DYNAMIC}[];", ""]
        if self.math.functions:
            text += [*self.math.functions, ""]
        for file, part in self._finished:
            if lines == "comments":
                text += [f"// {file}", *_with_comments(part)]
            elif lines == "directives":
                text += _with_directives(file, part)
            else:
                text += ["    " * line.depth + line.text for line in part]
            text.append("")
        text += ["}  // namespace translated", "}  // namespace gpuarray", ""]
        return "\n".join(text)


def _with_directives(file: str, lines: list[CodeLine]) -> list[str]:
    quoted = file.replace("\\", "\\\\").replace('"', '\\"')
    text: list[str] = []
    for line in lines:
        if line.number:
            text.append(f'#line {line.number} "{quoted}"')
        text.append("    " * line.depth + line.text)
    return text


def _with_comments(lines: list[CodeLine]) -> list[str]:
    text: list[str] = []
    for line in lines:
        indent = "    " * line.depth
        if line.comment:
            text.append(f"{indent}// {line.number}: {line.comment}")
        text.append(indent + line.text)
    return text
