"""Hooks that are called before and after what memory pools do."""

from __future__ import annotations

import gc
import io
import json
import threading

import pytest

import gpuarray as cp
from gpuarray._runtime import memory_hook
from gpuarray._runtime.arena import Arena
from gpuarray._runtime.async_memory import MemoryAsync
from gpuarray._runtime.pool import Allocation, MemoryPool
from gpuarray.cuda.memory_hook import MemoryHook, get_memory_hooks
from gpuarray.cuda.memory_hooks import DebugPrintHook, LineProfileHook, line_profile
from gpuarray.errors import OutOfMemoryError

_EVENTS = [f"{event}_{when}" for event in ("alloc", "malloc", "free") for when in
           ("preprocess", "postprocess")]  # fmt: skip


class Recorder(MemoryHook):
    """Keeps what it is called with."""

    name = "Recorder"

    def __init__(self):
        self.log = []

    @property
    def events(self):
        return [event for event, _ in self.log]

    def of(self, event):
        return [arguments for found, arguments in self.log if found == event]


for _event in _EVENTS:

    def _note(self, _event=_event, **kwargs):
        self.log.append((_event, kwargs))

    setattr(Recorder, _event, _note)


@pytest.fixture
def pool():
    """A pool of its own for the arrays of a test."""
    gc.collect()
    before = cp.cuda.get_allocator()
    made = MemoryPool()
    cp.cuda.set_allocator(made.malloc)
    yield made
    cp.cuda.set_allocator(before)


def test_callbacks_and_their_arguments(pool):
    with Recorder() as hook:
        memory = pool.malloc(1000)
        address, identity = memory.ptr, id(memory.mem)
        del memory
        again = pool.malloc(700)
    block = {"device_id": 0, "mem_size": 1024}
    free = {**block, "mem_ptr": address, "pmem_id": identity}
    assert hook.log[:6] == [
        ("malloc_preprocess", {**block, "size": 1000}),
        ("alloc_preprocess", block),
        ("alloc_postprocess", {**block, "mem_ptr": address}),
        ("malloc_postprocess", {**free, "size": 1000}),
        ("free_preprocess", free),
        ("free_postprocess", free),
    ]
    assert hook.events[6:] == ["malloc_preprocess", "malloc_postprocess"]
    assert hook.log[7][1]["mem_ptr"] == again.ptr == address
    assert hook.log[7][1]["size"] == 700


def test_arrays_call_hooks_also_in_plans_that_are_warm(pool):
    x = cp.zeros(100)
    y = x + 1
    with Recorder() as hook:
        del y
        assert [a["mem_size"] for a in hook.of("free_preprocess")] == [1024]
        for _ in range(3):
            y = x + 1
            del y
        assert [a["size"] for a in hook.of("malloc_preprocess")] == [800] * 3
        assert len(hook.of("free_postprocess")) == 4
        kept = x * 2
    count = len(hook.log)
    del kept
    y = x + 1
    assert len(hook.log) == count
    assert y.tolist() == [1.0] * 100


def test_without_hooks_the_pools_methods_are_their_own(pool, monkeypatch):
    def methods():
        return [
            MemoryPool.allocate, Arena.grow, Allocation.__del__, Allocation.free,
            MemoryAsync._allocate, MemoryAsync._release,
        ]  # fmt: skip

    monkeypatch.setattr(memory_hook, "_returned", 0)
    with Recorder():
        pass
    plain = methods()
    x = cp.zeros(100)
    x + 1
    run = dict(cp.cuda.get_current_stream().plans)
    with Recorder():
        assert not any(x is y for x, y in zip(methods(), plain, strict=True))
        with pytest.raises(KeyError), Recorder():
            pass
        x + 1
    assert methods() == plain
    assert all(cp.cuda.get_current_stream().plans.get(key) is plan for key, plan in run.items())


@pytest.mark.single_operations
def test_methods_are_put_back_some_times_only(pool, monkeypatch):
    # Python looks up attributes of a class slowly that has changed too often.
    monkeypatch.setattr(memory_hook, "_returned", memory_hook._RETURNS - 1)
    plain = MemoryPool.allocate
    with Recorder():
        pass
    assert MemoryPool.allocate is plain
    for _ in range(2):
        with Recorder() as hook:
            pool.malloc(1)
        assert hook.events.count("free_postprocess") == 1
        assert MemoryPool.allocate is not plain
        x = cp.ones(100)
        del x
        assert pool.used_bytes() == 0
    monkeypatch.undo()
    with Recorder():
        pass
    assert MemoryPool.allocate is plain


def test_memory_that_is_freed_by_hand_is_free_once(pool):
    with Recorder() as hook:
        memory = pool.malloc(100)
        memory.mem.free()
        memory.mem.free()
        del memory
    assert hook.events[-2:] == ["free_preprocess", "free_postprocess"]
    assert hook.events.count("free_preprocess") == 1


