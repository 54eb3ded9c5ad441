"""The three lines of the README on data whose truth is known, and a selection with learned maps."""
import numpy as np

draw = np.random.default_rng(0)
X = draw.normal(size=(400, 4))
y = X[:, 0] - X[:, 2] ** 2 + 0.3 * draw.normal(size=400)

from macmi import MarkovBlanketSelector
selector = MarkovBlanketSelector(random_state=0).fit(X, y)
print(selector.get_feature_names_out(), selector.explain("x1"))
assert list(selector.get_feature_names_out()) == ["x0", "x2"]

angle, radius = draw.uniform(0, 2 * np.pi, 800), draw.uniform(1, 2, 800)
X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle), draw.normal(size=(800, 2))])
learned = MarkovBlanketSelector(random_state=0, groups=["point", "point", "noise", "noise"]).fit(X, radius + 0.05 * draw.normal(size=800))
print(learned.result_)
assert list(learned.result_.blanket) == ["point"], learned.result_.blanket
assert len(learned.result_.to_dict()["maps"]["features"]) == 2
