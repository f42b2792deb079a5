"""Marks and ranges for profilers: NVTX, `time_range`, and when a profiler records."""

import ctypes
import glob
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gpuarray as cp
from gpuarray._ffi import driver
from gpuarray._ffi import nvtx as binding
from gpuarray.cuda import nvtx
from gpuarray.profiler import profile, time_range
from tests.limits import HANG_SECONDS


class Tool:
    """A tool in this process: it fills in the tables and notes what it is told.

    It declares the protocol's types for itself, and takes tables by number and position.
    """

    class Attributes(ctypes.Structure):
        _fields_ = [
            ("version", ctypes.c_uint16), ("size", ctypes.c_uint16), ("category", ctypes.c_uint32),
            ("color_type", ctypes.c_int32), ("color", ctypes.c_uint32),
            ("payload_type", ctypes.c_int32), ("reserved", ctypes.c_int32),
            ("payload", ctypes.c_uint64), ("message_type", ctypes.c_int32),
            ("message", ctypes.c_char_p),
        ]  # fmt: skip

    def __init__(self, succeed=1, functions=("mark", "start", "end", "push", "pop")):
        self.events = []
        event = ctypes.POINTER(self.Attributes)
        types = {
            "mark": (1, ctypes.CFUNCTYPE(None, event)),
            "start": (4, ctypes.CFUNCTYPE(ctypes.c_uint64, event)),
            "end": (7, ctypes.CFUNCTYPE(None, ctypes.c_uint64)),
            "push": (8, ctypes.CFUNCTYPE(ctypes.c_int, event)),
            "pop": (11, ctypes.CFUNCTYPE(ctypes.c_int)),
        }
        answers = {"start": 77, "push": 0, "pop": 0}
        self.succeed = succeed
        self.callbacks = {}
        for name in functions:
            number, type_ = types[name]

            def note(argument=None, name=name):
                if argument is None or isinstance(argument, int):
                    self.events.append((name, argument))
                else:
                    x = argument[0]
                    assert (x.version, x.size, x.message_type) == (3, 48, 1)
                    self.events.append(
                        (name, x.message.decode(), x.color if x.color_type else None)
                    )
                return answers.get(name)

            self.callbacks[number] = type_(note)

    def initialize(self, get_export_table):
        get = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32)(
            ctypes.cast(get_export_table, ctypes.c_void_p).value
        )
        assert get(9) is None
        version = (ctypes.c_uint32 * 4).from_address(get(3))
        assert version[2] == 3  # behind the size, which has 8 bytes
        pair = (ctypes.c_void_p * 2).from_address(get(1))
        assert pair[0] == 16
        table_of = ctypes.CFUNCTYPE(
            ctypes.c_int,
            ctypes.c_int,
            ctypes.POINTER(ctypes.c_void_p),
            ctypes.POINTER(ctypes.c_uint),
        )(pair[1])
        table, size = ctypes.c_void_p(), ctypes.c_uint()
        assert table_of(7, ctypes.byref(table), ctypes.byref(size)) == 0
        sizes = []
        for module in range(1, 7):
            assert table_of(module, ctypes.byref(table), ctypes.byref(size)) == 1
            sizes.append(size.value)
        assert sizes == [16, 9, 15, 7, 16, 7]
        assert table_of(1, ctypes.byref(table), None) == 1
        entries = (ctypes.c_void_p * 17).from_address(table.value)
        assert entries[0] is None
        assert entries[16] is None
        for number, callback in self.callbacks.items():
            slot = ctypes.c_void_p.from_address(entries[number])
            slot.value = ctypes.cast(callback, ctypes.c_void_p).value
        return self.succeed


@pytest.fixture
def tool():
    watching = Tool()
    assert binding.connect(watching.initialize)
    yield watching
    binding.disconnect()


@pytest.fixture
def alone(monkeypatch):
    """No tool watches."""
    monkeypatch.delenv("NVTX_INJECTION64_PATH", raising=False)
    binding.disconnect()
    yield
    binding.disconnect()


def use_everything():
    nvtx.Mark("one")
    nvtx.Mark("two", 3)
    nvtx.MarkC("three", 0x80123456)
    nvtx.RangePush("ä")
    nvtx.RangePush("inner", 12)
    nvtx.RangePushC("innermost", 5)
    for _ in range(3):
        nvtx.RangePop()
    first, second = nvtx.RangeStart("first"), nvtx.RangeStart("second", 0xFFFFFFFF)
    nvtx.RangeEnd(first)
    nvtx.RangeEnd(second)
    return first, second


def test_a_tool_is_told_everything(tool):
    assert use_everything() == (77, 77)
    assert tool.events == [
        ("mark", "one", None), ("mark", "two", 0xFFFF0000), ("mark", "three", 0x80123456),
        ("push", "ä", None), ("push", "inner", 0xFF7F00FF), ("push", "innermost", 5),
        ("pop", None), ("pop", None), ("pop", None),
        ("start", "first", None), ("start", "second", 0xFFFFFFFF), ("end", 77), ("end", 77),
    ]  # fmt: skip


def test_nothing_is_wrong_without_a_tool(alone):
    first, second = use_everything()
    assert first != second
    assert nvtx.available
    assert not binding.connect()


@pytest.mark.parametrize("watching", [Tool(succeed=0), Tool(functions=())])
def test_a_tool_that_takes_nothing(alone, watching):
    assert not binding.connect(watching.initialize)
    use_everything()
    assert watching.events == []


def test_a_tool_that_takes_marks_only(alone):
    watching = Tool(functions=("mark",))
    assert binding.connect(watching.initialize)
    use_everything()
    assert [x[1] for x in watching.events] == ["one", "two", "three"]


