"""Texts on their way to C."""

from __future__ import annotations

__all__ = ["encoded"]


def encoded(text: str, what: str) -> bytes:
    """A text as C gets it; undecodable bytes of a path or a file are those bytes again."""
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, got {type(text).__name__}")
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise ValueError(
            f"{what} has a surrogate alone, {text[error.start]!r}, in line {line}: "
            "that is no character"
        ) from None
    if b"\0" in data:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ValueError(f"{what} has a null character in line {line}, where C would end it")
    return data
