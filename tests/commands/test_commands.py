"""``python -m gpuarray``: what it prints and its exit status."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

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


@pytest.fixture
def run(tmp_path):
    """Runs Python in a process of its own: the cache of the test session stays as it is."""

    def run_(*arguments: str, cache: str = "kernels", code: int = 0, **settings: str) -> str:
        environment = {**os.environ, "GPUARRAY_CACHE_DIR": str(tmp_path / cache), **settings}
        result = subprocess.run(
            [sys.executable, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert result.returncode == code, result.stderr
        return result.stdout + result.stderr

    return run_


CACHE = ("-m", "gpuarray", "cache")


def test_cache_info_list_and_clear(run):
    assert "0 kernels" in run(*CACHE, "info")
    run("-c", "import gpuarray as cp; cp.asnumpy(cp.arange(5) * 3)")
    assert re.search(r"[1-9]\d* kernels?, ", run(*CACHE, "info"))
    listing = run(*CACHE, "list")
    assert "multiply" in listing
    assert "sm_" in listing or "compute_" in listing
    assert "multiply" not in run(*CACHE, "list", "*arange*")
    run(*CACHE, "list", "no such kernel", code=1)
    assert re.match(r"removed 0 of \d+ kernels", run(*CACHE, "clear", "--older", "1h"))
    assert "'soon' is not an age" in run(*CACHE, "clear", "--older", "soon", code=1)
    assert re.match(r"removed (\d+) of \1 kernels", run(*CACHE, "clear"))
    assert "0 kernels" in run(*CACHE, "info")


def test_cache_list_escapes_what_labels_would_do_to_a_terminal(run, tmp_path):
    from gpuarray.kernels.compiler.cache import Cache, Image, Label

    cache = Cache(str(tmp_path / "kernels"), 1 << 20)
    evil = "\x1b]0;title\x07\x9b2J\r\n\u202e\udc80ä"
    cache.put(bytes(32), Image(b"1", kind=evil), Label(evil, evil, evil))
    listing = run(*CACHE, "list")
    lines = listing.splitlines()
    assert len(lines) == 3
    assert listing.isascii()
    assert all(line.isprintable() for line in lines)
    assert lines[2].count("title") == 4


def test_cache_clear_of_what_is_old(run, tmp_path):
    run("-c", "import gpuarray as cp; cp.asnumpy(cp.arange(5) * 3)")
    files = sorted((tmp_path / "kernels").glob("*.image"))
    os.utime(files[0], (1, 1))
    assert f"removed 1 of {len(files)} kernels" in run(*CACHE, "clear", "--older", "30d")
    assert sorted((tmp_path / "kernels").glob("*.image")) == files[1:]


def test_cache_export_and_import(run, tmp_path):
    run("-c", "import gpuarray as cp; cp.asnumpy(cp.arange(5) * 3)")
    assert "wrote 1 kernel to" in run(*CACHE, "export", "one.zip", "*multiply*")
    assert "wrote 0 kernels" in run(*CACHE, "export", "none.zip", "nothing", code=1)
    assert "wrote 2 kernels" in run(*CACHE, "export", "all.zip")
    assert "No such file" in run(*CACHE, "export", "missing/all.zip", code=1)
    assert "imported 1 kernel; 0 were there" in run(*CACHE, "import", "one.zip", cache="other")
    assert "imported 1 kernel; 1 were there" in run(*CACHE, "import", "all.zip", cache="other")
    shutil.copy(__file__, tmp_path / "none.zip")
    assert "is not an archive" in run(*CACHE, "import", "none.zip", code=1)
    assert "No such file" in run(*CACHE, "import", "nowhere.zip", code=1)
    info = run(*CACHE, "info", cache="third", GPUARRAY_CACHE_DIRS=str(tmp_path / "other"))
    assert "other: 2 kernels, " in info
    assert "third: 0 kernels" in info
    assert "multiply" in run(
        *CACHE, "list", cache="third", GPUARRAY_CACHE_DIRS=str(tmp_path / "other")
    )


def test_cache_warmup(run):
    program = "import gpuarray as cp; cp.asnumpy(cp.arange(5) * 3)"
    run("-c", program, GPUARRAY_RECORD="kernels.jsonl")
    assert "compiled 0 kernels" in run(*CACHE, "warmup", "kernels.jsonl")
    assert "compiled 2 kernels" in run(*CACHE, "warmup", "kernels.jsonl", cache="other")
    report = run(*CACHE, "warmup", "kernels.jsonl", "--architecture", "sm_80", "--threads", "1")
    assert "compiled 2 kernels" in report
    assert "no line" in run(*CACHE, "warmup", __file__, code=1).replace("not a", "no")


def test_unknown_command_shows_the_usage(capsys):
    with pytest.raises(SystemExit) as caught:
        command.main(["fly"])
    assert caught.value.code == 2
    assert "usage: python -m gpuarray" in capsys.readouterr().err


def test_a_cuda_error_is_a_line_and_not_a_traceback(capsys, monkeypatch):
    from gpuarray._commands import info
    from gpuarray.errors import DriverError

    def fail():
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


@pytest.mark.parametrize("arguments", [["doctor"], ["--help"], ["info"], ["cache", "info"]])
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
    assert asked == set(_config.VARIABLES)
