"""Structures for textures, against the sizes and offsets that CUDA's headers give them."""

import ctypes

import pytest

import gpuarray as cp
from gpuarray._ffi import texture_structs
from gpuarray.errors import CompileError

#: Headers of the host's C library that CUDA's include, and NVRTC does not have.
HOST_HEADERS = {
    "stdlib.h": "",
    "limits.h": "",
    "stdint.h": "#pragma once\ntypedef unsigned int uint32_t;\ntypedef unsigned long uint64_t;\n",
}


def members(structure, prefix=""):
    """Every member by its name in C with its offset, those of nested structures as well."""
    for name, type_ in structure._fields_:
        if name == "reserved":
            continue
        offset = getattr(structure, name).offset
        yield prefix + name, offset
        if hasattr(type_, "_fields_"):
            for inner, at in members(type_, f"{prefix}{name}."):
                yield inner, offset + at


@pytest.fixture(scope="module")
def host_headers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("headers")
    for name, text in HOST_HEADERS.items():
        (folder / name).write_text(text)
    return f"-I{folder}"


@pytest.mark.parametrize("name", texture_structs.__all__)
def test_structures_are_those_of_the_headers(name, host_headers):
    structure = getattr(texture_structs, name)
    header = "cuda.h" if name.startswith("CUDA_") else "cuda_runtime_api.h"
    known = dict(members(structure))
    values = [f"sizeof({name})"] + [f"(size_t)&(({name}*)0)->{member}" for member in known]
    stores = "\n".join(f"    found[{k}] = {value};" for k, value in enumerate(values))
    source = (
        f"#include <{header}>\n"
        f'extern "C" __global__ void look(unsigned long long* found) {{\n{stores}\n}}'
    )
    found = cp.empty(len(values), "u8")
    try:
        cp.RawKernel(source, "look", options=(host_headers,))((1,), (1,), (found,))
    except CompileError as error:
        if f'cannot open source file "{header}"' in str(error):
            pytest.skip(f"{header} is not installed")
        raise
    size, *offsets = found.tolist()
    assert known == dict(zip(known, offsets, strict=True))
    if name == "cudaResourceDesc":  # later headers may append what is not used here
        assert ctypes.sizeof(structure) <= size
    else:
        assert ctypes.sizeof(structure) == size
