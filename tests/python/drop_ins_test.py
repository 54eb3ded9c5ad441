"""The classes for tigramite and causal-learn against stand-ins of what those call; `make bench` runs the real ones."""
import sys
import types

import numpy as np
import pandas as pd

import macmi
from package import PackageTest, main


class CondIndTest:
    """What tigramite's base class takes and calls (tigramite 5.2, independence_tests_base.py)."""

    def __init__(self, seed=42, mask_type=None, significance="analytic", fixed_thres=None, sig_samples=500,
                 sig_blocklength=None, confidence=None, conf_lev=0.9, conf_samples=100, conf_blocklength=None,
                 recycle_residuals=False, verbosity=0):
        self.significance, self.sig_samples = significance, sig_samples

    def run_test_raw(self, x, y, z=None):
        parts = [x, y] + ([] if z is None else [z])
        array = np.vstack([p.T for p in parts])
        xyz = np.array([role for role, p in enumerate(parts) for _ in range(p.shape[1])])
        value = self.get_dependence_measure(array, xyz)
        return value, self.get_shuffle_significance(array=array, xyz=xyz, value=value, data_type=None)


class CIT_Base:
    """What causal-learn's base class offers its tests (causal-learn 0.1.4, cit.py)."""

    def __init__(self, data, cache_path=None, **kwargs):
        assert not kwargs
        self.data, self.pvalue_cache = data, {}

    def check_cache_method_consistent(self, method_name, parameters_hash):
        self.method = method_name

    def assert_input_data_is_valid(self):
        assert np.isfinite(self.data).all()

    def get_formatted_XYZ_and_cachekey(self, X, Y, condition_set):
        X, Y = sorted((int(X), int(Y)))
        given = sorted(set(map(int, condition_set or [])))
        return [X], [Y], given, f"{X};{Y}|{given}"


registered = {}
for name, content in (("tigramite", {}), ("tigramite.independence_tests", {}), ("causallearn", {}), ("causallearn.utils", {}),
                      ("tigramite.independence_tests.independence_tests_base", {"CondIndTest": CondIndTest}),
                      ("causallearn.utils.cit", {"CIT_Base": CIT_Base, "register_ci_test": registered.__setitem__})):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__dict__.update(content)

import macmi.causallearn  # noqa: E402
from macmi.tigramite import CMIknn  # noqa: E402


def chain(n=300):
    draw = np.random.default_rng(0)
    x = draw.normal(size=n)
    z = x + draw.normal(size=n)
    return x, z + draw.normal(size=n), z


class Tigramite(PackageTest):
    def test_value_and_p_are_those_of_ci_test(self):
        x, y, z = chain()
        columns = pd.DataFrame({"0": x, "1": y, "2": z, "3": z ** 2})
        value, p = CMIknn(knn=0.1, transform="standardize", sig_samples=200).run_test_raw(
            x[:, None], y[:, None], np.column_stack([z, z ** 2]))  # 0.1 of 300 samples
        ours = macmi.ci_test(columns[["0"]], columns[["1"]], columns[["2", "3"]], k=0.1, transform="standardize",
                             permutations=200, stop="never", no_adjustment=True, seed=42)
        self.assertEqual((value, p), (ours.statistic, ours.p_value))
        self.assertEqual(ours.permutations, 200)
        self.assertGreater(p, 0.05)
        value, p = CMIknn(sig_samples=100).run_test_raw(x[:, None], y[:, None])
        self.assertLess(p, 0.05)
        self.assertEqual(value, macmi.mutual_info(x, y, k=0.2, transform="ranks"))

    def test_one_test_answers_both_questions(self):
        x, y, z = chain()
        test = CMIknn(knn=10, sig_samples=64)
        test.run_test_raw(x[:, None], y[:, None])
        first = test._latest[1]
        test.get_shuffle_significance(np.vstack([x, y]), np.array([0, 1]), 0.0)
        self.assertIs(test._latest[1], first)
        test.get_dependence_measure(np.vstack([x, z]), np.array([0, 1]))
        self.assertIsNot(test._latest[1], first)

    def test_discrete_rows_and_refusals(self):
        x, y, _ = chain()
        label = np.where(x > 0, 1.0, 0.0)
        value = CMIknn(knn=5, sig_samples=10, transform=None).get_dependence_measure(
            np.vstack([label, y]), np.array([0, 1]), data_type=np.array([[1] * 300, [0] * 300]))
        self.assertEqual(value, macmi.mutual_info(label == 1, y, k=5, transform="none"))
        self.assertEqual(CMIknn().measure, "cmi_knn")
        with self.assertRaisesRegex(ValueError, "transform 'log'"):
            CMIknn(transform="log")
        with self.assertRaises(NotImplementedError):
            CMIknn().get_shuffle_significance(None, None, 0.0, return_null_dist=True)


class CausalLearn(PackageTest):
    def test_p_values_are_those_of_ci_test(self):
        x, y, z = chain()
        data = np.column_stack([x, y, z])
        test = registered["macmi"](data, seed=5)
        columns = pd.DataFrame(data, columns=["0", "1", "2"])
        self.assertEqual(test(0, 1), macmi.ci_test(columns["0"], columns["1"], seed=5, stop="never").p_value)
        self.assertEqual(test(1, 0, (2,)), macmi.ci_test(columns["0"], columns["1"], columns["2"], seed=5, stop="never").p_value)
        self.assertLess(test(0, 1), 0.05)
        self.assertGreater(test(0, 1, [2]), 0.05)
        self.assertEqual(len(test.pvalue_cache), 2)

    def test_options_and_discrete_columns(self):
        x, y, z = chain()
        data = np.column_stack([np.where(x > 0, 1, 0), y, z])
        test = macmi.causallearn.MacmiTest(data, discrete=[0], k=5, permutations=50, stop="exact")
        named = pd.DataFrame({"0": data[:, 0] == 1, "1": y})
        self.assertEqual(test(0, 1), macmi.ci_test(named["0"], named["1"], k=5, permutations=50, stop="exact").p_value)
        linear = macmi.causallearn.MacmiTest(data, method="fisherz")
        self.assertEqual(linear(1, 2), macmi.ci_test(y, z, method="fisherz").p_value)
        with self.assertRaisesRegex(ValueError, "^alpha does not accept"):
            macmi.causallearn.MacmiTest(data, level=7)(0, 1)


main()
