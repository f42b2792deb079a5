"""The array libraries that are measured, behind one small interface."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

# What is measured is each operation. Recorded, one whose result is dropped would never run.
os.environ.setdefault("GPUARRAY_FUSION", "off")


@dataclass(frozen=True)
class Library:
    """One array library on the current device."""

    name: str
    module: Any
    version: str
    to_device: Callable[[np.ndarray], Any]
    to_host: Callable[[Any], np.ndarray]
    stream: Callable[[], int]  # the handle of the stream that the library works on
    raw_kernel: Callable[[str, str], Any] | None
    free: Callable[[], None]  # give cached memory back


def _gpuarray() -> Library:
    xp = importlib.import_module("gpuarray")
    xp.arange(1)  # choose the device and make its context current

    def stream() -> int:
        current = getattr(getattr(xp, "cuda", None), "get_current_stream", None)
        return int(current().ptr) if current else 0

    def free() -> None:
        pool = getattr(xp, "get_default_memory_pool", None)
        if pool:
            pool().free_all_blocks()

    return Library(
        "gpuarray", xp, xp.__version__, xp.asarray, xp.asnumpy, stream, xp.RawKernel, free
    )


def _cupy() -> Library:
    xp = importlib.import_module("cupy")
    xp.arange(1)
    return Library(
        "cupy",
        xp,
        xp.__version__,
        xp.asarray,
        xp.asnumpy,
        lambda: int(xp.cuda.get_current_stream().ptr),
        xp.RawKernel,
        lambda: xp.get_default_memory_pool().free_all_blocks(),
    )


def _torch() -> Library:
    torch = importlib.import_module("torch")
    if not torch.cuda.is_available():
        raise ImportError("it sees no GPU")
    torch.zeros(1, device="cuda")
    return Library(
        "torch",
        torch,
        torch.__version__,
        lambda array: torch.from_numpy(np.ascontiguousarray(array)).cuda(),
        lambda tensor: tensor.cpu().numpy(),
        lambda: int(torch.cuda.current_stream().cuda_stream),
        None,
        torch.cuda.empty_cache,
    )


_ALL = {"gpuarray": _gpuarray, "cupy": _cupy, "torch": _torch}


def available(names: Sequence[str] = tuple(_ALL)) -> tuple[dict[str, Library], dict[str, str]]:
    """Those of the libraries that can be used here, and why the others cannot."""
    found: dict[str, Library] = {}
    missing: dict[str, str] = {}
    for name in names:
        try:
            found[name] = _ALL[name]()
        except Exception as error:  # a peer may be missing or broken in its own way
            if name == "gpuarray":
                raise
            reason = str(error).strip().splitlines()
            missing[name] = f"{type(error).__name__}: {reason[0] if reason else ''}"
    return found, missing
