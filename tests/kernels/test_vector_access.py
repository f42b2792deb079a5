"""What NVRTC makes of vectors of elements: accesses of 16 bytes, whole."""

from __future__ import annotations

import re

import pytest

from gpuarray.kernels import compiler, elementwise
from gpuarray.kernels.elementwise import ElementwiseSpec, OperandSpec
from gpuarray.kernels.expressions import Apply, Input, Scalar
from gpuarray.kernels.operations import operation


def _accesses(spec: ElementwiseSpec, kind: str) -> list[str]:
    source = elementwise.render(spec)
    image = compiler.compile(
        source.source,
        name=source.name,
        headers=source.headers,
        options=source.options,
        architecture="sm_90",
        kind="ptx",
    )
    return re.findall(rf"\b{kind}\.global\.([\w.]+)", image.data.decode())


@pytest.mark.parametrize("dtype", ["i8", "u8", "f8", "i4", "f4"])
def test_stores_without_loads_are_vectors(dtype):
    """Halves of 8-byte elements once became stores of 8, 4 and 4 bytes: half of the speed."""
    value = Apply(operation("add"), (Scalar(0, dtype), Scalar(1, dtype)), dtype)
    spec = ElementwiseSpec(
        "fill",
        (value,),
        (dtype,),
        (OperandSpec(dtype, "scalar"), OperandSpec(dtype, "scalar")),
    )
    _check(_accesses(spec, "st"), dtype)


def test_numbers_are_stored_as_vectors():
    number = Apply(operation("multiply"), (Input(0, "i8"), Scalar(1, "i8")), "i8")
    spec = ElementwiseSpec(
        "arange", (number,), ("i8",), (OperandSpec("i8", "index"), OperandSpec("i8", "scalar"))
    )
    _check(_accesses(spec, "st"), "i8")


@pytest.mark.parametrize("dtype", ["i8", "f8", "f4", "c8", "c16"])
def test_results_are_stored_as_vectors(dtype):
    value = Apply(operation("add"), (Input(0, dtype), Input(1, dtype)), dtype)
    spec = ElementwiseSpec("add", (value,), (dtype,), (OperandSpec(dtype), OperandSpec(dtype)))
    _check(_accesses(spec, "st"), dtype)


def _check(stores: list[str], dtype: str) -> None:
    scalar = 8 if dtype in ("i8", "u8", "f8", "c16") else 4
    narrow = [x for x in stores if not x.startswith("v") and int(x[-2:]) < 8 * scalar]
    assert not narrow, stores
    assert any(x.startswith(f"v{16 // scalar}.") for x in stores), stores
