"""macmi graph, from files to the graph in every format."""
import json
import os
import random
import xml.etree.ElementTree as ElementTree

from program import ProgramTest, main

# a -> t <- b, t -> c, and noise: two arrows are found by the collider, the third follows from them.
ARROWS = {("a", "t"), ("b", "t"), ("t", "c")}


def rows(n=400, seed=1, order=("a", "b", "c", "noise", "t")):
    draw = random.Random(seed)
    lines = [",".join(order)]
    for _ in range(n):
        a, b, noise = (draw.gauss(0, 1) for _ in range(3))
        t = a + b + draw.gauss(0, 0.6)
        row = {"a": a, "b": b, "noise": noise, "t": t, "c": t + draw.gauss(0, 0.8), "copy": a}
        lines.append(",".join(str(row[name]) for name in order))
    return "\n".join(lines) + "\n"


class Graph(ProgramTest):
    def graph(self, options, data="net.csv"):
        done = self.shell(f"macmi graph --data {data} --json --quiet {options}")
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        result.pop("timing")
        result.pop("data_options")  # the file's name
        return result

    def arrows(self, result):
        return {(e["a"], e["b"]) for e in result["edges"] if e["type"] == "->"}

    def test_json_has_the_documented_fields(self):
        self.write("net.csv", rows())
        result = self.graph("--seed 7")
        self.assertEqual(result["nodes"], ["a", "b", "c", "noise", "t"])
        self.assertEqual(self.arrows(result), ARROWS)
        self.assertEqual(len(result["edges"]), 3)
        self.assertEqual((result["seed"], result["partial"], result["samples"]), (7, False, 400))
        for edge in result["edges"]:
            self.assertGreater(edge["effect"], 0)
            self.assertLess(edge["p_value"], 0.01)
        apart = {(s["a"], s["b"]): s["separating_set"] for s in result["separations"]}
        self.assertEqual(len(apart), 7)
        self.assertIn("t", apart["a", "c"])
        self.assertNotIn("t", apart["a", "b"])

    def test_same_bits_for_any_column_order_threads_and_run(self):
        self.write("net.csv", rows())
        self.write("turned.csv", rows(order=("t", "noise", "c", "b", "a")))
        expected = self.graph("--threads 1")
        self.assertEqual(self.graph("--threads 3", "turned.csv"), expected)
        first = json.loads(self.shell("macmi graph --data net.csv --json --quiet --run kept").stdout)
        again = json.loads(self.shell("macmi graph --data net.csv --json --quiet --run kept").stdout)
        self.assertEqual(first["timing"]["tests_made"], first["tests"])
        self.assertEqual((again["timing"]["tests_made"], again["timing"]["tests_reused"]), (0, first["tests"]))
        self.assertEqual(again["edges"], expected["edges"])

    def test_files_for_other_programs(self):
        self.write("net.csv", rows())
        text = self.shell("macmi graph --data net.csv --method fisherz --out g.json --graphml g.xml --dot g.dot --quiet "
                          "--run none").stdout
        self.assertIn("a -> t", text)
        self.assertIn("Without an edge: noise", text)
        at = {"g": "{http://graphml.graphdrawing.org/xmlns}"}["g"]
        tree = ElementTree.parse(os.path.join(self.folder, "g.xml"))
        names = {node.get("id"): node[0].text for node in tree.iter(at + "node")}
        edges = {(names[e.get("source")], names[e.get("target")]) for e in tree.iter(at + "edge")
                 if e.get("directed") == "true"}
        self.assertEqual((sorted(names.values()), edges), (["a", "b", "c", "noise", "t"], ARROWS))
        with open(os.path.join(self.folder, "g.dot"), encoding="utf-8") as file:
            self.assertIn('"a" -> "t"', file.read())
        with open(os.path.join(self.folder, "g.json"), encoding="utf-8") as file:
            self.assertEqual(self.arrows(json.load(file)), ARROWS)

    def test_what_is_known(self):
        self.write("net.csv", rows())
        fast = "--method fisherz "
        result = self.graph(fast + "--order 'c | a,b,t' --never 'a--t' --must 'noise->b'")
        pairs = {(e["a"], e["b"]) for e in result["edges"]}
        self.assertIn(("c", "t"), self.arrows(result))
        self.assertIn(("noise", "b"), self.arrows(result))
        self.assertTrue({("a", "t"), ("t", "a")}.isdisjoint(pairs))
        self.assertTrue(any("--must" in note for note in result["remarks"]))
        self.refused("macmi graph --data net.csv --must 'a->b,b->c,c->a'", "--must", "cycle")
        self.refused("macmi graph --data net.csv --order 'a | x'", "--order", "no node 'x'")
        self.refused("macmi graph --data net.csv --must 'a->c' --order 'c | a'", "contradicts")
        self.refused("macmi graph --data net.csv --maps mlp", "--maps", "macmi train")
        self.refused("macmi graph --data net.csv --features a", "two columns")
        self.refused("macmi graph --data net.csv --method hsic", "--method hsic")

    def test_copies_and_half_samples(self):
        self.write("net.csv", rows(order=("a", "b", "copy", "t", "c")))
        result = self.graph("--method fisherz --stability 4 --threads 2")
        self.assertIn({"a": "a", "b": "copy", "type": "--", "effect": None, "p_value": None, "copy": True},
                      result["edges"])
        self.assertEqual(result, self.graph("--method fisherz --stability 4 --threads 1"))
        tested = [e for e in result["edges"] if "copy" not in e]
        self.assertEqual({(e["a"], e["b"]) for e in tested}, ARROWS)
        for edge in tested:
            self.assertEqual(edge["found_in"], 4)  # correlations of 0.6 and more in 200 samples
            self.assertLessEqual(edge["directed_in"], 4)

    def test_time_that_is_up_gives_a_partial_graph(self):
        self.write("net.csv", rows())
        result = self.graph("--budget 0.000001s")
        self.assertTrue(result["partial"])
        self.assertEqual(result["edges"], [])
        self.assertTrue(any("--budget" in note for note in result["remarks"]))


main()
