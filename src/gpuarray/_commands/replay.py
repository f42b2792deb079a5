"""``python -m gpuarray replay FOLDER``: a launch that failed, once more on the emulator."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._runtime import launch_history
from gpuarray._runtime.device import Device
from gpuarray.errors import DriverError

#: Lines of source shown before and after the one at fault.
_AROUND = 3
#: Memory keeps its alignment, which a kernel may rely on, up to this.
_ALIGNMENT = 256


def run(folder: str) -> int:
    """Run the launch that `gpuarray.debug.save` wrote down, and say how it ends."""
    directory = Path(folder)
    try:
        record = json.loads((directory / "launch.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"python -m gpuarray replay: {directory / 'launch.json'}: {error}", file=sys.stderr)
        return 2
    if config.backend != "emulator":
        print(
            "python -m gpuarray replay: set GPUARRAY_BACKEND=emulator, where a fault is located",
            file=sys.stderr,
        )
        return 2
    with Device(0) as device:
        blocks = _rebuild(directory, record)
        return _launch(device, directory, record, blocks)


def _rebuild(directory: Path, record: dict[str, Any]) -> list[tuple[int, int, int]]:
    """The memory of the launch; (former address, size, address) of each block."""
    blocks = []
    for number, block in enumerate(record["memory"]):
        data = np.fromfile(directory / f"memory{number}.bin", np.uint8)
        before = block["address"] % _ALIGNMENT
        address = driver.mem_alloc(before + data.size) + before
        driver.memcpy_htod(address, data.ctypes.data, data.size)
        blocks.append((block["address"], data.size, address))
    return blocks


def _launch(
    device: Device, directory: Path, record: dict[str, Any], blocks: list[tuple[int, int, int]]
) -> int:
    function = _function(device, directory, record)
    buffer = driver.ArgumentBuffer(tuple(record["sizes"]))
    stored = bytes.fromhex(record["parameters"])
    buffer.bytes[: len(stored)] = stored
    print(f"replay of {record['kernel']} on the emulator")
    print(f"  grid {tuple(record['grid'])}, block {tuple(record['block'])}")
    for argument in record["arguments"]:
        print(f"    {argument}")
    for number in record["pointers"]:
        at = buffer.offsets[number] // 8
        for former, size, address in blocks:
            if former <= buffer.words[at] < former + size:
                buffer.words[at] += address - former
                print(f"  parameter {number} points here to {buffer.words[at]:#x}")
                break
    if record["line"]:
        print(f"launched at {record['line']}")
    if record["shared_bytes"] > 48 << 10:
        driver.function_set_attribute(
            function, "max_dynamic_shared_size_bytes", record["shared_bytes"]
        )
    grid, block = tuple(record["grid"]), tuple(record["block"])
    launch_config = driver.launch_config(
        grid, block, record["shared_bytes"], 0, **record["attributes"]
    )
    status = driver.launch(launch_config, driver.function_argument(function), buffer.params, None)
    if not status:
        print(
            "It ran without a fault on the emulator. What differs there: addresses stored in "
            "memory or in structures, global variables that were changed, other kernels running "
            "at the same time. The error was:"
        )
        print(f"  {record['error']}")
        return 0
    error = driver.launch_error(status, record["kernel"], grid, block)
    if any(f"is no {noun} object" in str(error) for noun in ("texture", "surface")):
        print(
            "The kernel reads a texture or surface, which is not kept with a launch: this replay "
            "got no further. The error was:"
        )
        print(f"  {record['error']}")
        return 2
    print(f"{error.status_name} ({status}): {error.detail}" if isinstance(error, DriverError)
          else error)  # fmt: skip
    _print_source(record["source"], launch_history.line_number(str(error), record["name"]))
    return 1


def _function(device: Device, directory: Path, record: dict[str, Any]) -> int:
    from gpuarray.kernels import compiler

    symbol = record["symbol"]
    if record["source"]:
        image = compiler.compilation.compile(
            record["source"],
            name=record["name"],
            headers=record["headers"],
            options=record["options"],
            architecture=device.architecture,
            kind="ptx",
            name_expressions=record["name_expressions"],
        )
        module = driver.module_load_data(image.data)
        symbol = image.lowered_names.get(symbol, symbol)
    else:
        module = driver.module_load_data((directory / "image.ptx").read_bytes())
    return driver.module_get_function(module, symbol)


def _print_source(source: str, number: int) -> None:
    """The lines of the source around one; 0 is none."""
    lines = source.splitlines()
    if not 0 < number <= len(lines):
        return
    first, last = max(1, number - _AROUND), min(len(lines), number + _AROUND)
    width = len(str(last))
    for at in range(first, last + 1):
        print(f"{'>' if at == number else ' '} {at:{width}d} | {lines[at - 1]}")
