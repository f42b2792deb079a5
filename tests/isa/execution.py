"""Run the rows of a family on the current backend.

gpuarray is imported inside functions: a test session configures it first.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field

import numpy as np

from tests.isa.inputs import operands
from tests.isa.rows import BLOCK, INPUT_NAMES, LANES, OUTPUT_NAMES, TYPES, Row, module

FAMILIES = (
    "integer", "logic", "convert", "floating", "half", "approximate", "memory", "warp", "atomics",
    "control",
)  # fmt: skip
_ALIGNMENT = 256
_PARAMETERS = (*INPUT_NAMES, *OUTPUT_NAMES, "s")


def rows_of(family: str) -> list[Row]:
    """The case table of a family."""
    return importlib.import_module(f"tests.isa.families.{family}").ROWS


@dataclass
class Outcome:
    """What the rows of a family gave."""

    operands: dict[str, list[np.ndarray]] = field(default_factory=dict)
    #: Row name -> results: the outputs, then the scratch memory of a row that has some.
    results: dict[str, list[np.ndarray]] = field(default_factory=dict)
    #: Row name -> why there are none.
    errors: dict[str, str] = field(default_factory=dict)


class _Buffer:
    """Arrays one behind the other, each aligned, in one block of device memory."""

    def __init__(self):
        self.size = 0
        self.pieces: list[tuple[int, np.ndarray]] = []

    def place(self, data: np.ndarray) -> int:
        offset = self.size
        self.pieces.append((offset, data))
        self.size += -(-data.nbytes // _ALIGNMENT) * _ALIGNMENT
        return offset

    def host(self) -> np.ndarray:
        block = np.zeros(max(self.size, 1), np.uint8)
        for offset, data in self.pieces:
            block[offset : offset + data.nbytes] = data.reshape(-1).view(np.uint8)
        return block


def run(family: str, seed: int = 0, rows: list[Row] | None = None) -> Outcome:
    """Run every row of a family, or those given. One that fails does not keep the others from
    running, unless its fault takes the device away from the process."""
    rows = rows_of(family) if rows is None else rows
    outcome = Outcome()
    inputs, outputs = _Buffer(), _Buffer()
    places = []
    for row in rows:
        found = operands(row, seed)
        outcome.operands[row.name] = found
        blank = [np.zeros(LANES, TYPES[t][0]) for t in row.outputs]
        if row.scratch:
            blank.append(np.tile(np.frombuffer(row.scratch, np.uint8), LANES))
        places.append(([inputs.place(a) for a in found], [outputs.place(a) for a in blank], blank))
    text = module(rows).encode("ascii")
    memory = _launch(text, rows, inputs.host(), outputs.host(), places, outcome)
    for row, (_, at, blank) in zip(rows, places, strict=True):
        if row.name in outcome.errors:
            continue
        outcome.results[row.name] = [
            memory[offset : offset + kind.nbytes].copy().view(kind.dtype)
            for offset, kind in zip(at, blank, strict=True)
        ]
    return outcome


def run_uniform(
    rows: list[Row], outcome: Outcome, lane: int
) -> tuple[dict[str, str], list[list[np.ndarray]]]:
    """Run rows once more, with one lane's operands where they are uniform: errors and results."""
    again = Outcome()
    inputs, outputs = _Buffer(), _Buffer()
    places = []
    for row in rows:
        found = outcome.operands[row.name]
        blank = [np.zeros(LANES, TYPES[t][0]) for t in row.outputs]
        at = [
            inputs.place(a) + (lane * a.itemsize if uniform else 0)
            for a, uniform in zip(found, row.uniform, strict=True)
        ]
        places.append((at, [outputs.place(a) for a in blank], blank))
    text = module(rows).encode("ascii")
    memory = _launch(text, rows, inputs.host(), outputs.host(), places, again)
    results = [
        [memory[offset : offset + kind.nbytes].view(kind.dtype) for offset, kind in zip(at, blank)]
        for _, at, blank in places
    ]
    return again.errors, results


def _launch(
    text: bytes, rows: list[Row], source, target, places, outcome: Outcome
) -> np.ndarray | None:
    """Launch a kernel for each row; what the memory of results holds afterwards.

    None if a kernel had a fault, after which no row has results.
    """
    from gpuarray._ffi import driver
    from gpuarray.errors import DriverError

    driver.init()
    device = driver.device_get(0)
    driver.context_set_current(driver.primary_context_retain(device))
    loaded = driver.module_load_data(text)
    read, written = driver.mem_alloc(source.nbytes), driver.mem_alloc(target.nbytes)
    driver.memcpy_htod_async(read, source.ctypes.data, source.nbytes, 0)
    driver.memcpy_htod_async(written, target.ctypes.data, target.nbytes, 0)
    arguments = driver.ArgumentBuffer((8,) * len(_PARAMETERS))
    config = driver.launch_config((LANES // BLOCK, 1, 1), (BLOCK, 1, 1), 0, 0)
    for number, row in enumerate(rows):
        inputs_at, outputs_at, _ = places[number]
        names = [*OUTPUT_NAMES[: len(row.outputs)], *(["s"] if row.scratch else [])]
        pointers = dict.fromkeys(_PARAMETERS, 0)
        pointers |= {n: read + at for n, at in zip(INPUT_NAMES, inputs_at, strict=False)}
        pointers |= {n: written + at for n, at in zip(names, outputs_at, strict=True)}
        for k, pointer in enumerate(pointers.values()):
            arguments.words[k] = pointer
        function = driver.module_get_function(loaded, f"k{number}")
        status = driver.launch(config, driver.function_argument(function), arguments.params, None)
        try:
            if status:
                raise driver.launch_error(status, row.name, (LANES // BLOCK, 1, 1), (BLOCK, 1, 1))
            driver.context_synchronize()
        except DriverError as error:
            outcome.errors[row.name] = str(error)
            try:
                driver.context_synchronize()
            except DriverError:
                lost = {other.name: f"lost to the fault of the row {row.name}" for other in rows}
                outcome.errors = lost | outcome.errors
                return None
    result = np.empty_like(target)
    driver.memcpy_dtoh_async(result.ctypes.data, written, result.nbytes, 0)
    driver.context_synchronize()
    driver.module_unload(loaded)
    driver.mem_free(read)
    driver.mem_free(written)
    return result
