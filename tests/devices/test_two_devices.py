"""Arrays of two devices: where results are, peer access, copies, and the order of the work.

They need two devices: two GPUs with ``--backend=cuda``, or ``GPUARRAY_EMULATED_DEVICES=2``.
`test_with_two_emulated_devices` runs them so in a process of its own.
"""

import contextlib
import copy
import doctest
import gc
import pickle
import re
import threading
from pathlib import Path

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._runtime import peers
from gpuarray.errors import CaptureError, CUDARuntimeError

runtime = cp.cuda.runtime
HOST = np.arange(12, dtype="f4").reshape(3, 4)


@pytest.fixture(autouse=True)
def needs_two_devices():
    if runtime.getDeviceCount() < 2:
        pytest.skip("needs two devices")
    yield
    assert cp.cuda.get_current_stream() is cp.cuda.Device(0).default_stream


@pytest.fixture
def first():
    return cp.cuda.Device(0)


@pytest.fixture
def second():
    return cp.cuda.Device(1)


@pytest.fixture
def x(second):
    with second:
        return cp.asarray(HOST)


@pytest.fixture
def no_peers(monkeypatch):
    """Devices that have no access to one another's memory."""
    monkeypatch.setattr(peers, "_pairs", set())
    monkeypatch.setattr(peers, "_apart", set())
    monkeypatch.setattr(driver, "device_can_access_peer", lambda device, peer: False)


def needs_peers():
    if not runtime.deviceCanAccessPeer(0, 1) or not runtime.deviceCanAccessPeer(1, 0):
        pytest.skip("needs devices with access to one another's memory")


# ---- the devices -------------------------------------------------------------------------------


def test_devices_are_ordered_by_number(first, second):
    assert first < second
    assert second >= first
    assert max(first, second) is second
    assert first != second
    assert first.pci_bus_id != second.pci_bus_id
    assert cp.cuda.Device.from_pci_bus_id(second.pci_bus_id) is second
    assert first.attributes["PciBusId"] >= 0


def test_use_and_blocks(first, second):
    try:
        assert second.use() is second
        assert cp.cuda.get_device_id() == 1
        with first:
            with second:
                assert cp.zeros(1).device is second
            assert cp.zeros(1).device is first
        assert cp.zeros(1).device is second
        with first:
            second.use()  # a block leads back to where it began, whatever happened inside
        assert cp.cuda.Device() is second
    finally:
        runtime.setDevice(0)


def test_the_current_device_is_the_threads(first, second):
    seen, ready, done = [], threading.Event(), threading.Event()

    def work():
        second.use()
        ready.set()
        done.wait()
        seen.append((cp.cuda.Device(), cp.ones(3).device))

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait()
    assert cp.cuda.Device() is first
    done.set()
    thread.join()
    assert seen == [(second, second)]


def test_what_is_asked_of_a_device_that_is_not_current(second, x, backend):
    assert second.mem_info[1] > 0
    second.synchronize()
    assert runtime.getDeviceProperties(1)["pciBusID"] == second.attributes["PciBusId"]
    assert cp.cuda.device.from_pointer(x.data.ptr) is second
    with second:
        free = runtime.memGetInfo()[0]
        block = cp.cuda.Memory(1 << 20)
        assert runtime.memGetInfo()[1] == second.mem_info[1]
        if backend == "emulator":  # the free memory of a GPU is that of all its processes
            assert runtime.memGetInfo()[0] < free
        del block
    handle = second.cublas_handle
    assert handle != cp.cuda.Device(0).cublas_handle
    with second:
        assert cp.cuda.get_cublas_handle() == handle


def test_limits_are_the_devices(first, second):
    before = runtime.deviceGetLimit(0)
    with second:
        own = runtime.deviceGetLimit(0)
        runtime.deviceSetLimit(0, 4096)
        assert runtime.deviceGetLimit(0) >= 4096
        runtime.deviceSetLimit(0, own)
    assert runtime.deviceGetLimit(0) == before


def test_another_library_changes_the_device(first, second):
    y = cp.arange(5) + 1
    kernel = cp.RawKernel('extern "C" __global__ void k(long long* y) { y[0] = 7; }', "k")
    kernel((1,), (1,), (y,))
    driver.context_set_current(second.context)
    try:
        for work in (lambda: y + 1, lambda: kernel((1,), (1,), (y,))):
            with pytest.raises(cp.errors.DriverError) as caught:
                work()
            assert str(caught.value).endswith(
                "the thread works on device 0, but another library made device 1 current: call "
                "gpuarray.cuda.Device(0).use() after it did"
            )
    finally:
        first.use()
    assert (y + 1).tolist() == [8, 3, 4, 5, 6]


