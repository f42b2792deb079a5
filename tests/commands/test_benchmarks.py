"""The benchmarks run: their figures mean nothing here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _run(*arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
def test_peers_measures_every_row(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run(
        "benchmarks/peers.py", "--quick", "--kind=call", "--kind=device", f"--json={figures}"
    )
    listed = _run("benchmarks/peers.py", "--list", "--quick").splitlines()
    result = json.loads(figures.read_text())
    assert [row["name"] for row in result["rows"]] == [line[8:] for line in listed]
    assert all(row["us"]["gpuarray"] > 0 and not row["faults"] for row in result["rows"])
    assert result["copy_bytes_per_s"]["cuMemcpyDtoD"] > 0
    assert "add(a, b, out=)" in table


def test_only_chooses_rows():
    listed = _run("benchmarks/peers.py", "--list", "--only=a + b", "--only=/^exp.a/")
    assert [line[8:] for line in listed.splitlines()] == [
        "a + b",
        "exp(a)",
        "a + b",
        "exp(a, out=)",
    ]


@pytest.mark.slow
def test_the_matrix(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run(
        "benchmarks/matrix.py", "--quick", "--dtypes", "f4", "i1", "--only=sum", f"--json={figures}"
    )
    result = json.loads(figures.read_text())
    rates = {name: row for name, row in result["of_copy"].items() if row}
    assert "sum, axis 0" in rates
    assert "cumsum" in result["small_us"]
    assert all(set(row) == {"f4", "i1"} for row in rates.values())
    assert all(rate["gpuarray"] > 0 for row in rates.values() for rate in row.values())
    assert "per cent of the copy" in table


@pytest.mark.slow
def test_decompositions(tmp_path):
    figures = tmp_path / "figures.json"
    only = ["--only=eig", "--only=solve", "--only=cholesky"]
    table = _run("benchmarks/decompositions.py", "--quick", *only, f"--json={figures}")
    result = json.loads(figures.read_text())
    rows = [row for section in result["sections"] for row in section["rows"]]
    assert {row["call"] for row in rows} >= {"linalg.eigh(s)", "linalg.eig(a)"}
    for row in rows:
        assert row["ms"]["gpuarray"] > 0, row
        assert "gpuarray" not in row["errors"]
        assert (row["residual"]["gpuarray"] or 0) < 1e4
    assert "one matrix: 1 x 34 x 34, f8 (ms)" in table
    result = _run("benchmarks/decompositions.py", "--quick", "--drivers")
    assert "eigh of 3 x 34 x 34: batched" in result


@pytest.mark.slow
def test_library_calls(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run("benchmarks/library_calls.py", "--quick", f"--json={figures}")
    for rows in json.loads(figures.read_text()).values():
        assert all(0 < least <= middle <= most for middle, least, most in rows.values())
    assert "beside the bare call" in table


@pytest.mark.slow
@pytest.mark.emulator
def test_two_devices(tmp_path, monkeypatch):
    monkeypatch.setenv("GPUARRAY_EMULATED_DEVICES", "2")
    figures = tmp_path / "figures.json"
    table = _run("benchmarks/two_devices.py", "--quick", f"--json={figures}")
    result = json.loads(figures.read_text())
    kinds = {row["kind"]: row for row in result["rows"]}
    assert list(kinds) == [
        "copies by peer access", "copies without access", "device time, µs", "cost of a call, µs"
    ]  # fmt: skip
    assert set(kinds["copies without access"]["seconds"]) == {"bare call"}
    assert all(x["median"] > 0 for row in result["rows"] for x in row["seconds"].values())
    assert "64 KiB, 0 to 1" in table


@pytest.mark.slow
def test_graphs(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run("benchmarks/graphs.py", "--quick", f"--json={figures}")
    found = json.loads(figures.read_text())["libraries"]["gpuarray"]
    assert "issued" in found["call"]
    assert all(0 < x[1] <= x[0] <= x[2] for kind in ("call", "whole") for x in found[kind].values())
    assert "times as fast" in table


@pytest.mark.slow
def test_fusion(tmp_path):
    figures = tmp_path / "figures.json"
    _run(
        "benchmarks/fusion.py", "--quick", "--sides=off,on,fuse", "--row=a + b", f"--json={figures}"
    )
    found = json.loads(figures.read_text())
    assert all({"off", "on"} <= set(x["us"]) for x in [*found["programs"], *found["rows"]])
    assert min(found["calls"]["five operations"].values()) > 0


@pytest.mark.slow
@pytest.mark.emulator
def test_collectives(tmp_path, monkeypatch):
    from benchmarks import collectives

    # NCCL's own definition: all-reduce moves each byte twice, less what a rank keeps.
    assert collectives.bus_bytes("all-reduce", 1000, 4) == 1500
    assert collectives.bus_bytes("all-gather", 1000, 4) == 750
    assert collectives.bus_bytes("broadcast", 1000, 4) == 1000
    monkeypatch.setenv("GPUARRAY_EMULATED_DEVICES", "2")
    figures = tmp_path / "figures.json"
    table = _run("benchmarks/collectives.py", "--quick", f"--json={figures}")
    rows = json.loads(figures.read_text())["rows"]
    assert [row["kind"] for row in rows] == ["bus bandwidth"] * 4 + ["cost of a call"] * 4
    assert all(row["seconds"]["gpuarray"]["median"] > 0 for row in rows)
    assert "reduce-scatter, 64 KiB" in table


def test_functions_measures_its_rows(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run(
        "benchmarks/functions.py",
        "--quick",
        "--only=roll(a, 7)",
        "--only=a_out[mask] = 0",
        "--only=a.T",
        f"--json={figures}",
    )
    rows = {row["name"]: row for row in json.loads(figures.read_text())["rows"]}
    assert set(rows) == {"roll(a, 7)", "a_out[mask] = 0", "a.T"}
    assert rows["roll(a, 7)"]["launches"] >= 1
    assert rows["a.T"]["launches"] == 0
    assert all(row["call_us"]["gpuarray"] > 0 and not row["faults"] for row in rows.values())
    assert {name for name, row in rows.items() if "device_us" in row} == set(rows) - {"a.T"}
    assert "roll(a, 7)" in table


def test_a_row_takes_its_names_from_outside():
    from benchmarks import functions

    assert functions.names_of("a_out[mask] += add(a, b)") == ["a_out", "mask", "add", "a", "b"]
    assert functions.names_of("total(roll(m, y) for y in (-1, 1))") == ["total", "roll", "m"]
    ours = {"gpuarray": 1.0, "cupy": 4.0}
    theirs = {"gpuarray": 2.0, "cupy": 1.0}
    rows = [{"name": "f(a)", "call_us": ours}, {"name": "g(a)", "call_us": theirs}]
    result = functions.summary([*rows, {"name": "h(a)", "call_us": {"gpuarray": 1.0}}])["call_us"]
    assert result == {"rows": 2, "geometric_mean": pytest.approx(2**0.5), "slower": {"g(a)": 0.5}}


@pytest.mark.slow
def test_transfers(tmp_path):
    figures = tmp_path / "figures.json"
    tables = [f"--only={name}" for name in ("rates", "overlap", "knobs", "threshold")]
    table = _run("benchmarks/transfers.py", "--quick", *tables, f"--json={figures}")
    result = json.loads(figures.read_text())
    assert {row["row"] for row in result["rates"]} >= {"to the device, pinned"}
    assert all(row["seconds"]["gpuarray"] > 0 for row in result["rates"])
    assert result["overlap"]["gpuarray"]["together"] > 0
    assert set(result["knobs"]["best"]) == set(result["threshold"]["best"])
    assert "best: PIECE_BYTES" in table


@pytest.mark.parametrize(
    "options", [[], pytest.param(["--without-driver"], marks=pytest.mark.slow)]
)
def test_costs_of_streams(tmp_path, options):
    figures = tmp_path / "figures.json"
    table = _run("benchmarks/stream_costs.py", "--quick", *options, f"--json={figures}")
    result = json.loads(figures.read_text())
    assert "with stream: pass" in table
    assert all(row["gpuarray"][0] > 0 for row in result.values())


@pytest.mark.slow
def test_costs_of_hooks(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run("benchmarks/hook_costs.py", "--quick", f"--json={figures}")
    result = json.loads(figures.read_text())
    assert "in LineProfileHook: a + b" in table
    assert all(row["gpuarray"][0] > 0 for row in result.values())


@pytest.mark.slow
def test_profiling(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run("benchmarks/profiling.py", "--quick", f"--json={figures}")
    result = json.loads(figures.read_text())
    for when in ("before a trace", "in a trace", "after a trace"):
        assert when in table
        assert all(least > 0 for _, least, _ in result[when].values())
    assert result["benchmark"]["gpuarray"]["gpu"] > 0


@pytest.mark.slow
def test_memory(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run("benchmarks/memory.py", "--quick", f"--json={figures}")
    result = json.loads(figures.read_text())
    assert all(row["gpuarray"]["ratio"] >= 1 for row in result["traces"].values())
    assert all(row["gpuarray"] > 0 for row in result["small_us"].values())
    assert "reserved beside used" in table


@pytest.mark.slow
def test_integer_products(tmp_path):
    figures = tmp_path / "figures.json"
    table = _run(
        "benchmarks/integer_products.py", "--quick", "--tiles", "--small", f"--json={figures}"
    )
    result = json.loads(figures.read_text())
    assert all(row["seconds"]["gpuarray"] > 0 for row in result["integers"])
    assert {"chosen", "32x32"} <= result["tiles"][0]["seconds"].keys()
    assert all(row["device"]["own"] > 0 < row["call"]["cuBLAS"] for row in result["small"])
    assert "device (call), µs" in table


@pytest.mark.slow
def test_soak():
    assert "allocations in" in _run("benchmarks/soak.py", "--count=300", "--threads=3")


@pytest.mark.slow
def test_products(tmp_path):
    figures = tmp_path / "figures.json"
    _run(
        "benchmarks/products.py", "--quick", "--only", "shapes", "calls", "first",
        f"--json={figures}",
    )  # fmt: skip
    result = json.loads(figures.read_text())
    assert result["calls"]["m @ m, 4 x 4"]["gpuarray"] > 0
    assert all("gpuarray" in row for row in result["shapes"].values())
    assert result["first"]["create"] > 0


@pytest.mark.slow
def test_product_drivers(tmp_path):
    figures = tmp_path / "figures.json"
    _run("benchmarks/product_drivers.py", "--quick", f"--json={figures}")
    report = json.loads(figures.read_text())
    assert all({"own", "TN", "Lt TN", "a @ b"} <= row.keys() for row in report["bytes"].values())
    assert all({"cuBLAS", "Lt 0"} <= row.keys() for row in report["products"].values())


@pytest.mark.slow
def test_contractions(tmp_path):
    figures = tmp_path / "figures.json"
    _run("benchmarks/contractions.py", "--quick", f"--json={figures}")
    result = json.loads(figures.read_text())
    for table in ("einsum", "norms", "calls"):
        assert all(row["gpuarray"] > 0 for row in result[table].values())


@pytest.mark.slow
def test_ffts(tmp_path):
    figures = tmp_path / "figures.json"
    _run("benchmarks/ffts.py", "--quick", f"--json={figures}")
    result = json.loads(figures.read_text())
    assert all(row["gpuarray"] > 0 for row in result["device"].values())
    assert all(row["gpuarray"] > 0 for row in result["calls"].values())


@pytest.mark.slow
def test_sparse_products_are_measured(tmp_path):
    figures = tmp_path / "figures.json"
    _run("benchmarks/sparse.py", "--quick", "--only=a @", f"--json={figures}")
    rows = json.loads(figures.read_text())["rows"]
    assert {row["call"] for row in rows} == {"a @ x", "a @ a"}
    assert all(row["us"]["gpuarray"] > 0 and not row["errors"].get("gpuarray") for row in rows)


@pytest.mark.slow
def test_sparse_arrays_of_many_dimensions_are_measured(tmp_path):
    figures = tmp_path / "figures.json"
    _run("benchmarks/sparse_dimensions.py", "--quick", f"--json={figures}")
    times = json.loads(figures.read_text())["us"]
    assert {"sum_duplicates", "c @ columns"} < set(times)
    assert all(row["gpuarray"] > 0 for row in times.values())


@pytest.mark.slow
def test_sparse_solvers_are_measured():
    lines = _run("benchmarks/sparse_solvers.py", "--quick").splitlines()
    kinds = {line.split()[0] for line in lines}
    assert {"check", "triangle", "incomplete", "dense", "qr", "scipy"} <= kinds
    assert all(line.endswith("different_results 1") for line in lines if line[:5] == "check")
