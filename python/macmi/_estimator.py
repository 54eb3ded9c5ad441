"""The classes and checks of scikit-learn that the selector builds on, or what is needed of them where it is absent."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ._columns import is_table, table_columns

__all__ = [
    "BaseEstimator",
    "NotFittedError",
    "SelectorMixin",
    "check_features",
    "check_is_fitted",
    "feature_names",
    "take_columns",
]

try:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils.validation import check_is_fitted, validate_data

    HAS_SKLEARN = True
except ImportError:
    HAS_SKLEARN = False

    class NotFittedError(ValueError, AttributeError):  # type: ignore[no-redef]
        """Something was asked of an estimator before fit."""

    def check_is_fitted(estimator: Any) -> None:
        if not estimator.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' first.")

    class BaseEstimator:  # type: ignore[no-redef]
        def get_params(self, deep: bool = True) -> dict[str, Any]:
            return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

        def set_params(self, **params: Any) -> Any:
            for name, value in params.items():
                if name not in self.get_params():
                    raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}.")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            default = {name: p.default for name, p in inspect.signature(type(self)).parameters.items()}
            given = (f"{n}={v!r}" for n, v in self.get_params().items() if v is not default[n] and v != default[n])
            return f"{type(self).__name__}({', '.join(given)})"

    class SelectorMixin:  # type: ignore[no-redef]
        def fit_transform(self, X: Any, y: Any, **about_samples: Any) -> Any:
            return self.fit(X, y, **about_samples).transform(X)  # type: ignore[attr-defined]

        def get_support(self, indices: bool = False) -> np.ndarray:
            mask: np.ndarray = self._get_support_mask()  # type: ignore[attr-defined]
            chosen: np.ndarray = np.flatnonzero(mask) if indices else mask
            return chosen

        def transform(self, X: Any) -> Any:
            check_is_fitted(self)
            checked = check_features(self, X, fitting=False)
            kept = self.get_support(indices=True)
            return checked[:, kept] if isinstance(checked, np.ndarray) else take_columns(checked, kept)

        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
            check_is_fitted(self)
            names = feature_names(self) if input_features is None else input_features
            chosen: np.ndarray = np.asarray(names, dtype=object)[self.get_support()]
            return chosen


def take_columns(table: Any, columns: np.ndarray) -> Any:
    """Some columns of a DataFrame or pyarrow table."""
    if hasattr(table, "iloc"):
        return table.iloc[:, columns]
    return table.select([table_columns(table)[c][0] for c in columns])


def feature_names(estimator: Any) -> list[str]:
    """Names of the columns that an estimator was fitted on."""
    known = getattr(estimator, "feature_names_in_", None)
    return [f"x{i}" for i in range(estimator.n_features_in_)] if known is None else [str(name) for name in known]


def check_features(estimator: Any, X: Any, fitting: bool) -> Any:
    """A table as it is, anything else as an array of two or three dimensions; the number of features is kept, or
    compared with the one at fit."""
    table = is_table(X)
    if HAS_SKLEARN and not hasattr(X, "column_names"):
        if table:
            return validate_data(estimator, X, reset=fitting, skip_check_array=True)
        X = validate_data(estimator, X, reset=fitting, dtype=None, allow_nd=True, ensure_all_finite=False,
                          ensure_min_samples=2 if fitting else 1)  # fmt: skip
        if X.ndim > 3:
            raise ValueError(f"X has {X.ndim} dimensions: give samples × features, or samples × features × steps")
        return X
    if not table:
        X = np.asarray(X)
        if X.ndim not in (2, 3):
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead: give samples × features")
    names = [name for name, _ in table_columns(X)] if table else None
    features = X.shape[1] if names is None else len(names)
    if fitting:
        estimator.n_features_in_ = features
        if names is not None:
            estimator.feature_names_in_ = np.asarray(names, dtype=object)
        elif hasattr(estimator, "feature_names_in_"):
            del estimator.feature_names_in_
    elif features != estimator.n_features_in_:
        name = type(estimator).__name__
        raise ValueError(f"X has {features} features, but {name} is expecting {estimator.n_features_in_} features")
    return X
