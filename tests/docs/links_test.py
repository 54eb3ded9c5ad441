"""Every link of README.md, the documentation and the other pages at the top leads to a file and a heading: links_test.py SOURCE."""
import os
import re
import sys
import unicodedata
import unittest

SOURCE = os.path.abspath(sys.argv.pop(1))


def text_of(path):
    """Without code, in which brackets are no links."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```$|`[^`\n]*`", "", file.read(), flags=re.S | re.M)


def anchors(path):
    """The names that headings get, on the site and on pages of repositories alike."""
    with open(path, encoding="utf-8") as file:
        headings = re.findall(r"^#+ (.*)", re.sub(r"^```.*?^```$", "", file.read(), flags=re.S | re.M), re.M)
    plain = (re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading).strip().lower() for heading in headings)
    return {re.sub(r"[\s]", "-", re.sub(r"[^\w\s-]", "", unicodedata.normalize("NFKD", name))) for name in plain}


def markdown():
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [f for f in folders if not f.startswith((".", "build"))]
        if folder == SOURCE or folder.startswith(os.path.join(SOURCE, "docs")):
            yield from (os.path.join(folder, name) for name in names if name.endswith(".md"))


class Links(unittest.TestCase):
    def test_they_lead_somewhere(self):
        seen = 0
        for page in sorted(markdown()):
            for link in re.findall(r"\]\(([^)\s]+)[^)]*\)", text_of(page)):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                where = f"{os.path.relpath(page, SOURCE)}: {link}"
                self.assertTrue(os.path.exists(target), where)
                if anchor:
                    self.assertIn(anchor, anchors(target), where)
                seen += 1
        self.assertGreater(seen, 60)


if __name__ == "__main__":
    unittest.main()
