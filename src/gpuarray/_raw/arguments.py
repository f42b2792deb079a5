"""From Python values to the parameters of a kernel.

What a value is passed as depends only on its type, so for each tuple of types a launcher is made
once.  It is written as Python source and compiled, because that took 0.9 µs with three arrays and
a scalar where a loop over a recipe took 1.5 µs (and the driver's own call 2.9 µs).  Its source for
``(array, numpy.int32)``::

    def bind(stream, config, function, launch, take, give, make, other, refused, trace):
        def run(args):
            try:
                a0, a1 = args
            except (TypeError, ValueError):
                return other(args)
            if type(a0) is T0 and type(a1) is T1:
                try:
                    buffer = take()
                except IndexError:
                    buffer = make()
                words, params, v1 = buffer
                try:
                    if a0._memory.stream is not stream:
                        a0._memory.used_by(stream)
                    words[0] = a0._pointer
                    v1[0] = a1
                except (TypeError, ValueError, OverflowError) as error:
                    return refused(args, error)
                status = launch(config, function, params, None)
                give(buffer)
                if status:
                    raise failed(trace, status, (a0._layout,))
                note((trace, a0._layout))
                return None
            return other(args)
        return run

A buffer belongs to one launch at a time, so threads never share one; other types than the
launcher's own go to ``other``.

Integers are stored by memoryviews of the parameters' own formats, which refuse what does not fit;
``refused`` says so. The size of a parameter is the image's, its sign the source's. Where the
source does not tell the sign, a number is stored as signed, and again as unsigned if that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gpuarray import _array, _interchange
from gpuarray._config import config
from gpuarray._ffi import driver
from gpuarray._integers import shortened
from gpuarray._raw.declarations import SourceParameter
from gpuarray._runtime import launch_history
from gpuarray._runtime.memory_pointer import MemoryPointer
from gpuarray._runtime.step_source import step_lines
from gpuarray.errors import HostArrayError, UnsupportedDTypeError

# struct's codes for the scalars that a typed memoryview stores.
_FORMATS = {
    "b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
    "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "f4": "f", "f8": "d",
}  # fmt: skip
# A C++ compiler's types for Python's numbers, as in CuPy; bool before int, which it inherits.
_PYTHON_NUMBERS = ((bool, "?", 1), (int, "q", 8), (float, "d", 8))

#: Pairs of floats, which complex numbers can be given for.
_PAIRS = ("Ff", "Dd")

_NULL = ("null", 8)
_ARRAY = ("array", 8)
_MEMORY = ("memory", 8)
_INTERFACE = ("interface", 8)
_OBJECT = ("object", 8)


class Signature:
    """What the arguments of a launch are passed as, and the launcher's source for them.

    Equal signatures are the same object.
    """

    __slots__ = ("bind", "by_types", "kinds", "sizes", "views")

    def __init__(self, kinds: tuple[tuple, ...]):
        #: The arguments' types alone decide; not so for structures.
        self.by_types = all(kind[0] != "struct" for _, kind in kinds)
        self.kinds = kinds
        self.sizes = tuple(kind[1] for _, kind in kinds)
        self.views = tuple(
            (position, kind[2]) for position, (_, kind) in enumerate(kinds) if len(kind) > 2
        )
        self.bind = _compile(kinds, self)

    def fitted(
        self,
        sizes: tuple[int, ...] | None,
        declared: Sequence[SourceParameter] | None,
        kernel: str,
    ) -> Signature:
        """The signature of the same arguments as a kernel's parameters take them.

        Parameters
        ----------
        sizes : tuple of int or None
            The parameters' sizes in bytes, where the image tells them.
        declared : sequence of SourceParameter or None
            The parameters as the source declares them, where it does.
        kernel : str
            The kernel's name.

        Raises
        ------
        TypeError
            A parameter cannot take its argument.
        """
        if sizes is not None and len(sizes) != len(self.kinds):
            raise TypeError(
                f"{kernel} takes {len(sizes)} arguments{_list_sizes(sizes)}, but "
                f"{len(self.kinds)} were given"
            )
        if declared is None or len(declared) != len(self.kinds):
            declared = (_UNKNOWN,) * len(self.kinds)
        kinds = tuple(
            [
                (type_, _fitted(type_, kind, size, parameter, f"{kernel}: argument {position}"))
                for position, ((type_, kind), size, parameter) in enumerate(
                    zip(self.kinds, sizes or [None] * len(self.kinds), declared)
                )
            ]
        )
        return self if kinds == self.kinds else _signature_of(kinds)

    def unsigned(self, args: Sequence[Any]) -> Signature:
        """The signature with unsigned integers where these need it and the sign is not known."""
        kinds = list(self.kinds)
        for position, (value, (type_, kind)) in enumerate(zip(args, self.kinds)):
            if kind[0] == "either" and value > _limits(kind[2])[1]:
                kinds[position] = type_, ("scalar", kind[1], kind[2].upper())
        return _signature_of(tuple(kinds))

    def parameters(self) -> tuple[tuple[str, Any], ...]:
        """Names of the parameters and how reports show them: see `launch_history.LaunchTrace`."""
        shown: list[Any] = []
        for type_, kind in self.kinds:
            if kind[0] == "array":
                shown.append("array")
            elif kind[0] == "struct":
                shown.append(None if kind[4] else kind[3])
            elif kind[0] in ("scalar", "either"):
                shown.append(np.dtype(kind[2]))
            elif kind[0] in ("complex", "half"):
                shown.append(np.dtype(type_))
            else:
                shown.append(None)
        return tuple([(str(position), kind) for position, kind in enumerate(shown)])

    def make_buffer(self) -> tuple:
        """A new argument buffer: what ``driver.launch`` takes, and the views that are written."""
        buffer = driver.ArgumentBuffer(self.sizes)
        views = (buffer.view(position, format) for position, format in self.views)
        return (buffer.words, buffer.params, *views)


_signatures: dict[tuple, Signature] = {}
_by_types: dict[tuple[type, ...], Signature] = {}
_MOST_SIGNATURES = 1024


def signature(args: Sequence[Any], kernel: str) -> Signature:
    """The signature of the arguments of a launch.

    Raises
    ------
    TypeError
        An argument cannot be passed; the message names it.
    """
    if not isinstance(args, (tuple, list)):
        raise TypeError(
            f"{kernel}: the arguments are one tuple, kernel(grid, block, (x, y, n)), "
            f"not {type(args).__name__}"
        )
    types = tuple(map(type, args))
    found = _by_types.get(types)
    if found is not None:
        return found
    kinds = tuple(
        (type_, _kind(value, position, kernel))
        for position, (type_, value) in enumerate(zip(types, args))
    )
    found = _signature_of(kinds)
    if found.by_types:
        _by_types[types] = found
    return found


def _signature_of(kinds: tuple[tuple, ...]) -> Signature:
    found = _signatures.get(kinds)
    if found is None:
        if len(_signatures) >= _MOST_SIGNATURES:
            _signatures.clear()
            _by_types.clear()
        # Launchers are kept by signature, so of two threads one object has to win.
        found = _signatures.setdefault(kinds, Signature(kinds))
    return found


#: Formats of parameters by the first of the dtype characters that a declaration stands for.
_PARAMETER_FORMATS = {"l": "q", "L": "Q", **{x: x for x in "?bBhHiIqQefdFD"}}
_SIGNED = {1: "b", 2: "h", 4: "i", 8: "q"}
_UNKNOWN = SourceParameter("", False, "")


def _fitted(
    type_: type, kind: tuple, size: int | None, parameter: SourceParameter, label: str
) -> tuple:
    """How a value is passed to a parameter; see `Signature.fitted`."""
    given = kind[1]
    integer = kind[0] == "scalar" and kind[2] not in "fd"
    # A wider integer is right as long as its value fits, as people pass Python ints.
    if size is not None and (given < size or (given > size and not integer)):
        raise TypeError(
            f"{label} ({type_.__name__}) has {given} bytes, but the kernel's parameter has {size}; "
            "pass a NumPy scalar of its very type"
        )
    _check_object(type_, kind, parameter, label)
    # Kernels without the header of half precision take its bits as an integer.
    if kind[0] not in ("scalar", "complex"):
        return kind
    if parameter.pointer:
        if integer and given == 8:  # an address
            return ("scalar", 8, "Q")
        raise TypeError(
            f"{label} ({type_.__name__}) is given for the pointer {parameter.text}; pass an array "
            "or None"
        )
    wanted = np.dtype(parameter.dtypes[0]) if parameter.dtypes else None
    if wanted is None or size not in (None, wanted.itemsize):
        if integer and size is not None and given > size:
            return ("either", size, _SIGNED[size])
        return kind
    if integer and wanted.kind in "iub" and given >= wanted.itemsize:
        return ("scalar", wanted.itemsize, _PARAMETER_FORMATS[wanted.char])
    passed = np.dtype(type_)
    if (passed.kind in "fc") != (wanted.kind in "fc") or (
        passed.kind == "c" and wanted.kind != "c" and parameter.dtypes not in _PAIRS
    ):
        raise TypeError(
            f"{label} ({type_.__name__}) is given for {parameter.text}, which is {wanted}; pass "
            f"numpy.{wanted.name}(it)"
        )
    return kind


#: Parameters of these types take a texture or surface object.
_OBJECT_TYPES = {
    "cudaTextureObject_t": "TextureObject",
    "cudaSurfaceObject_t": "SurfaceObject",
}


def _check_object(type_: type, kind: tuple, parameter: SourceParameter, label: str) -> None:
    """Refuse a texture or surface object where it has no use, and an array in its place."""
    wanted = next((name for name in _OBJECT_TYPES if name in parameter.text), "")
    if parameter.pointer:
        wanted = ""
    if kind is _OBJECT:
        given: str = type_.parameter_type  # type: ignore[attr-defined]  # what makes it one
        refused = parameter.pointer or wanted not in ("", given)
    else:
        refused = bool(wanted) and kind in (_ARRAY, _INTERFACE, _MEMORY)
    if refused:
        remedy = f"pass a {_OBJECT_TYPES[wanted]}" if wanted else "pass an array or None"
        raise TypeError(f"{label} ({type_.__name__}) is given for {parameter.text}; {remedy}")


def _limits(format: str) -> tuple[int, int]:
    limits = np.iinfo(np.dtype(format))
    return int(limits.min), int(limits.max)


def _kind(value: Any, position: int, kernel: str) -> tuple:
    """(name, size) of how a value is passed, with the view's format for stored values."""
    if isinstance(value, _array.ArrayBase):
        return _ARRAY
    if value is None:
        return _NULL
    if isinstance(value, np.generic):
        return _numpy_kind(value, position, kernel)
    for type_, format, size in _PYTHON_NUMBERS:
        if isinstance(value, type_):
            return ("scalar", size, format)
    if isinstance(value, complex):
        return ("complex", 16, "d")
    if isinstance(value, MemoryPointer):
        return _MEMORY
    if hasattr(type(value), "parameter_type"):  # `_texture.KernelObject`, which few programs need
        return _OBJECT
    if isinstance(value, np.ndarray):
        # A structure has no other host form than this and np.void.
        if value.dtype.kind == "V" or (value.size == 1 and value.dtype.kind in "biufc"):
            return ("struct", value.nbytes, "B", value.dtype, value.shape)
        raise HostArrayError(
            f"{kernel}: argument {position} is a NumPy array of {value.dtype}, which the GPU "
            "cannot read: pass gpuarray.asarray(it), or a NumPy scalar or an array of one element "
            "to pass a value"
        )
    if hasattr(value, "__cuda_array_interface__"):
        return _INTERFACE
    raise TypeError(
        f"{kernel}: argument {position} has type {type(value).__qualname__}; a kernel takes "
        "arrays, NumPy scalars, Python numbers and None"
    )


