"""A reset takes all away and the process goes on; after a fault nothing lets it."""

import pytest

from tests.faults.programs import run


@pytest.mark.parametrize("debug", ["0", "1"])
def test_the_library_works_again(debug):
    run(
        """
        double = cp.ElementwiseKernel("T x", "T y", "y = 2 * x", "double_")
        total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
        cosine = cp.fuse(lambda x: cp.cos(x) + 1)

        from gpuarray._libraries.blas import gemm

        def work():
            x = cp.arange(1000, dtype="f4")
            assert gemm(x.reshape(1, -1), cp.ones((1000, 2), "f4")).tolist() == [[499500] * 2]
            assert float((x + x).sum()) == 999000
            assert double(x)[-1] == 1998 and total(x) == 499500
            assert cp.sort(x[::-1])[3] == 3 and cp.cumsum(x)[-1] == 499500
            assert x[x > 990].size == 9 and cp.argmax(x) == 999
            assert abs(float(cosine(x)[0]) - 2) < 1e-6
            a = cp.zeros(4, "i4")
            launch(a, 4)
            assert a.tolist() == [7] * 4
            with cp.cuda.Stream() as stream:
                assert (x * 3)[-1] == 2997
            assert cp.asarray(np.ones(3 << 20))[-1] == 1  # staged through pinned memory

        work()
        for _ in range(2):
            cp.cuda.runtime.deviceReset()
            assert cp.debug.launches() == ()
            work()
        """,
        GPUARRAY_DEBUG=debug,
    )


