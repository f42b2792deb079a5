"""Directories of other users' kernels, and kernels taken from machine to machine."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gpuarray.kernels.compiler import archive as cache_archive
from gpuarray.kernels.compiler import compilation as compiler
from gpuarray.kernels.compiler.archive import read_archive, write_archive
from gpuarray.kernels.compiler.cache import PREPARED, Cache, Image, Label, digest, encode_entry
from tests.limits import HANG_SECONDS

KEYS = [digest("key", at) for at in range(4)]


def image(at: int, kind: str = "cubin") -> Image:
    return Image(b"image %d" % at, {f"f<{at}>": f"_Z{at}"}, kind)


@pytest.fixture
def cache(tmp_path):
    return Cache(str(tmp_path / "own"), 1 << 20)


@pytest.fixture
def filled(tmp_path):
    cache = Cache(str(tmp_path / "filled"), 1 << 20)
    for at, kind in enumerate(("cubin", "ptx", "lto", PREPARED)):
        cache.put(KEYS[at], image(at, kind), Label(f"kernel_{at}", "sm_90", "NVRTC"))
    cache.put_stamp(digest("stamp"), {"path": "/x"})
    return cache


# -- shared directories --------------------------------------------------------------------------


def state(cache: Cache) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in Path(cache.directory).iterdir()}


def test_shared_directories_serve_in_order_and_are_not_written(tmp_path, filled):
    first, missing = Cache(str(tmp_path / "first"), 1 << 20), str(tmp_path / "missing")
    first.put(KEYS[1], image(10))
    os.utime(Path(filled.directory) / f"{KEYS[0].hex()}.image", (1, 1))
    before = state(filled)
    shared = (missing, first.directory, filled.directory)
    cache = Cache(str(tmp_path / "own"), 1 << 20, shared=shared)
    assert cache.get(KEYS[0]) == image(0)
    assert cache.get(KEYS[1]) == image(10)
    assert cache.get_stamp(digest("stamp")) == {"path": "/x"}
    cache.put(KEYS[1], image(20))
    assert cache.get(KEYS[1]) == image(20)
    assert not cache.put(digest("large"), Image(bytes(1 << 20)))
    assert state(filled) == before
    assert not os.path.exists(missing)
    assert cache.clear() > 0
    assert cache.get(KEYS[0]) == image(0)
    assert Cache(None, 0, shared=(filled.directory,)).get(KEYS[0]) == image(0)


def trusted_owner(monkeypatch, filled, owner: int) -> Cache:
    """A cache of another user over `filled`, whose files belong to `owner`."""
    user = 4711
    monkeypatch.setattr(os, "geteuid", lambda: user)
    real = os.fstat

    def fstat(file):
        status = real(file)
        fields = list(status)
        fields[4] = owner  # st_uid
        return os.stat_result(fields, {"st_mtime": status.st_mtime})

    monkeypatch.setattr(os, "fstat", fstat)
    return Cache(None, 0, shared=(filled.directory,))


@pytest.mark.parametrize("owner, served", [(0, True), (4711, True), (1234, False)])
def test_owners_that_are_trusted(monkeypatch, filled, owner, served):
    cache = trusted_owner(monkeypatch, filled, owner)
    assert (cache.get(KEYS[0]) is not None) is served
    assert (cache.get_stamp(digest("stamp")) is not None) is served


def test_root_is_not_trusted_in_the_own_directory(monkeypatch, filled):
    trusted_owner(monkeypatch, filled, 0)
    assert Cache(filled.directory, 1 << 20).get(KEYS[0]) is None


@pytest.mark.parametrize("mode", [0o664, 0o646])
def test_shared_entries_that_others_can_write_are_ignored_and_counted(filled, mode):
    cache = Cache(None, 0, shared=(filled.directory,))
    (Path(filled.directory) / f"{KEYS[0].hex()}.image").chmod(mode)
    assert cache.get(KEYS[0]) is None
    (state,) = cache.info().shared
    assert (state.entries, state.distrusted) == (3, 1)
    assert len(cache.entries()) == 3


@pytest.mark.parametrize("where", ["own", "shared"])
def test_a_fifo_makes_nobody_wait(tmp_path, where):
    program = f"""
