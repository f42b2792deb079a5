"""Every form of ``#include``: a kernel made after a header was edited has what the header says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest

import gpuarray as cp
from gpuarray.cuda import compiler
from gpuarray.errors import CompileError

KERNEL = '\nextern "C" __global__ void k(int* x) { *x = VALUE; }\n'
#: What an edit changes: the text has the same length before and after.
VALUE = "#define VALUE 1\n"
EDITED = "#define VALUE 2\n"
PRESENT = "#if __has_include({0})\n#define VALUE 2\n#else\n#define VALUE 1\n#endif\n"


class Form(NamedTuple):
    """One way to include a header."""

    name: str
    code: str
    #: By path below a temporary directory, which ``{}`` in code and options stands for.
    files: dict[str, str] = {"inc/h.h": VALUE}  # noqa: RUF012
    options: tuple[str, ...] = ("-I{}/inc",)
    #: The file that is edited, or made where it was not there.
    edit: str = "inc/h.h"


FORMS = [
    Form("quoted", '#include "h.h"'),
    Form("angled", "#include <h.h>"),
    Form("no space", '#include"h.h"'),
    Form("tab, form feed and vertical tab", '\t#\f\tinclude\v"h.h"'),
    Form("carriage return", '#\rinclude "h.h"'),
    Form("CRLF", 'int a;\r\n#include "h.h"\r\n'),
    Form("digraph", '%:include "h.h"'),
    Form("trigraph", '??=include "h.h"', options=("-I{}/inc", "-std=c++14")),
    Form("continued keyword", '#inc\\\nlude "h.h"'),
    Form("continued by CRLF", '#inc\\\r\nlude "h.h"'),
    Form("continued name", '#include "h\\\n.h"'),
    Form("continued by a trigraph", '#inc??/\nlude "h.h"', options=("-I{}/inc", "-std=c++14")),
    Form("comment before", '/* a */ # /* b */ include /* c */ "h.h"'),
    Form("comment over lines before", '/* a\n b */ #include "h.h"'),
    Form("comment over lines after the number sign", '# /* a\n b */ include "h.h"'),
    Form("comment over lines after the keyword", '#include /* a\n b */ "h.h"'),
    Form("comment after", '#include "h.h" // and more\n'),
    Form("absolute path", '#include "{}/inc/h.h"', options=()),
    Form("absolute path in angles", "#include <{}/inc/h.h>", options=()),
    Form("parent directory", '#include "sub/../h.h"', {"inc/h.h": VALUE, "inc/sub/x": ""}),
    Form("here", '#include "./h.h"'),
    Form("not ASCII", '#include "ä.h"', {"inc/ä.h": VALUE}, edit="inc/ä.h"),
    Form(
        "not ASCII in a header",
        '#include "outer.h"',
        {"inc/outer.h": '#include "größe.h"\n', "inc/größe.h": VALUE},
        edit="inc/größe.h",
    ),
    Form(
        "not UTF-8",
        '#include "\udce4.h"',
        {"inc/\udce4.h": VALUE},
        edit="inc/\udce4.h",
    ),
    Form("macro", '#define NAME "h.h"\n#include NAME'),
    Form("macro in angles", "#define NAME <h.h>\n#include NAME"),
    Form("macro of an option", "#include NAME", options=("-I{}/inc", '-DNAME="h.h"')),
    Form("macro of a path", '#define NAME "{}/inc/h.h"\n#include NAME', options=()),
    Form("stringized", "#define S(x) #x\n#define NAME S(h.h)\n#include NAME"),
    Form(
        "macro in a header",
        '#include "outer.h"',
        {"inc/outer.h": '#define NAME "h.h"\n#include NAME\n', "inc/h.h": VALUE},
    ),
    Form("include_next", "#include_next <h.h>"),
    Form(
        "include_next in a header",
        '#include "h.h"',
        {"first/h.h": "#include_next <h.h>\n", "inc/h.h": VALUE},
        ("-I{}/first", "-I{}/inc"),
    ),
    Form(
        "quoted include_next in a header",
        '#include "h.h"',
        {"first/h.h": '#include_next "h.h"\n', "inc/h.h": VALUE},
        ("-I{}/first", "-I{}/inc"),
    ),
    Form("has_include", PRESENT.format('"h.h"'), {"inc/x": ""}),
    Form("has_include in angles", PRESENT.format("<h.h>"), {"inc/x": ""}),
    Form("has_include of a path", PRESENT.format('"{}/inc/h.h"'), {"inc/x": ""}, ()),
    Form("has_include with spaces", PRESENT.format(' "h.h" '), {"inc/x": ""}),
    Form("has_include of a macro", '#define NAME "h.h"\n' + PRESENT.format("NAME"), {"inc/x": ""}),
    Form(
        "has_include in a macro",
        "#define HAS(x) __has_include(x)\n"
        + PRESENT.format("<h.h>").replace("__has_include", "HAS"),
        {"inc/x": ""},
    ),
    Form(
        "has_include_next",
        '#include "h.h"',
        {"first/h.h": PRESENT.format("<h.h>").replace("include", "include_next"), "inc/x": ""},
        ("-I{}/first", "-I{}/inc"),
    ),
    Form(
        "a directory that comes first",
        '#include "h.h"',
        {"first/x": "", "inc/h.h": VALUE},
        ("-I{}/first", "-I{}/inc"),
        "first/h.h",
    ),
    Form(
        "nested",
        '#include "sub/outer.h"',
        {"inc/sub/outer.h": '#include "inner.h"\n', "inc/sub/inner.h": VALUE},
        edit="inc/sub/inner.h",
    ),
    Form(
        "nested, from a parent directory",
        '#include "sub/outer.h"',
        {"inc/sub/outer.h": '#include "../h.h"\n', "inc/h.h": VALUE},
    ),
    Form(
        "nested, and found beside only later",
        '#include "sub/outer.h"',
        {"inc/sub/outer.h": '#include "h.h"\n', "inc/h.h": VALUE},
        edit="inc/sub/h.h",
    ),
    Form(
        "nested, in angles",
        '#include "sub/outer.h"',
        {"inc/sub/outer.h": "#include <h.h>\n", "inc/h.h": VALUE},
    ),
    Form(
        "beside a symbolic link",
        '#include "link/h.h"',
        {"real/h.h": '#include "beside.h"\n', "inc/link/beside.h": VALUE},
        edit="inc/link/beside.h",
    ),
    Form("option -I in two", '#include "h.h"', options=("-I", "{}/inc")),
    Form("option -I with a space", '#include "h.h"', options=("-I {}/inc",)),
    Form("option -I with =", '#include "h.h"', options=("-I={}/inc",)),
    Form("option -I of the current directory", '#include "h.h"', options=("-I../inc",)),
    Form("option --include-path", '#include "h.h"', options=("--include-path={}/inc",)),
    Form("option -include", "", options=("-include=h.h", "-I{}/inc")),
    Form("option -include in two", "", options=("-include", "h.h", "-I{}/inc")),
    Form("option --pre-include", "", options=("--pre-include=h.h", "-I{}/inc")),
    Form("option -include of a path", "", options=("-include={}/inc/h.h",)),
    Form(
        "in place of the toolkit's",
        "#include <cuda/version>",
        {"inc/x": "", "inc/cuda/std/version": VALUE},
        edit="inc/cuda/std/version",
    ),
]  # fmt: skip


@pytest.fixture
def make(tmp_path, monkeypatch):
    """Make the files of a form; a function that says what a kernel made now computes."""
    (tmp_path / "current").mkdir()
    monkeypatch.chdir(tmp_path / "current")

    def write(path: str, text: str) -> None:
        (tmp_path / path).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / path).write_text(text)

    def value(code: str, options: tuple[str, ...]) -> int:
        code, *options = [text.replace("{}", str(tmp_path)) for text in (code, *options)]
        x = cp.zeros(1, "i")
        cp.RawKernel(code + KERNEL, "k", tuple(options))((1,), (1,), (x,))
        return int(x[0])

    return write, value


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_an_edited_header_is_seen(form, make, tmp_path, request):
    write, value = make
    if form.name == "in place of the toolkit's":
        request.getfixturevalue("core_headers")
    for path, text in form.files.items():
        write(path, text)
    if form.name == "beside a symbolic link":
        os.symlink(tmp_path / "real/h.h", tmp_path / "inc/link/h.h")
    assert value(form.code, form.options) == 1
    write(form.edit, EDITED)
    assert value(form.code, form.options) == 2


@pytest.mark.parametrize(
    "code, options",
    [
        ('#include "h.h"', ()),
        ('#include "./h.h"', ()),
        ('#include "../current/h.h"', ()),
        ('#include "h.h"', ("-I{}",)),
        ('#define NAME "h.h"\n#include NAME', ()),
        ('#include_next "h.h"', ()),
        ("", ("-include=h.h",)),
        ("", ("--pre-include", "h.h")),
    ],
)
def test_the_current_directory_is_not_searched(code, options, make):
    write, value = make
    write("current/h.h", VALUE)
    with pytest.raises(CompileError, match="cannot open source file|could not open source file"):
        value(code, options)
    assert value(code, (*options, "-I.")) == 1


def test_the_current_directory_has_nothing_for_has_include(make):
    write, value = make
    write("current/h.h", VALUE)
    assert value(PRESENT.format('"h.h"'), ()) == 1


def test_the_current_directory_has_nothing_for_in_memory_headers(make):
    write, _ = make
    write("current/h.h", EDITED)
    write("current/sub/h.h", EDITED)
    write("inc/h.h", VALUE)
    outer = '#include "h.h"\n'
    for name in ("outer.h", "sub/outer.h"):
        for options in ((), (f"-I{Path.cwd().parent}/inc",)):
            code = f'#include "{name}"\n#if VALUE == 2\n#error found\n#endif' + KERNEL
            if options:
                compiler.compile(code, name="k", headers={name: outer}, options=options)
            else:
                with pytest.raises(CompileError) as caught:
                    compiler.compile(code, name="k", headers={name: outer})
                assert f"{name}(1)" in str(caught.value)
                assert '> 1 | #include "h.h"' in str(caught.value)


def test_a_program_in_its_own_directory_shows_its_own_lines(make):
    _, value = make
    with pytest.raises(CompileError) as caught:
        value('#include "h.h"\n', ("-include=other.h",))
    assert "/dev/null" not in str(caught.value)
    with pytest.raises(CompileError) as caught:
        compiler.compile('int a;\n#include "h.h"\n', name='we"ird')
    text = str(caught.value)
    assert 'we"ird.cu(2): ' in text
    assert '> 2 | #include "h.h"' in text
    assert "/dev/null" not in text
    assert "Not a directory" not in text


def test_a_source_file_that_asks_for_has_include_is_kept(make, tmp_path):
    code = "#ifdef __has_include\n#define A\n#endif\n#if defined(__has_include)\n#endif\n" + KERNEL
    code = "#define VALUE 1\n" + code
    first = cp.RawModule(code=code, options=(f"-I{tmp_path}",))
    second = cp.RawModule(code=code, options=(f"-I{tmp_path}",))
    assert first.load() is second.load()


@pytest.mark.parametrize("preamble", ['#include "h.h"', '#define NAME "h.h"\n#include NAME'])
def test_kernels_with_declared_parameters_see_an_edited_header(preamble, make, tmp_path):
    write, _ = make
    options = (f"-I{tmp_path}/inc",)
    x = cp.arange(3, dtype="i")
    for text, factor in ((VALUE, 1), (EDITED, 2)):
        write("inc/h.h", text)
        scale = cp.ElementwiseKernel(
            "T x", "T y", "y = VALUE * x", "scale", preamble=preamble, options=options
        )
        assert scale(x).tolist() == [0, factor, 2 * factor]
        total = cp.ReductionKernel(
            "T x", "T y", "VALUE * x", "a + b", "y = a", "0", "total", preamble=preamble,
            options=options,
        )  # fmt: skip
        assert int(total(x)) == 3 * factor


def test_a_changed_module_file_is_seen(tmp_path):
    path = tmp_path / "k.ptx"
    source = 'extern "C" __global__ void k(int* x) { *x = %d; }'
    for number in (1, 2):
        image = bytes(compiler.compile(source % number, name="k", kind="ptx"))
        path.write_bytes(image)
        os.utime(path, (1_000_000_000, 1_000_000_000))  # as tools do that keep times
        x = cp.zeros(1, "i")
        cp.RawModule(path=str(path)).get_function("k")((1,), (1,), (x,))
        assert int(x[0]) == number


@pytest.mark.parametrize("option", ["--create-pch={}", "--time={}"])
def test_an_option_that_writes_a_file_writes_it_each_time(option, tmp_path):
    path = tmp_path / "written"
    code = "#include <cuda_fp16.h>\n#define VALUE 1" + KERNEL
    for _ in range(2):
        compiler.compile(code, name="k", options=(option.format(path),))
        assert path.exists()
        path.unlink()