@pytest.mark.parametrize("path", ["/nowhere/tool.so", "libm.so.6"])
def test_a_library_that_is_no_tool(monkeypatch, alone, path):
    monkeypatch.setenv("NVTX_INJECTION64_PATH", path)
    assert not binding.connect()
    use_everything()


def test_wrong_arguments():
    with pytest.raises(TypeError, match="nvtx.Mark: message must be a str, not bytes"):
        nvtx.Mark(b"x")
    with pytest.raises(OverflowError, match="nvtx.RangePushC: -1 is no color"):
        nvtx.RangePushC("x", -1)


_SOURCE = r"""
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
static FILE *file;
static void show(const char *kind, const nvtxEventAttributes_t *x) {
    fprintf(file, "[\"%s\", \"%s\", %d, %u]\n", kind, x->message.ascii, x->colorType, x->color);
    fflush(file);
}
static void mark(const nvtxEventAttributes_t *x) { show("mark", x); }
static int push(const nvtxEventAttributes_t *x) { show("push", x); return 0; }
static int pop(void) { fprintf(file, "[\"pop\"]\n"); fflush(file); return 0; }
int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get) {
    const NvtxExportTableCallbacks *callbacks = get(NVTX_ETID_CALLBACKS);
    const NvtxExportTableVersionInfo *version = get(NVTX_ETID_VERSIONINFO);
    NvtxFunctionTable table;
    unsigned int size;
    if (callbacks->struct_size < sizeof *callbacks || version->struct_size < sizeof *version)
        return 0;
    version->SetInjectionNvtxVersion(NVTX_VERSION);
    if (!callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) ||
        size < NVTX_CBID_CORE2_SIZE ||
        !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) ||
        size < NVTX_CBID_CORE_SIZE)
        return 0;
    file = fopen(MARKS, "w");
    *table[NVTX_CBID_CORE_MarkEx] = (NvtxFunctionPointer)mark;
    *table[NVTX_CBID_CORE_RangePushEx] = (NvtxFunctionPointer)push;
    *table[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
    return 1;
}
"""


def _nvtx_headers():
    places = [os.path.join(x, "nvidia", "*", "include") for x in sys.path]
    for place in [*places, "/usr/local/cuda*/include"]:
        for folder in glob.glob(place):
            if os.path.isfile(os.path.join(folder, "nvtx3", "nvToolsExt.h")):
                return folder
    return None


def test_a_tool_made_with_the_header_of_nvtx(tmp_path):
    headers, compiler = _nvtx_headers(), shutil.which("gcc")
    if headers is None or compiler is None:
        pytest.skip("needs NVTX's header and a C compiler")
    source, library, marks = (tmp_path / x for x in ("tool.c", "tool.so", "marks"))
    source.write_text(_SOURCE)
    subprocess.run(
        [compiler, "-shared", "-fPIC", f"-I{headers}", f'-DMARKS="{marks}"', "-o", library, source],
        check=True,
    )
    program = (
        "from gpuarray.cuda import nvtx\n"
        "nvtx.RangePush('a range', 0)\n"
        "nvtx.Mark('a mark')\n"
        "nvtx.RangePop()\n"
        "nvtx.RangeEnd(nvtx.RangeStart('the tool has no function for it'))\n"
    )
    environment = {**os.environ, "NVTX_INJECTION64_PATH": str(library)}
    subprocess.run(
        [sys.executable, "-c", program], check=True, env=environment, timeout=HANG_SECONDS
    )
    told = [json.loads(line) for line in Path(marks).read_text().splitlines()]
    assert told == [["push", "a range", 1, 0xFF00FF00], ["mark", "a mark", 0, 0], ["pop"]]


# --- time_range


def test_time_range(tool):
    outer = time_range("green", color_id=0)
    with outer as entered, time_range("blue", argb_color=0xFF0000FF, sync=True):
        cp.arange(5) + 1
    assert entered is outer
    assert entered.message == "green"

    either = time_range()

    @either
    def first(x, *, by=1):
        """Adds."""
        return x + by

    @either
    def second():
        raise ZeroDivisionError

    assert first(1, by=2) == 3
    assert (first.__name__, first.__doc__) == ("first", "Adds.")
    with pytest.raises(ZeroDivisionError):
        second()
    named = time_range("named")(first)
    assert named(1) == 2
    assert tool.events == [
        ("push", "green", 0xFF00FF00), ("push", "blue", 0xFF0000FF), ("pop", None), ("pop", None),
        ("push", "first", None), ("pop", None), ("push", "second", None), ("pop", None),
        ("push", "named", None), ("push", "first", None), ("pop", None), ("pop", None),
    ]  # fmt: skip


def test_wrong_time_ranges():
    with pytest.raises(ValueError, match="a with block needs a message"), time_range():
        pass
    with pytest.raises(ValueError, match="color_id and argb_color exclude each other"):
        time_range("x", color_id=1, argb_color=1)


# --- when a profiler records


def test_profile(monkeypatch):
    calls = []
    for name in ("profiler_start", "profiler_stop"):
        function = getattr(driver, name)
        monkeypatch.setattr(
            driver, name, lambda function=function, name=name: (calls.append(name), function())
        )
    with profile():
        calls.append("block")
    with pytest.raises(ZeroDivisionError), cp.cuda.profile():
        raise ZeroDivisionError
    cp.cuda.profiler.start()
    cp.cuda.profiler.stop()
    cp.cuda.runtime.profilerStart()
    cp.cuda.runtime.profilerStop()
    pair = ["profiler_start", "profiler_stop"]
    assert calls == ["profiler_start", "block", "profiler_stop", *pair * 3]
