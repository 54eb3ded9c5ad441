"""Opens every page of the site in a headless Chromium: seen.py SITE.

At 380 and 1280 pixels, light and dark: no error of a script, nothing asked of the network, nothing wider than the window.
Search finds a page. Says so and does nothing where there is no Chromium.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "cli"))
from browser import Browser, find_chromium  # noqa: E402

WIDER = """[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1
  && !e.closest('.md-nav, .md-search, .md-sidebar, [hidden], svg, iframe, .katex-mathml') && e.offsetParent !== null
  && !scrolls(e)).length"""
SCROLLS = """window.scrolls = (e) => { for (; e && e !== document.body; e = e.parentElement)
  if (/auto|scroll|hidden/.test(getComputedStyle(e).overflowX)) return true; return false; }; true"""


def faults(browser, site):
    for page in sorted(site.rglob("*.html")):
        name = page.relative_to(site).as_posix()
        if name == "404.html" or not (site.parent / "site-pages" / name).with_suffix(".md").exists():
            continue  # reports of tutorials have tests of their own
        for width, dark in ((380, True), (1280, False)):
            browser.look(width=width, height=900, dark=dark)
            browser.open(page)
            browser.run(SCROLLS)
            if browser.run(WIDER) or browser.run("document.documentElement.scrollWidth") > width:
                yield f"{name}: wider than {width} pixels"
            yield from (f"{name}: {problem}" for problem in browser.problems)
            yield from (f"{name}: asks for {url}" for url in browser.requests if not url.startswith(("file:", "data:", "blob:", "about:")))
            if browser.run("document.querySelectorAll('.arithmatex').length !== document.querySelectorAll('.arithmatex .katex').length"):
                yield f"{name}: a formula is not set"


def search(browser, site):
    """Types a word and waits for a page of that name."""
    browser.open(site / "index.html")
    browser.run("""(() => { const open = document.querySelector('#__search'); open.checked = true;
      open.dispatchEvent(new Event('change', {bubbles: true})); document.querySelector('.md-search__input').focus(); return true; })()""")
    browser.wait("document.querySelector('.md-search-result__meta').textContent.includes('Type to start')")
    browser.call("Input.insertText", text="separating set")
    browser.run("document.querySelector('.md-search__input').dispatchEvent(new KeyboardEvent('keyup', {bubbles: true, key: 't'})); true")
    try:
        browser.wait("[...document.querySelectorAll('.md-search-result__link')].some((a) => a.href.includes('glossary'))", 30)
    except TimeoutError:
        yield "search for 'separating set' does not find the glossary"


def main():
    site, chromium = pathlib.Path(sys.argv[1]).resolve(), find_chromium()
    if not chromium:
        print("no Chromium (tools/setup --browser installs it): the pages were not opened")
        return 0
    with Browser(chromium) as browser:
        found = [*faults(browser, site), *search(browser, site)]
    print("\n".join(found) or "every page was opened in Chromium: no error, nothing from the network, no overflow; search works")
    return 1 if found else 0


sys.exit(main())