def test_threads_on_both_devices(first, second):
    """Each works on its own device and copies from the other's array."""
    arrays = {}
    for device in (first, second):
        with device:
            arrays[device.id] = cp.full(1000, device.id + 1)
            device.synchronize()
    failures = []

    def work(device):
        try:
            with device, cp.cuda.Stream(non_blocking=True):
                other = arrays[1 - device.id]
                for step in range(20):
                    moved = cp.asarray(other)
                    total = int((moved * step + arrays[device.id]).sum())
                    expected = 1000 * ((2 - device.id) * step + device.id + 1)
                    assert (total, moved.device) == (expected, device)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(device,)) for device in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# ---- where results are -------------------------------------------------------------------------

KEEP = {
    "copy": lambda x: x.copy(),
    "copy in another order": lambda x: x.copy("F"),
    "cp.copy": cp.copy,
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "astype": lambda x: x.astype("f8"),
    "astype to the same": lambda x: x.astype("f4", copy=False),
    "astype to another order": lambda x: x.astype("f4", "F", copy=False),
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "from_dlpack": cp.from_dlpack,
    "views": lambda x: x.T[::-1].T[:, ::-1],
}
VIEWS = {"whole": lambda x: x, "transposed": lambda x: x.T, "with gaps": lambda x: x[:, ::2]}


@pytest.mark.parametrize("name", KEEP)
@pytest.mark.parametrize("view", VIEWS)
def test_the_device_is_kept(name, view, x, second):
    y = KEEP[name](VIEWS[view](x))
    assert y.device is second
    np.testing.assert_array_equal(y.get(), VIEWS[view](HOST))


@pytest.mark.parametrize("like", [cp.empty_like, cp.zeros_like, cp.ones_like])
def test_arrays_that_are_like_another(like, x, second, first):
    assert like(x).device is second
    assert like(x, device=first).device is first


@pytest.mark.parametrize("dtype", [[("a", "i4"), ("b", "f8")], "M8[s]", "?", "c16"])
def test_copies_of_any_dtype_keep_the_device(dtype, second):
    host = np.zeros(5, dtype)
    with second:
        y = cp.asarray(host)
    assert y.copy().device is second
    assert (y.copy().get() == host).all()


def test_one_warning_of_imaginary_parts(x, second):
    with second:
        z = x + 1j
    with pytest.warns(np.exceptions.ComplexWarning) as caught:
        y = z.astype("f4")
    assert len(caught) == 1
    assert y.device is second


MOVE = {
    "array": cp.array,
    "asarray": cp.asarray,
    "asarray with a dtype": lambda x: cp.asarray(x, "f8"),
    "ascontiguousarray": cp.ascontiguousarray,
    "asfortranarray": cp.asfortranarray,
    "to_device": lambda x: x.to_device(cp.cuda.Device()),
    "sequence": lambda x: cp.array([x])[0],
}


@pytest.mark.parametrize("name", MOVE)
@pytest.mark.parametrize("view", VIEWS)
def test_the_current_device_gets_a_copy(name, view, x, first, second):
    y = MOVE[name](VIEWS[view](x))
    assert y.device is first
    np.testing.assert_array_equal(y.get(), VIEWS[view](HOST))
    with second:
        back = cp.asarray(y)
    assert back.device is second
    np.testing.assert_array_equal(back.get(), VIEWS[view](HOST))


def test_no_copy_where_one_is_needed(x):
    with pytest.raises(ValueError, match=r"<CUDA Device 1> has to be copied to <CUDA Device 0>"):
        cp.array(x, copy=False)


def test_pickles_of_a_device_that_is_not_there(x, monkeypatch, first):
    data = pickle.dumps(x)
    monkeypatch.setattr(driver, "device_count", lambda: 1)
    assert pickle.loads(data).device is first


def test_pickles_of_a_class(x, second):
    class Named(cp.ndarray):
        pass

    globals()["Named"] = Named
    Named.__qualname__ = "Named"
    y = x.view(Named)
    y.name = "x"
    found = pickle.loads(pickle.dumps(y))
    assert (type(found), found.device, found.name) == (Named, second, "x")
    assert y.copy().device is second


