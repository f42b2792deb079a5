"""How long tests wait for what may hang."""

from __future__ import annotations

#: For a child process or a thread (s): long enough on a machine that is loaded many times over, and
#: below the limit of a test in the nox sessions, so that the failure shows what the child printed.
HANG_SECONDS = 1500
