"""Which lanes a shuffle takes its values from."""

from __future__ import annotations

import numpy as np


def shuffle_sources(mode: str, own, lane, clamp):
    """Source lanes of lanes, and their validity, by the rules of the manual."""
    lane = lane.astype(np.int64) & 31
    clamp = clamp.astype(np.int64)
    bound, segment = clamp & 31, (clamp >> 8) & 31
    highest = (own & segment) | (bound & ~segment)
    lowest = own & segment
    if mode == "up":
        source = own - lane
        valid = source >= highest
    elif mode == "down":
        source = own + lane
        valid = source <= highest
    elif mode == "bfly":
        source = own ^ lane
        valid = source <= highest
    else:
        source = lowest | (lane & ~segment)
        valid = source <= highest
    return np.where(valid, source, own), valid
