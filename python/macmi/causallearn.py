"""macmi's test inside causal-learn, under the name "macmi".

    import macmi.causallearn
    graph = pc(data, alpha=0.05, indep_test="macmi")

Importing this module registers the test; options of `macmi.ci_test` go through: pc(..., "macmi", k=10). Needs
causal-learn.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from causallearn.utils.cit import CIT_Base, register_ci_test

from ._columns import Column, readable
from ._drop_in import test_columns

NAME = "macmi"


class MacmiTest(CIT_Base):  # type: ignore[misc]
    """k-NN conditional mutual information with local permutations, as a causal-learn CI test.

    data : samples × variables
    discrete : columns whose numbers are labels
    method : "knn" or "fisherz"
    stop, level : "never" draws all permutations; "exact" and "fast" end when the decision at `level`, which should be
        the alpha of the search, is certain, or all but certain
    **options : of `macmi.ci_test`
    """

    def __init__(
        self,
        data: Any,
        cache_path: str | None = None,
        discrete: Any = (),
        method: str = "knn",
        stop: str = "never",
        level: float = 0.05,
        **options: Any,
    ) -> None:
        super().__init__(data, cache_path=cache_path)
        options.update(stop=stop, alpha=level)  # pc() has an alpha of its own
        self.options = options
        self.test_method = method
        discrete = {int(c) for c in discrete}
        told = json.dumps([method, sorted(discrete), {n: str(v) for n, v in sorted(options.items())}])
        self.check_cache_method_consistent(NAME, told)
        self.assert_input_data_is_valid()
        self.columns = [
            Column(str(c), np.unique(data[:, c], return_inverse=True)[1].astype(np.int32).ravel())
            if c in discrete
            else Column(str(c), readable(data[:, c]))
            for c in range(data.shape[1])
        ]

    def __call__(self, X: Any, Y: Any, condition_set: Any = None) -> float:
        """p-value of X independent of Y given the condition set, by column numbers."""
        xs, ys, given, key = self.get_formatted_XYZ_and_cachekey(X, Y, condition_set)
        if key not in self.pvalue_cache:
            x, y, z = ([self.columns[c] for c in part] for part in (xs, ys, given))
            self.pvalue_cache[key] = test_columns(x, y, z, self.options, self.test_method).p_value
        return float(self.pvalue_cache[key])


register_ci_test(NAME, MacmiTest)
