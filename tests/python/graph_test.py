"""learn_graph: the graph of `macmi graph`, for arrays and tables."""
import json
import subprocess
import sys
import types

import numpy as np
import pandas as pd

import macmi
from package import MACMI, PackageTest, main


def frame(n=400):
    draw = np.random.default_rng(1)
    a, b = draw.normal(size=(2, n))
    t = a + b + 0.6 * draw.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "t": t, "c": t + 0.8 * draw.normal(size=n)})


class Graph(PackageTest):
    def test_the_bits_of_the_program(self):
        table = frame()
        table.to_csv(self.path("net.csv"), index=False)
        theirs = self.program("graph", "--data", "net.csv", "--seed", "3", "--order", "a,b,t | c")
        ours = macmi.learn_graph(table, seed=3, order="a,b,t | c")
        for key in ("nodes", "edges", "separations", "tests", "options"):
            self.assertEqual(ours.to_dict()[key], theirs[key], key)
        arrows = {(e["a"], e["b"]) for e in ours.edges if e["type"] == "->"}
        self.assertEqual(arrows, {("a", "t"), ("b", "t"), ("t", "c")})
        self.assertIn("a -> t", str(ours))

    def test_other_forms(self):
        table = frame()
        graph = macmi.learn_graph(table.to_numpy(), method="fisherz", never=["x0--x2"])
        self.assertEqual(graph.nodes, ["x0", "x1", "x2", "x3"])
        matrix = graph.adjacency()
        self.assertEqual(matrix.sum(), sum(1 if e["type"] == "->" else 2 for e in graph.edges))
        self.assertFalse(matrix[0, 2] or matrix[2, 0])
        self.assertEqual(json.loads(graph.save(self.path("g.json")).read_text())["nodes"], graph.nodes)
        self.assertIn("<graphml", graph.save(self.path("g.graphml")).read_text())
        blocks = macmi.learn_graph(table, method="fisherz", groups={"ab": ["a", "b"]}, threads=1)
        self.assertEqual(blocks.nodes, ["ab", "c", "t"])

    def test_networkx(self):
        class DiGraph:
            """What is called of networkx."""

            def __init__(self):
                self.nodes, self.edges = [], {}

            def add_nodes_from(self, nodes):
                self.nodes += nodes

            def add_edge(self, a, b, **values):
                self.edges[a, b] = values

        sys.modules["networkx"] = types.SimpleNamespace(DiGraph=DiGraph)
        self.addCleanup(sys.modules.pop, "networkx")
        table = frame().drop(columns="b")  # a - t - c: no direction is found
        graph = macmi.learn_graph(table, method="fisherz").to_networkx()
        self.assertEqual(set(graph.edges), {("a", "t"), ("t", "a"), ("c", "t"), ("t", "c")})
        self.assertEqual(graph.edges["a", "t"]["type"], "--")

    def test_options_are_the_programs(self):
        lines = [line for line in subprocess.check_output([MACMI, "options"], text=True, timeout=60).splitlines() if line.startswith("graph --")]
        theirs = {line.split("\t")[0].split("--", 1)[1] for line in lines}
        names = {name for group in ("data", "graph") for name, *_ in macmi._native.declared(group)} - {"target"}
        self.assertEqual(theirs - names, {"maps", "run", "out", "graphml", "dot", "json", "quiet"})
        self.assertEqual(names - theirs, set())
        self.assertIn("first_separators", macmi.learn_graph.__doc__)

    def test_mistakes(self):
        with self.assertRaisesRegex(ValueError, "cycle"):
            macmi.learn_graph(frame(), must=["a->b", "b->c", "c->a"])
        with self.assertRaisesRegex(ValueError, "no option 'alfa'"):
            macmi.learn_graph(frame(), alfa=0.1)
        with self.assertRaisesRegex(ValueError, "about files"):
            macmi.learn_graph(frame(), target="t")
        with self.assertRaisesRegex(ValueError, "samples × columns"):
            macmi.learn_graph(np.zeros(30))


main()
