"""The tables of docs/performance.md, of the figures that the benchmarks have written.

`TABLES` has a function for each file of docs/figures, by its name: it returns the texts of the
places ``<!-- name -->`` of the page. Columns are libraries, rows what was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

#: Libraries by what they are called in the files and in the tables.
LIBRARIES = {
    "gpuarray": "gpuarray", "cupy": "CuPy", "torch": "PyTorch", "numpy": "NumPy",
    "driver's pool": "driver's pool",
}  # fmt: skip
PEERS = ("gpuarray", "cupy", "torch")
_DTYPES = {
    "f2": "float16", "bf2": "bfloat16", "f4": "float32", "tf32": "TF32", "f8": "float64",
    "c8": "complex64", "c16": "complex128", "i1": "int8", "i4": "int32", "i8": "int64",
}  # fmt: skip

#: A row of most tables: what was measured, and the times of the libraries.
Row = tuple[str, dict[str, float]]


def figure(value: float | None) -> str:
    """Three digits, or as many as the number has before its point."""
    if value is None:
        return ""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """A table, its first column aligned to the left."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def times(first: str, rows: list[Row], targets: dict[str, float | None] | None = None) -> str:
    """A table of times; with targets, of what they may be at most."""
    libraries = [x for x in LIBRARIES if any(x in us for _, us in rows)]
    targets = {name: x for name, x in (targets or {}).items() if x is not None}
    head = [first, *(LIBRARIES[x] for x in libraries), *(["at most", ""] if targets else [])]
    lines = []
    for name, us in rows:
        line = [f"`{name}`", *(figure(us.get(x)) for x in libraries)]
        if targets:
            most = targets.get(name)
            missed = most is not None and us.get("gpuarray", 0.0) > most
            line += [figure(most), "missed" if missed else ""]
        lines.append(line)
    return table(head, lines)


# --- benchmarks/peers.py


def _peers(measured: dict[str, Any]) -> dict[str, str]:
    machine = ", ".join(f"{key} {value}" for key, value in measured["machine"].items())
    rate = measured["copy_bytes_per_s"]["cuMemcpyDtoD"] / 1e12
    return {
        "machine": f"{machine}. A device-to-device copy of 400 MB ran at {rate:.2f} TB/s.",
        "calls": _beside_peers(measured["rows"], "call"),
        "device": _beside_peers(measured["rows"], "device"),
        "startup": _startup(measured["startup"]),
    }


def _beside_peers(rows: list[dict[str, Any]], kind: str) -> str:
    head = ["call" if kind == "call" else "work", "gpuarray", "CuPy", "PyTorch"]
    head += ["of CuPy's"] if kind == "call" else ["of the copy"]
    head += ["at most", ""]
    lines = []
    for row in rows:
        if row["kind"] != kind:
            continue
        us = row["us"]
        if kind == "call":
            both = "gpuarray" in us and "cupy" in us
            share = f"{us['gpuarray'] / us['cupy']:.2f}" if both else ""
        else:
            share = f"{100 * row['of_copy']:.0f} %" if row["of_copy"] else ""
        met = {None: "", True: "", False: "missed"}[row["met"]]
        cells = [figure(us.get(name)) for name in PEERS]
        lines.append([f"`{row['name']}`", *cells, share, figure(row["target_us"]), met])
    return table(head, lines)


def _startup(rows: list[dict[str, Any]]) -> str:
    def milliseconds(row: dict[str, Any], name: str) -> str:
        return figure(1e3 * row["seconds"][name]) if name in row["seconds"] else ""

    return table(
        ["", "gpuarray", "CuPy"],
        [[row["name"], *(milliseconds(row, x) for x in ("gpuarray", "cupy"))] for row in rows],
    )


# --- benchmarks/matrix.py


def _matrix(measured: dict[str, Any]) -> dict[str, str]:
    small, launches = measured["small_us"], measured.get("small_launches", {})
    return {"matrix": _rates(measured["of_copy"]), "small": _small(small, launches)}


def _rates(of_copy: dict[str, dict[str, dict[str, float]]]) -> str:
    dtypes = list(dict.fromkeys(d for row in of_copy.values() for d in row))

    def cell(rates: dict[str, float]) -> str:
        ours, theirs = (f"{100 * rates[n]:.0f}" if n in rates else "–" for n in PEERS[:2])
        return f"{ours} ({theirs})"

    rows = [
        [f"`{name}`", *(cell(row.get(d, {})) for d in dtypes)]
        for name, row in of_copy.items()
        if row
    ]
    return table(["work", *dtypes], rows)


