"""Run a kernel over its grid, chunk by chunk, and locate its faults."""

from __future__ import annotations

import collections

import numpy as np

from gpuarray._integers import ceil_div, round_up

from ..attributes import STACK_BYTES
from ..faults import ASSERT, LAUNCH_FAILED, LAUNCH_TIMEOUT, DeviceFault
from . import source_lines
from .chunk import Chunk
from .chunk_checks import LaunchChecks

#: Threads that run as one NumPy operation: large enough to hide Python, small enough for caches.
CHUNK_THREADS = 262144


class LaunchState:
    """The state that all chunks of a launch share."""

    __slots__ = (
        "arena", "arguments", "block", "checks", "cooperative", "dynamic_offset", "dynamic_shared",
        "grid", "kernel", "parameter_address", "parameters", "plain_shared_bytes", "shared_bytes",
        "stack_bytes", "wants_workspace", "workspace",
    )  # fmt: skip

    def __init__(
        self,
        kernel,
        grid,
        block,
        parameters: bytes,
        dynamic_shared: int,
        cooperative: bool,
        stack_bytes: int,
    ):
        self.kernel = kernel
        self.arena = kernel.program.arena
        self.grid = grid
        self.block = block
        self.parameters = parameters
        self.dynamic_shared = dynamic_shared
        self.dynamic_offset = kernel.dynamic_offset
        self.shared_bytes = round_up(kernel.dynamic_offset + dynamic_shared, 16)
        #: What a GPU's block has: under the checkers gaps come to it.
        self.plain_shared_bytes = self.shared_bytes
        self.arguments = kernel.decode(parameters)
        checker = self.arena.checker
        self.checks = None
        if checker is not None:
            self.checks = LaunchChecks(checker, kernel, dynamic_shared)
            self.dynamic_offset = kernel.spaced_dynamic_offset
            if self.shared_bytes:
                self.shared_bytes = self.checks.bounds.nbytes
        self.parameter_address = 0
        self.cooperative = cooperative
        self.stack_bytes = stack_bytes
        self.workspace = 0
        #: Whether the kernel asked for the workspace of a grid's barrier.
        self.wants_workspace = False

    def parameters_in_memory(self) -> int:
        """The address of a copy of the parameters, for kernels that take their address."""
        if not self.parameter_address:
            nbytes = max(len(self.parameters), 1)
            self.parameter_address = self.arena.allocate(nbytes)
            self.arena.view(self.parameter_address, nbytes)[: len(self.parameters)] = np.frombuffer(
                self.parameters, np.uint8
            )
        return self.parameter_address

    def grid_workspace(self) -> int:
        """Zeroed memory in which cooperative groups keep their grid-wide barrier; 0, by which they
        tell that there is none, in a launch that is not cooperative."""
        self.wants_workspace = True
        if self.cooperative and not self.workspace:
            self.workspace = self.arena.allocate(1024)
            self.arena.view(self.workspace, 1024)[:] = 0
        return self.workspace

    def release(self) -> None:
        for address in (self.parameter_address, self.workspace):
            if address:
                self.arena.free(address)
        self.parameter_address = self.workspace = 0
        if self.checks is not None:
            self.checks.finish()


