"""RawKernel: clusters, occupancy, and text that is not ASCII."""

from __future__ import annotations

import numpy as np
import pytest

import gpuarray as cp
from gpuarray.errors import DriverError

MARK = 'extern "C" __global__ void mark(int* x) { atomicAdd(&x[blockIdx.x], 1); }'

RANK = r"""
extern "C" __global__ void rank(int* x) {
    unsigned rank, size;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    x[blockIdx.x] = rank + 100 * size;
}"""


def clusters() -> bool:
    return bool(cp.cuda.Device().attribute("cluster_launch"))


# -- clusters ------------------------------------------------------------------------------------


@pytest.mark.cuda
@pytest.mark.parametrize("blocks", [1, 2, 4, 8, 16])
def test_clusters(blocks):
    if not clusters():
        pytest.skip("this device has no clusters")
    kernel = cp.RawKernel(RANK, "rank")
    for cluster in ((blocks,), [blocks, 1], (np.int64(blocks), 1, 1)):
        for _ in range(2):
            x = cp.zeros(32, dtype="i4")
            kernel((32,), (1,), (x,), cluster=cluster)
            assert x.tolist() == [i % blocks + 100 * blocks for i in range(32)]
    # The same dimensions without clusters are another launch.
    kernel((32,), (1,), (x,))
    assert x.tolist() == [100] * 32


@pytest.mark.parametrize(
    "cluster, text",
    [
        ((3,), r"grid=\(4, 1, 1\) is not a multiple of cluster=\(3, 1, 1\)"),
        ((1, 2), "not a multiple"),
        ((0,), "not a multiple"),
        ((32,), "not a multiple"),
        ((1, 1, 1, 1), "cluster=.* has 4 dimensions"),
    ],
)
def test_bad_clusters(cluster, text):
    kernel = cp.RawKernel(MARK, "mark")
    x = cp.zeros(4, dtype="i4")
    with pytest.raises(DriverError, match=text):
        kernel((4,), (1,), (x,), cluster=cluster)
    with pytest.raises(TypeError, match="cluster='a'"):
        kernel((4,), (1,), (x,), cluster="a")
    assert not x.any()


def test_too_large_a_cluster():
    kernel = cp.RawKernel(MARK, "mark")
    with pytest.raises(DriverError, match="has 32 blocks, but a cluster has at most 16"):
        kernel((32,), (1,), (cp.zeros(32, dtype="i4"),), cluster=(32,))


def test_a_cluster_of_one_block_is_nothing_special():
    kernel = cp.RawKernel(MARK, "mark")
    x = cp.zeros(4, dtype="i4")
    kernel((4,), (1,), (x,), cluster=(1,))
    kernel((4,), (1,), (x,), cluster=(1, 1, 1))
    assert x.tolist() == [2] * 4


@pytest.mark.emulator
def test_the_emulator_refuses_clusters():
    x = cp.zeros(4, dtype="i4")
    with pytest.raises(DriverError, match="no thread block clusters; .* the emulator has not"):
        cp.RawKernel(MARK, "mark")((4,), (1,), (x,), cluster=(2,))
    kernel = cp.RawKernel(MARK.replace("void", "void __cluster_dims__(2, 1, 1)"), "mark")
    with pytest.raises(DriverError, match="compiled for clusters of 2 blocks") as caught:
        kernel((4,), (1,), (x,))
    assert caught.value.status_name == "CUDA_ERROR_NOT_SUPPORTED"
    assert not x.any()
    x += 1  # nothing else is harmed
    assert x.tolist() == [1] * 4


@pytest.mark.emulator
def test_the_emulated_driver_refuses_clusters():
    from gpuarray._ffi import driver

    kernel = cp.RawKernel(MARK, "mark")
    function = kernel._function()
    buffer = driver.ArgumentBuffer((8,))
    buffer.words[0] = cp.zeros(4, dtype="i4").data.ptr
    for cluster, status in (((2, 1, 1), 801), ((3, 1, 1), 912), ((0, 1, 1), 912), ((1, 1, 1), 0)):
        for cooperative in (False, True):
            given = driver.launch_config((4, 1, 1), (1, 1, 1), 0, 0, cooperative, cluster)
            assert driver.launch(given, function.argument, buffer.params, None) == status


