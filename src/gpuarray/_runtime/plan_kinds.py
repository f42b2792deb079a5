"""Plans of several kinds, of which each stream keeps tables of its own."""

from __future__ import annotations

from gpuarray import _fork
from gpuarray._runtime.stream import Stream, streams

#: Plans that ask `gpuarray._runtime.allocator` for all memory, where others take freed blocks
#: themselves.
ASKING = 1
#: Plans that call function hooks.
HOOKED = 2
#: Plans that were made while functions of the driver are watched, and hold some of them.
WATCHED = 4
#: Plans of products of float32 whose factors are rounded to TF32 or to bfloat16, or are sums of
#: three bfloat16.
TF32 = 8
BFLOAT16 = 16
BFLOAT16X3 = 32
#: Plans of Fourier transforms of float16 that are computed in half precision.
HALF_TRANSFORMS = 64

_kind_lock = _fork.new_lock()


def plan_from_now_on(kind: int, wanted: bool) -> None:
    """Have all streams use plans of a kind, or have them not.

    Each stream has tables of plans for each combination of kinds, so that no plan is lost when an
    allocator, a hook or a trace comes or goes.
    """
    with _kind_lock:
        before = Stream.new_plan_kind
        Stream.new_plan_kind = before | kind if wanted else before & ~kind
        for stream in list(streams.values()):
            stream.use_plans(Stream.new_plan_kind)


def drop_plans_of(kind: int) -> None:
    """Have all streams forget the plans of a kind."""
    for stream in list(streams.values()):
        pairs = {**stream.other_plans, stream.plan_kind: (stream.plans, stream.older_plans)}
        for each, tables in pairs.items():
            if each & kind:
                for plans in tables:
                    plans.clear()
