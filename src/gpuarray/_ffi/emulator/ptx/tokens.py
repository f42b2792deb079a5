"""Cut PTX into tokens, and read its literals."""

from __future__ import annotations

import re
import struct

from .syntax import Immediate, PTXError

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:[^"\\]|\\.)*")', re.S)

#: string | float bits | integer | name with dotted parts | any other character
TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"'
    r"|0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}"
    r"|0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+(?:\.\d+(?:[eE][+-]?\d+)?)?U?(?![\w$])"
    r"|[%$_A-Za-z.][\w$]*(?:(?:\.|::)[\w$]+)*"
    r"|\S"
)
_NEWLINE_OR_TOKEN = re.compile(r"\n|" + TOKEN.pattern)


def without_comments(text: str) -> str:
    """The text with comments blanked; line numbers stay as they were."""

    def blank(match: re.Match) -> str:
        return match.group(1) or "\n" * match.group(0).count("\n")

    return _COMMENT.sub(blank, text)


def tokens_with_lines(text: str, line: int) -> tuple[list[str], list[int]]:
    """Tokens and the line of each; ``line`` is the number of the text's first line."""
    tokens: list[str] = []
    lines: list[int] = []
    for token in _NEWLINE_OR_TOKEN.findall(text):
        if token == "\n":
            line += 1
        else:
            tokens.append(token)
            lines.append(line)
    return tokens, lines


def literal(token: str) -> Immediate:
    """Read a number."""
    lead = token[:2]
    if lead in ("0f", "0F"):
        return Immediate("f32", int(token[2:], 16))
    if lead in ("0d", "0D"):
        return Immediate("f64", int(token[2:], 16))
    digits = token.rstrip("U")
    try:
        if "." in digits:
            return Immediate("f64", int.from_bytes(struct.pack("<d", float(digits)), "little"))
        if len(digits) > 1 and digits[0] == "0" and digits[1].isdigit():
            return Immediate("int", int(digits, 8))
        return Immediate("int", int(digits, 0))
    except ValueError:
        raise PTXError(f"not a PTX number: {token!r}") from None
