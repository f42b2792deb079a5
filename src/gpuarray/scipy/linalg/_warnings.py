"""The warning of linear algebra."""

from __future__ import annotations

__all__ = ["LinAlgWarning"]


class LinAlgWarning(RuntimeWarning):
    """A result may be inaccurate, such as that of a matrix that is nearly singular."""
