"""What emulated functions of cuSOLVER have in common."""

from __future__ import annotations

from ...library_kinds import Refusal
from .decoding import LibraryCall

__all__ = ["HOST_BYTES", "check_element_types", "check_types"]

#: Bytes of the workspace on the host, where a function wants any.
HOST_BYTES = 64


def check_types(c: LibraryCall, real: tuple[str, ...], *same: str) -> None:
    """Refuse data types that do not go with that of A."""
    dtype = c.dataTypeA
    check_element_types(c, *same)
    if c.computeType != dtype:
        raise Refusal("unsupported", f"dataTypeA {dtype} with computeType {c.computeType}")
    for name in real:
        if getattr(c, name) != dtype.type(0).real.dtype:
            raise Refusal("unsupported", f"dataTypeA {dtype} with {name} {getattr(c, name)}")


def check_element_types(c: LibraryCall, *same: str) -> None:
    """Refuse data types of a function that has no compute type."""
    dtype = c.dataTypeA
    if dtype.kind not in "fc" or dtype.itemsize < 4:
        raise Refusal("unsupported", f"dataTypeA {dtype}")
    for name in same:
        if getattr(c, name) != dtype:
            raise Refusal("unsupported", f"dataTypeA {dtype} with {name} {getattr(c, name)}")
