"""Results to make report pages of: hostile names, learned maps, and as large as a page has to stay small for."""

import math
import random

HOSTILE = [
    "</script><script>window.injected = 1</script>",
    '<img src=x onerror="window.injected = 2">',
    'it\'s "quoted" & <b>bold</b>',
    "🦆 émoji ünd 漢字",
    "<!-- comment",
    "${window.injected = 3}",
    "a\\u003cb\\n",
    "javascript:alert(1)",
]


def network(names, n=300, seed=1):
    """Columns a → t ← b, t → c ← d, a → e, and noise, under the given names (a, b, c, d, e, noise, …, t last)."""
    draw = random.Random(seed)
    rows = []
    for _ in range(n):
        a, b, d = (draw.gauss(0, 1) for _ in range(3))
        t = a + b + draw.gauss(0, 0.6)
        row = [a, b, t + d + draw.gauss(0, 0.6), d, a + draw.gauss(0, 0.5)]
        rows.append(row + [draw.gauss(0, 1) for _ in range(len(names) - 6)] + [t])
    return dict(zip(names, zip(*rows)))


def learned(features, samples=400, classes=None, dimensions=2):
    """The keys `map_pictures` and `training` as a run with learned maps would write them."""
    draw = random.Random(7)
    maps = []
    for name in features:
        angle = [draw.uniform(0, 2 * math.pi) for _ in range(samples)]
        radius = [draw.uniform(0.3, 2) for _ in range(samples)]
        axes = [
            [r * math.cos(a) for r, a in zip(radius, angle)],
            [r * math.sin(a) for r, a in zip(radius, angle)],
            radius,
        ][:dimensions]
        target = [int(r > 1) for r in radius] if classes else radius
        picture = {"feature": name, "coordinates": axes, "target": target}
        if classes:
            picture["classes"] = classes
        if dimensions == 2:
            side, cell = 24, 4.4 / 24
            picture["surface"] = {
                "x": [-2.2, 2.2],
                "y": [-2.2, 2.2],
                "columns": side,
                "rows": side,
                "mean": [
                    math.hypot(-2.2 + (c + 0.5) * cell, -2.2 + (r + 0.5) * cell)
                    for r in range(side)
                    for c in range(side)
                ],
            }
        maps.append(picture)
    training = [
        {
            "label": f"fold {f + 1}",
            "epochs": list(range(1, 41)),
            "training": [-1.5 * math.exp(-e / 9) + 0.02 * f for e in range(40)],
            "validation": [-1.5 * math.exp(-e / 9) - 0.0006 * e * e / 9 for e in range(40)],
            "kept": 24 + f,
        }
        for f in range(3)
    ]
    return {"map_pictures": maps, "training": training}


def large(features=50, tests=2000):
    """A result of this size in the format of `macmi select --json`, with every optional part."""
    draw = random.Random(3)
    names = sorted(f"smart_{i}_normalized_value" for i in range(features))
    number = lambda: draw.uniform(0, 0.4)

    def test(given):
        return {
            "statistic": number(),
            "effect": number(),
            "p_value": draw.choice([1 / 1001, number()]),
            "n": 10000,
            "k": 100,
            "permutations": 1000,
            "given": given,
        }

    result = {
        "target": "failure",
        "blanket": names[:12],
        "features": [],
        "tests": tests,
        "seed": 0,
        "version": "0",
        "samples": 10000,
        "target_type": {"categorical": True, "classes": 2, "entropy": 0.6},
        "method": "knn",
        "partial": False,
        "remarks": ["made for a test"],
        "options": {"delta": "3", "alpha": "0.05", "min-cmi": "0", "no-children": "false"},
        "stability": {"subsamples": 100, "share": 0.5},
        "health": [f"missing values: {names[3]} (17)"] * 8,
        "timing": {
            "seconds": 12.5,
            "threads": 2,
            "tests_made": 2100,
            "source": "drives.csv",
            "command": "macmi select --data drives.csv",
        },
        "test_log": [],
    }
    for i, name in enumerate(names):
        selected = i < 12
        others = [other for other in names[:4] if other != name][:3]
        result["features"].append(
            {
                "name": name,
                "role": "excluded" if not selected else "adjacent" if i < 8 else "co-parent",
                **test(others),
                "separating_set": None if selected else others,
                "reason": "tested",
                "re_tested": True,
                "marginal": test([]),
                "null_histogram": {
                    "low": -0.01,
                    "high": 0.02,
                    "counts": " ".join(str(draw.randrange(90)) for _ in range(30)),
                },
                "tests": 40,
                "near_miss_count": 5,
                "near_misses": [test(others) for _ in range(5)],
                "selected_in": draw.randrange(101),
            }
        )
    for i in range(tests):
        result["test_log"].append(
            {
                "name": names[i % features],
                "stage": f"adjacent features given {i % 4}",
                "dependent": i % 3 == 0,
                **test(draw.sample(names, i % 5)),
            }
        )
    result.update(learned(names[:12], samples=10000, classes=["works", "failed"]))
    return result
