"""Calls that are interrupted as Ctrl-C does it, at each place where the interpreter allows that."""

from __future__ import annotations

import dis
import functools
import gc
import pathlib
import signal
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import gpuarray

_PACKAGE = pathlib.Path(gpuarray.__file__).parent
#: Instructions after which the interpreter looks for signals.
_LOOKS = ("RESUME", "CALL", "JUMP_BACKWARD", "INSTRUMENTED", "FOR_ITER", "SEND", "YIELD")


@functools.cache
def _places(code: CodeType) -> dict[int, tuple[bool, Any]]:
    """Offset -> whether signals are looked for after the instruction, and its handler."""
    handlers = dis._parse_exception_table(code)  # type: ignore[attr-defined]
    found = {}
    for instruction in dis.get_instructions(code):
        at = instruction.offset
        handler = [(x.target, x.depth) for x in handlers if x.start <= at < x.end]
        found[at] = instruction.opname.startswith(_LOOKS), handler
    return found


class _Interrupter:
    """A trace function that raises KeyboardInterrupt once, at a place of files of the package."""

    def __init__(self, folders: tuple[str, ...], place: int):
        # Generated code is in no file.
        self.folders = tuple([x if x[0] == "<" else str(_PACKAGE / x) for x in folders])
        self.left = place
        self.last: dict[FrameType, int] = {}
        self.where = ""

    def __call__(self, frame: FrameType, event: str, arg: Any) -> Any:
        if event == "call":
            if not frame.f_code.co_filename.startswith(self.folders):
                return None
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
        elif event == "opcode" and self.left:
            before, now = self.last.get(frame), frame.f_lasti
            self.last[frame] = now
            places = _places(frame.f_code)
            # A signal after an instruction is handled where the exceptions of that one are.
            if before is not None and places[before][0] and places[before][1] == places[now][1]:
                self.left -= 1
                if not self.left:
                    self.where = f"{frame.f_code.co_qualname}:{frame.f_lineno}, {now}"
                    self.last.clear()
                    handler = signal.getsignal(signal.SIGINT)
                    assert callable(handler)
                    handler(signal.SIGINT, frame)
        elif event == "return":
            self.last.pop(frame, None)
        return self


def interrupted(work: Callable[[], object], *folders: str, step: int = 1) -> Iterator[str]:
    """Run ``work`` again and again, interrupted at one place after the other.

    Yields where, after each interrupt, until a run ends without one. ``folders`` of the package
    are those whose code is interrupted.
    """
    place = 1
    while True:
        interrupter = _Interrupter(folders, place)
        hook, sys.unraisablehook = sys.unraisablehook, _ignore
        gc.disable()  # a collection would run other code at places that change
        # Python 3.12 asks whether any frame wants opcodes when the trace function is set.
        sys._getframe().f_trace_opcodes = True
        sys.settrace(interrupter)
        try:
            work()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
            gc.enable()
            sys.unraisablehook = hook
        if not interrupter.where:
            return
        yield interrupter.where
        place += step


def _ignore(unraisable: Any) -> None:
    """An interrupt in ``__del__`` cannot be raised."""
    assert isinstance(unraisable.exc_value, KeyboardInterrupt)
