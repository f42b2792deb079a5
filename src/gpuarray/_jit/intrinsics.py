"""CUDA's variables and functions as names in Python, for the source of kernels.

These objects have names and documentation only: :mod:`gpuarray._jit.calls` translates their calls.
Importing them loads nothing else.
"""

from __future__ import annotations

from typing import Any

#: What the parameters of functions are: types and descriptions.
_PARAMETERS = {
    "ndim": ("int", "1, 2 or 3."),
    "start": ("int, optional", "The first number."),
    "stop": ("int", "Where the loop ends, before this number."),
    "step": ("int, optional", "From one number to the next."),
    "unroll": ("bool or int, optional", "Whether, or how often, the body is repeated."),
    "mask": ("uint32", "A bit for each lane that takes part."),
    "dtype": ("dtype", "Of the elements."),
    "size": ("int, tuple of int or None", "The shape; None takes the launch's ``shared_mem``."),
    "alignment": ("int or None, optional", "Bytes, a power of two."),
    "array": ("array", "The array, in global or shared memory."),
    "index": ("int or tuple of int", "Of the element."),
    "value": ("scalar", "The operand, of the array's dtype."),
    "alt_value": ("scalar", "What is stored."),
    "var": ("scalar", "This lane's value, of any dtype."),
    "val_id": ("int", "The lane, or its distance."),
    "width": ("int, optional", "Lanes of a part of the warp, a power of two."),
    "predicate": ("bool", "Of this lane."),
    "args": ("scalar", "Numbers of any dtypes."),
}
#: What functions return that return something.
_RETURNS = {
    "grid": "uint32 or tuple of uint32",
    "gridsize": "uint32 or tuple of uint32",
    "laneid": "uint32",
    "range": "range",
    "shared_memory": "array",
    "ballot_sync": "uint32",
    "all_sync": "bool",
    "any_sync": "bool",
    "activemask": "uint32",
}


def _documentation(name: str, signature: str, summary: str) -> str:
    lines = [f"{name}{signature}", "", summary]
    given = [x.partition("=")[0].strip(" *") for x in signature.strip("()").split(",")]
    named = [x for x in given if x in _PARAMETERS]
    if named:
        lines += ["", "Parameters", "----------"]
        for parameter in named:
            kind, text = _PARAMETERS[parameter]
            lines += [f"{parameter} : {kind}", f"    {text}"]
    returned = "None" if name.startswith(("sync", "thread")) else "scalar"
    lines += ["", "Returns", "-------", _RETURNS.get(name, returned)]
    return "\n".join(lines)


class Intrinsic:
    """A function that exists in kernels only."""

    def __init__(self, name: str, signature: str, summary: str):
        self.__name__ = name
        self.__doc__ = _documentation(name, signature, summary)

    def __repr__(self) -> str:
        return f"<gpuarray.jit function {self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Raise RuntimeError: only kernels call it. The type is what they see."""
        raise RuntimeError(
            f"jit.{self.__name__} runs in kernels only: call it in a function with the decorator "
            "gpuarray.jit.rawkernel, and launch that"
        )


class Dim3:
    """A variable of CUDA's with three parts: ``x``, ``y`` and ``z``, of dtype uint32."""

    def __init__(self, name: str, summary: str):
        self.__name__ = name
        self.__doc__ = f"{summary} Its parts ``x``, ``y`` and ``z`` are uint32."

    def __repr__(self) -> str:
        return f"<gpuarray.jit variable {self.__name__}>"

    def __reduce__(self) -> str:
        return self.__name__

    def __getattr__(self, name: str) -> Any:
        if name in ("x", "y", "z"):
            raise RuntimeError(
                f"jit.{self.__name__}.{name} exists in kernels only: read it in a function with "
                "the decorator gpuarray.jit.rawkernel, and launch that"
            )
        raise AttributeError(f"jit.{self.__name__} has x, y and z, but no {name!r}")


threadIdx = Dim3("threadIdx", "The index of the thread in its block.")
blockIdx = Dim3("blockIdx", "The index of the block in the grid.")
blockDim = Dim3("blockDim", "The number of threads of a block.")
gridDim = Dim3("gridDim", "The number of blocks of the grid.")

#: Threads of a warp.
warpsize = 32

