"""How an emulated driver function reports a failure: it raises `Failure` with a CUresult."""

from __future__ import annotations

INVALID_VALUE = 1
OUT_OF_MEMORY = 2
INVALID_DEVICE = 101
INVALID_CONTEXT = 201
NO_BINARY_FOR_GPU = 209
UNSUPPORTED_LIMIT = 215
PEER_ACCESS_UNSUPPORTED = 217
INVALID_PTX = 218
INVALID_HANDLE = 400
ILLEGAL_STATE = 401
NOT_FOUND = 500
LAUNCH_OUT_OF_RESOURCES = 701
PEER_ACCESS_ALREADY_ENABLED = 704
PEER_ACCESS_NOT_ENABLED = 705
PRIMARY_CONTEXT_ACTIVE = 708
CONTEXT_IS_DESTROYED = 709
HOST_MEMORY_ALREADY_REGISTERED = 712
HOST_MEMORY_NOT_REGISTERED = 713
COOPERATIVE_LAUNCH_TOO_LARGE = 720
NOT_PERMITTED = 800
NOT_SUPPORTED = 801
CAPTURE_UNSUPPORTED = 900
CAPTURE_INVALIDATED = 901
CAPTURE_MERGE = 902
CAPTURE_UNMATCHED = 903
CAPTURE_UNJOINED = 904
CAPTURE_ISOLATION = 905
CAPTURE_IMPLICIT = 906
CAPTURED_EVENT = 907
CAPTURE_WRONG_THREAD = 908
GRAPH_EXEC_UPDATE_FAILURE = 910
UNKNOWN = 999

#: Faults of a kernel that leave its context unusable, as cuda.h says of each: "the process must
#: be terminated and relaunched", or the primary context reset.
STICKY = frozenset({700, 702, 710, 714, 715, 716, 717, 718, 719})


class Failure(Exception):
    """A driver function refuses: its CUresult, and what cuGetErrorString says about it."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(status, detail)
        self.status = status
        self.detail = detail