def _numpy_kind(value: np.generic, position: int, kernel: str) -> tuple:
    dtype = value.dtype
    if dtype.kind == "V":
        return ("struct", dtype.itemsize, "B", dtype, ())
    if dtype.kind == "c" and dtype.itemsize <= 16:
        return ("complex", dtype.itemsize, "f" if dtype.itemsize == 8 else "d")
    if dtype.kind == "f" and dtype.itemsize == 2:
        return ("half", 2, "H")  # memoryviews know no half precision: stored by its bits
    format = _FORMATS.get(f"{dtype.kind}{dtype.itemsize}")
    if format is None:
        raise UnsupportedDTypeError(
            f"{kernel}: argument {position} is a NumPy scalar of {dtype}, which has no "
            "counterpart in CUDA C++"
        )
    return ("scalar", dtype.itemsize, format)


def _list_sizes(parameters: tuple[int, ...]) -> str:
    if not parameters or len(parameters) > 12:
        return ""
    return f" (of {', '.join(map(str, parameters))} bytes)"


def explain(signature: Signature, args: Sequence[Any], error: Exception, kernel: str) -> Exception:
    """The error for arguments that were refused: a better one for an integer out of range."""
    for position, (value, (_, kind)) in enumerate(zip(args, signature.kinds)):
        if kind[0] not in ("scalar", "either") or kind[2] in "fd?":
            continue
        least, most = _limits(kind[2])
        if kind[0] == "either":
            most = 2 * most + 1
        if not least <= value <= most:
            signed = "unsigned " if kind[2].isupper() else ""
            remedy = "; pass a NumPy scalar of the parameter's type" if kind[1] == 8 else ""
            found = OverflowError(
                f"{kernel}: argument {position} is {shortened(value)}, which does not fit the "
                f"parameter's {8 * kind[1]}-bit {signed}integer{remedy}"
            )
            found.__cause__ = error
            return found
    return error


