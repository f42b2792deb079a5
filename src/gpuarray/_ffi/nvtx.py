"""NVTX marks and ranges, for the tool that watches this process, if one does.

NVTX 3 has no library of its own. A tool such as Nsight Systems names a library in
``NVTX_INJECTION64_PATH``; who has marks to make opens it and calls its
``InitializeInjectionNvtx2`` with a function that hands out tables of function pointers, which the
tool fills in. In C the header ``nvToolsExt.h`` does that, here this module does. Without a tool
every function returns at once.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    POINTER,
    byref,
    c_char_p,
    c_int,
    c_int32,
    c_size_t,
    c_uint,
    c_uint16,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any

from gpuarray import _fork
from gpuarray._config import nvtx_injection

__all__ = ["connect", "disconnect", "mark", "range_end", "range_pop", "range_push", "range_start"]

_VERSION = 3
#: What nvtxRangePush and nvtxRangePop return where nothing counts.
_NOT_TRACKED = -2
_COLOR_ARGB = 1
_MESSAGE_ASCII = 1  # which tools take as UTF-8


class _Attributes(ctypes.Structure):
    """nvtxEventAttributes_t"""

    _fields_ = [
        ("version", c_uint16),
        ("size", c_uint16),
        ("category", c_uint32),
        ("colorType", c_int32),
        ("color", c_uint32),
        ("payloadType", c_int32),
        ("reserved0", c_int32),
        ("payload", c_uint64),
        ("messageType", c_int32),
        ("message", c_char_p),
    ]


_GetModuleFunctionTable = ctypes.CFUNCTYPE(c_int, c_int, POINTER(c_void_p), POINTER(c_uint))
_SetInjectionNvtxVersion = ctypes.CFUNCTYPE(None, c_uint32)
_GetExportTable = ctypes.CFUNCTYPE(c_void_p, c_uint32)


class _Callbacks(ctypes.Structure):
    """NvtxExportTableCallbacks"""

    _fields_ = [("struct_size", c_size_t), ("GetModuleFunctionTable", _GetModuleFunctionTable)]


class _VersionInfo(ctypes.Structure):
    """NvtxExportTableVersionInfo"""

    _fields_ = [
        ("struct_size", c_size_t),
        ("version", c_uint32),
        ("reserved0", c_uint32),
        ("SetInjectionNvtxVersion", _SetInjectionNvtxVersion),
    ]


#: NvtxExportTableID
_ETID_CALLBACKS, _ETID_VERSIONINFO = 1, 3
#: The number of function pointers in the table of each NvtxCallbackModule, of which entry 0 is
#: unused.
_MODULES = {1: 16, 2: 9, 3: 15, 4: 7, 5: 16, 6: 7}
_CORE = 1

_attributes = POINTER(_Attributes)
#: NvtxCallbackIdCore and the C function's type, by the name in this module.
_FUNCTIONS = {
    "mark": (1, ctypes.CFUNCTYPE(None, _attributes)),
    "range_start": (4, ctypes.CFUNCTYPE(c_uint64, _attributes)),
    "range_end": (7, ctypes.CFUNCTYPE(None, c_uint64)),
    "range_push": (8, ctypes.CFUNCTYPE(c_int, _attributes)),
    "range_pop": (11, ctypes.CFUNCTYPE(c_int)),
}


class _Client:
    """The tables that a tool fills in. It may keep their addresses."""

    def __init__(self) -> None:
        #: By module: the function pointers, which the tool sets.
        self.functions = {module: (c_void_p * size)() for module, size in _MODULES.items()}
        #: By module: the addresses of those, with a null at the end.
        self.tables = {}
        for module, functions in self.functions.items():
            table = (c_void_p * (len(functions) + 1))()
            start = ctypes.addressof(functions)
            for i in range(1, len(functions)):
                table[i] = start + i * ctypes.sizeof(c_void_p)
            self.tables[module] = table
        self.callbacks = _Callbacks(
            ctypes.sizeof(_Callbacks), _GetModuleFunctionTable(self.module_table)
        )
        self.version = _VersionInfo(
            ctypes.sizeof(_VersionInfo), _VERSION, 0, _SetInjectionNvtxVersion(lambda version: None)
        )
        self.get_export_table = _GetExportTable(self.export_table)

    def clear(self) -> None:
        """Forget what a tool has set."""
        for functions in self.functions.values():
            ctypes.memset(functions, 0, ctypes.sizeof(functions))

    def export_table(self, identity: int) -> int | None:
        """nvtxGetExportTable"""
        found = {_ETID_CALLBACKS: self.callbacks, _ETID_VERSIONINFO: self.version}.get(identity)
        return None if found is None else ctypes.addressof(found)

    def module_table(self, module: int, table: Any, size: Any) -> int:
        """GetModuleFunctionTable"""
        found = self.tables.get(module)
        if found is None:
            return 0
        if size:
            size[0] = len(found) - 1
        if table:
            table[0] = ctypes.addressof(found)
        return 1

    def bound(self) -> dict[str, Any]:
        """The functions that the tool has set."""
        found = {}
        for name, (number, type_) in _FUNCTIONS.items():
            address = self.functions[_CORE][number]
            if address:
                found[name] = type_(address)
        return found


_client: _Client | None = None
#: The tool's functions; None before anybody has looked for a tool.
_bound: dict[str, Any] | None = None
_lock = _fork.new_lock()


def connect(initialize: Any = None) -> bool:
    """Look for a tool, unless that was done; whether there is one.

    Parameters
    ----------
    initialize : foreign function, optional
        A tool's ``InitializeInjectionNvtx2``, in place of that in ``NVTX_INJECTION64_PATH``.
    """
    global _client, _bound
    with _lock:
        if _bound is None or initialize is not None:
            initialize = initialize or _initializer()
            found = {}
            if initialize is not None:
                _client = _client or _Client()
                _client.clear()  # of what an earlier tool has set
                if initialize(_client.get_export_table):
                    found = _client.bound()
            _bound = found
    return bool(_bound)


def disconnect() -> None:
    """Make no more marks for the tool; the next one looks for a tool again."""
    global _bound
    _bound = None


def _initializer() -> Any:
    path = nvtx_injection()
    if not path:
        return None
    try:
        initialize = ctypes.CDLL(path, mode=ctypes.DEFAULT_MODE).InitializeInjectionNvtx2
    except (OSError, AttributeError):  # NVTX makes no marks then, and says nothing
        return None
    initialize.restype = c_int
    initialize.argtypes = [_GetExportTable]
    return initialize


def _function(name: str) -> Any:
    if _bound is None:
        connect()
    return (_bound or {}).get(name)


def _event(message: str, color: int | None) -> Any:
    """The attributes of a mark or range. The tool copies what it keeps of them."""
    return byref(
        _Attributes(
            version=_VERSION,
            size=ctypes.sizeof(_Attributes),
            colorType=0 if color is None else _COLOR_ARGB,
            color=color or 0,
            messageType=_MESSAGE_ASCII,
            message=message.encode(errors="replace"),
        )
    )


def mark(message: str, color: int | None = None) -> None:
    """Mark this moment; the color is ARGB."""
    function = _function("mark")
    if function is not None:
        function(_event(message, color))


def range_push(message: str, color: int | None = None) -> int:
    """Begin a range of this thread inside of those that it has begun."""
    function = _function("range_push")
    return _NOT_TRACKED if function is None else function(_event(message, color))


def range_pop() -> int:
    """End the innermost range of this thread."""
    function = _function("range_pop")
    return _NOT_TRACKED if function is None else function()


def range_start(message: str, color: int | None = None) -> int:
    """Begin a range that any thread may end; its number, 0 where no tool watches."""
    function = _function("range_start")
    return 0 if function is None else function(_event(message, color))


def range_end(number: int) -> None:
    """End the range of that number."""
    function = _function("range_end")
    if function is not None:
        function(number)
