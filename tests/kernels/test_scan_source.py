"""Specifications of scans and the source that they become, without a device."""

import numpy as np
import pytest

from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.generator.expressions import Input
from gpuarray.kernels.reduction.tables import accumulator, pairwise
from gpuarray.kernels.scan import spec as scans
from gpuarray.kernels.scan.spec import ScanSpec, look_back_words, neutral, tile_length


def spec(name="add", dtype="f4", **changes):
    code = accumulator(dtype)
    fields = {
        "name": name,
        "mapped": Input(0, dtype),
        "combined": pairwise(name, code),
        "neutral": neutral(name, code),
        "finished": Input(0, code),
        "input_dtype": dtype,
        "output_dtype": dtype,
    }
    return ScanSpec(**(fields | changes))


def test_equal_specifications_are_one_key():
    assert spec() == spec()
    assert hash(spec()) == hash(spec())
    assert spec() != spec(look_back=True)


@pytest.mark.parametrize(
    "changes",
    [
        {"variant": "diagonals"},
        {"index": "int16"},
        {"width": 24},
        {"width": 64},
        {"width": 32, "look_back": True},
        {"width": 16, "vector": 4},
        {"variant": "columns", "width": 4},
        {"variant": "columns", "width": 256},
        {"variant": "columns", "width": 32, "vector": 2},
    ],
)
def test_impossible_specifications_are_refused(changes):
    with pytest.raises(ValueError):
        spec(**changes)


def test_symbols_say_what_runs():
    assert scans.render(spec()).name == "gpuarray_add__f4__f4_rows256"
    wide = spec("maximum", "i1", variant="columns", width=32, look_back=True, index="int64")
    assert scans.render(wide).name == "gpuarray_maximum__i1__i1_columns32_lookback_wide"
    assert scans.render(spec(exclusive=True)).name.endswith("_exclusive")


def test_parameters():
    assert scans.render(spec()).sizes == (8, 8, 4 * 8)
    shared = spec(look_back=True, kept=3, index="int64")
    assert scans.render(shared).sizes == (8, 8, 8, 8 * 14)


def test_tiles():
    assert tile_length(spec(vector=4, unroll=8)) == 256 * 32
    assert tile_length(spec(variant="columns", width=32, unroll=16)) == 8 * 16


def test_memory_of_a_look_back():
    # A message for each tile, each 32 of them, and each 1024; 32 bits of a value in each word.
    assert look_back_words("f4", 1, 10) == 2 + (10 + 1 + 1)
    assert look_back_words("c16", 7, 2048) == 2 + 4 * 7 * (2048 + 65 + 3)


def test_sums_start_from_minus_zero():
    assert np.signbit(neutral("add", "f4").value)
    assert np.signbit(neutral("add", "c16").value.imag)
    assert neutral("add", "i4").value == 0
    assert scans.is_exact("multiply", "f4")
    assert not scans.is_exact("multiply", "c8")


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["b1", "u1", "i8", "f2", "f8", "c16"])
@pytest.mark.parametrize(
    "changes",
    [
        {"look_back": True, "vector": 1},
        {"width": 8, "unroll": 4, "kept": 2},
        {"variant": "columns", "width": 32, "look_back": True, "index": "int64"},
        {"exclusive": True, "vector": 1, "width": 32},
    ],
)
def test_every_variant_compiles(dtype, changes):
    name = "logical_or" if dtype == "b1" else "add"
    source = scans.render(spec(name, dtype, **changes))
    image = compiler.compile(
        source.source,
        name=source.name,
        headers=source.headers,
        options=source.options,
        architecture="sm_90",
        kind="ptx",
    )
    assert source.name.encode() in image.data
