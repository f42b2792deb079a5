"""Options and fixtures of the tests that look at the built site in a browser."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import threading
from pathlib import Path

import pytest

# The session `browser` of noxfile.py has it; others have no site to look at.
collect_ignore = [] if importlib.util.find_spec("playwright") else ["test_browser.py"]

ROOT = Path(__file__).resolve().parents[2]


class _Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def built():
    """The folder of the built site."""
    folder = ROOT / "docs" / "_build"
    assert (folder / "index.html").exists(), "build the site first: nox -s site"
    return folder


@pytest.fixture(scope="session")
def address(built):
    """Where the site is served on this machine."""
    handler = functools.partial(_Silent, directory=str(built))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser():
    """Headless Chromium: the system's, or playwright's own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        paths = [
            path for path in ("/usr/bin/chromium", "/usr/bin/google-chrome") if Path(path).exists()
        ]
        launched = playwright.chromium.launch(
            executable_path=paths[0] if paths else None, args=["--no-sandbox"]
        )
        yield launched
        launched.close()
