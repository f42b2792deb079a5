"""A PTX module: its variables and its functions."""

from __future__ import annotations

import re

from .body import parse_body
from .declarations import parse_head, parse_variables
from .syntax import PTXError, PTXFunction, Variable
from .tokens import TOKEN, without_comments

_HEADER = re.compile(r"\s*\.version\s+(\S+)\s+\.target\s+([\w, ]+?)\s+\.address_size\s+(\d+)")
_SECTION = re.compile(r"\s*(?:\.section[^{]*\{[^}]*\}|\.file[^\n]*\n)")
_ITEM_END = re.compile(r'"(?:[^"\\]|\\.)*"|[;{]')
_BRACE = re.compile(r'"(?:[^"\\]|\\.)*"|[{}]')
_FUNCTION = re.compile(r"\.(?:entry|func)\b")
_SHARED_VARIABLE = re.compile(r"^\s*\.shared\b", re.M)


class PTXModule:
    """A module split into variables and functions; bodies are parsed on demand."""

    def __init__(self, text: str):
        #: The source as given, for quoting lines in messages.
        self.text = text
        self.variables: dict[str, Variable] = {}
        self.functions: dict[str, PTXFunction] = {}
        self._bodies: dict[str, tuple[str, int]] = {}
        clean = without_comments(text)
        header = _HEADER.match(clean)
        if header is None:
            raise PTXError("line 1: a PTX module begins with .version, .target, .address_size")
        self.version, self.target = header.group(1), header.group(2).strip()
        if header.group(3) != "64":
            raise PTXError("only 64-bit PTX (.address_size 64) is supported")
        self._split(clean, header.end())

    @property
    def kernel_names(self) -> list[str]:
        return [f.name for f in self.functions.values() if f.is_kernel and f.name in self._bodies]

    def has_body(self, name: str) -> bool:
        """Whether ``name`` is a function defined here, not merely declared."""
        return name in self._bodies

    def function(self, name: str) -> PTXFunction:
        """The function with its body parsed."""
        function = self.functions[name]
        if not function.body and name in self._bodies:
            text, line = self._bodies[name]
            try:
                parse_body(function, text, line)
            except PTXError as error:
                function.body.clear()
                raise PTXError(f"{error}: {self.line_text(error.line)}", error.line) from None
        return function

    def functions_with_shared(self) -> list[str]:
        """Device functions (not kernels) that declare shared variables."""
        return [
            name
            for name, (text, _) in self._bodies.items()
            if not self.functions[name].is_kernel and _SHARED_VARIABLE.search(text)
        ]

    def line_text(self, line: int) -> str:
        """The source line, stripped."""
        lines = self.text.splitlines()
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def _split(self, text: str, position: int) -> None:
        while True:
            section = _SECTION.match(text, position)
            if section:
                position = section.end()
                continue
            start = position
            while True:
                end = _ITEM_END.search(text, position)
                if end is None:
                    if text[start:].strip():
                        line = text.count("\n", 0, start) + 1
                        raise PTXError(f"line {line}: unfinished item at the end of the module")
                    return
                if end.group(0)[0] != '"':
                    break
                position = end.end()
            head = text[start : end.start()]
            line = text.count("\n", 0, end.start()) + 1 if _FUNCTION.search(head) else 0
            try:
                if end.group(0) == ";":
                    self._declare(head)
                    position = end.end()
                    continue
                close = self._closing_brace(text, end.start())
                if line:
                    function = parse_head(TOKEN.findall(head))
                    self.functions[function.name] = function
                    self._bodies[function.name] = (text[end.end() : close], line)
                    position = close + 1
                else:
                    position = text.index(";", close) + 1
                    self._declare(text[start : position - 1])
            except PTXError:
                raise
            except (IndexError, KeyError, ValueError) as error:
                line = text.count("\n", 0, start + len(head) - len(head.lstrip())) + 1
                raise PTXError(f"line {line}: cannot read {head.strip()[:80]!r}: {error}") from None

    @staticmethod
    def _closing_brace(text: str, start: int) -> int:
        depth = 0
        for match in _BRACE.finditer(text, start):
            brace = match.group(0)
            if brace == "{":
                depth += 1
            elif brace == "}":
                depth -= 1
                if depth == 0:
                    return match.start()
        raise PTXError(f"line {text.count(chr(10), 0, start) + 1}: unbalanced braces")

    def _declare(self, head: str) -> None:
        tokens = TOKEN.findall(head)
        if ".func" in tokens or ".entry" in tokens:
            function = parse_head(tokens)
            self.functions.setdefault(function.name, function)
        elif tokens and tokens[0] not in (".alias", ".pragma"):
            for variable in parse_variables(tokens):
                if not (variable.extern and variable.name in self.variables):
                    self.variables[variable.name] = variable