def test_nested_hooks(pool):
    log = []

    class Named(MemoryHook):
        def __init__(self, name):
            self.name = name

        def malloc_preprocess(self, **kwargs):
            log.append(f"before {self.name}")

        def malloc_postprocess(self, **kwargs):
            log.append(f"after {self.name}")

    with Named("outer") as outer:
        with Named("inner") as inner:
            assert get_memory_hooks() == {"outer": outer, "inner": inner}
            assert list(get_memory_hooks()) == ["outer", "inner"]
            pool.malloc(1)
            with pytest.raises(KeyError, match="memory hook named 'inner' is active already"):
                Named("inner").__enter__()
        pool.malloc(1)
    assert log == [
        "before outer", "before inner", "after outer", "after inner", "before outer", "after outer",
    ]  # fmt: skip
    assert get_memory_hooks() == {}


def test_a_hook_belongs_to_its_thread(pool):
    def run():
        thread = threading.Thread(target=lambda: pool.malloc(100))
        thread.start()
        thread.join()

    with Recorder() as hook:
        run()
    assert hook.log == []
    hook.all_threads = True
    with hook:
        run()
    assert "malloc_postprocess" in hook.events


class Failing(MemoryHook):
    """Raises in one of its callbacks."""

    name = "Failing"


@pytest.mark.parametrize("event", _EVENTS[:4])
def test_an_exception_in_a_callback(event, pool, monkeypatch):
    def fail(self, **kwargs):
        raise ValueError(f"in {event}")

    monkeypatch.setattr(Failing, event, fail)
    with Recorder() as hook:
        with Failing(), pytest.raises(ValueError, match=f"in {event}"):
            cp.zeros(1000) + 1
        gc.collect()
        assert pool.used_bytes() == 0
        assert hook.events.count("malloc_preprocess") == hook.events.count("malloc_postprocess")
    x, y = cp.arange(1000), cp.ones(1000)
    assert (x + y).sum() == 500500
    del x, y
    assert pool.used_bytes() == 0


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("event", _EVENTS[4:])
def test_an_exception_while_memory_is_freed(event, pool, monkeypatch):
    def fail(self, **kwargs):
        raise ValueError(f"in {event}")

    monkeypatch.setattr(Failing, event, fail)
    with Failing():
        for _ in range(3):
            x = cp.zeros(1000)
            del x
    gc.collect()
    assert pool.used_bytes() == 0
    assert pool.total_bytes() == 8192


def test_what_a_callback_allocates_calls_no_hook(pool):
    class Allocating(Recorder):
        def malloc_postprocess(self, **kwargs):
            super().malloc_postprocess(**kwargs)
            assert float(cp.ones(10).sum()) == 10

        def alloc_preprocess(self, **kwargs):
            super().alloc_preprocess(**kwargs)
            pool.malloc(512)

    with Allocating() as hook:
        x = cp.zeros(1000)
        assert hook.events == ["malloc_preprocess", "alloc_preprocess", "alloc_postprocess",
                               "malloc_postprocess"]  # fmt: skip
    assert x.sum() == 0


def test_garbage_that_is_collected_inside_of_a_callback(pool):
    class Collecting(Recorder):
        def malloc_preprocess(self, **kwargs):
            super().malloc_preprocess(**kwargs)
            own = cp.ones(3)
            gc.collect()
            self.log.append(("collected", {}))
            del own

    garbage = [cp.zeros(1000)]
    address = garbage[0].data.ptr
    garbage.append(garbage)
    gc.disable()
    try:
        del garbage
        with Collecting() as hook:
            x = cp.zeros(10)
    finally:
        gc.enable()
    assert hook.events == [
        "malloc_preprocess", "collected", "free_preprocess", "free_postprocess",
        "malloc_postprocess",
    ]  # fmt: skip
    assert [arguments["mem_ptr"] for arguments in hook.of("free_postprocess")] == [address]
    assert x.sum() == 0


def test_what_a_callback_keeps_is_its_own(pool):
    class Keeping(Recorder):
        kept = None

        def malloc_postprocess(self, **kwargs):
            super().malloc_postprocess(**kwargs)
            self.kept = cp.ones(3)

    with Keeping() as hook:
        pool.malloc(1)
        count = len(hook.log)
        hook.kept = None
        assert len(hook.log) == count


def test_memory_that_runs_out(pool):
    pool.set_limit(size=4096)
    with Recorder() as hook, pytest.raises(OutOfMemoryError):
        pool.malloc(8192)
    assert hook.of("malloc_postprocess") == [
        {"device_id": 0, "size": 8192, "mem_size": 8192, "mem_ptr": 0, "pmem_id": 0}
    ]

    # The pool's own allocator raises.
    def refuse(size):
        raise OutOfMemoryError(size)

    other = MemoryPool(refuse)
    with Recorder() as hook, pytest.raises(OutOfMemoryError):
        other.malloc(512)
    assert {"device_id": 0, "mem_size": 512, "mem_ptr": 0} in hook.of("alloc_postprocess")