HOSTS = {
    "get": lambda x: x.get(),
    "asnumpy": cp.asnumpy,
    "asnumpy into": lambda x: cp.asnumpy(x, out=np.empty_like(HOST)),
    "tolist": lambda x: np.asarray(x.tolist(), "f4"),
    "tobytes": lambda x: np.frombuffer(x.tobytes(), "f4").reshape(3, 4),
    "elements": lambda x: np.asarray([[float(v) for v in row] for row in x], "f4"),
    "dlpack": lambda x: np.from_dlpack(x, device="cpu"),
    "repr": lambda x: np.asarray(eval(repr(x), {"array": np.array, "float32": "f4"})),
}


@pytest.mark.parametrize("name", HOSTS)
def test_the_way_to_the_host(name, x):
    np.testing.assert_array_equal(HOSTS[name](x), HOST)


def test_exports_are_of_the_arrays_device(x, first, second):
    stream = cp.cuda.Stream(non_blocking=True)
    with second:
        there = cp.cuda.Stream(non_blocking=True)
        there.use()
    try:
        with stream:
            assert x.__cuda_array_interface__["stream"] == there.ptr
            assert x.__dlpack_device__() == (2, 1)
            copied = cp.from_dlpack(x, copy=True)
            exported = cp.from_dlpack(x.__dlpack__(copy=True))
            assert cp.zeros(3).__cuda_array_interface__["stream"] == stream.ptr
    finally:
        with second:
            second.default_stream.use()
    for y in (copied, exported):
        assert y.device is second
        assert cp.cuda.device.from_pointer(y.data.ptr) is second
        np.testing.assert_array_equal(y.get(), HOST)


def test_an_export_waits_for_work_elsewhere(x, second, monkeypatch):
    needs_peers()
    waits = []
    with second:
        consumer = cp.cuda.Stream(non_blocking=True)
    x += 1  # on the first device
    call = driver.stream_wait_event
    monkeypatch.setattr(
        driver, "stream_wait_event", lambda *args: (waits.append(args[0]), call(*args))
    )
    x.__dlpack__(stream=consumer.ptr)
    x += 1
    x.__dlpack__(stream=1)
    assert waits.count(0) >= 2  # the default stream of the array's device, each time


@pytest.mark.parametrize("own", [False, True])
def test_transfers_on_a_stream_of_the_other_device(own, x, first):
    stream = cp.cuda.Stream(non_blocking=True) if own else first.default_stream
    assert (x.get(stream=stream) == HOST).all()
    x.set(HOST + 1, stream=stream)
    y = x.get(stream=stream, blocking=False)
    stream.synchronize()
    assert (y == HOST + 1).all()
    assert cp.cuda.Device() is first


@pytest.mark.emulator
def test_transfers_on_a_stream_of_the_other_device_are_in_its_order(x, second):
    stream = cp.cuda.Stream(non_blocking=True)
    with cp.cuda.check("races", "host") as check:
        with second:
            z = cp.zeros((3, 4), "f4")
        pinned = cp.asarray(HOST, blocking=True).get(blocking=False)
        stream.synchronize()
        cp.cuda.Device().synchronize()
        z.set(HOST, stream=stream)
        y = z.get(stream=stream, out=pinned, blocking=False)
        stream.synchronize()
        assert (y == HOST).all()
    assert not check.findings


def test_the_way_from_the_host(x):
    x.set(HOST + 1)
    x[0] = HOST[0]
    x[1, 1] = 7
    expected = HOST + 1
    expected[0], expected[1, 1] = HOST[0], 7
    np.testing.assert_array_equal(x.get(), expected)


def test_streams_of_the_other_device(x, first, second):
    with second:
        stream = cp.cuda.Stream()
    with pytest.raises(RuntimeError, match="enter that device first"):
        stream.use()
    with second, stream:
        y = x * 2
    stream.synchronize()
    np.testing.assert_array_equal(y.get(), HOST * 2)
    assert cp.cuda.get_current_stream(1) == second.default_stream


# ---- operations on arrays of another device ----------------------------------------------------


