"""Lays out the pages of the site: pages.py FOLDER.

Copies docs/, runs the tutorials, makes the reference, and writes FOLDER.yml, the configuration with all benchmarks in it.
"""
import pathlib
import re
import shutil
import sys

import notebooks
import reference

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = ROOT / "tools" / "site"


def title(page):
    return re.search(r"^# (.*)", page.read_text(encoding="utf-8"), re.M)[1]


def link_mentions(text, here):
    """Makes links of pages that are mentioned as docs/NAME.md; code and links stay as they are."""
    up = "../" * here.count("/")
    parts = re.split(r"(^ *```.*?^ *```|`[^`\n]*`|\[[^\]]*\]\([^)]*\))", text, flags=re.S | re.M)
    mention = re.compile(r"(?<![\w/])docs/([\w/-]+\.md)")
    for i in range(0, len(parts), 2):
        parts[i] = mention.sub(lambda m: f"[{m[1][:-3]}]({up}{m[1]})" if (ROOT / "docs" / m[1]).exists() else m[0], parts[i])
    return "".join(parts)


def bring_sources(text, here, pages):
    """Copies files of the tree outside docs/ that a page links to, and leads the links to the copies."""
    up = "../" * here.count("/")

    def lead(match):
        if not (ROOT / match[1]).is_file():
            raise SystemExit(f"{here} links to {match[1]}, which is not in the tree")
        copy = pages / "source" / match[1]
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / match[1], copy)
        return f"]({up}source/{match[1]})"

    return re.sub(r"\]\(" + re.escape(up) + r"\.\./([\w/-][\w./-]*)\)", lead, text)


def hide_marks(text):
    """Says on the page what the marks of blocks say to the tests: a block that is shown and not run carries its reason."""
    text = re.sub(r"<!-- not run: (.*?) -->\n", r"*Shown, not run when this page was made: \1.*\n\n", text)
    return re.sub(r"^```console", "```text", text, flags=re.M)


def configuration(pages):
    """mkdocs.yml with one line for each benchmark, in the order of their titles."""
    benchmarks = sorted((title(page), page.name) for page in (pages / "benchmarks").glob("*.md"))
    lines = "\n".join(f"          - {name!r}: benchmarks/{file}" for name, file in benchmarks)
    text = (HERE / "mkdocs.yml").read_text(encoding="utf-8").replace("      - BENCHMARKS", f"      - Benchmarks:\n{lines}")
    return text.replace("../../build/", "")


def main():
    pages = pathlib.Path(sys.argv[1]).resolve()
    shutil.copytree(ROOT / "docs", pages, ignore=shutil.ignore_patterns("tutorials"))
    for source in sorted((ROOT / "docs" / "tutorials").glob("*.md")):
        notebooks.make(source, pages / "tutorials", ROOT / "build" / "site-tutorials")
    reference.make(ROOT, pages / "reference")
    for page in pages.rglob("*.md"):
        here = page.relative_to(pages).as_posix()
        text = bring_sources(page.read_text(encoding="utf-8"), here, pages)
        page.write_text(hide_marks(link_mentions(text, here)), encoding="utf-8")
    modules = ROOT / "build" / "site-venv" / "node_modules"
    katex = modules / "katex"
    shutil.copytree(katex / "dist" / "fonts", pages / "katex" / "fonts", ignore=shutil.ignore_patterns("*.ttf", "*.woff"))
    for file in (katex / "dist" / "katex.min.js", katex / "dist" / "katex.min.css", katex / "LICENSE"):
        shutil.copy(file, pages / "katex")
    shutil.copy(modules / "iframe-worker" / "shim" / "index.js", pages / "iframe-worker.js")
    for file in ("site.css", "formulas.js"):
        shutil.copy(HERE / file, pages)
    pages.with_suffix(".yml").write_text(configuration(pages), encoding="utf-8")


main()
