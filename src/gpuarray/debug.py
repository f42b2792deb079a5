"""After a kernel failed: which launch it was, and the same launch once more, on the emulator.

A GPU reports a fault (an illegal address, say) at whatever call comes next, and nothing can be
done in its context any more. The error lists the launches that may have been running. With the
environment variable ``GPUARRAY_DEBUG=1`` each launch is waited for, so that the error names the
launch at fault, its arguments and the line of Python; and what the launch was given is kept, so
that :func:`replay` can run it on the emulator, which names the thread and the source line.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from gpuarray._config import child_environment, config
from gpuarray._namespace.public_names import public_names
from gpuarray._namespace.signatures import without_annotations
from gpuarray._runtime import debugging, launch_history
from gpuarray._runtime.debugging import Fault
from gpuarray._runtime.launch_history import Argument, Launch
from gpuarray.errors import CUDAError

__all__ = ["Argument", "Fault", "Launch", "last_fault", "launches", "replay", "save"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = public_names(__name__)


def launches() -> tuple[Launch, ...]:
    """The launches of this process that are not known to have ended.

    Returns
    -------
    tuple of Launch
        Newest first, at most 64. A launch is known to have ended when its stream, or its device,
        was waited for since.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.cuda.runtime.deviceSynchronize()
    >>> y = cp.arange(3, dtype="f4") + 1
    >>> launch = cp.debug.launches()[0]
    >>> launch.kernel, launch.block, launch.arguments[0].shape
    ('gpuarray_add__f4_f4__f4', (256, 1, 1), (3,))
    """
    return launch_history.in_flight()


def last_fault() -> Fault | None:
    """The last launch that failed under ``GPUARRAY_DEBUG=1``.

    Returns
    -------
    Fault or None
        With ``launch``, ``line`` (where the program launched it) and ``error``; None if no launch
        failed, or without ``GPUARRAY_DEBUG=1``.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.debug.last_fault() is None
    True
    """
    return debugging.last_fault


def replay(file: TextIO | None = None) -> None:
    """Run the last launch that failed on the emulator, and print the thread and the source line.

    Parameters
    ----------
    file : text file, optional
        Where to print; ``sys.stdout`` by default.

    Raises
    ------
    CUDAError
        No launch is kept: none failed, or ``GPUARRAY_DEBUG=1`` was not set, or its arguments are
        larger than ``GPUARRAY_DEBUG_BYTES`` (64 MiB by default). The message says which.

    Notes
    -----
    The launch runs in a process of its own, from the same source compiled to PTX, over copies of
    the memory that it was given. Memory has other addresses there: arguments that are arrays
    point to their copies, but addresses that are stored *in* memory or in structures do not.
    Global variables of a module have their initial values. Each argument's memory is a separate
    allocation, so an access outside of it is a fault also where a GPU lets it pass.

    Examples
    --------
    >>> gpuarray.debug.replay()  # doctest: +SKIP
    replay of fail on the emulator
    ...
    """
    out = sys.stdout if file is None else file
    with tempfile.TemporaryDirectory(prefix="gpuarray-replay-") as folder:
        save(folder)
        # Settings are read when the package is imported: a process of its own.
        settings = {
            "GPUARRAY_BACKEND": "emulator",
            "GPUARRAY_DEBUG": "0",
            "GPUARRAY_CHECK": "",
            "GPUARRAY_DUMP_SOURCE": "",
            "GPUARRAY_CACHE_IN_MEMORY": "1",
        }
        here = str(Path(__file__).resolve().parents[1])
        program = (
            f"import sys; sys.path.insert(0, {here!r}); "
            f"from gpuarray.__main__ import main; sys.exit(main(['replay', {folder!r}]))"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            env=child_environment(settings),
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        out.write(done.stdout + done.stderr)


def save(folder: str | os.PathLike[str]) -> None:
    """Write down the last launch that failed, for ``python -m gpuarray replay FOLDER``.

    Parameters
    ----------
    folder : str or path
        A folder; it is made where there is none. It gets ``launch.json`` with the source and the
        shape of the launch, and the memory that the launch was given, a file for each block.

    Raises
    ------
    CUDAError
        As :func:`replay`.

    Examples
    --------
    >>> import gpuarray as cp
    >>> cp.debug.save("fault")  # doctest: +SKIP
    """
    fault = debugging.last_fault
    if fault is None:
        raise CUDAError(
            "replay: no launch failed in this process"
            if config.debug
            else "replay: nothing is kept of launches: set GPUARRAY_DEBUG=1, run the program "
            "again, and call replay() when it has failed"
        )
    if fault.missing:
        raise CUDAError(
            f"replay: {fault.missing} bytes of what {fault.launch.kernel} was given were not "
            f"kept, since GPUARRAY_DEBUG_BYTES is {config.debug_bytes}: set it to "
            f"{sum(block.size for block in fault.memory)} or more, or run the program with "
            "smaller arrays"
        )
    code = fault.code()
    if not code.source and code.image[:4] == b"\x7fELF":
        raise CUDAError(
            f"replay: {fault.launch.kernel} was loaded from {code.name}, a binary for a GPU, and "
            "the emulator runs PTX: load the module from source or from PTX"
        )
    directory = Path(folder)
    directory.mkdir(parents=True, exist_ok=True)
    memory = []
    for number, block in enumerate(fault.memory):
        assert block.data is not None
        block.data.tofile(directory / f"memory{number}.bin")
        memory.append({"address": block.address, "size": block.size})
    if code.image:
        (directory / "image.ptx").write_bytes(code.image)
    launch = fault.launch
    record: dict[str, Any] = {
        "kernel": launch.kernel,
        "grid": launch.grid,
        "block": launch.block,
        "shared_bytes": launch.shared_bytes,
        "attributes": fault.attributes,
        "arguments": [str(argument) for argument in launch.arguments],
        "line": None if fault.line is None else str(fault.line),
        "error": fault.error,
        "symbol": code.symbol,
        "name": code.name,
        "source": code.source,
        "headers": dict(code.headers),
        "options": list(code.options),
        "name_expressions": list(code.name_expressions),
        "sizes": fault.sizes,
        "parameters": fault.parameters.hex(),
        "pointers": fault.pointers,
        "memory": memory,
    }
    (directory / "launch.json").write_text(json.dumps(record, indent=1), encoding="utf-8")


without_annotations(globals())
