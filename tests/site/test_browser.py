"""The built site in a real browser: links, search, a phone's width, a dark theme."""

from __future__ import annotations

from urllib.parse import urldefrag, urljoin

import pytest

PAGES = {
    "start": "index.html",
    "guide": "streams-and-graphs.html",
    "gallery": "gallery/index.html",
    "program": "gallery/nbody.html",
    "reference": "reference/index-gpuarray.html",
    "function": "reference/gpuarray.linalg.svd.html",
    "performance": "performance.html",
}
NAMES = (
    "concatenate", "RawKernel", "svd", "rfftn", "default_rng", "MemoryPool", "Stream", "einsum",
    "lambertw", "benchmark",
)  # fmt: skip


@pytest.fixture
def page(browser, address):
    """An empty page; what its console or the network complains of fails the test."""
    context = browser.new_context()
    found = context.new_page()
    faults: list[str] = []
    found.on(
        "console", lambda m: faults.append(f"{found.url}: {m.text}") if m.type == "error" else None
    )
    found.on("pageerror", lambda error: faults.append(f"{found.url}: {error}"))
    found.on(
        "response",
        lambda r: faults.append(f"{found.url}: {r.url}: {r.status}") if r.status >= 400 else None,
    )
    # Nothing is fetched from elsewhere: the site works without a network.
    context.route(
        lambda url: not url.startswith(address), lambda route: route.fulfill(status=200, body="")
    )
    yield found
    context.close()
    assert not faults, "\n".join(faults)


#: The identifiers and the links of a page, which the browser fetches and parses, but does not show.
PARSED = """async url => {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    return [
        [...page.querySelectorAll('[id]')].map(x => x.id),
        [...page.querySelectorAll('a[href]')].map(x => x.getAttribute('href')),
    ];
}"""


def test_every_internal_link(page, address):
    """Each link within the site leads to a place that is there."""
    start = f"{address}/index.html"
    page.goto(start)
    waiting, places, wanted = [start], {}, {}
    while waiting:
        url = waiting.pop()
        if url in places:
            continue
        identifiers, links = page.evaluate(PARSED, url)
        places[url] = set(identifiers)
        for link in links:
            target, anchor = urldefrag(urljoin(url, link))
            if not target.startswith(address):
                continue
            wanted.setdefault((target, anchor), url)
            if target.endswith(".html"):
                waiting.append(target)
    assert len(places) > 500
    missing = [
        f"{source} links to {target}#{anchor}"
        for (target, anchor), source in wanted.items()
        if anchor and target in places and anchor not in places[target]
    ]
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("name", NAMES)
def test_search(page, address, name):
    page.goto(f"{address}/search.html?q={name}")
    page.wait_for_selector("#search-results li a")
    titles = page.eval_on_selector_all(
        "#search-results li a", "found => found.map(x => x.textContent)"
    )
    assert any(name in title for title in titles), titles[:5]


def test_pictures(page, address):
    """Every program of the gallery has a picture, there and on its own page."""
    page.goto(f"{address}/gallery/index.html")
    sizes = """found => Promise.all(found.map(x => {
        x.loading = 'eager';
        return x.decode().then(() => x.naturalWidth, () => 0);
    }))"""
    thumbnails = page.eval_on_selector_all(".sphx-glr-thumbcontainer img", sizes)
    programs = page.eval_on_selector_all(
        ".sphx-glr-thumbcontainer a[href]", "found => [...new Set(found.map(x => x.href))]"
    )
    assert len(thumbnails) == len(programs) >= 14
    assert min(thumbnails) > 100
    for program in programs:
        page.goto(program)
        pictures = page.eval_on_selector_all("article img.sphx-glr-single-img", sizes)
        assert pictures, f"{program} has no picture"
        assert min(pictures) > 300, program


def test_the_bar_is_one_line(page, address):
    """The names of the parts fit beside the search on a laptop's screen."""
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"{address}/index.html")
    assert page.locator(".bd-header").bounding_box()["height"] < 90


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_phone(page, address, path):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}/{path}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator("h1").first.is_visible()


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_dark_theme(page, address, path):
    page.emulate_media(color_scheme="dark")
    page.goto(f"{address}/{path}")
    luminance = """element => {
        const style = getComputedStyle(document.querySelector(element[0]));
        const parts = style[element[1]].match(/[\\d.]+/g);
        const [r, g, b] = parts.slice(0, 3).map(x => {
            const y = x / 255;
            return y <= 0.04045 ? y / 12.92 : ((y + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }"""
    behind = page.evaluate(luminance, ["body", "backgroundColor"])
    text = page.evaluate(luminance, ["article p", "color"])
    assert behind < 0.1
    assert (text + 0.05) / (behind + 0.05) > 4.5  # WCAG's contrast for text


def test_screenshots(page, address, built):
    folder = built / "screenshots"
    folder.mkdir(exist_ok=True)
    page.set_viewport_size({"width": 1280, "height": 900})
    for name, path in PAGES.items():
        page.goto(f"{address}/{path}")
        page.screenshot(path=str(folder / f"{name}.png"))
        assert (folder / f"{name}.png").stat().st_size > 10_000