def test_a_pools_own_allocator_and_streams(pool):
    own = MemoryPool(cp.cuda.malloc_managed)
    stream = cp.cuda.Stream(non_blocking=True)
    with Recorder() as hook, stream, cp.cuda.using_allocator(own.malloc):
        x = cp.ones(100)
    stream.synchronize()
    assert [a["mem_size"] for a in hook.of("alloc_postprocess")] == [1024]
    assert hook.of("alloc_postprocess")[0]["mem_ptr"] == x.data.ptr


def test_memory_of_the_drivers_pools():
    pool = cp.cuda.MemoryAsyncPool()
    with Recorder() as hook, cp.cuda.using_allocator(pool.malloc):
        x = cp.ones(100)
        address, identity = x.data.ptr, id(x._memory)
        x.data.device.synchronize()
        del x
    block = {"device_id": 0, "mem_size": 1024, "mem_ptr": address, "pmem_id": identity}
    assert hook.of("malloc_postprocess") == [{**block, "size": 1024}]
    assert hook.of("free_preprocess") == hook.of("free_postprocess") == [block]
    assert hook.of("alloc_preprocess") == []
    with Recorder() as hook:
        memory = cp.cuda.malloc_async(100)
        del memory
    assert [event for event in hook.events if "post" in event] == [
        "malloc_postprocess",
        "free_postprocess",
    ]


def test_lines_of_json(pool):
    out = io.StringIO()
    with DebugPrintHook(file=out, flush=False) as hook:
        x = cp.array([1, 2, 3])
        address, identity = x.data.ptr, hex(id(x._memory))
        del x
    assert (hook.file, hook.flush, hook.name) == (out, False, "DebugPrintHook")
    block = f'"mem_size":512,"mem_ptr":{address}'
    memory = f'{block},"pmem_id":"{identity}"'
    lines = out.getvalue().splitlines()
    assert lines == [
        f'{{"hook":"alloc","device_id":0,{block}}}',
        f'{{"hook":"malloc","device_id":0,"size":24,{memory}}}',
        f'{{"hook":"free","device_id":0,{memory}}}',
    ]
    assert [json.loads(line)["hook"] for line in lines] == ["alloc", "malloc", "free"]


def test_printing_goes_to_standard_output_by_default(pool, capsys):
    with DebugPrintHook():
        pool.malloc(1)
    assert capsys.readouterr().out.count('"hook":') == 3


def _make(n):
    return cp.ones(n)


def test_the_report_by_lines(pool):
    hook = LineProfileHook()
    with hook:
        kept = [_make(64), _make(64)]
        kept.append(_make(128) + 1)
    out = io.StringIO()
    hook.print_report(file=out)
    lines = out.getvalue().splitlines()
    assert lines[0] == "_root (3.00KB, 3.00KB)"
    first = _make.__code__.co_firstlineno
    ours = [line.strip() for line in lines if __file__ in line]
    start = test_the_report_by_lines.__code__.co_firstlineno
    assert ours == [
        f"{__file__}:{start + 3}:test_the_report_by_lines (1.00KB, 1.00KB)",
        f"{__file__}:{first + 1}:_make (1.00KB, 1.00KB)",
        f"{__file__}:{start + 4}:test_the_report_by_lines (2.00KB, 2.00KB)",
        f"{__file__}:{first + 1}:_make (1.00KB, 1.00KB)",
    ]
    depths = [len(line) - len(line.lstrip()) for line in lines]
    assert depths[0] == 0
    assert depths[1] == 2
    last = [depth for line, depth in zip(lines, depths) if __file__ in line]
    assert last == [last[0], last[0] + 2] * 2
    assert not any("gpuarray/_" in line for line in lines)


def test_a_report_of_few_levels(pool, capsys):
    hook = LineProfileHook(max_depth=1)
    with hook:
        pool.malloc(1)
        pool.malloc(1)
    hook.print_report()
    assert capsys.readouterr().out == "_root (1.00KB, 512.00B)\n"
    hook = LineProfileHook(max_depth=2)
    with hook:
        pool.malloc(1)
    hook.print_report()
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_frames():
    root = line_profile.MemoryFrame(None, None)
    place = line_profile.StackFrame(("a.py", 3, "f"))
    child = line_profile.MemoryFrame(root, place)
    assert (child.parent, root.children, root.parent) == (root, [child], None)
    assert (child.stackframe.filename, child.stackframe.lineno, child.stackframe.name) == (
        "a.py",
        3,
        "f",
    )
    child.used_bytes, child.acquired_bytes = 1536, 3 << 30
    assert child.humanized_bytes() == ("1.50KB", "3.00GB")
    assert cp.cuda.MemoryHook is MemoryHook
