"""The source of sorts: which specifications there are, and that kernels fit a multiprocessor."""

import pytest

from gpuarray._dtypes import CODES, itemsize
from gpuarray._ffi import nvrtc
from gpuarray.kernels.sort import spec as sorting
from gpuarray.kernels.sort.spec import BLOCK_LIMIT, SortSpec, block_shape, pass_shape, render
from tests.slow import slow_except, slow_off_axes


def compiled(spec, kind="cubin"):
    source = render(spec)
    name = "sm_90" if kind == "cubin" else "compute_90"
    options = [f"--gpu-architecture={name}", "--std=c++17", *source.options]
    image, log, _ = nvrtc.compile(source.source, source.name, source.headers, options, kind=kind)
    return image, log


# The greatest users of shared memory: more than 48 KiB is an error of the assembler.
@pytest.mark.parametrize(
    ("dtype", "indices", "count"),
    [
        pytest.param("f4", False, "uint32", marks=pytest.mark.slow),
        ("f8", False, "uint64"),
        pytest.param("f2", True, "uint64", marks=pytest.mark.slow),
        pytest.param("f4", True, "uint32", marks=pytest.mark.slow),
        pytest.param("i8", True, "uint32", marks=pytest.mark.slow),
        ("i8", True, "uint64"),
        ("c16", True, "uint64"),
    ],
)
def test_passes_fit_shared_memory(dtype, indices, count):
    spec = SortSpec("pass", dtype, indices, *pass_shape(dtype, indices, count), count)
    _, log = compiled(spec)
    assert "spill" not in log


@pytest.mark.parametrize("dtype", slow_except(["u1", "c16"], ["u1", "f4", "i8", "c16"]))
def test_longest_rows_fit_shared_memory(dtype):
    compiled(SortSpec("block", dtype, True, *block_shape(dtype, BLOCK_LIMIT[itemsize(dtype)])))


@pytest.mark.slow
@pytest.mark.parametrize(("dtype", "indices"), slow_off_axes(["f8", "i8"], [True, False]))
def test_sorts_of_runs_fit_shared_memory(dtype, indices):
    for step in ("short", "long"):
        _, log = compiled(SortSpec(step, dtype, indices, 256, sorting.RUN_ITEMS, count="uint64"))
        assert "spill" not in log
    compiled(SortSpec("decide", dtype, block=sorting.SAMPLE_BLOCK))


@pytest.mark.parametrize("dtype", slow_except(["f2", "c16"], ["f2", "f4", "i8", "c16"]))
def test_the_largest_tiles_fit_shared_memory(dtype):
    shape = block_shape(dtype, BLOCK_LIMIT[itemsize(dtype)])
    compiled(SortSpec("tile", dtype, True, *shape))
    compiled(SortSpec("merge", dtype, True))


def test_which_keys_have_runs():
    assert {dtype for dtype in CODES if sorting.has_runs(dtype)} == {"i8", "u8", "f8"}
    # As many as the mean of runs asks for, until the most is reached.
    assert [sorting.close_keys(n) for n in (10**5, 10**7, 10**9)] == [12, 6, 0]


def test_every_dtype_has_keys():
    for dtype in CODES:
        assert sorting.key_type(dtype) in render(SortSpec("count", dtype)).source
        # In place, the number of passes has to be even.
        assert sorting.passes(dtype) % 2 == 0 or itemsize(dtype) == 1


def test_names_say_what_runs():
    assert render(SortSpec("pass", "f4", True, 384, 12)).name == "gpuarray_argsort_pass__f4_384x12"
    assert render(SortSpec("fill", "u1", count="uint64")).name == "gpuarray_sort_fill__u1_wide"
    down = SortSpec("block", "f4", block=128, items=2, order="descending")
    assert render(down).name == "gpuarray_sort_block__f4_128x2_descending"


def test_wrong_specifications():
    with pytest.raises(ValueError, match="step"):
        SortSpec("shuffle", "f4")
    with pytest.raises(ValueError, match="count"):
        SortSpec("pass", "f4", count="int32")
    with pytest.raises(ValueError, match="order"):
        SortSpec("pass", "f4", order="down")
    with pytest.raises(ValueError, match="warps"):
        SortSpec("pass", "f4", block=100)
    with pytest.raises(ValueError, match="one byte"):
        SortSpec("fill", "i2")
    with pytest.raises(ValueError, match="eight bytes"):
        SortSpec("decide", "f4")
    with pytest.raises(ValueError, match="too long"):
        block_shape("f4", 10000)
