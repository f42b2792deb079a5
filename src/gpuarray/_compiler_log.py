"""A compiler's log: which lines of the source it finds fault with, and how messages show them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

__all__ = ["ASSEMBLY", "excerpts"]

#: A message of NVRTC's front end, or of the assembler that gets the PTX of it.
_FAULT = re.compile(
    r"(.+?)\((\d+)\): (?:catastrophic |fatal )?error\b"
    r"|ptxas (application ptx input), line (\d+); (?:error|fatal)\b"
)
#: Under which name the headers of a `CompileError` have that PTX.
ASSEMBLY = "application ptx input"
#: Lines shown before and after a fault.
_AROUND = 3
#: Lines at fault that are shown at most.
_MOST_FAULTS = 8


def excerpts(log: str, text_of: Callable[[str], str | None]) -> tuple[list[str], str]:
    """The source around each fault with its message, and what the log says besides.

    ``text_of(name)`` is the source that the compiler has under a name, or None.
    """
    found: list[str] = []
    rest: list[str] = []
    shown: tuple[str, int] | None = None
    left_out = 0
    lines = iter(log.splitlines())
    for line in lines:
        match = _FAULT.match(line)
        file_name, number = (match[1] or match[3], int(match[2] or match[4])) if match else ("", 0)
        text = text_of(file_name)
        again = shown == (file_name, number)
        if text is None:
            rest.append(line)
            continue
        if len(found) == _MOST_FAULTS and not again:
            left_out += 1
            for _ in itertools.takewhile(str.strip, lines):
                pass  # the message's other lines, which templates make long
            continue
        # NVRTC repeats the line and points into it; the caret is kept, below our own line.
        message, caret = [line], ""
        for more in itertools.takewhile(str.strip, lines) if match and match[1] else ():
            if more.strip() == "^":
                caret = more[2:]
                message.pop()
            else:
                message.append(more)
        if again:  # one fault makes several messages: the line is shown once
            head, _, excerpt = found.pop().rpartition("\n\0")
            found.append("\n".join([head, *message]) + f"\n\0{excerpt}")
        else:
            found.append("\n".join(message) + f"\n\0{_excerpt(text, number, caret)}")
        shown = file_name, number
    if left_out:
        rest.insert(0, f"({left_out} more: the error's log has them)\n")
    return [excerpt.replace("\0", "") for excerpt in found], "\n".join(rest)


def _excerpt(text: str, number: int, caret: str) -> str:
    """The lines around one, numbered as the compiler does: ``#line`` sets the number."""
    lines = text.split("\n")
    numbers: list[int] = []
    following = 1
    for line in lines:
        numbers.append(following)
        directive = re.match(r"\s*#\s*line\s+(\d+)", line)
        following = int(directive[1]) if directive else following + 1
    # After a directive a number comes a second time: then the later line is the user's.
    places = [place for place, its_number in enumerate(numbers) if its_number == number]
    at = places[-1] if places else len(lines) - 1
    if lines[-1] == "":
        lines.pop()
    around = range(max(0, at - _AROUND), min(len(lines), at + _AROUND + 1))
    width = max((len(str(numbers[place])) for place in around), default=1)
    shown = []
    for place in around:
        mark = ">" if place == at else " "
        line = lines[place].rstrip("\r")
        shown.append(f"{mark} {numbers[place]:{width}d} | {line}")
        if place == at and caret:
            shown.append(f"  {'':{width}} | {caret}")
    return "\n".join(shown)
