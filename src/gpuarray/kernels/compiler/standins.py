"""Headers that NVRTC cannot take as they are, and what is given to it in their place.

``<cub/cub.cuh>`` includes the algorithms that host code starts, and with them the host's standard
library, which does not exist on a device. What device code can call is in headers of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Without run_length_decode, which needs the standard library of the host as well.
_BLOCK = (
    "adjacent_difference", "discontinuity", "exchange", "histogram", "load", "merge_sort",
    "radix_rank", "radix_sort", "reduce", "scan", "shuffle", "store",
)  # fmt: skip
_WARP = ("exchange", "load", "merge_sort", "reduce", "scan", "store")
_THREAD = ("load", "operators", "reduce", "scan", "store")


def _all_of(names: Sequence[str]) -> str:
    """Includes of the headers that the installed version has; the first one has to be there."""
    lines = [f"#include <{names[0]}>"]
    for name in names[1:]:
        lines += [f"#if __has_include(<{name}>)", f"#include <{name}>", "#endif"]
    return "\n".join(["#pragma once", *lines, ""])


#: Text by the name that a source includes it by.
STAND_INS: Mapping[str, str] = {
    "cub/cub.cuh": _all_of(
        [
            "cub/version.cuh",
            *[f"cub/block/block_{name}.cuh" for name in _BLOCK],
            *[f"cub/warp/warp_{name}.cuh" for name in _WARP],
            *[f"cub/thread/thread_{name}.cuh" for name in _THREAD],
            "cub/util_math.cuh",
            "cub/util_ptx.cuh",
            "cub/util_type.cuh",
        ]
    )
}
