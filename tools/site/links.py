"""Checks the built site: every link leads to a file and an anchor that are there, and nothing is loaded from elsewhere."""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loads = {"", "__skip", "__comments"}, [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[name] for name in ("id", "name") if values.get(name))
        if tag == "a" and values.get("href") is not None:
            self.links.append(values["href"])
        if values.get("src"):
            self.loads.append(values["src"])
        if tag == "link" and values.get("href"):
            self.loads.append(values["href"])


def faults(site):
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    for path, page in sorted(pages.items()):
        for link in page.links + page.loads:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme in ("http", "https") or link.startswith("//"):
                if link in page.loads:
                    yield f"{path.relative_to(site)}: loads {link}"
                continue
            if parts.scheme or path.name == "404.html":  # data:, mailto:; 404.html speaks of the root of a server
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.relative_to(site)}: {link} leads nowhere"
            elif target in pages and urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                yield f"{path.relative_to(site)}: {link}: there is no such anchor"


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    found = sorted(set(faults(site)))
    print("\n".join(found) if found else f"{sum(1 for _ in site.rglob('*.html'))} pages, no broken link")
    sys.exit(1 if found else 0)


main()
