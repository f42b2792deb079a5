"""The source of selections, counts and searches: specifications, and that kernels fit."""

import pytest

from gpuarray._ffi import nvrtc
from gpuarray.kernels.histogram import spec as counting
from gpuarray.kernels.histogram.spec import EndsSpec, HistogramSpec
from gpuarray.kernels.search import spec as searching
from gpuarray.kernels.select import spec as partitioning
from gpuarray.kernels.select.spec import SelectSpec
from gpuarray.kernels.sort import spec as sorting


def compiled(source):
    """An error of the assembler tells of more than 48 KiB of shared memory."""
    options = ["--gpu-architecture=sm_90", "--std=c++17", "-default-device", *source.options]
    return nvrtc.compile(source.source, source.name, source.headers, options, kind="cubin")


@pytest.mark.slow
@pytest.mark.parametrize(
    "spec",
    [
        SelectSpec("pass", "f8", 4, True, count="uint64"),
        SelectSpec("pass", "f4", 32, True),
        SelectSpec("row", "f8", 4, True),
        SelectSpec("row", "i2", 2, indices=True),
        SelectSpec("split", "f8", 2, count="uint64"),
    ],
)
def test_selections_fit_shared_memory(spec):
    compiled(partitioning.render(spec))


@pytest.mark.parametrize(
    "spec",
    [
        HistogramSpec("edges", "f8", "f8", True, 1024),
        HistogramSpec("ends", "i8", "f8", shared=2048),
        HistogramSpec("value", "i8", shared=8192),
        HistogramSpec("value", "i8", weighted=True, shared=4096),
    ],
)
def test_histograms_fit_shared_memory(spec):
    compiled(counting.render(spec))


@pytest.mark.parametrize("dtype", ["f4", "c8", "c16"])
def test_searches_fit_shared_memory(dtype):
    room = searching.ALL_LEVELS[{"f4": 4, "c8": 8, "c16": 16}[dtype]]
    compiled(searching.render(searching.SearchSpec(dtype, True, room)))


def test_digits():
    assert [partitioning.passes(d, 1) for d in ("b1", "u2", "f4", "i8")] == [1, 2, 3, 6]
    assert [partitioning.passes(d, 8) for d in ("b1", "u2", "f4", "i8")] == [1, 2, 4, 8]
    assert [partitioning.rank_slots(n) for n in (1, 2, 3, 5, 32)] == [1, 2, 4, 8, 32]


def test_names_say_what_runs():
    names = [
        partitioning.render(SelectSpec("pass", "f4", 1)).name,
        partitioning.render(SelectSpec("row", "i2", 2, True)).name,
        partitioning.render(SelectSpec("split", "f8", 1, indices=True, count="uint64")).name,
        counting.render_ends(EndsSpec("f4")).name,
        counting.render(HistogramSpec("value", "i8", shared=2048, greatest=True)).name,
        searching.render(searching.SearchSpec("f4", False, 12)).name,
        sorting.render(sorting.SortSpec("block", "f4", False, 128, 2, ranks=2)).name,
    ]
    assert names == [
        "gpuarray_select_pass__f4_x1",
        "gpuarray_select_row__i2_x2_values",
        "gpuarray_select_split__f8_x1_indices_wide",
        "gpuarray_histogram_ends__f4",
        "gpuarray_histogram_value__i8_greatest_2048",
        "gpuarray_searchsorted_left__f4_12",
        "gpuarray_sort_block__f4_128x2_ranks2",
    ]


def test_wrong_specifications():
    with pytest.raises(ValueError, match="step"):
        SelectSpec("sort", "f4", 1)
    with pytest.raises(ValueError, match="count"):
        SelectSpec("pass", "f4", 1, count="int32")
    with pytest.raises(ValueError, match="complex"):
        SelectSpec("pass", "c8", 1)
    with pytest.raises(ValueError, match="3 ranks are not 1 to 2"):
        SelectSpec("split", "f4", 3)
    with pytest.raises(ValueError, match="single elements"):
        sorting.SortSpec("block", "f4", True, ranks=1)
    with pytest.raises(ValueError, match="2048 bins"):
        HistogramSpec("ends", "f4", "f4", shared=8192)
    with pytest.raises(ValueError, match="alone"):
        HistogramSpec("width", "f4", "f4", shared=256, alone=True)
    with pytest.raises(ValueError, match="greatest"):
        HistogramSpec("value", "i4", weighted=True, shared=256, greatest=True)


def test_counts_of_long_rows_are_wide(monkeypatch):
    """Where rows have 2^32 elements, counts have 64 bits; indices always do."""
    from gpuarray._runtime.current_stream import current
    from gpuarray.kernels import select as select_kernels

    made = []

    def load(spec, render, device):
        made.append(spec)
        raise InterruptedError

    monkeypatch.setattr(select_kernels.launch, "load", load)
    for length, count in ((1 << 32) - 1, "uint32"), (1 << 32, "uint64"):
        monkeypatch.setattr(select_kernels.launch, "clear", lambda units, stream: None)
        selection = select_kernels.launch._Selection("f4", 1, length, "split", 1, {}, 0, False)
        with pytest.raises(InterruptedError):
            select_kernels.launch._passes_call(selection, current.stream)
        assert made[-1].count == count
