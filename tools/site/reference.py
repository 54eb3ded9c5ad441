"""The API reference: the Python package by its docstrings as they are at run time, and the public C++ headers."""
import ast
import dataclasses
import importlib
import inspect
import pathlib
import re

MODULES = [("macmi", None), ("macmi.tigramite", ["CMIknn"])]


def prose(docstring):
    """A docstring as Markdown: underlined headings become bold, `name : kind` lines become items."""
    lines, made, item = inspect.cleandoc(docstring or "").split("\n"), [], False
    for i, line in enumerate(lines):
        if re.fullmatch(r"-{3,}", line.strip()):
            continue
        if i + 1 < len(lines) and re.fullmatch(r"-{3,}", lines[i + 1].strip()):
            made.append(f"\n**{line}**\n")
            item = False
        elif described := re.fullmatch(r"(\*{0,2}\w[\w, ]*?) : (.+)", line.strip()):
            made.append(("" if item else "\n") + f"- `{described[1]}`: {plain(described[2])}")
            item = True
        elif item and line.startswith(" "):
            made.append(f"  {plain(line.strip())}")
        elif line.startswith("    "):
            made.append(line)
        else:
            item = item and not line
            made.append(line)
    return "\n".join(made)


def plain(text):
    """Marks in an option's meaning are no Markdown."""
    return re.sub(r"([*<>|])", r"\\\1", text) if "`" not in text else text


def parameter(p):
    """As it is written in the source; annotations are texts there."""
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(p.kind, "")
    kind = "" if p.annotation is p.empty else f": {p.annotation}"
    return f"{stars}{p.name}{kind}" + ("" if p.default is p.empty else f" = {p.default!r}")


def signature(name, thing):
    """One argument a line where the call is long."""
    known = [p for p in inspect.signature(thing).parameters.values() if p.name not in ("self", "cls")]
    written = [parameter(p) for p in known]
    keyword = next((i for i, p in enumerate(known) if p.kind is inspect.Parameter.KEYWORD_ONLY), None)
    if keyword is not None:
        written.insert(keyword, "*")
    together = ", ".join(written)
    inside = together if len(together) < 80 else "\n    " + ",\n    ".join(written) + ",\n"
    return f"```python\n{name}({inside})\n```"


def heading(name):
    """Without the modules, whose names are in small letters up to the first class; a function keeps its own name."""
    parts = name.split(".")
    first = next((i for i, part in enumerate(parts) if part[0].isupper()), len(parts) - 1)
    return ".".join(parts[first:])


def described(name, thing, level):
    parts = [f"{'#' * level} {heading(name)}\n"]
    if dataclasses.is_dataclass(thing):
        says = dict(re.findall(r"^    (\w+): .*?#: (.*)$", inspect.getsource(thing), re.M))
        fields = "\n".join(f"- `{f.name}`: `{f.type}`" + (f", {plain(says[f.name])}" if f.name in says else "")
                           for f in dataclasses.fields(thing))
        return "\n".join([*parts, prose(thing.__doc__), "", fields, ""])
    parts += [signature(name, thing), "", prose(thing.__doc__), ""]
    if inspect.isclass(thing):
        for method, value in vars(thing).items():
            value = value.__func__ if isinstance(value, classmethod) else value
            if method.startswith("_") or not getattr(value, "__doc__", None):
                continue
            if isinstance(value, property):
                parts.append(f"{'#' * (level + 1)} {heading(f'{name}.{method}')}\n\n{prose(value.__doc__)}\n")
            elif inspect.isfunction(value):
                parts.append(described(f"{name}.{method}", value, level + 1))
    return "\n".join(parts)


def python_page():
    parts = ["# The Python package\n"]
    for module_name, names in MODULES:
        module = importlib.import_module(module_name)
        parts.append(f"## {module_name}\n\n{prose(module.__doc__)}\n")
        for name in module.__all__ if names is None else names:
            if not name.startswith("__"):
                parts.append(described(f"{module_name}.{name}", getattr(module, name), 3))
    # causal-learn is not installed with the site: its module is read, not imported.
    text = (pathlib.Path(importlib.import_module("macmi").__file__).parent / "causallearn.py").read_text(encoding="utf-8")
    parts.append(f"## macmi.causallearn\n\n{prose(ast.get_docstring(ast.parse(text)))}\n")
    return "\n".join(parts)


def header(path, root):
    """What a header says of itself, and its text to unfold."""
    text = path.read_text(encoding="utf-8")
    said = re.search(r"((?:^///.*\n)+)", text, re.M)
    about = " ".join(line[3:].strip() for line in said[1].split("\n")) if said and "///   " not in said[1] else ""
    code = "\n".join("    " + line for line in text.rstrip().split("\n"))
    name = path.relative_to(root / "include").as_posix()
    return f'## {name}\n\n{about}\n\n??? note "Declarations"\n\n    ```cpp\n{code}\n    ```\n'


def cpp_page(root):
    headers = sorted((root / "include" / "macmi").glob("*.hpp"), key=lambda p: (p.name != "macmi.hpp", p.name))
    first = "---\nsearch:\n  exclude: true\n---\n# The C++ headers\n\n`#include <macmi/macmi.hpp>` has all of them; it starts with an example.\n"
    return "\n".join([first, *(header(path, root) for path in headers)])


def make(root, folder):
    folder.mkdir(parents=True)
    (folder / "python.md").write_text(python_page(), encoding="utf-8")
    (folder / "cpp.md").write_text(cpp_page(root), encoding="utf-8")
