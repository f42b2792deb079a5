"""CuPy's names for streams and events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime.event import Event, get_elapsed_time
from gpuarray._runtime.stream import Stream, get_current_stream
from gpuarray._runtime.stream_kinds import ExternalStream

__all__ = ["Event", "ExternalStream", "Stream", "get_current_stream", "get_elapsed_time"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)


without_annotations(globals())