grid = Intrinsic(
    "grid",
    "(ndim)",
    "The index of the thread in the whole grid: a uint32 for ``ndim`` 1, a tuple for 2 and 3.",
)
gridsize = Intrinsic(
    "gridsize",
    "(ndim)",
    "The number of threads of the grid: a uint32 for ``ndim`` 1, a tuple for 2 and 3.",
)
laneid = Intrinsic("laneid", "()", "The index of the thread in its warp, a uint32.")
range = Intrinsic(
    "range",
    "(start=0, stop, step=1, *, unroll=None)",
    "`range` with a choice of unrolling: True, False, or the number of repetitions of the body.",
)
syncthreads = Intrinsic("syncthreads", "()", "Wait for all threads of the block.")
syncwarp = Intrinsic(
    "syncwarp", "(mask=0xffffffff)", "Wait for the threads of the warp that the mask names."
)
threadfence = Intrinsic(
    "threadfence", "()", "Other threads see this thread's earlier writes before its later ones."
)
shared_memory = Intrinsic(
    "shared_memory",
    "(dtype, size, alignment=None)",
    "An array in the block's shared memory. The size is an int or a tuple of ints that are known "
    "when the kernel is translated, or None for the launch's ``shared_mem`` bytes.",
)

_ATOMIC = "Returns the old value. The index is an integer or a tuple. Dtypes: "
atomic_add = Intrinsic(
    "atomic_add",
    "(array, index, value)",
    f"Add to an element. {_ATOMIC}int32, int64, uint32, uint64, float16, float32, float64, and "
    "complex ones (without a result).",
)
atomic_sub = Intrinsic(
    "atomic_sub",
    "(array, index, value)",
    f"Subtract from an element. {_ATOMIC}32 and 64-bit integers, float32, float64.",
)
atomic_exch = Intrinsic(
    "atomic_exch",
    "(array, index, value)",
    f"Replace an element. {_ATOMIC}all of 4 and 8 bytes but complex64.",
)
atomic_min = Intrinsic(
    "atomic_min",
    "(array, index, value)",
    f"Replace an element by the lesser one. {_ATOMIC}32 and 64-bit integers, float32, float64.",
)
atomic_max = Intrinsic(
    "atomic_max",
    "(array, index, value)",
    f"Replace an element by the greater one. {_ATOMIC}32 and 64-bit integers, float32, float64.",
)
atomic_inc = Intrinsic(
    "atomic_inc",
    "(array, index, value)",
    f"Count up: ``0 if old >= value else old + 1``. {_ATOMIC}uint32.",
)
atomic_dec = Intrinsic(
    "atomic_dec",
    "(array, index, value)",
    f"Count down: ``value if old == 0 or old > value else old - 1``. {_ATOMIC}uint32.",
)
atomic_cas = Intrinsic(
    "atomic_cas",
    "(array, index, value, alt_value)",
    f"Replace an element by ``alt_value`` if it is ``value``. {_ATOMIC}all of 4 and 8 bytes but "
    "complex64.",
)
atomic_and = Intrinsic(
    "atomic_and", "(array, index, value)", f"Combine by ``&``. {_ATOMIC}32 and 64-bit integers."
)
atomic_or = Intrinsic(
    "atomic_or", "(array, index, value)", f"Combine by ``|``. {_ATOMIC}32 and 64-bit integers."
)
atomic_xor = Intrinsic(
    "atomic_xor", "(array, index, value)", f"Combine by ``^``. {_ATOMIC}32 and 64-bit integers."
)

_SHUFFLE = "``mask`` has a bit for each lane that takes part; any dtype."
shfl_sync = Intrinsic(
    "shfl_sync", "(mask, var, val_id, *, width=32)", f"The value of lane ``val_id``. {_SHUFFLE}"
)
shfl_up_sync = Intrinsic(
    "shfl_up_sync",
    "(mask, var, val_id, *, width=32)",
    f"The value of the lane ``val_id`` below. {_SHUFFLE}",
)
shfl_down_sync = Intrinsic(
    "shfl_down_sync",
    "(mask, var, val_id, *, width=32)",
    f"The value of the lane ``val_id`` above. {_SHUFFLE}",
)
shfl_xor_sync = Intrinsic(
    "shfl_xor_sync",
    "(mask, var, val_id, *, width=32)",
    f"The value of the lane whose number differs in the bits of ``val_id``. {_SHUFFLE}",
)
ballot_sync = Intrinsic(
    "ballot_sync", "(mask, predicate)", "A uint32 with a bit for each lane whose predicate is true."
)
all_sync = Intrinsic(
    "all_sync", "(mask, predicate)", "Whether it is true in all lanes of the mask."
)
any_sync = Intrinsic("any_sync", "(mask, predicate)", "Whether it is true in a lane of the mask.")
activemask = Intrinsic("activemask", "()", "A uint32 with a bit for each lane that runs now.")
min = Intrinsic("min", "(*args)", "The least of its arguments, by `minimum`.")
max = Intrinsic("max", "(*args)", "The greatest of its arguments, by `maximum`.")
