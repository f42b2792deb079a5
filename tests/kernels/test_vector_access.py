"""What NVRTC makes of vectors of elements: accesses of 16 bytes, whole."""

from __future__ import annotations

import functools
import re

import numpy as np
import pytest

from gpuarray import _layout
from gpuarray._dtypes import code
from gpuarray.kernels import elementwise
from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.elementwise.spec import ElementwiseSpec
from gpuarray.kernels.generator.expressions import Apply, Input, Scalar
from gpuarray.kernels.generator.operations import operation
from gpuarray.kernels.generator.source import OperandSpec


def _accesses(spec: ElementwiseSpec, kind: str) -> list[str]:
    return re.findall(rf"\b{kind}\.global\.([\w.]+)", _ptx(spec))


def _ptx(spec: ElementwiseSpec) -> str:
    source = elementwise.spec.render(spec)
    image = compiler.compile(
        source.source,
        name=source.name,
        headers=source.headers,
        options=source.options,
        architecture="sm_90",
        kind="ptx",
    )
    return image.data.decode()


def _arranged(out: np.ndarray, *views: np.ndarray) -> ElementwiseSpec:
    """The kernel that adds up views. Their memory is never touched."""
    dtype = code(out.dtype)
    value = functools.reduce(
        lambda a, b: Apply(operation("add"), (a, b), dtype),
        [Input(i, dtype) for i in range(len(views))],
    )
    layouts = [_layout.layout_of(x.dtype, x.shape, x.strides) for x in (out, *views)]
    spec, _, _ = elementwise.launch.arrange("sum", [value], layouts[1:], layouts[:1], light=True)
    return spec


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


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8"])
def test_rows_of_blocks_are_stored_as_vectors(dtype):
    """The address of a row's vector is a sum; the compiler once split it in words over that."""
    m = np.empty((64, 256), dtype)
    spec = _arranged(np.empty((62, 254), dtype), m[1:-1, 1:-1], m[:-2, 2:])
    assert spec.variant == "rows"
    _check_words(spec, 1)


def test_columns_that_are_not_aligned_are_read_from_global_memory():
    """Their addresses once came from integers, for which the compiler knows no address space."""
    for dtype in ("u1", "f2", "f4"):
        m = np.empty((999, 999), dtype)
        spec = _arranged(m, m.T)
        assert (spec.variant, spec.shifted) == ("tiled", True)
        assert not re.findall(r"\b(?:ld|st)\.(?!global|shared|param)[\w.]+", _ptx(spec))


@pytest.mark.parametrize(
    ("take", "loads", "stores"),
    [
        (lambda a: a.reshape(-1)[::-1], 2, 1),
        (lambda a: a[:, ::-1], 4, 3),
        (lambda a: a[..., ::-1], 4, 3),
        (lambda a: a.reshape(40, -1, 4)[..., :3], 5, 3),
        (lambda a: a.reshape(-1)[::3], 4, 1),
        (lambda a: a[..., 0], 4, 1),
    ],
)
@pytest.mark.parametrize("dtype", ["u1", "f2"])
def test_picked_elements_are_read_and_stored_as_vectors(take, loads, stores, dtype):
    """One word more than the window has, for windows that are not aligned."""
    view = take(np.empty((40, 600, 3), dtype))
    spec = _arranged(np.empty(view.shape, dtype), view)
    if dtype == "f2" and view.strides[-1] == 6:
        assert spec.variant == "strided"
        return
    assert spec.variant == "picked"
    _check_words(spec, stores)
    wide = [x for x in _accesses(spec, "ld") if x.startswith("v")]
    assert len(wide) == loads, wide


@pytest.mark.parametrize(("dtype", "items"), [("u1", 2048), ("f2", 2048), ("f4", 512), ("f8", 512)])
def test_blocks_of_narrow_strided_elements_are_large(dtype, items):
    """More blocks a second than a GPU starts would have to be started otherwise."""
    view = np.empty((6000, 2), dtype)[::5, 1]
    spec = _arranged(np.empty(view.shape, dtype), view)
    source = elementwise.spec.render(spec)
    assert spec.variant == "strided"
    assert source.block * source.items_per_thread == items


def _check_words(spec: ElementwiseSpec, count: int) -> None:
    """Elements are stored one by one at the ends of rows, and else in so many whole words."""
    stores = _accesses(spec, "st")
    words = [x for x in stores if x.startswith("v")]
    assert [int(x[1]) * int(x[-2:]) for x in words] == [128] * count, stores
    bits = 8 * np.dtype(spec.output_dtypes[0]).itemsize
    assert {int(x.lstrip("usfb")) for x in stores if x not in words} <= {bits}, stores
