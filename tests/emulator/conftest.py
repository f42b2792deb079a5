"""Fixtures for tests of the emulator's machine: NVRTC by itself, and a small device."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from cuda.pathfinder import find_nvidia_header_directory, load_nvidia_dynamic_lib

# gpuarray is imported inside functions: the session configures it first.


class NVRTC:
    """CUDA C++ to PTX, independent of the package's own binding."""

    def __init__(self):
        self.library = ctypes.CDLL(load_nvidia_dynamic_lib("nvrtc").abs_path)
        found = (find_nvidia_header_directory(name) for name in ("cudart", "cccl"))
        self.includes = [f"-I{directory}" for directory in found if directory]
        self.known: dict[tuple, str] = {}

    def compile(self, source: str, *options: str) -> str:
        key = (source, options)
        if key not in self.known:
            self.known[key] = self._compile(source, options)
        return self.known[key]

    def _compile(self, source: str, options: tuple[str, ...]) -> str:
        library = self.library
        program = ctypes.c_void_p()
        status = library.nvrtcCreateProgram(
            ctypes.byref(program), source.encode(), b"test.cu", 0, None, None
        )
        assert status == 0
        flags = ["--gpu-architecture=compute_90", "-std=c++17", "-default-device"]
        flags += [*self.includes, *options]
        array = (ctypes.c_char_p * len(flags))(*[f.encode() for f in flags])
        failed = library.nvrtcCompileProgram(program, len(flags), array)
        what = "ProgramLog" if failed else "PTX"
        size = ctypes.c_size_t()
        getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        getattr(library, f"nvrtcGet{what}")(program, text)
        library.nvrtcDestroyProgram(ctypes.byref(program))
        assert not failed, text.value.decode()
        return text.value.decode()


class Module:
    """A loaded module whose kernels take NumPy arrays: copied in, and back afterwards."""

    def __init__(self, device: Device, ptx: str):
        from gpuarray._ffi.emulator import simt

        self.device = device
        self.printed: list[str] = []
        self.program = simt.PTXProgram(ptx, device.arena, self.printed.append)

    def run(
        self,
        name: str,
        grid,
        block,
        *arguments,
        shared: int = 0,
        chunk: int | None = None,
        cooperative: bool = False,
    ):
        from gpuarray._ffi.emulator.simt import launch as simt_launch

        arena = self.device.arena
        kernel = self.program.kernel(name)
        parameters = bytearray(kernel.parameter_bytes)
        copies: list[tuple[int, np.ndarray]] = []
        for (offset, size), argument in zip(kernel.parameters, arguments, strict=True):
            if isinstance(argument, np.ndarray) and not argument.dtype.hasobject:
                address = arena.allocate(argument.nbytes)
                if argument.nbytes:
                    view = arena.view(address, argument.nbytes)
                    view[:] = argument.reshape(-1).view(np.uint8)
                copies.append((address, argument))
                argument = np.uint64(address)
            elif isinstance(argument, int):
                argument = np.array([argument]).astype(f"i{size}")[0]
            data = argument if isinstance(argument, bytes) else argument.tobytes()
            assert len(data) == size, (name, offset, size, argument)
            parameters[offset : offset + size] = data
        try:
            simt_launch(
                kernel,
                _three(grid),
                _three(block),
                bytes(parameters),
                shared,
                chunk_threads=chunk,
                cooperative=cooperative,
            )
            assert not kernel.unsupported, kernel.unsupported
        finally:
            for address, array in copies:
                if array.nbytes and array.flags.writeable:
                    data = arena.view(address, array.nbytes)
                    array.reshape(-1).view(np.uint8)[:] = data
                arena.free(address)


class Device:
    """An arena, and the modules that live in it."""

    def __init__(self):
        from gpuarray._ffi.emulator.memory import Arena

        self.arena = Arena(1 << 30)
        self.programs: list = []

    def load(self, ptx: str) -> Module:
        module = Module(self, ptx)
        self.programs.append(module.program)
        return module


