"""NumPy's .npy format: a header that NumPy writes and reads, and bytes from or to the device.

The bytes go through page-locked pieces, so that the host never holds a whole array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from gpuarray import _array, _dtypes, _layout, _transfers
from gpuarray._array import ArrayBase
from gpuarray._ops.conversion import array
from gpuarray._ops.host_copies import asnumpy
from gpuarray.kernels.elementwise import copies

if TYPE_CHECKING:
    from collections.abc import Callable

    from gpuarray._types import ArrayLike, ndarray

#: More bytes than a header has.
_ANY_HEADER = 1 << 62

_HEADERS: dict[tuple[int, int], Callable[..., tuple[tuple[int, ...], bool, np.dtype]]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def write(file: BinaryIO, arr: ArrayLike, allow_pickle: bool) -> None:
    """Write an array to an open file in the .npy format."""
    if not isinstance(arr, ArrayBase):
        np.lib.format.write_array(file, np.asanyarray(asnumpy(arr)), allow_pickle=allow_pickle)
        return
    source = gapless(arr)
    layout = source._layout
    header: Any = {
        "descr": np.lib.format.dtype_to_descr(layout.dtype),
        "fortran_order": layout.f_contiguous and not layout.c_contiguous,
        "shape": layout.shape,
    }
    try:
        np.lib.format.write_array_header_1_0(file, header)
    except ValueError:  # longer than the first version can say
        np.lib.format.write_array_header_2_0(file, header)
    _transfers.hand_to(source, writer(file))


def gapless(arr: Any) -> Any:
    """The array, or a copy in C order where its elements have gaps."""
    if arr._layout.contiguous:
        return arr
    with arr._memory.device:
        return copies.copy(arr, "C")


def in_c_order(arr: Any) -> Any:
    """The array, or a copy, without gaps in C order."""
    if arr._layout.c_contiguous:
        return arr
    with arr._memory.device:
        return copies.copy(arr, "C")


def writer(file: Any) -> Callable[[memoryview], None]:
    """A function that writes all bytes of a view to an open file."""

    def write_all(view: memoryview) -> None:
        while view:
            written = file.write(view)
            if written is None or written == len(view):
                return
            view = view[written:]  # a file without a buffer may take a part

    return write_all


def reader(file: Any, name: str) -> Callable[[memoryview], None]:
    """A function that fills a view with the next bytes of an open file."""

    def read_all(view: memoryview) -> None:
        while view:
            if hasattr(file, "readinto"):
                count = file.readinto(view)
            else:
                data = file.read(len(view))
                count = len(data)
                view[:count] = data
            if not count:
                raise ValueError(
                    f"{name}: the file ends {len(view)} bytes before the array that its header, or "
                    "the caller, says it has"
                )
            view = view[count:]

    return read_all


def read(
    file: Any, allow_pickle: bool, pickle_options: dict[str, Any], max_header_size: int
) -> ndarray:
    """Read an array from an open file that is at the beginning of the .npy format."""
    start = file.tell()
    read_header = _HEADERS.get(np.lib.format.read_magic(file))
    if read_header is not None:
        # Whoever allows pickled objects trusts the file.
        limit = _ANY_HEADER if allow_pickle else max_header_size
        shape, fortran_order, dtype = read_header(file, max_header_size=limit)
        if dtype.isnative and not dtype.hasobject:
            order = "F" if fortran_order else "C"
            result = _array.empty(_layout.contiguous(_dtypes.canonical(dtype), shape, order))
            _transfers.fill_from(result, reader(file, "load"))
            return result
    # Pickled objects, elements in another byte order, and later versions of the format.
    file.seek(start)
    return native(
        np.lib.format.read_array(
            file, allow_pickle, pickle_options, max_header_size=max_header_size
        )
    )


def native(host: np.ndarray) -> ndarray:
    """A device array of a host array whose elements may be in another byte order."""
    dtype = host.dtype
    return array(host if dtype.isnative else host.astype(dtype.newbyteorder("=")))
