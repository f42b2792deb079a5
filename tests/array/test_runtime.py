"""The runtime's constants and errors, by CuPy's names."""

import pickle
import re
from pathlib import Path

import pytest

import gpuarray as cp
from gpuarray._ffi import locate
from gpuarray.cuda import _runtime_constants
from gpuarray.errors import CUDAError, CUDARuntimeError, DriverError

runtime = cp.cuda.runtime

CONSTANTS = {
    name: value for name, value in vars(_runtime_constants).items() if not name.startswith("_")
}
#: CuPy's names without the prefix of the header's macros and enumerations.
SHORT = {
    "memcpy": "cudaMemcpy",
    "hostAlloc": "cudaHostAlloc",
    "event": "cudaEvent",
    "stream": "cudaStream",
    "memoryType": "cudaMemoryType",
    "error": "cudaError",
    "deviceAttribute": "cudaDevAttr",
}
HEADERS = ("driver_types.h", "cuda_runtime_api.h", "texture_types.h", "library_types.h")
#: Gone from CUDA 13.
ONLY_12 = {
    "cudaDevAttrCooperativeMultiDeviceLaunch",
    "cudaDevAttrMaxTimelineSemaphoreInteropSupported",
}


def number_of(text, found):
    """A number, a name, or a number shifted to the left, as a header writes it."""
    number, _, shift = text.strip().partition("<<")
    number = re.sub(r"(?<=\d)[uU]\b", "", number.strip())
    return (found[number] if number in found else int(number, 0)) << int(shift or 0)


def declared(folder):
    """The numbers that the headers of a folder give to names, without enumerators' arithmetic."""
    found = {}
    for name in HEADERS:
        text = (folder / name).read_text(errors="replace")
        text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
        for body in re.findall(r"enum\s[^{;]*\{(.*?)\}", text, re.DOTALL):
            following = 0
            for entry in re.sub(r"^\s*#.*$", "", body, flags=re.MULTILINE).split(","):
                match = re.match(r"\s*(\w+)\s*(?:=\s*([^,]*))?$", entry.strip())
                if match is None:
                    continue
                if match[2]:
                    following = number_of(match[2], found)
                found[match[1]] = following
                following += 1
        macro = (
            r"#define\s+(cuda\w+)\s+\(?\(?(?:int|cudaStream_t)?\)?\s*(-?(?:0x)?[0-9a-fA-F]+)\)?\s*$"
        )
        for name, number in re.findall(macro, text, re.MULTILINE):
            found[name] = int(number, 0)
    return found


def test_constants_are_those_of_the_headers():
    folders = [Path(folder) for folder in locate.include_directories()]
    folder = next(f for f in folders if (f / "driver_types.h").exists())
    numbers = declared(folder)
    for name, value in CONSTANTS.items():
        full = name
        for short, prefix in SHORT.items():
            if re.match(rf"{short}[A-Z]", name):
                full = prefix + name[len(short) :]
        if full in ONLY_12 and locate.cuda_major() != 12:
            continue
        assert numbers[full] == value, full
        assert getattr(runtime, name) == value
        assert name in runtime.__all__


def test_names_of_statuses_are_those_of_the_headers():
    folder = next(
        Path(f) for f in locate.include_directories() if (Path(f) / "driver_types.h").exists()
    )
    numbers = declared(folder)
    statuses = {name: n for name, n in numbers.items() if re.match(r"cudaError[A-Z]", name)}
    assert len(statuses) > 100
    for name, number in statuses.items():
        assert CUDARuntimeError(number).status_name == name


def test_a_runtime_function_raises_the_runtimes_error():
    with pytest.raises(runtime.CUDARuntimeError, match="^cudaErrorInvalidValue: ") as raised:
        runtime.free(12345)
    assert raised.value.status == runtime.errorInvalidValue
    assert not isinstance(raised.value, DriverError)
    assert "cuMemFree_v2 failed with CUDA_ERROR_INVALID_VALUE (1)" in str(raised.value)
    # The traceback leads to the driver's call.
    assert raised.traceback[-1].path.name != "_runtime_errors.py"


def test_other_functions_raise_what_programs_catch_as_the_runtimes_error():
    stream = cp.cuda.Stream()
    address = cp.cuda.runtime.streamCreate()
    cp.cuda.runtime.streamDestroy(address)
    lost = cp.cuda.ExternalStream(stream.ptr)
    del stream
    with pytest.raises(runtime.CUDARuntimeError) as raised:
        cp.RawModule(code=b"not an image").get_function("f")
    assert isinstance(raised.value, CUDAError)
    del lost


def test_check_status():
    runtime.check_status(0)
    with pytest.raises(runtime.CUDARuntimeError, match="^cudaErrorMemoryAllocation: ") as raised:
        runtime.check_status(runtime.errorMemoryAllocation)
    assert raised.value.status == 2
    with pytest.raises(runtime.CUDARuntimeError, match="^unknown status"):
        runtime.check_status(12345)


def test_the_runtimes_error_survives_pickling():
    error = CUDARuntimeError(700, "cuStreamSynchronize", "kernel f")
    error.kernel, error.report = "f", "Launched at x.py:1"
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), vars(copy)) == (type(error), str(error), vars(error))


def test_runtime_functions_survive_pickling():
    assert pickle.loads(pickle.dumps(runtime.malloc)) is runtime.malloc


def test_the_version_of_the_runtime():
    assert runtime.runtimeGetVersion() // 1000 == locate.cuda_major()


def test_programs_that_ask_for_amd():
    assert runtime.is_hip is False