def _three(size) -> tuple[int, int, int]:
    size = (size,) if isinstance(size, int) else tuple(size)
    return (*size, *(1,) * (3 - len(size)))


@pytest.fixture(scope="session")
def nvrtc() -> NVRTC:
    return NVRTC()


@pytest.fixture(scope="session")
def _device() -> Device:
    return Device()


@pytest.fixture
def device(_device):
    """The session's device. Every test has to leave it as it was."""
    before = _device.arena.used
    yield _device
    for program in _device.programs:
        program.unload()
    _device.programs.clear()
    assert _device.arena.used == before


@pytest.fixture
def build(nvrtc, device):
    """CUDA C++ to a loaded module."""

    def build(source: str, *options: str) -> Module:
        return device.load(nvrtc.compile(source, *options))

    return build


_REGISTERS = {
    "u1": ("u8", "b16"), "i1": ("s8", "b16"), "u2": ("u16", "b16"), "i2": ("s16", "b16"),
    "u4": ("u32", "b32"), "i4": ("s32", "b32"), "u8": ("u64", "b64"), "i8": ("s64", "b64"),
    "f4": ("f32", "f32"), "f8": ("f64", "f64"), "f2": ("b16", "b16"),
}  # fmt: skip


def instruction_module(code: str, result, operands) -> str:
    """PTX that runs ``code`` on %a, %b, %c (arrays of these dtypes) and stores %d."""
    names = "abcd"[: len(operands)]
    result = np.dtype(result).str[1:]
    lines = [".version 8.5", ".target sm_90", ".address_size 64"]
    parameters = ",".join(f".param .u64 p{k}" for k in range(len(operands) + 1))
    lines.append(f".visible .entry k({parameters}) {{")
    lines.append(".reg .b32 %t<9>; .reg .b64 %rd<20>; .reg .pred %p<9>; .reg .b64 %w<9>;")
    lines.append(".reg .b16 %h<9>; .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .u32 %i;")
    lines.append(f".reg .{_REGISTERS[result][1]} %d;")
    lines.append("mov.u32 %t0, %ctaid.x; mov.u32 %t1, %ntid.x; mov.u32 %t2, %tid.x;")
    lines.append("mad.lo.u32 %i, %t0, %t1, %t2;")
    for k, (name, dtype) in enumerate(zip(names, operands, strict=True)):
        dtype = np.dtype(dtype)
        access, register = _REGISTERS[dtype.str[1:]]
        lines.append(f".reg .{register} %{name};")
        lines.append(f"ld.param.u64 %rd{k}, [p{k}];")
        lines.append(f"mad.wide.u32 %rd{k}, %i, {dtype.itemsize}, %rd{k};")
        lines.append(f"ld.global.{access} %{name}, [%rd{k}];")
    lines.append(code)
    k = len(operands)
    lines.append(f"ld.param.u64 %rd{k}, [p{k}];")
    lines.append(f"mad.wide.u32 %rd{k}, %i, {np.dtype(result).itemsize}, %rd{k};")
    lines.append(f"st.global.{_REGISTERS[result][0]} [%rd{k}], %d;")
    lines.append("ret; }")
    return "\n".join(lines)


@pytest.fixture(scope="session")
def evaluate(_device):
    """Run one PTX instruction (or a few) on arrays: evaluate(code, result dtype, *operands)."""
    modules: dict[tuple, Module] = {}

    def evaluate(code: str, result, *operands: np.ndarray, block: int = 32) -> np.ndarray:
        operands = [np.ascontiguousarray(np.atleast_1d(o)) for o in operands]
        n = max(len(o) for o in operands)
        padded = -(-n // block) * block
        full = [np.resize(np.broadcast_to(o, n) if len(o) == 1 else o, padded) for o in operands]
        key = (code, np.dtype(result), *(o.dtype for o in operands))
        if key not in modules:
            text = instruction_module(code, result, [o.dtype for o in operands])
            modules[key] = Module(_device, text)
        out = np.zeros(padded, result)
        modules[key].run("k", padded // block, block, *full, out)
        return out[:n]

    return evaluate
