"""The programs of the gallery run, small, and their results are right."""

from __future__ import annotations

import importlib.util
import io
import runpy
import sys
import tokenize
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "examples").glob("*.py"))

matplotlib = pytest.importorskip("matplotlib")

#: Sizes for the emulated device.
SMALL = {
    "bifurcation": "--width 64 --height 50 --steps 100",
    "cells": "--size 64",
    "find_a_race": "--size 1000",
    "heat": "--size 32 --seconds 0.2",
    "kmeans": "--every 16 --colours 4",
    "life": "--size 32 --generations 20",
    "mandelbrot": "--height 48 --iterations 50",
    "nbody": "--stars 20 --steps 12",
    "option_prices": "--paths 4000 --days 8",
    "overlap": "--size 1000 --pieces 4",
    "pagerank": "",
    "patches": "--side 6 --every 12",
    "poisson": "--size 64",
    "spectrogram": "--seconds 1 --window 256",
    "tiled_product": "--size 32",
}


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a program of the gallery; its names at the end. Its picture is not empty."""
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    picture = tmp_path / "picture.png"

    def run_program(name: str) -> dict:
        arguments = [*SMALL[name].split(), "--save", str(picture)]
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *arguments])
        with matplotlib.rc_context():
            names = runpy.run_path(str(ROOT / "examples" / f"{name}.py"), run_name="__main__")
            plt.close("all")
        assert capsys.readouterr().out.strip(), "it says what it has found"
        pixels = plt.imread(picture)[..., :3].reshape(-1, 3)
        assert len(np.unique(pixels, axis=0)) > 20
        return names

    return run_program


def test_every_program_is_listed():
    assert sorted(SMALL) == [path.stem for path in PROGRAMS]
    place = ROOT / "docs" / "generate" / "gallery.py"
    spec = importlib.util.spec_from_file_location("gallery", place)
    gallery = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(gallery)
    assert sorted(gallery.ORDER) == [path.name for path in PROGRAMS]
    assert len(PROGRAMS) >= 14


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_form(path, monkeypatch, capsys):
    """Each fits a page, is read like the others, and explains its arguments."""
    text = path.read_text("utf-8")
    no_code = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {token.start[0] for token in tokens if token.type not in no_code}
    assert 20 <= len(lines) <= 80
    assert "\nimport gpuarray as cp\n" in text
    monkeypatch.setattr(sys, "argv", [path.name, "--help"])
    with pytest.raises(SystemExit) as end:
        runpy.run_path(str(path), run_name="__main__")
    assert end.value.code == 0
    assert "--save FILE" in capsys.readouterr().out


def test_heat(run):
    names = run("heat")
    (_, plate), *_, (_, result) = names["snapshots"]
    for _ in range(names["steps"]):
        inner = plate[1:-1, 1:-1]
        around = plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:]
        plate[1:-1, 1:-1] = inner + np.float32(0.2) * (around - 4 * inner)
    np.testing.assert_allclose(result, plate, rtol=1e-4, atol=1e-3)


def test_life(run):
    names = run("life")
    alive = np.random.default_rng(1).random((32, 32), dtype=np.float32) < 0.25
    for population in names["population"].get():
        assert population == pytest.approx(alive.mean())
        last = alive
        near = sum(
            np.roll(alive.astype(int), (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1)
        )
        alive = (near == 3) | (alive & (near == 4))
    np.testing.assert_array_equal(names["alive"].get(), last)


def test_mandelbrot(run):
    names = run("mandelbrot")
    c = names["re"].get() + 1j * names["im"].get()
    z, left = np.zeros_like(c), np.zeros(c.shape, dtype=bool)
    for _ in range(50):
        z = np.where(left, z, z * z + c)
        left |= abs(z) >= 16
    assert (names["inside"].get() != ~left).mean() < 0.005


def test_nbody(run):
    names = run("nbody")
    x, y, mass = (names[key].get().astype(float) for key in ("x", "y", "mass"))
    dx, dy = x - x[:, None], y - y[:, None]
    pull = mass / (dx * dx + dy * dy + 0.01) ** 1.5
    found = [part.get() for part in names["acceleration"](names["x"], names["y"], names["mass"])]
    np.testing.assert_allclose(found[0], (pull * dx).sum(axis=1), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(found[1], (pull * dy).sum(axis=1), rtol=1e-3, atol=1e-4)
    assert abs((mass * names["vx"].get()).sum()) < 1e-2  # the momentum is kept


def test_poisson(run):
    names = run("poisson")
    assert names["difference"] < 0.2  # of differences of neighbours on 64 points
    n = 64
    k = 2 * np.pi * np.fft.fftfreq(n, 1 / n)
    waves = np.fft.fft2(names["density"].get()) / np.where(
        (square := k**2 + k[:, None] ** 2) > 0, square, np.inf
    )
    np.testing.assert_allclose(names["potential"].get(), np.fft.ifft2(waves).real, atol=1e-12)


def test_spectrogram(run):
    names = run("spectrogram")
    assert names["error"] < 100  # Hz
    windows = np.lib.stride_tricks.sliding_window_view(names["sound"].get(), 256)[::64]
    expected = np.fft.rfft(windows * np.hanning(256), axis=1)
    np.testing.assert_allclose(names["spectrum"].get(), expected, atol=1e-9)


def test_cells(run):
    names = run("cells")
    assert names["found"] == int(names["present"].sum()) > 0


def test_kmeans(run):
    names = run("kmeans")
    assert names["errors"] == sorted(names["errors"], reverse=True)
    label, pixels = names["label"].get(), names["pixels"].get()
    means = [pixels[label == k].mean(axis=0) for k in range(4)]
    np.testing.assert_allclose(names["colours"].get(), means, rtol=1e-4)


def test_patches(run):
    names = run("patches")
    singular = np.linalg.svd(names["rows"].get(), compute_uv=False).astype(float) ** 2
    np.testing.assert_allclose(names["explained"], (singular / singular.sum()).cumsum(), rtol=1e-3)


def test_option_prices(run):
    names = run("option_prices")
    error = float(names["error"][-1])
    assert abs(float(names["european"][-1]) - names["formula"]) < 4 * error
    assert 0 < float(names["asian"][-1]) < names["formula"]


def test_pagerank(run):
    names = run("pagerank")
    dense = names["matrix"].toarray().get()
    n = len(dense)
    dense[:, names["idle"].get()] = 1 / n
    expected = np.linalg.solve(np.eye(n) - 0.85 * dense, np.full(n, 0.15 / n))
    np.testing.assert_allclose(names["rank"].get(), expected, atol=1e-6)


def test_bifurcation(run):
    names = run("bifurcation")
    visits, r = names["visits"].get(), names["r"].get()
    np.testing.assert_array_equal(visits.sum(axis=0), 100)
    assert visits[:, 0].argmax() == int((1 - 1 / r[0]) * 50)  # a single point
    exponent = names["exponent"].get()
    assert exponent[0] == pytest.approx(np.log(abs(2 - r[0])), rel=1e-3)
    assert exponent[-1] == pytest.approx(np.log(2), rel=0.1)


def test_tiled_product(run):
    names = run("tiled_product")  # which compares the products
    assert names["sizes"] == [16, 32]
    assert all(min(values) > 0 for values in names["speed"].values())


def test_find_a_race(run, backend):
    names = run("find_a_race")
    late, expected = names["late"].get(), names["expected"].get()
    thread = np.arange(1000) % 256
    inside = ((thread % 32 >= 4) | (thread < 4)) & ((thread % 32 < 28) | (thread >= 252))
    np.testing.assert_array_equal(late[inside], expected[inside])
    assert (late[~inside] < expected[~inside]).all()
    if backend == "emulator":
        assert [finding.kind for finding in names["checked"].findings] == ["races"]


def test_overlap(run):
    names = run("overlap")
    expected = np.float32(0.5)
    for _ in range(names["args"].rounds):
        expected = np.float32(3.7) * expected * (1 - expected)
    if names["args"].rounds < 10:  # later on rounding has made another orbit of it
        np.testing.assert_allclose(names["result"], expected, rtol=1e-5)
    for times in names["spans"].values():
        assert all(events == sorted(events) for events in times)