def _small(small: dict[str, dict[str, dict[str, float]]], launches: dict[str, list[int]]) -> str:
    sizes = list(dict.fromkeys(size for row in small.values() for size in row))

    def cell(of_libraries: dict[str, float]) -> str:
        ours, theirs = (figure(of_libraries[n]) if n in of_libraries else "–" for n in PEERS[:2])
        return f"{ours} ({theirs})"

    rows = [
        [
            f"`{name}`",
            *(cell(row.get(s, {})) for s in sizes),
            ", ".join(map(str, dict.fromkeys(launches.get(name, [])))),
        ]
        for name, row in small.items()
        if row
    ]
    return table(["function", *(f"{int(size):,}" for size in sizes), "launches"], rows)


# --- benchmarks/functions.py


def _functions(measured: dict[str, Any]) -> dict[str, str]:
    """The geometric means, then every call."""
    lines = []
    for kind, title in (("device_us", "Device time"), ("call_us", "The cost of a call")):
        of_kind = measured[kind]
        if of_kind["geometric_mean"] is None:  # one of the libraries was not there
            continue
        slower = [f"`{name}` ({ratio:.2f})" for name, ratio in of_kind["slower"].items()]
        lines.append(
            f"{title}: over {of_kind['rows']} rows the geometric mean is "
            f"{of_kind['geometric_mean']:.2f} times CuPy's speed; slower than CuPy's: "
            f"{', '.join(slower) or 'none'}.\n"
        )

    def cells(row: dict[str, Any], kind: str) -> list[str]:
        ours, theirs = (row.get(kind, {}).get(name) for name in PEERS[:2])
        both = ours is not None and theirs is not None
        return [figure(ours), figure(theirs), figure(theirs / ours) if both else ""]

    rows = [
        [f"`{row['name']}`", *cells(row, "device_us"), *cells(row, "call_us")]
        + [str(row.get("launches", ""))]
        for row in measured["rows"]
    ]
    head = ["call", "device, µs", "CuPy", "ratio", "call, µs", "CuPy", "ratio", "launches"]
    return {"functions": "\n".join([*lines, table(head, rows)])}


# --- benchmarks of one subject: device times, and what calls cost the host


def random_rows(measured: dict[str, Any], kind: str = "device") -> list[Row]:
    """The rows of benchmarks/random_numbers.py."""
    return [(f"{x['draw']}, n={x['n']}", x["us"]) for x in measured[kind]]


def _random(measured: dict[str, Any]) -> dict[str, str]:
    targets = [(f"{x['draw']}, n={x['n']}", x["target_us"]) for x in measured["device"]]
    return {
        "random": times("draw", random_rows(measured), dict(targets)),
        "random calls": times("call", random_rows(measured, "call")),
    }


def _ffts(measured: dict[str, Any]) -> dict[str, str]:
    return {
        "ffts": times("transform", list(measured["device"].items())),
        "ffts calls": times("call", list(measured["calls"].items())),
    }


def _special(measured: dict[str, Any]) -> dict[str, str]:
    return {"special": times("function", list(measured["device"].items()))}


def sparse_rows(measured: dict[str, Any]) -> list[Row]:
    """The rows of benchmarks/sparse.py: the call, and the matrix."""
    return [(_of_matrix(x), x["us"]) for x in measured["rows"]]


def _of_matrix(row: dict[str, Any]) -> str:
    dense = f", {row['dense_columns']} columns" if row["dense_columns"] else ""
    elements = f"{row['size']:.0e}".replace("e+0", "e")
    return f"{row['call']}, {row['kind']}, {elements} {row['dtype']}{dense}"


def _sparse(measured: dict[str, Any]) -> dict[str, str]:
    targets = {_of_matrix(x): x["target_us"] for x in measured["rows"]}
    calls = [
        (x["call"] + (f", {x['dense_columns']} columns" if x["dense_columns"] else ""), x["us"])
        for x in measured["calls"]
    ]
    return {
        "sparse": times("product or conversion", sparse_rows(measured), targets),
        "sparse calls": times("call", calls),
    }


# --- benchmarks/fusion.py

_SIDES = {
    "off": "off", "on": "on", "immediate": "immediate", "fuse": "`fuse`", "cupy": "CuPy",
    "cupy.fuse": "`cupy.fuse`", "torch": "PyTorch", "torch.compile": "`torch.compile`",
    "jax.jit": "`jax.jit`",
}  # fmt: skip


