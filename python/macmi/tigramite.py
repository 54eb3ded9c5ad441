"""macmi's test inside tigramite: `CMIknn` here in the place of `tigramite.independence_tests.cmiknn.CMIknn`.

    from macmi.tigramite import CMIknn
    pcmci = PCMCI(dataframe=dataframe, cond_ind_test=CMIknn())

The same statistic and the same local permutations, evaluated faster (docs/coming_from.md). Needs tigramite.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from tigramite.independence_tests.independence_tests_base import CondIndTest

from ._columns import Column, labels_of, readable
from ._drop_in import test_columns
from .independence import CITestResult
from .information import Neighbours

# tigramite's words for what is done to the columns first. "uniform" are ranks by another scale, the same to neighbours.
TRANSFORMS = {"ranks": "ranks", "uniform": "ranks", "standardize": "standardize", False: "none", None: "none"}


class CMIknn(CondIndTest):  # type: ignore[misc]
    """Conditional mutual information by nearest neighbours, with local permutations (Runge 2018), computed by macmi.

    knn : number, fraction of the samples, or "auto", which combines several into one calibrated test
    shuffle_neighbors, transform, sig_samples, seed : as in tigramite's class
    stop, alpha : "never" draws all sig_samples permutations, as tigramite does; "exact" and "fast" end when the
        decision at level alpha is certain, or all but certain: much faster where only that decision counts
    threads : 0 means every core; results do not depend on it
    **arguments : of tigramite's CondIndTest

    Where nothing is conditioned on, single steps are permuted, as tigramite does with sig_blocklength=1.
    """

    def __init__(
        self,
        knn: Neighbours = 0.2,
        shuffle_neighbors: int = 5,
        significance: Literal["shuffle_test", "fixed_thres"] = "shuffle_test",
        transform: Any = "ranks",
        *,
        stop: Literal["never", "exact", "fast", "auto"] = "never",
        alpha: float = 0.05,
        sig_samples: int = 500,
        seed: int = 42,
        threads: int = 0,
        **arguments: Any,
    ) -> None:
        if transform not in TRANSFORMS:
            raise ValueError(f"transform {transform!r} is not known: give one of {[t for t in TRANSFORMS if t]}")
        self.knn = knn
        self.shuffle_neighbors = shuffle_neighbors
        self.transform = transform
        self.stop = stop
        self.alpha = alpha
        self.seed = seed
        self.threads = threads
        self._measure = "cmi_knn"
        self.two_sided = False
        self.residual_based = False
        self._latest: tuple[bytes, CITestResult] | None = None
        super().__init__(significance=significance, sig_samples=sig_samples, seed=seed, **arguments)

    @property
    def measure(self) -> str:
        """Name of the statistic."""
        return self._measure

    def get_dependence_measure(self, array: Any, xyz: Any, data_type: Any = None) -> float:
        """Conditional mutual information in nats: of the one k, or with "auto" of the k that decided."""
        return self._test(array, xyz, data_type).statistic

    def get_shuffle_significance(
        self, array: Any, xyz: Any, value: float, return_null_dist: bool = False, data_type: Any = None
    ) -> float:
        """p-value of the local permutation test."""
        if return_null_dist:
            raise NotImplementedError("macmi keeps no list of permuted statistics: CITestResult has mean and spread")
        return self._test(array, xyz, data_type).p_value

    def _test(self, array: Any, xyz: Any, data_type: Any) -> CITestResult:
        """tigramite asks for the statistic first and for the p-value of the same array next: one test answers both."""
        array, xyz = np.asarray(array, dtype=float), np.asarray(xyz)
        key = array.tobytes() + xyz.tobytes()
        if self._latest is None or self._latest[0] != key:
            discrete = np.zeros(len(array), bool) if data_type is None else (np.asarray(data_type) == 1).all(axis=1)
            columns = [
                Column(str(i), *labels_of(row)) if discrete[i] else Column(str(i), readable(row))
                for i, row in enumerate(array)
            ]
            x, y, z = ([c for c, role in zip(columns, xyz) if role == which] for which in range(3))
            samples = array.shape[1]
            k = self.knn if self.knn == "auto" or self.knn >= 1 else max(1, int(self.knn * samples))  # cut as tigramite does
            options = dict(k=k, permutations=self.sig_samples, neighbours=self.shuffle_neighbors,
                           no_adjustment=True, no_correlation=True, stop=self.stop,
                           alpha=self.alpha, transform=TRANSFORMS[self.transform], seed=self.seed,
                           threads=self.threads)  # fmt: skip
            self._latest = key, test_columns(x, y, z, options)
        return self._latest[1]
