"""Which headers a source uses, and what the key says of them."""

from __future__ import annotations

import pytest

from gpuarray.kernels.compiler import headers
from gpuarray.kernels.compiler.headers import fingerprint, follow, scan
from gpuarray.kernels.generator.headers import cuda_headers


@pytest.mark.parametrize(
    "line, quoted, angled",
    [
        ('#include "a.h"', ("a.h",), ()),
        ("#include <a.h>", (), ("a.h",)),
        ('  #  include   "a b.h"  // why', ("a b.h",), ()),
        ('/* c */ # /* d */ include /* e */ "a.h"', ("a.h",), ()),
        ('#inc\\\nlude "a.h"', ("a.h",), ()),
        ('%: include "a.h"', ("a.h",), ()),
        ("#include_next <a.h>", (), ("a.h",)),
        ("#if __has_include(<a.h>)", (), ("a.h",)),
        ('#if defined X && __has_include( "a.h" )', ("a.h",), ()),
        ('int include = 3; // include "a.h"', (), ()),
        ('#ifdef X\r\n#include "a.h"\r\n#endif', ("a.h",), ()),
        ("/* a comment\n over lines */ #include <a.h>", (), ("a.h",)),
    ],
)
def test_scan(line, quoted, angled):
    found = scan(f"int before;\n{line}\nint after;")
    assert (found.quoted, found.angled, found.computed) == (quoted, angled, False)


def test_scan_of_a_macro():
    assert scan("#define A <b.h>\n#include A\n").computed


def test_follow_in_memory_headers():
    texts = {
        "a.h": '#include "b.h"\n',
        "b.h": '#include "a.h"\n',  # circles are fine
        "unused.h": "int unused;",
    }
    found = follow("#include <a.h>\nint f;", texts)
    assert found.texts == {"a.h": texts["a.h"], "b.h": texts["b.h"]}
    assert [name for name, _ in found.digests] == ["a.h", "b.h"]
    assert not found.toolkit
    changed = follow("#include <a.h>\nint f;", {**texts, "unused.h": "changed"})
    assert changed.digests == found.digests
    changed = follow("#include <a.h>\nint f;", {**texts, "b.h": "changed"})
    assert changed.digests != found.digests


def test_follow_to_the_toolkit():
    texts = {"a.h": "int a;", "b.h": "int b;"}
    found = follow("#include <cooperative_groups.h>\n#include <a.h>", texts)
    assert found.toolkit
    # A toolkit header could include any of them.
    assert [name for name, _ in found.digests] == ["a.h", "b.h"]
    assert found.texts == texts


def test_follow_files(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "own.h").write_text('#include "sub/inner.h"')
    (tmp_path / "sub" / "inner.h").write_text('#include "beside.h"')
    (tmp_path / "sub" / "beside.h").write_bytes(b"int x; // \xff not UTF-8")
    found = follow('#include "own.h"', {}, [str(tmp_path)])
    assert [name.rsplit("/")[-1] for name, _ in found.digests] == ["own.h", "beside.h", "inner.h"]
    assert not found.toolkit
    (tmp_path / "sub" / "beside.h").write_text("int y;")
    changed = follow('#include "own.h"', {}, [str(tmp_path)])
    assert changed.digests != found.digests
    forced = follow("int z;", {}, [str(tmp_path)], ["own.h"])
    assert forced.digests == changed.digests


def test_computed_include_is_not_exact(tmp_path):
    assert not follow("#include NAME", {}).exact
    assert not follow("#include NAME", {}, [str(tmp_path)]).exact


def test_fingerprint_follows_the_content(tmp_path, monkeypatch):
    monkeypatch.setattr(headers, "_fingerprints", {})
    one, same, other = (tmp_path / name for name in ("one", "same", "other"))
    for folder, version in ((one, 12090), (same, 12090), (other, 12080)):
        folder.mkdir()
        (folder / "cuda.h").write_text(f"#define CUDA_VERSION {version}")
        (folder / "rest.h").write_text("int rest;")
    assert fingerprint(str(one)) == fingerprint(str(same))
    assert fingerprint(str(one)) != fingerprint(str(other))
    (same / "rest.h").write_text("int other_rest;")
    headers._fingerprints.clear()
    assert fingerprint(str(one)) != fingerprint(str(same))
    assert fingerprint(str(tmp_path / "missing"))


def test_device_headers_include_each_other_by_full_name():
    texts = cuda_headers()
    assert texts
    for text in texts.values():
        for name in scan(text).quoted:
            assert name in texts
