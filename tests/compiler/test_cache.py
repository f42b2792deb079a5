"""The disk cache: keys, entries, failures of the disk, the size cap, several processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import gpuarray.kernels.compiler.cache as cache_module
from gpuarray.kernels.compiler.cache import (
    MAGIC,
    Cache,
    Image,
    Label,
    decode_entry,
    digest,
    encode_entry,
)
from tests.limits import HANG_SECONDS

KEY = digest("a key")
IMAGE = Image(b"\x7fELF and more" * 100, {"f<float>": "_Z1fIfEvv", "g<ünder>": "_Z1g"}, "cubin")
SOURCE = str(Path(cache_module.__file__).parents[3])


@pytest.fixture
def cache(tmp_path):
    return Cache(str(tmp_path / "cache"), 1 << 20)


def entry_path(cache: Cache, key: bytes = KEY) -> Path:
    return Path(cache.directory) / (key.hex() + ".image")


# -- keys ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "one, other",
    [
        (("ab", "c"), ("a", "bc")),
        (("ab",), ("ab", "")),
        (("1",), (1,)),
        (("a",), (b"a",)),
        ((("a", "b"), "c"), ("a", ("b", "c"))),
        ((("a",),), ("a",)),
        ((1,), (-1,)),
        (((), ()), ((),)),
    ],
)
def test_digest_tells_fields_apart(one, other):
    assert digest(*one) != digest(*other)


def test_digest_takes_any_text():
    assert digest("\udc80") != digest("ä\0")


# -- entries -------------------------------------------------------------------------------------


def test_round_trip(cache):
    assert cache.get(KEY) is None
    assert cache.put(KEY, IMAGE)
    assert cache.get(KEY) == IMAGE
    assert Cache(cache.directory, 1).get(KEY) == IMAGE


def test_empty_image_and_no_names(cache):
    cache.put(KEY, Image(b"", {}))
    assert cache.get(KEY) == Image(b"", {})


def test_modes(cache):
    cache.put(KEY, IMAGE)
    assert os.stat(cache.directory).st_mode & 0o777 == 0o700
    assert os.stat(entry_path(cache)).st_mode & 0o777 == 0o600


def test_every_truncation_is_a_miss():
    data = encode_entry(KEY, IMAGE, Label("k"))
    assert decode_entry(KEY, data) == IMAGE
    for length in range(len(data)):
        assert decode_entry(KEY, data[:length]) is None
    assert decode_entry(KEY, data + b"\0") is None


def test_every_flipped_byte_is_a_miss():
    data = bytearray(encode_entry(KEY, Image(b"image", {"a": "b"}), Label("k")))
    for at in range(len(data)):
        data[at] ^= 1
        assert decode_entry(KEY, bytes(data)) is None
        data[at] ^= 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nonsense",
        encode_entry(KEY, IMAGE, Label())[:200],
        b"OTHERMAG" + encode_entry(KEY, IMAGE, Label())[len(MAGIC) :],
        encode_entry(digest("another"), IMAGE, Label()),
    ],
    ids=["empty", "nonsense", "truncated", "magic", "another key"],
)
def test_bad_entry_is_a_miss_and_rewritten(cache, content):
    cache.put(KEY, Image(b"", {}))
    entry_path(cache).write_bytes(content)
    assert cache.get(KEY) is None
    assert cache.put(KEY, IMAGE)
    assert cache.get(KEY) == IMAGE


def test_what_is_not_a_file_is_a_miss(cache, tmp_path):
    cache.put(KEY, IMAGE)
    target = tmp_path / "elsewhere"
    entry_path(cache).rename(target)
    entry_path(cache).symlink_to(target)
    assert cache.get(KEY) is None
    entry_path(cache).unlink()
    entry_path(cache).mkdir()
    assert cache.get(KEY) is None


def test_foreign_entry_is_a_miss_and_rewritten(cache, monkeypatch):
    cache.put(KEY, IMAGE)
    if os.geteuid() == 0:
        os.chown(entry_path(cache), 65534, 65534)
        assert cache.get(KEY) is None
        cache.put(KEY, IMAGE)
        assert os.stat(entry_path(cache)).st_uid == 0
        assert cache.get(KEY) == IMAGE
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert Cache(cache.directory, 1 << 20).get(KEY) is None


def test_entry_that_others_can_write_is_a_miss(cache):
    cache.put(KEY, IMAGE)
    entry_path(cache).chmod(0o666)
    assert cache.get(KEY) is None


# -- disks that fail -----------------------------------------------------------------------------


def refuse(number):
    def open_(path, flags, *rest, _open=os.open):
        if flags & os.O_CREAT:
            raise OSError(number, os.strerror(number), path)
        return _open(path, flags, *rest)

    return open_


@pytest.mark.parametrize("number", [13, 28, 30])  # EACCES, ENOSPC, EROFS
def test_failed_write_warns_once(cache, monkeypatch, number):
    monkeypatch.setattr(os, "open", refuse(number))
    with pytest.warns(RuntimeWarning, match="kept in memory only") as caught:
        assert not any([cache.put(KEY, IMAGE), cache.put(KEY, IMAGE)])
    assert len(caught) == 1
    assert cache.get(KEY) is None


def test_write_that_breaks_off_leaves_nothing(cache, monkeypatch):
    cache.put(KEY, IMAGE)
    real = os.write
    calls = []

    def write(file, data):
        if calls:
            raise OSError(28, "No space left on device")
        calls.append(1)
        return real(file, data[:10])

    monkeypatch.setattr(os, "write", write)
    with pytest.warns(RuntimeWarning, match="No space left"):
        assert not cache.put(KEY, Image(b"other", {}))
    monkeypatch.undo()
    assert cache.get(KEY) == IMAGE
    assert sorted(os.listdir(cache.directory)) == [KEY.hex() + ".image", "written"]


def test_directory_that_cannot_exist(tmp_path):
    (tmp_path / "file").write_text("")
    cache = Cache(str(tmp_path / "file" / "cache"), 1 << 20)
    assert cache.get(KEY) is None
    with pytest.warns(RuntimeWarning, match="GPUARRAY_CACHE_DIR"):
        assert not cache.put(KEY, IMAGE)
    assert not cache.info().writable
    assert cache.entries() == []
    assert cache.clear() == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_read_only_directory(cache):
    cache.put(KEY, IMAGE)
    os.chmod(cache.directory, 0o500)
    try:
        assert cache.get(KEY) == IMAGE
        with pytest.warns(RuntimeWarning):
            assert not cache.put(digest("new"), IMAGE)
    finally:
        os.chmod(cache.directory, 0o700)


def configured(monkeypatch, **settings) -> Cache:
    monkeypatch.setattr(cache_module, "config", cache_module.config._replace(**settings))
    return cache_module._configured_cache()


def test_missing_home(monkeypatch):
    monkeypatch.setattr(cache_module, "home_cache_directory", lambda: None)
    cache = configured(monkeypatch, cache_dir=None, cache_in_memory=False)
    with pytest.warns(RuntimeWarning, match="no home directory"):
        assert not cache.put(KEY, IMAGE)
    assert cache.info().directory is None
    assert "home" in cache.info().note


def test_memory_only_by_request_is_silent(monkeypatch):
    cache = configured(monkeypatch, cache_in_memory=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not cache.put(KEY, IMAGE)
        assert cache.get(KEY) is None


# -- size ----------------------------------------------------------------------------------------


def used_bytes(cache: Cache) -> int:
    return sum(path.stat().st_size for path in Path(cache.directory).glob("*.image"))


def test_size_cap_holds_at_every_write(tmp_path):
    cache = Cache(str(tmp_path / "cache"), 200_000)
    for at in range(300):
        assert cache.put(digest("entry", at), Image(os.urandom(3000 + at), {}))
        assert used_bytes(cache) <= cache.capacity
    assert used_bytes(cache) > cache.capacity * 0.8
    assert cache.get(digest("entry", 299)) is not None
    assert cache.get(digest("entry", 0)) is None


def test_an_image_above_the_capacity_is_not_kept(tmp_path):
    cache = Cache(str(tmp_path / "cache"), 1000)
    assert not cache.put(KEY, Image(bytes(2000), {}))
    assert cache.info().entries == 0


def test_least_recently_used_goes_first(tmp_path):
    cache = Cache(str(tmp_path / "cache"), 20_000)
    keys = [digest("entry", at) for at in range(4)]
    now = time.time()
    for age, key in zip((40_000, 30_000, 20_000, 10_000), keys):
        cache.put(key, Image(bytes(4000), {}))
        os.utime(entry_path(cache, key), (now - age, now - age))
    assert cache.get(keys[0]) is not None  # the oldest was used again
    cache.put(digest("new"), Image(bytes(4000), {}))
    assert cache.get(keys[0]) is not None
    assert cache.get(keys[1]) is None
    assert cache.get(keys[3]) is not None


def test_reading_seldom_writes(cache):
    cache.put(KEY, IMAGE)
    before = entry_path(cache).stat().st_mtime_ns
    cache.get(KEY)
    assert entry_path(cache).stat().st_mtime_ns == before


def test_abandoned_temporary_files_go(tmp_path):
    cache = Cache(str(tmp_path / "cache"), 1 << 20)
    cache.put(KEY, IMAGE)
    old = Path(cache.directory) / f"{KEY.hex()}.image.1.abc.part"
    new = Path(cache.directory) / f"{KEY.hex()}.image.2.abc.part"
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (1, 1))
    (Path(cache.directory) / "written").unlink()  # the next write counts anew
    cache.put(KEY, IMAGE)
    assert not old.exists()
    assert new.exists()


# -- for people ----------------------------------------------------------------------------------


def test_info_entries_clear(cache):
    label = Label("add", "sm_90", "NVRTC 12.9")
    cache.put(KEY, IMAGE, label)
    cache.put(digest("second"), Image(b"x", {}), Label("sub"))
    (Path(cache.directory) / ("0" * 64 + ".image")).write_bytes(b"corrupt")
    (Path(cache.directory) / "README").write_text("not ours")
    info = cache.info()
    assert info.entries == 3
    assert info.bytes == used_bytes(cache)
    assert info.writable
    rows = {row.label.name: row for row in cache.entries()}
    assert set(rows) == {"add", "sub"}
    assert rows["add"].label == label
    assert rows["add"].kind == "cubin"
    assert rows["add"].key == KEY.hex()
    assert cache.clear() >= 3
    assert cache.info().entries == 0
    assert os.listdir(cache.directory) == ["README"]


def test_stamps(cache):
    assert cache.get_stamp(KEY) is None
    cache.put_stamp(KEY, {"path": "/ä", "version": "12.9"})
    assert cache.get_stamp(KEY) == {"path": "/ä", "version": "12.9"}
    assert cache.info().entries == 0


# -- several processes ---------------------------------------------------------------------------

FILL = """
import sys, hashlib
from gpuarray.kernels.compiler.cache import Cache, Image, digest
cache = Cache(sys.argv[1], 1 << 30)
for at in range(int(sys.argv[2])):
    key = digest("entry", at % 50)
    data = hashlib.sha256(key).digest() * 2000
    found = cache.get(key)
    assert found is None or found == Image(data, {"n": str(at % 50)}), at
    assert cache.put(key, Image(data, {"n": str(at % 50)}))
print("done", flush=True)
"""


def run_fill(directory: str, rounds: int) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", FILL, directory, str(rounds)],
        env={**os.environ, "PYTHONPATH": SOURCE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def assert_sound(cache: Cache) -> None:
    for path in Path(cache.directory).glob("*.image"):
        assert decode_entry(bytes.fromhex(path.stem), path.read_bytes()) is not None


def test_two_processes_fill_one_empty_cache(tmp_path):
    cache = Cache(str(tmp_path / "not" / "there"), 1 << 30)
    processes = [run_fill(cache.directory, 300) for _ in range(2)]
    for process in processes:
        out, err = process.communicate(timeout=HANG_SECONDS)
        assert (out, err) == ("done\n", "")
    assert_sound(cache)
    assert len(cache.entries()) == 50
    assert not list(Path(cache.directory).glob("*.part"))


def test_killed_while_writing(tmp_path):
    cache = Cache(str(tmp_path / "cache"), 1 << 30)
    for delay in (0.0, 0.003, 0.006, 0.01, 0.02):
        process = run_fill(cache.directory, 1_000_000)
        while not list(Path(cache.directory).glob("*.image")):
            assert process.poll() is None
            time.sleep(0.002)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert_sound(cache)
    # What the dead left half-written is in nobody's way.
    out, err = run_fill(cache.directory, 60).communicate(timeout=HANG_SECONDS)
    assert (out, err) == ("done\n", "")
    assert len(cache.entries()) == 50
