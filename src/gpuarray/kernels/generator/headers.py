"""The package's device code as in-memory headers."""

from __future__ import annotations

import os
from collections.abc import Mapping

from gpuarray import _fork

_device_headers: Mapping[str, str] | None = None
_device_lock = _fork.new_lock()


def cuda_headers() -> Mapping[str, str]:
    """The package's device code as in-memory headers, ``gpuarray/NAME.cuh`` to text; read once."""
    global _device_headers
    if _device_headers is None:
        with _device_lock:
            if _device_headers is None:
                _device_headers = _read_device_headers()
    return _device_headers


def _read_device_headers() -> Mapping[str, str]:
    folder = os.path.dirname(os.path.dirname(__file__))
    if not os.path.isdir(folder):  # imported from an archive
        from importlib.resources import files

        return {
            f"gpuarray/{item.name}": item.read_text("utf-8")
            for family in files("gpuarray.kernels").iterdir()
            if family.is_dir()
            for item in family.iterdir()
            if item.name.endswith(".cuh")
        }
    texts = {}
    for family in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if family.is_dir():
            for name in sorted(os.listdir(family.path)):
                if name.endswith(".cuh"):
                    with open(os.path.join(family.path, name), encoding="utf-8") as file:
                        texts[f"gpuarray/{name}"] = file.read()
    return texts
