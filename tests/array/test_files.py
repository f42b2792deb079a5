"""Files: NumPy reads what gpuarray writes, and the other way round."""

from __future__ import annotations

import gzip
import io
import pathlib
import pickle
import zipfile

import numpy as np
import pytest

import gpuarray as cp
from gpuarray._runtime import staged_copies
from tests.array.arrays import DTYPES, LAYOUTS, pair, raises_alike, same, values


def _bytes(save) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()


@pytest.mark.parametrize("dtype", DTYPES)
def test_save_and_load_every_dtype(dtype):
    host, device = pair("contiguous", dtype)
    written = _bytes(lambda file: cp.save(file, device))
    assert written == _bytes(lambda file: np.save(file, host))
    same(cp.load(io.BytesIO(written)), host)


@pytest.mark.parametrize(
    "host",
    [
        np.zeros(3, [("a", "i2"), ("b", "f8"), ("c", "c8", (2,))]),
        np.array(["2020-01-01", "NaT"], "M8[D]"),
        np.arange(3).astype("m8[ms]"),
    ],
    ids=["structure", "dates", "times"],
)
def test_save_and_load_structures_and_times(host):
    device = cp.asarray(host)
    written = _bytes(lambda file: cp.save(file, device))
    assert written == _bytes(lambda file: np.save(file, host))
    loaded = cp.load(io.BytesIO(written))
    assert loaded.dtype == host.dtype
    assert loaded.tobytes() == host.tobytes()
    assert pickle.loads(device.dumps()).tobytes() == host.tobytes()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_save_and_load_every_layout(layout, tmp_path):
    host, device = pair(layout, "f4")
    cp.save(tmp_path / "x", device)
    np.save(tmp_path / "y", host)
    assert (tmp_path / "x.npy").read_bytes() == (tmp_path / "y.npy").read_bytes()
    loaded = cp.load(tmp_path / "x.npy")
    same(loaded, host)
    assert loaded.strides == np.load(tmp_path / "x.npy").strides
    assert loaded.base is None


def test_a_large_array_goes_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr(staged_copies, "PIECE_BYTES", 1000)
    host = np.arange(3001, dtype="u2")
    device = cp.asarray(host)
    sizes = []

    class Recorder(io.BytesIO):
        def write(self, data):
            sizes.append(len(data))
            return super().write(data)

    file = Recorder()
    cp.save(file, device)
    assert sizes[1:] == [1000] * 6 + [2]
    file.seek(0)
    np.testing.assert_array_equal(np.load(file), host)
    file.seek(0)
    same(cp.load(file), host)
    device[::-1].tofile(tmp_path / "raw")
    same(cp.fromfile(tmp_path / "raw", "u2"), host[::-1])


class Slow(io.RawIOBase):
    """A file that writes and reads a few bytes at a time."""

    def __init__(self, data=b""):
        self.data = bytearray(data)
        self.at = 0

    def writable(self):
        return True

    readable = seekable = writable

    def write(self, view):
        part = bytes(view[:7])
        self.data += part
        return len(part)

    def readinto(self, view):
        part = self.data[self.at : self.at + min(7, len(view))]
        view[: len(part)] = part
        self.at += len(part)
        return len(part)

    def seek(self, offset, whence=0):
        self.at = offset if whence == 0 else self.at + offset
        return self.at

    def tell(self):
        return self.at


def test_files_that_take_and_give_a_part():
    host, device = pair("contiguous", "f8")
    raw = Slow()
    device.tofile(raw)
    assert bytes(raw.data) == host.tobytes()
    same(cp.load(Slow(_bytes(lambda file: np.save(file, host)))), host)


class OnlyReads:
    """What `load` needs of a file."""

    def __init__(self, data):
        self.file = io.BytesIO(data)
        self.read, self.seek, self.tell = self.file.read, self.file.seek, self.file.tell


def test_files_without_readinto_and_compressed_ones(tmp_path):
    host = np.arange(12).reshape(3, 4)
    same(cp.load(OnlyReads(_bytes(lambda file: np.save(file, host)))), host)
    with gzip.open(tmp_path / "x.npy.gz", "wb") as file:
        cp.save(file, cp.asarray(host))
    with gzip.open(tmp_path / "x.npy.gz", "rb") as file:
        same(cp.load(file), host)


