from collections.abc import Callable

import numpy as np

Block = tuple[list[str], np.ndarray]
Column = tuple[str, str, int, np.ndarray, list[str] | None]
Values = dict[str, str | list[str]]
Progress = Callable[[int, int, str], object] | None

__version__: str

def run_program(words: list[str]) -> int: ...
def declared(group: str) -> list[tuple[str, str, str, str, str]]: ...
def estimate(x: list[Block], y: list[Block], z: list[Block], options: Values) -> dict[str, object]: ...
def ci_test(
    x: list[Block],
    y: list[Block],
    z: list[Block],
    method: str,
    options: Values,
    progress: Progress,
    units: list[int] = [],
) -> dict[str, object]: ...
def ci_tests(
    requests: list[list[list[Block]]], method: str, options: Values, progress: Progress
) -> list[dict[str, object]]: ...
def select(
    source: str,
    columns: list[Column],
    data_options: Values,
    select_options: Values,
    run: str,
    command: str,
    progress: Progress,
) -> tuple[str, dict[str, list[str]]]: ...
def learn_graph(
    source: str,
    columns: list[Column],
    data_options: Values,
    graph_options: Values,
    run: str,
    progress: Progress,
) -> dict[str, str]: ...
def report_html(json: str) -> str: ...
def text(json: str) -> str: ...
def answer(json: str) -> str: ...
def explain(json: str, feature: str) -> list[str]: ...
def short_reasons(json: str) -> dict[str, str]: ...
