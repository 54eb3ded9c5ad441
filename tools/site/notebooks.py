"""Runs a tutorial as a notebook and writes both: the page with its outputs, and the .ipynb to download.

A tutorial is Markdown. Blocks of python are cells; blocks of bash are cells that start with %%bash -e. A block that begins
with ```bash needs=PROGRAM is run where the program is installed, and says so elsewhere. HTML files that a tutorial writes
come with its page.
"""
import base64
import hashlib
import pathlib
import re
import shutil

import nbclient
import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import macmi

BASH = "%%bash -e\n"
BLOCK = re.compile(r"^```(python|bash)(?: needs=(\S+))?\n(.*?)^```\n", re.S | re.M)


def cells(text):
    """Markdown and code cells in the order of the text."""
    found, end = [], 0
    for block in BLOCK.finditer(text):
        if text[end:block.start()].strip():
            found.append(new_markdown_cell(text[end:block.start()].strip()))
        language, needed, code = block.groups()
        cell = new_code_cell((BASH if language == "bash" else "") + code.rstrip())
        cell.metadata["language"] = language
        if needed and not shutil.which(needed):
            cell.metadata["needs"] = needed
        found.append(cell)
        end = block.end()
    if text[end:].strip():
        found.append(new_markdown_cell(text[end:].strip()))
    return found


class Client(nbclient.NotebookClient):
    """Leaves cells alone whose program is not installed."""

    async def async_execute_cell(self, cell, *arguments, **options):
        return cell if "needs" in cell.metadata else await super().async_execute_cell(cell, *arguments, **options)


def shown(cell, name, number, folder):
    """The outputs of a cell as Markdown."""
    if "needs" in cell.metadata:
        return f"*Not run when this page was made: `{cell.metadata['needs']}` was not installed.*\n"
    parts = []
    for place, output in enumerate(cell.outputs):
        data = output.get("data", {})
        if output.output_type == "stream":
            text = output.text.rstrip("\n")
            parts.append(f"```text\n{text}\n```" if text.strip() else "")
        elif "image/png" in data:
            image = f"{name}-{number}-{place}.png"
            (folder / image).write_bytes(base64.b64decode(data["image/png"]))
            says = re.search(r"^# Figure: (.*)", cell.source, re.M)
            parts.append(f"![{says[1] if says else 'The figure of the block above'}]({image})")
        elif "text/html" in data:
            table = re.sub(r"<style.*?</style>", "", data["text/html"], flags=re.S)  # of pandas; the site has its own
            parts.append(f'<div markdown="0">{table}</div>')
        elif "text/plain" in data:
            parts.append(f"```text\n{data['text/plain']}\n```")
    inside = "\n\n".join(part for part in parts if part)
    return f'<div class="output" markdown="1">\n\n{inside}\n\n</div>\n' if inside else ""


def page(notebook, name, folder):
    link = f"[This page as a notebook]({name}.ipynb){{ .md-button download }}\n"
    parts = []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            parts.append(cell.source + "\n")
            continue
        code = cell.source.removeprefix(BASH)
        parts.append(f"```{cell.metadata['language']}\n{code}\n```\n\n{shown(cell, name, number, folder)}")
    first, rest = parts[0].split("\n", 1)
    return "\n".join([first + "\n", link, rest.lstrip("\n"), *parts[1:]])


def run(source, kept):
    """The executed notebook; taken from the last build while tutorial, program and package are the same."""
    package = pathlib.Path(macmi.__file__).parent
    made_of = [source, pathlib.Path(__file__), pathlib.Path(shutil.which("macmi")), *sorted(package.glob("*.py")), *package.glob("*.so")]
    key = hashlib.sha256(b"".join(hashlib.sha256(file.read_bytes()).digest() for file in made_of)).hexdigest()
    folder = kept / source.stem
    if (folder / "key").exists() and (folder / "key").read_text() == key:
        return nbformat.read(folder / "notebook.ipynb", 4), folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "examples").symlink_to(pathlib.Path(__file__).resolve().parents[2] / "examples")
    notebook = new_notebook(cells=cells(source.read_text(encoding="utf-8")))
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    print(f"running the tutorial {source.stem}", flush=True)
    # The kernel warns that its sockets on this machine are not encrypted.
    quiet = {"extra_arguments": ["--log-level=ERROR"], "resources": {"metadata": {"path": str(folder)}}}
    Client(notebook, timeout=600, coalesce_streams=True, **quiet).execute()
    nbformat.validate(notebook)
    nbformat.write(notebook, folder / "notebook.ipynb")
    (folder / "key").write_text(key)
    return notebook, folder


def make(source, pages, kept):
    notebook, folder = run(source, kept)
    pages.mkdir(exist_ok=True)
    for written in folder.glob("*.html"):
        shutil.copy(written, pages)
    shutil.copy(folder / "notebook.ipynb", pages / f"{source.stem}.ipynb")
    (pages / source.name).write_text(page(notebook, source.stem, pages), encoding="utf-8")