# -- the launcher's source -----------------------------------------------------------------------


def _compile(kinds: tuple[tuple, ...], owner: Signature) -> Callable[..., Callable]:
    names = [f"a{position}" for position in range(len(kinds))]
    words = [offset // 8 for offset in driver.ArgumentBuffer(owner.sizes).offsets]
    guards: list[str] = []
    stores: list[str] = []
    views: list[str] = []
    scope: dict[str, Any] = {}
    for position, (type_, kind) in enumerate(kinds):
        name, view, word = names[position], f"v{position}", words[position]
        scope[f"T{position}"] = type_
        if kind is _NULL:
            guards.append(f"{name} is None")
            continue
        guards.append(f"type({name}) is T{position}")
        if len(kind) > 2:
            views.append(view)
        stores += _stores(kind, name, view, word)
        if kind[0] == "struct":
            scope[f"D{position}"], scope[f"S{position}"] = kind[3:5]
            guards.append(f"{name}.dtype == D{position} and {name}.shape == S{position}")
    layouts = [f"{names[i]}._layout" for i, (_, kind) in enumerate(kinds) if kind is _ARRAY]
    scope["__name__"] = __name__
    scope["note"], scope["failed"] = launch_history.note, launch_history.failed
    scope["memory_of"] = _interchange.interface_pointer
    scope["bits16"] = np.uint16
    checked = [
        "try:",
        *[f"    {line}" for line in stores or ["pass"]],
        "except (TypeError, ValueError, OverflowError) as error:",
        "    return refused(args, error)",
    ]
    launch = step_lines(
        "",
        "",
        ["words", "params", *views],
        checked,
        f"launch(config, function, params, {'(words, *args)' if config.debug else None})",
        f"failed(trace, status, ({', '.join([*layouts, ''])}))",
        f"(trace, {', '.join(layouts)})" if layouts else "trace",
    )
    source = "\n".join(
        [
            "def bind(stream, config, function, launch, take, give, make, other, refused, trace):",
            "    def run(args):",
            "        try:",
            f"            [{', '.join(names)}] = args",
            "        except (TypeError, ValueError):",
            "            return other(args)",
            f"        if {' and '.join(guards) or 'True'}:",
            *[f"            {line}" for line in launch],
            "            return None",
            "        return other(args)",
            "    return run",
        ]
    )
    exec(compile(source, "<launcher>", "exec"), scope)
    return scope["bind"]


def _stores(kind: tuple, name: str, view: str, word: int) -> list[str]:
    mode = kind[0]
    if mode == "array":
        return [
            *_array.use_source(name),
            f"words[{word}] = {_array.address_source(name)}",
        ]
    if mode == "memory":
        return [
            f"words[{word}] = {name}.ptr",
            f"if {name}.mem.stream is not stream:",
            f"    {name}.mem.used_by(stream)",
        ]
    if mode == "object":
        return [f"{name}.used_by(stream)", f"words[{word}] = {name}.ptr"]
    if mode == "interface":
        return [f"words[{word}] = memory_of({name})"]
    if mode == "complex":
        return [f"{view}[0] = {name}.real", f"{view}[1] = {name}.imag"]
    if mode == "half":
        return [f"{view}[0] = {name}.view(bits16)"]
    if mode == "struct":
        return [f"{view}[:] = {name}.tobytes()"]
    return [f"{view}[0] = {name}"]
