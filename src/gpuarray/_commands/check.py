"""``python -m gpuarray check script.py``: run a script under all checkers of the emulator.

The exit status is :data:`FOUND` if there is any finding, whatever became of the script; else the
script's own, which is 1 if an exception ended it. It is 2 if nothing could be run.
"""

from __future__ import annotations

import gc
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from gpuarray._config import checks_of, child_environment, config

#: The exit status where something was found: one that scripts and Python itself do not end with.
FOUND = 66
#: How the folder of sources begins that the command makes.
_FOLDER = "gpuarray-check-"


def run(script: str, arguments: Sequence[str], checks: str = "all") -> int:
    """Run the script and return the exit status: `FOUND`, or the script's own."""
    if config.backend == "emulator" and config.checks and config.dump_source:
        return _run_here(script, arguments)
    try:
        wanted = checks_of(name.strip() for name in checks.split(","))
    except ValueError as error:
        return _refuse(str(error))
    if not os.path.isfile(script):
        return _refuse(f"there is no file {script}")
    # Settings are read when the package is imported, and it was: a process of its own.
    with tempfile.TemporaryDirectory(prefix=_FOLDER) as sources:
        settings = {"GPUARRAY_BACKEND": "emulator", "GPUARRAY_CHECK": ",".join(wanted)}
        # Sources are written down, so that findings can quote them; that brings -lineinfo too.
        settings["GPUARRAY_DUMP_SOURCE"] = config.dump_source or sources
        # An image from the cache would name the file that it was compiled from long ago.
        settings["GPUARRAY_CACHE_IN_MEMORY"] = "1"
        command = [sys.executable, "-m", "gpuarray", "check", script, *arguments]
        return subprocess.run(command, env=child_environment(settings), check=False).returncode


def _refuse(reason: str) -> int:
    print(f"python -m gpuarray check: {reason}", file=sys.stderr)
    return 2


def _run_here(script: str, arguments: Sequence[str]) -> int:
    from gpuarray._ffi import driver

    driver.init()
    driver.report_findings_at_exit(False)
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    status = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        if end.code is not None:
            status = end.code if isinstance(end.code, int) else 1
            if not isinstance(end.code, int):
                print(end.code, file=sys.stderr)
    except BaseException as error:
        status = 1
        _show(error)
    gc.collect()
    found = driver.findings(leaks=status == 0)
    for finding in found:
        print(_without_folder(str(finding)), file=sys.stderr)
    count = f"{len(found)} finding{'s' if len(found) != 1 else ''}"
    ended = f"; the script failed with status {status}" if status else ""
    print(f"gpuarray check: {count if found else 'nothing found'}{ended}", file=sys.stderr)
    return FOUND if found else status


def _without_folder(text: str) -> str:
    """A text without the folder of sources, where that is gone when the command ends."""
    folder = config.dump_source or ""
    if not os.path.basename(folder).startswith(_FOLDER):
        return text
    return text.replace(folder + os.sep, "")


def _show(error: BaseException) -> None:
    """The traceback as the script by itself would end with: without this module and runpy."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_globals.get("__name__") in (__name__, "runpy"):
        trace = trace.tb_next
    sys.excepthook(type(error), error.with_traceback(trace), trace)
