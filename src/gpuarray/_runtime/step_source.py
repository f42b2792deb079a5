"""The Python source of a step: a kernel's launch, or a call of a C library's function.

Call functions of operations (:mod:`gpuarray._calls`) and launchers of raw kernels are written as
source and compiled; what they do with an argument buffer is the same.
"""

from __future__ import annotations

from collections.abc import Sequence


def step_lines(
    step: int | str,
    made: str,
    targets: Sequence[str],
    stores: Sequence[str],
    call: str,
    failure: str,
    noted: str,
) -> list[str]:
    """The lines of a step: take a buffer, store the arguments, call, give it back, note it.

    Parameters
    ----------
    step : int or str
        What stands behind the names ``take``, ``make`` and ``give`` of the step's functions.
    made : str
        The arguments for a new buffer.
    targets : sequence of str
        The names of a buffer's items.
    stores : sequence of str
        The lines that store the arguments.
    call : str
        The foreign call, which returns a status.
    failure : str
        The exception for a status that is not 0.
    noted : str
        What the history of launches gets.
    """
    return [
        "try:",
        f"    buffer = take{step}()",
        "except IndexError:",
        f"    buffer = make{step}({made})",
        f"{', '.join(targets)} = buffer",
        *stores,
        f"status = {call}",
        f"give{step}(buffer)",
        "if status:",
        f"    raise {failure}",
        f"note({noted})",
    ]