def test_several_arrays_in_one_file():
    file = io.BytesIO()
    cp.save(file, cp.arange(3))
    cp.save(file, cp.ones((2, 2)))
    file.seek(0)
    same(cp.load(file), np.arange(3))
    same(cp.load(file), np.ones((2, 2)))


def test_big_endian_files_and_mapped_ones(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(5, dtype=">i4"))
    same(cp.load(tmp_path / "x.npy"), np.arange(5, dtype="i4"))
    for mode in ("r", "r+", "c"):
        x = cp.load(tmp_path / "x.npy", mmap_mode=mode)
        x[0] = 9
    same(cp.load(str(tmp_path / "x.npy")), np.arange(5, dtype="i4"))


def test_save_takes_what_is_no_array():
    assert _bytes(lambda f: cp.save(f, [1, 2])) == _bytes(lambda f: np.save(f, [1, 2]))
    assert _bytes(lambda f: cp.save(f, 2.5)) == _bytes(lambda f: np.save(f, 2.5))


def _npy(shape="(3,)", descr="'<f8'", data=b"\0" * 24):
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nonsense",
        _npy(data=b"\0" * 20),
        _npy(shape="3"),
        _npy(descr="'nosuch'"),
        _npy(descr="'|O'", data=pickle.dumps([1, 2, 3])),
        b"\x93NUMPY\x09\x00" + _npy()[8:],
        pickle.dumps(3),
    ],
    ids=["empty", "nonsense", "short", "shape", "dtype", "objects", "version", "pickle"],
)
def test_bad_files(data, tmp_path):
    raises_alike(lambda: np.load(io.BytesIO(data)), lambda: cp.load(io.BytesIO(data)))
    (tmp_path / "x.npy").write_bytes(data)
    raises_alike(lambda: np.load(tmp_path / "x.npy"), lambda: cp.load(tmp_path / "x.npy"))


def test_missing_files():
    raises_alike(lambda: np.load("/nosuch/x.npy"), lambda: cp.load("/nosuch/x.npy"))
    raises_alike(lambda: np.save("/nosuch/x", [1]), lambda: cp.save("/nosuch/x", cp.ones(1)))


def test_the_size_of_a_header_is_limited():
    dtype = np.dtype([(f"field_{i:03}", "f4") for i in range(600)])
    data = _bytes(lambda f: np.save(f, np.zeros(1, dtype)))
    with pytest.raises(ValueError, match="max_header_size"):
        cp.load(io.BytesIO(data))


def test_pickles(tmp_path):
    x = cp.arange(3)
    x.dump(tmp_path / "x.pickle")
    same(cp.load(tmp_path / "x.pickle", allow_pickle=True), np.arange(3))
    same(pickle.loads(x.dumps()), np.arange(3))
    raises_alike(lambda: np.load(tmp_path / "x.pickle"), lambda: cp.load(tmp_path / "x.pickle"))
    with open(tmp_path / "y.pickle", "wb") as file:
        x.dump(file)
    assert (tmp_path / "y.pickle").read_bytes() == x.dumps()


@pytest.mark.parametrize("save", ["savez", "savez_compressed"])
def test_archives(save, tmp_path):
    host, device = pair("transposed", "i4")
    getattr(cp, save)(tmp_path / "x", device, [1, 2], y=device[0], host=host)
    with np.load(tmp_path / "x.npz") as theirs, cp.load(tmp_path / "x.npz") as ours:
        assert sorted(theirs.files) == sorted(ours.files) == ["arr_0", "arr_1", "host", "y"]
        for name in theirs.files:
            same(ours[name], theirs[name])
            same(ours[f"{name}.npy"], theirs[name])
        same(ours.f.y, theirs.f.y)
        assert ours["arr_0"].flags.f_contiguous
        assert "y" in ours
        assert "z" not in ours
        assert len(ours) == 4
        assert list(ours) == ours.files
        assert set(ours.keys()) == set(dict(ours.items()))
        assert ours.get("z") is None
        assert repr(ours) == repr(theirs)
        raises_alike(lambda: theirs["z"], lambda: ours["z"])
        raises_alike(lambda: theirs.f.z, lambda: ours.f.z)
    kind = zipfile.ZIP_STORED if save == "savez" else zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        assert {info.compress_type for info in archive.infolist()} == {kind}
    raises_alike(
        lambda: np.savez(io.BytesIO(), host, arr_0=host),
        lambda: cp.savez(io.BytesIO(), device, arr_0=device),
    )