@pytest.mark.parametrize(
    "how, status, debug",
    [
        (0, 700, "0"), (3, 710, "0"), pytest.param(1, 716, "0", marks=pytest.mark.slow),
        pytest.param(2, 719, "1", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_no_reset_after_a_fault(how, status, debug):
    """As on an H200, whose driver gives the process no context any more."""
    text = run(
        f"""
        x = cp.arange(5)
        first = error_of(launch, cp.zeros(16, "i4"), {how})
        assert first.status == {status}
        for reset in (cp.cuda.runtime.deviceReset, cp.cuda.Device().reset):
            error = error_of(reset)
            assert isinstance(error, CUDARuntimeError)
            assert error.status == first.status
            assert error.launches == first.launches and error.launches[0].kernel == "fail"
            assert "no way back from that within a process" in str(error)
            assert "start the program anew" in str(error) and "fail, grid (1, 1, 1)" in str(error)
        # The fault is still what errors are about, not something that was lost.
        later = error_of(cp.asnumpy, x)
        assert later.status == first.status and later.launches == first.launches
        assert "deviceReset" not in str(first) + str(later) + str(error)
        print(error)
        """,
        GPUARRAY_DEBUG=debug,
    )
    assert text.startswith("Device.reset failed with CUDA_ERROR_")


@pytest.mark.emulator
def test_a_fault_that_only_the_reset_finds():
    """A GPU's fault may come after the last call before the reset."""
    run(
        """
        from gpuarray._ffi import driver
        device, stream, event = cp.cuda.Device(), cp.cuda.Stream(), cp.cuda.Event()
        x = cp.arange(5)
        error_of(launch, cp.zeros(16, "i4"), 0)
        driver.primary_context_reset(0)  # where the driver only finds it then
        error = error_of(device.reset)
        assert error.status == 700 and "no way back" in str(error)
        assert error_of(lambda: x + 1).status == 709
        del x, stream, event  # without a word, though they cannot be given back
        """
    )


USES = """
    uses = {
        "add": lambda: x + 1,
        "in place": lambda: x.__iadd__(x),
        "other": lambda: cp.arange(5) + x,
        "view": lambda: x[1:] + 1,
        "sum": lambda: x.sum(),
        "asnumpy": lambda: cp.asnumpy(x),
        "print": lambda: str(x),
        "item": lambda: x[0].item(),
        "tolist": lambda: x.tolist(),
        "copy": lambda: x.copy(),
        "assign": lambda: x.__setitem__(slice(None), 0),
        "into": lambda: cp.arange(5).__setitem__(slice(None), x),
        "fill": lambda: x.fill(3),
        "sort": lambda: cp.sort(x),
        "take": lambda: x[cp.asarray([0, 1])],
        "index": lambda: cp.arange(9)[x],
        "mask": lambda: x[x > 2],
        "raw": lambda: launch(x, 4),
        "astype": lambda: x.astype("f4"),
        "joined": lambda: cp.concatenate([x, cp.arange(5)]),
        "out": lambda: cp.add(cp.arange(5), 1, out=x),
        "pickled": lambda: __import__("pickle").dumps(x),
        "dlpack": lambda: x.__dlpack__(),
        "interface": lambda: x.__cuda_array_interface__,
        "pointer": lambda: x.data,
    }
    x = cp.arange(5)
    for use in uses.values():  # so that their launches are prepared, where they are kept
        use()
    x = cp.arange(5)
"""


@pytest.mark.slow
@pytest.mark.parametrize("allocator", ["cp.get_default_memory_pool().malloc", "None",
                                       "cp.cuda.memory.malloc_managed"])  # fmt: skip
def test_what_is_lost_says_so(allocator):
    run(
        f"""
        cp.cuda.set_allocator({allocator})
        {USES.replace(chr(10), chr(10) + "    ")}
        cp.cuda.Device().reset()
        for name, use in uses.items():
            try:
                error = use()
            except Exception as raised:
                error = raised
            assert isinstance(error, CUDAError), (name, error)
            assert not isinstance(error, DriverError), (name, error)
            assert "the memory of an array was lost when <CUDA Device 0> was reset" in str(error)
            assert (x.shape, x.dtype) == ((5,), np.dtype(int))
        y = cp.arange(5)
        del x
        assert (y + 1).tolist() == [1, 2, 3, 4, 5]
        """
    )


def test_streams_and_events_and_pinned_memory_are_lost():
    run(
        """
        stream, event, done = cp.cuda.Stream(), cp.cuda.Event(), cp.cuda.Event()
        external = cp.cuda.ExternalStream(stream.ptr)
        default = cp.cuda.get_current_stream()
        done.record()
        pinned = cp.cuda.alloc_pinned_memory(1000)
        module = cp.RawModule("__device__ int counter = 5;")
        counter = module.get_global("counter")
        with stream:
            x = cp.arange(3) + 1
            y = cp.ones(3)
        z = x + y  # used on two streams
        cp.cuda.Device().reset()
        for use in (
            stream.synchronize, stream.record, lambda: stream.ptr, lambda: stream.done,
            stream.use, stream.__enter__, external.synchronize, default.synchronize,
            event.record, done.synchronize, lambda: done.done, lambda: done.ptr,
            lambda: cp.cuda.get_current_stream().wait_event(done),
            lambda: launch(cp.zeros(4, "i4"), 4) or fail((1,), (1,), (None, 5), stream=stream),
        ):
            error = error_of(use)
            assert "was lost when <CUDA Device 0> was reset; make a new one" in str(error), error
        assert "lost" in repr(stream) and stream != cp.cuda.Stream() and {stream: 1}[stream] == 1
        assert cp.cuda.get_current_stream() is cp.cuda.Device().default_stream is not default
        assert cp.cuda.memory.MemoryPool().used_bytes() == 0
        new = module.get_global("counter")
        fail((1,), (4,), (cp.zeros(4, "i4"), np.int32(4)))
        error = error_of(lambda: launch(counter, 4))
        assert "was lost" in str(error)
        del stream, external, event, done, pinned, x, y, z, counter
        import gc
        gc.collect()
        again = cp.cuda.alloc_pinned_memory(1000)
        np.frombuffer(again, np.uint8, 1000)[:] = 1
        assert cp.cuda.Event().record() is None
        cp.cuda.runtime.deviceSynchronize()
        """
    )


def test_the_pool_is_empty_after_it():
    run(
        """
        pool = cp.cuda.MemoryPool()
        own = cp.cuda.MemoryPool(cp.cuda.memory.malloc_managed)
        kept = [p.malloc(5000) for p in (pool, own)] + [cp.get_default_memory_pool().malloc(700)]
        cp.cuda.Device().reset()
        free, total = cp.cuda.Device().mem_info
        for p in (pool, own, cp.get_default_memory_pool()):
            assert p.total_bytes() == p.used_bytes() == p.n_free_blocks() == 0
        new = [p.malloc(5000) for p in (pool, own)]
        places = [memory.ptr for memory in new]
        del kept  # their addresses may be those of the new memory: nothing may be freed
        assert [p.used_bytes() for p in (pool, own)] == [5120, 5120]
        more = [p.malloc(5000).ptr for p in (pool, own)]
        assert not set(more) & set(places)
        """
    )


@pytest.mark.emulator
def test_other_devices_keep_theirs():
    run(
        """
        from gpuarray._ffi import driver
        with cp.cuda.Device(1):
            far = cp.arange(4, dtype="i4")
            stream = cp.cuda.Stream()
        near = cp.zeros(4, "i4")
        assert (cp.arange(4) + far).tolist() == [0, 2, 4, 6]  # a peer's memory
        cp.cuda.Device(0).reset()
        with cp.cuda.Device(1):
            assert (far + far).tolist() == [0, 2, 4, 6]
            with stream:
                launch(far, 4)
            assert far.tolist() == [7] * 4
        assert (cp.arange(4) + far).tolist() == [7, 8, 9, 10]  # peers anew
        # Reset of a device that is not the current one.
        with cp.cuda.Device(0):
            x = cp.arange(3)
            cp.cuda.Device(1).reset()
            assert cp.cuda.Device().id == 0
            assert (x + 1).tolist() == [1, 2, 3]
        assert "lost" in str(error_of(lambda: far + far))
        with cp.cuda.Device(1):
            assert (cp.arange(3) + 1).tolist() == [1, 2, 3]
        """,
        GPUARRAY_EMULATED_DEVICES="2",
    )


def test_a_reset_inside_of_with_blocks():
    run(
        """
        stream = cp.cuda.Stream()
        with stream:
            with cp.cuda.Device(0):
                cp.cuda.runtime.deviceReset()
                assert (cp.arange(3) + 1).tolist() == [1, 2, 3]
            assert (cp.arange(3) + 1).tolist() == [1, 2, 3]
        assert cp.cuda.get_current_stream() is cp.cuda.Device().default_stream
        assert (cp.arange(3) + 1).tolist() == [1, 2, 3]
        """
    )


def test_other_threads_enter_the_device_again():
    run(
        """
        import threading
        first, second, said = threading.Event(), threading.Event(), []

        def work():
            assert (cp.arange(3) + 1).tolist() == [1, 2, 3]
            first.set()
            second.wait()
            said.append(str(error_of(lambda: cp.arange(3) + 1)))
            cp.cuda.Device(0).use()
            said.append((cp.arange(3) + 1).tolist())

        thread = threading.Thread(target=work)
        thread.start()
        first.wait()
        cp.cuda.runtime.deviceReset()
        second.set()
        thread.join()
        assert said[0].startswith("a stream was lost when <CUDA Device 0> was reset"), said
        assert said[1] == [1, 2, 3]
        """
    )


def test_nothing_that_dies_after_a_fault_complains():
    run(
        """
        import gc
        things = [
            cp.cuda.Stream(), cp.cuda.Event(), cp.cuda.memory.malloc_managed(100),
            cp.cuda.alloc_pinned_memory(100), cp.cuda.MemoryPool().malloc(100),
        ]
        error_of(launch, cp.zeros(16, "i4"), 0)
        things.clear()
        gc.collect()
        """
    )


def test_arrays_and_textures_are_lost():
    run(
        """
        from gpuarray.cuda import texture
        floats = texture.ChannelFormatDescriptor(32, 0, 0, 0, 2)

        def make():
            array = texture.CUDAarray(floats, 4)
            array.copy_from(np.arange(4, dtype="f"))
            resource = texture.ResourceDescriptor(0, array)
            return array, texture.TextureObject(resource, texture.TextureDescriptor((1,)))

        kernel = cp.RawKernel('''
            extern "C" __global__ void look(cudaTextureObject_t t, float* out) {
                out[threadIdx.x] = tex1D<float>(t, threadIdx.x + 0.5f);
            }''', "look")

        def look(tex):
            out = cp.empty(4, "f")
            kernel((1,), (4,), (tex, out))
            return out.tolist()

        array, tex = make()
        assert look(tex) == [0, 1, 2, 3]
        cp.cuda.Device().reset()
        assert "a TextureObject was lost" in str(error_of(lambda: look(tex)))
        assert "a CUDAarray was lost" in str(error_of(lambda: array.copy_to(np.empty(4, "f"))))
        new, other = make()  # which may have the handles of the old ones
        del array, tex
        assert look(other) == [0, 1, 2, 3]
        """
    )