OPERATIONS = {
    "unary": lambda xp, x: -x,
    "with a number": lambda xp, x: x + 1,
    "with an array here": lambda xp, x: x + xp.asarray(HOST),
    "broadcast": lambda xp, x: x * xp.arange(4, dtype="f4"),
    "reduction": lambda xp, x: x.sum(axis=0),
    "sort": lambda xp, x: xp.sort(x[:, ::-1], axis=1),
    "cumsum": lambda xp, x: x.cumsum(axis=1),
    "gather": lambda xp, x: x[xp.asarray([2, 0])],
    "mask": lambda xp, x: x[x > 3],
    "concatenate": lambda xp, x: xp.concatenate([x, xp.asarray(HOST)]),
    "where": lambda xp, x: xp.where(x > 2, x, xp.float32(0)),
    "unique": lambda xp, x: xp.unique(x),
}

KERNELS = {
    "ElementwiseKernel": cp.ElementwiseKernel("T x", "T y", "y = x + 2", "plus_two"),
    "fuse": cp.fuse(lambda x: x * 1 + 2),
    "vectorize": cp.vectorize(lambda x: x + 2, otypes="f"),
}


@pytest.mark.parametrize("name", KERNELS)
def test_the_users_kernels_run_on_the_current_device(name, x, first, second):
    needs_peers()
    for device in (first, second):
        with device:
            y = KERNELS[name](x)
        assert y.device is device
        np.testing.assert_array_equal(y.get(), HOST + 2)


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_run_on_the_current_device(name, x, first):
    needs_peers()
    for _ in range(2):  # the second time by the plans that were kept
        y = OPERATIONS[name](cp, x)
        assert y.device is first
        np.testing.assert_array_equal(y.get(), OPERATIONS[name](np, HOST))


def test_in_place_and_out(x, second):
    needs_peers()
    x += 1
    x[1:] *= 2
    cp.multiply(x, 3, out=x)
    expected = HOST + 1
    expected[1:] *= 2
    assert x.device is second
    np.testing.assert_array_equal(x.get(), expected * 3)


def test_assignment_from_another_device(x, first):
    here = cp.asarray(HOST) + 5
    x[...] = here
    np.testing.assert_array_equal(x.get(), HOST + 5)
    x[1, ::2] = here[0, ::2]
    expected = HOST + 5
    expected[1, ::2] = expected[0, ::2]
    np.testing.assert_array_equal(x.get(), expected)
    cp.copyto(here, x)
    assert here.device is first
    np.testing.assert_array_equal(here.get(), expected)


def test_raw_kernels_reach_the_other_device(x):
    needs_peers()
    kernel = cp.RawKernel(
        'extern "C" __global__ void twice(const float* x, float* y) '
        "{ int i = threadIdx.x; y[i] = 2 * x[i]; }",
        "twice",
    )
    y = cp.empty(12, "f4")
    kernel((1,), (12,), (x, y))
    np.testing.assert_array_equal(y.get(), 2 * HOST.ravel())
    y = cp.empty(12, "f4")
    kernel((1,), (12,), (x.data, y))
    np.testing.assert_array_equal(y.get(), 2 * HOST.ravel())


def test_memory_that_is_mapped_before_and_after_access_is_given(second):
    needs_peers()
    pool = cp.cuda.MemoryPool()
    with second, cp.cuda.using_allocator(pool.malloc):
        early = cp.arange(1 << 19)
    assert int((early + 1)[-1]) == 1 << 19
    with second, cp.cuda.using_allocator(pool.malloc):
        later = cp.arange(1 << 20)
    assert int((later + 1)[-1]) == 1 << 20
    del early, later
    with second:
        pool.free_all_blocks()
        assert pool.total_bytes() == 0


def test_an_operation_without_access_says_what_to_do(x, no_peers):
    remedy = (
        r"on <CUDA Device 1> cannot be used on <CUDA Device 0>.* no peer access; copy it with "
        r"asarray inside 'with Device\(0\)', or work on it inside 'with Device\(1\)'"
    )
    for operation in (lambda: x + 1, lambda: x.sum(), lambda: cp.add(x, x, out=x)):
        with pytest.raises(ValueError, match=remedy):
            operation()
    with cp.cuda.Device(1):
        assert float((x + 1).sum()) == float((HOST + 1).sum())


def test_random_numbers_go_on_where_they_are_drawn(first, second):
    ours, theirs = cp.random.default_rng(3), np.random.default_rng(3)
    for device in (first, second, second, first):
        with device:
            found = ours.random(5)
        assert found.device == device
        np.testing.assert_array_equal(found.get(), theirs.random(5))


