"""The blocks of code of README.md and docs/, and the data files that they speak of."""
import csv
import dataclasses
import gzip
import os
import random
import re

NOT_CODE = {"text", "json", "mermaid", "cmake"}  # cmake: tests/package builds a project with these very lines
LANGUAGES = NOT_CODE | {"bash", "console", "python", "cpp"}
BLOCK = re.compile(r"(?:<!-- not run: (?P<reason>.+?) -->\n)?^```(?P<language>[\w-]*)[^\n]*\n(?P<code>.*?)^```$", re.S | re.M)


@dataclasses.dataclass
class Block:
    page: str
    line: int
    language: str
    code: str
    reason: str | None  # why it is not run

    def __str__(self):
        return f"{self.page}:{self.line}"


def pages(source):
    """README.md and the pages that people write: options.md and the benchmarks are made by programs."""
    docs = sorted(name for name in os.listdir(os.path.join(source, "docs")) if name.endswith(".md") and name != "options.md")
    tutorials = sorted(os.listdir(os.path.join(source, "docs", "tutorials")))
    return ["README.md", *(f"docs/{name}" for name in docs), *(f"docs/tutorials/{name}" for name in tutorials)]


def read(source, page):
    with open(os.path.join(source, page), encoding="utf-8") as file:
        return file.read()


def blocks(source, page):
    text = read(source, page)
    return [Block(page, text.count("\n", 0, m.start("language")) + 1, m["language"], m["code"], m["reason"])
            for m in BLOCK.finditer(text)]


def exchanges(code):
    """Of a block of console: each command with the output that is shown."""
    parts = re.split(r"^\$ (.*)\n", code, flags=re.M)[1:]
    return list(zip(parts[::2], parts[1::2]))


def network(draw, names):
    """Rows of numbers: the target follows the first two, the third follows the target, the others are noise."""
    values = {name: draw.gauss(0, 1) for name in names}
    first, second, third = names[:3]
    target = values[first] + values[second] + draw.gauss(0, 0.6)
    values[third] = target + draw.gauss(0, 0.6)
    return values, target


def write_rows(path, rows):
    opened = gzip.open(path, "wt", encoding="utf-8") if path.endswith(".gz") else open(path, "w", newline="", encoding="utf-8")
    with opened as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def table(names, target, classes=False, rows=200):
    draw, made = random.Random(1), []
    for _ in range(rows):
        values, y = network(draw, names)
        made.append({name: f"{value:.4f}" for name, value in values.items()} | {target: int(y > 0) if classes else f"{y:.4f}"})
    return made


def long_table(unit, time, moments, names, target, units=80):
    draw, made = random.Random(2), []
    for number in range(units):
        wear = draw.gauss(0, 1)
        for step, moment in enumerate(moments):
            values = {name: f"{(wear * step if i == 0 else 0) + draw.gauss(0, 1):.4f}" for i, name in enumerate(names)}
            made.append({unit: f"u{number}", time: moment, **values, target: int(wear > 0)})
    return made


DAYS = [f"2018-01-{day:02}" for day in range(1, 7)]
FILES = {
    "f.csv": lambda: table(["a", "b", "c", "d"], "y"),
    "table.csv": lambda: table(["age", "height", "weight", "shoes"], "y"),
    "blocks.csv": lambda: table([f"x{i}_{j}" for i in (1, 2) for j in (0, 1)], "y"),
    "new.csv": lambda: table([f"x{i}_{j}" for i in (1, 2) for j in (0, 1)], "y", rows=50),
    "drives.csv": lambda: table(["smart_5", "smart_9", "smart_187", "load"], "failure", classes=True),
    "drives.csv.gz": lambda: long_table("serial_number", "date", DAYS, ["smart_5", "smart_9"], "failure"),
    "machines.csv": lambda: long_table("machine", "hour", range(6), ["vibration", "current"], "failed"),
    "day_1.csv": lambda: [row | {"model": "ST4000", "load": i} for i, row in enumerate(table(["a", "b", "c"], "y"))],
}


def write_files(folder, code):
    """Writes the files that the code reads."""
    for name, rows in FILES.items():
        if name in code or (name == "day_1.csv" and "day_*" in code):
            write_rows(os.path.join(folder, name), rows())