# -- occupancy -----------------------------------------------------------------------------------


def test_occupancy():
    kernel = cp.RawKernel(MARK, "mark")
    device = cp.cuda.Device()
    threads = device.attribute("max_threads_per_multiprocessor")
    occupancy = kernel.occupancy
    grid, block = occupancy.max_potential_block_size()
    assert grid % device.attribute("multiprocessor_count") == 0
    assert 0 < block <= kernel.max_threads_per_block
    active = occupancy.max_active_blocks_per_multiprocessor(block)
    assert grid == active * device.attribute("multiprocessor_count")
    assert active * block <= threads
    assert occupancy.max_potential_block_size().min_grid_size == grid
    assert occupancy.max_potential_block_size(block_size_limit=100).max_block_size <= 100
    assert occupancy.max_active_blocks_per_multiprocessor(64) >= (
        occupancy.max_active_blocks_per_multiprocessor(64, 100_000)
    )
    assert occupancy.max_active_blocks_per_multiprocessor(64, 100_000) in (1, 2)


def test_shared_memory_limits_the_block():
    kernel = cp.RawKernel(MARK, "mark")
    asked = []

    def needed(threads):
        asked.append(threads)
        return 256 * threads

    block = kernel.occupancy.max_potential_block_size(needed).max_block_size
    most = cp.cuda.Device().attribute("max_shared_memory_per_block_optin")
    assert asked
    assert 0 < 256 * block <= most

    def fails(threads):
        raise ZeroDivisionError("in the callback")

    with pytest.raises(ZeroDivisionError, match="in the callback"):
        kernel.occupancy.max_potential_block_size(fails)
    # By default a kernel may have 48 KiB, and the block is one that can be launched so.
    fits = kernel.occupancy.max_potential_block_size(lambda threads: 64 * threads).max_block_size
    assert 0 < 64 * fits <= kernel.max_dynamic_shared_size_bytes
    room = kernel.occupancy.available_dynamic_shared_memory_per_block(2, 128)
    assert 0 < room < most
    assert kernel.occupancy.max_active_blocks_per_multiprocessor(128, room) >= 2


def test_bad_questions_of_occupancy():
    occupancy = cp.RawKernel(MARK, "mark").occupancy
    for block in (0, -1, 4096):
        with pytest.raises(ValueError, match=f"mark: block_size={block}, but .* 1 to 1024"):
            occupancy.max_active_blocks_per_multiprocessor(block)
    with pytest.raises(ValueError, match="negative"):
        occupancy.max_potential_block_size(-1)
    with pytest.raises(ValueError, match="block_size_limit=-1"):
        occupancy.max_potential_block_size(block_size_limit=-1)
    with pytest.raises(DriverError, match="exceed the"):
        occupancy.max_potential_block_size(1 << 30)
    with pytest.raises(TypeError):
        occupancy.max_active_blocks_per_multiprocessor(1.5)


# -- text ----------------------------------------------------------------------------------------


def test_sources_that_are_not_ascii(tmp_path):
    source = '// Größe, 大きさ\n#include "größe.h"\n' + MARK.replace("1)", "GROESSE)")
    folder = tmp_path / "øæå"
    folder.mkdir()
    (folder / "größe.h").write_text("#define GROESSE 7  // größer\n", encoding="utf-8")
    x = cp.zeros(1, dtype="i4")
    cp.RawKernel(source, "mark", options=(f"-I{folder}",))((1,), (1,), (x,))
    assert x.tolist() == [7]


def test_errors_in_sources_that_are_not_ascii():
    kernel = cp.RawKernel('extern "C" __global__ void f(int* x) { *x = größe大; }  // größe', "f")
    with pytest.raises(cp.errors.CompileError, match="größe"):
        kernel.compile()


def test_a_broken_ptx_file_is_named_by_its_fault(tmp_path):
    path = tmp_path / "bröken.ptx"
    path.write_text(
        ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry f(.param .u64 p) { ret;\n"
    )
    with pytest.raises(DriverError) as caught:
        cp.RawModule(path=path).get_function("f")
    assert caught.value.status_name in ("CUDA_ERROR_INVALID_PTX", "CUDA_ERROR_INVALID_SOURCE")
    assert f"loading {path}: " in str(caught.value)
