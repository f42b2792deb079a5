"""How an emulated driver function reports a failure: it raises `Failure` with a CUresult."""

from __future__ import annotations

INVALID_VALUE = 1
OUT_OF_MEMORY = 2
INVALID_DEVICE = 101
INVALID_CONTEXT = 201
NO_BINARY_FOR_GPU = 209
UNSUPPORTED_LIMIT = 215
INVALID_PTX = 218
INVALID_HANDLE = 400
NOT_FOUND = 500
LAUNCH_OUT_OF_RESOURCES = 701
PEER_ACCESS_ALREADY_ENABLED = 704
PEER_ACCESS_NOT_ENABLED = 705
COOPERATIVE_LAUNCH_TOO_LARGE = 720
NOT_SUPPORTED = 801
UNKNOWN = 999


class Failure(Exception):
    """A driver function refuses: its CUresult, and what cuGetErrorString says about it."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail
