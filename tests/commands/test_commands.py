"""``python -m gpuarray``: what it prints and its exit status."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from types import SimpleNamespace

import pytest

from gpuarray import __main__ as command
from tests.limits import HANG_SECONDS


def test_demo_runs_checks_and_times(capsys):
    assert command.main(["demo", "--largest", "1e5"]) == 0
    output, progress = capsys.readouterr()
    lines = output.splitlines()
    assert lines[0].startswith("Device: ")
    for job in ("arange(size).reshape(1000, -1).T * 2", "softplus", "axis=1", "RawKernel"):
        rows = [line for line in lines if job in line]
        assert rows
        assert all(row.endswith("yes") for row in rows)
    assert "1e4" in output
    assert "1e5" in output
    assert lines[-1] == "Every result is as NumPy's."
    assert re.search(r"^1/5 ", progress, re.MULTILINE)


def test_demo_fails_on_a_mismatch(capsys, monkeypatch):
    from gpuarray._commands import demo

    right = demo._expression
    monkeypatch.setattr(demo, "_expression", lambda xp, size: right(xp, size) + (xp is not demo.np))
    assert command.main(["demo", "--largest", "1e4"]) == 1
    output = capsys.readouterr().out
    assert "MISMATCH in arange(size).reshape(1000, -1).T * 2, size 10,000: 10000 of 10000" in output
    assert output.splitlines()[-1] == "FAILED"


def test_demo_skips_what_does_not_fit(capsys, monkeypatch):
    from gpuarray._commands import demo

    monkeypatch.setattr(demo, "_free_host_memory", lambda: 300_000)
    assert command.main(["demo", "--largest", "1e5"]) == 0
    assert "skipped: 2.3 MiB of host memory, 293.0 KiB free" in capsys.readouterr().out


def test_info_names_the_parts(capsys):
    assert command.main(["info"]) == 0
    output = capsys.readouterr().out
    for part in ("gpuarray", "NumPy", "backend", "driver", "device 0", "nvrtc", "cache"):
        assert re.search(rf"(?m)^{re.escape(part)} ", output), part
    assert os.environ["GPUARRAY_CACHE_DIR"] in output


def test_info_as_json_says_the_same(capsys):
    import gpuarray as cp

    assert command.main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    shown = cp.show_config("dicts")
    assert found["gpuarray"] == shown["gpuarray"] == cp.__version__
    assert found["backend"]["description"] == shown["backend"]
    assert f"CUDA {found['driver']['cuda']}" == shown["driver"]
    assert found["devices"][0]["id"] == 0
    assert found["devices"][0]["name"] in shown["device 0"]
    assert found["devices"][0]["memory"] == cp.cuda.Device(0).mem_info[1]
    assert found["cache"]["directory"] == os.environ["GPUARRAY_CACHE_DIR"]
    assert found["nvrtc"] == shown["NVRTC"]
    libraries = [x["path"] for x in found["libraries"]["found"] if x["name"] == "nvrtc"]
    assert libraries[0] in str(shown["nvrtc"])
    assert found["settings"]["GPUARRAY_BACKEND"] == os.environ["GPUARRAY_BACKEND"]


def test_info_says_what_is_missing(capsys, monkeypatch):
    from gpuarray._ffi import driver, locate
    from gpuarray.errors import LibraryNotFoundError, MixedCUDAError

    def missing():
        raise LibraryNotFoundError("there is no driver")

    def mixed():
        raise MixedCUDAError("two versions")

    monkeypatch.setattr(driver, "device_count", missing)
    monkeypatch.setattr(locate, "cuda_major", mixed)
    assert command.main(["info"]) == 0
    output = capsys.readouterr().out
    assert re.search(r"(?m)^devices +not usable: there is no driver$", output)
    assert re.search(r"(?m)^CUDA +not usable: two versions$", output)
    assert command.main(["info", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["devices"] == {"error": "there is no driver"}


def test_version(capsys):
    from gpuarray import __version__

    with pytest.raises(SystemExit) as caught:
        command.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"gpuarray {__version__}\n"


def test_an_interrupt_and_a_closed_pipe(capsys, monkeypatch):
    from gpuarray._commands import info

    def interrupted(as_json):
        raise KeyboardInterrupt

    monkeypatch.setattr(info, "run", interrupted)
    assert command.main(["info"]) == 130
    assert capsys.readouterr().err == "interrupted\n"
    read, write = os.pipe()
    os.close(read)
    found = subprocess.run(
        [sys.executable, "-m", "gpuarray", "info"],
        stdout=write, stderr=subprocess.PIPE, text=True, timeout=HANG_SECONDS,
    )  # fmt: skip
    os.close(write)
    assert (found.returncode, found.stderr) == (1, "")


def test_doctor_finds_no_fault_here(capsys):
    assert command.main(["doctor"]) == 0
    output = capsys.readouterr().out
    assert "FAULT" not in output
    assert "a kernel was compiled and gave the right result" in output


def test_doctor_goes_on_after_a_fault_and_fails(capsys, monkeypatch):
    from gpuarray._commands import doctor

    def broken():
        raise RuntimeError("the sky fell")
        yield

    checks = [("sky", broken, "look up"), *doctor._CHECKS[-2:]]
    monkeypatch.setattr(doctor, "_CHECKS", checks)
    assert command.main(["doctor"]) == 1
    output = capsys.readouterr().out
    assert "FAULT  sky: RuntimeError: the sky fell\n       remedy: look up\n" in output
    assert "gave the right result" in output


PROGRAM = "import gpuarray as cp; cp.asnumpy(cp.arange(5) * 3)"
#: Runs programs and cache commands one after another, and prints the status and text of each.
_IN_TURN = """
import contextlib, io, json, sys
from gpuarray.__main__ import main

found = []
for step in json.loads(sys.argv[1]):
    text, status = io.StringIO(), 0
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        if isinstance(step, str):
            exec(step)
        else:
            status = main(["cache", *step])
    found.append((status, text.getvalue()))
print(json.dumps(found))
"""


@pytest.fixture
def run(tmp_path):
    """Programs and cache commands in a process of their own: the session's cache stays as it is.

    It returns the texts of the commands. Each of `failing` has to fail, and the others not.
    """

    def run_(*steps, failing=(), cache: str = "kernels", **settings: str) -> list[str]:
        result = subprocess.run(
            [sys.executable, "-c", _IN_TURN, json.dumps(steps)],
            env={**os.environ, "GPUARRAY_CACHE_DIR": str(tmp_path / cache), **settings},
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
            cwd=tmp_path,
        )
        assert result.returncode == 0, result.stderr
        found = json.loads(result.stdout)
        for step, (status, text) in zip(steps, found, strict=True):
            assert status == (1 if step in failing else 0), (step, text)
        return [text for step, (_, text) in zip(steps, found) if not isinstance(step, str)]

    return run_


def test_cache_info_list_and_clear(run):
    nothing, soon = ["list", "no such kernel"], ["clear", "--older", "soon"]
    empty, info, listing, part, _, old, wrong, all_, after = run(
        ["info"], PROGRAM, ["info"], ["list"], ["list", "*arange*"], nothing,
        ["clear", "--older", "1h"], soon, ["clear"], ["info"], failing=[nothing, soon],
    )  # fmt: skip
    assert "0 kernels" in empty
    assert re.search(r"[1-9]\d* kernels?, ", info)
    assert "multiply" in listing
    assert "sm_" in listing or "compute_" in listing
    assert "multiply" not in part
    assert re.match(r"removed 0 of \d+ kernels", old)
    assert "'soon' is not an age" in wrong
    assert re.match(r"removed (\d+) of \1 kernels", all_)
    assert "0 kernels" in after


def test_cache_list_escapes_what_labels_would_do_to_a_terminal(run, tmp_path):
    from gpuarray.kernels.compiler.cache import Cache, Image, Label

    cache = Cache(str(tmp_path / "kernels"), 1 << 20)
    evil = "\x1b]0;title\x07\x9b2J\r\n\u202e\udc80ä"
    cache.put(bytes(32), Image(b"1", kind=evil), Label(evil, evil, evil))
    (listing,) = run(["list"])
    lines = listing.splitlines()
    assert len(lines) == 3
    assert listing.isascii()
    assert all(line.isprintable() for line in lines)
    assert lines[2].count("title") == 4


@pytest.mark.slow
def test_cache_clear_of_what_is_old(run, tmp_path):
    run(PROGRAM)
    files = sorted((tmp_path / "kernels").glob("*.image"))
    os.utime(files[0], (1, 1))
    (report,) = run(["clear", "--older", "30d"])
    assert f"removed 1 of {len(files)} kernels" in report
    assert sorted((tmp_path / "kernels").glob("*.image")) == files[1:]


@pytest.mark.slow
def test_cache_export_and_import(run, tmp_path):
    none, missing = ["export", "none.zip", "nothing"], ["export", "missing/all.zip"]
    one, found_none, all_, no_folder = run(
        PROGRAM, ["export", "one.zip", "*multiply*"], none, ["export", "all.zip"], missing,
        failing=[none, missing],
    )  # fmt: skip
    assert "wrote 1 kernel to" in one
    assert "wrote 0 kernels" in found_none
    assert "wrote 2 kernels" in all_
    assert "No such file" in no_folder
    shutil.copy(__file__, tmp_path / "none.zip")
    no_archive, nowhere = ["import", "none.zip"], ["import", "nowhere.zip"]
    one, all_, wrong, no_file = run(
        ["import", "one.zip"], ["import", "all.zip"], no_archive, nowhere,
        cache="other", failing=[no_archive, nowhere],
    )  # fmt: skip
    assert "imported 1 kernel; 0 were there" in one
    assert "imported 1 kernel; 1 were there" in all_
    assert "is not an archive" in wrong
    assert "No such file" in no_file
    info, listing = run(
        ["info"], ["list"], cache="third", GPUARRAY_CACHE_DIRS=str(tmp_path / "other")
    )
    assert "other: 2 kernels, " in info
    assert "third: 0 kernels" in info
    assert "multiply" in listing


@pytest.mark.slow
def test_cache_warmup(run):
    run(PROGRAM, GPUARRAY_RECORD="kernels.jsonl")
    wrong = ["warmup", __file__]
    older = ["warmup", "kernels.jsonl", "--architecture", "sm_80", "--threads", "1"]
    again, others, refused = run(["warmup", "kernels.jsonl"], older, wrong, failing=[wrong])
    assert "compiled 0 kernels" in again
    assert "compiled 2 kernels" in others
    assert "no line" in refused.replace("not a", "no")
    (report,) = run(["warmup", "kernels.jsonl"], cache="other")
    assert "compiled 2 kernels" in report


def test_unknown_command_shows_the_usage(capsys):
    with pytest.raises(SystemExit) as caught:
        command.main(["fly"])
    assert caught.value.code == 2
    assert "usage: python -m gpuarray" in capsys.readouterr().err


def test_a_cuda_error_is_a_line_and_not_a_traceback(capsys, monkeypatch):
    from gpuarray._commands import info
    from gpuarray.errors import DriverError

    def fail(as_json):
        raise DriverError("cuInit", 100, "CUDA_ERROR_NO_DEVICE")

    monkeypatch.setattr(info, "run", fail)
    assert command.main(["info"]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("DriverError: cuInit failed with CUDA_ERROR_NO_DEVICE (100)")
    assert "doctor" in errors


def _command(*arguments, **variables):
    """``python -m gpuarray`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "gpuarray", *arguments],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [["doctor"], ["--help"], ["cache", "info"]])
def test_invalid_variables_are_explained(arguments):
    found = _command(*arguments, GPUARRAY_CACHE_SIZE="much", GPUARRAY_DEBUG="perhaps")
    assert "Traceback" not in found.stderr
    for text in ("GPUARRAY_CACHE_SIZE='much' is not understood", "GPUARRAY_DEBUG='perhaps'"):
        assert text in found.stderr
        assert (text in found.stdout) is (arguments == ["doctor"])
    assert found.returncode == {"doctor": 1, "--help": 0}.get(arguments[0], 2)
    if arguments == ["doctor"]:
        assert "a kernel was compiled and gave the right result" in found.stdout


def test_programs_still_fail_at_an_invalid_variable():
    found = subprocess.run(
        [sys.executable, "-c", "import gpuarray"],
        env={**os.environ, "GPUARRAY_DEBUG": "perhaps"},
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert "ValueError: GPUARRAY_DEBUG='perhaps' is not understood" in found.stderr


@pytest.mark.parametrize(
    "arguments, is_command",
    [
        ("python -m gpuarray doctor", True),
        ("python -X dev -W error -Im gpuarray", True),
        ("python -mgpuarray", True),
        ("python -m pytest -m gpuarray", False),
        ("python script.py -m gpuarray", False),
        ("python -c code -m gpuarray", False),
        ("python", False),
    ],
)
def test_which_command_lines_are_ours(arguments, is_command):
    from gpuarray import _config

    assert _config._runs_command(arguments.split()) is is_command


def _settings(monkeypatch, **variables):
    from gpuarray import _config
    from gpuarray._commands import doctor

    for name in _config.given_variables():
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(_config, "config", _config.Config.from_environment(os.environ))
    return [(x.level, x.text, x.remedy) for x in doctor._settings()]


def test_doctor_names_misspelt_variables(monkeypatch):
    found = _settings(monkeypatch, GPUARRAY_BACKND="cuda", GPUARRAY_WEATHER="fine")
    assert {x[:2] for x in found} == {
        ("FAULT", "GPUARRAY_BACKND is no variable of gpuarray"),
        ("note", "GPUARRAY_WEATHER is no variable of gpuarray"),
    }
    assert ("it is GPUARRAY_BACKEND" in [x[2] for x in found]) is True
    assert _settings(monkeypatch, GPUARRAY_DEBUG="1")[0][1] == "settings: GPUARRAY_DEBUG=1"


def test_doctor_names_unusable_paths(monkeypatch, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    faults = {
        "GPUARRAY_CACHE_DIRS": (tmp_path / "nowhere", "is no directory"),
        "GPUARRAY_RECORD": (tmp_path, "it is a folder"),
        "GPUARRAY_DUMP_SOURCE": (file, "it is no folder"),
    }
    for name, (path, reason) in faults.items():
        found = _settings(monkeypatch, **{name: path})
        assert found[0][0] == "FAULT"
        assert name in found[0][1]
        assert str(path) in found[0][1]
        assert reason in found[0][1]
    found = _settings(monkeypatch, GPUARRAY_RECORD=tmp_path / "no" / "file")
    assert found[0][0] == "FAULT"
    for name, path in (
        ("GPUARRAY_RECORD", tmp_path / "new"),
        ("GPUARRAY_RECORD", file),
        ("GPUARRAY_DUMP_SOURCE", tmp_path / "new" / "folder"),
        ("GPUARRAY_CACHE_DIRS", tmp_path),
    ):
        assert [x[0] for x in _settings(monkeypatch, **{name: path})] == ["ok"]


# --- what can be wrong, simulated


def _reports(check):
    return [(x.level, x.text, x.remedy) for x in check()]


@pytest.mark.parametrize(
    "status, name, remedy",
    [
        (None, "", "install NVIDIA's driver"),
        (100, "CUDA_ERROR_NO_DEVICE", "unset CUDA_VISIBLE_DEVICES"),
        (34, "CUDA_ERROR_STUB_LIBRARY", "take the folder `stubs` out of LD_LIBRARY_PATH"),
        (802, "CUDA_ERROR_SYSTEM_NOT_READY", "nvidia-fabricmanager"),
        (803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "restart the machine"),
        (804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "take their folder `compat` out"),
        (999, "CUDA_ERROR_UNKNOWN", "sudo modprobe nvidia-uvm"),
    ],
)
def test_doctor_without_a_usable_driver(monkeypatch, capsys, status, name, remedy):
    from gpuarray._commands import doctor
    from gpuarray._ffi import backend, driver

    class Library:
        def cuInit(self, flags):
            return status

    def open_driver(file):
        if status is None:
            raise OSError(f"{file}: cannot open shared object file")
        return Library()

    monkeypatch.setattr(backend, "ctypes", SimpleNamespace(CDLL=open_driver))
    for wanted in ("auto", "cuda"):
        monkeypatch.setattr(backend, "config", backend.config._replace(backend=wanted))

        def describe():
            backend.warn_of_fallback(backend.select())
            return "emulator"

        monkeypatch.setattr(driver, "describe", describe)
        monkeypatch.setattr(doctor, "_CHECKS", [("device", doctor._backend, "none")])
        assert doctor.run() == (wanted == "cuda")
        output = capsys.readouterr().out
        assert output.startswith("note" if wanted == "auto" else "FAULT")
        assert name in output
        if status is not None or wanted == "auto":
            assert remedy in output.partition("remedy: ")[2]
        if wanted == "auto":
            assert "GPUARRAY_BACKEND=emulator" in output


@pytest.mark.parametrize(
    "supported, major, level, remedy",
    [
        (11080, 12, "FAULT", "update NVIDIA's driver to 525 or newer"),
        (12040, 13, "FAULT", "set GPUARRAY_CUDA_MAJOR=12"),
        (12040, 12, "ok", ""),
        (13000, 12, "ok", ""),
    ],
)
def test_doctor_compares_the_driver_with_the_libraries(
    monkeypatch, supported, major, level, remedy
):
    from gpuarray._commands import doctor
    from gpuarray._ffi import driver, locate

    monkeypatch.setattr(driver, "driver_version", lambda: supported)
    monkeypatch.setattr(locate, "cuda_major", lambda: major)
    ((found, _, said),) = _reports(doctor._versions)
    assert found == level
    assert remedy in said
    if supported == 11080:
        assert "GPUARRAY_CUDA_MAJOR" not in said  # there is nothing for CUDA 11
    if "MAJOR" in said:
        assert "580 or newer" in said
        assert "pip install nvidia-cuda-nvrtc-cu12 " in said


def test_doctor_without_the_compiler_or_with_mixed_versions(monkeypatch):
    from gpuarray._commands import doctor
    from gpuarray._ffi import locate
    from gpuarray.errors import LibraryNotFoundError, MixedCUDAError

    def library(name):
        if name == "nvrtc":
            raise LibraryNotFoundError("no NVRTC")
        if name == "cufft":
            raise MixedCUDAError("cufft of CUDA 13 only")
        return f"/lib/{name}"

    monkeypatch.setattr(locate, "library", library)
    found = {text: (level, remedy) for level, text, remedy in _reports(doctor._libraries)}
    level, remedy = found["no NVRTC; nothing can be compiled without it"]
    assert level == "FAULT"
    assert remedy == f"pip install {locate.wheel('nvrtc')}"
    assert found["cufft of CUDA 13 only"] == ("note", f"pip install {locate.wheel('cufft')}")
    assert found["cublas: /lib/cublas"] == ("ok", "")


def test_doctor_without_headers(monkeypatch, tmp_path):
    from gpuarray._commands import doctor
    from gpuarray._ffi import locate
    from gpuarray.errors import LibraryNotFoundError

    def none():
        raise LibraryNotFoundError("the headers of CUDA 12 were not found")

    def notes():
        found = _reports(doctor._libraries)
        return [(text, remedy) for level, text, remedy in found if level == "note"]

    monkeypatch.setattr(locate, "include_directories", none)
    (remedy,) = [remedy for text, remedy in notes() if "only kernels with an #include" in text]
    assert remedy.startswith(f"pip install {locate.wheel('runtime')} ")
    monkeypatch.setattr(locate, "include_directories", lambda: (str(tmp_path),))
    (remedy,) = [remedy for text, remedy in notes() if "core libraries" in text]
    assert remedy == f"pip install {locate.wheel('cccl')}"


@pytest.fixture
def own_cache(monkeypatch, tmp_path):
    from gpuarray.kernels.compiler import cache

    made = cache.Cache(str(tmp_path / "kernels"), 1 << 20)
    monkeypatch.setattr(cache, "default_cache", lambda: made)
    return made


def _cache_reports():
    from gpuarray._commands import doctor

    return [(level, text) for level, text, _ in _reports(doctor._cache)]


def test_doctor_tries_the_cache(own_cache, tmp_path):
    ((level, text),) = _cache_reports()
    assert level == "ok"
    assert str(tmp_path / "kernels") in text
    assert os.listdir(tmp_path / "kernels") == []


def test_doctor_and_a_cache_that_cannot_be_written(own_cache, monkeypatch, tmp_path):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(own_cache, "write", full)
    assert _cache_reports()[-1] == (
        "FAULT", f"{tmp_path / 'kernels'} cannot be written: No space left on device"
    )  # fmt: skip
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(own_cache, "directory", str(tmp_path / "file" / "kernels"))
    assert _cache_reports()[0][0] == "FAULT"


def test_doctor_and_a_cache_that_others_can_write(own_cache, monkeypatch):
    assert _cache_reports()[-1][0] == "ok"
    write = own_cache.write

    def for_all(path, data):
        write(path, data)
        os.chmod(path, 0o666)

    monkeypatch.setattr(own_cache, "write", for_all)
    level, text = _cache_reports()[-1]
    assert level == "FAULT"
    assert "cannot be trusted" in text


def test_doctor_and_kernels_that_cannot_be_read(own_cache):
    from gpuarray.kernels.compiler.cache import SUFFIX, Image

    for number in range(3):
        own_cache.put(bytes([number]) * 32, Image(b"1", kind="ptx"))
    os.chmod(os.path.join(own_cache.directory, f"{bytes(32).hex()}{SUFFIX}"), 0o666)
    level, text = _cache_reports()[-1]
    assert level == "note"
    assert "1 of 3 kernels" in text


def test_doctor_suggests_no_version_without_a_compiler(monkeypatch):
    from gpuarray._commands import doctor
    from gpuarray._ffi import locate

    here = locate.report()
    other = locate.cuda_major() + 1

    def notes(names):
        more = [locate.Found(x, f"/{x}", "wheel", other, False) for x in names]
        monkeypatch.setattr(locate, "report", lambda: [*here, *more])
        return [x for x in doctor._libraries() if "are installed" in x.text]

    assert notes(["headers"])[0].remedy == ""
    assert f"GPUARRAY_CUDA_MAJOR={other}" in notes(["headers", "nvrtc"])[0].remedy


def test_every_variable_is_known():
    from gpuarray import _config

    asked = set()

    class Environment(dict):
        def get(self, name, default=None):
            asked.add(name)
            return default

    _config.Config.from_environment(Environment())
    # Some are CuPy's, where the package's own are not set.
    assert {x for x in asked if not x.startswith("CUPY_")} == set(_config.VARIABLES)