def test_the_module_of_numpys_name():
    file = io.BytesIO()
    cp.savez(file, x=cp.ones(2))
    file.seek(0)
    assert type(cp.load(file)) is cp.lib.npyio.NpzFile is cp.NpzFile
    assert cp.lib.npyio.DataSource is np.lib.npyio.DataSource


def test_archives_of_others(tmp_path):
    np.savez(tmp_path / "x.npz", a=np.arange(3, dtype=">u2"), o=np.array([None]))
    with zipfile.ZipFile(tmp_path / "x.npz", "a") as archive:
        archive.writestr("note.txt", "no array")
    with cp.load(tmp_path / "x.npz") as archive:
        same(archive["a"], np.arange(3, dtype="u2"))
        assert archive["note.txt"] == b"no array"
        with pytest.raises(ValueError, match="allow_pickle"):
            archive["o"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_tofile_and_fromfile(layout, tmp_path):
    host, device = pair(layout, "f4")
    host.tofile(tmp_path / "host")
    device.tofile(str(tmp_path / "device"))
    assert (tmp_path / "device").read_bytes() == (tmp_path / "host").read_bytes()
    offsets = [(-1, 4), (1, 4)] if host.size else []
    for count, offset in [(-1, 0), (2, 0), (1000, 0), (0, 0), *offsets]:
        with open(tmp_path / "host", "rb") as theirs, open(tmp_path / "host", "rb") as ours:
            expected = np.fromfile(theirs, "f4", count, offset=offset)
            same(cp.fromfile(ours, "f4", count, offset=offset), expected)
            assert ours.tell() == theirs.tell()


def test_text(tmp_path):
    host, device = pair("transposed", "f8")
    host.tofile(tmp_path / "host", sep=" ", format="%.3f")
    device.tofile(tmp_path / "device", sep=" ", format="%.3f")
    assert (tmp_path / "device").read_text() == (tmp_path / "host").read_text()
    same(cp.fromfile(tmp_path / "device", sep=" "), np.fromfile(tmp_path / "host", sep=" "))
    same(cp.fromfile(tmp_path / "device", int, 1, "."), np.fromfile(tmp_path / "host", int, 1, "."))
    cp.savetxt(tmp_path / "ours.txt", device, "%.4g", ",", header="a\nb", footer="end")
    np.savetxt(tmp_path / "theirs.txt", host, "%.4g", ",", header="a\nb", footer="end")
    assert (tmp_path / "ours.txt").read_text() == (tmp_path / "theirs.txt").read_text()
    for options in [
        {},
        {"unpack": True},
        {"usecols": 1},
        {"skiprows": 3, "ndmin": 2},
        {"dtype": "f4"},
    ]:
        loaded = cp.loadtxt(tmp_path / "ours.txt", delimiter=",", **options)
        expected = np.loadtxt(tmp_path / "ours.txt", delimiter=",", **options)
        same(loaded, expected)
        assert loaded.flags.f_contiguous == expected.flags.f_contiguous
        same(
            cp.genfromtxt(tmp_path / "ours.txt", delimiter=","),
            np.genfromtxt(tmp_path / "ours.txt", delimiter=","),
        )
    raises_alike(lambda: np.loadtxt(["1 2", "3"]), lambda: cp.loadtxt(["1 2", "3"]))
    with pytest.raises(ValueError, match="masked"):
        cp.genfromtxt(["1"], usemask=True)


def test_fromstring():
    same(cp.fromstring("1 2 3", sep=" "), np.fromstring("1 2 3", sep=" "))
    same(cp.fromstring("1,2,3", "i2", 2, sep=","), np.array([1, 2], "i2"))
    raises_alike(
        lambda: np.fromstring("12345678", sep=""), lambda: cp.fromstring("12345678", sep="")
    )


def test_functions_of_numpy_dispatch(tmp_path):
    x = cp.asarray(values((3, 4), "f4"))
    np.save(tmp_path / "x.npy", x)
    same(cp.load(tmp_path / "x.npy"), cp.asnumpy(x))
    np.savez(tmp_path / "x.npz", x=x)
    np.savetxt(tmp_path / "x.txt", x)
    assert pathlib.Path(tmp_path / "x.txt").exists()
    assert np.array_repr(x) == repr(x)
    same(np.loadtxt(tmp_path / "x.txt", like=x), cp.asnumpy(x).astype("f8"))
