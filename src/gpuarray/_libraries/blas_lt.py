"""Matrix products by cuBLASLt, whose algorithm is looked for once and kept in the plan.

`cublasGemmStridedBatchedEx` looks for one in each call. The price is that a plan holds for
addresses that are as aligned as the algorithm wants them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from gpuarray._ffi import cublas, cublaslt
from gpuarray._libraries.handles import BLAS_LT
from gpuarray._runtime.library_call import BoundCall
from gpuarray._runtime.stream import Stream

__all__ = ["ALIGNMENT", "LightProduct", "product_step"]

#: The bytes that addresses are multiples of: those of the widest load, and what the tensor memory
#: accelerator wants.
ALIGNMENT = 16

#: The number of matrices is an int, and larger operands are left to a function that is made for
#: 64-bit sizes.
_MOST = 2**31 - 1


class LightProduct(NamedTuple):
    """A step of a plan (see :mod:`gpuarray._calls`)."""

    bound: BoundCall
    #: What the pointers get beside A, B and C, of which the last one is D as well.
    passed: dict[str, str]
    #: Bytes of scratch memory.
    scratch: list[int]


def product_step(
    given: Mapping[str, Any],
    passed: Mapping[str, str],
    stream: Stream,
    scratch: int = 0,
    choice: int = 0,
) -> LightProduct | None:
    """A product as a step of a plan, or None if the library has no algorithm for it.

    Parameters
    ----------
    given : mapping
        The arguments of ``cublasGemmStridedBatchedEx_64``, but for handle and pointers. ``beta``
        is 0.
    passed : mapping
        What ``A``, ``B`` and ``C`` get.
    stream : Stream
        Where to run.
    scratch : int, optional
        How much scratch memory comes before that of this step.
    choice : int, optional
        How many algorithms that the library thinks better are passed over.
    """
    count = given["batchCount"]
    m, n, k = given["m"], given["n"], given["k"]
    sizes = {"A": (m, k, given["transa"]), "B": (k, n, given["transb"])}
    layouts = []
    for name, (rows, columns, trans) in {**sizes, "C": (m, n, "CUBLAS_OP_N")}.items():
        if trans != "CUBLAS_OP_N":
            rows, columns = columns, rows
        ld, stride = given[f"ld{name.lower()}"], given[f"stride{name}"]
        if max(count, columns * ld + (count - 1) * stride) > _MOST:
            return None
        layouts.append(
            cublaslt.matrix_layout(given[f"{name}type"], rows, columns, ld, count, stride)
        )
    a, b, c = layouts
    scale = given["alpha"].dtype
    operation = cublaslt.operation(given["computeType"], scale, given["transa"], given["transb"])
    most = cublas.workspace_bytes(int(stream.device.compute_capability))
    found = cublaslt.algorithms(
        BLAS_LT.on(stream).handle, operation, (a, b, c, c), (ALIGNMENT,) * 4, most, choice + 1
    )
    if len(found) <= choice:
        return None
    data, workspace = found[choice]
    values = {
        "computeDesc": operation, "alpha": given["alpha"], "beta": given["beta"],
        "Adesc": a, "Bdesc": b, "Cdesc": c, "Ddesc": c, "algo": data,
        "workspaceSizeInBytes": workspace, "stream": stream.handle,
    }  # fmt: skip
    pointers = {**passed, "D": passed["C"]}
    if workspace:
        pointers["workspace"] = f"t{scratch}"
    else:
        values["workspace"] = None
    bound = BoundCall(
        BLAS_LT.library, "cublasLtMatmul", values, sorted(pointers), BLAS_LT.on(stream), stream
    )
    return LightProduct(bound, pointers, [workspace] if workspace else [])