def test_a_copy_gets_access_where_it_can(x, first, second):
    needs_peers()
    for device, peer in ((first, 1), (second, 0)):
        with device, contextlib.suppress(runtime.CUDARuntimeError):
            runtime.deviceDisablePeerAccess(peer)
    cp.asarray(x)
    for device, peer in ((first, 1), (second, 0)):
        with device:
            runtime.deviceDisablePeerAccess(peer)


def test_a_copy_is_one_call(x, second, monkeypatch):
    """Nothing is made contiguous or moved twice that lies as it will."""
    copied = []
    call = driver.memcpy_peer_async
    monkeypatch.setattr(
        driver, "memcpy_peer_async", lambda *args: (copied.append(args[4]), call(*args))
    )
    monkeypatch.setattr(driver, "memcpy_dtod_async", None)
    target = cp.zeros((3, 4), "f4")
    free = cp.get_default_memory_pool().used_bytes()
    target[...] = x
    assert cp.get_default_memory_pool().used_bytes() == free
    cp.copyto(target, x)
    y = cp.asarray(x)
    assert copied == [48, 48, 48]
    np.testing.assert_array_equal(target.get(), HOST)
    np.testing.assert_array_equal(y.get(), HOST)


def test_copies_do_without_access(x, no_peers, first, second):
    here = cp.asarray(x)
    assert here.device is first
    np.testing.assert_array_equal(here.get(), HOST)
    here += 1
    x[...] = here
    np.testing.assert_array_equal(x.get(), HOST + 1)
    np.testing.assert_array_equal(cp.asarray(x.T).get(), (HOST + 1).T)
    assert x.copy().device is second


def test_managed_memory_needs_no_access(no_peers, second):
    with second:
        memory = cp.cuda.malloc_managed(48)
        y = cp.ndarray((3, 4), "f4", memory)
        y[...] = cp.asarray(HOST)
    np.testing.assert_array_equal((y + 1).get(), HOST + 1)


# ---- peer access -------------------------------------------------------------------------------


def test_access_by_the_runtimes_functions(x, second):
    needs_peers()
    with contextlib.suppress(runtime.CUDARuntimeError):
        runtime.deviceDisablePeerAccess(1)
    with pytest.raises(runtime.CUDARuntimeError) as caught:
        runtime.deviceDisablePeerAccess(1)
    assert caught.value.status == 705  # cudaErrorPeerAccessNotEnabled
    runtime.deviceEnablePeerAccess(1)
    with pytest.raises(runtime.CUDARuntimeError) as caught:
        runtime.deviceEnablePeerAccess(1)
    assert caught.value.status == runtime.errorPeerAccessAlreadyEnabled
    runtime.deviceDisablePeerAccess(1)
    # What an operation needs comes by itself, after that as well.
    np.testing.assert_array_equal((x + 1).get(), HOST + 1)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.deviceEnablePeerAccess(1)


def test_memory_of_a_drivers_pool(second):
    needs_peers()
    with second:
        address = runtime.mallocAsync(48, 0)
        y = cp.ndarray((3, 4), "f4", cp.cuda.MemoryPointer(
            cp.cuda.UnownedMemory(address, 48, None), 0
        ))  # fmt: skip
        y[...] = cp.asarray(HOST)
    np.testing.assert_array_equal((y + 1).get(), HOST + 1)
    np.testing.assert_array_equal(cp.asarray(y).get(), HOST)
    with second:
        runtime.freeAsync(address, 0)


def test_copies_by_addresses(x, first, second):
    y = cp.zeros_like(x, device=first)
    runtime.memcpyPeer(y.data.ptr, 0, x.data.ptr, 1, x.nbytes)
    np.testing.assert_array_equal(y.get(), HOST)
    y += 1
    cp.cuda.get_current_stream().synchronize()
    runtime.memcpyPeerAsync(x.data.ptr, 1, y.data.ptr, 0, x.nbytes, 0)
    first.synchronize()
    np.testing.assert_array_equal(x.get(), HOST + 1)


# ---- the order of the work ---------------------------------------------------------------------


def test_nothing_is_reused_before_a_copy_has_read_it(first, second):
    for step in range(20):
        with second:
            z = cp.full(1 << 16, step, "i4")
        y = cp.asarray(z)
        del z
        with second:
            other = cp.full(1 << 16, -1, "i4")
        assert (y.get() == step).all()
        del other