def _fusion(measured: dict[str, Any]) -> dict[str, str]:
    programs = {x["name"]: {**x["us"], "bound": x["bound_us"]} for x in measured["programs"]}
    sizes = {
        name: {f"{size}, {mode}": us for size, both in row.items() for mode, us in both.items()}
        for name, row in measured.get("sizes", {}).items()
    }
    tables = {
        "fusion": _by_side("µs", programs),
        "fusion calls": _by_side("host, µs", measured["calls"]),
        "fusion memory": _by_side("MB", measured["memory"], 1e6),
        "fusion sizes": _by_side("µs", sizes),
    }
    return {name: text for name, text in tables.items() if text}


def _by_side(first: str, rows: dict[str, dict[str, float]], unit: float = 1.0) -> str:
    found = list(dict.fromkeys(x for row in rows.values() for x in row))
    sides = sorted(found, key=lambda x: [*_SIDES].index(x) if x in _SIDES else len(_SIDES))
    lines = [
        [f"`{name}`", *(figure(row[x] / unit) if x in row else "" for x in sides)]
        for name, row in rows.items()
    ]
    return table([first, *(_SIDES.get(x, x) for x in sides)], lines) if rows else ""


# --- linear algebra


def _decompositions(measured: dict[str, Any]) -> dict[str, str]:
    texts = [
        times(f"ms, {section['title']}", [(row["call"], row["ms"]) for row in section["rows"]])
        for section in measured["sections"]
    ]
    return {"decompositions": "\n\n".join(texts)}


def _products(measured: dict[str, Any]) -> dict[str, str]:
    rates = [
        (f"{_DTYPES[dtype]}, {size}", of_libraries)
        for (dtype, size), of_libraries in (
            (name.split(), x) for name, x in measured["rates"].items()
        )
    ]
    found = {"products": times("TFLOP/s", rates)}
    found["products calls"] = times("call, µs", list(measured["calls"].items()))
    return found


def _integer_products(measured: dict[str, Any]) -> dict[str, str]:
    rows = [
        (
            f"{_DTYPES[row['dtype']]}, {_shape(row['shapes'][0])} by {_shape(row['shapes'][1])}",
            {name: 1e3 * seconds for name, seconds in row["seconds"].items()},
        )
        for row in measured["integers"]
    ]
    return {"integer products": times("ms", rows)}


def _shape(shape: list[int]) -> str:
    return " x ".join(map(str, shape))


# --- streams, graphs, copies, memory


def _stream_costs(measured: dict[str, dict[str, list[float]]]) -> dict[str, str]:
    rows = [
        (row, {name: 1e6 * spread[0] for name, spread in of_row.items()})
        for row, of_row in measured.items()
    ]
    return {"streams": times("µs", rows)}


def _graphs(measured: dict[str, Any]) -> dict[str, str]:
    texts = {"issued": "issued", "graph": "as a graph"}
    rows = [
        (
            f"{measured['operations']} small operations, {said}",
            {
                name: 1e6 * of_library["call"][way][0]
                for name, of_library in measured["libraries"].items()
            },
        )
        for way, said in texts.items()
    ]
    return {"graphs": times("µs", rows)}


def _transfers(measured: dict[str, Any]) -> dict[str, str]:
    greatest = max(row["bytes"] for row in measured["rates"] if row["bytes"] <= 1 << 28)
    rows = [
        (row["row"], {x: row["bytes"] / s / 1e9 for x, s in row["seconds"].items()})
        for row in measured["rates"]
        if row["bytes"] == greatest
    ]
    return {"transfers": times(f"GB/s of {greatest >> 20} MiB", rows)}


def _memory(measured: dict[str, Any]) -> dict[str, str]:
    libraries = list(next(iter(measured["traces"].values())))
    names = [LIBRARIES[x] for x in libraries]
    head = ["trace", *names, *[f"µs: {x}" for x in names]]
    rows = [
        [name, *(figure(row[x]["ratio"]) for x in libraries)]
        + [figure(row[x]["us"]) for x in libraries]
        for name, row in measured["traces"].items()
    ]
    small = times("µs of an array made and dropped", list(measured["small_us"].items()))
    return {"allocations": table(head, rows), "small allocations": small}


#: By the names of the files in docs/figures.
TABLES: dict[str, Callable[[Any], dict[str, str]]] = {
    "peers": _peers,
    "matrix": _matrix,
    "functions": _functions,
    "random": _random,
    "ffts": _ffts,
    "special": _special,
    "sparse": _sparse,
    "fusion": _fusion,
    "decompositions": _decompositions,
    "products": _products,
    "integer_products": _integer_products,
    "stream_costs": _stream_costs,
    "graphs": _graphs,
    "transfers": _transfers,
    "memory": _memory,
}
