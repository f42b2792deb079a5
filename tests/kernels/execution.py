"""Compiles a specification and runs it on the backend of the test session, without arrays above."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from gpuarray._dtypes import code
from gpuarray._ffi import driver
from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.elementwise.spec import ElementwiseSpec, render
from gpuarray.kernels.elementwise.variants import geometry
from gpuarray.kernels.generator.expressions import Apply, Input
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.generator.source import KernelSource, OperandSpec


@dataclass
class Buffer:
    """A host array and its device copy.

    The copy starts `offset` bytes behind an aligned address; the kernel is given the address of
    the byte number `skip` of it.
    """

    array: np.ndarray
    offset: int = 0
    skip: int = 0
    base: int = field(init=False, default=0)

    @property
    def pointer(self) -> int:
        return self.base + self.offset


@cache
def context() -> int:
    driver.init()
    device = driver.device_get(0)
    handle = driver.primary_context_retain(device)
    driver.context_set_current(handle)
    return handle


@cache
def loaded(spec: ElementwiseSpec) -> tuple[KernelSource, int]:
    context()
    source = render(spec)
    image = compiler.compile(
        source.source,
        name=source.name,
        headers=source.headers,
        options=source.options,
        architecture="sm_90",
        kind=driver.image_kind,
    )
    module = driver.module_load_data(image.data)
    return source, driver.module_get_function(module, source.name)


def run(
    spec: ElementwiseSpec,
    outputs: list[np.ndarray],
    inputs: list[object],
    *,
    size: int | None = None,
    shape: tuple[int, ...] = (),
    strides: tuple[tuple[int, ...], ...] = (),
    grid: int | None = None,
) -> None:
    """Run a kernel on copies of the arrays, and copy the outputs back.

    An operand may be an ndarray (its memory is copied as it is) or a `Buffer`; the same Buffer
    twice is the same memory. Scalars are NumPy scalars. `strides` are in elements, one row for
    each operand with memory.
    """
    source, function = loaded(spec)
    buffers: dict[int, Buffer] = {}

    def on_device(operand: object) -> Buffer:
        buffer = operand if isinstance(operand, Buffer) else Buffer(operand)
        if id(operand) not in buffers:
            buffer.base = driver.mem_alloc(max(1, buffer.array.nbytes + buffer.offset))
            if buffer.array.nbytes:
                driver.memcpy_htod_async(
                    buffer.pointer, buffer.array.ctypes.data, buffer.array.nbytes, 0
                )
            buffers[id(operand)] = buffer
        return buffers[id(operand)]

    def address(operand: object) -> bytes:
        buffer = on_device(operand)
        return np.uint64(buffer.pointer + buffer.skip).tobytes()

    if size is None:
        size = outputs[0].array.size if isinstance(outputs[0], Buffer) else outputs[0].size
    values: list[bytes] = [address(output) for output in outputs]
    for operand, declared in zip(inputs, spec.inputs, strict=True):
        if declared.kind == "scalar":
            values.append(np.asarray(operand).tobytes())
        else:
            values.append(address(operand))
    blocks, constants = geometry(spec, source, shape or (size,), strides)
    for parameter in source.parameters[len(values) :]:
        values.append(parameter.pack(constants[parameter.name]))

    arguments = driver.ArgumentBuffer(source.sizes)
    for i, value in enumerate(values):
        assert len(value) == source.sizes[i]
        arguments.view(i, "B")[:] = value
    blocks = grid or blocks
    config = driver.launch_config((blocks, 1, 1), (source.block, 1, 1), 0, 0)
    status = driver.launch(config, driver.function_argument(function), arguments.params, None)
    if status:
        raise driver.launch_error(status, source.name, (blocks, 1, 1), (source.block, 1, 1))
    for operand in outputs:
        buffer = on_device(operand)
        driver.memcpy_dtoh_async(buffer.array.ctypes.data, buffer.pointer, buffer.array.nbytes, 0)
    driver.context_synchronize()
    for buffer in buffers.values():
        driver.mem_free(buffer.base)


def loop_spec(name: str, inputs: tuple[str, ...], outputs: tuple[str, ...], **options: object):
    """The specification of one NumPy loop on arrays."""
    operands = tuple(Input(i, dtype) for i, dtype in enumerate(inputs))
    expressions = tuple(
        Apply(operation(name), operands, dtype, i) for i, dtype in enumerate(outputs)
    )
    specs = tuple(OperandSpec(dtype) for dtype in inputs)
    return ElementwiseSpec(name, expressions, outputs, specs, **options)


def numpy_ufunc(name: str) -> np.ufunc:
    """NumPy's ufunc of that name, private ones (clip) included."""
    return getattr(np._core.umath, name)


def numpy_loops(name: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The distinct loops of a ufunc whose dtypes exist on a device, as codes.

    They are NumPy's, unless the row has loops of its own.
    """
    loops = []
    for signature in operation(name).loops or numpy_ufunc(name).types:
        if set(signature) & set("gGOMm"):
            continue
        inputs, _, outputs = signature.partition("->")
        loop = (
            tuple(code(np.dtype(char)) for char in inputs),
            tuple(code(np.dtype(char)) for char in outputs),
        )
        if loop not in loops:
            loops.append(loop)
    return loops
