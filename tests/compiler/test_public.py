"""gpuarray.cuda.compiler."""

from __future__ import annotations

import pytest

from gpuarray.cuda import compiler
from gpuarray.errors import CompileError

SOURCE = 'extern "C" __global__ void f(int* x) { *x = VALUE; }'


def test_ptx_and_cubin():
    ptx = compiler.compile_to_ptx(SOURCE, ("-DVALUE=1",))
    assert b".entry f(" in ptx
    assert b".target sm_80" in compiler.compile_to_ptx(SOURCE, ("-DVALUE=1",), architecture="sm_80")
    assert compiler.compile_to_cubin(SOURCE, ("-DVALUE=1",))[:4] == b"\x7fELF"
    source = '#include "value.h"\n' + SOURCE
    headers = {"value.h": "#define VALUE 2"}
    assert b".entry f(" in compiler.compile_to_ptx(source, headers=headers)


def test_error():
    assert compiler.CompileException is CompileError
    with pytest.raises(compiler.CompileException, match=r"compiling mine failed[\s\S]*> 1 \|"):
        compiler.compile_to_ptx(SOURCE, name="mine")