import os
from gpuarray.kernels.compiler.cache import Cache, Image
key, folder = bytes(32), {str(tmp_path / where)!r}
uses = [
    lambda cache: cache.get(key),
    lambda cache: cache.put(key, Image(b"1")),
    lambda cache: cache.claim(key).__enter__(),
    lambda cache: cache.get_stamp(key),
    lambda cache: cache.put_stamp(key, {{"a": "b"}}),
    lambda cache: cache.info(),
    lambda cache: cache.entries(),
    lambda cache: list(cache.stored()),
    lambda cache: cache.clear(),
]
os.mkdir(folder)
for use in uses:
    for name in (key.hex() + ".image", key.hex() + ".stamp", "written", "locks"):
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            os.unlink(path)
        os.mkfifo(path, 0o600)
    use(Cache({str(tmp_path / "own")!r}, 1 << 20, shared=({str(tmp_path / "shared")!r},)))
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=HANG_SECONDS)


def test_a_file_too_large_for_an_entry_is_not_read(filled, tmp_path):
    path = Path(filled.directory) / f"{KEYS[0].hex()}.image"
    os.truncate(path, 1 << 40)  # sparse: it takes no space
    assert filled.get(KEYS[0]) is None
    assert len(filled.entries()) == 3
    assert Cache(None, 1 << 20, shared=(filled.directory,)).get(KEYS[0]) is None


def test_only_prepared_kernels_become_python(monkeypatch, filled):
    monkeypatch.setattr(compiler, "default_cache", lambda: filled)
    assert compiler._load_prepared(KEYS[3]) == image(3).data
    for key in KEYS[:3]:
        assert compiler._load_prepared(key) is None


# -- archives ------------------------------------------------------------------------------------


def test_archive_round_trip(filled, cache, tmp_path):
    one, two = str(tmp_path / "one.zip"), str(tmp_path / "zwei ü.zip")
    assert write_archive(filled, one) == 3
    for path in Path(filled.directory).glob("*.image"):
        os.utime(path, (5, 5))
    assert write_archive(filled, two) == 3
    assert Path(one).read_bytes() == Path(two).read_bytes()
    report = read_archive(cache, two)
    assert (report.imported, report.present, report.problems) == (3, 0, [])
    assert [cache.get(key) for key in KEYS[:3]] == [image(0), image(1, "ptx"), image(2, "lto")]
    assert cache.get(KEYS[3]) is None  # prepared Python stays where it is
    assert {entry.label for entry in cache.entries()} == {
        Label(f"kernel_{at}", "sm_90", "NVRTC") for at in range(3)
    }
    report = read_archive(cache, one)
    assert (report.imported, report.present) == (0, 3)
    assert sorted(os.listdir(tmp_path)) == ["filled", "one.zip", "own", "zwei ü.zip"]


def test_archive_of_some(filled, tmp_path):
    path = str(tmp_path / "some.zip")
    assert write_archive(filled, path, ["*_1", KEYS[2].hex()[:12]]) == 2
    assert write_archive(filled, path, ["nothing"]) == 0


def test_archive_that_cannot_be_written(filled, tmp_path):
    with pytest.raises(OSError):
        write_archive(filled, str(tmp_path / "missing" / "a.zip"))


