"""What to do about a compilation that failed for a reason that its source does not show."""

from __future__ import annotations

import re

_CCCL = re.compile(r'cannot open source file "(?:nv|cuda|cub|thrust|cccl)/')
_HEADER = re.compile(r'cannot open source file "([^"]+)"')
_COMPLEX = re.compile(r'complex is not a template|identifier "complex" is undefined')
_EXPRESSION = re.compile(r'Input name expression was: "([^"]*)"')
_KERNEL = re.compile(r"__global__\s+(?:[\w:<>]+\s+)*?void\s+(?:__\w+__\s*(?:\([^)]*\))?\s*)*(\w+)")
#: What NVRTC says of an architecture that it does not compile for.
UNKNOWN_ARCHITECTURE = re.compile(r"invalid value for --gpu-architecture")


def remedy(log: str, source: str) -> str:
    """What to do about a fault, where the log tells it and a reader would not see it."""
    if _CCCL.search(log):
        return (
            "That header belongs to CUDA's C++ core libraries, an optional wheel: "
            "pip install 'gpuarray[cccl]' (or nvidia-cuda-cccl for CUDA 13)"
        )
    missing = _HEADER.search(log)
    if missing is not None:
        standard = (
            f": the C++ standard library does not exist on a device, use <cuda/std/{missing[1]}>"
            if missing[1].isidentifier()
            else ", nor in CUDA's own"
        )
        return f"{missing[1]!r} is neither in headers= nor in a folder of an option -I{standard}"
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
