"""Binary files: NumPy's .npy and .npz formats, and bare elements.

The formats are NumPy's own. Bytes go between a file and the device in page-locked pieces, so that
the host holds no array as a whole.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuarray import _array, _dtypes, _layout, _transfers
from gpuarray._namespace.shared_texts import sharing, texts_of
from gpuarray._ops import npy_format
from gpuarray._ops.host_copies import asnumpy
from gpuarray._ops.host_functions import call

if TYPE_CHECKING:
    from gpuarray._types import ArrayLike, DTypeLike, ndarray

__all__ = ["NpzFile", "fromfile", "load", "save", "savez", "savez_compressed"]


class NpzFile(Mapping[str, Any]):
    """The arrays of an .npz archive, by name; `load` returns it.

    An array is read when it is asked for, each time anew. The archive is open until `close`, or
    the end of a ``with`` statement.

    Parameters
    ----------
    npz_file : numpy.lib.npyio.NpzFile
        The archive.

    Examples
    --------
    >>> import io
    >>> import gpuarray as cp
    >>> file = io.BytesIO()
    >>> cp.savez(file, x=cp.arange(3), y=cp.ones(2))
    >>> _ = file.seek(0)
    >>> with cp.load(file) as archive:
    ...     archive.files, archive["x"]
    (['x', 'y'], array([0, 1, 2]))
    """

    def __init__(self, npz_file: Any):
        self.npz_file = npz_file

    @property
    def files(self) -> list[str]:
        """The names."""
        return self.npz_file.files

    @property
    def zip(self) -> Any:
        """The open `zipfile.ZipFile`."""
        return self.npz_file.zip

    @property
    def f(self) -> _Attributes:
        """An object with the arrays as attributes."""
        return _Attributes(self)

    def __getitem__(self, key: str) -> Any:
        npz = self.npz_file
        member = key if key in npz.zip.namelist() else f"{key}.npy"
        if key not in npz:
            raise KeyError(f"{key} is not a file in the archive; it has {', '.join(npz.files)}")
        with npz.zip.open(member) as file:
            start = file.read(len(np.lib.format.MAGIC_PREFIX))
            file.seek(0)
            if start != np.lib.format.MAGIC_PREFIX:
                return file.read()  # no array: its bytes, as NumPy returns them
            return npy_format.read(
                file, npz.allow_pickle, npz.pickle_kwargs or {}, npz.max_header_size
            )

    def __iter__(self) -> Iterator[str]:
        return iter(self.npz_file)

    def __len__(self) -> int:
        return len(self.npz_file)

    def __contains__(self, key: object) -> bool:
        return key in self.npz_file

    def close(self) -> None:
        """Close the archive.

        Examples
        --------
        >>> import io
        >>> import gpuarray as cp
        >>> cp.savez(file := io.BytesIO(), x=cp.arange(3))
        >>> _ = file.seek(0)
        >>> archive = cp.load(file)
        >>> archive["x"]
        array([0, 1, 2])
        >>> archive.close()
        """
        self.npz_file.close()

    def __enter__(self) -> NpzFile:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return repr(self.npz_file)


class _Attributes:
    """The arrays of an archive as attributes."""

    def __init__(self, archive: NpzFile):
        self._archive = archive

    def __getattr__(self, name: str) -> Any:
        try:
            return self._archive[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self) -> list[str]:
        return self._archive.files


def load(
    file: Any,
    mmap_mode: str | None = None,
    allow_pickle: bool = False,
    fix_imports: bool = True,
    encoding: str = "ASCII",
    *,
    max_header_size: int = 10000,
) -> Any:
    """Read an array, or an archive of arrays, that `save`, `savez` or NumPy wrote.

    Parameters
    ----------
    file : str, path or file
        The file; one that is open needs ``read`` and ``seek``.
    mmap_mode : {None, 'r+', 'r', 'w+', 'c'}, optional
        How NumPy maps the file to read it. The result is in device memory in any case; without it
        the file is read in pieces, which needs as little host memory.
    allow_pickle : bool, optional
        Whether to load pickled objects, which can run any code.
    fix_imports, encoding : optional
        As for ``numpy.load``.
    max_header_size : int, optional
        As for ``numpy.load``.

    Returns
    -------
    ndarray, NpzFile or object
        An array on the current device; of an archive, a mapping that reads each array when it is
        asked for; a pickled object as it was.

    Raises
    ------
    OSError
        If the file is not there.
    EOFError
        If it is empty.
    ValueError
        If it ends too early, or has pickled objects without `allow_pickle`.

    Differences from NumPy
    ----------------------
    With `mmap_mode`, what is written to the array does not reach the file.

    Examples
    --------
    >>> import io
    >>> import gpuarray as cp
    >>> file = io.BytesIO()
    >>> cp.save(file, cp.arange(4))
    >>> _ = file.seek(0)
    >>> cp.load(file)
    array([0, 1, 2, 3])
    """
    options: dict[str, Any] = {"fix_imports": fix_imports, "encoding": encoding}
    if mmap_mode is None and encoding in ("ASCII", "latin1", "bytes"):
        with _opened(file, "rb", "read") as stream:
            start = stream.read(len(np.lib.format.MAGIC_PREFIX))
            stream.seek(-len(start), os.SEEK_CUR)
            if start == np.lib.format.MAGIC_PREFIX:
                return npy_format.read(stream, allow_pickle, options, max_header_size)
    reader: Any = np.load
    found = reader(file, mmap_mode, allow_pickle, max_header_size=max_header_size, **options)
    if isinstance(found, np.lib.npyio.NpzFile):
        return NpzFile(found)
    return npy_format.native(found) if isinstance(found, np.ndarray) else found


def save(file: Any, arr: ArrayLike, allow_pickle: bool = True) -> None:
    """Write an array to a file in NumPy's .npy format.

    Parameters
    ----------
    file : str, path or file
        Where to. A name without ``.npy`` gets it.
    arr : array_like
        The array.
    allow_pickle : bool, optional
        Whether a host array of objects may be pickled.

    Examples
    --------
    >>> import io
    >>> import numpy as np
    >>> import gpuarray as cp
    >>> file = io.BytesIO()
    >>> cp.save(file, cp.arange(4))
    >>> _ = file.seek(0)
    >>> np.load(file)
    array([0, 1, 2, 3])
    """
    target = file if hasattr(file, "write") else _with_ending(file, ".npy")
    with _opened(target, "wb", "write") as stream:
        npy_format.write(stream, arr, allow_pickle)


@contextlib.contextmanager
def _opened(file: Any, mode: str, method: str) -> Iterator[Any]:
    """A file that has a method as it is; for anything else, one that is opened and closed."""
    if hasattr(file, method):
        yield file
        return
    with open(file, mode) as stream:
        yield stream


def _with_ending(file: Any, ending: str) -> Any:
    name = os.fspath(file)
    return name if name.endswith(ending) else name + ending


def savez(file: Any, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike) -> None:
    """Write arrays to an archive in NumPy's .npz format.

    Parameters
    ----------
    file : str, path or file
        Where to. A name without ``.npz`` gets it.
    *args : array_like
        Arrays that are called ``arr_0``, ``arr_1`` and so on.
    allow_pickle : bool, optional
        Whether host arrays of objects may be pickled.
    **kwds : array_like
        Arrays with names.

    Examples
    --------
    >>> import io
    >>> import gpuarray as cp
    >>> file = io.BytesIO()
    >>> cp.savez(file, cp.arange(2), weights=cp.ones(2))
    >>> _ = file.seek(0)
    >>> dict(cp.load(file))
    {'weights': array([1., 1.]), 'arr_0': array([0, 1])}
    """
    _save_archive(file, args, kwds, False, allow_pickle)


@sharing(texts_of(savez))
def savez_compressed(
    file: Any, *args: ArrayLike, allow_pickle: bool = True, **kwds: ArrayLike
) -> None:
    """Write arrays to a compressed archive in NumPy's .npz format.

    Parameters
    ----------
    {file}
    {args}
    {allow_pickle}
    {kwds}

    Examples
    --------
    >>> import io
    >>> import gpuarray as cp
    >>> file = io.BytesIO()
    >>> cp.savez_compressed(file, x=cp.zeros(1000))
    >>> len(file.getvalue()) < 1000
    True
    """
    _save_archive(file, args, kwds, True, allow_pickle)


def _save_archive(
    file: Any, args: tuple, kwds: dict[str, Any], compressed: bool, allow_pickle: bool
) -> None:
    import zipfile  # not at import: few programs write archives

    arrays = dict(kwds)
    for number, value in enumerate(args):
        name = f"arr_{number}"
        if name in arrays:
            raise ValueError(f"savez: {name!r} is a keyword and the name of an array without one")
        arrays[name] = value
    target = file if hasattr(file, "write") else _with_ending(file, ".npz")
    compression = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(target, "w", compression, allowZip64=True) as archive:
        for name, value in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy_format.write(member, value, allow_pickle)  # type: ignore[arg-type]


def fromfile(
    file: Any,
    dtype: DTypeLike | None = None,
    count: int = -1,
    sep: str = "",
    offset: int = 0,
    *,
    like: object = None,
) -> ndarray:
    """An array of one dimension from the elements in a file.

    Parameters
    ----------
    file : str, path or file
        The file; one that is open has a descriptor.
    dtype : dtype, optional
        The dtype of the elements, float64 by default.
    count : int, optional
        How many there are; all by default.
    sep : str, optional
        What stands between them in a text; the file is binary without.
    offset : int, optional
        Bytes from where the file is; of binary files only.
    like : optional
        Ignored.

    Returns
    -------
    ndarray
        The elements.

    Examples
    --------
    >>> import tempfile
    >>> import gpuarray as cp
    >>> with tempfile.TemporaryFile() as file:
    ...     cp.arange(4, dtype=cp.int16).tofile(file)
    ...     _ = file.seek(0)
    ...     cp.fromfile(file, cp.int16)
    array([0, 1, 2, 3], dtype=int16)
    """
    found = _dtypes.parsed(dtype)
    if sep or not found.isnative or found.hasobject or not found.itemsize:
        return npy_format.native(call(np.fromfile, file, found, count, sep, offset))
    with _opened(file, "rb", "fileno") as stream:
        if offset:
            stream.seek(offset, os.SEEK_CUR)
        here = stream.tell()
        there = (os.fstat(stream.fileno()).st_size - here) // found.itemsize
        length = max(there if count < 0 else min(count, there), 0)
        result = _array.empty(_layout.contiguous(_dtypes.canonical(found), (length,)))
        _transfers.fill_from(result, npy_format.reader(stream, "fromfile"))
    return result


def to_file(array: ndarray, fid: Any, /, sep: str = "", format: str = "%s") -> None:
    """Write the elements to a file in C order (``ndarray.tofile``).

    Parameters
    ----------
    fid : str, path or file
        Where to.
    sep : str, optional
        What to write between elements as text; bytes are written without.
    format : str, optional
        How an element is written as text.
    """
    if sep:
        call(asnumpy(array).tofile, fid, sep, format)
        return
    with _opened(fid, "wb", "write") as stream:
        _transfers.hand_to(npy_format.in_c_order(array), npy_format.writer(stream))


def dump(array: ndarray, file: Any) -> None:
    """Write a pickle of the array to a file (``ndarray.dump``).

    Parameters
    ----------
    file : str, path or file
        Where to.
    """
    with _opened(file, "wb", "write") as stream:
        pickle.dump(array, stream, protocol=2)


def dumps(array: ndarray) -> bytes:
    """A pickle of the array (``ndarray.dumps``).

    Returns
    -------
    bytes
        What ``pickle.loads`` takes.
    """
    return pickle.dumps(array, protocol=2)
