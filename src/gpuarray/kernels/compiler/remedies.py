"""What to do about a compilation that failed for a reason that its source does not show."""

from __future__ import annotations

import os
import re

_HEADER = re.compile(
    r'^(?P<at>.*?)(?:\(\d+\))?: .*(?:cannot|could not) open source file "(?P<name>[^"]+)"',
    re.MULTILINE,
)
#: The wheel (of `locate.wheel`) of headers by their names, and a header that it has in any version.
_WHEELS = (
    ("cccl", re.compile(r"(?:nv|cuda|cub|thrust|cccl)/"), "cuda/std/version"),
    ("curand", re.compile(r"curand\w*\.h$"), "curand_kernel.h"),
    ("crt", re.compile(r"crt/"), "crt/mma.h"),
    (
        "runtime",
        re.compile(r"(?:cooperative_groups|cuda_\w+|cuComplex|mma|vector_types)\.h(?:pp)?$"),
        "cuda_runtime.h",
    ),
)
#: Files of CUB and Thrust, which are for host code where they need the host's library.
_FOR_HOSTS = re.compile(r"/(?:cub|thrust)/(?!block/|warp/)")
#: Standard headers whose counterpart on a device is in CUDA's C++ core libraries.
_ON_DEVICES = re.compile(
    r"(?:algorithm|array|atomic|barrier|bit|bitset|cassert|cfloat|chrono|climits|cmath|complex|"
    r"concepts|cstddef|cstdint|cstdlib|ctime|expected|functional|initializer_list|inplace_vector|"
    r"iterator|latch|limits|mdspan|memory|new|numeric|optional|ranges|ratio|semaphore|"
    r"source_location|span|string_view|tuple|type_traits|utility|variant|version)$"
)
#: What device code has without an include.
_BUILT_IN = {
    "math.h": "mathematical functions", "cmath": "mathematical functions",
    "stdio.h": "printf", "cstdio": "printf", "assert.h": "assert", "cassert": "assert",
    "string.h": "memcpy and memset", "cstring": "memcpy and memset",
    "stdlib.h": "malloc and free", "cstdlib": "malloc and free",
}  # fmt: skip
_STANDARD = re.compile(
    r"(?:[a-z_]+|(?:std\w+|math|assert|float|limits|string|time|ctype|errno)\.h)$"
)
_COMPLEX = re.compile(r'complex is not a template|identifier "complex" is undefined')
_EXPRESSION = re.compile(r'Input name expression was: "([^"]*)"')
_KERNEL = re.compile(r"__global__\s+(?:[\w:<>]+\s+)*?void\s+(?:__\w+__\s*(?:\([^)]*\))?\s*)*(\w+)")
#: What NVRTC says of an architecture that it does not compile for.
UNKNOWN_ARCHITECTURE = re.compile(r"invalid value for --gpu-architecture")


def remedy(log: str, source: str) -> str:
    """What to do about a fault, where the log tells it and a reader would not see it."""
    missing = _HEADER.search(log)
    if missing is not None:
        return _of_header(missing["name"], missing["at"])
    expression = _EXPRESSION.search(log)
    if expression is not None:
        declared = _KERNEL.findall(source)
        there = ", ".join(dict.fromkeys(declared)) or "none"
        wanted = expression[1].replace(" ", "")
        return (
            f"The name expression {wanted!r} is no name in the source, whose kernels are: {there}"
        )
    if UNKNOWN_ARCHITECTURE.search(log):
        from gpuarray._ffi import nvrtc

        known = ", ".join(f"sm_{number}" for number in nvrtc.supported_architectures())
        major, minor = nvrtc.version()
        return (
            f"NVRTC {major}.{minor} compiles for {known}: for a newer device update its wheel "
            "(nvidia-cuda-nvrtc), for an older one take that of an earlier CUDA"
        )
    if _COMPLEX.search(log) or ("thrust::complex" in source and "namespace name" in log):
        return "Complex numbers of device code are in a header: #include <cupy/complex.cuh>"
    if "unrecognized token" in log and not source.isascii():
        return "Beyond ASCII, device code takes characters in comments and strings only"
    if "Unresolved extern function" in log:
        return (
            "Define that function, or compile with -rdc=true (or kind='lto') and link it with "
            "what defines it: gpuarray.cuda.compiler.link"
        )
    if "uses too much shared data" in log:
        return (
            "Declared arrays can have 48 KiB of shared memory; more is dynamic: "
            "extern __shared__, and shared_mem= at the launch"
        )
    return ""


def _of_header(name: str, includer: str) -> str:
    """What to do about a header that is missing."""
    from gpuarray._ffi import locate

    for headers, names, known in _WHEELS:
        if names.match(name):
            wheel = locate.wheel(headers)
            if _is_there(known):
                return f"{name!r} is not in the version of {wheel} that is installed"
            return f"{name!r} is in NVIDIA's wheel {wheel}: pip install {wheel}"
    if not _STANDARD.match(name):
        return (
            f"{name!r} is neither in headers= nor in a folder of an option -I, nor in CUDA's own "
            "(the current directory is searched with -I.)"
        )
    if _FOR_HOSTS.search(includer):
        return (
            f"{includer} is for host code, which has the standard library. Device code takes "
            "CUB's block and warp algorithms (cub/block/, cub/warp/) and what is in cuda/std/"
        )
    text = f"{name!r}: the C++ standard library does not exist on a device"
    built_in = _BUILT_IN.get(name)
    found = f"c{name.removesuffix('.h')}" if name.endswith(".h") else name
    if built_in:
        text += f"; device code has {built_in} without an include"
    if _ON_DEVICES.match(found):
        text += f"{', else' if built_in else ','} use <cuda/std/{found}>"
    return text


def _is_there(name: str) -> bool:
    """Whether CUDA's own headers that a compilation gets have one."""
    from gpuarray._ffi import locate

    try:
        folders = locate.include_directories()
    except (ImportError, RuntimeError):
        return False
    return any(os.path.isfile(os.path.join(folder, name)) for folder in folders)
