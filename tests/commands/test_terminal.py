import io

from gpuarray._commands import terminal


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_table_aligns_text_left_and_figures_right():
    text = terminal.table([["job", "time"], ["a", "1 s"], ["long one", "12 s"]])
    assert text.splitlines() == [
        "job       time",
        "--------  ----",
        "a          1 s",
        "long one  12 s",
    ]


def test_progress_writes_lines_where_there_is_no_terminal():
    stream = io.StringIO()
    assert list(terminal.progress([1, 2], ["one", "two"], stream)) == [1, 2]
    assert stream.getvalue() == "1/2 one\n2/2 two\n"


def test_progress_draws_a_bar_on_a_terminal_and_wipes_it():
    stream = Terminal()
    assert list(terminal.progress([1, 2], ["one", "two"], stream)) == [1, 2]
    drawn = stream.getvalue()
    assert "\n" not in drawn
    assert f"\r[{'#' * 15}{'.' * 15}] 1/2 two" in drawn
    assert drawn.endswith("\r\x1b[K")


def test_units():
    assert terminal.size(5) == "5 bytes"
    assert terminal.size(3 << 20) == "3.0 MiB"
    assert terminal.size(5 << 40) == "5.0 TiB"
    assert terminal.seconds(0.00123) == "1.23 ms"
    assert terminal.seconds(12.345) == "12.3 s"
    assert terminal.seconds(4.5e-6) == "4.50 µs"
    assert terminal.seconds(1e-9) == "0.00 µs"