def launch(
    kernel,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    parameters: bytes,
    dynamic_shared: int = 0,
    *,
    cooperative: bool = False,
    stack_bytes: int = STACK_BYTES,
    chunk_threads: int | None = None,
) -> None:
    """Run a kernel to completion; a DeviceFault tells the fault and its location.

    ``stack_bytes`` is the stack of each thread, for recursion.
    """
    threads = block[0] * block[1] * block[2]
    blocks = grid[0] * grid[1] * grid[2]
    if len(parameters) < kernel.parameter_bytes:
        raise ValueError(
            f"{kernel.name} takes {kernel.parameter_bytes} bytes of parameters, "
            f"not {len(parameters)}"
        )
    if threads < 1 or blocks < 1:
        raise ValueError(f"an empty launch: grid {grid}, block {block}")
    arena = kernel.program.arena
    with arena.lock, np.errstate(all="ignore"):
        shared = LaunchState(
            kernel, tuple(grid), tuple(block), parameters, dynamic_shared, cooperative, stack_bytes
        )
        per_chunk = max(1, (chunk_threads or CHUNK_THREADS) // threads)
        # Chunks of equal size: a small last one would cost as many operations as the others.
        chunks = max(1, round(blocks / per_chunk))
        per_chunk = ceil_div(blocks, chunks)
        try:
            _run_chunks(shared, blocks, per_chunk)
        except DeviceFault as fault:
            if shared.checks is not None:
                shared.checks.failed(fault)
            raise
        finally:
            shared.release()


def _run_chunks(shared: LaunchState, blocks: int, per_chunk: int) -> None:
    """Run chunks in order; one that waits for others yields to the next."""
    arena = shared.arena
    started: collections.deque = collections.deque()
    next_block = 0
    waits = 0  # how many times in a row a chunk yielded
    idle = 0  # how many of these times without progress
    try:
        while next_block < blocks or started:
            if next_block < blocks and waits >= len(started):
                chunk = Chunk(shared, next_block, min(per_chunk, blocks - next_block))
                next_block += chunk.nb
                started.appendleft((chunk, chunk.run()))
                chunk.start()
                waits = idle = 0
            chunk, running = started.popleft()
            writes = arena.writes
            chunk.progressed = False
            try:
                next(running)
            except StopIteration:
                chunk.release()
                waits = idle = 0
                continue
            except DeviceFault as fault:
                chunk.release()
                raise _located(fault, chunk) from None
            except BaseException:
                chunk.release()
                raise
            started.append((chunk, running))
            waits += 1
            idle = 0 if chunk.progressed or arena.writes != writes else idle + 1
            if idle > 2 * len(started) + 2 and next_block >= blocks:
                where = _position(chunk)
                raise DeviceFault(
                    LAUNCH_TIMEOUT,
                    f"deadlock in {shared.kernel.name}: every thread polls memory that nothing "
                    f"changes{where}",
                )
    finally:
        for chunk, running in started:
            running.close()
            chunk.release()


def _position(chunk: Chunk) -> str:
    """The first thread that polls in a chunk, for the message about a deadlock."""
    for key in chunk._polls:
        block, thread = divmod(_first_lane(key), chunk.T)
        line = int(key[0].rpartition(":")[2])
        where = source_lines.named(chunk.program.module.text, line)
        return f" (thread {thread} of block {chunk.b0 + block} among them, {where})"
    return ""


def _first_lane(key) -> int:
    lanes = key[1]
    if len(lanes) == 2 and isinstance(lanes[1], bytes):
        return int(np.frombuffer(lanes[1], np.int64)[0])
    return int(lanes[0])


def _located(fault: DeviceFault, chunk: Chunk) -> DeviceFault:
    """The fault with the kernel, thread and source line added to its message."""
    kernel = chunk.launch.kernel
    where = f"in kernel {kernel.name}"
    if fault.lane is not None:
        block, thread = divmod(fault.lane, chunk.T)
        gx, gy, _ = chunk.grid
        bx, by, _ = chunk.block
        number = chunk.b0 + block
        fault.block = number % gx, number // gx % gy, number // (gx * gy)
        fault.thread = thread % bx, thread // bx % by, thread // (bx * by)
        where += ", block ({},{},{}), thread ({},{},{})".format(*fault.block, *fault.thread)
    trace = fault.__traceback__
    while trace is not None:
        code = kernel.program.code_of_file(trace.tb_frame.f_code.co_filename)
        if code is not None:
            line = code.ptx_line(trace.tb_lineno)
            text, fault.source = source_lines.describe(kernel.program.module.text, line)
            fault.place = text
            if code.name != kernel.name:
                where += f", function {code.name}"
            where += f", {source_lines.named(kernel.program.module.text, line)}"
        trace = trace.tb_next
    fault.reason, fault.message = fault.message, f"{fault.message} {where}"
    launch = chunk.launch
    without_barrier = launch.wants_workspace and not launch.cooperative
    if without_barrier and fault.status in (LAUNCH_FAILED, ASSERT):
        fault.message += (
            " (grid.sync() fails like this in a launch that is not cooperative: "
            "enable_cooperative_groups=True makes it one)"
        )
    return fault
