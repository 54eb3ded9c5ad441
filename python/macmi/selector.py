"""The Markov blanket of a target as a scikit-learn feature selector."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from . import _native
from ._columns import is_table
from ._estimator import BaseEstimator, SelectorMixin, check_features, check_is_fitted, feature_names
from ._options import as_texts, parameter_text, python_words
from ._progress import Progress, hook
from ._samples import feature_columns, row_columns, seed, target_columns
from ._support import keep_most, least_effect, most_features, places_of
from ._threads import threads_of_jobs
from .result import SelectionResult

# Options of `macmi select` under other names here: scikit-learn's own, a method's name, a word of the language.
RENAMED = {
    "seed": "random_state",
    "threads": "n_jobs",
    "transform": "scaling",
    "lambda": "map_lambda",
    "n-features": "n_features_to_select",
}
# About files: data comes as X and y.
LEFT_OUT = frozenset(
    {"data", "query", "target", "id", "time", "unit", "weight", "window", "na", "out", "report", "json", "quiet"}
)
DATA_OPTIONS = ("features", "exclude", "group", "type", "missing", "rows", "lags")
OWN = ("groups", "max_features", "threshold", "run", "verbose")


class MarkovBlanketSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Selects the Markov blanket of the target: the few features that make all others superfluous for predicting it.

    Direct causes and effects of the target (role "adjacent") and other causes of those effects ("co-parent"), found by
    conditional independence tests that see any kind of dependence. Every other feature is listed with the set that
    made it redundant. A feature may be a block of columns or a series: feature maps are then learned first.

    Parameters
    ----------
    groups : None, sequence or mapping
        Features of several columns: one label per column of X, or {feature: [columns by name or place]}.
    max_features : None or int
        Of more selected features, `transform` keeps those that add most; `result_` tells of all.
    threshold : None, number or str, default None
        `transform` keeps selected features that add at least so much (`scores_`), in nats; "mean", "median" or
        "1.25*mean" of the selected ones, as in SelectFromModel.
    random_state : int, RandomState or None, default 0
        Seed. None draws one.
    n_jobs : int or None, default -1
        Threads; -1 means every core (in a worker of joblib, as many as joblib leaves it), None one. Results do not
        depend on it.
    run : str or None
        Directory that keeps every finished test: fit goes on from it after an interruption.
    verbose : bool or function of (done, total, stage)
        True shows a bar on standard error; in notebooks, too.

    Options, as of `macmi select`
    -----------------------------
    {options}

    Attributes
    ----------
    result_ : SelectionResult
    scores_ (also importances_), pvalues_ : arrays, one number per column of X
        What its feature adds to the (other) selected ones, in nats, and the p-value of that, with all permutations;
        NaN where it was not measured.
    qvalues_ : array
        p-values adjusted for all features (Benjamini and Hochberg); NaN where there is none.
    sufficiency_ : dict or None
        Whether the selected features predict as well as all (docs/effects.md).
    stability_ : dict or None
        How often each feature was selected again on half samples, and what it is exchanged for (docs/search.md).
    threshold_ : float or None
        The threshold in nats.
    roles_ : dict, feature -> "adjacent", "co-parent" or "excluded"
    separating_sets_ : dict, excluded feature -> the features that make it redundant
    n_features_in_, feature_names_in_ : as everywhere in scikit-learn
    """

    def __init__(
        self,
        *,
        groups: Sequence[Any] | Mapping[str, Sequence[Any]] | None = None,
        max_features: int | None = None,
        threshold: float | str | None = None,
        features: Sequence[str] = (),
        exclude: Sequence[str] = (),
        group: str = "",
        type: Mapping[str, str] | Sequence[str] = (),  # noqa: A002
        missing: Literal["auto", "pairwise", "impute", "error"] = "auto",
        rows: int = 0,
        lags: str = "",
        search: Literal["fixpoint", "paper"] = "fixpoint",
        delta: int = 3,
        alpha: float = 0.05,
        min_cmi: float = 0.0,
        fdr: float = 0.05,
        no_children: bool = False,
        no_shrink: bool = False,
        no_evidence: bool = False,
        shrink_limit: int = 0,
        must: Sequence[str] = (),
        never: Sequence[str] = (),
        n_features_to_select: int = 0,
        max_tests: int = 0,
        budget: str = "",
        method: str = "knn",
        interactions: Literal["auto", "pairs", "none"] = "auto",
        maps: Literal["auto", "mlp", "gru", "none"] = "auto",
        map_dim: int = 0,
        map_lambda: float = 0.1,
        folds: int = 0,
        holdout: float = 0.1,
        restarts: int = 4,
        epochs: int = 0,
        preset: Literal["none", "paper-2d", "paper-3d", "paper-hdd"] = "none",
        k: Any = "auto",
        no_correlation: bool = False,
        permutations: int = 1000,
        neighbours: int = 5,
        centres: int = 8000,
        no_adjustment: bool = False,
        scaling: Literal["none", "block", "standardize", "ranks", "auto"] = "auto",
        ties: Literal["auto", "continuous", "mixed"] = "auto",
        z_weight: float = 2.0,
        stop: Literal["never", "exact", "fast", "auto"] = "fast",
        resampling_risk: float = 0.001,
        permute: Literal["class", "x", "y", "auto"] = "class",
        random_state: Any = 0,
        n_jobs: int | None = -1,
        stability: int | Literal["auto"] = "auto",
        stability_share: float = 0.5,
        run: str | None = None,
        verbose: Progress = False,
    ) -> None:
        self.groups = groups
        self.max_features = max_features
        self.threshold = threshold
        self.features = features
        self.exclude = exclude
        self.group = group
        self.type = type
        self.missing = missing
        self.rows = rows
        self.lags = lags
        self.search = search
        self.delta = delta
        self.alpha = alpha
        self.min_cmi = min_cmi
        self.fdr = fdr
        self.no_children = no_children
        self.no_shrink = no_shrink
        self.no_evidence = no_evidence
        self.shrink_limit = shrink_limit
        self.must = must
        self.never = never
        self.n_features_to_select = n_features_to_select
        self.max_tests = max_tests
        self.budget = budget
        self.method = method
        self.interactions = interactions
        self.maps = maps
        self.map_dim = map_dim
        self.map_lambda = map_lambda
        self.folds = folds
        self.holdout = holdout
        self.restarts = restarts
        self.epochs = epochs
        self.preset = preset
        self.k = k
        self.no_correlation = no_correlation
        self.permutations = permutations
        self.neighbours = neighbours
        self.centres = centres
        self.no_adjustment = no_adjustment
        self.scaling = scaling
        self.ties = ties
        self.z_weight = z_weight
        self.stop = stop
        self.resampling_risk = resampling_risk
        self.permute = permute
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.stability = stability
        self.stability_share = stability_share
        self.run = run
        self.verbose = verbose

    def fit(
        self, X: Any, y: Any, groups: Any = None, time: Any = None, sample_weight: Any = None
    ) -> MarkovBlanketSelector:
        """Searches for the blanket of y among the features of X.

        X : samples × features, a DataFrame, a pyarrow table, or samples × features × steps
        y : numbers, or classes; several columns of numbers make one target
        groups : None, or the unit of each sample (a patient, a drive): samples of a unit are not exchangeable, and
            tests, parts and subsamples keep units whole (docs/units.md); not the parameter of that name, which is
            about columns
        time : None, or when each sample was taken: numbers or dates. Samples are one series in this order, or one for
            each of `groups`
        sample_weight : None, or how many equal samples each one stands for: whole numbers, 0 leaves a sample out
            (docs/data.md)
        """
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        least_effect(self.threshold, np.zeros(0))  # refused before the search
        most_features(self.max_features)
        X = check_features(self, X, fitting=True)
        columns, types = feature_columns(X, feature_names(self), self.groups)
        names = {entry[0] for entry in columns} | {entry[1] for entry in columns}
        targets, target_types = target_columns(y, len(columns[0][3]) if columns else 0, names)
        columns += targets
        data = {name: getattr(self, name) for name in DATA_OPTIONS}
        given = {"unit": groups, "time": time, "weight": sample_weight}
        about_rows = row_columns(given, len(columns[0][3]), names | {c[0] for c in columns})
        columns += about_rows.values()
        data.update({option: entry[0] for option, entry in about_rows.items()})
        said = data["type"]
        data["type"] = [f"{c}={t}" for c, t in said.items()] if isinstance(said, Mapping) else list(said)
        data["type"] = types + target_types + data["type"]  # what the user says comes last and wins
        data["target"] = [entry[0] for entry in targets]
        with hook(self.verbose) as report, python_words(RENAMED):
            text, made_of = _native.select(
                "X", columns, as_texts(data), as_texts(self._search_options()), self.run or "", repr(self), report
            )
        self._remember(SelectionResult(text), made_of)
        for line in self.result_.to_dict()["health"]:
            if line.startswith("few samples"):
                warnings.warn(line, stacklevel=2)
        return self

    def _search_options(self) -> dict[str, Any]:
        left = {*DATA_OPTIONS, *OWN}
        back = {python: declared for declared, python in RENAMED.items()}
        values = {back.get(n, n): v for n, v in self.get_params(deep=False).items() if n not in left}
        values["seed"] = seed(self.random_state)
        values["threads"] = threads_of_jobs(self.n_jobs)
        return values

    def _remember(self, result: SelectionResult, made_of: dict[str, list[str]]) -> None:
        self.result_ = result
        features = result.features
        self.roles_ = {name: feature["role"] for name, feature in features.items()}
        self.separating_sets_ = {
            name: feature["separating_set"] for name, feature in features.items() if feature["role"] == "excluded"
        }
        place = {name: i for i, name in enumerate(feature_names(self))}
        self.scores_ = np.full(self.n_features_in_, np.nan)
        self.pvalues_ = np.full(self.n_features_in_, np.nan)
        self.qvalues_ = np.full(self.n_features_in_, np.nan)
        self.sufficiency_ = result.sufficiency
        self.stability_ = result.stability
        self.support_ = np.zeros(self.n_features_in_, dtype=bool)
        for name, c, own in places_of(made_of, place):
            feature = features[name]
            self.support_[c] |= feature["role"] != "excluded"
            if own:
                self.scores_[c] = np.nan if feature["effect"] is None else feature["effect"]
                self.pvalues_[c] = np.nan if feature["p_value"] is None else feature["p_value"]
                self.qvalues_[c] = np.nan if feature.get("q_value") is None else feature["q_value"]
        self.threshold_ = keep_most(self.support_, self.scores_, made_of, place, self.threshold, self.max_features)

    @property
    def importances_(self) -> np.ndarray:
        """`scores_` under the name that hidimstat and others have for it."""
        return self.scores_

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def transform(self, X: Any) -> Any:
        """X with the columns of selected features only; 3-D arrays keep their steps."""
        if not is_table(X) and np.asarray(X).ndim == 3:
            check_is_fitted(self)
            return check_features(self, X, fitting=False)[:, self.support_]
        return super().transform(X)

    def explain(self, feature: str) -> str:
        """Why a feature is in, or what made it redundant, in sentences."""
        check_is_fitted(self)
        return self.result_.explain(feature)

    def plot(self, kind: Literal["effects", "graph"] = "effects", *, ax: Any = None, excluded: int = 10) -> Any:
        """Draws the result with matplotlib: `SelectionResult.plot`."""
        check_is_fitted(self)
        return self.result_.plot(kind, ax=ax, excluded=excluded)

    def report(self, path: str | Path) -> Path:
        """Writes the result as one HTML page."""
        check_is_fitted(self)
        return self.result_.report(path)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "result_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.input_tags.allow_nan = True
        tags.input_tags.three_d_array = False  # two dimensions are the usual case, which the tags cannot say as well
        return tags


if MarkovBlanketSelector.__doc__:
    MarkovBlanketSelector.__doc__ = MarkovBlanketSelector.__doc__.replace(
        "    {options}",
        parameter_text("data", LEFT_OUT | {"seed"}) + "\n" + parameter_text("select", frozenset({"seed", "threads"})),
    )
