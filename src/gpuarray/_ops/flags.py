"""The flags of arrays: contiguity, ownership, whether elements may be written."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from gpuarray import _array, _layout
from gpuarray._array import address_of
from gpuarray._runtime import pool
from gpuarray._runtime.ordered_memory import UnownedMemory

if TYPE_CHECKING:
    from gpuarray._types import ndarray


class Flags:
    """How an array lies in memory: ``flags.c_contiguous`` or ``flags['C_CONTIGUOUS']``.

    ``writeable`` can be set: an array made read-only is refused by all that would write to it, and
    views made of it are read-only as well.

    Differences from NumPy
    ----------------------
    ``writeable`` can be set to True on a view of a read-only array, but not where another library
    said that its memory is read-only. A view whose elements share memory, as `broadcast_to` makes
    it, is never written to.
    """

    __slots__ = ("_array",)

    #: What ``flags[...]`` takes beside the names of attributes in capitals.
    _SHORT: ClassVar[dict[str, str]] = {
        "A": "aligned", "B": "behaved", "C": "c_contiguous", "CA": "carray",
        "CONTIGUOUS": "c_contiguous", "F": "f_contiguous", "FA": "farray",
        "FORTRAN": "f_contiguous", "O": "owndata", "W": "writeable", "X": "writebackifcopy",
    }  # fmt: skip
    _NAMES: ClassVar[tuple[str, ...]] = (
        "c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "writebackifcopy",
    )  # fmt: skip
    #: The attributes of which others are made, with NumPy's bits in `num`.
    _BITS: ClassVar[dict[str, int]] = {
        "c_contiguous": 1, "f_contiguous": 2, "owndata": 4, "aligned": 0x100, "writeable": 0x400,
    }  # fmt: skip

    def __init__(self, array: ndarray):
        self._array = array

    @property
    def c_contiguous(self) -> bool:
        """Gapless in C order."""
        return self._array._layout.c_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Gapless in Fortran order."""
        return self._array._layout.f_contiguous

    @property
    def owndata(self) -> bool:
        """Whether the array is no view, and fills memory of its own from the start."""
        layout, memory = self._array._layout, self._array._memory
        return (
            not layout.is_view
            and not isinstance(memory, UnownedMemory)
            and layout.contiguous
            and memory.pointer == address_of(self._array)
            and memory.size - layout.nbytes < pool.UNIT
        )

    @property
    def aligned(self) -> bool:
        """Whether elements are at multiples of their size: fields of packed structures may not be.

        Those are copied before they are computed with.
        """
        return not self._array._layout.unaligned

    @aligned.setter
    def aligned(self, value: bool) -> None:
        if bool(value) is not self.aligned:
            raise ValueError(f"flags.aligned cannot be set to {bool(value)}; copy the array first")

    @property
    def writeable(self) -> bool:
        """Whether the array may be written to."""
        return self._array._layout.writable

    @writeable.setter
    def writeable(self, value: bool) -> None:
        array = self._array
        if not value:
            _array.lock(array)
            return
        if not array._memory.writable:
            raise ValueError(
                "cannot set WRITEABLE flag to True of this array: its memory belongs to another "
                "library, which exported it as read-only; write to a copy of it"
            )
        array._layout = _layout.writable(array._layout)

    contiguous = c_contiguous
    fortran = f_contiguous

    @property
    def writebackifcopy(self) -> bool:
        """Whether the array is a copy that is to be written back: False, there are none."""
        return False

    @property
    def behaved(self) -> bool:
        """Aligned and writeable."""
        return self.aligned and self.writeable

    @property
    def carray(self) -> bool:
        """In C order, aligned and writeable."""
        return self.c_contiguous and self.behaved

    @property
    def farray(self) -> bool:
        """In Fortran order and not in C order, aligned and writeable."""
        return self.fnc and self.behaved

    @property
    def fnc(self) -> bool:
        """In Fortran order and not in C order."""
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """In Fortran or C order."""
        return self.f_contiguous or self.c_contiguous

    @property
    def num(self) -> int:
        """The flags as the bits of a number, which are NumPy's."""
        return sum([bit for name, bit in self._BITS.items() if getattr(self, name)])

    def _attribute(self, name: object) -> str:
        if isinstance(name, str):
            found = self._SHORT.get(name, name.lower())
            if found.upper() == name or name in self._SHORT:
                if found in (*self._NAMES, "behaved", "carray", "farray", "fnc", "forc"):
                    return found
        raise KeyError(
            f"Unknown flag {name!r}; known are C_CONTIGUOUS, F_CONTIGUOUS, OWNDATA, WRITEABLE, "
            "ALIGNED, WRITEBACKIFCOPY, BEHAVED, CARRAY, FARRAY, FNC, FORC"
        )

    def __getitem__(self, name: str) -> bool:
        return getattr(self, self._attribute(name))

    def __setitem__(self, name: str, value: bool) -> None:
        found = self._attribute(name)
        if found not in ("writeable", "aligned"):
            raise KeyError(f"flag {name!r} cannot be set; only WRITEABLE can")
        setattr(self, found, value)

    def __eq__(self, other: object) -> bool:
        return self.num == other.num if isinstance(other, Flags) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # they can change, as in NumPy

    def __repr__(self) -> str:
        return (
            "\n".join([f"  {name.upper()} : {getattr(self, name)}" for name in self._NAMES]) + "\n"
        )


def set_flags(
    array: ndarray, write: bool | None = None, align: bool | None = None, uic: bool | None = None
) -> None:
    """Set ``flags.writeable`` to ``write`` (``ndarray.setflags``).

    Parameters
    ----------
    write : bool, optional
        Whether elements may be written to.
    align, uic : bool, optional
        True and False, which they are always.

    Raises
    ------
    ValueError
        If another flag is to be set.
    """
    for name, value, fixed in (("align", align, True), ("uic", uic, False)):
        if value is not None and bool(value) is not fixed:
            raise ValueError(
                f"setflags: {name}={value!r} is not possible: of a device array, only 'write' can "
                "be set"
            )
    if write is not None:
        Flags(array).writeable = write
