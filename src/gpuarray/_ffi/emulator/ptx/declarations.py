"""Parse declarations: the head of a function, and variables of any state space."""

from __future__ import annotations

from .syntax import SPACES, TYPE_SIZES, PTXError, PTXFunction, Variable

_LINKAGE = frozenset((".visible", ".weak", ".common", ".extern"))


def parse_head(tokens: list[str]) -> PTXFunction:
    """The signature of a function: everything before its body."""
    is_kernel = ".entry" in tokens
    k = tokens.index(".entry" if is_kernel else ".func") + 1
    while tokens[k] == ".attribute":
        k = tokens.index(")", k) + 1
    results: list[Variable] = []
    parameters: list[Variable] = []
    if tokens[k] == "(":
        results, k = _parameter_list(tokens, k)
    name = tokens[k]
    k += 1
    if k < len(tokens) and tokens[k] == "(":
        parameters, k = _parameter_list(tokens, k)
    return PTXFunction(name, is_kernel, results, parameters, tokens[k:])


def _parameter_list(tokens: list[str], k: int) -> tuple[list[Variable], int]:
    close = tokens.index(")", k)
    found: list[Variable] = []
    start = k + 1
    for j in range(k + 1, close + 1):
        if tokens[j] == "," or j == close:
            if j > start:
                found += parse_variables(tokens[start:j], parameter=True)
            start = j + 1
    return found, close + 1


def parse_variables(tokens: list[str], parameter: bool = False) -> list[Variable]:
    """The variables of one declaration statement (usually a single one)."""
    space = "param" if parameter else ""
    type_ = ""
    align = count = None
    name = None
    initial: list[str] | None = None
    extern = False
    found: list[Variable] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        word = token[1:]
        if token in (".align", ".ptr"):
            if token == ".ptr":  # .ptr .global .align 4 describes the pointee
                while k + 1 < len(tokens) and tokens[k + 1][0] in ".0123456789":
                    k += 1
            else:
                align = int(tokens[k + 1])
                k += 1
        elif token in _LINKAGE:
            extern = extern or token == ".extern"
        elif token == ".attribute":
            k = tokens.index(")", k)
        elif token[0] == "." and word.split("::")[0] in SPACES:
            if not parameter:
                space = word
        elif token[0] == "." and word in TYPE_SIZES:
            type_ = word
        elif token in (".v2", ".v4"):
            count = int(token[2])
        elif token == "[":
            if tokens[k + 1] == "]":
                length = 0
            else:
                length = int(tokens[k + 1].rstrip("U"), 0)
                k += 1
            count = length if count is None else count * length
            k += 1
        elif token == "=":
            initial = tokens[k + 1 :]
            break
        elif token == ",":
            found.append(Variable(name, space, type_, align, count, None, extern))
            name = count = None
        elif name is None:
            name = token
        k += 1
    if name is not None and type_:
        found.append(Variable(name, space, type_, align, count, initial, extern))
    if not all(v.space for v in found):
        raise PTXError(f"a declaration without a state space: {' '.join(tokens)[:80]!r}")
    return found
