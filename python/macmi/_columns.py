"""Arrays and tables of any kind as columns that the C++ side reads in place.

Numbers are float64; everything else (text, booleans, categories) is int32 codes with labels. NumPy arrays of float64
are passed on as they are, whatever their strides. pandas, polars and pyarrow are recognised by what their objects can
do and never imported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np


class NotDataError(TypeError, ValueError):
    """A value that is neither a number nor text."""


class Column(NamedTuple):
    """One column: numbers (labels is None), or codes into labels, -1 where missing."""

    name: str
    values: np.ndarray
    labels: list[str] | None = None
    categorical: bool = False  # declared so by its type: also when the labels are numbers


def is_table(data: Any) -> bool:
    """Whether it has named columns: DataFrames of pandas and polars, tables of pyarrow."""
    return hasattr(data, "columns") and (hasattr(data, "column_names") or hasattr(data, "dtypes"))


def table_columns(data: Any) -> list[tuple[Any, Any]]:
    """(name, column) of every column, names as they are."""
    if hasattr(data, "column_names"):  # pyarrow
        return list(zip(data.column_names, data.columns))
    if hasattr(data, "iloc"):  # pandas: by position, names may repeat
        return [(name, data.iloc[:, i]) for i, name in enumerate(data.columns)]
    return [(name, data[name]) for name in data.columns]


def readable(array: np.ndarray) -> np.ndarray:
    """float64 in place: the array itself where the C++ side can walk along it, else a copy."""
    if array.dtype == np.float64 and array.dtype.isnative and all(s % 8 == 0 for s in array.strides):
        if array.flags.aligned:
            return array
    return np.ascontiguousarray(array, dtype=np.float64)


def labels_of(values: Sequence[Any] | np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Codes and labels in order of appearance; None and NaN are missing."""
    codes = np.empty(len(values), dtype=np.int32)
    known: dict[Any, int] = {}
    for i, value in enumerate(values):
        if value is None or value != value or type(value).__name__ in ("NAType", "NaTType"):
            codes[i] = -1
        else:
            codes[i] = known.setdefault(_label(value), len(known))
    return codes, list(known)


def _label(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise NotDataError(f"argument must be a string or a real number, not {type(value).__name__!r}")


def _objects(name: str, values: np.ndarray) -> Column:
    """Python objects: numbers when all of them are, else labels."""
    plain = (int, float, np.integer, np.floating)
    if all(v is None or (isinstance(v, plain) and not isinstance(v, bool)) for v in values):
        return Column(name, np.array([np.nan if v is None else v for v in values], dtype=np.float64))
    return Column(name, *labels_of(values))


def column(name: str, data: Any) -> Column:
    """One column from an array, a Series or a pyarrow array."""
    dtype = getattr(data, "dtype", getattr(data, "type", None))
    kind = str(dtype).lower()
    if kind.startswith(("category", "categorical", "dictionary", "enum")):
        values = data.to_pylist() if hasattr(data, "to_pylist") else data.to_numpy()  # pyarrow; pandas, polars
        return Column(name, *labels_of(values), categorical=True)
    if isinstance(data, np.ndarray):
        array = data
    elif hasattr(data, "isna") and str(dtype)[:1].isupper():  # pandas' types with missing values: Int64, boolean
        array = data.to_numpy(dtype=np.float64 if str(dtype)[:3] in ("Int", "UIn", "Flo") else object, na_value=np.nan)
    elif hasattr(data, "to_numpy"):
        array = data.to_numpy(zero_copy_only=False) if _needs_zero_copy_argument(data) else data.to_numpy()
    else:
        array = np.asarray(data)
    if np.ma.isMaskedArray(data):
        array = np.ma.filled(np.ma.asarray(data, dtype=np.float64), np.nan)
    return array_column(name, array)


def _needs_zero_copy_argument(data: Any) -> bool:
    return type(data).__module__.startswith("pyarrow") and type(data).__name__ != "ChunkedArray"


def array_column(name: str, array: np.ndarray) -> Column:
    if array.dtype.kind == "f" or array.dtype.kind in "iu":
        return Column(name, readable(array))
    if array.dtype.kind == "b":
        codes = array.astype(np.int32)
        return Column(name, codes, ["false", "true"])
    if array.dtype.kind == "M":
        missing = np.isnat(array)
        return Column(name, *labels_of([None if m else str(t) for t, m in zip(array, missing)]))
    if array.dtype.kind == "m":
        return Column(name, np.where(np.isnat(array), np.nan, array / np.timedelta64(1, "s")))
    if array.dtype.kind in "USOT":
        return _objects(name, array)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: give real and imaginary parts as two columns")
    raise NotDataError(f"{name or 'an array'} has dtype {array.dtype}: give numbers, text, booleans or dates")


Block = tuple[list[str], np.ndarray]


def blocks(data: Any, what: str) -> list[Block]:
    """A variable: a vector, samples × columns, or a table. Names come from pandas, polars and pyarrow."""
    if data is None:
        return []
    if is_table(data):
        return [_complete(column(str(n), d), what) for n, d in table_columns(data)]
    if not isinstance(data, np.ndarray) and (hasattr(data, "to_numpy") or hasattr(data, "to_pylist")):
        name = getattr(data, "name", None)
        return [_complete(column("" if name is None else str(name), data), what)]
    array = np.asarray(data)
    if array.ndim not in (1, 2):
        raise ValueError(
            f"{what} has {array.ndim} dimensions: give one number per sample, or samples × columns; "
            "steps of a series are columns: x.reshape(len(x), -1)"
        )
    if array.ndim == 2 and array.dtype.kind in "fiu":
        return [([""] * array.shape[1], readable(array))]
    columns = [array] if array.ndim == 1 else list(array.T)
    return [_complete(array_column("", c), what) for c in columns]


def _complete(c: Column, what: str) -> Block:
    if c.labels is not None and (c.values < 0).any():
        at = int(np.argmin(c.values))
        raise ValueError(f"{what}{', column ' + repr(c.name) if c.name else ''}: no value in sample {at + 1}")
    return [c.name], c.values


def variables(*arguments: tuple[Any, str]) -> Iterator[list[Block]]:
    """Blocks of x, y and z, which must have the same number of samples."""
    made = [(blocks(data, what), what) for data, what in arguments]
    sizes = {what: len(b[0][1]) for b, what in made if b}
    if len(set(sizes.values())) > 1:
        told = ", ".join(f"{what} has {n}" for what, n in sizes.items())
        raise ValueError(f"the number of samples differs: {told}")
    return (b for b, _ in made)