@pytest.mark.parametrize("streams", ["default", "own"])
def test_results_are_there_when_the_thread_comes_back(streams, first, second):
    needs_peers()
    with second:
        there = cp.cuda.Stream(non_blocking=True) if streams == "own" else second.default_stream
    here = cp.cuda.Stream(non_blocking=True) if streams == "own" else first.default_stream
    with second, there:
        x = cp.zeros(1 << 18, "i4")
    for step in range(10):
        with second, there:
            x += 1
        with here:
            x *= 2
            y = x + step
        with second, there:
            z = x - 1
            value = z.get()
        with here:
            assert (y.get() == value + 1 + step).all()
    with second, there:
        assert (x.get() == 2 ** (11) - 2).all()


@pytest.fixture(params=["default streams", "streams of their own"])
def current_streams(request, first, second):
    """What is current on both devices."""
    if request.param == "default streams":
        yield
        return
    for device in (second, first):
        with device:
            cp.cuda.Stream(non_blocking=True).use()
            if device is first:
                yield
    for device in (second, first):
        with device:
            device.default_stream.use()


@pytest.mark.emulator
def test_the_checkers_find_the_work_in_order(current_streams, second):
    with cp.cuda.check("races") as check:
        with second:
            x = cp.arange(1000)
        y = x + 1
        x *= 3
        z = cp.asarray(x)
        with second:
            x -= 1
            w = x + 0
        x[...] = y
        z += 1
        with second:
            x += 1
    assert not check.findings
    assert (w.get() == 3 * np.arange(1000) - 1).all()
    assert (z.get() == 3 * np.arange(1000) + 1).all()
    assert (x.get() == np.arange(1000) + 2).all()


def test_what_a_thread_keeps_of_crossings_ends(x, second):
    needs_peers()
    from gpuarray._runtime.current_stream import current

    stream = cp.cuda.Stream()
    with stream:
        y = x + 1
    assert current.crossings
    with second:
        assert not current.crossings
    del y, stream
    gc.collect()


def test_a_capture_does_not_take_in_the_other_device(x, second):
    needs_peers()
    y = cp.empty_like(x, device=cp.cuda.Device(0))
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        cp.add(x, 1, out=y)
        driver.stream_begin_capture(stream.handle, "relaxed")
        cp.add(x, 2, out=y)
        with second:
            x.copy()
        graph = driver.stream_end_capture(stream.handle)
    made = driver.graph_instantiate(graph, 0)
    x += 1
    cp.cuda.Device().synchronize()
    driver.graph_launch(made, stream.handle)
    stream.synchronize()
    np.testing.assert_array_equal(y.get(), HOST + 3)
    driver.graph_exec_destroy(made)
    driver.graph_destroy(graph)


def test_the_guides_examples():
    guide = Path(__file__).parents[2] / "docs" / "threads-processes-fork.md"
    text = re.sub(r"(?m)^```.*$", "", guide.read_text())
    test = doctest.DocTestParser().get_doctest(text, {}, guide.name, str(guide), 0)
    report = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert test.examples
    assert not report, "".join(report)


def test_copies_between_devices_are_captured(x):
    needs_peers()
    stream = cp.cuda.Stream(non_blocking=True)
    with stream.capture() as graph:
        y = cp.asarray(x) + 1
    x += 1
    cp.cuda.Device(1).synchronize()
    graph.launch()
    np.testing.assert_array_equal(y.get(), HOST + 2)


def test_copies_between_devices_without_access_are_not_captured(x, no_peers):
    stream = cp.cuda.Stream(non_blocking=True)
    with stream.capture() as graph:
        with pytest.raises(CaptureError, match="no access to one another's memory"):
            cp.asarray(x)
        y = cp.arange(3)  # which the capture goes on with
    graph.launch()
    assert y.tolist() == [0, 1, 2]


def test_a_peer_copy_of_the_runtime_cannot_be_captured(x):
    y = cp.empty(x.shape, x.dtype)
    stream = cp.cuda.Stream(non_blocking=True)
    stream.begin_capture()
    with pytest.raises(CUDARuntimeError, match="cudaErrorStreamCaptureUnsupported"):
        runtime.memcpyPeerAsync(y.data.ptr, 0, x.data.ptr, 1, x.nbytes, stream.ptr)
    with pytest.raises(CUDARuntimeError):
        stream.end_capture()
