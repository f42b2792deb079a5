"""Refuse a commit whose subject is too long or does not begin with an area.

    python .ci/commit_subject.py .git/COMMIT_EDITMSG

An area is a room or a topic: ``sparse: ...``, ``scipy.linalg: ...``, ``fft, random: ...``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

LONGEST = 72
#: What git writes by itself.
_OWN = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")
_AREA = re.compile(r"[a-z][\w.,/ -]*: \S")


def fault(message: str) -> str | None:
    """What is wrong with a commit's message, None if nothing is."""
    lines = [line for line in message.splitlines() if not line.startswith("#")]
    subject = lines[0].rstrip() if lines else ""
    if subject.startswith(_OWN):
        return None
    if not _AREA.match(subject):
        return f"the subject begins with an area in lower case, as 'sparse: ...': {subject!r}"
    if len(subject) > LONGEST:
        return f"the subject has {len(subject)} characters, more than {LONGEST}: {subject!r}"
    if subject.endswith("."):
        return f"the subject ends without a full stop: {subject!r}"
    if len(lines) > 1 and lines[1].strip():
        return "the line behind the subject is empty"
    return None


if __name__ == "__main__":
    sys.exit(fault(Path(sys.argv[1]).read_text("utf-8")))
