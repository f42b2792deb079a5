"""The source of reductions: which specifications there are, what they render to, what compiles."""

import math
import re

import numpy as np
import pytest

from gpuarray._dtypes import CODES, category, dtype_of
from gpuarray._ffi import nvrtc
from gpuarray.kernels.generator.expressions import Cast, Input
from gpuarray.kernels.generator.source import OperandSpec
from gpuarray.kernels.reduction.spec import ReductionSpec, render, unroll
from gpuarray.kernels.reduction.tables import accumulator, beats, neutral, packed, pairwise


def reduction(name, dtype, **fields):
    code = accumulator(dtype)
    positions = name in ("argmax", "argmin")
    if positions:
        code = accumulator(dtype, name.replace("arg", "") + "imum")
        combined, base = beats(name == "argmax", code), name.replace("arg", "") + "imum"
    else:
        combined, base = pairwise(name, code), name
    return ReductionSpec(
        name,
        Cast(code, Input(0, dtype)),
        combined,
        neutral(base, code),
        Input(0, code),
        "i8" if positions else dtype,
        (OperandSpec(dtype),),
        state="index" if positions else "value",
        **fields,
    )


def compiled(spec):
    source = render(spec)
    options = ["--gpu-architecture=compute_90", "--std=c++17", *source.options]
    image, log, _ = nvrtc.compile(source.source, source.name, source.headers, options, kind="ptx")
    return image.decode(), log


@pytest.mark.parametrize(
    "fields",
    [
        {"vector": 4},
        {"vector": 4, "width": 8},
        {"vector": 4, "split": True},
        {"kept": 3, "reduced": 2, "width": 32},
        {"variant": "runs", "vector": 4, "reduced": 3, "width": 16, "split": True},
        {"variant": "columns", "vector": 4, "width": 32, "index": "int64"},
        {"variant": "columns", "vector": 2, "width": 128, "split": True},
        {"variant": "strips", "vector": 4, "width": 32, "split": True},
        {"variant": "strips", "vector": 4, "width": 32, "phases": 4, "index": "int64"},
        {"variant": "periods", "vector": 4, "split": True},
        {"variant": "periods", "vector": 2, "kept": 2},
    ],
    ids=str,
)
def test_variants_compile_without_a_warning(fields):
    image, log = compiled(reduction("add", "f4", **fields))
    assert not log.strip()
    accesses = image.count("ld.global.v4") + image.count("ld.global.v2")
    assert bool(accesses) == (fields.get("vector", 1) > 1)
    assert "atom" not in image or fields.get("split")
    assert "atom.global.add.f32" not in image
    assert ".local" not in image  # arrays of values stay in registers


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8"])
@pytest.mark.parametrize("variant", ["strips", "periods"])
@pytest.mark.parametrize("name", ["add", "argmax"])
def test_columns_are_read_in_vectors_alone(name, variant, dtype):
    """But for what is left at the ends of rows, whatever the alignment of rows is."""
    vector = 16 // dtype_of(dtype).itemsize
    phases = {"phases": min(vector, 8)} if variant == "strips" else {}
    width = {"width": 32} if variant == "strips" else {}
    packed_of = packed("maximum" if name == "argmax" else "logical_or", dtype, dtype)
    spec = reduction(
        name, dtype, variant=variant, vector=vector, packed=packed_of, **phases, **width
    )
    image, log = compiled(spec)
    assert not log.strip()
    assert ".local" not in image
    words = len(re.findall(r"ld\.global\.v(4\.[a-z]32|2\.[a-z]64)", image))
    assert words >= 2 * unroll(spec) - 1


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_positions_compile_without_a_warning(name):
    for dtype in ("?", "f2", "c16"):
        code = "b1" if dtype == "?" else dtype
        vector = 16 // dtype_of(code).itemsize
        assert not compiled(reduction(name, code, vector=vector, split=True))[1].strip()


def test_specifications_are_values():
    one, other = reduction("add", "f4"), reduction("add", "f4")
    assert one == other
    assert hash(one) == hash(other)
    assert one != reduction("add", "f4", vector=4)
    assert render(one).name == "gpuarray_add__f4__f4_rows256"
    assert render(reduction("add", "f4", split=True, index="int64")).name.endswith("_split_wide")


def test_sizes_of_parameters():
    assert render(reduction("add", "f4")).sizes == (8, 8, 4 * (6 + 3 * 2))
    wide = render(reduction("add", "f4", split=True, kept=2, index="int64"))
    assert wide.sizes == (8, 8, 8, 8, 8 * (6 + 3 * 3))


def test_sizes_of_partial_results():
    assert reduction("add", "i1").value_bytes == 1
    assert reduction("add", "f2").value_bytes == 4
    assert reduction("argmax", "u1").value_bytes == 8
    assert reduction("argmax", "f8").value_bytes == 16
    assert reduction("argmax", "c8").value_bytes == 12
    assert reduction("argmax", "c8", index="int64").value_bytes == 16
    assert reduction("argmax", "c16").value_bytes == 24


@pytest.mark.parametrize("dtype", CODES)
def test_neutral_values_change_nothing(dtype):
    names = ["add", "multiply", "maximum", "minimum", "fmax", "fmin", "logical_and", "logical_or"]
    if category(dtype) in ("bool", "signed", "unsigned"):
        names += ["bitwise_and", "bitwise_or", "bitwise_xor"]
    for name in names:
        value = np.array(neutral(name, dtype).value, dtype_of(dtype))
        others = np.array([0, 1, 2, math.inf, -math.inf] if dtype[0] in "fc" else [0, 1, 2])
        others = others.astype(dtype_of(dtype))
        if name.startswith("logical"):
            others = others.astype(bool)
        with np.errstate(invalid="ignore"):
            result = getattr(np, name)(value, others)
        if category(dtype) == "complex" and name in ("add", "multiply"):
            others, result = others[:3], result[:3]  # inf * (1 + 0j) has a NaN part
        np.testing.assert_array_equal(result, others)


@pytest.mark.parametrize(
    "fields",
    [
        {"variant": "diagonals"},
        {"index": "int16"},
        {"masked": True},
        {"width": 24},
        {"width": 64},
        {"width": 32, "split": True},
        {"vector": 4, "reduced": 2},
        {"variant": "runs", "vector": 4},
        {"variant": "strips"},
        {"variant": "periods", "vector": 4, "reduced": 2},
        {"variant": "strips", "vector": 4, "width": 64, "phases": 8},
    ],
    ids=str,
)
def test_impossible_specifications(fields):
    with pytest.raises(ValueError):
        reduction("add", "f4", **fields)