def test_hostile_archive(cache, tmp_path):
    key, good = KEYS[0].hex(), encode_entry(KEYS[0], image(0), Label("good"))
    lying = bytearray(encode_entry(KEYS[1], image(1), Label()))
    lying[72:76] = b"\xff\xff\xff\xff"  # the number of texts, with a digest that fits
    lying[8:40] = hashlib.sha256(lying[40:]).digest()
    members = {
        "../outside.image": good,
        f"/{key}.image": good,
        f"../{key}.image": good,
        f"{key.upper()}.image": good,
        f"{key}.image\n": good,
        f"{key}.stamp": good,
        f"{KEYS[3].hex()}.image": good,  # another's key
        f"{KEYS[1].hex()}.image": bytes(lying),
        f"{KEYS[2].hex()}.image": encode_entry(KEYS[2], image(2, PREPARED), Label("\x1b[2J")),
        f"{'0' * 64}.image": good[:-1],
        f"{'1' * 64}.image": bytes((1 << 20) + 1),
        f"{key}.image": good,
    }
    path = str(tmp_path / "hostile.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    report = read_archive(cache, path)
    assert report.imported == 1
    assert len(report.problems) == len(members) - 1
    assert all(problem.isprintable() for problem in report.problems)
    text = "\n".join(report.problems)
    for reason in ("not the name", "damaged", "never imported (python)", "larger than"):
        assert reason in text
    assert cache.get(KEYS[0]) == image(0)
    images = [name for name in os.listdir(cache.directory) if name.endswith(".image")]
    assert images == [f"{key}.image"]
    assert sorted(os.listdir(tmp_path)) == ["hostile.zip", "own"]


def test_archive_that_is_none(cache, tmp_path, filled):
    path = tmp_path / "none.zip"
    path.write_text("nothing of the kind")
    with pytest.raises(ValueError, match=r"none.zip' is not an archive"):
        read_archive(cache, str(path))
    write_archive(filled, str(path))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match="not an archive"):
        read_archive(cache, str(path))


def test_archive_with_a_damaged_member(cache, tmp_path, filled):
    path = tmp_path / "damaged.zip"
    write_archive(filled, str(path))
    data = bytearray(path.read_bytes())
    data[100:140] = bytes(40)  # inside the first member's data
    path.write_bytes(data)
    report = read_archive(cache, str(path))
    assert report.imported == 2
    assert len(report.problems) == 1


def test_members_that_are_bloated_or_compressed_otherwise(cache, tmp_path):
    path = str(tmp_path / "bloated.zip")
    entries = [encode_entry(key, image(at), Label()) for at, key in enumerate(KEYS)]
    bloated = encode_entry(KEYS[1], Image(bytes(900_000)), Label())
    members = [
        (KEYS[0], bytes(1 << 20), zipfile.ZIP_DEFLATED),  # zeros, which no entry begins with
        (KEYS[1], bloated[:-1] + b"x", zipfile.ZIP_DEFLATED),
        (KEYS[2], entries[2], zipfile.ZIP_BZIP2),
        (digest("lzma"), entries[2], zipfile.ZIP_LZMA),
        (KEYS[3], entries[3], zipfile.ZIP_STORED),
    ]
    with zipfile.ZipFile(path, "w") as archive:
        for key, data, method in members:
            archive.writestr(f"{key.hex()}.image", data, method)
    report = read_archive(cache, path)
    assert report.imported == 1
    assert cache.get(KEYS[3]) == image(3)
    reasons = dict(problem.split(".image: ") for problem in report.problems)
    assert list(reasons) == [key.hex() for key, _, _ in members[:-1]]
    assert ["damaged" in reason for reason in reasons.values()] == [True, True, False, False]
    assert "method 12" in reasons[KEYS[2].hex()]


def test_an_archive_damaged_anywhere_is_refused_or_imported_in_part(tmp_path, filled):
    """Every failure is an OSError or a ValueError, for which the command has a line."""
    path = tmp_path / "damaged.zip"
    write_archive(filled, str(path))
    intact = path.read_bytes()
    choose = random.Random(0)
    imported = []
    for at in range(300):
        data = bytearray(intact)
        for _ in range(choose.randint(1, 3)):
            data[choose.randrange(len(data))] = choose.randrange(256)
        if at % 10 == 0:
            del data[choose.randrange(len(data)) :]
        path.write_bytes(data)
        cache = Cache(str(tmp_path / "own"), 1 << 20)
        try:
            report = read_archive(cache, str(path))
        except ValueError:
            continue
        imported.append(report.imported)
        assert report.imported + len(report.problems) <= 3
        for at_key, key in enumerate(KEYS[:3]):
            assert cache.get(key) in (None, image(at_key, ("cubin", "ptx", "lto")[at_key]))
        cache.clear()
    assert {2, 3} <= set(imported)


def test_selects():
    assert cache_archive.selects([], "f", "00")
    assert cache_archive.selects(["gpuarray_*"], "gpuarray_add", "00")
    assert not cache_archive.selects(["add"], "gpuarray_add", "00")
    assert cache_archive.selects(["0123abcd"], "f", "0123abcdef")
